//! The text form of facts, for display.
//!
//! ```text
//! 0..=8              an integer of an interval
//! 0..=60, multiple of 4
//! 0.0..=1.0, no NaN
//! true
//! ```

use super::fact::{Fact, Float};
use crate::TypeHint;
use vitrine_ir::ops::Width;

impl Fact {
    /// The fact as text, interpreted as `hint` suggests; empty if nothing is known in that interpretation.
    pub fn spell(&self, hint: TypeHint) -> String {
        let parts = match hint {
            TypeHint::Bool => self.truth_words(),
            TypeHint::Float => self.float_words(),
            TypeHint::Int | TypeHint::Uint | TypeHint::Unknown | TypeHint::Any => {
                self.int_words(hint == TypeHint::Uint)
            }
        };
        parts.join(", ")
    }

    fn truth_words(&self) -> Vec<String> {
        self.constant().map(|component| component.as_bool().to_string()).into_iter().collect()
    }

    fn int_words(&self, unsigned: bool) -> Vec<String> {
        if let Some(component) = self.constant() {
            return vec![if unsigned {
                component.as_u64().to_string()
            } else {
                component.as_i64().to_string()
            }];
        }
        // Bounds that only follow from low bits add nothing to the description of the low bits.
        let low = 1_u64.checked_shl((self.zeros | self.ones).trailing_ones()).map_or(u64::MAX, |bit| bit - 1);
        let any = Fact::known(self.width(), self.zeros & low, self.ones & low);
        let mut words = Vec::new();
        if self.signed != any.signed && !unsigned {
            words.push(format!("{}..={}", self.signed.0, self.signed.1));
        } else if self.unsigned != any.unsigned {
            words.push(format!("{}..={} unsigned", self.unsigned.0, self.unsigned.1));
        }
        match (!self.zeros).trailing_zeros() {
            0 => {}
            low => words.push(format!("multiple of {}", 1_u64 << low.min(63))),
        }
        if self.ones & 1 == 1 {
            words.push("odd".to_owned());
        }
        words
    }

    fn float_words(&self) -> Vec<String> {
        let Float { low, high, nan, whole, .. } = self.float;
        let mut words = Vec::new();
        if self.float.has_no_number() {
            words.push("NaN".to_owned());
        } else if low == high {
            words.push(self.number(low));
        } else if low != f64::NEG_INFINITY || high != f64::INFINITY {
            words.push(format!("{}..={}", self.number(low), self.number(high)));
        }
        if !nan {
            words.push("no NaN".to_owned());
        }
        if whole && low < high {
            words.push("whole".to_owned());
        }
        words
    }

    /// The shortest decimal that identifies the number in this width.
    fn number(&self, value: f64) -> String {
        match self.width() {
            Width::W64 => format!("{value:?}"),
            Width::W1 | Width::W8 | Width::W16 | Width::W32 => format!("{:?}", value as f32),
        }
    }
}

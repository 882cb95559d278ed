//! The capabilities that numbers of 8 and 16 bits need.
//!
//! Types that are declared for memory alone may be loaded, stored, copied and converted to another width; everything else
//! needs `Int8`, `Int16` or `Float16` (SPIR-V, 2.16.1, limited use).

use crate::spec::{Capability as Cap, Op as S};
use crate::{Context, Decoded, Instruction};
use rustc_hash::FxHashMap;

/// The small types of a module and the values that have them, each with the capability that its full use needs.
#[derive(Default)]
pub(super) struct SmallNumbers {
    types: FxHashMap<u32, &'static [Cap]>,
    values: FxHashMap<u32, &'static [Cap]>,
}

impl SmallNumbers {
    /// The capabilities that an instruction needs for its small result and operands.
    pub(super) fn needed(
        &mut self,
        inst: &Instruction<'_>,
        context: &Context,
        decoded: &mut Decoded,
    ) -> Vec<&'static [Cap]> {
        let word = |at: usize| inst.words.get(at).copied().unwrap_or(0);
        let op = S::from_u32(u32::from(inst.opcode));
        let own: Option<&'static [Cap]> = match (op, word(2)) {
            (Some(S::TypeInt), 8) => Some(&[Cap::Int8]),
            (Some(S::TypeInt), 16) => Some(&[Cap::Int16]),
            (Some(S::TypeFloat), 16) => Some(&[Cap::Float16]),
            (Some(S::TypeVector), of) => self.types.get(&of).copied(),
            _ => None,
        };
        if let Some(own) = own {
            self.types.insert(word(1), own);
        }
        let is_free = matches!(op, Some(S::CopyObject | S::FConvert | S::UConvert | S::SConvert));
        let mut out = Vec::new();
        if self.types.is_empty() {
            return out;
        }
        let has_type = crate::op(inst.opcode).is_some_and(|info| info.has_type);
        if let Some(&of) = self.types.get(&word(1)).filter(|_| has_type) {
            self.values.insert(word(2), of);
            if !is_free && op != Some(S::Load) {
                out.push(of);
            }
        }
        let is_statement = matches!(op, Some(S::Store | S::Name | S::Decorate));
        let may_use = inst.words.iter().skip(1).any(|word| self.values.contains_key(word));
        if !is_free && !is_statement && may_use {
            context.decode(inst, decoded);
            let ids = decoded.operands.iter().filter(|operand| operand.is_id());
            out.extend(ids.filter_map(|operand| self.values.get(&operand.word(inst)).copied()));
        }
        out
    }
}

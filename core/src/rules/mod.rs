//! Algebra as data: what may be written instead of what, checked against what operations mean.
//!
//! ```text
//! /// A multiplication by a power of two is a shift.
//! imul_pow2: (imul x #c) => (ishl x (find_lsb c)) if pow2(c);
//! ```
//!
//! `x` is any value, `#c` a constant, `0` and `1.0` constants of the type that stands there, in all lanes.
//! Operands of what is commutative are tried in either order. A part of the right side that has only constant
//! operands is computed where the rule is applied. `(once iadd x y)` is an addition that nobody else reads: where
//! another reader keeps it, nothing would be won.
//!
//! What stands behind `if` are questions about constants (`guard`) and about values (`ask`): what the analysis
//! `range` knows of them, such as `not_negative(x)`. A rule that asks about values holds bit for bit where the answer
//! is yes, for what is known would not be so any more behind a rule that is not as strict. Words in brackets say what
//! a rule asks of the program:
//!
//! * none: both sides have the same bits for every input;
//! * `[any_nan]`: they have, but which NaN it is, which no program may know;
//! * `[nsz]`, `[nnan]`, `[ninf]`, `[arcp]`, `[reassoc]`, `[fast]`: only where every float operation of the left
//!   side has that flag, or `fast`, and none is `exact`.
//!
//! The laws of this folder, each one a test:
//!
//! 1. A rule holds: 8-bit integers exhaustively, everything else on corner cases and seeded samples. One that asks about
//!    values holds for all of which the answer is yes, and not for all others: so it asks for nothing it does not need.
//! 2. The right side costs less ([`cost`]) and reads no value more often: so applying rules ends.
//! 3. A rule is never applied where it would leave more instructions than before, constants aside.
//! 4. A rule has a doc, which is what the page answers to "why did this change?".
//!
//! Rules come in sets ([`Set`]), each applied by a pass of its own. The set `algebraic` keeps all laws. The others
//! bring about another form, so the second and third are not theirs; they end because no right side begins anything
//! that a rule of the same set begins with, which is a test too.

mod pattern; // start here: both sides as trees
mod const_cond; // questions about constants
mod range_cond; // questions about values
mod typed;
mod apply;
mod cost;

mod bits; // the rules
mod compare;
mod convert;
mod float;
mod int;
mod known;
mod once;
mod select;

mod late; // rules of other sets
mod mix;

pub use apply::{Applied, Facts, apply, apply_of, apply_with};
pub use cost::{cost, weight};
pub use pattern::{Lit, Pat};
pub use typed::{Typed, typings};

use crate::analysis::Fact;
use crate::ops::{Bits, Flags, Op, ValueType};
use const_cond::ConstCond;
use range_cond::RangeCond;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Which rules belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Set {
    /// What makes a program smaller, or of two forms chooses one.
    Algebraic,
    /// What targets do in one instruction, or want in the other of two forms. Undoes `algebraic`.
    Late,
    /// Mixing of two floats, written out.
    Mix,
}

impl Set {
    /// Every set, in the order of [`Rules::all`].
    pub const ALL: [Set; 3] = [Set::Algebraic, Set::Late, Set::Mix];

    /// The pass that applies the rules.
    pub fn name(self) -> &'static str {
        match self {
            Set::Algebraic => "algebraic",
            Set::Late => "algebraic-late",
            Set::Mix => "lower-flrp",
        }
    }

    /// Whether a rule may leave more instructions than before.
    pub fn may_grow(self) -> bool {
        match self {
            Set::Algebraic | Set::Late => false,
            Set::Mix => true,
        }
    }

    /// Whether some rule of the set asks what is known of values.
    pub fn asks(self) -> bool {
        Rules::get().all.iter().any(|rule| rule.set == self && rule.asks())
    }

    fn tables(self) -> &'static [&'static [RuleText]] {
        const ALGEBRAIC: &[&[RuleText]] = &[
            int::RULES,
            bits::RULES,
            compare::RULES,
            select::RULES,
            convert::RULES,
            float::RULES,
            once::RULES,
            known::RULES,
        ];
        match self {
            Set::Algebraic => ALGEBRAIC,
            Set::Late => &[late::RULES],
            Set::Mix => &[mix::RULES],
        }
    }
}

/// A rule as it is written.
pub struct RuleText {
    /// Its name.
    pub name: &'static str,
    /// Its doc.
    pub doc: &'static str,
    /// What it asks of the program.
    pub marks: &'static [&'static str],
    /// What is there.
    pub left: &'static str,
    /// What may be there instead.
    pub right: &'static str,
    /// When, besides: questions, each a word and the values it is about, each ended by a semicolon.
    pub guard: &'static str,
}

/// A rule that was read.
pub struct Rule {
    /// As it is written.
    pub text: &'static RuleText,
    /// The set it is in.
    pub set: Set,
    /// What is there.
    pub left: Pat,
    /// What may be there instead.
    pub right: Pat,
    /// Flags that every float operation on the left must have.
    pub needs: Flags,
    /// Whether the sides may yield different NaNs.
    pub any_nan: bool,
    /// How many values the sides name.
    pub vars: usize,
    guards: Vec<ConstCond>,
    asks: Vec<RangeCond>,
    /// The left side with operands of what is commutative in every order.
    variants: Vec<Pat>,
}

impl Rule {
    /// Whether it asks what is known of values.
    pub fn asks(&self) -> bool {
        !self.asks.is_empty()
    }

    /// Whether both sides have the same bits, whatever flags operations have.
    pub fn is_exact(&self) -> bool {
        self.needs.is_empty() && !self.any_nan
    }

    /// Whether the answers to what it asks of values are yes; `facts` are those of the lanes of a value, by number.
    pub fn is_known(&self, mut facts: impl FnMut(usize) -> Vec<Fact>) -> bool {
        self.asks.iter().all(|ask| ask.holds(&mut facts))
    }

    /// Whether the guards hold; `values` are the constants, by variable.
    pub fn holds(&self, values: &[Option<Bits>]) -> bool {
        self.guards.iter().all(|guard| guard.holds(values))
    }

    fn read(set: Set, text: &'static RuleText) -> Option<Rule> {
        let mut names = Vec::new();
        let left = pattern::read(text.left, &mut names)?;
        let known = names.len();
        let right = pattern::read(text.right, &mut names)?;
        let (mut guards, mut asks) = (Vec::new(), Vec::new());
        for question in text.guard.split(';').filter(|question| !question.trim().is_empty()) {
            match const_cond::read(question, &names) {
                Some(guard) => guards.push(guard),
                None => asks.push(range_cond::read(question, &names)?),
            }
        }
        let mut needs = Flags::NONE;
        let mut any_nan = false;
        for &mark in text.marks {
            match Flags::from_name(mark) {
                Some(flag) => needs = needs.and(flag),
                None => any_nan |= mark == "any_nan",
            }
        }
        let variants = left.variants();
        (names.len() == known).then_some(Rule {
            text,
            set,
            left,
            right,
            needs,
            any_nan,
            vars: known,
            guards,
            asks,
            variants,
        })
    }
}

/// All rules, by the operation at the root of their left side.
pub struct Rules {
    all: Vec<Rule>,
    by_root: FxHashMap<(Set, Op), Vec<(usize, usize)>>,
}

impl Rules {
    /// The rules, read once. About a tenth of a millisecond the first time.
    pub fn get() -> &'static Rules {
        static RULES: OnceLock<Rules> = OnceLock::new();
        RULES.get_or_init(|| {
            let all: Vec<Rule> = sets().filter_map(|(set, text)| Rule::read(set, text)).collect();
            let mut by_root: FxHashMap<(Set, Op), Vec<(usize, usize)>> = FxHashMap::default();
            for (at, rule) in all.iter().enumerate() {
                for (variant, pattern) in rule.variants.iter().enumerate() {
                    if let Pat::Op(op, _) = pattern {
                        by_root.entry((rule.set, *op)).or_default().push((at, variant));
                    }
                }
            }
            Rules { all, by_root }
        })
    }

    /// Every rule. The place in the list is the number that `ir::Why::Rule` gives.
    pub fn all(&self) -> &[Rule] {
        &self.all
    }

    /// Whether a rule of a set that asks what is known of values begins with the operation.
    pub fn ask_at(&self, set: Set, op: Op) -> bool {
        self.rooted_at(set, op).any(|(_, rule, _)| rule.asks())
    }

    /// Rules of a set whose left side begins with the operation, each with one order of operands.
    fn rooted_at(&self, set: Set, op: Op) -> impl Iterator<Item = (usize, &Rule, &Pat)> + '_ {
        let entries = self.by_root.get(&(set, op)).map_or(&[][..], |entries| entries);
        entries.iter().filter_map(|&(at, variant)| {
            let rule = self.all.get(at)?;
            Some((at, rule, rule.variants.get(variant)?))
        })
    }
}

/// Every rule as it is written, in the order of the sets and their files.
pub fn texts() -> impl Iterator<Item = &'static RuleText> {
    sets().map(|(_, text)| text)
}

fn sets() -> impl Iterator<Item = (Set, &'static RuleText)> {
    let of = |set: Set| set.tables().iter().copied().flatten().map(move |text| (set, text));
    Set::ALL.into_iter().flat_map(of)
}

/// The rule that `ir::Why::Rule` names by number.
pub fn by_number(number: u32) -> Option<&'static Rule> {
    Rules::get().all.get(number as usize)
}

/// What a tree yields for these values. `None` where it has no meaning.
pub fn evaluate(tree: &Typed<'_>, values: &[Bits]) -> Option<Bits> {
    match tree.pat {
        Pat::Var(at) | Pat::Const(at) => values.get(*at).copied(),
        Pat::Lit(lit) => lit.bits(tree.ty),
        // A tree with types has what is read once, not the word for it.
        Pat::Once(_) => None,
        Pat::Op(op, _) => {
            let args: Vec<Bits> = tree.args.iter().map(|arg| evaluate(arg, values)).collect::<Option<_>>()?;
            op.info().eval(tree.ty, &args)
        }
    }
}

/// A table of rules: see the module doc.
macro_rules! rules {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $([$($mark:ident)*])? : $left:tt => $right:tt
            $(if $($guard:ident($($var:ident),*)),+)?;
    )*) => {
        pub(super) const RULES: &[$crate::rules::RuleText] = &[$(
            $crate::rules::RuleText {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                marks: &[$($(stringify!($mark)),*)?],
                left: stringify!($left),
                right: stringify!($right),
                guard: concat!("" $($(, stringify!($guard) $(, " ", stringify!($var))*, "; ")+)?),
            },
        )*];
    };
}
use rules;

fn same_lanes(ty: ValueType, lane: u64) -> Option<Bits> {
    let ValueType::Bits { width, components: lanes } = ty else { return None };
    Some(Bits::from_components(width, &vec![lane; usize::from(lanes)]))
}

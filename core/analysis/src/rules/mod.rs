//! Algebraic rewrite rules as data, checked against the semantics of operations.
//!
//! ```text
//! /// A multiplication by a power of two is a shift.
//! imul_pow2: (imul x #c) => (ishl x (find_lsb c)) if pow2(c);
//! ```
//!
//! `x` is any value and `#c` a constant. `0` and `1.0` are constants of the type that the position requires,
//! the same in every component. Operands of commutative operations are matched in either order. A part of the
//! right side with only constant operands is folded when the rule is applied. `(once iadd x y)` matches an
//! addition with a single use: if it had other uses it would have to stay, and the rewrite would gain
//! nothing.
//!
//! After `if` come conditions on constants (`const_cond`) and on values (`range_cond`): facts of the `range`
//! analysis, such as `not_negative(x)`. A rule with a condition on values must be bit-exact, because a
//! rewrite that changes bits could invalidate the facts it relies on. Marks in brackets describe the
//! semantics that a rule requires:
//!
//! * no mark: both sides have the same bits for every input;
//! * `[any_nan]`: both sides have the same bits, except for the payload of a NaN, which no program may depend
//!   on;
//! * `[nsz]`, `[nnan]`, `[ninf]`, `[arcp]`, `[reassoc]`, `[fast]`: the rule requires that every float
//!   operation of the left side has that flag, or `fast`, and that none is `exact`.
//!
//! The invariants of this folder, each one a test:
//!
//! 1. A rule is correct: checked exhaustively for 8-bit integers, and on corner cases and seeded samples for
//!    everything else. A rule with conditions on values is correct for all values that meet the conditions
//!    and incorrect for some others, so no condition is superfluous.
//! 2. The right side costs less ([`cost`]) and uses no value more often, so rewriting terminates.
//! 3. A rule is never applied if it would leave more instructions than before, not counting constants.
//! 4. A rule has a doc, which the page shows as the answer to "why did this change?".
//!
//! Rules come in sets ([`Set`]), each applied by a pass of its own. The set `algebraic` keeps all invariants.
//! The other sets establish a different form, so invariants 2 and 3 do not apply to them; they terminate
//! because no right side has the root operation of a left side of the same set, which is also tested.

mod pattern; // start here: both sides as trees
mod const_cond; // conditions on constants
mod range_cond; // conditions on values
mod typed;
mod apply;
mod cost;
pub mod proof; // checks a rule against the semantics of operations

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

use crate::Fact;
use const_cond::ConstCond;
use range_cond::RangeCond;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use vitrine_ir::ops::{Bits, Flags, Op, ValueType};

/// A set of rules that one pass applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Set {
    /// Simplifies the program, or chooses the canonical one of two forms.
    Algebraic,
    /// Forms that targets have one instruction for or prefer. Undoes some choices of `algebraic`.
    Late,
    /// Expands linear interpolation of floats.
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

    /// Returns true if a rule may leave more instructions than before.
    pub fn may_grow(self) -> bool {
        match self {
            Set::Algebraic | Set::Late => false,
            Set::Mix => true,
        }
    }

    /// Returns true if some rule of the set has a condition on values.
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
    /// The name.
    pub name: &'static str,
    /// The doc.
    pub doc: &'static str,
    /// The marks: semantics that the rule requires.
    pub marks: &'static [&'static str],
    /// The pattern to match.
    pub left: &'static str,
    /// The replacement.
    pub right: &'static str,
    /// Further conditions, each a name and the variables it applies to, each ended by a semicolon.
    pub guard: &'static str,
}

/// A parsed rule.
pub struct Rule {
    /// The rule as it is written.
    pub text: &'static RuleText,
    /// The set it belongs to.
    pub set: Set,
    /// The pattern to match.
    pub left: Pat,
    /// The replacement.
    pub right: Pat,
    /// Flags that every float operation of the left side must have.
    pub needs: Flags,
    /// If set, the sides may yield different NaNs.
    pub any_nan: bool,
    /// Number of variables of both sides.
    pub vars: usize,
    const_conds: Vec<ConstCond>,
    range_conds: Vec<RangeCond>,
    /// The left side with the operands of commutative operations in every order.
    variants: Vec<Pat>,
}

impl Rule {
    /// Returns true if the rule has a condition on values.
    pub fn asks(&self) -> bool {
        !self.range_conds.is_empty()
    }

    /// Returns true if both sides have the same bits, regardless of the flags of operations.
    pub fn is_exact(&self) -> bool {
        self.needs.is_empty() && !self.any_nan
    }

    /// Returns true if the conditions on values hold; `facts` returns the facts for the components of a
    /// variable, by number.
    pub fn is_known(&self, mut facts: impl FnMut(usize) -> Vec<Fact>) -> bool {
        self.range_conds.iter().all(|cond| cond.holds(&mut facts))
    }

    /// Returns true if the conditions on constants hold; `values` are the constants, by variable.
    pub fn holds(&self, values: &[Option<Bits>]) -> bool {
        self.const_conds.iter().all(|cond| cond.holds(values))
    }

    fn read(set: Set, text: &'static RuleText) -> Option<Rule> {
        let mut names = Vec::new();
        let left = pattern::read(text.left, &mut names)?;
        let known = names.len();
        let right = pattern::read(text.right, &mut names)?;
        let (mut const_conds, mut range_conds) = (Vec::new(), Vec::new());
        for cond in text.guard.split(';').filter(|cond| !cond.trim().is_empty()) {
            match const_cond::read(cond, &names) {
                Some(cond) => const_conds.push(cond),
                None => range_conds.push(range_cond::read(cond, &names)?),
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
            const_conds,
            range_conds,
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
    /// All rules, parsed once. The first call takes about a tenth of a millisecond.
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

    /// Every rule. The index in the list is the number in `ir::Reason::Rule`.
    pub fn all(&self) -> &[Rule] {
        &self.all
    }

    /// Returns true if a rule of the set that has a condition on values has the operation at its root.
    pub fn ask_at(&self, set: Set, op: Op) -> bool {
        self.rooted_at(set, op).any(|(_, rule, _)| rule.asks())
    }

    /// The rules of a set whose left side has the operation at its root, each with one order of operands.
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

/// The rule with the number of an `ir::Reason::Rule`.
pub fn by_number(number: u32) -> Option<&'static Rule> {
    Rules::get().all.get(number as usize)
}

/// Evaluates a tree for these values. Returns `None` if an operation has no defined result.
pub fn evaluate(tree: &Typed<'_>, values: &[Bits]) -> Option<Bits> {
    match tree.pat {
        Pat::Var(at) | Pat::Const(at) => values.get(*at).copied(),
        Pat::Lit(lit) => lit.bits(tree.ty),
        // Typed trees contain the inner operation directly.
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

fn splat(ty: ValueType, component: u64) -> Option<Bits> {
    let ValueType::Bits { width, components } = ty else { return None };
    Some(Bits::from_components(width, &vec![component; usize::from(components)]))
}

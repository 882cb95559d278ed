//! The shape of an op table: one row gives everything there is to know of an operation.
//!
//! ```text
//! /// Adds, rounding to nearest even.                       doc, one sentence at least
//! FAdd fadd (a: F, b: F) -> F                              variant, name, operands, result
//!     [COMMUTATIVE]                                        properties and effects
//!     lead(Var) need(Scope) may(Align)                     attributes: behind the name, demanded, allowed
//!     = a.fadd(b);                                         meaning, lane by lane
//! ```
//!
//! Other forms of a row: `(p: ADDR; index: IDX)` for any number of operands of one kind;
//! `"deref.var"` between name and operands where the spelling has a dot; `=> |cx| a.f2f(cx.to)` where
//! the meaning needs the result type; `~ path` for a function over whole values.
//!
//! From the row come: the enum, spelling and parsing, typing, the builder method, folding, random
//! programs, and the page's reference. `tests/ops.rs` checks that each row is documented and tested.

use super::attr::Key;
use super::constraint::{Constraint, Unknowns};
use super::scalar::{Scalar, Width};
use super::ty::ValueType;
use super::value::{Bits, MAX_COMPONENTS};

/// Algebraic properties and effects of an operation, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Props(u16);

macro_rules! props {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Props {
            /// None of them: pure, and nothing special about its algebra.
            pub const NONE: Props = Props(0);
            $($(#[$doc])* pub const $name: Props = Props(1 << $bit);)*

            /// The names of the properties held, for the reference.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                [$((Props::$name, stringify!($name)),)*].into_iter().filter(move |(p, _)| self.has(*p)).map(|(_, n)| n)
            }
        }
    };
}

props! {
    /// The first two operands may be exchanged.
    COMMUTATIVE = 0;
    /// `(a . b) . c` is `a . (b . c)`, bit for bit.
    ASSOCIATIVE = 1;
    /// Associative up to rounding.
    NEARLY_ASSOCIATIVE = 2;
    /// `a . a` is `a`.
    IDEMPOTENT = 3;
    /// Converts between numbers.
    CONVERSION = 4;
    /// Yields a truth value about numbers.
    COMPARISON = 5;
    /// Reads memory or state that others may write.
    READS = 6;
    /// Writes memory or state that others may read.
    WRITES = 7;
    /// Keeps its place among other memory operations.
    MEMORY_BARRIER = 8;
    /// The result depends on which other lanes execute it; must not move across control flow.
    CONVERGENT = 9;
    /// Needs helper lanes to be alive.
    NEEDS_HELPERS = 10;
    /// Ends or demotes lanes.
    TERMINATES = 11;
    /// A result is not a function of the operands alone, though nothing is written (an undefined value, a clock).
    NONDETERMINISTIC = 12;
}

impl Props {
    /// Whether all of `other` is held.
    pub const fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    pub const fn and(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }

    /// May be removed when nobody reads the result.
    pub const fn removable(self) -> bool {
        self.0 & Props::WRITES.0 == 0
            && self.0 & Props::MEMORY_BARRIER.0 == 0
            && self.0 & Props::TERMINATES.0 == 0
    }

    /// The result is a function of the operands and nothing else, wherever it is computed.
    pub const fn pure(self) -> bool {
        self.removable() && self.0 & (Props::READS.0 | Props::CONVERGENT.0 | Props::NONDETERMINISTIC.0) == 0
    }
}

/// What a meaning may look at besides its operands.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    /// Width of a lane of the result.
    pub to: Width,
    /// Lanes of the result.
    pub lanes: u8,
}

/// What an operation computes.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// Lane by lane.
    Lanes(fn(&[Scalar], Cx) -> Scalar),
    /// From whole values to a whole value.
    Whole(fn(&[Bits], Cx) -> Bits),
}

/// One operand of a row.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name in the row, for messages and views.
    pub name: &'static str,
    /// What may stand there.
    pub constraint: Constraint,
}

/// One row of an op table.
pub struct OpInfo {
    /// The spelling.
    pub name: &'static str,
    /// Operands that must be there.
    pub operands: &'static [Operand],
    /// Further operands, any number of them.
    pub rest: Option<Operand>,
    /// The result.
    pub result: Constraint,
    /// Algebra and effects.
    pub props: Props,
    /// Attributes written right behind the name, demanded.
    pub lead: &'static [Key],
    /// Attributes demanded.
    pub need: &'static [Key],
    /// Attributes allowed.
    pub may: &'static [Key],
    /// What it computes, where that is arithmetic.
    pub meaning: Option<Meaning>,
}

/// Why operands do not fit a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// Wrong number of operands.
    Count {
        /// Operands given.
        given: usize,
        /// Operands the row names.
        wanted: usize,
        /// Whether more than `wanted` would do.
        or_more: bool,
    },
    /// Operand `at` (from 0) is of the wrong type.
    Operand {
        /// Which operand.
        at: usize,
        /// What would fit, in words.
        wanted: String,
    },
    /// The result type cannot be.
    Result {
        /// What would fit, in words.
        wanted: String,
    },
}

impl OpInfo {
    /// The constraint on operand `at`.
    pub fn operand(&self, at: usize) -> Option<&Operand> {
        self.operands.get(at).or(self.rest.as_ref())
    }

    /// Checks a whole instruction against the row.
    pub fn check(&self, result: ValueType, args: &[ValueType]) -> Result<(), SignatureError> {
        let mut known = self.check_args(args)?;
        let before = known;
        if self.result.admits(result, &mut known) {
            return Ok(());
        }
        Err(SignatureError::Result { wanted: self.result.describe(&before) })
    }

    /// The result type, if the operands fix it.
    pub fn infer(&self, args: &[ValueType]) -> Option<ValueType> {
        let known = self.check_args(args).ok()?;
        self.result.solve(&known)
    }

    fn check_args(&self, args: &[ValueType]) -> Result<Unknowns, SignatureError> {
        let wanted = self.operands.len();
        if args.len() < wanted || (args.len() > wanted && self.rest.is_none()) {
            return Err(SignatureError::Count { given: args.len(), wanted, or_more: self.rest.is_some() });
        }
        let mut known = Unknowns::default();
        for (at, &ty) in args.iter().enumerate() {
            let Some(operand) = self.operand(at) else { break };
            let before = known;
            if !operand.constraint.admits(ty, &mut known) {
                return Err(SignatureError::Operand { at, wanted: operand.constraint.describe(&before) });
            }
        }
        Ok(known)
    }

    /// Computes the result where the row has a meaning. `None` where it has none or the operands do not fit.
    pub fn eval(&self, result: ValueType, args: &[Bits]) -> Option<Bits> {
        let ValueType::Bits { width, components: lanes } = result else { return None };
        let cx = Cx { to: width, lanes };
        match self.meaning? {
            Meaning::Whole(f) => {
                let out = f(args, cx);
                (out.ty() == result).then_some(out)
            }
            Meaning::Lanes(f) => {
                let mut out = [Scalar::default(); MAX_COMPONENTS];
                let mut lane = [Scalar::default(); 4];
                let inputs = lane.get_mut(..args.len())?;
                for (at, slot) in out[..lanes as usize].iter_mut().enumerate() {
                    for (input, arg) in inputs.iter_mut().zip(args) {
                        *input = arg.component(at);
                    }
                    *slot = f(inputs, cx);
                }
                let out = Bits::from_scalars(&out[..lanes as usize]);
                (out.ty() == result).then_some(out)
            }
        }
    }
}

/// See the module doc.
macro_rules! ops {
    ($(#[$meta:meta])* $family:ident builder $builder:ident; $($rows:tt)*) => {
        $crate::ops::table::ops!(@table [$(#[$meta])*] $family; $($rows)*);
        $crate::ops::table::ops!(@builder $family $builder; $($rows)*);
    };
    ($(#[$meta:meta])* $family:ident; $($rows:tt)*) => {
        $crate::ops::table::ops!(@table [$(#[$meta])*] $family; $($rows)*);
    };
    (@table [$($meta:tt)*] $family:ident; $(
        $(#[doc = $doc:literal])+
        $variant:ident $method:ident $($text:literal)?
        ($($arg:ident : $constraint:ident),* $(; $rest:ident : $rest_constraint:ident)?)
        -> $result:ident
        $([$($prop:ident)*])?
        $(lead($($lead:ident),*))?
        $(need($($need:ident),*))?
        $(may($($may:ident),*))?
        $(~ $whole:path)?
        $(= $lane:expr)?
        $(=> |$cx:ident| $lane_cx:expr)?
        ;
    )*) => {
        $($meta)*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $family { $($(#[doc = $doc])+ $variant,)* }

        impl $family {
            /// Every operation of the family, in table order.
            pub const ALL: &'static [$family] = &[$($family::$variant),*];

            /// The row.
            #[inline(always)]
            pub fn info(self) -> &'static $crate::ops::table::OpInfo {
                &Self::ROWS[self as usize]
            }

            /// The doc comment: apart from the row, because only people read it.
            pub fn doc(self) -> &'static str {
                const DOCS: &[&str] = &[$(concat!($($doc, "\n"),+)),*];
                DOCS.get(self as usize).copied().unwrap_or_default()
            }

            const ROWS: &'static [$crate::ops::table::OpInfo] = &[$(
                $crate::ops::table::OpInfo {
                    name: $crate::ops::table::ops!(@name $method $($text)?),
                    operands: &[$($crate::ops::table::Operand {
                        name: stringify!($arg),
                        constraint: $crate::ops::constraint::names::$constraint,
                    }),*],
                    rest: $crate::ops::table::ops!(@option $($crate::ops::table::Operand {
                        name: stringify!($rest),
                        constraint: $crate::ops::constraint::names::$rest_constraint,
                    })?),
                    result: $crate::ops::constraint::names::$result,
                    props: $crate::ops::table::Props::NONE$($(.and($crate::ops::table::Props::$prop))*)?,
                    lead: &[$($($crate::ops::attr::Key::$lead),*)?],
                    need: &[$($($crate::ops::attr::Key::$need),*)?],
                    may: &[$($($crate::ops::attr::Key::$may),*)?],
                    meaning: $crate::ops::table::ops!(@meaning
                        [$($arg)*] $(~ $whole)? $(= $lane)? $(=> |$cx| $lane_cx)?),
                },
            )*];
        }
    };
    (@builder $family:ident $builder:ident; $(
        $(#[doc = $doc:literal])+
        $variant:ident $method:ident ($($arg:ident : $constraint:ident),*) -> $result:ident
        $([$($prop:ident)*])?
        $(~ $whole:path)?
        $(= $lane:expr)?
        $(=> |$cx:ident| $lane_cx:expr)?
        ;
    )*) => {
        #[doc = concat!("One method per operation of [`", stringify!($family), "`].")]
        pub trait $builder: $crate::ops::Emit {
            $(
                $(#[doc = $doc])+
                fn $method(&mut self, $($arg: Self::Value),*) -> Self::Value {
                    self.emit($family::$variant.into(), &[$($arg),*])
                }
            )*
        }
        impl<E: $crate::ops::Emit + ?Sized> $builder for E {}
    };
    (@name $method:ident) => { stringify!($method) };
    (@name $method:ident $text:literal) => { $text };
    (@option) => { None };
    (@option $some:expr) => { Some($some) };
    (@meaning [$($arg:ident)*]) => { None };
    (@meaning [$($arg:ident)*] = $lane:expr) => {
        Some($crate::ops::table::Meaning::Lanes(|args, _| match *args {
            [$($arg),*] => $lane,
            _ => $crate::ops::scalar::Scalar::default(),
        }))
    };
    (@meaning [$($arg:ident)*] => |$cx:ident| $lane:expr) => {
        Some($crate::ops::table::Meaning::Lanes(|args, $cx| match *args {
            [$($arg),*] => $lane,
            _ => $crate::ops::scalar::Scalar::default(),
        }))
    };
    (@meaning [$($arg:ident)*] ~ $whole:path) => { Some($crate::ops::table::Meaning::Whole($whole)) };
}
pub(crate) use ops;

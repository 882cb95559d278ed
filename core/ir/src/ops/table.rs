//! The form of an op table: one entry defines everything about an operation.
//!
//! ```text
//! /// Adds, rounding to nearest even.                       doc, at least one sentence
//! FAdd fadd (a: F, b: F) -> F                              variant, name, operands, result
//!     [COMMUTATIVE]                                        properties and effects
//!     lead(Var) need(Scope) may(Align)                     attributes: after the name, required, allowed
//!     = a.fadd(b);                                         meaning, component by component
//! ```
//!
//! Other forms of an entry: `(p: ADDR; index: IDX)` for any number of further operands of one kind;
//! `"deref.var"` between name and operands if the spelling contains a dot; `=> |cx| a.f2f(cx.to)` if the
//! meaning depends on the result type; `~ path` for a function over whole values.
//!
//! An entry generates the enum variant, spelling and parsing, typing, the builder method, folding, random
//! programs, and the reference on the page. `tests/it/ops.rs` checks that each entry is documented and
//! tested.

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
            /// None: a pure operation without algebraic properties.
            pub const NONE: Props = Props(0);
            $($(#[$doc])* pub const $name: Props = Props(1 << $bit);)*

            /// The names of the properties that are set, for the reference.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                [$((Props::$name, stringify!($name)),)*].into_iter().filter(move |(p, _)| self.has(*p)).map(|(_, n)| n)
            }
        }
    };
}

props! {
    /// The first two operands may be exchanged.
    COMMUTATIVE = 0;
    /// `(a . b) . c` equals `a . (b . c)`, bit for bit.
    ASSOCIATIVE = 1;
    /// Associative up to rounding.
    NEARLY_ASSOCIATIVE = 2;
    /// `a . a` is `a`.
    IDEMPOTENT = 3;
    /// Converts between kinds or widths of numbers.
    CONVERSION = 4;
    /// Yields a boolean that compares or classifies numbers.
    COMPARISON = 5;
    /// Reads memory or state that other operations may write.
    READS = 6;
    /// Writes memory or state that other operations may read.
    WRITES = 7;
    /// Keeps its order relative to other memory operations.
    MEMORY_BARRIER = 8;
    /// The result depends on which other invocations execute it; must not move across control flow.
    CONVERGENT = 9;
    /// Requires active helper invocations.
    NEEDS_HELPERS = 10;
    /// Terminates or demotes invocations.
    TERMINATES = 11;
    /// The result is not a function of the operands alone, though nothing is written (an undefined value, a
    /// clock).
    NONDETERMINISTIC = 12;
}

impl Props {
    /// Returns true if all properties of `other` are set.
    pub const fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    pub const fn and(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }

    /// True if the operation may be removed when its result is unused.
    pub const fn removable(self) -> bool {
        self.0 & Props::WRITES.0 == 0
            && self.0 & Props::MEMORY_BARRIER.0 == 0
            && self.0 & Props::TERMINATES.0 == 0
    }

    /// True if the result is a function of the operands only, wherever it is computed.
    pub const fn pure(self) -> bool {
        self.removable() && self.0 & (Props::READS.0 | Props::CONVERGENT.0 | Props::NONDETERMINISTIC.0) == 0
    }
}

/// Context of a meaning: everything it depends on besides its operands.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    /// Width of a component of the result.
    pub to: Width,
    /// Number of components of the result.
    pub components: u8,
}

/// The meaning of an operation.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// Component by component.
    Componentwise(fn(&[Scalar], Cx) -> Scalar),
    /// A function from whole values to a whole value.
    Whole(fn(&[Bits], Cx) -> Bits),
}

/// One operand of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name in the entry, for messages and views.
    pub name: &'static str,
    /// The values it accepts.
    pub constraint: Constraint,
}

/// One entry of an op table.
pub struct OpInfo {
    /// The spelling.
    pub name: &'static str,
    /// Required operands.
    pub operands: &'static [Operand],
    /// Further operands, any number of them.
    pub rest: Option<Operand>,
    /// The result.
    pub result: Constraint,
    /// Algebra and effects.
    pub props: Props,
    /// Required attributes, written directly after the name.
    pub lead: &'static [Key],
    /// Required attributes.
    pub need: &'static [Key],
    /// Optional attributes.
    pub may: &'static [Key],
    /// The meaning, if the operation is arithmetic.
    pub meaning: Option<Meaning>,
}

/// The reason why operands do not fit an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// Wrong number of operands.
    Count {
        /// Operands given.
        given: usize,
        /// Number of operands in the entry.
        wanted: usize,
        /// True if more than `wanted` operands are allowed.
        or_more: bool,
    },
    /// Operand `at` (from 0) is of the wrong type.
    Operand {
        /// Number of the operand, from 0.
        at: usize,
        /// Description of the accepted values.
        wanted: String,
    },
    /// The result type is not possible.
    Result {
        /// Description of the accepted types.
        wanted: String,
    },
}

impl OpInfo {
    /// The constraint on operand `at`.
    pub fn operand(&self, at: usize) -> Option<&Operand> {
        self.operands.get(at).or(self.rest.as_ref())
    }

    /// Checks a whole instruction against the entry.
    pub fn check(&self, result: ValueType, args: &[ValueType]) -> Result<(), SignatureError> {
        let mut known = self.check_args(args)?;
        let before = known;
        if self.result.admits(result, &mut known) {
            return Ok(());
        }
        Err(SignatureError::Result { wanted: self.result.describe(&before) })
    }

    /// The result type, if the operands determine it.
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

    /// Computes the result. `None` if the entry has no meaning or the operands do not fit.
    pub fn eval(&self, result: ValueType, args: &[Bits]) -> Option<Bits> {
        let ValueType::Bits { width, components } = result else { return None };
        let cx = Cx { to: width, components };
        match self.meaning? {
            Meaning::Whole(f) => {
                let out = f(args, cx);
                (out.ty() == result).then_some(out)
            }
            Meaning::Componentwise(f) => {
                let mut out = [Scalar::default(); MAX_COMPONENTS];
                let mut component = [Scalar::default(); 4];
                let inputs = component.get_mut(..args.len())?;
                for (at, slot) in out[..components as usize].iter_mut().enumerate() {
                    for (input, arg) in inputs.iter_mut().zip(args) {
                        *input = arg.component(at);
                    }
                    *slot = f(inputs, cx);
                }
                let out = Bits::from_scalars(&out[..components as usize]);
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
        $(= $component:expr)?
        $(=> |$cx:ident| $component_cx:expr)?
        ;
    )*) => {
        $($meta)*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $family { $($(#[doc = $doc])+ $variant,)* }

        impl $family {
            /// Every operation of the family, in table order.
            pub const ALL: &'static [$family] = &[$($family::$variant),*];

            /// The entry.
            #[inline(always)]
            pub fn info(self) -> &'static $crate::ops::table::OpInfo {
                &Self::ROWS[self as usize]
            }

            /// The doc comment; separate from the entry, because only documentation and views use it.
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
                        [$($arg)*] $(~ $whole)? $(= $component)? $(=> |$cx| $component_cx)?),
                },
            )*];
        }
    };
    (@builder $family:ident $builder:ident; $(
        $(#[doc = $doc:literal])+
        $variant:ident $method:ident ($($arg:ident : $constraint:ident),*) -> $result:ident
        $([$($prop:ident)*])?
        $(~ $whole:path)?
        $(= $component:expr)?
        $(=> |$cx:ident| $component_cx:expr)?
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
    (@meaning [$($arg:ident)*] = $component:expr) => {
        Some($crate::ops::table::Meaning::Componentwise(|args, _| match *args {
            [$($arg),*] => $component,
            _ => $crate::ops::scalar::Scalar::default(),
        }))
    };
    (@meaning [$($arg:ident)*] => |$cx:ident| $component:expr) => {
        Some($crate::ops::table::Meaning::Componentwise(|args, $cx| match *args {
            [$($arg),*] => $component,
            _ => $crate::ops::scalar::Scalar::default(),
        }))
    };
    (@meaning [$($arg:ident)*] ~ $whole:path) => { Some($crate::ops::table::Meaning::Whole($whole)) };
}
pub(crate) use ops;

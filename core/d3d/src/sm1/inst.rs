//! Decoded instructions: operands with their registers, masks, swizzles and modifiers.
//!
//! Nothing of a token is lost: what has no field here is not decoded, and stays a row of words.

use super::register::{File, Register};
use super::table::{COMPARISONS, Control, Op, SAMPLINGS};

/// The swizzle `.xyzw`.
pub const IDENTITY: u8 = 0xe4;

/// All four components.
pub const ALL_COMPONENTS: u8 = 0xf;

/// An operand that addresses another one: `[a0.x]`, `[aL]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// The register.
    pub register: Register,
    /// Its swizzle, of which the first component counts.
    pub swizzle: u8,
}

/// A modifier of a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Modifier {
    /// None.
    #[default]
    None,
    /// `-r`.
    Neg,
    /// `r_bias`: `r - 0.5`.
    Bias,
    /// `-r_bias`.
    NegBias,
    /// `r_bx2`: `2 * (r - 0.5)`.
    Bx2,
    /// `-r_bx2`.
    NegBx2,
    /// `1-r`.
    Complement,
    /// `r_x2`.
    X2,
    /// `-r_x2`.
    NegX2,
    /// `r_dz`: x and y divided by z.
    Dz,
    /// `r_dw`: x and y divided by w.
    Dw,
    /// `r_abs`.
    Abs,
    /// `-r_abs`.
    NegAbs,
    /// `!p`.
    Not,
}

impl Modifier {
    /// Every modifier with the spelling before and after its register; the position is the number in tokens.
    pub const ALL: &'static [(Modifier, &'static str, &'static str)] = &[
        (Modifier::None, "", ""),
        (Modifier::Neg, "-", ""),
        (Modifier::Bias, "", "_bias"),
        (Modifier::NegBias, "-", "_bias"),
        (Modifier::Bx2, "", "_bx2"),
        (Modifier::NegBx2, "-", "_bx2"),
        (Modifier::Complement, "1-", ""),
        (Modifier::X2, "", "_x2"),
        (Modifier::NegX2, "-", "_x2"),
        (Modifier::Dz, "", "_dz"),
        (Modifier::Dw, "", "_dw"),
        (Modifier::Abs, "", "_abs"),
        (Modifier::NegAbs, "-", "_abs"),
        (Modifier::Not, "!", ""),
    ];

    /// The modifier of a number.
    pub fn from_number(number: u32) -> Option<Modifier> {
        Modifier::ALL.get(number as usize).map(|&(modifier, ..)| modifier)
    }

    /// The modifier of a spelling before and after the register.
    pub fn from_spelling(before: &str, after: &str) -> Option<Modifier> {
        let found = Modifier::ALL.iter().find(|&&(_, b, a)| b == before && a == after);
        found.map(|&(modifier, ..)| modifier)
    }

    /// The spelling before and after the register.
    pub fn spelling(self) -> (&'static str, &'static str) {
        let (_, before, after) = Modifier::ALL[self as usize];
        (before, after)
    }
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src {
    /// The register, or the first one of a relative address.
    pub register: Register,
    /// Two bits for each component, x first.
    pub swizzle: u8,
    /// The modifier.
    pub modifier: Modifier,
    /// The relative address.
    pub index: Option<Index>,
}

impl Src {
    /// A register as it is.
    pub const fn plain(register: Register) -> Src {
        Src { register, swizzle: IDENTITY, modifier: Modifier::None, index: None }
    }

    /// The component that a component of the operand is read from.
    pub fn component(&self, at: u32) -> u8 {
        self.swizzle >> (2 * at) & 3
    }
}

impl Default for Src {
    fn default() -> Src {
        Src::plain(Register::new(File::Temp, 0))
    }
}

/// A destination operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dst {
    /// The register, or the first one of a relative address.
    pub register: Register,
    /// Components that are written: bit 0 is x.
    pub mask: u8,
    /// `_sat`: the result is clamped to the range from 0 to 1.
    pub saturate: bool,
    /// `_pp`: 16 bits of precision suffice.
    pub partial: bool,
    /// `_centroid`: an input is interpolated at the centroid.
    pub centroid: bool,
    /// The result is multiplied by 2 raised to this power, -3 to 3.
    pub shift: i8,
    /// The relative address.
    pub index: Option<Index>,
}

impl Dst {
    /// All components of a register.
    pub const fn plain(register: Register) -> Dst {
        Dst {
            register,
            mask: ALL_COMPONENTS,
            saturate: false,
            partial: false,
            centroid: false,
            shift: 0,
            index: None,
        }
    }
}

/// Suffixes of the destination shifts.
pub const SHIFTS: &[(i8, &str)] = &[(1, "x2"), (2, "x4"), (3, "x8"), (-3, "d8"), (-2, "d4"), (-1, "d2")];

/// The declaration token of `dcl`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Declaration {
    /// The semantic, an index into [`super::USAGES`].
    pub usage: u8,
    /// The index of the semantic.
    pub index: u8,
    /// The texture type of a sampler, an index into [`super::TEXTURE_TYPES`].
    pub texture: u8,
}

/// The values of a definition, as words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Definition {
    /// Four floats, by their bits.
    Float([u32; 4]),
    /// Four integers.
    Int([u32; 4]),
    /// A boolean.
    Bool(u32),
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// The control bits: a comparison or a kind of sampling.
    pub control: u8,
    /// `+`: executed together with the previous instruction.
    pub coissue: bool,
    /// The destination, if it has one.
    pub dst: Option<Dst>,
    /// The predicate: only components for which it holds are written.
    pub predicate: Option<Src>,
    /// The number of sources.
    pub count: u8,
    /// The sources; only the first `count` ones are used.
    pub sources: [Src; 4],
    /// The declaration of `dcl`.
    pub declaration: Option<Declaration>,
    /// The values of `def`, `defi` or `defb`.
    pub definition: Option<Definition>,
}

impl Inst {
    /// An instruction without operands.
    pub fn new(op: Op) -> Inst {
        Inst {
            op,
            control: 0,
            coissue: false,
            dst: None,
            predicate: None,
            count: 0,
            sources: [Src::default(); 4],
            declaration: None,
            definition: None,
        }
    }

    /// The sources.
    pub fn sources(&self) -> &[Src] {
        self.sources.get(..usize::from(self.count)).unwrap_or(&self.sources)
    }

    /// The spelling of the operation with its comparison.
    pub fn name(&self) -> (&'static str, &'static str) {
        let info = self.op.info();
        let control = usize::from(self.control);
        match info.control {
            Control::None => (info.name, ""),
            Control::Compare => (info.name, COMPARISONS.get(control).copied().unwrap_or("")),
            Control::Sampling => (SAMPLINGS.get(control).copied().unwrap_or(info.name), ""),
        }
    }

    /// Returns true if the control bits have a meaning for the operation.
    pub fn has_known_control(&self) -> bool {
        let control = usize::from(self.control);
        match self.op.info().control {
            Control::None => control == 0,
            Control::Compare => (1..COMPARISONS.len()).contains(&control),
            Control::Sampling => control < SAMPLINGS.len(),
        }
    }
}

//! The instructions of shader models 1 to 3: opcode, spelling, operands, versions, slots.
//!
//! Tokenizer, encoder, disassembler and assembler work from this table alone. An opcode whose operands differ
//! between versions has an entry for each form.
//!
//! Source: the documentation of the Direct3D 9 assembly languages and of the shader token format
//! (D3DSHADER_INSTRUCTION_OPCODE_TYPE).

use super::version::Version;

/// The operands of an instruction, in the order of their tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// No operands.
    None,
    /// A destination, and this many sources.
    Dst(u8),
    /// This many sources.
    Sources(u8),
    /// A declaration token and a destination.
    Declare,
    /// A destination and four floats.
    DefineFloat,
    /// A destination and four integers.
    DefineInt,
    /// A destination and a boolean.
    DefineBool,
}

/// The meaning of the control bits of an instruction token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// None: the bits are zero.
    None,
    /// A comparison, which is a suffix of the spelling.
    Compare,
    /// Plain, projected or biased sampling.
    Sampling,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The instruction.
    pub op: Op,
    /// The low 16 bits of its token.
    pub opcode: u16,
    /// Its spelling, without suffixes.
    pub name: &'static str,
    /// Its operands.
    pub layout: Layout,
    /// Its control bits.
    pub control: Control,
    /// First and last version of vertex shaders that have it; 0 and 0 if none has.
    pub vertex: (u16, u16),
    /// The same for pixel shaders.
    pub pixel: (u16, u16),
    /// Instruction slots in a vertex and in a pixel shader.
    pub slots: (u8, u8),
    /// One sentence.
    pub doc: &'static str,
}

macro_rules! layout {
    (none) => {
        Layout::None
    };
    (dst) => {
        Layout::Dst(0)
    };
    (dst 1) => {
        Layout::Dst(1)
    };
    (dst 2) => {
        Layout::Dst(2)
    };
    (dst 3) => {
        Layout::Dst(3)
    };
    (dst 4) => {
        Layout::Dst(4)
    };
    (src 1) => {
        Layout::Sources(1)
    };
    (src 2) => {
        Layout::Sources(2)
    };
    (declare) => {
        Layout::Declare
    };
    (float) => {
        Layout::DefineFloat
    };
    (int) => {
        Layout::DefineInt
    };
    (bool) => {
        Layout::DefineBool
    };
}

macro_rules! control {
    () => {
        Control::None
    };
    (compare) => {
        Control::Compare
    };
    (sampling) => {
        Control::Sampling
    };
}

macro_rules! instructions {
    ($($(#[doc = $doc:literal])+ $variant:ident $opcode:literal $name:literal
        [$($layout:tt)+] [$($control:ident)?] vs $v0:literal $v1:literal ps $p0:literal $p1:literal
        slots $vs:literal $ps:literal;)*) => {
        /// An instruction.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[doc = $doc])+ $variant,)* }

        /// Every instruction, by [`Op`].
        pub const TABLE: &[OpInfo] = &[$(OpInfo {
            op: Op::$variant,
            opcode: $opcode,
            name: $name,
            layout: layout!($($layout)+),
            control: control!($($control)?),
            vertex: (first($v0), last($v1)),
            pixel: (first($p0), last($p1)),
            slots: ($vs, $ps),
            doc: concat!($($doc, "\n"),+),
        }),*];
    };
}

/// The version number of two decimal digits; 21 is `2_x`.
const fn first(version: u16) -> u16 {
    ((version / 10) << 8) | (version % 10)
}

/// The same, with the versions for software processing included in the last of a model.
const fn last(version: u16) -> u16 {
    match version {
        21 => 0x02ff,
        30 => 0x03ff,
        _ => first(version),
    }
}

instructions! {
    /// Does nothing.
    Nop 0x00 "nop" [none] [] vs 11 30 ps 11 30 slots 1 1;
    /// Copies. To `a0` in vs_1_1, rounds down to an integer.
    Mov 0x01 "mov" [dst 1] [] vs 11 30 ps 11 30 slots 1 1;
    /// Adds.
    Add 0x02 "add" [dst 2] [] vs 11 30 ps 11 30 slots 1 1;
    /// Subtracts.
    Sub 0x03 "sub" [dst 2] [] vs 11 30 ps 11 30 slots 1 1;
    /// `a * b + c`, with two roundings.
    Mad 0x04 "mad" [dst 3] [] vs 11 30 ps 11 30 slots 1 1;
    /// Multiplies.
    Mul 0x05 "mul" [dst 2] [] vs 11 30 ps 11 30 slots 1 1;
    /// Reciprocal of one component.
    Rcp 0x06 "rcp" [dst 1] [] vs 11 30 ps 20 30 slots 1 1;
    /// Reciprocal square root of the absolute value of one component.
    Rsq 0x07 "rsq" [dst 1] [] vs 11 30 ps 20 30 slots 1 1;
    /// Dot product of three components.
    Dp3 0x08 "dp3" [dst 2] [] vs 11 30 ps 11 30 slots 1 1;
    /// Dot product of four components.
    Dp4 0x09 "dp4" [dst 2] [] vs 11 30 ps 12 30 slots 1 1;
    /// Minimum.
    Min 0x0a "min" [dst 2] [] vs 11 30 ps 20 30 slots 1 1;
    /// Maximum.
    Max 0x0b "max" [dst 2] [] vs 11 30 ps 20 30 slots 1 1;
    /// 1 where `a < b`, else 0.
    Slt 0x0c "slt" [dst 2] [] vs 11 30 ps 0 0 slots 1 1;
    /// 1 where `a >= b`, else 0.
    Sge 0x0d "sge" [dst 2] [] vs 11 30 ps 0 0 slots 1 1;
    /// 2 raised to the power of one component.
    Exp 0x0e "exp" [dst 1] [] vs 11 30 ps 20 30 slots 1 1;
    /// Logarithm to base 2 of the absolute value of one component.
    Log 0x0f "log" [dst 1] [] vs 11 30 ps 20 30 slots 1 1;
    /// Lighting coefficients from two dot products and an exponent.
    Lit 0x10 "lit" [dst 1] [] vs 11 30 ps 0 0 slots 1 1;
    /// Distance vector `(1, a.y * b.y, a.z, b.w)`.
    Dst 0x11 "dst" [dst 2] [] vs 11 30 ps 0 0 slots 1 1;
    /// Linear interpolation `a * (b - c) + c`.
    Lrp 0x12 "lrp" [dst 3] [] vs 20 30 ps 11 30 slots 2 2;
    /// Fractional part `a - floor(a)`.
    Frc 0x13 "frc" [dst 1] [] vs 11 30 ps 20 30 slots 1 1;
    /// Product with a matrix of four rows, four components each.
    M4x4 0x14 "m4x4" [dst 2] [] vs 11 30 ps 20 30 slots 4 4;
    /// Product with a matrix of three rows, four components each.
    M4x3 0x15 "m4x3" [dst 2] [] vs 11 30 ps 20 30 slots 3 3;
    /// Product with a matrix of four rows, three components each.
    M3x4 0x16 "m3x4" [dst 2] [] vs 11 30 ps 20 30 slots 4 4;
    /// Product with a matrix of three rows, three components each.
    M3x3 0x17 "m3x3" [dst 2] [] vs 11 30 ps 20 30 slots 3 3;
    /// Product with a matrix of two rows, three components each.
    M3x2 0x18 "m3x2" [dst 2] [] vs 11 30 ps 20 30 slots 2 2;
    /// Calls a subroutine.
    Call 0x19 "call" [src 1] [] vs 20 30 ps 21 30 slots 2 2;
    /// Calls a subroutine if a boolean is true.
    CallNz 0x1a "callnz" [src 2] [] vs 20 30 ps 21 30 slots 3 3;
    /// Begins a loop with a counter.
    Loop 0x1b "loop" [src 2] [] vs 20 30 ps 30 30 slots 3 3;
    /// Ends the program or a subroutine.
    Ret 0x1c "ret" [none] [] vs 20 30 ps 21 30 slots 1 1;
    /// Ends a `loop`.
    EndLoop 0x1d "endloop" [none] [] vs 20 30 ps 30 30 slots 2 2;
    /// Begins a subroutine.
    Label 0x1e "label" [src 1] [] vs 20 30 ps 21 30 slots 0 0;
    /// Declares an input, an output or a sampler.
    Dcl 0x1f "dcl" [declare] [] vs 11 30 ps 20 30 slots 0 0;
    /// `abs(a)` raised to the power `b`, for one component.
    Pow 0x20 "pow" [dst 2] [] vs 20 30 ps 20 30 slots 3 3;
    /// Cross product.
    Crs 0x21 "crs" [dst 2] [] vs 20 30 ps 20 30 slots 2 2;
    /// -1, 0 or 1 according to the sign; the last two sources are scratch registers.
    Sgn2 0x22 "sgn" [dst 3] [] vs 20 21 ps 0 0 slots 3 3;
    /// -1, 0 or 1 according to the sign.
    Sgn 0x22 "sgn" [dst 1] [] vs 30 30 ps 0 0 slots 3 3;
    /// Absolute value.
    Abs 0x23 "abs" [dst 1] [] vs 20 30 ps 20 30 slots 1 1;
    /// Normalizes a vector of three components.
    Nrm 0x24 "nrm" [dst 1] [] vs 20 30 ps 20 30 slots 3 3;
    /// Cosine to x and sine to y; the last two sources are constants of an approximation.
    SinCos2 0x25 "sincos" [dst 3] [] vs 20 21 ps 20 21 slots 8 8;
    /// Cosine to x and sine to y.
    SinCos 0x25 "sincos" [dst 1] [] vs 30 30 ps 30 30 slots 8 8;
    /// Begins a loop without a counter.
    Rep 0x26 "rep" [src 1] [] vs 20 30 ps 21 30 slots 3 3;
    /// Ends a `rep`.
    EndRep 0x27 "endrep" [none] [] vs 20 30 ps 21 30 slots 2 2;
    /// Begins a conditional block.
    If 0x28 "if" [src 1] [] vs 20 30 ps 21 30 slots 3 3;
    /// Begins a block that depends on a comparison.
    IfC 0x29 "if" [src 2] [compare] vs 21 30 ps 21 30 slots 3 3;
    /// Begins the alternative of a conditional block.
    Else 0x2a "else" [none] [] vs 20 30 ps 21 30 slots 1 1;
    /// Ends a conditional block.
    EndIf 0x2b "endif" [none] [] vs 20 30 ps 21 30 slots 1 1;
    /// Leaves the innermost loop.
    Break 0x2c "break" [none] [] vs 21 30 ps 21 30 slots 1 1;
    /// Leaves the innermost loop if a comparison is true.
    BreakC 0x2d "break" [src 2] [compare] vs 21 30 ps 21 30 slots 3 3;
    /// Converts to an integer address, rounding to nearest.
    MovA 0x2e "mova" [dst 1] [] vs 20 30 ps 0 0 slots 1 1;
    /// Defines a boolean constant.
    DefB 0x2f "defb" [bool] [] vs 20 30 ps 20 30 slots 0 0;
    /// Defines an integer constant.
    DefI 0x30 "defi" [int] [] vs 20 30 ps 20 30 slots 0 0;
    /// Reads texture coordinates as a color.
    TexCoord 0x40 "texcoord" [dst] [] vs 0 0 ps 11 13 slots 1 1;
    /// Reads texture coordinates.
    TexCrd 0x40 "texcrd" [dst 1] [] vs 0 0 ps 14 14 slots 1 1;
    /// Discards the pixel if a tested component is negative.
    TexKill 0x41 "texkill" [dst] [] vs 0 0 ps 11 30 slots 1 1;
    /// Samples the texture of the register's number at its coordinates.
    Tex 0x42 "tex" [dst] [] vs 0 0 ps 11 13 slots 1 1;
    /// Samples the texture of the destination's number.
    TexLd4 0x42 "texld" [dst 1] [] vs 0 0 ps 14 14 slots 1 1;
    /// Samples a texture.
    TexLd 0x42 "texld" [dst 2] [sampling] vs 0 0 ps 20 30 slots 1 1;
    /// Samples with coordinates perturbed by a matrix of the stage.
    TexBem 0x43 "texbem" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// The same as `texbem`, with luminance.
    TexBemL 0x44 "texbeml" [dst 1] [] vs 0 0 ps 11 13 slots 2 2;
    /// Samples at the components a and r of a register.
    TexReg2Ar 0x45 "texreg2ar" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// Samples at the components g and b of a register.
    TexReg2Gb 0x46 "texreg2gb" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// First row of a product with a 3x2 matrix.
    TexM3x2Pad 0x47 "texm3x2pad" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// Second row of a product with a 3x2 matrix; samples at the result.
    TexM3x2Tex 0x48 "texm3x2tex" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// First or second row of a product with a 3x3 matrix.
    TexM3x3Pad 0x49 "texm3x3pad" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// Third row of a product with a 3x3 matrix; samples at the result.
    TexM3x3Tex 0x4a "texm3x3tex" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// The same; samples at the reflection of a constant eye vector.
    TexM3x3Spec 0x4c "texm3x3spec" [dst 2] [] vs 0 0 ps 11 13 slots 1 1;
    /// The same; samples at the reflection of an interpolated eye vector.
    TexM3x3VSpec 0x4d "texm3x3vspec" [dst 1] [] vs 0 0 ps 11 13 slots 1 1;
    /// 2 raised to a power with partial precision; in vs_1_1, with parts of the operand.
    ExpP 0x4e "expp" [dst 1] [] vs 11 30 ps 0 0 slots 1 1;
    /// Logarithm to base 2 with partial precision; in vs_1_1, with parts of the result.
    LogP 0x4f "logp" [dst 1] [] vs 11 30 ps 0 0 slots 1 1;
    /// `b` where the condition is greater than 0.5, else `c`.
    Cnd 0x50 "cnd" [dst 3] [] vs 0 0 ps 11 14 slots 1 1;
    /// Defines a float constant.
    Def 0x51 "def" [float] [] vs 11 30 ps 11 30 slots 0 0;
    /// Samples at the components r, g and b of a register.
    TexReg2Rgb 0x52 "texreg2rgb" [dst 1] [] vs 0 0 ps 12 13 slots 1 1;
    /// Dot product of coordinates and a texture value; samples a 1D texture at it.
    TexDp3Tex 0x53 "texdp3tex" [dst 1] [] vs 0 0 ps 12 13 slots 1 1;
    /// Second row of a product with a 3x2 matrix; writes the depth.
    TexM3x2Depth 0x54 "texm3x2depth" [dst 1] [] vs 0 0 ps 13 13 slots 1 1;
    /// Dot product of coordinates and a texture value.
    TexDp3 0x55 "texdp3" [dst 1] [] vs 0 0 ps 12 13 slots 1 1;
    /// Third row of a product with a 3x3 matrix.
    TexM3x3 0x56 "texm3x3" [dst 1] [] vs 0 0 ps 12 13 slots 1 1;
    /// Writes the depth, the quotient of two components.
    TexDepth 0x57 "texdepth" [dst] [] vs 0 0 ps 14 14 slots 1 1;
    /// `b` where `a >= 0`, else `c`.
    Cmp 0x58 "cmp" [dst 3] [] vs 0 0 ps 12 30 slots 1 1;
    /// Adds coordinates perturbed by a matrix of the stage.
    Bem 0x59 "bem" [dst 2] [] vs 0 0 ps 14 14 slots 2 2;
    /// Dot product of two components, plus a number.
    Dp2Add 0x5a "dp2add" [dst 3] [] vs 0 0 ps 20 30 slots 2 2;
    /// Derivative in x.
    Dsx 0x5b "dsx" [dst 1] [] vs 0 0 ps 21 30 slots 2 2;
    /// Derivative in y.
    Dsy 0x5c "dsy" [dst 1] [] vs 0 0 ps 21 30 slots 2 2;
    /// Samples with explicit gradients.
    TexLdd 0x5d "texldd" [dst 4] [] vs 0 0 ps 21 30 slots 3 3;
    /// Compares by component to a predicate.
    SetP 0x5e "setp" [dst 2] [compare] vs 21 30 ps 21 30 slots 1 1;
    /// Samples with an explicit level of detail.
    TexLdl 0x5f "texldl" [dst 2] [] vs 30 30 ps 30 30 slots 2 2;
    /// Leaves the innermost loop if a predicate is true.
    BreakP 0x60 "breakp" [src 1] [] vs 21 30 ps 21 30 slots 3 3;
    /// Begins the second phase.
    Phase 0xfffd "phase" [none] [] vs 0 0 ps 14 14 slots 0 0;
}

/// Suffixes of comparisons by their control bits.
pub const COMPARISONS: &[&str] = &["", "gt", "eq", "ge", "lt", "ne", "le"];

/// Spellings of `texld` by its control bits.
pub const SAMPLINGS: &[&str] = &["texld", "texldp", "texldb"];

impl Op {
    /// The entry of the instruction.
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// The instruction of an opcode in a version, and true. If no form of it is in the version, the last form of
    /// the table, and false.
    pub fn find(opcode: u16, version: Version) -> Option<(Op, bool)> {
        static BY_OPCODE: std::sync::OnceLock<Vec<Vec<Op>>> = std::sync::OnceLock::new();
        let index = BY_OPCODE.get_or_init(|| {
            let mut index: Vec<Vec<Op>> = vec![Vec::new(); 0x61];
            for info in TABLE {
                if let Some(list) = index.get_mut(usize::from(info.opcode)) {
                    list.push(info.op);
                }
            }
            index
        });
        if opcode == Op::Phase.info().opcode {
            return Some((Op::Phase, Op::Phase.info().is_in(version)));
        }
        let forms = index.get(usize::from(opcode))?;
        let fitting = forms.iter().find(|op| op.info().is_in(version));
        match fitting {
            Some(&op) => Some((op, true)),
            None => forms.last().map(|&op| (op, false)),
        }
    }
}

impl OpInfo {
    /// Returns true if the version has the instruction.
    pub fn is_in(&self, version: Version) -> bool {
        let (first, last) = if version.is_vertex() { self.vertex } else { self.pixel };
        first <= version.number() && version.number() <= last
    }

    /// Instruction slots that it takes in a version, without a predicate.
    pub fn slots(&self, version: Version) -> u32 {
        u32::from(if version.is_vertex() { self.slots.0 } else { self.slots.1 })
    }

    /// Returns true if it counts as a texture instruction in pixel shaders of model 2.
    pub fn is_texture(&self) -> bool {
        matches!(self.opcode, 0x40..=0x4d | 0x52..=0x57 | 0x5d | 0x5f)
    }

    /// The number of parameter tokens without relative addresses and a predicate.
    pub fn params(&self) -> usize {
        match self.layout {
            Layout::None => 0,
            Layout::Dst(sources) => 1 + usize::from(sources),
            Layout::Sources(sources) => usize::from(sources),
            Layout::Declare | Layout::DefineBool => 2,
            Layout::DefineFloat | Layout::DefineInt => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_the_order_of_the_enum_and_forms_do_not_overlap() {
        for (at, info) in TABLE.iter().enumerate() {
            assert_eq!(info.op as usize, at);
            assert!(info.opcode < 0x61 || info.op == Op::Phase);
            assert!(info.vertex != (0, 0) || info.pixel != (0, 0), "{}", info.name);
        }
        for &(version, name) in Version::ALL {
            for one in TABLE.iter().filter(|info| info.is_in(version)) {
                let same = TABLE.iter().filter(|info| info.opcode == one.opcode && info.is_in(version));
                assert_eq!(same.count(), 1, "{} in {name}", one.name);
                assert_eq!(Op::find(one.opcode, version), Some((one.op, true)));
            }
        }
    }

    #[test]
    fn an_opcode_of_other_versions_is_found_but_marked() {
        let ps_2_0 = Version::from_name("ps_2_0").unwrap();
        assert_eq!(Op::find(0x0c, ps_2_0), Some((Op::Slt, false)));
        assert_eq!(Op::find(0x4b, ps_2_0), None);
        assert_eq!(Op::find(0x31, ps_2_0), None);
    }
}

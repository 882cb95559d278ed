//! Spellings of arithmetic: numbers, conversions, vectors.

use crate::expr::Prec;
use crate::language::Column::{self, Es300, Es310, Glsl, Hlsl, Msl, Wgsl};
use crate::spell::Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
use crate::spell::Form::{
    self, Call, CallInt, Compare, Construct, Dialect, Engine, Infix, Lower, NotCompare, Prefix, PrefixInt,
};
use vitrine_ir::ops::{ConvertOp, FloatOp, IntOp, VectorOp};

#[rustfmt::skip] // A table.
pub(super) fn float(op: FloatOp, to: Column) -> Form {
    use FloatOp as F;
    match op {
        F::FAdd => Infix("+", Prec::Sum),
        F::FSub => Infix("-", Prec::Sum),
        F::FMul => Infix("*", Prec::Product),
        F::FDiv => Infix("/", Prec::Product),
        F::FNeg => Prefix("-"),
        F::FAbs => Call("abs"),
        F::FRem => match to {
            Glsl | Es310 | Es300 => Dialect,
            Hlsl | Msl => Call("fmod"),
            Wgsl => Infix("%", Prec::Product),
        },
        F::FMod => match to { Glsl | Es310 | Es300 => Call("mod"), Hlsl | Wgsl | Msl => Dialect },
        F::FFma => match to { Glsl | Wgsl | Msl => Call("fma"), Es310 | Es300 => Engine, Hlsl => Dialect },
        F::FMad | F::FRcp | F::FCanonicalize | F::FEqu | F::FNeo => Engine,
        F::FNClamp => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Engine, Msl => Dialect },
        F::FModfFract | F::FModfWhole => match to { Glsl | Es310 | Es300 | Hlsl | Msl => Engine, Wgsl => Dialect },
        F::FMulZ | F::FFmaZ => Lower("lower-alu{zero-products}"),
        F::FMin => Call("min"),
        F::FMax => Call("max"),
        F::FNMin => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Engine, Msl => Call("fmin") },
        F::FNMax => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Engine, Msl => Call("fmax") },
        F::FClamp => Call("clamp"),
        F::FSat => match to { Glsl | Es310 | Es300 => Dialect, Hlsl | Wgsl | Msl => Call("saturate") },
        F::FSign => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("sign"), Hlsl => Dialect },
        F::FFloor => Call("floor"),
        F::FCeil => Call("ceil"),
        F::FTrunc => Call("trunc"),
        F::FRound => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("round"), Msl => Call("rint") },
        F::FRoundEven => match to {
            Glsl | Es310 | Es300 => Call("roundEven"),
            Hlsl | Wgsl => Call("round"),
            Msl => Call("rint"),
        },
        F::FRoundAway => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"),
            Msl => Call("round"),
        },
        F::FFract => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("fract"), Hlsl => Call("frac") },
        F::FSqrt => Call("sqrt"),
        F::FRsq => match to {
            Glsl | Es310 | Es300 => Call("inversesqrt"),
            Hlsl | Msl => Call("rsqrt"),
            Wgsl => Call("inverseSqrt"),
        },
        F::FExp => Call("exp"),
        F::FExp2 => Call("exp2"),
        F::FLog => Call("log"),
        F::FLog2 => Call("log2"),
        F::FPow => Call("pow"),
        F::FSin => Call("sin"),
        F::FCos => Call("cos"),
        F::FTan => Call("tan"),
        F::FAsin => Call("asin"),
        F::FAcos => Call("acos"),
        F::FAtan => Call("atan"),
        F::FAtan2 => match to { Glsl | Es310 | Es300 => Call("atan"), Hlsl | Wgsl | Msl => Call("atan2") },
        F::FSinh => Call("sinh"),
        F::FCosh => Call("cosh"),
        F::FTanh => Call("tanh"),
        F::FAsinh => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("asinh"), Hlsl => Dialect },
        F::FAcosh => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("acosh"), Hlsl => Dialect },
        F::FAtanh => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("atanh"), Hlsl => Dialect },
        F::FRadians => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("radians"), Msl => Dialect },
        F::FDegrees => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("degrees"), Msl => Dialect },
        F::FMix => match to { Glsl | Es310 | Es300 | Wgsl | Msl => Call("mix"), Hlsl => Dialect },
        F::FStep => Call("step"),
        F::FSmoothStep => Call("smoothstep"),
        F::FLdexp => match to {
            Glsl | Es310 | Wgsl | Msl => Call("ldexp"),
            Es300 => Lower("lower-alu{ldexp}"),
            Hlsl => Dialect,
        },
        F::FFrexpSig | F::FFrexpExp => Lower("lower-frexp"),
        F::FQuantize16 => match to {
            Glsl | Es310 | Es300 | Hlsl => Lower("lower-alu{quantize}"),
            Wgsl | Msl => Dialect,
        },
        F::FEq => Compare(Equal),
        // The operator `!=` is false for NaN in SPIR-V of the compiler of HLSL, and naga reads it so.
        F::FNeu => match to { Glsl | Es310 | Es300 | Msl => Compare(NotEqual), Hlsl | Wgsl => NotCompare(Equal) },
        F::FLt => Compare(Less),
        F::FGt => Compare(Greater),
        F::FLe => Compare(LessEqual),
        F::FGe => Compare(GreaterEqual),
        F::FLtu => NotCompare(GreaterEqual),
        F::FGtu => NotCompare(LessEqual),
        F::FLeu => NotCompare(Greater),
        F::FGeu => NotCompare(Less),
        F::FOrd | F::FUnord | F::FIsFinite | F::FIsNormal | F::FSignBit => Lower("alu-to-spirv"),
        F::FIsNan => match to { Glsl | Es310 | Es300 | Hlsl | Msl => Call("isnan"), Wgsl => Dialect },
        F::FIsInf => match to { Glsl | Es310 | Es300 | Hlsl | Msl => Call("isinf"), Wgsl => Dialect },
    }
}

#[rustfmt::skip] // A table.
pub(super) fn int(op: IntOp, to: Column) -> Form {
    use IntOp as I;
    match op {
        I::IAdd => Infix("+", Prec::Sum),
        I::ISub => Infix("-", Prec::Sum),
        I::IMul => Infix("*", Prec::Product),
        I::INeg => match to { Glsl | Es310 | Es300 | Hlsl => Prefix("-"), Wgsl | Msl => PrefixInt("-") },
        I::IAbs => Call("abs"),
        I::ISign => match to { Glsl | Es310 | Es300 | Wgsl => Call("sign"), Hlsl | Msl => Dialect },
        I::IDiv | I::UDiv => Infix("/", Prec::Product),
        I::IRem => match to { Glsl | Es310 | Es300 => Dialect, Hlsl | Wgsl | Msl => Infix("%", Prec::Product) },
        I::IMod => match to { Glsl | Es310 | Es300 => Dialect, Hlsl | Wgsl | Msl => Engine },
        I::Select | I::Select1 => Engine,
        I::UMod => Infix("%", Prec::Product),
        I::IMulHigh | I::UMulHigh => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("lower-alu{mul-high}"),
            Msl => Call("mulhi"),
        },
        I::UAddCarry | I::USubBorrow => Lower("lower-alu{carry}"),
        I::IAddSat | I::UAddSat => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"),
            Msl => Call("addsat"),
        },
        I::ISubSat | I::USubSat => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"),
            Msl => Call("subsat"),
        },
        I::IHadd | I::UHadd => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"),
            Msl => Call("hadd"),
        },
        I::IRhadd | I::URhadd => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"),
            Msl => Call("rhadd"),
        },
        I::IAbsDiff | I::UAbsDiff => Lower("alu-to-spirv"),
        I::IMin | I::UMin => Call("min"),
        I::IMax | I::UMax => Call("max"),
        I::IClamp | I::UClamp => Call("clamp"),
        I::IAnd => Infix("&", Prec::BitAnd),
        I::IOr => Infix("|", Prec::BitOr),
        I::IXor => Infix("^", Prec::BitXor),
        I::INot => Prefix("~"),
        I::IShl => Infix("<<", Prec::Shift),
        I::IShr | I::UShr => Infix(">>", Prec::Shift),
        I::Rotl => match to {
            Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("lower-alu{rotate}"),
            Msl => Call("rotate"),
        },
        I::Rotr => Lower("lower-alu{rotate}"),
        I::UBfe | I::IBfe => match to {
            Glsl | Es310 => Call("bitfieldExtract"),
            Es300 | Hlsl => Lower("lower-alu{fields}"),
            Wgsl => Call("extractBits"),
            Msl => Call("extract_bits"),
        },
        I::Bfi => match to {
            Glsl | Es310 => Call("bitfieldInsert"),
            Es300 | Hlsl => Lower("lower-alu{fields}"),
            Wgsl => Call("insertBits"),
            Msl => Call("insert_bits"),
        },
        I::BitSelect => Lower("lower-alu{fields}"),
        I::BitRev => match to {
            Glsl | Es310 => Call("bitfieldReverse"),
            Es300 => Lower("lower-alu{counts}"),
            Hlsl => Call("reversebits"),
            Wgsl => Call("reverseBits"),
            Msl => Call("reverse_bits"),
        },
        I::BitCount => match to {
            Glsl | Es310 => CallInt("bitCount"),
            Es300 => Lower("lower-alu{counts}"),
            Hlsl => Dialect,
            Wgsl => Call("countOneBits"),
            Msl => Call("popcount"),
        },
        I::FindLsb => match to {
            Glsl | Es310 => CallInt("findLSB"),
            Es300 | Msl => Lower("lower-alu{positions}"),
            Hlsl => Dialect,
            Wgsl => Call("firstTrailingBit"),
        },
        I::UFindMsb | I::IFindMsb => match to {
            Glsl | Es310 => CallInt("findMSB"),
            Es300 | Msl => Lower("lower-alu{positions}"),
            Hlsl => Dialect,
            Wgsl => Call("firstLeadingBit"),
        },
        I::Clz => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"), Msl => Call("clz") },
        I::Ctz => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Lower("alu-to-spirv"), Msl => Call("ctz") },
        I::IEq => Compare(Equal),
        I::INe => Compare(NotEqual),
        I::ILt | I::ULt => Compare(Less),
        I::IGt | I::UGt => Compare(Greater),
        I::ILe | I::ULe => Compare(LessEqual),
        I::IGe | I::UGe => Compare(GreaterEqual),
        I::SDot4x8 | I::UDot4x8 | I::SUDot4x8 | I::SDot4x8Sat | I::UDot4x8Sat | I::SUDot4x8Sat => {
            Lower("lower-alu{dot}")
        }
    }
}

#[rustfmt::skip] // A table.
pub(super) fn convert(op: ConvertOp) -> Form {
    use ConvertOp as C;
    match op {
        C::F2F | C::F2I | C::F2U | C::I2F | C::U2F | C::I2I | C::U2U | C::B2I | C::B2F | C::I2B | C::F2B => {
            Construct
        }
        C::F2FRtz | C::F2FRtp | C::F2FRtn | C::F2ISat | C::F2USat | C::I2ISat | C::U2USat | C::I2USat
        | C::U2ISat => Lower("alu-to-spirv"),
    }
}

#[rustfmt::skip] // A table.
pub(super) fn vector(op: VectorOp, to: Column) -> Form {
    use VectorOp as V;
    match op {
        V::Vec | V::Splat | V::Swizzle | V::Shuffle | V::Extract | V::Insert | V::AllEq | V::AnyNe => Engine,
        V::All => Call("all"),
        V::Any => Call("any"),
        V::FDot => Call("dot"),
        V::IDot => Lower("alu-to-scalar{products}"),
        V::FCross => Call("cross"),
        V::FLength => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("length"), Msl => Dialect },
        V::FDistance => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("distance"), Msl => Dialect },
        V::FNormalize => match to { Glsl | Es310 | Es300 | Hlsl | Wgsl => Call("normalize"), Msl => Dialect },
        V::FFaceForward => match to {
            Glsl | Es310 | Es300 | Hlsl | Msl => Call("faceforward"),
            Wgsl => Call("faceForward"),
        },
        V::FReflect => Call("reflect"),
        V::FRefract => Call("refract"),
        V::PackHalf2x16 => match to {
            Glsl | Es310 | Es300 => Call("packHalf2x16"),
            Hlsl | Msl => Dialect,
            Wgsl => Call("pack2x16float"),
        },
        V::UnpackHalf2x16 => match to {
            Glsl | Es310 | Es300 => Call("unpackHalf2x16"),
            Hlsl | Msl => Dialect,
            Wgsl => Call("unpack2x16float"),
        },
        V::PackUnorm2x16 => match to {
            Glsl | Es310 | Es300 => Call("packUnorm2x16"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("pack2x16unorm"),
            Msl => Call("pack_float_to_unorm2x16"),
        },
        V::UnpackUnorm2x16 => match to {
            Glsl | Es310 | Es300 => Call("unpackUnorm2x16"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("unpack2x16unorm"),
            Msl => Call("unpack_unorm2x16_to_float"),
        },
        V::PackSnorm2x16 => match to {
            Glsl | Es310 | Es300 => Call("packSnorm2x16"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("pack2x16snorm"),
            Msl => Call("pack_float_to_snorm2x16"),
        },
        V::UnpackSnorm2x16 => match to {
            Glsl | Es310 | Es300 => Call("unpackSnorm2x16"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("unpack2x16snorm"),
            Msl => Call("unpack_snorm2x16_to_float"),
        },
        V::PackUnorm4x8 => match to {
            Glsl | Es310 => Call("packUnorm4x8"),
            Es300 => Lower("lower-packing{fractions}"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("pack4x8unorm"),
            Msl => Call("pack_float_to_unorm4x8"),
        },
        V::UnpackUnorm4x8 => match to {
            Glsl | Es310 => Call("unpackUnorm4x8"),
            Es300 => Lower("lower-packing{fractions}"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("unpack4x8unorm"),
            Msl => Call("unpack_unorm4x8_to_float"),
        },
        V::PackSnorm4x8 => match to {
            Glsl | Es310 => Call("packSnorm4x8"),
            Es300 => Lower("lower-packing{fractions}"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("pack4x8snorm"),
            Msl => Call("pack_float_to_snorm4x8"),
        },
        V::UnpackSnorm4x8 => match to {
            Glsl | Es310 => Call("unpackSnorm4x8"),
            Es300 => Lower("lower-packing{fractions}"),
            Hlsl => Lower("lower-packing"),
            Wgsl => Call("unpack4x8snorm"),
            Msl => Call("unpack_snorm4x8_to_float"),
        },
        V::Pack64From32 | V::Unpack64To32 | V::Pack64From16 | V::Unpack64To16 | V::Pack32From8 | V::Unpack32To8
        | V::Repack => match to { Glsl | Es310 | Es300 | Msl => Dialect, Hlsl | Wgsl => Lower("lower-packing") },
        V::Pack32From16 | V::Unpack32To16 => match to {
            Glsl | Es310 | Es300 | Wgsl | Msl => Dialect,
            Hlsl => Lower("lower-packing"),
        },
    }
}

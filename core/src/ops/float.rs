//! Floating-point arithmetic, functions and comparisons on 16, 32 and 64 bits.
//!
//! Results are rounded once, to nearest even; every NaN that arithmetic makes is the quiet positive one.
//! Derivatives are not here: they look at other lanes (`group`).

use super::Scalar;
use super::table::{Cx, Meaning, ops};

ops! {
    /// Floating-point operations.
    FloatOp builder FloatBuild;

    /// Adds (OpFAdd).
    FAdd fadd(a: F, b: F) -> F [COMMUTATIVE NEARLY_ASSOCIATIVE] = a.fadd(b);
    /// Subtracts (OpFSub).
    FSub fsub(a: F, b: F) -> F = a.fsub(b);
    /// Multiplies (OpFMul).
    FMul fmul(a: F, b: F) -> F [COMMUTATIVE NEARLY_ASSOCIATIVE] = a.fmul(b);
    /// Divides (OpFDiv).
    FDiv fdiv(a: F, b: F) -> F = a.fdiv(b);
    /// Flips the sign, of NaN and zero too (OpFNegate).
    FNeg fneg(a: F) -> F = a.fneg();
    /// Clears the sign, of NaN too (GLSL.std.450 FAbs).
    FAbs fabs(a: F) -> F = a.fabs();
    /// Remainder with the sign of the dividend, exact (OpFRem).
    FRem frem(a: F, b: F) -> F = a.frem(b);
    /// Remainder with the sign of the divisor (OpFMod, GLSL `mod`).
    FMod fmod(a: F, b: F) -> F = a.fmod(b);
    /// `a * b + c` with one rounding (GLSL.std.450 Fma).
    FFma ffma(a: F, b: F, c: F) -> F [COMMUTATIVE] = a.ffma(b, c);
    /// `a * b + c` with two roundings, as D3D's `mad` and most GPUs' fast path.
    FMad fmad(a: F, b: F, c: F) -> F [COMMUTATIVE] = a.fmul(b).fadd(c);

    /// The smaller operand; a NaN loses, and -0 is below 0 (FMin).
    FMin fmin(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fmin(b);
    /// The larger operand; a NaN loses, and 0 is above -0 (FMax).
    FMax fmax(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fmax(b);
    /// The smaller operand, and the number where the other is NaN, as GLSL.std.450 demands of NMin.
    FNMin fnmin(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fnmin(b);
    /// The larger operand, and the number where the other is NaN, as GLSL.std.450 demands of NMax.
    FNMax fnmax(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fnmax(b);
    /// `fmin(fmax(x, low), high)` (FClamp).
    FClamp fclamp(x: F, low: F, high: F) -> F = x.fclamp(low, high);
    /// `fnmin(fnmax(x, low), high)` (NClamp).
    FNClamp fnclamp(x: F, low: F, high: F) -> F = x.nclamp(low, high);
    /// Clamps to 0 and 1; NaN gives 0 (the `_sat` of D3D).
    FSat fsat(a: F) -> F [] = a.fsat();
    /// -1, 0 or 1 by the sign; NaN gives 0 (FSign).
    FSign fsign(a: F) -> F = a.fsign();

    /// Down to a whole number (Floor).
    FFloor ffloor(a: F) -> F = a.ffloor();
    /// Up to a whole number (Ceil).
    FCeil fceil(a: F) -> F = a.fceil();
    /// Towards zero to a whole number (Trunc).
    FTrunc ftrunc(a: F) -> F = a.ftrunc();
    /// To the nearest whole number, halves away from zero (Round, where the choice is ours).
    FRound fround(a: F) -> F = a.fround();
    /// To the nearest whole number, halves to even (RoundEven).
    FRoundEven fround_even(a: F) -> F = a.fround_even();
    /// `a - floor(a)` (Fract).
    FFract ffract(a: F) -> F = a.ffract();

    /// Square root, correctly rounded (Sqrt).
    FSqrt fsqrt(a: F) -> F = a.fsqrt();
    /// One over the square root (InverseSqrt).
    FRsq frsq(a: F) -> F = a.frsq();
    /// One over the operand.
    FRcp frcp(a: F) -> F = a.frcp();
    /// e to the power of the operand (Exp).
    FExp fexp(a: F) -> F = a.fexp();
    /// 2 to the power of the operand (Exp2).
    FExp2 fexp2(a: F) -> F = a.fexp2();
    /// Natural logarithm (Log).
    FLog flog(a: F) -> F = a.flog();
    /// Logarithm to base 2 (Log2).
    FLog2 flog2(a: F) -> F = a.flog2();
    /// `a` to the power of `b` (Pow).
    FPow fpow(a: F, b: F) -> F = a.fpow(b);
    /// Sine of an angle in radians (Sin).
    FSin fsin(a: F) -> F = a.fsin();
    /// Cosine of an angle in radians (Cos).
    FCos fcos(a: F) -> F = a.fcos();
    /// Tangent of an angle in radians (Tan).
    FTan ftan(a: F) -> F = a.ftan();
    /// Arc sine in radians (Asin).
    FAsin fasin(a: F) -> F = a.fasin();
    /// Arc cosine in radians (Acos).
    FAcos facos(a: F) -> F = a.facos();
    /// Arc tangent in radians (Atan).
    FAtan fatan(a: F) -> F = a.fatan();
    /// Angle of the point `(x, y)` in radians (Atan2).
    FAtan2 fatan2(y: F, x: F) -> F = y.fatan2(x);
    /// Hyperbolic sine (Sinh).
    FSinh fsinh(a: F) -> F = a.fsinh();
    /// Hyperbolic cosine (Cosh).
    FCosh fcosh(a: F) -> F = a.fcosh();
    /// Hyperbolic tangent (Tanh).
    FTanh ftanh(a: F) -> F = a.ftanh();
    /// Inverse hyperbolic sine (Asinh).
    FAsinh fasinh(a: F) -> F = a.fasinh();
    /// Inverse hyperbolic cosine (Acosh).
    FAcosh facosh(a: F) -> F = a.facosh();
    /// Inverse hyperbolic tangent (Atanh).
    FAtanh fatanh(a: F) -> F = a.fatanh();
    /// Degrees to radians (Radians).
    FRadians fradians(a: F) -> F = a.fradians();
    /// Radians to degrees (Degrees).
    FDegrees fdegrees(a: F) -> F = a.fdegrees();

    /// `x * (1 - a) + y * a` (FMix).
    FMix fmix(x: F, y: F, a: F) -> F = x.fmix(y, a);
    /// 0 where `x < edge`, else 1 (Step).
    FStep fstep(edge: F, x: F) -> F = edge.fstep(x);
    /// Hermite step between two edges (SmoothStep).
    FSmoothStep fsmoothstep(low: F, high: F, x: F) -> F = low.fsmoothstep(high, x);
    /// `a * 2^exponent` with one rounding (Ldexp).
    FLdexp fldexp(a: F, exponent: CNT) -> F = a.fldexp(exponent);
    /// Significand in [0.5, 1) with the sign of the operand (the first half of Frexp).
    FFrexpSig ffrexp_sig(a: F) -> F = a.frexp_sig();
    /// Exponent that goes with `ffrexp_sig`, as a 32-bit integer (the second half of Frexp).
    FFrexpExp ffrexp_exp(a: F) -> I32 => |cx| a.frexp_exp(cx.to);
    /// Fraction with the sign of the operand (the first half of Modf).
    FModfFract fmodf_fract(a: F) -> F = a.fmodf_fract();
    /// Whole part with the sign of the operand (the second half of Modf).
    FModfWhole fmodf_whole(a: F) -> F = a.fmodf_whole();
    /// Rounds to what 16 bits can hold, in the width of the operand (OpQuantizeToF16).
    FQuantize16 fquantize16(a: F) -> F = a.fquantize16();
    /// The same number; any NaN becomes the quiet positive one.
    FCanonicalize fcanonicalize(a: F) -> F = a.fcanonicalize();

    /// Equal; false if either is NaN (OpFOrdEqual).
    FEq feq(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.feq(b);
    /// Not equal; true if either is NaN (OpFUnordNotEqual).
    FNeu fneu(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fneu(b);
    /// Less; false if either is NaN (OpFOrdLessThan).
    FLt flt(a: F, b: F) -> B [COMPARISON] = a.flt(b);
    /// Greater; false if either is NaN (OpFOrdGreaterThan).
    FGt fgt(a: F, b: F) -> B [COMPARISON] = a.fgt(b);
    /// Less or equal; false if either is NaN (OpFOrdLessThanEqual).
    FLe fle(a: F, b: F) -> B [COMPARISON] = a.fle(b);
    /// Greater or equal; false if either is NaN (OpFOrdGreaterThanEqual).
    FGe fge(a: F, b: F) -> B [COMPARISON] = a.fge(b);
    /// Equal, or either is NaN (OpFUnordEqual).
    FEqu fequ(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fequ(b);
    /// Neither is NaN and they differ (OpFOrdNotEqual).
    FNeo fneo(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fneo(b);
    /// Less, or either is NaN (OpFUnordLessThan).
    FLtu fltu(a: F, b: F) -> B [COMPARISON] = a.fltu(b);
    /// Greater, or either is NaN (OpFUnordGreaterThan).
    FGtu fgtu(a: F, b: F) -> B [COMPARISON] = a.fgtu(b);
    /// Less or equal, or either is NaN (OpFUnordLessThanEqual).
    FLeu fleu(a: F, b: F) -> B [COMPARISON] = a.fleu(b);
    /// Greater or equal, or either is NaN (OpFUnordGreaterThanEqual).
    FGeu fgeu(a: F, b: F) -> B [COMPARISON] = a.fgeu(b);
    /// Neither is NaN (OpOrdered).
    FOrd ford(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.ford(b);
    /// Either is NaN (OpUnordered).
    FUnord funord(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.funord(b);
    /// Is NaN (OpIsNan).
    FIsNan fisnan(a: F) -> B [COMPARISON] = a.fisnan();
    /// Is infinite (OpIsInf).
    FIsInf fisinf(a: F) -> B [COMPARISON] = a.fisinf();
    /// Is a number and not infinite (OpIsFinite).
    FIsFinite fisfinite(a: F) -> B [COMPARISON] = a.fisfinite();
    /// Is neither zero, subnormal, infinite nor NaN (OpIsNormal).
    FIsNormal fisnormal(a: F) -> B [COMPARISON] = a.fisnormal();
    /// Has its sign bit set (OpSignBitSet).
    FSignBit fsignbit(a: F) -> B [COMPARISON] = a.fsignbit();
}

/// What an operation means under the execution mode that rounds towards zero, where that is another number. Only
/// what is correctly rounded is touched by the mode.
pub fn toward_zero(op: FloatOp) -> Option<Meaning> {
    let meaning: fn(&[Scalar], Cx) -> Scalar = match op {
        FloatOp::FAdd => |args, _| two(args, Scalar::fadd_rtz),
        FloatOp::FSub => |args, _| two(args, Scalar::fsub_rtz),
        FloatOp::FMul => |args, _| two(args, Scalar::fmul_rtz),
        FloatOp::FDiv => |args, _| two(args, Scalar::fdiv_rtz),
        FloatOp::FSqrt => |args, _| args.first().map_or_else(Default::default, |a| a.fsqrt_rtz()),
        FloatOp::FFma => |args, _| match *args {
            [a, b, c] => a.ffma_rtz(b, c),
            _ => Scalar::default(),
        },
        FloatOp::FMad => |args, _| match *args {
            [a, b, c] => a.fmul_rtz(b).fadd_rtz(c),
            _ => Scalar::default(),
        },
        _ => return None,
    };
    Some(Meaning::Lanes(meaning))
}

fn two(args: &[Scalar], f: fn(Scalar, Scalar) -> Scalar) -> Scalar {
    match *args {
        [a, b] => f(a, b),
        _ => Scalar::default(),
    }
}

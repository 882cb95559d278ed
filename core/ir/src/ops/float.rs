//! Floating-point arithmetic, functions and comparisons on 16, 32 and 64 bits.
//!
//! Results are rounded once, to nearest even; every NaN that arithmetic produces is the positive quiet NaN.
//! Derivatives are in `group`, because they depend on other invocations.

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
    /// Flips the sign bit, also of NaN and zero (OpFNegate).
    FNeg fneg(a: F) -> F = a.fneg();
    /// Clears the sign bit, also of NaN (GLSL.std.450 FAbs).
    FAbs fabs(a: F) -> F = a.fabs();
    /// Remainder with the sign of the dividend; exact (OpFRem).
    FRem frem(a: F, b: F) -> F = a.frem(b);
    /// Remainder with the sign of the divisor: `a - b * floor(a / b)`, each step rounded (OpFMod, GLSL `mod`).
    FMod fmod(a: F, b: F) -> F = a.fmod(b);
    /// `a * b + c` with one rounding (GLSL.std.450 Fma).
    FFma ffma(a: F, b: F, c: F) -> F [COMMUTATIVE] = a.ffma(b, c);
    /// `a * b + c` with two roundings, like D3D's `mad` and the fast path of most GPUs.
    FMad fmad(a: F, b: F, c: F) -> F [COMMUTATIVE] = a.fmul(b).fadd(c);
    /// Multiplies; the product with a zero is 0.0, also with infinity and NaN (`mul` of Direct3D 9 hardware).
    FMulZ fmulz(a: F, b: F) -> F [COMMUTATIVE] = a.fmulz(b);
    /// `a * b + c` with one rounding; the product with a zero is 0.0, also with infinity and NaN.
    FFmaZ ffmaz(a: F, b: F, c: F) -> F [COMMUTATIVE] = a.ffmaz(b, c);

    /// Minimum. If one operand is NaN, the result is the other; -0 is less than +0 (FMin).
    FMin fmin(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fmin(b);
    /// Maximum. If one operand is NaN, the result is the other; +0 is greater than -0 (FMax).
    FMax fmax(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fmax(b);
    /// Minimum. If one operand is NaN, the result is the other, as GLSL.std.450 NMin requires.
    FNMin fnmin(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fnmin(b);
    /// Maximum. If one operand is NaN, the result is the other, as GLSL.std.450 NMax requires.
    FNMax fnmax(a: F, b: F) -> F [COMMUTATIVE ASSOCIATIVE] = a.fnmax(b);
    /// `fmin(fmax(x, low), high)` (FClamp).
    FClamp fclamp(x: F, low: F, high: F) -> F = x.fclamp(low, high);
    /// `fnmin(fnmax(x, low), high)` (NClamp).
    FNClamp fnclamp(x: F, low: F, high: F) -> F = x.nclamp(low, high);
    /// Clamps to the range from 0 to 1; NaN gives 0 (the `_sat` modifier of D3D).
    FSat fsat(a: F) -> F [] = a.fsat();
    /// -1, 0 or 1 according to the sign; NaN gives 0 (FSign).
    FSign fsign(a: F) -> F = a.fsign();

    /// Rounds down to an integer (Floor).
    FFloor ffloor(a: F) -> F = a.ffloor();
    /// Rounds up to an integer (Ceil).
    FCeil fceil(a: F) -> F = a.fceil();
    /// Rounds toward zero to an integer (Trunc).
    FTrunc ftrunc(a: F) -> F = a.ftrunc();
    /// Rounds to the nearest integer, halves to even (Round, which leaves the direction of halves
    /// open).
    FRound fround(a: F) -> F = a.fround();
    /// Rounds to the nearest integer, halves to even (RoundEven).
    FRoundEven fround_even(a: F) -> F = a.fround_even();
    /// Rounds to the nearest integer, halves away from zero (OpenCL `round`).
    FRoundAway fround_away(a: F) -> F = a.fround_away();
    /// `a - floor(a)` (Fract).
    FFract ffract(a: F) -> F = a.ffract();

    /// Square root, correctly rounded (Sqrt).
    FSqrt fsqrt(a: F) -> F = a.fsqrt();
    /// Reciprocal square root (InverseSqrt).
    FRsq frsq(a: F) -> F = a.frsq();
    /// Reciprocal.
    FRcp frcp(a: F) -> F = a.frcp();
    /// e raised to the power `a` (Exp).
    FExp fexp(a: F) -> F = a.fexp();
    /// 2 raised to the power `a` (Exp2).
    FExp2 fexp2(a: F) -> F = a.fexp2();
    /// Natural logarithm (Log).
    FLog flog(a: F) -> F = a.flog();
    /// Logarithm to base 2 (Log2).
    FLog2 flog2(a: F) -> F = a.flog2();
    /// `a` raised to the power `b` (Pow).
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
    /// Arc tangent of `y / x` in radians, in the quadrant of the point `(x, y)` (Atan2).
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
    /// Converts degrees to radians (Radians).
    FRadians fradians(a: F) -> F = a.fradians();
    /// Converts radians to degrees (Degrees).
    FDegrees fdegrees(a: F) -> F = a.fdegrees();

    /// Linear interpolation: `x * (1 - a) + y * a` (FMix).
    FMix fmix(x: F, y: F, a: F) -> F = x.fmix(y, a);
    /// 0 if `x < edge`, else 1 (Step).
    FStep fstep(edge: F, x: F) -> F = edge.fstep(x);
    /// Hermite interpolation between two edges (SmoothStep).
    FSmoothStep fsmoothstep(low: F, high: F, x: F) -> F = low.fsmoothstep(high, x);
    /// `a * 2^exponent` with one rounding (Ldexp).
    FLdexp fldexp(a: F, exponent: SCNT) -> F = a.fldexp(exponent);
    /// Significand in [0.5, 1) with the sign of the operand (first result of Frexp).
    FFrexpSig ffrexp_sig(a: F) -> F = a.frexp_sig();
    /// Exponent that belongs to `ffrexp_sig`, as a 32-bit integer (second result of Frexp).
    FFrexpExp ffrexp_exp(a: F) -> S32 => |cx| a.frexp_exp(cx.to);
    /// Fractional part with the sign of the operand (first result of Modf).
    FModfFract fmodf_fract(a: F) -> F = a.fmodf_fract();
    /// Integer part with the sign of the operand (second result of Modf).
    FModfWhole fmodf_whole(a: F) -> F = a.fmodf_whole();
    /// Rounds to a value that 16 bits can represent, keeping the width of the operand (OpQuantizeToF16).
    FQuantize16 fquantize16(a: F) -> F = a.fquantize16();
    /// Returns the operand, with any NaN replaced by the positive quiet NaN.
    FCanonicalize fcanonicalize(a: F) -> F = a.fcanonicalize();

    /// Equal; false if either operand is NaN (OpFOrdEqual).
    FEq feq(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.feq(b);
    /// Not equal; true if either operand is NaN (OpFUnordNotEqual).
    FNeu fneu(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fneu(b);
    /// Less than; false if either operand is NaN (OpFOrdLessThan).
    FLt flt(a: F, b: F) -> B [COMPARISON] = a.flt(b);
    /// Greater than; false if either operand is NaN (OpFOrdGreaterThan).
    FGt fgt(a: F, b: F) -> B [COMPARISON] = a.fgt(b);
    /// Less than or equal; false if either operand is NaN (OpFOrdLessThanEqual).
    FLe fle(a: F, b: F) -> B [COMPARISON] = a.fle(b);
    /// Greater than or equal; false if either operand is NaN (OpFOrdGreaterThanEqual).
    FGe fge(a: F, b: F) -> B [COMPARISON] = a.fge(b);
    /// Equal; true if either operand is NaN (OpFUnordEqual).
    FEqu fequ(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fequ(b);
    /// Not equal; false if either operand is NaN (OpFOrdNotEqual).
    FNeo fneo(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.fneo(b);
    /// Less than; true if either operand is NaN (OpFUnordLessThan).
    FLtu fltu(a: F, b: F) -> B [COMPARISON] = a.fltu(b);
    /// Greater than; true if either operand is NaN (OpFUnordGreaterThan).
    FGtu fgtu(a: F, b: F) -> B [COMPARISON] = a.fgtu(b);
    /// Less than or equal; true if either operand is NaN (OpFUnordLessThanEqual).
    FLeu fleu(a: F, b: F) -> B [COMPARISON] = a.fleu(b);
    /// Greater than or equal; true if either operand is NaN (OpFUnordGreaterThanEqual).
    FGeu fgeu(a: F, b: F) -> B [COMPARISON] = a.fgeu(b);
    /// True if neither operand is NaN (OpOrdered).
    FOrd ford(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.ford(b);
    /// True if either operand is NaN (OpUnordered).
    FUnord funord(a: F, b: F) -> B [COMMUTATIVE COMPARISON] = a.funord(b);
    /// True if the operand is NaN (OpIsNan).
    FIsNan fisnan(a: F) -> B [COMPARISON] = a.fisnan();
    /// True if the operand is infinite (OpIsInf).
    FIsInf fisinf(a: F) -> B [COMPARISON] = a.fisinf();
    /// True if the operand is neither infinite nor NaN (OpIsFinite).
    FIsFinite fisfinite(a: F) -> B [COMPARISON] = a.fisfinite();
    /// True if the operand is neither zero, subnormal, infinite nor NaN (OpIsNormal).
    FIsNormal fisnormal(a: F) -> B [COMPARISON] = a.fisnormal();
    /// True if the sign bit of the operand is set (OpSignBitSet).
    FSignBit fsignbit(a: F) -> B [COMPARISON] = a.fsignbit();
}

/// Returns the meaning of an operation under the execution mode `RoundingModeRTZ`, if it differs from the
/// default. The mode affects only correctly rounded operations.
pub fn toward_zero(op: FloatOp) -> Option<Meaning> {
    let meaning: fn(&[Scalar], Cx) -> Scalar = match op {
        FloatOp::FAdd => |args, _| two(args, Scalar::fadd_rtz),
        FloatOp::FSub => |args, _| two(args, Scalar::fsub_rtz),
        FloatOp::FMul => |args, _| two(args, Scalar::fmul_rtz),
        FloatOp::FMulZ => |args, _| match args {
            [a, b] if a.is_float_zero() || b.is_float_zero() => Scalar::zero(a.width()),
            _ => two(args, Scalar::fmul_rtz),
        },
        FloatOp::FFmaZ => |args, _| match *args {
            [a, b, c] if a.is_float_zero() || b.is_float_zero() => Scalar::zero(a.width()).fadd_rtz(c),
            [a, b, c] => a.ffma_rtz(b, c),
            _ => Scalar::default(),
        },
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
    Some(Meaning::Componentwise(meaning))
}

fn two(args: &[Scalar], f: fn(Scalar, Scalar) -> Scalar) -> Scalar {
    match *args {
        [a, b] => f(a, b),
        _ => Scalar::default(),
    }
}

//! Rules of float arithmetic. A rule without a mark preserves every bit, including signed zeros and NaN.

use super::rules;

rules! {
    /// Adding -0.0 changes nothing, not even -0.0.
    fadd_minus_zero [any_nan]: (fadd x -0.0) => x;
    /// Adding 0.0 changes only -0.0.
    fadd_zero [nsz any_nan]: (fadd x 0.0) => x;
    /// Subtracting 0.0 changes nothing, not even -0.0.
    fsub_zero [any_nan]: (fsub x 0.0) => x;
    /// Subtracting -0.0 changes only -0.0.
    fsub_minus_zero [nsz any_nan]: (fsub x -0.0) => x;
    /// A value minus itself is zero, except for infinities and NaN.
    fsub_same [nnan ninf]: (fsub x x) => 0.0;
    /// -0.0 minus a value is its negation.
    minus_zero_fsub [any_nan]: (fsub -0.0 x) => (fneg x);
    /// 0.0 minus a value is its negation, except for the sign of zero.
    zero_fsub [nsz any_nan]: (fsub 0.0 x) => (fneg x);
    /// Adding a negated value is subtracting the value.
    fadd_fneg: (fadd x (fneg y)) => (fsub x y);
    /// Subtracting a negated value is adding the value.
    fsub_fneg: (fsub x (fneg y)) => (fadd x y);
    /// Negating a difference swaps its operands, except for the sign of zero.
    fneg_fsub [nsz any_nan]: (fneg (fsub x y)) => (fsub y x);
    /// Combines two additions of constants, which rounds differently.
    fadd_fadd_const [reassoc]: (fadd (fadd x #c) #d) => (fadd x (fadd c d));

    /// Multiplying by one changes nothing.
    fmul_one [any_nan]: (fmul x 1.0) => x;
    /// Multiplying by minus one negates.
    fmul_minus_one [any_nan]: (fmul x -1.0) => (fneg x);
    /// A product with zero is zero, except for infinities, NaN and the sign of zero.
    fmul_zero [nnan ninf nsz]: (fmul x 0.0) => 0.0;
    /// The negations of two factors cancel.
    fmul_fneg_fneg: (fmul (fneg x) (fneg y)) => (fmul x y);
    /// Moves the negation of a factor into the constant.
    fmul_fneg_const: (fmul (fneg x) #c) => (fmul x (fneg c));
    /// Squaring ignores the sign, so the absolute values are redundant.
    fmul_fabs_same: (fmul (fabs x) (fabs x)) => (fmul x x);
    /// Combines two multiplications by constants, which rounds differently.
    fmul_fmul_const [reassoc]: (fmul (fmul x #c) #d) => (fmul x (fmul c d));

    /// Dividing by one changes nothing.
    fdiv_one [any_nan]: (fdiv x 1.0) => x;
    /// Dividing by minus one negates.
    fdiv_minus_one [any_nan]: (fdiv x -1.0) => (fneg x);
    /// A value divided by itself is one, except for zero, infinities and NaN.
    fdiv_same [nnan ninf]: (fdiv x x) => 1.0;
    /// A division by a power of two is exactly a multiplication by its reciprocal.
    fdiv_pow2: (fdiv x #c) => (fmul x (frcp c)) if exact_rcp(c);
    /// A division by a constant is approximately a multiplication by its reciprocal.
    fdiv_const [arcp]: (fdiv x #c) => (fmul x (frcp c)) if not_zero(c);
    /// One divided by a value is its reciprocal.
    one_fdiv: (fdiv 1.0 x) => (frcp x);
    /// The negations of both operands cancel.
    fdiv_fneg_fneg: (fdiv (fneg x) (fneg y)) => (fdiv x y);
    /// The reciprocal of a reciprocal is the value, up to rounding.
    frcp_frcp [fast]: (frcp (frcp x)) => x;
    /// The reciprocal of a square root is one operation.
    frcp_fsqrt [fast]: (frcp (fsqrt x)) => (frsq x);
    /// The reciprocal of an inverse square root is the square root.
    frcp_frsq [fast]: (frcp (frsq x)) => (fsqrt x);

    /// A double negation cancels.
    fneg_fneg: (fneg (fneg x)) => x;
    /// The absolute value ignores the sign.
    fabs_fneg: (fabs (fneg x)) => (fabs x);
    /// An absolute value is its own absolute value.
    fabs_fabs: (fabs (fabs x)) => (fabs x);

    /// The minimum of a value and itself is the value.
    fmin_same [any_nan]: (fmin x x) => x;
    /// The maximum of a value and itself is the value.
    fmax_same [any_nan]: (fmax x x) => x;
    /// The minimum of a value and itself is the value.
    fnmin_same [any_nan]: (fnmin x x) => x;
    /// The maximum of a value and itself is the value.
    fnmax_same [any_nan]: (fnmax x x) => x;
    /// Combines two constant bounds.
    fmin_fmin_const: (fmin (fmin x #c) #d) => (fmin x (fmin c d));
    /// Combines two constant bounds.
    fmax_fmax_const: (fmax (fmax x #c) #d) => (fmax x (fmax c d));
    /// Clamping to at least 0 and at most 1 is saturation; both give 0 for NaN.
    fmin_fmax_sat: (fmin (fmax x 0.0) 1.0) => (fsat x);
    /// Clamping between 0 and 1 is saturation.
    fclamp_sat: (fclamp x 0.0 1.0) => (fsat x);
    /// A saturated value is already between 0 and 1.
    fsat_fsat: (fsat (fsat x)) => (fsat x);

    /// Rounding an integral value changes nothing.
    ffloor_ffloor: (ffloor (ffloor x)) => (ffloor x);
    /// Rounding an integral value changes nothing.
    fceil_fceil: (fceil (fceil x)) => (fceil x);
    /// Rounding an integral value changes nothing.
    ftrunc_ftrunc: (ftrunc (ftrunc x)) => (ftrunc x);
    /// Rounding an integral value changes nothing.
    fround_even_same: (fround_even (fround_even x)) => (fround_even x);

    /// A fused multiply-add with a factor of one is an addition.
    ffma_one: (ffma x 1.0 y) => (fadd x y);
    /// A fused multiply-add of -0.0 is a multiplication.
    ffma_minus_zero: (ffma x y -0.0) => (fmul x y);
    /// A fused multiply-add of 0.0 is a multiplication, except for a product of -0.0.
    ffma_zero [nsz]: (ffma x y 0.0) => (fmul x y);
    /// A product with zero is 0.0, for every other factor.
    fmulz_zero: (fmulz x 0.0) => 0.0;
    /// A product with zero is 0.0, for every other factor.
    fmulz_minus_zero: (fmulz x -0.0) => 0.0;
    /// Of a value and itself, none is zero if the other is infinite.
    fmulz_same: (fmulz x x) => (fmul x x);
    /// If a factor is neither zero nor infinite, only -0.0 needs care, and adding 0.0 removes it.
    fmulz_const: (fmulz x #c) => (ffma x c 0.0) if finite_not_zero(c);
    /// A product of zero adds 0.0.
    ffmaz_zero: (ffmaz x 0.0 y) => (fadd y 0.0);
    /// Of a value and itself, none is zero if the other is infinite.
    ffmaz_same: (ffmaz x x y) => (ffma x x y);
    /// If a factor is neither zero nor infinite, only a sum of two -0.0 could differ.
    ffmaz_const: (ffmaz x #c y) => (ffma x c y) if finite_not_zero(c), not_minus_zero(y);
    /// The negations of two factors cancel.
    ffma_fneg_fneg: (ffma (fneg x) (fneg y) z) => (ffma x y z);

    /// A value to the power of one is the value.
    fpow_one [any_nan]: (fpow x 1.0) => x;
    /// Mixing by 0.0 gives the first value.
    fmix_zero [nnan ninf nsz]: (fmix x y 0.0) => x;
    /// Mixing by 1.0 gives the second value.
    fmix_one [nnan ninf nsz]: (fmix x y 1.0) => y;
    /// 2 to the power of the base-2 logarithm is the value, up to rounding.
    fexp2_flog2 [fast]: (fexp2 (flog2 x)) => x;
    /// The base-2 logarithm of a power of 2 is the exponent, up to rounding.
    flog2_fexp2 [fast]: (flog2 (fexp2 x)) => x;

    /// `-x - y` is `-(x + y)`, except for the sign of zero.
    fneg_fsub_other [nsz any_nan]: (fsub (fneg x) y) => (fneg (fadd x y));
    /// Moves the negation into the constant.
    fneg_fmul_const [any_nan]: (fneg (fmul x #c)) => (fmul x (fneg c));
    /// Moves the negation into the constant.
    fneg_fdiv_const [any_nan]: (fneg (fdiv x #c)) => (fdiv x (fneg c));
    /// Moves the negation into the constant.
    fdiv_fneg_const [any_nan]: (fdiv (fneg x) #c) => (fdiv x (fneg c));
    /// Moves the negation into the constant, except for the sign of a zero sum.
    fneg_fadd_const [nsz any_nan]: (fneg (fadd x #c)) => (fsub (fneg c) x);
    /// An addition and a subtraction of the same value cancel, which rounds differently.
    fsub_fadd_same [fast]: (fsub (fadd x y) y) => x;
    /// A subtraction and an addition of the same value cancel, which rounds differently.
    fadd_fsub_same [fast]: (fadd (fsub x y) y) => x;
    /// Factors out a common factor, which rounds differently.
    fadd_fmul_fmul [fast]: (fadd (once fmul x y) (once fmul x z)) => (fmul x (fadd y z));
    /// Factors out a common factor, which rounds differently.
    fsub_fmul_fmul [fast]: (fsub (once fmul x y) (once fmul x z)) => (fmul x (fsub y z));
    /// A multiplication and a division by the same value cancel, up to rounding.
    fdiv_fmul_same [fast]: (fdiv (fmul x y) y) => x;
    /// A division and a multiplication by the same value cancel, up to rounding.
    fmul_fdiv_same [fast]: (fmul (fdiv x y) y) => x;
    /// A value times its reciprocal is one, up to rounding.
    fmul_frcp_same [fast]: (fmul x (frcp x)) => 1.0;
    /// Dividing by a reciprocal is multiplying by the value, up to rounding.
    fdiv_frcp [fast]: (fdiv x (frcp y)) => (fmul x y);
    /// Dividing by a square root is multiplying by the inverse square root.
    fdiv_fsqrt [fast]: (fdiv x (fsqrt y)) => (fmul x (frsq y));
    /// The square of a square root is the value, up to rounding.
    fmul_fsqrt_fsqrt [fast]: (fmul (fsqrt x) (fsqrt x)) => x;
    /// The square root of a square is the absolute value.
    fsqrt_fmul_same [fast]: (fsqrt (fmul x x)) => (fabs x);
    /// A square is never negative, so its absolute value is redundant.
    fabs_fmul_same [any_nan]: (fabs (fmul x x)) => (fmul x x);
    /// A power of 2 is never negative, so its absolute value is redundant.
    fabs_fexp2 [any_nan]: (fabs (fexp2 x)) => (fexp2 x);
    /// A value to the power of one half is its square root.
    fpow_half [fast]: (fpow x 0.5) => (fsqrt x);
    /// A value to the power of minus one half is its inverse square root.
    fpow_minus_half [fast]: (fpow x -0.5) => (frsq x);
    /// A value to the power of minus one is its reciprocal.
    fpow_minus_one [fast]: (fpow x -1.0) => (frcp x);
    /// Moves the negation into the constant.
    ffma_fneg_const: (ffma (fneg x) #c z) => (ffma x (fneg c) z);
    /// A fused multiply-add with a factor of minus one is a subtraction.
    ffma_minus_one [any_nan]: (ffma x -1.0 y) => (fsub y x);
    /// A fused multiply-add with a factor of zero is its addend, except for infinities and NaN.
    ffma_zero_factor [nnan ninf nsz]: (ffma x 0.0 y) => y;
    /// Saturation already bounds the value below by 0.
    fsat_fmax_zero: (fsat (fmax x 0.0)) => (fsat x);
    /// The sign of a sign is the sign.
    fsign_fsign: (fsign (fsign x)) => (fsign x);
    /// Rounding an integral value changes nothing.
    ffloor_fceil: (ffloor (fceil x)) => (fceil x);
    /// Rounding an integral value changes nothing.
    ffloor_ftrunc: (ffloor (ftrunc x)) => (ftrunc x);
    /// Rounding an integral value changes nothing.
    ffloor_fround_even: (ffloor (fround_even x)) => (fround_even x);
    /// Rounding an integral value changes nothing.
    fceil_ffloor: (fceil (ffloor x)) => (ffloor x);
    /// Rounding an integral value changes nothing.
    fceil_ftrunc: (fceil (ftrunc x)) => (ftrunc x);
    /// Rounding an integral value changes nothing.
    fceil_fround_even: (fceil (fround_even x)) => (fround_even x);
    /// Rounding an integral value changes nothing.
    ftrunc_ffloor: (ftrunc (ffloor x)) => (ffloor x);
    /// Rounding an integral value changes nothing.
    ftrunc_fceil: (ftrunc (fceil x)) => (fceil x);
    /// Rounding an integral value changes nothing.
    ftrunc_fround_even: (ftrunc (fround_even x)) => (fround_even x);
    /// Rounding an integral value changes nothing.
    fround_even_ffloor: (fround_even (ffloor x)) => (ffloor x);
    /// Rounding an integral value changes nothing.
    fround_even_fceil: (fround_even (fceil x)) => (fceil x);
    /// Rounding an integral value changes nothing.
    fround_even_ftrunc: (fround_even (ftrunc x)) => (ftrunc x);
}

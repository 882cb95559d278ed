//! Rules of float arithmetic. Without a mark a rule keeps every bit, zeros with signs and NaN included.

use super::rules;

rules! {
    /// Adding -0.0 changes nothing, not even -0.0.
    fadd_minus_zero [any_nan]: (fadd x -0.0) => x;
    /// Adding 0.0 changes nothing but -0.0.
    fadd_zero [nsz any_nan]: (fadd x 0.0) => x;
    /// Subtracting 0.0 changes nothing, not even -0.0.
    fsub_zero [any_nan]: (fsub x 0.0) => x;
    /// Subtracting -0.0 changes nothing but -0.0.
    fsub_minus_zero [nsz any_nan]: (fsub x -0.0) => x;
    /// A number less itself; not so for infinities.
    fsub_same [nnan ninf]: (fsub x x) => 0.0;
    /// -0.0 less a number is its negative.
    minus_zero_fsub [any_nan]: (fsub -0.0 x) => (fneg x);
    /// 0.0 less a number is its negative, unless that is zero.
    zero_fsub [nsz any_nan]: (fsub 0.0 x) => (fneg x);
    /// Adding a negative is subtracting.
    fadd_fneg: (fadd x (fneg y)) => (fsub x y);
    /// Subtracting a negative is adding.
    fsub_fneg: (fsub x (fneg y)) => (fadd x y);
    /// The negative of a difference is the difference the other way round, unless it is zero.
    fneg_fsub [nsz any_nan]: (fneg (fsub x y)) => (fsub y x);
    /// Constants that are added one after the other are added at once, which rounds otherwise.
    fadd_fadd_const [reassoc]: (fadd (fadd x #c) #d) => (fadd x (fadd c d));

    /// Once a number is the number.
    fmul_one [any_nan]: (fmul x 1.0) => x;
    /// Minus once a number is its negative.
    fmul_minus_one [any_nan]: (fmul x -1.0) => (fneg x);
    /// Any number of zeros; not so for infinities, and the sign would be that of the number.
    fmul_zero [nnan ninf nsz]: (fmul x 0.0) => 0.0;
    /// The signs of two factors cancel.
    fmul_fneg_fneg: (fmul (fneg x) (fneg y)) => (fmul x y);
    /// The sign of a factor goes into the constant.
    fmul_fneg_const: (fmul (fneg x) #c) => (fmul x (fneg c));
    /// A square has no sign to lose.
    fmul_fabs_same: (fmul (fabs x) (fabs x)) => (fmul x x);
    /// Constants that are multiplied with one after the other, which rounds otherwise.
    fmul_fmul_const [reassoc]: (fmul (fmul x #c) #d) => (fmul x (fmul c d));

    /// A number over one is the number.
    fdiv_one [any_nan]: (fdiv x 1.0) => x;
    /// Over minus one it is the negative.
    fdiv_minus_one [any_nan]: (fdiv x -1.0) => (fneg x);
    /// A number over itself; not so for zero and infinities.
    fdiv_same [nnan ninf]: (fdiv x x) => 1.0;
    /// A division by a power of two is a multiplication, exactly.
    fdiv_pow2: (fdiv x #c) => (fmul x (frcp c)) if exact_rcp(c);
    /// A division by a constant is nearly a multiplication.
    fdiv_const [arcp]: (fdiv x #c) => (fmul x (frcp c)) if not_zero(c);
    /// One over a number.
    one_fdiv: (fdiv 1.0 x) => (frcp x);
    /// The signs of both sides cancel.
    fdiv_fneg_fneg: (fdiv (fneg x) (fneg y)) => (fdiv x y);
    /// One over one over a number.
    frcp_frcp [fast]: (frcp (frcp x)) => x;
    /// One over a square root.
    frcp_fsqrt [fast]: (frcp (fsqrt x)) => (frsq x);
    /// One over one over a square root.
    frcp_frsq [fast]: (frcp (frsq x)) => (fsqrt x);

    /// The negative of the negative.
    fneg_fneg: (fneg (fneg x)) => x;
    /// The sign is lost anyway.
    fabs_fneg: (fabs (fneg x)) => (fabs x);
    /// An absolute value has no sign to lose.
    fabs_fabs: (fabs (fabs x)) => (fabs x);

    /// The smaller of a number and itself.
    fmin_same [any_nan]: (fmin x x) => x;
    /// The larger of a number and itself.
    fmax_same [any_nan]: (fmax x x) => x;
    /// The smaller of a number and itself.
    fnmin_same [any_nan]: (fnmin x x) => x;
    /// The larger of a number and itself.
    fnmax_same [any_nan]: (fnmax x x) => x;
    /// Bounds one after the other are one bound.
    fmin_fmin_const: (fmin (fmin x #c) #d) => (fmin x (fmin c d));
    /// Bounds one after the other are one bound.
    fmax_fmax_const: (fmax (fmax x #c) #d) => (fmax x (fmax c d));
    /// At least 0 and at most 1; NaN gives 0 both ways.
    fmin_fmax_sat: (fmin (fmax x 0.0) 1.0) => (fsat x);
    /// Between 0 and 1.
    fclamp_sat: (fclamp x 0.0 1.0) => (fsat x);
    /// What is between 0 and 1 stays.
    fsat_fsat: (fsat (fsat x)) => (fsat x);

    /// A whole number stays.
    ffloor_ffloor: (ffloor (ffloor x)) => (ffloor x);
    /// A whole number stays.
    fceil_fceil: (fceil (fceil x)) => (fceil x);
    /// A whole number stays.
    ftrunc_ftrunc: (ftrunc (ftrunc x)) => (ftrunc x);
    /// A whole number stays.
    fround_even_same: (fround_even (fround_even x)) => (fround_even x);

    /// A factor of one leaves an addition.
    ffma_one: (ffma x 1.0 y) => (fadd x y);
    /// Nothing to add leaves a multiplication; -0.0 is nothing.
    ffma_minus_zero: (ffma x y -0.0) => (fmul x y);
    /// Nothing to add leaves a multiplication, unless the product is -0.0.
    ffma_zero [nsz]: (ffma x y 0.0) => (fmul x y);
    /// The signs of two factors cancel.
    ffma_fneg_fneg: (ffma (fneg x) (fneg y) z) => (ffma x y z);

    /// A number to the power of one.
    fpow_one [any_nan]: (fpow x 1.0) => x;
    /// All of the first and nothing of the second.
    fmix_zero [nnan ninf nsz]: (fmix x y 0.0) => x;
    /// Nothing of the first and all of the second.
    fmix_one [nnan ninf nsz]: (fmix x y 1.0) => y;
    /// 2 to the power of the logarithm.
    fexp2_flog2 [fast]: (fexp2 (flog2 x)) => x;
    /// The logarithm of a power of 2.
    flog2_fexp2 [fast]: (flog2 (fexp2 x)) => x;

    /// The negative of a sum, unless it is zero.
    fneg_fsub_other [nsz any_nan]: (fsub (fneg x) y) => (fneg (fadd x y));
    /// The sign goes into the constant.
    fneg_fmul_const [any_nan]: (fneg (fmul x #c)) => (fmul x (fneg c));
    /// The sign goes into the constant.
    fneg_fdiv_const [any_nan]: (fneg (fdiv x #c)) => (fdiv x (fneg c));
    /// The sign goes into the constant.
    fdiv_fneg_const [any_nan]: (fdiv (fneg x) #c) => (fdiv x (fneg c));
    /// The sign goes into the constant, unless the sum is zero.
    fneg_fadd_const [nsz any_nan]: (fneg (fadd x #c)) => (fsub (fneg c) x);
    /// What is added and taken away again, which rounds otherwise.
    fsub_fadd_same [fast]: (fsub (fadd x y) y) => x;
    /// What is taken away and added again, which rounds otherwise.
    fadd_fsub_same [fast]: (fadd (fsub x y) y) => x;
    /// A common factor is multiplied with once, which rounds otherwise.
    fadd_fmul_fmul [fast]: (fadd (once fmul x y) (once fmul x z)) => (fmul x (fadd y z));
    /// A common factor is multiplied with once, which rounds otherwise.
    fsub_fmul_fmul [fast]: (fsub (once fmul x y) (once fmul x z)) => (fmul x (fsub y z));
    /// Multiplied and divided again.
    fdiv_fmul_same [fast]: (fdiv (fmul x y) y) => x;
    /// Divided and multiplied again.
    fmul_fdiv_same [fast]: (fmul (fdiv x y) y) => x;
    /// A number times one over it.
    fmul_frcp_same [fast]: (fmul x (frcp x)) => 1.0;
    /// Over one over a number is times that number.
    fdiv_frcp [fast]: (fdiv x (frcp y)) => (fmul x y);
    /// Over a square root is times one over it.
    fdiv_fsqrt [fast]: (fdiv x (fsqrt y)) => (fmul x (frsq y));
    /// A square root, squared.
    fmul_fsqrt_fsqrt [fast]: (fmul (fsqrt x) (fsqrt x)) => x;
    /// The square root of a square is the size.
    fsqrt_fmul_same [fast]: (fsqrt (fmul x x)) => (fabs x);
    /// A square has no sign to lose.
    fabs_fmul_same [any_nan]: (fabs (fmul x x)) => (fmul x x);
    /// A power of 2 has no sign to lose.
    fabs_fexp2 [any_nan]: (fabs (fexp2 x)) => (fexp2 x);
    /// To the power of one half.
    fpow_half [fast]: (fpow x 0.5) => (fsqrt x);
    /// To the power of minus one half.
    fpow_minus_half [fast]: (fpow x -0.5) => (frsq x);
    /// To the power of minus one.
    fpow_minus_one [fast]: (fpow x -1.0) => (frcp x);
    /// The sign goes into the constant.
    ffma_fneg_const: (ffma (fneg x) #c z) => (ffma x (fneg c) z);
    /// A factor of minus one leaves a difference.
    ffma_minus_one [any_nan]: (ffma x -1.0 y) => (fsub y x);
    /// A factor of zero leaves what is added; not so for infinities.
    ffma_zero_factor [nnan ninf nsz]: (ffma x 0.0 y) => y;
    /// At least 0 is what it becomes anyway.
    fsat_fmax_zero: (fsat (fmax x 0.0)) => (fsat x);
    /// A sign has no size but its own.
    fsign_fsign: (fsign (fsign x)) => (fsign x);
    /// A whole number stays.
    ffloor_fceil: (ffloor (fceil x)) => (fceil x);
    /// A whole number stays.
    ffloor_ftrunc: (ffloor (ftrunc x)) => (ftrunc x);
    /// A whole number stays.
    ffloor_fround_even: (ffloor (fround_even x)) => (fround_even x);
    /// A whole number stays.
    fceil_ffloor: (fceil (ffloor x)) => (ffloor x);
    /// A whole number stays.
    fceil_ftrunc: (fceil (ftrunc x)) => (ftrunc x);
    /// A whole number stays.
    fceil_fround_even: (fceil (fround_even x)) => (fround_even x);
    /// A whole number stays.
    ftrunc_ffloor: (ftrunc (ffloor x)) => (ffloor x);
    /// A whole number stays.
    ftrunc_fceil: (ftrunc (fceil x)) => (fceil x);
    /// A whole number stays.
    ftrunc_fround_even: (ftrunc (fround_even x)) => (fround_even x);
    /// A whole number stays.
    fround_even_ffloor: (fround_even (ffloor x)) => (ffloor x);
    /// A whole number stays.
    fround_even_fceil: (fround_even (fceil x)) => (fceil x);
    /// A whole number stays.
    fround_even_ftrunc: (fround_even (ftrunc x)) => (ftrunc x);
}

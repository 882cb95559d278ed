//! Rules of comparisons. Of two equivalent forms with swapped operands, `less` is the canonical one.

use super::rules;

rules! {
    /// A value equals itself.
    ieq_same: (ieq x x) => true;
    /// A value does not differ from itself.
    ine_same: (ine x x) => false;
    /// A value is not less than itself.
    ilt_same: (ilt x x) => false;
    /// A value is at most itself.
    ile_same: (ile x x) => true;
    /// A value is not less than itself, unsigned.
    ult_same: (ult x x) => false;
    /// A value is at most itself, unsigned.
    ule_same: (ule x x) => true;
    /// `x > y` is `y < x`.
    igt_swap: (igt x y) => (ilt y x);
    /// `x >= y` is `y <= x`.
    ige_swap: (ige x y) => (ile y x);
    /// `x > y` is `y < x`, unsigned.
    ugt_swap: (ugt x y) => (ult y x);
    /// `x >= y` is `y <= x`, unsigned.
    uge_swap: (uge x y) => (ule y x);
    /// `x > y` is `y < x`; NaN makes both false.
    fgt_swap: (fgt x y) => (flt y x);
    /// `x >= y` is `y <= x`; NaN makes both false.
    fge_swap: (fge x y) => (fle y x);
    /// `x > y` is `y < x`; NaN makes both true.
    fgtu_swap: (fgtu x y) => (fltu y x);
    /// `x >= y` is `y <= x`; NaN makes both true.
    fgeu_swap: (fgeu x y) => (fleu y x);

    /// The negation of `==` is `!=`.
    inot_ieq: (inot (ieq x y)) => (ine x y);
    /// The negation of `!=` is `==`.
    inot_ine: (inot (ine x y)) => (ieq x y);
    /// The negation of `x < y` is `y <= x`.
    inot_ilt: (inot (ilt x y)) => (ile y x);
    /// The negation of `x <= y` is `y < x`.
    inot_ile: (inot (ile x y)) => (ilt y x);
    /// The negation of `x < y` is `y <= x`, unsigned.
    inot_ult: (inot (ult x y)) => (ule y x);
    /// The negation of `x <= y` is `y < x`, unsigned.
    inot_ule: (inot (ule x y)) => (ult y x);
    /// The negation of an ordered `x < y` is an unordered `y <= x`, which is true for NaN.
    inot_flt: (inot (flt x y)) => (fleu y x);
    /// The negation of an ordered `x <= y` is an unordered `y < x`, which is true for NaN.
    inot_fle: (inot (fle x y)) => (fltu y x);
    /// The negation of an unordered `x < y` is an ordered `y <= x`, which is false for NaN.
    inot_fltu: (inot (fltu x y)) => (fle y x);
    /// The negation of an unordered `x <= y` is an ordered `y < x`, which is false for NaN.
    inot_fleu: (inot (fleu x y)) => (flt y x);
    /// The negation of an ordered `==` is an unordered `!=`, which is true for NaN.
    inot_feq: (inot (feq x y)) => (fneu x y);
    /// The negation of an unordered `!=` is an ordered `==`, which is false for NaN.
    inot_fneu: (inot (fneu x y)) => (feq x y);
    /// The negation of an unordered `==` is an ordered `!=`, which is false for NaN.
    inot_fequ: (inot (fequ x y)) => (fneo x y);
    /// The negation of an ordered `!=` is an unordered `==`, which is true for NaN.
    inot_fneo: (inot (fneo x y)) => (fequ x y);
    /// Operands that are not ordered are unordered: one of them is NaN.
    inot_ford: (inot (ford x y)) => (funord x y);
    /// Operands that are not unordered are ordered: neither is NaN.
    inot_funord: (inot (funord x y)) => (ford x y);

    /// No unsigned value is below zero.
    ult_zero: (ult x 0) => false;
    /// Zero is at most any unsigned value.
    zero_ule: (ule 0 x) => true;
    /// No unsigned value is above all ones.
    ones_ult: (ult -1 x) => false;
    /// Every unsigned value is at most all ones.
    ule_ones: (ule x -1) => true;
    /// Only zero is below one, unsigned.
    ult_one: (ult x 1) => (ieq x 0);

    /// Comparing a boolean with true for equality is the boolean.
    ieq_true: (ieq x true) => x;
    /// Comparing a boolean with false for equality is its negation.
    ieq_false: (ieq x false) => (inot x);
    /// Comparing a boolean with false for inequality is the boolean.
    ine_false: (ine x false) => x;
    /// Comparing a boolean with true for inequality is its negation.
    ine_true: (ine x true) => (inot x);
    /// A difference is zero exactly if the operands are equal.
    ieq_isub_zero: (ieq (isub x y) 0) => (ieq x y);
    /// A difference is not zero exactly if the operands differ.
    ine_isub_zero: (ine (isub x y) 0) => (ine x y);
    /// An `xor` is zero exactly if the operands are equal.
    ieq_ixor_zero: (ieq (ixor x y) 0) => (ieq x y);
    /// An `xor` is not zero exactly if the operands differ.
    ine_ixor_zero: (ine (ixor x y) 0) => (ine x y);
    /// Combines the constants of both sides.
    ieq_iadd_const: (ieq (iadd x #c) #d) => (ieq x (isub d c));
    /// Combines the constants of both sides.
    ine_iadd_const: (ine (iadd x #c) #d) => (ine x (isub d c));
    /// Negated values are equal exactly if the values are.
    ieq_ineg_ineg: (ieq (ineg x) (ineg y)) => (ieq x y);
    /// Complements are equal exactly if the values are.
    ieq_inot_inot: (ieq (inot x) (inot y)) => (ieq x y);

    /// Negating both operands reverses the comparison.
    flt_fneg_fneg: (flt (fneg x) (fneg y)) => (flt y x);
    /// Negating both operands reverses the comparison.
    fle_fneg_fneg: (fle (fneg x) (fneg y)) => (fle y x);
    /// Negating both operands does not change the comparison.
    feq_fneg_fneg: (feq (fneg x) (fneg y)) => (feq x y);
    /// Moves the negation into the constant.
    flt_fneg_const: (flt (fneg x) #c) => (flt (fneg c) x);
    /// Moves the negation into the constant.
    const_flt_fneg: (flt #c (fneg x)) => (flt x (fneg c));
    /// No value is less than itself, including NaN.
    flt_same: (flt x x) => false;
    /// Only NaN differs from itself: the comparison tests for NaN.
    fneu_same: (fneu x x) => (fisnan x);
    /// No absolute value is less than zero.
    flt_fabs_zero: (flt (fabs x) 0.0) => false;

    /// `x + y` equals `x` exactly if `y` is zero.
    ieq_iadd_one_side: (ieq (iadd x y) x) => (ieq y 0);
    /// `x - y` equals `x` exactly if `y` is zero.
    ieq_isub_one_side: (ieq (isub x y) x) => (ieq y 0);
    /// `x ^ y` equals `x` exactly if `y` is zero.
    ieq_ixor_one_side: (ieq (ixor x y) x) => (ieq y 0);
    /// A summand of both sides cancels.
    ieq_iadd_iadd: (ieq (iadd x y) (iadd x z)) => (ieq y z);
    /// A minuend of both sides cancels.
    ieq_isub_isub: (ieq (isub x y) (isub x z)) => (ieq y z);
    /// An `xor` operand of both sides cancels.
    ieq_ixor_ixor: (ieq (ixor x y) (ixor x z)) => (ieq y z);
    /// Combines the constants of both sides.
    ieq_ixor_const: (ieq (ixor x #c) #d) => (ieq x (ixor c d));
    /// Moves the complement into the constant.
    ieq_inot_const: (ieq (inot x) #c) => (ieq x (inot c));
    /// Moves the negation into the constant.
    ieq_ineg_const: (ieq (ineg x) #c) => (ieq x (ineg c));
    /// `x + y` differs from `x` exactly if `y` is not zero.
    ine_iadd_one_side: (ine (iadd x y) x) => (ine y 0);
    /// `x - y` differs from `x` exactly if `y` is not zero.
    ine_isub_one_side: (ine (isub x y) x) => (ine y 0);
    /// `x ^ y` differs from `x` exactly if `y` is not zero.
    ine_ixor_one_side: (ine (ixor x y) x) => (ine y 0);
    /// A summand of both sides cancels.
    ine_iadd_iadd: (ine (iadd x y) (iadd x z)) => (ine y z);
    /// A minuend of both sides cancels.
    ine_isub_isub: (ine (isub x y) (isub x z)) => (ine y z);
    /// An `xor` operand of both sides cancels.
    ine_ixor_ixor: (ine (ixor x y) (ixor x z)) => (ine y z);
    /// Combines the constants of both sides.
    ine_ixor_const: (ine (ixor x #c) #d) => (ine x (ixor c d));
    /// Moves the complement into the constant.
    ine_inot_const: (ine (inot x) #c) => (ine x (inot c));
    /// Moves the negation into the constant.
    ine_ineg_const: (ine (ineg x) #c) => (ine x (ineg c));
    /// Negated values differ exactly if the values do.
    ine_ineg_ineg: (ine (ineg x) (ineg y)) => (ine x y);
    /// Complements differ exactly if the values do.
    ine_inot_inot: (ine (inot x) (inot y)) => (ine x y);
    /// Complementing both operands reverses the comparison.
    ilt_inot_inot: (ilt (inot x) (inot y)) => (ilt y x);
    /// Complementing both operands reverses the comparison.
    ile_inot_inot: (ile (inot x) (inot y)) => (ile y x);
    /// Complementing both operands reverses the comparison.
    ult_inot_inot: (ult (inot x) (inot y)) => (ult y x);
    /// Complementing both operands reverses the comparison.
    ule_inot_inot: (ule (inot x) (inot y)) => (ule y x);
    /// Only zero is at most zero, unsigned.
    ule_zero: (ule x 0) => (ieq x 0);
    /// Every unsigned value but zero is above zero.
    zero_ult: (ult 0 x) => (ine x 0);
    /// Only all ones is at least all ones, unsigned.
    ones_ule: (ule -1 x) => (ieq x -1);
    /// Every unsigned value but all ones is below all ones.
    ult_ones: (ult x -1) => (ine x -1);
    /// Two values cannot each be less than the other.
    iand_ilt_ilt: (iand (ilt x y) (ilt y x)) => false;
    /// `x < y || x == y` is `x <= y`.
    ior_ilt_ieq: (ior (ilt x y) (ieq x y)) => (ile x y);
    /// `x <= y && x != y` is `x < y`.
    iand_ile_ine: (iand (ile x y) (ine x y)) => (ilt x y);
    /// Two values differ exactly if one is less than the other.
    ior_ilt_ilt: (ior (ilt x y) (ilt y x)) => (ine x y);
    /// `x <= y && y <= x` is `x == y`.
    iand_ile_ile: (iand (ile x y) (ile y x)) => (ieq x y);
    /// Of two values, one is always at most the other.
    ior_ile_ile: (ior (ile x y) (ile y x)) => true;
    /// `min(x, y) < x` exactly if `y < x`.
    ilt_imin: (ilt (imin x y) x) => (ilt y x);
    /// `x < max(x, y)` exactly if `x < y`.
    ilt_imax: (ilt x (imax x y)) => (ilt x y);
    /// A value is at most its maximum with another.
    ile_imax: (ile x (imax x y)) => true;
    /// A minimum is at most either operand.
    ile_imin: (ile (imin x y) x) => true;
    /// A maximum is not less than either operand.
    ilt_imax_not: (ilt (imax x y) x) => false;
    /// A value is not less than its minimum with another.
    ilt_imin_not: (ilt x (imin x y)) => false;
    /// Two values cannot each be less than the other, unsigned.
    iand_ult_ult: (iand (ult x y) (ult y x)) => false;
    /// `x < y || x == y` is `x <= y`, unsigned.
    ior_ult_ieq: (ior (ult x y) (ieq x y)) => (ule x y);
    /// `x <= y && x != y` is `x < y`, unsigned.
    iand_ule_ine: (iand (ule x y) (ine x y)) => (ult x y);
    /// Two values differ exactly if one is less than the other, unsigned.
    ior_ult_ult: (ior (ult x y) (ult y x)) => (ine x y);
    /// `x <= y && y <= x` is `x == y`, unsigned.
    iand_ule_ule: (iand (ule x y) (ule y x)) => (ieq x y);
    /// Of two values, one is always at most the other, unsigned.
    ior_ule_ule: (ior (ule x y) (ule y x)) => true;
    /// `min(x, y) < x` exactly if `y < x`, unsigned.
    ult_umin: (ult (umin x y) x) => (ult y x);
    /// `x < max(x, y)` exactly if `x < y`, unsigned.
    ult_umax: (ult x (umax x y)) => (ult x y);
    /// A value is at most its maximum with another, unsigned.
    ule_umax: (ule x (umax x y)) => true;
    /// A minimum is at most either operand, unsigned.
    ule_umin: (ule (umin x y) x) => true;
    /// A maximum is not less than either operand, unsigned.
    ult_umax_not: (ult (umax x y) x) => false;
    /// A value is not less than its minimum with another, unsigned.
    ult_umin_not: (ult x (umin x y)) => false;
    /// Two values are not both equal and different.
    iand_ieq_ine: (iand (ieq x y) (ine x y)) => false;
    /// Two values are either equal or different.
    ior_ieq_ine: (ior (ieq x y) (ine x y)) => true;
    /// `x < y || x == y` is `x <= y`; NaN makes all three false.
    ior_flt_feq: (ior (flt x y) (feq x y)) => (fle x y);
    /// `x <= y && x != y` is `x < y`; NaN makes both sides false.
    iand_fle_fneu: (iand (fle x y) (fneu x y)) => (flt x y);
    /// If one float is less than the other they differ and neither is NaN, and conversely.
    ior_flt_flt: (ior (flt x y) (flt y x)) => (fneo x y);
    /// `x <= y && y <= x` is `x == y`; NaN makes both sides false.
    iand_fle_fle: (iand (fle x y) (fle y x)) => (feq x y);
    /// Two values cannot each be less than the other.
    iand_flt_flt: (iand (flt x y) (flt y x)) => false;
    /// Negating both operands does not change the comparison.
    fneu_fneg_fneg: (fneu (fneg x) (fneg y)) => (fneu x y);
    /// Moves the negation into the constant.
    feq_fneg_const: (feq (fneg x) #c) => (feq x (fneg c));
    /// Moves the negation into the constant.
    fneu_fneg_const: (fneu (fneg x) #c) => (fneu x (fneg c));
    /// Moves the negation into the constant.
    fle_fneg_const: (fle (fneg x) #c) => (fle (fneg c) x);
    /// Moves the negation into the constant.
    const_fle_fneg: (fle #c (fneg x)) => (fle x (fneg c));
    /// An absolute value is zero exactly if the value is zero of either sign.
    feq_fabs_zero: (feq (fabs x) 0.0) => (feq x 0.0);
    /// An absolute value is zero exactly if the value is zero of either sign.
    fneu_fabs_zero: (fneu (fabs x) 0.0) => (fneu x 0.0);
    /// A saturated value is not less than 0.
    flt_fsat_zero: (flt (fsat x) 0.0) => false;
    /// A saturated value is not greater than 1.
    one_flt_fsat: (flt 1.0 (fsat x)) => false;
    /// A saturated value is at least 0; saturation turns NaN into 0.
    zero_fle_fsat: (fle 0.0 (fsat x)) => true;
    /// A saturated value is at most 1; saturation turns NaN into 0.
    fle_fsat_one: (fle (fsat x) 1.0) => true;
}

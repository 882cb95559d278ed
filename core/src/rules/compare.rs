//! Rules of comparisons. Of two forms that say the same with sides exchanged, `less` is the one kept.

use super::rules;

rules! {
    /// A number equals itself.
    ieq_same: (ieq x x) => true;
    /// A number does not differ from itself.
    ine_same: (ine x x) => false;
    /// A number is not less than itself.
    ilt_same: (ilt x x) => false;
    /// A number is not above itself, so it is at most itself.
    ile_same: (ile x x) => true;
    /// A number is not less than itself, unsigned.
    ult_same: (ult x x) => false;
    /// A number is at most itself, unsigned.
    ule_same: (ule x x) => true;
    /// Greater is less with sides exchanged.
    igt_swap: (igt x y) => (ilt y x);
    /// At least is at most with sides exchanged.
    ige_swap: (ige x y) => (ile y x);
    /// Greater is less with sides exchanged, unsigned.
    ugt_swap: (ugt x y) => (ult y x);
    /// At least is at most with sides exchanged, unsigned.
    uge_swap: (uge x y) => (ule y x);
    /// Greater is less with sides exchanged; NaN makes both false.
    fgt_swap: (fgt x y) => (flt y x);
    /// At least is at most with sides exchanged; NaN makes both false.
    fge_swap: (fge x y) => (fle y x);
    /// Greater is less with sides exchanged; NaN makes both true.
    fgtu_swap: (fgtu x y) => (fltu y x);
    /// At least is at most with sides exchanged; NaN makes both true.
    fgeu_swap: (fgeu x y) => (fleu y x);

    /// Not equal.
    inot_ieq: (inot (ieq x y)) => (ine x y);
    /// Not different.
    inot_ine: (inot (ine x y)) => (ieq x y);
    /// Not less: at least.
    inot_ilt: (inot (ilt x y)) => (ile y x);
    /// Not at most: greater.
    inot_ile: (inot (ile x y)) => (ilt y x);
    /// Not less: at least, unsigned.
    inot_ult: (inot (ult x y)) => (ule y x);
    /// Not at most: greater, unsigned.
    inot_ule: (inot (ule x y)) => (ult y x);
    /// Not less, or NaN: the other form is true of NaN.
    inot_flt: (inot (flt x y)) => (fleu y x);
    /// Not at most, or NaN: the other form is true of NaN.
    inot_fle: (inot (fle x y)) => (fltu y x);
    /// Not less and no NaN.
    inot_fltu: (inot (fltu x y)) => (fle y x);
    /// Not at most and no NaN.
    inot_fleu: (inot (fleu x y)) => (flt y x);
    /// Not equal, or NaN.
    inot_feq: (inot (feq x y)) => (fneu x y);
    /// Equal, no NaN.
    inot_fneu: (inot (fneu x y)) => (feq x y);
    /// Different, no NaN.
    inot_fequ: (inot (fequ x y)) => (fneo x y);
    /// Equal, or NaN.
    inot_fneo: (inot (fneo x y)) => (fequ x y);
    /// Some NaN.
    inot_ford: (inot (ford x y)) => (funord x y);
    /// No NaN.
    inot_funord: (inot (funord x y)) => (ford x y);

    /// Nothing is below zero.
    ult_zero: (ult x 0) => false;
    /// Zero is at most anything.
    zero_ule: (ule 0 x) => true;
    /// Nothing is above all ones.
    ones_ult: (ult -1 x) => false;
    /// Everything is at most all ones.
    ule_ones: (ule x -1) => true;
    /// Below one is zero.
    ult_one: (ult x 1) => (ieq x 0);

    /// What equals true is true.
    ieq_true: (ieq x true) => x;
    /// What equals false is not true.
    ieq_false: (ieq x false) => (inot x);
    /// What differs from false is true.
    ine_false: (ine x false) => x;
    /// What differs from true is not.
    ine_true: (ine x true) => (inot x);
    /// A difference of zero is equality.
    ieq_isub_zero: (ieq (isub x y) 0) => (ieq x y);
    /// A difference that is not zero.
    ine_isub_zero: (ine (isub x y) 0) => (ine x y);
    /// Two numbers that differ in no bit.
    ieq_ixor_zero: (ieq (ixor x y) 0) => (ieq x y);
    /// Two numbers that differ in some bit.
    ine_ixor_zero: (ine (ixor x y) 0) => (ine x y);
    /// A constant on both sides goes to one.
    ieq_iadd_const: (ieq (iadd x #c) #d) => (ieq x (isub d c));
    /// A constant on both sides goes to one.
    ine_iadd_const: (ine (iadd x #c) #d) => (ine x (isub d c));
    /// Equal negatives are equal.
    ieq_ineg_ineg: (ieq (ineg x) (ineg y)) => (ieq x y);
    /// Opposites that are equal.
    ieq_inot_inot: (ieq (inot x) (inot y)) => (ieq x y);

    /// Signs turn an order round.
    flt_fneg_fneg: (flt (fneg x) (fneg y)) => (flt y x);
    /// Signs turn an order round.
    fle_fneg_fneg: (fle (fneg x) (fneg y)) => (fle y x);
    /// Both with the other sign.
    feq_fneg_fneg: (feq (fneg x) (fneg y)) => (feq x y);
    /// The sign goes into the constant.
    flt_fneg_const: (flt (fneg x) #c) => (flt (fneg c) x);
    /// The sign goes into the constant.
    const_flt_fneg: (flt #c (fneg x)) => (flt x (fneg c));
    /// No number is less than itself, and NaN is not either.
    flt_same: (flt x x) => false;
    /// Only NaN differs from itself.
    fneu_same: (fneu x x) => (fisnan x);
    /// No absolute value is below zero.
    flt_fabs_zero: (flt (fabs x) 0.0) => false;
}

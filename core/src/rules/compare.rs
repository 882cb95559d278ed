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

    /// What is added makes the difference.
    ieq_iadd_one_side: (ieq (iadd x y) x) => (ieq y 0);
    /// What is taken away makes the difference.
    ieq_isub_one_side: (ieq (isub x y) x) => (ieq y 0);
    /// What is flipped makes the difference.
    ieq_ixor_one_side: (ieq (ixor x y) x) => (ieq y 0);
    /// What both have makes no difference.
    ieq_iadd_iadd: (ieq (iadd x y) (iadd x z)) => (ieq y z);
    /// What both are taken from makes no difference.
    ieq_isub_isub: (ieq (isub x y) (isub x z)) => (ieq y z);
    /// What is flipped in both makes no difference.
    ieq_ixor_ixor: (ieq (ixor x y) (ixor x z)) => (ieq y z);
    /// A constant on both sides goes to one.
    ieq_ixor_const: (ieq (ixor x #c) #d) => (ieq x (ixor c d));
    /// An opposite goes into the constant.
    ieq_inot_const: (ieq (inot x) #c) => (ieq x (inot c));
    /// The sign goes into the constant.
    ieq_ineg_const: (ieq (ineg x) #c) => (ieq x (ineg c));
    /// What is added makes the difference.
    ine_iadd_one_side: (ine (iadd x y) x) => (ine y 0);
    /// What is taken away makes the difference.
    ine_isub_one_side: (ine (isub x y) x) => (ine y 0);
    /// What is flipped makes the difference.
    ine_ixor_one_side: (ine (ixor x y) x) => (ine y 0);
    /// What both have makes no difference.
    ine_iadd_iadd: (ine (iadd x y) (iadd x z)) => (ine y z);
    /// What both are taken from makes no difference.
    ine_isub_isub: (ine (isub x y) (isub x z)) => (ine y z);
    /// What is flipped in both makes no difference.
    ine_ixor_ixor: (ine (ixor x y) (ixor x z)) => (ine y z);
    /// A constant on both sides goes to one.
    ine_ixor_const: (ine (ixor x #c) #d) => (ine x (ixor c d));
    /// An opposite goes into the constant.
    ine_inot_const: (ine (inot x) #c) => (ine x (inot c));
    /// The sign goes into the constant.
    ine_ineg_const: (ine (ineg x) #c) => (ine x (ineg c));
    /// Different negatives are different.
    ine_ineg_ineg: (ine (ineg x) (ineg y)) => (ine x y);
    /// Opposites that differ.
    ine_inot_inot: (ine (inot x) (inot y)) => (ine x y);
    /// Opposites turn an order round.
    ilt_inot_inot: (ilt (inot x) (inot y)) => (ilt y x);
    /// Opposites turn an order round.
    ile_inot_inot: (ile (inot x) (inot y)) => (ile y x);
    /// Opposites turn an order round.
    ult_inot_inot: (ult (inot x) (inot y)) => (ult y x);
    /// Opposites turn an order round.
    ule_inot_inot: (ule (inot x) (inot y)) => (ule y x);
    /// Only zero is at most zero.
    ule_zero: (ule x 0) => (ieq x 0);
    /// Everything but zero is above it.
    zero_ult: (ult 0 x) => (ine x 0);
    /// Only all ones is at least all ones.
    ones_ule: (ule -1 x) => (ieq x -1);
    /// Everything but all ones is below it.
    ult_ones: (ult x -1) => (ine x -1);
    /// Not both are less.
    iand_ilt_ilt: (iand (ilt x y) (ilt y x)) => false;
    /// Less or equal.
    ior_ilt_ieq: (ior (ilt x y) (ieq x y)) => (ile x y);
    /// At most and different.
    iand_ile_ine: (iand (ile x y) (ine x y)) => (ilt x y);
    /// Less one way or the other.
    ior_ilt_ilt: (ior (ilt x y) (ilt y x)) => (ine x y);
    /// At most, and at least.
    iand_ile_ile: (iand (ile x y) (ile y x)) => (ieq x y);
    /// One of two is at most the other.
    ior_ile_ile: (ior (ile x y) (ile y x)) => true;
    /// The smaller of two is less than one of them: the other is.
    ilt_imin: (ilt (imin x y) x) => (ilt y x);
    /// One of two is less than the larger: than the other.
    ilt_imax: (ilt x (imax x y)) => (ilt x y);
    /// One of two is at most the larger.
    ile_imax: (ile x (imax x y)) => true;
    /// The smaller is at most one of two.
    ile_imin: (ile (imin x y) x) => true;
    /// The larger is not less than one of two.
    ilt_imax_not: (ilt (imax x y) x) => false;
    /// One of two is not less than the smaller.
    ilt_imin_not: (ilt x (imin x y)) => false;
    /// Not both are less, unsigned.
    iand_ult_ult: (iand (ult x y) (ult y x)) => false;
    /// Less or equal, unsigned.
    ior_ult_ieq: (ior (ult x y) (ieq x y)) => (ule x y);
    /// At most and different, unsigned.
    iand_ule_ine: (iand (ule x y) (ine x y)) => (ult x y);
    /// Less one way or the other, unsigned.
    ior_ult_ult: (ior (ult x y) (ult y x)) => (ine x y);
    /// At most, and at least, unsigned.
    iand_ule_ule: (iand (ule x y) (ule y x)) => (ieq x y);
    /// One of two is at most the other, unsigned.
    ior_ule_ule: (ior (ule x y) (ule y x)) => true;
    /// The smaller of two is less than one of them, unsigned: the other is.
    ult_umin: (ult (umin x y) x) => (ult y x);
    /// One of two is less than the larger, unsigned: than the other.
    ult_umax: (ult x (umax x y)) => (ult x y);
    /// One of two is at most the larger, unsigned.
    ule_umax: (ule x (umax x y)) => true;
    /// The smaller is at most one of two, unsigned.
    ule_umin: (ule (umin x y) x) => true;
    /// The larger is not less than one of two, unsigned.
    ult_umax_not: (ult (umax x y) x) => false;
    /// One of two is not less than the smaller, unsigned.
    ult_umin_not: (ult x (umin x y)) => false;
    /// Equal and different at once.
    iand_ieq_ine: (iand (ieq x y) (ine x y)) => false;
    /// Equal or different.
    ior_ieq_ine: (ior (ieq x y) (ine x y)) => true;
    /// Less or equal; NaN is neither.
    ior_flt_feq: (ior (flt x y) (feq x y)) => (fle x y);
    /// At most and different; NaN is not at most.
    iand_fle_fneu: (iand (fle x y) (fneu x y)) => (flt x y);
    /// Less one way or the other, no NaN.
    ior_flt_flt: (ior (flt x y) (flt y x)) => (fneo x y);
    /// At most, and at least, no NaN.
    iand_fle_fle: (iand (fle x y) (fle y x)) => (feq x y);
    /// Not both are less.
    iand_flt_flt: (iand (flt x y) (flt y x)) => false;
    /// Both with the other sign.
    fneu_fneg_fneg: (fneu (fneg x) (fneg y)) => (fneu x y);
    /// The sign goes into the constant.
    feq_fneg_const: (feq (fneg x) #c) => (feq x (fneg c));
    /// The sign goes into the constant.
    fneu_fneg_const: (fneu (fneg x) #c) => (fneu x (fneg c));
    /// The sign goes into the constant.
    fle_fneg_const: (fle (fneg x) #c) => (fle (fneg c) x);
    /// The sign goes into the constant.
    const_fle_fneg: (fle #c (fneg x)) => (fle x (fneg c));
    /// Zero has no size, with either sign.
    feq_fabs_zero: (feq (fabs x) 0.0) => (feq x 0.0);
    /// Zero has no size, with either sign.
    fneu_fabs_zero: (fneu (fabs x) 0.0) => (fneu x 0.0);
    /// What is between 0 and 1 is not below 0.
    flt_fsat_zero: (flt (fsat x) 0.0) => false;
    /// What is between 0 and 1 is not above 1.
    one_flt_fsat: (flt 1.0 (fsat x)) => false;
    /// What is between 0 and 1 is at least 0; NaN became 0.
    zero_fle_fsat: (fle 0.0 (fsat x)) => true;
    /// What is between 0 and 1 is at most 1; NaN became 0.
    fle_fsat_one: (fle (fsat x) 1.0) => true;
}

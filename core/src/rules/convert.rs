//! Rules of conversions. One that keeps the width is left out where the types say so: a value of another type
//! never takes the place of one.

use super::rules;

rules! {
    /// To the width it has.
    u2u_same: (u2u x) => x;
    /// To the width it has.
    i2i_same: (i2i x) => x;
    /// To the width it has; which NaN it is is lost.
    f2f_same [any_nan]: (f2f x) => x;
    /// A truth value there and back.
    i2b_b2i: (i2b (b2i x)) => x;
    /// A truth value there and back.
    f2b_b2f: (f2b (b2f x)) => x;
    /// A truth value that is not zero.
    ine_b2i_zero: (ine (b2i x) 0) => x;
    /// A truth value that is zero.
    ieq_b2i_zero: (ieq (b2i x) 0) => (inot x);
    /// A truth value that is one.
    ieq_b2i_one: (ieq (b2i x) 1) => x;
    /// A truth value that is not one.
    ine_b2i_one: (ine (b2i x) 1) => (inot x);
    /// A truth value that is not 0.0.
    fneu_b2f_zero: (fneu (b2f x) 0.0) => x;
    /// A truth value that is 0.0.
    feq_b2f_zero: (feq (b2f x) 0.0) => (inot x);
    /// Two truth values as numbers are both one: both are true.
    imul_b2i_b2i: (imul (b2i x) (b2i y)) => (b2i (iand x y));
    /// Two truth values as numbers have a bit in common: both are true.
    iand_b2i_b2i: (iand (b2i x) (b2i y)) => (b2i (iand x y));
    /// One of two truth values as numbers has the bit: one is true.
    ior_b2i_b2i: (ior (b2i x) (b2i y)) => (b2i (ior x y));
    /// Two truth values as floats are both 1.0: both are true.
    fmul_b2f_b2f: (fmul (b2f x) (b2f y)) => (b2f (iand x y));

    /// A truth value as a factor chooses.
    imul_b2i: (imul (b2i c) x) => (select c x 0);
    /// A truth value spread out chooses.
    iand_ineg_b2i: (iand (ineg (b2i c)) x) => (select c x 0);
    /// A sign makes nothing zero.
    i2b_ineg: (i2b (ineg x)) => (i2b x);
    /// A sign makes nothing zero.
    i2b_iabs: (i2b (iabs x)) => (i2b x);
    /// A sign makes nothing zero.
    f2b_fneg: (f2b (fneg x)) => (f2b x);
    /// A sign makes nothing zero.
    f2b_fabs: (f2b (fabs x)) => (f2b x);
    /// A conversion cuts the fraction anyway.
    f2i_ftrunc: (f2i (ftrunc x)) => (f2i x);
    /// A conversion cuts the fraction anyway.
    f2u_ftrunc: (f2u (ftrunc x)) => (f2u x);
    /// An unsigned number has no sign to lose.
    iand_b2i_one: (iand (b2i x) 1) => (b2i x);
    /// Two truth values as numbers differ.
    ixor_b2i_b2i: (ixor (b2i x) (b2i y)) => (b2i (ixor x y));
    /// Two truth values as numbers are equal.
    ieq_b2i_b2i: (ieq (b2i x) (b2i y)) => (ieq x y);
    /// Two truth values as numbers differ.
    ine_b2i_b2i: (ine (b2i x) (b2i y)) => (ine x y);
    /// The opposite of a truth value as a number.
    isub_one_b2i: (isub 1 (b2i x)) => (b2i (inot x));
    /// The opposite of a truth value as a number.
    ixor_b2i_one: (ixor (b2i x) 1) => (b2i (inot x));
    /// The opposite of a truth value as a float.
    fsub_one_b2f: (fsub 1.0 (b2f x)) => (b2f (inot x));
    /// Below one half is zero.
    flt_zero_b2f: (flt 0.0 (b2f x)) => x;
}

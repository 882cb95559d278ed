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
}

//! Rules of conversions. A conversion that keeps the width is removed only if the types agree: a value is
//! never replaced by one of another type.

use super::rules;

rules! {
    /// Converting to the same width changes nothing.
    u2u_same: (u2u x) => x;
    /// Converting to the same width changes nothing.
    i2i_same: (i2i x) => x;
    /// Converting to the same width changes nothing but possibly the bits of a NaN.
    f2f_same [any_nan]: (f2f x) => x;
    /// A boolean survives a conversion and back.
    i2b_b2i: (i2b (b2i x)) => x;
    /// A boolean survives a conversion and back.
    f2b_b2f: (f2b (b2f x)) => x;
    /// A converted boolean that is not zero is true.
    ine_b2i_zero: (ine (b2i x) 0) => x;
    /// A converted boolean that is zero is false.
    ieq_b2i_zero: (ieq (b2i x) 0) => (inot x);
    /// A converted boolean that is one is true.
    ieq_b2i_one: (ieq (b2i x) 1) => x;
    /// A converted boolean that is not one is false.
    ine_b2i_one: (ine (b2i x) 1) => (inot x);
    /// A converted boolean that is not 0.0 is true.
    fneu_b2f_zero: (fneu (b2f x) 0.0) => x;
    /// A converted boolean that is 0.0 is false.
    feq_b2f_zero: (feq (b2f x) 0.0) => (inot x);
    /// The product of two booleans as integers is one exactly if both are true.
    imul_b2i_b2i: (imul (b2i x) (b2i y)) => (b2i (iand x y));
    /// The `and` of two booleans is computed before the conversion.
    iand_b2i_b2i: (iand (b2i x) (b2i y)) => (b2i (iand x y));
    /// The `or` of two booleans is computed before the conversion.
    ior_b2i_b2i: (ior (b2i x) (b2i y)) => (b2i (ior x y));
    /// The product of two booleans as floats is 1.0 exactly if both are true.
    fmul_b2f_b2f: (fmul (b2f x) (b2f y)) => (b2f (iand x y));

    /// A product with a converted boolean is a select.
    imul_b2i: (imul (b2i c) x) => (select c x 0);
    /// A mask made of a boolean is a select.
    iand_ineg_b2i: (iand (ineg (b2i c)) x) => (select c x 0);
    /// Changing the sign does not change if a value is zero.
    i2b_ineg: (i2b (ineg x)) => (i2b x);
    /// Changing the sign does not change if a value is zero.
    i2b_iabs: (i2b (iabs x)) => (i2b x);
    /// Changing the sign does not change if a value is zero.
    f2b_fneg: (f2b (fneg x)) => (f2b x);
    /// Changing the sign does not change if a value is zero.
    f2b_fabs: (f2b (fabs x)) => (f2b x);
    /// The conversion already truncates toward zero.
    f2i_ftrunc: (f2i (ftrunc x)) => (f2i x);
    /// The conversion already truncates toward zero.
    f2u_ftrunc: (f2u (ftrunc x)) => (f2u x);
    /// A converted boolean has no bit but the lowest.
    iand_b2i_one: (iand (b2i x) 1) => (b2i x);
    /// Two converted booleans are compared before the conversion.
    ixor_b2i_b2i: (ixor (b2i x) (b2i y)) => (b2i (ixor x y));
    /// Two converted booleans are equal exactly if the booleans are.
    ieq_b2i_b2i: (ieq (b2i x) (b2i y)) => (ieq x y);
    /// Two converted booleans are compared before the conversion.
    ine_b2i_b2i: (ine (b2i x) (b2i y)) => (ine x y);
    /// The negation of a boolean is computed before the conversion.
    isub_one_b2i: (isub 1 (b2i x)) => (b2i (inot x));
    /// The negation of a boolean is computed before the conversion.
    ixor_b2i_one: (ixor (b2i x) 1) => (b2i (inot x));
    /// The negation of a boolean is computed before the conversion to a float.
    fsub_one_b2f: (fsub 1.0 (b2f x)) => (b2f (inot x));
    /// A converted boolean above 0.0 is true.
    flt_zero_b2f: (flt 0.0 (b2f x)) => x;
}

//! Rules with conditions on values.
//!
//! Each is bit-exact if its conditions hold, and incorrect for some other values: see the invariants of the
//! folder.

use super::rules;

rules! {
    /// A signed division of a nonnegative value by a power of two is a shift.
    known_idiv_pow2: (idiv x #c) => (ushr x (find_lsb c)) if pow2(c), at_least_zero(x);
    /// The remainder of a nonnegative value by a power of two is its low bits.
    known_irem_pow2: (irem x #c) => (iand x (isub c 1)) if pow2(c), at_least_zero(x);
    /// Dividing by a larger value gives zero.
    known_udiv_below: (udiv x y) => 0 if below(x, y);
    /// The remainder by a larger value is the value itself.
    known_umod_below: (umod x y) => x if below(x, y);
    /// The mask clears only bits that are known to be zero.
    known_iand_mask: (iand x #c) => x if zero_outside(x, c);
    /// The mask sets every bit that can be set in the value.
    known_ior_mask: (ior x #c) => c if zero_outside(x, c);
    /// A multiplication that does not overflow is undone by the division.
    known_udiv_imul: (udiv (imul x #c) #c) => x if fits_times(x, c);
    /// A multiplication that does not overflow is undone by the division.
    known_idiv_imul: (idiv (imul x #c) #c) => x if fits_times_signed(x, c);
    /// A product that does not overflow is divisible by its factor.
    known_umod_imul: (umod (imul x #c) #c) => 0 if fits_times(x, c);
    /// A product that does not overflow is divisible by its factor.
    known_irem_imul: (irem (imul x #c) #c) => 0 if fits_times_signed(x, c);
    /// A product that does not overflow is zero exactly if the value is.
    known_ieq_imul: (ieq (imul x #c) 0) => (ieq x 0) if fits_times(x, c);
    /// A product that does not overflow is nonzero exactly if the value is.
    known_ine_imul: (ine (imul x #c) 0) => (ine x 0) if fits_times(x, c);
    /// A left shift that loses no bits is zero exactly if the value is.
    known_ieq_ishl: (ieq (ishl x #c) 0) => (ieq x 0) if fits_shift(x, c);
    /// A left shift that loses no bits is nonzero exactly if the value is.
    known_ine_ishl: (ine (ishl x #c) 0) => (ine x 0) if fits_shift(x, c);
    /// Moves an added constant into the bound if neither wraps: `i + 1 < 10` is `i < 9`.
    known_ilt_moved: (ilt (iadd x #c) #d) => (ilt x (isub d c)) if fits_moved(x, c, d);
    /// Moves an added constant into the bound if neither wraps.
    known_ilt_moved_right: (ilt #d (iadd x #c)) => (ilt (isub d c) x) if fits_moved(x, c, d);
    /// Moves an added constant into the bound if neither wraps.
    known_ile_moved: (ile (iadd x #c) #d) => (ile x (isub d c)) if fits_moved(x, c, d);
    /// Moves an added constant into the bound if neither wraps.
    known_ile_moved_right: (ile #d (iadd x #c)) => (ile (isub d c) x) if fits_moved(x, c, d);
    /// Moves an added constant into the bound if neither wraps, unsigned.
    known_ult_moved: (ult (iadd x #c) #d) => (ult x (isub d c)) if fits_moved_unsigned(x, c, d);
    /// Moves an added constant into the bound if neither wraps, unsigned.
    known_ule_moved: (ule (iadd x #c) #d) => (ule x (isub d c)) if fits_moved_unsigned(x, c, d);

    /// The value fits the narrow type, so narrowing and widening it changes nothing.
    known_i2i_i2i: (i2i (i2i x)) => x if signed_byte(x);
    /// The value fits the narrow type, so narrowing and widening it changes nothing.
    known_u2u_u2u: (u2u (u2u x)) => x if byte(x);
    /// The integer is small enough to be converted to a float and back without rounding.
    known_f2i_i2f: (f2i (i2f x)) => x if up_to_2048_signed(x);
    /// The integer is small enough to be converted to a float and back without rounding.
    known_f2u_u2f: (f2u (u2f x)) => x if up_to_2048(x);
    /// The conversion truncates, which rounds nonnegative values down.
    known_f2i_ffloor: (f2i (ffloor x)) => (f2i x) if not_negative(x);
    /// The conversion truncates, which rounds values up to zero upward.
    known_f2i_fceil: (f2i (fceil x)) => (f2i x) if at_most_zero(x);

    /// The value is integral, so rounding changes nothing.
    known_ffloor_whole: (ffloor x) => x if whole(x);
    /// The value is integral, so rounding changes nothing.
    known_fceil_whole: (fceil x) => x if whole(x);
    /// The value is integral, so rounding changes nothing.
    known_ftrunc_whole: (ftrunc x) => x if whole(x);
    /// The value is integral, so rounding changes nothing.
    known_fround_even_whole: (fround_even x) => x if whole(x);
    /// Adding 0.0 changes only -0.0 and signaling NaNs, and the value is neither.
    known_fadd_zero: (fadd x 0.0) => x if not_minus_zero(x);
    /// A finite value minus itself is zero.
    known_fsub_same: (fsub x x) => 0.0 if finite(x);
    /// The factors are finite, so that only a product of -0.0 needs care.
    known_fmulz_finite: (fmulz x y) => (ffma x y 0.0) if finite(x), finite(y);
    /// The factors are finite, so that only a sum of two -0.0 could differ.
    known_ffmaz_finite: (ffmaz x y z) => (ffma x y z) if finite(x), finite(y), not_minus_zero(z);
    /// A finite nonzero value divided by itself is one.
    known_fdiv_same: (fdiv x x) => 1.0 if finite_not_zero(x);
    /// A value that is not NaN equals itself.
    known_feq_same: (feq x x) => true if number(x);
    /// A value that is not NaN does not differ from itself.
    known_fneu_same: (fneu x x) => false if number(x);
    /// A value that is not NaN is at most itself.
    known_fle_same: (fle x x) => true if number(x);
    /// The value is at least the lower bound, so only the upper bound is needed.
    known_fclamp_above: (fclamp x #a #b) => (fmin x b) if at_least(x, a);
    /// The value is at most the upper bound, so only the lower bound is needed.
    known_fclamp_below: (fclamp x #a #b) => (fmax x a) if at_most(x, b), at_most(a, b);
}

//! Rules that ask what is known of values.
//!
//! Each holds bit for bit where the answer is yes, and not for all values: see the laws of the folder.

use super::rules;

rules! {
    /// Dividing what is not negative by a power of two is a shift.
    known_idiv_pow2: (idiv x #c) => (ushr x (find_lsb c)) if pow2(c), at_least_zero(x);
    /// The rest of what is not negative, divided by a power of two, is its low bits.
    known_irem_pow2: (irem x #c) => (iand x (isub c 1)) if pow2(c), at_least_zero(x);
    /// What is smaller is not divided at all.
    known_udiv_below: (udiv x y) => 0 if below(x, y);
    /// What is smaller is the rest.
    known_umod_below: (umod x y) => x if below(x, y);
    /// A mask over bits that are zero anyway.
    known_iand_mask: (iand x #c) => x if zero_outside(x, c);
    /// A mask that sets every bit that may be set.
    known_ior_mask: (ior x #c) => c if zero_outside(x, c);
    /// What was multiplied without running over is divided back.
    known_udiv_imul: (udiv (imul x #c) #c) => x if fits_times(x, c);
    /// What was multiplied without running over is divided back.
    known_idiv_imul: (idiv (imul x #c) #c) => x if fits_times_signed(x, c);
    /// A multiple leaves no rest.
    known_umod_imul: (umod (imul x #c) #c) => 0 if fits_times(x, c);
    /// A multiple leaves no rest.
    known_irem_imul: (irem (imul x #c) #c) => 0 if fits_times_signed(x, c);
    /// A multiple is zero where the number is.
    known_ieq_imul: (ieq (imul x #c) 0) => (ieq x 0) if fits_times(x, c);
    /// A multiple is zero where the number is.
    known_ine_imul: (ine (imul x #c) 0) => (ine x 0) if fits_times(x, c);
    /// What is shifted without losing bits is zero where the number is.
    known_ieq_ishl: (ieq (ishl x #c) 0) => (ieq x 0) if fits_shift(x, c);
    /// What is shifted without losing bits is zero where the number is.
    known_ine_ishl: (ine (ishl x #c) 0) => (ine x 0) if fits_shift(x, c);
    /// A bound is moved instead of the number, where neither wraps: `i + 1 < 10` is `i < 9`.
    known_ilt_moved: (ilt (iadd x #c) #d) => (ilt x (isub d c)) if fits_moved(x, c, d);
    /// A bound is moved instead of the number, where neither wraps.
    known_ilt_moved_right: (ilt #d (iadd x #c)) => (ilt (isub d c) x) if fits_moved(x, c, d);
    /// A bound is moved instead of the number, where neither wraps.
    known_ile_moved: (ile (iadd x #c) #d) => (ile x (isub d c)) if fits_moved(x, c, d);
    /// A bound is moved instead of the number, where neither wraps.
    known_ile_moved_right: (ile #d (iadd x #c)) => (ile (isub d c) x) if fits_moved(x, c, d);
    /// A bound is moved instead of the number, where neither wraps, unsigned.
    known_ult_moved: (ult (iadd x #c) #d) => (ult x (isub d c)) if fits_moved_unsigned(x, c, d);
    /// A bound is moved instead of the number, where neither wraps, unsigned.
    known_ule_moved: (ule (iadd x #c) #d) => (ule x (isub d c)) if fits_moved_unsigned(x, c, d);

    /// A narrow number survives being made narrow.
    known_i2i_i2i: (i2i (i2i x)) => x if signed_byte(x);
    /// A narrow number survives being made narrow.
    known_u2u_u2u: (u2u (u2u x)) => x if byte(x);
    /// A small number is a float without rounding, and comes back.
    known_f2i_i2f: (f2i (i2f x)) => x if up_to_2048_signed(x);
    /// A small number is a float without rounding, and comes back.
    known_f2u_u2f: (f2u (u2f x)) => x if up_to_2048(x);
    /// Converting cuts off, and above zero that is rounding down.
    known_f2i_ffloor: (f2i (ffloor x)) => (f2i x) if not_negative(x);
    /// Converting cuts off, and below zero that is rounding up.
    known_f2i_fceil: (f2i (fceil x)) => (f2i x) if at_most_zero(x);

    /// A whole number is not rounded.
    known_ffloor_whole: (ffloor x) => x if whole(x);
    /// A whole number is not rounded.
    known_fceil_whole: (fceil x) => x if whole(x);
    /// A whole number is not rounded.
    known_ftrunc_whole: (ftrunc x) => x if whole(x);
    /// A whole number is not rounded.
    known_fround_even_whole: (fround_even x) => x if whole(x);
    /// Adding zero changes nothing but -0, and makes a quiet NaN.
    known_fadd_zero: (fadd x 0.0) => x if not_minus_zero(x);
    /// What is finite and taken from itself is zero.
    known_fsub_same: (fsub x x) => 0.0 if finite(x);
    /// What is finite and no zero, divided by itself, is one.
    known_fdiv_same: (fdiv x x) => 1.0 if finite_not_zero(x);
    /// A number equals itself.
    known_feq_same: (feq x x) => true if number(x);
    /// A number does not differ from itself.
    known_fneu_same: (fneu x x) => false if number(x);
    /// A number is at most itself.
    known_fle_same: (fle x x) => true if number(x);
    /// Half a clamp is enough where the number is above the lower bound.
    known_fclamp_above: (fclamp x #a #b) => (fmin x b) if at_least(x, a);
    /// Half a clamp is enough where the number is below the upper bound.
    known_fclamp_below: (fclamp x #a #b) => (fmax x a) if at_most(x, b), at_most(a, b);
}

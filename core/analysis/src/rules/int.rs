//! Rules of integer arithmetic. Integers wrap, so all of them hold without exception.

use super::rules;

rules! {
    /// Adding zero changes nothing.
    iadd_zero: (iadd x 0) => x;
    /// Subtracting zero changes nothing.
    isub_zero: (isub x 0) => x;
    /// A value minus itself is zero.
    isub_self: (isub x x) => 0;
    /// Zero minus a value is its negation.
    zero_isub: (isub 0 x) => (ineg x);
    /// Subtracting a constant is adding its negation: the canonical form.
    isub_const: (isub x #c) => (iadd x (ineg c));
    /// Combines two additions of constants.
    iadd_iadd_const: (iadd (iadd x #c) #d) => (iadd x (iadd c d));
    /// Adding a negated value is subtracting the value.
    iadd_ineg: (iadd x (ineg y)) => (isub x y);
    /// Subtracting a negated value is adding the value.
    isub_ineg: (isub x (ineg y)) => (iadd x y);
    /// A subtraction and an addition of the same value cancel.
    isub_iadd: (iadd (isub x y) y) => x;
    /// An addition and a subtraction of the same value cancel.
    iadd_isub: (isub (iadd x y) y) => x;
    /// `x - (x - y)` is `y`.
    isub_isub: (isub x (isub x y)) => y;
    /// Negating a difference swaps its operands.
    ineg_isub: (ineg (isub x y)) => (isub y x);
    /// A double negation cancels.
    ineg_ineg: (ineg (ineg x)) => x;

    /// A product with zero is zero.
    imul_zero: (imul x 0) => 0;
    /// Multiplying by one changes nothing.
    imul_one: (imul x 1) => x;
    /// Multiplying by minus one negates.
    imul_minus_one: (imul x -1) => (ineg x);
    /// A multiplication by a power of two is a shift.
    imul_pow2: (imul x #c) => (ishl x (find_lsb c)) if pow2(c);
    /// Combines two multiplications by constants.
    imul_imul_const: (imul (imul x #c) #d) => (imul x (imul c d));
    /// The negations of two factors cancel.
    imul_ineg_ineg: (imul (ineg x) (ineg y)) => (imul x y);
    /// Moves the negation of a factor into the constant.
    imul_ineg_const: (imul (ineg x) #c) => (imul x (ineg c));

    /// Dividing by one changes nothing.
    udiv_one: (udiv x 1) => x;
    /// Dividing by one changes nothing, signed.
    idiv_one: (idiv x 1) => x;
    /// Dividing by minus one negates.
    idiv_minus_one: (idiv x -1) => (ineg x);
    /// An unsigned division by a power of two is a shift.
    udiv_pow2: (udiv x #c) => (ushr x (find_lsb c)) if pow2(c);
    /// Zero divided by any value is zero; here that includes zero divided by zero.
    zero_udiv: (udiv 0 x) => 0;
    /// Zero divided by any value is zero, signed.
    zero_idiv: (idiv 0 x) => 0;
    /// The remainder of a division by one is zero.
    umod_one: (umod x 1) => 0;
    /// The modulus by one is zero, signed.
    imod_one: (imod x 1) => 0;
    /// The signed remainder of a division by one is zero.
    irem_one: (irem x 1) => 0;
    /// The unsigned remainder by a power of two is the low bits.
    umod_pow2: (umod x #c) => (iand x (isub c 1)) if pow2(c);

    /// The minimum of a value and itself is the value.
    imin_same: (imin x x) => x;
    /// The maximum of a value and itself is the value.
    imax_same: (imax x x) => x;
    /// The minimum of a value and itself is the value, unsigned.
    umin_same: (umin x x) => x;
    /// The maximum of a value and itself is the value, unsigned.
    umax_same: (umax x x) => x;
    /// No unsigned value is below zero, so the minimum is zero.
    umin_zero: (umin x 0) => 0;
    /// Every unsigned value is at least zero, so the maximum is the value.
    umax_zero: (umax x 0) => x;
    /// Every unsigned value is at most all ones, so the minimum is the value.
    umin_ones: (umin x -1) => x;
    /// No unsigned value is above all ones, so the maximum is all ones.
    umax_ones: (umax x -1) => (inot 0);
    /// Absorption: `max(x, min(x, y))` is `x`.
    imax_imin: (imax x (imin x y)) => x;
    /// Absorption: `min(x, max(x, y))` is `x`.
    imin_imax: (imin x (imax x y)) => x;
    /// Combines two constant bounds.
    imin_imin_const: (imin (imin x #c) #d) => (imin x (imin c d));
    /// Combines two constant bounds.
    imax_imax_const: (imax (imax x #c) #d) => (imax x (imax c d));
    /// An absolute value is its own absolute value.
    iabs_iabs: (iabs (iabs x)) => (iabs x);
    /// The absolute value ignores the sign.
    iabs_ineg: (iabs (ineg x)) => (iabs x);

    /// A value plus its bitwise complement is all ones.
    iadd_inot: (iadd x (inot x)) => (inot 0);
    /// The bitwise complement plus one is the negation.
    iadd_inot_one: (iadd (inot x) 1) => (ineg x);
    /// All ones minus a value is its bitwise complement.
    ones_isub: (isub -1 x) => (inot x);
    /// The bitwise complement of `x - 1` is the negation of `x`.
    inot_iadd_ones: (inot (iadd x -1)) => (ineg x);
    /// Factors out a common factor.
    iadd_imul_imul: (iadd (once imul x y) (once imul x z)) => (imul x (iadd y z));
    /// Factors out a common factor.
    isub_imul_imul: (isub (once imul x y) (once imul x z)) => (imul x (isub y z));
    /// `x * c + x` is `x * (c + 1)`.
    iadd_imul_same: (iadd (imul x #c) x) => (imul x (iadd c 1));
    /// `x * c - x` is `x * (c - 1)`.
    isub_imul_same: (isub (imul x #c) x) => (imul x (isub c 1));
    /// Combines the constants of nested additions and subtractions.
    const_isub_iadd: (isub #c (iadd x #d)) => (isub (isub c d) x);
    /// Combines the constants of nested additions and subtractions.
    const_isub_isub: (isub #c (isub #d x)) => (iadd x (isub c d));
    /// Combines the constants of nested additions and subtractions.
    iadd_const_isub: (iadd (isub #c x) #d) => (isub (iadd c d) x);
    /// `(x - y) + (y - z)` is `x - z`.
    iadd_isub_isub: (iadd (isub x y) (isub y z)) => (isub x z);
    /// A common summand cancels in a difference.
    isub_iadd_iadd: (isub (iadd x y) (iadd x z)) => (isub y z);
    /// A common minuend cancels in a difference.
    isub_isub_isub: (isub (isub x y) (isub x z)) => (isub z y);
    /// `(x - y) - x` is `-y`.
    isub_isub_same: (isub (isub x y) x) => (ineg y);
    /// `x - (x + y)` is `-y`.
    isub_same_iadd: (isub x (iadd x y)) => (ineg y);
    /// The sum of two negated values is the negation of their sum.
    iadd_ineg_ineg: (iadd (ineg x) (ineg y)) => (ineg (iadd x y));
    /// `-x - y` is `-(x + y)`.
    ineg_isub_other: (isub (ineg x) y) => (ineg (iadd x y));
    /// Moves the negation into the constant.
    ineg_iadd_const: (ineg (iadd x #c)) => (isub (ineg c) x);
    /// Moves the negation into the constant.
    ineg_imul_const: (ineg (imul x #c)) => (imul x (ineg c));
    /// Squaring ignores the sign, so the absolute values are redundant.
    imul_iabs_same: (imul (iabs x) (iabs x)) => (imul x x);
    /// The maximum of a value and its negation is the absolute value.
    imax_ineg: (imax x (ineg x)) => (iabs x);
    /// Absorption: `max(x, min(x, y))` is `x`, unsigned.
    umax_umin: (umax x (umin x y)) => x;
    /// Absorption: `min(x, max(x, y))` is `x`, unsigned.
    umin_umax: (umin x (umax x y)) => x;
    /// Combines two constant bounds, unsigned.
    umin_umin_const: (umin (umin x #c) #d) => (umin x (umin c d));
    /// Combines two constant bounds, unsigned.
    umax_umax_const: (umax (umax x #c) #d) => (umax x (umax c d));
    /// Applying the same bound twice is redundant.
    imin_imin_same: (imin (imin x y) y) => (imin x y);
    /// Applying the same bound twice is redundant.
    imax_imax_same: (imax (imax x y) y) => (imax x y);
    /// Applying the same bound twice is redundant.
    umin_umin_same: (umin (umin x y) y) => (umin x y);
    /// Applying the same bound twice is redundant.
    umax_umax_same: (umax (umax x y) y) => (umax x y);
    /// Bitwise complement reverses the order, which exchanges minimum and maximum.
    imin_inot_inot: (imin (inot x) (inot y)) => (inot (imax x y));
    /// Bitwise complement reverses the order, which exchanges minimum and maximum.
    imax_inot_inot: (imax (inot x) (inot y)) => (inot (imin x y));
    /// Bitwise complement reverses the unsigned order too, which exchanges minimum and maximum.
    umin_inot_inot: (umin (inot x) (inot y)) => (inot (umax x y));
    /// Bitwise complement reverses the unsigned order too, which exchanges minimum and maximum.
    umax_inot_inot: (umax (inot x) (inot y)) => (inot (umin x y));
}

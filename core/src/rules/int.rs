//! Rules of integer arithmetic. Numbers wrap, so all of them hold without exception.

use super::rules;

rules! {
    /// Adding zero changes nothing.
    iadd_zero: (iadd x 0) => x;
    /// Subtracting zero changes nothing.
    isub_zero: (isub x 0) => x;
    /// A number less itself is zero.
    isub_self: (isub x x) => 0;
    /// Zero less a number is its negative.
    zero_isub: (isub 0 x) => (ineg x);
    /// Subtracting a constant is adding its negative: one form instead of two.
    isub_const: (isub x #c) => (iadd x (ineg c));
    /// Constants that are added one after the other are added at once.
    iadd_iadd_const: (iadd (iadd x #c) #d) => (iadd x (iadd c d));
    /// Adding a negative is subtracting.
    iadd_ineg: (iadd x (ineg y)) => (isub x y);
    /// Subtracting a negative is adding.
    isub_ineg: (isub x (ineg y)) => (iadd x y);
    /// What was subtracted and is added again.
    isub_iadd: (iadd (isub x y) y) => x;
    /// What was added and is subtracted again.
    iadd_isub: (isub (iadd x y) y) => x;
    /// The rest of a number, less the rest again.
    isub_isub: (isub x (isub x y)) => y;
    /// The negative of a difference is the difference the other way round.
    ineg_isub: (ineg (isub x y)) => (isub y x);
    /// The negative of the negative.
    ineg_ineg: (ineg (ineg x)) => x;

    /// Any number of zeros is zero.
    imul_zero: (imul x 0) => 0;
    /// Once a number is the number.
    imul_one: (imul x 1) => x;
    /// Minus once a number is its negative.
    imul_minus_one: (imul x -1) => (ineg x);
    /// A multiplication by a power of two is a shift.
    imul_pow2: (imul x #c) => (ishl x (find_lsb c)) if pow2(c);
    /// Constants that are multiplied with one after the other are multiplied at once.
    imul_imul_const: (imul (imul x #c) #d) => (imul x (imul c d));
    /// The signs of two factors cancel.
    imul_ineg_ineg: (imul (ineg x) (ineg y)) => (imul x y);
    /// The sign of a factor goes into the constant.
    imul_ineg_const: (imul (ineg x) #c) => (imul x (ineg c));

    /// A number over one is the number.
    udiv_one: (udiv x 1) => x;
    /// A number over one is the number, with a sign too.
    idiv_one: (idiv x 1) => x;
    /// Over minus one it is the negative.
    idiv_minus_one: (idiv x -1) => (ineg x);
    /// An unsigned division by a power of two is a shift.
    udiv_pow2: (udiv x #c) => (ushr x (find_lsb c)) if pow2(c);
    /// Zero over anything is zero, over zero too.
    zero_udiv: (udiv 0 x) => 0;
    /// Zero over anything is zero, with a sign too.
    zero_idiv: (idiv 0 x) => 0;
    /// One divides everything.
    umod_one: (umod x 1) => 0;
    /// One divides everything, whatever the sign.
    imod_one: (imod x 1) => 0;
    /// One divides everything; the remainder has no sign then.
    irem_one: (irem x 1) => 0;
    /// The unsigned remainder by a power of two is what its lower bits say.
    umod_pow2: (umod x #c) => (iand x (isub c 1)) if pow2(c);

    /// The smaller of a number and itself.
    imin_same: (imin x x) => x;
    /// The larger of a number and itself.
    imax_same: (imax x x) => x;
    /// The smaller of a number and itself, unsigned.
    umin_same: (umin x x) => x;
    /// The larger of a number and itself, unsigned.
    umax_same: (umax x x) => x;
    /// Nothing is below zero.
    umin_zero: (umin x 0) => 0;
    /// Everything is at least zero.
    umax_zero: (umax x 0) => x;
    /// Everything is at most all ones.
    umin_ones: (umin x -1) => x;
    /// Nothing is above all ones.
    umax_ones: (umax x -1) => (inot 0);
    /// The smaller of two, and the larger of that and one of them.
    imax_imin: (imax x (imin x y)) => x;
    /// The larger of two, and the smaller of that and one of them.
    imin_imax: (imin x (imax x y)) => x;
    /// Bounds one after the other are one bound.
    imin_imin_const: (imin (imin x #c) #d) => (imin x (imin c d));
    /// Bounds one after the other are one bound.
    imax_imax_const: (imax (imax x #c) #d) => (imax x (imax c d));
    /// An absolute value has no sign to lose.
    iabs_iabs: (iabs (iabs x)) => (iabs x);
    /// The sign is lost anyway.
    iabs_ineg: (iabs (ineg x)) => (iabs x);

    /// A number and its opposite have every bit once.
    iadd_inot: (iadd x (inot x)) => (inot 0);
    /// The opposite and one more is the negative.
    iadd_inot_one: (iadd (inot x) 1) => (ineg x);
    /// All ones less a number is its opposite.
    ones_isub: (isub -1 x) => (inot x);
    /// The opposite of one less is the negative.
    inot_iadd_ones: (inot (iadd x -1)) => (ineg x);
    /// A common factor is multiplied with once.
    iadd_imul_imul: (iadd (once imul x y) (once imul x z)) => (imul x (iadd y z));
    /// A common factor is multiplied with once.
    isub_imul_imul: (isub (once imul x y) (once imul x z)) => (imul x (isub y z));
    /// So many times a number, and once more.
    iadd_imul_same: (iadd (imul x #c) x) => (imul x (iadd c 1));
    /// So many times a number, but once.
    isub_imul_same: (isub (imul x #c) x) => (imul x (isub c 1));
    /// Constants on both sides of a difference are one.
    const_isub_iadd: (isub #c (iadd x #d)) => (isub (isub c d) x);
    /// Constants on both sides of a difference are one.
    const_isub_isub: (isub #c (isub #d x)) => (iadd x (isub c d));
    /// Constants on both sides of a difference are one.
    iadd_const_isub: (iadd (isub #c x) #d) => (isub (iadd c d) x);
    /// What is taken away and brought back.
    iadd_isub_isub: (iadd (isub x y) (isub y z)) => (isub x z);
    /// What both have is no difference.
    isub_iadd_iadd: (isub (iadd x y) (iadd x z)) => (isub y z);
    /// What both are taken from is no difference.
    isub_isub_isub: (isub (isub x y) (isub x z)) => (isub z y);
    /// A difference less what it was taken from.
    isub_isub_same: (isub (isub x y) x) => (ineg y);
    /// A number less a larger one.
    isub_same_iadd: (isub x (iadd x y)) => (ineg y);
    /// Two negatives are added as one.
    iadd_ineg_ineg: (iadd (ineg x) (ineg y)) => (ineg (iadd x y));
    /// A negative less a number is the negative of their sum.
    ineg_isub_other: (isub (ineg x) y) => (ineg (iadd x y));
    /// The sign goes into the constant.
    ineg_iadd_const: (ineg (iadd x #c)) => (isub (ineg c) x);
    /// The sign goes into the constant.
    ineg_imul_const: (ineg (imul x #c)) => (imul x (ineg c));
    /// A square has no sign to lose.
    imul_iabs_same: (imul (iabs x) (iabs x)) => (imul x x);
    /// The larger of a number and its negative.
    imax_ineg: (imax x (ineg x)) => (iabs x);
    /// The smaller of two, and the larger of that and one of them, unsigned.
    umax_umin: (umax x (umin x y)) => x;
    /// The larger of two, and the smaller of that and one of them, unsigned.
    umin_umax: (umin x (umax x y)) => x;
    /// Bounds one after the other are one bound, unsigned.
    umin_umin_const: (umin (umin x #c) #d) => (umin x (umin c d));
    /// Bounds one after the other are one bound, unsigned.
    umax_umax_const: (umax (umax x #c) #d) => (umax x (umax c d));
    /// A bound holds once it holds.
    imin_imin_same: (imin (imin x y) y) => (imin x y);
    /// A bound holds once it holds.
    imax_imax_same: (imax (imax x y) y) => (imax x y);
    /// A bound holds once it holds.
    umin_umin_same: (umin (umin x y) y) => (umin x y);
    /// A bound holds once it holds.
    umax_umax_same: (umax (umax x y) y) => (umax x y);
    /// Opposites turn an order round.
    imin_inot_inot: (imin (inot x) (inot y)) => (inot (imax x y));
    /// Opposites turn an order round.
    imax_inot_inot: (imax (inot x) (inot y)) => (inot (imin x y));
    /// Opposites turn an order round, unsigned too.
    umin_inot_inot: (umin (inot x) (inot y)) => (inot (umax x y));
    /// Opposites turn an order round, unsigned too.
    umax_inot_inot: (umax (inot x) (inot y)) => (inot (umin x y));
}

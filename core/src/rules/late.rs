//! Rules for targets, when everything else is done: two operations that are one there, and forms that the set
//! `algebraic` chose against.

use super::rules;

rules! {
    /// Adding a negative constant is subtracting.
    late_iadd_negative: (iadd x #c) => (isub x (ineg c)) if negative(c);
    /// A constant on the left of less is one on the right of greater.
    late_const_ilt: (ilt #c x) => (igt x c);
    /// A constant on the left of at most is one on the right of at least.
    late_const_ile: (ile #c x) => (ige x c);
    /// A constant on the left of less is one on the right of greater, unsigned.
    late_const_ult: (ult #c x) => (ugt x c);
    /// A constant on the left of at most is one on the right of at least, unsigned.
    late_const_ule: (ule #c x) => (uge x c);
    /// A constant on the left of less is one on the right of greater; NaN makes both false.
    late_const_flt: (flt #c x) => (fgt x c);
    /// A constant on the left of at most is one on the right of at least; NaN makes both false.
    late_const_fle: (fle #c x) => (fge x c);
    /// A constant on the left of less is one on the right of greater; NaN makes both true.
    late_const_fltu: (fltu #c x) => (fgtu x c);
    /// A constant on the left of at most is one on the right of at least; NaN makes both true.
    late_const_fleu: (fleu #c x) => (fgeu x c);

    /// At least one number and at most another.
    late_imin_imax: (imin (imax x a) b) => (iclamp x a b);
    /// At least one number and at most another, unsigned.
    late_umin_umax: (umin (umax x a) b) => (uclamp x a b);
    /// At least one number and at most another; NaN gives the first both ways.
    late_fmin_fmax: (fmin (fmax x a) b) => (fclamp x a b);
    /// A product and a sum are one operation with one rounding, where that is allowed.
    late_fadd_fmul [contract]: (fadd (fmul x y) z) => (ffma x y z);
    /// A product less a number is one operation with one rounding, where that is allowed.
    late_fsub_fmul [contract]: (fsub (fmul x y) z) => (ffma x y (fneg z));
    /// A number less a product is one operation with one rounding, where that is allowed.
    late_fsub_other_fmul [contract]: (fsub z (fmul x y)) => (ffma (fneg x) y z);

    /// Bits moved down and masked are a field.
    late_iand_ushr: (iand (ushr x #c) #m) => (ubfe x c (bitcount m)) if field(c, m);
    /// Bits chosen by a mask.
    late_bitselect: (ior (iand m a) (iand (inot m) b)) => (bitselect m a b);
    /// Bits flipped where a mask says so, and only there: bits chosen by the mask.
    late_bitselect_ixor: (ixor (iand (ixor a b) m) b) => (bitselect m a b);
    /// The whole part of a number, taken away from it.
    late_fsub_ffloor: (fsub x (ffloor x)) => (ffract x);
}

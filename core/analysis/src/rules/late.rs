//! Rules for targets, applied after all other simplification: combinations that targets have one instruction
//! for, and forms that the set `algebraic` decided against.

use super::rules;

rules! {
    /// Adding a negative constant is subtracting its negation.
    late_iadd_negative: (iadd x #c) => (isub x (ineg c)) if negative(c);
    /// Moves a constant from the left of `<` to the right of `>`.
    late_const_ilt: (ilt #c x) => (igt x c);
    /// Moves a constant from the left of `<=` to the right of `>=`.
    late_const_ile: (ile #c x) => (ige x c);
    /// Moves a constant from the left of `<` to the right of `>`, unsigned.
    late_const_ult: (ult #c x) => (ugt x c);
    /// Moves a constant from the left of `<=` to the right of `>=`, unsigned.
    late_const_ule: (ule #c x) => (uge x c);
    /// Moves a constant from the left of `<` to the right of `>`; NaN makes both false.
    late_const_flt: (flt #c x) => (fgt x c);
    /// Moves a constant from the left of `<=` to the right of `>=`; NaN makes both false.
    late_const_fle: (fle #c x) => (fge x c);
    /// Moves a constant from the left of `<` to the right of `>`; NaN makes both true.
    late_const_fltu: (fltu #c x) => (fgtu x c);
    /// Moves a constant from the left of `<=` to the right of `>=`; NaN makes both true.
    late_const_fleu: (fleu #c x) => (fgeu x c);

    /// A lower and an upper bound are a clamp.
    late_imin_imax: (imin (imax x a) b) => (iclamp x a b);
    /// A lower and an upper bound are a clamp, unsigned.
    late_umin_umax: (umin (umax x a) b) => (uclamp x a b);
    /// A lower and an upper bound are a clamp; both give the lower bound for NaN.
    late_fmin_fmax: (fmin (fmax x a) b) => (fclamp x a b);
    /// Contracts a multiplication and an addition to a fused multiply-add, which rounds once.
    late_fadd_fmul [contract]: (fadd (fmul x y) z) => (ffma x y z);
    /// Contracts a multiplication and a subtraction to a fused multiply-add, which rounds once.
    late_fsub_fmul [contract]: (fsub (fmul x y) z) => (ffma x y (fneg z));
    /// Contracts the subtraction of a product to a fused multiply-add, which rounds once.
    late_fsub_other_fmul [contract]: (fsub z (fmul x y)) => (ffma (fneg x) y z);

    /// A right shift and a mask of low bits extract a bit field.
    late_iand_ushr: (iand (ushr x #c) #m) => (ubfe x c (bitcount m)) if field(c, m);
    /// Masking two values by a mask and its complement is a bitwise select.
    late_bitselect: (ior (iand m a) (iand (inot m) b)) => (bitselect m a b);
    /// Flipping the masked bits in which two values differ is a bitwise select.
    late_bitselect_ixor: (ixor (iand (ixor a b) m) b) => (bitselect m a b);
    /// A value minus its floor is its fractional part.
    late_fsub_ffloor: (fsub x (ffloor x)) => (ffract x);
}

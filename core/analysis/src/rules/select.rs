//! Rules of selects.

use super::rules;

rules! {
    /// The condition always holds.
    select_true: (select true a b) => a;
    /// The condition never holds.
    select_false: (select false a b) => b;
    /// Both alternatives are the same.
    select_same: (select c a a) => a;
    /// Choosing between one and zero is converting the condition to an integer.
    select_one_zero: (select c 1 0) => (b2i c);
    /// Choosing between 1.0 and 0.0 is converting the condition to a float.
    select_one_zero_float: (select c 1.0 0.0) => (b2f c);
    /// Selecting by a negated condition swaps the alternatives.
    select_inot: (select (inot c) a b) => (select c b a);
    /// Choosing between true and false is the condition itself.
    select_true_false: (select c true false) => c;
    /// Choosing between false and true is the negated condition.
    select_false_true: (select c false true) => (inot c);
    /// If the alternative chosen on true is true, the select is an `or`.
    select_true_b: (select c true b) => (ior c b);
    /// If the alternative chosen on false is false, the select is an `and`.
    select_a_false: (select c a false) => (iand c a);
    /// A nested select by the same condition is already decided.
    select_select_a: (select c (select c a b) d) => (select c a d);
    /// A nested select by the same condition is already decided.
    select_select_b: (select c a (select c b d)) => (select c a d);
    /// The condition is true where it is chosen itself, so the select is an `or`.
    select_cond_a: (select c c b) => (ior c b);
    /// The condition is false where it is chosen itself, so the select is an `and`.
    select_cond_b: (select c a c) => (iand c a);

    /// The condition always holds.
    select1_true: (select1 true a b) => a;
    /// The condition never holds.
    select1_false: (select1 false a b) => b;
    /// Both alternatives are the same.
    select1_same: (select1 c a a) => a;
    /// Selecting by a negated condition swaps the alternatives.
    select1_inot: (select1 (inot c) a b) => (select1 c b a);
    /// A nested select by the same condition is already decided.
    select1_select1_a: (select1 c (select1 c a b) d) => (select1 c a d);
    /// A nested select by the same condition is already decided.
    select1_select1_b: (select1 c a (select1 c b d)) => (select1 c a d);
    /// A mask of all ones chooses every bit of the first alternative.
    bitselect_ones: (bitselect -1 a b) => a;
    /// A mask of zero chooses every bit of the second alternative.
    bitselect_zero: (bitselect 0 a b) => b;
    /// Both alternatives have the same bits.
    bitselect_same: (bitselect m a a) => a;

    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_iadd: (select c (once iadd x a) (once iadd x b)) => (iadd x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_imul: (select c (once imul x a) (once imul x b)) => (imul x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_iand: (select c (once iand x a) (once iand x b)) => (iand x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ior: (select c (once ior x a) (once ior x b)) => (ior x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ixor: (select c (once ixor x a) (once ixor x b)) => (ixor x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fadd: (select c (once fadd x a) (once fadd x b)) => (fadd x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fmul: (select c (once fmul x a) (once fmul x b)) => (fmul x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_imin: (select c (once imin x a) (once imin x b)) => (imin x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_imax: (select c (once imax x a) (once imax x b)) => (imax x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_umin: (select c (once umin x a) (once umin x b)) => (umin x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_umax: (select c (once umax x a) (once umax x b)) => (umax x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_isub_from: (select c (once isub x a) (once isub x b)) => (isub x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_isub_by: (select c (once isub a x) (once isub b x)) => (isub (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fsub_from: (select c (once fsub x a) (once fsub x b)) => (fsub x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fsub_by: (select c (once fsub a x) (once fsub b x)) => (fsub (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ishl_from: (select c (once ishl x a) (once ishl x b)) => (ishl x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ishl_by: (select c (once ishl a x) (once ishl b x)) => (ishl (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ushr_from: (select c (once ushr x a) (once ushr x b)) => (ushr x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ushr_by: (select c (once ushr a x) (once ushr b x)) => (ushr (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ishr_from: (select c (once ishr x a) (once ishr x b)) => (ishr x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ishr_by: (select c (once ishr a x) (once ishr b x)) => (ishr (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fdiv_from: (select c (once fdiv x a) (once fdiv x b)) => (fdiv x (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fdiv_by: (select c (once fdiv a x) (once fdiv b x)) => (fdiv (select c a b) x);
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ineg_ineg: (select c (once ineg a) (once ineg b)) => (ineg (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_inot_inot: (select c (once inot a) (once inot b)) => (inot (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fneg_fneg: (select c (once fneg a) (once fneg b)) => (fneg (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fabs_fabs: (select c (once fabs a) (once fabs b)) => (fabs (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fsat_fsat: (select c (once fsat a) (once fsat b)) => (fsat (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_fsqrt_fsqrt: (select c (once fsqrt a) (once fsqrt b)) => (fsqrt (select c a b));
    /// Both alternatives apply the same operation: it is applied once, after the select.
    select_ffloor_ffloor: (select c (once ffloor a) (once ffloor b)) => (ffloor (select c a b));
    /// Choosing the smaller value by a comparison is a minimum.
    select_ilt_min: (select (ilt a b) a b) => (imin a b);
    /// Choosing the larger value by a comparison is a maximum.
    select_ilt_max: (select (ilt a b) b a) => (imax a b);
    /// Choosing the smaller value by a comparison is a minimum.
    select_ile_min: (select (ile a b) a b) => (imin a b);
    /// Choosing the larger value by a comparison is a maximum.
    select_ile_max: (select (ile a b) b a) => (imax a b);
    /// Choosing the smaller value by a comparison is a minimum, unsigned.
    select_ult_min: (select (ult a b) a b) => (umin a b);
    /// Choosing the larger value by a comparison is a maximum, unsigned.
    select_ult_max: (select (ult a b) b a) => (umax a b);
    /// Choosing the smaller value by a comparison is a minimum, unsigned.
    select_ule_min: (select (ule a b) a b) => (umin a b);
    /// Choosing the larger value by a comparison is a maximum, unsigned.
    select_ule_max: (select (ule a b) b a) => (umax a b);
    /// If the values are equal either can be chosen, so the result is always the second value.
    select_ieq_same: (select (ieq a b) a b) => b;
    /// If the values are equal either can be chosen, so the result is always the first value.
    select_ine_same: (select (ine a b) a b) => a;
    /// Negating only negative values is the absolute value.
    select_iabs: (select (ilt x 0) (ineg x) x) => (iabs x);
    /// Choosing between zero and one is converting the negated condition to an integer.
    select_zero_one: (select c 0 1) => (b2i (inot c));
    /// Choosing between 0.0 and 1.0 is converting the negated condition to a float.
    select_zero_one_float: (select c 0.0 1.0) => (b2f (inot c));
    /// Choosing between all ones and zero is negating the condition as an integer.
    select_ones_zero: (select c -1 0) => (ineg (b2i c));
    /// Two selects with the same alternative on false are one select by the `and` of the conditions.
    select_and: (select a (select b x y) y) => (select (iand a b) x y);
    /// Two selects with the same alternative on true are one select by the `or` of the conditions.
    select_or: (select a x (select b x y)) => (select (ior a b) x y);
    /// If the condition is false the `and` is false, so only the alternative chosen on true matters.
    iand_select: (iand c (select c a b)) => (iand c a);
    /// If the condition is true the `or` is true, so only the alternative chosen on false matters.
    ior_select: (ior c (select c a b)) => (ior c b);
}

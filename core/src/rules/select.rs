//! Rules of choices by a condition.

use super::rules;

rules! {
    /// The condition always holds.
    select_true: (select true a b) => a;
    /// The condition never holds.
    select_false: (select false a b) => b;
    /// Both are the same.
    select_same: (select c a a) => a;
    /// One or zero is the condition as a number.
    select_one_zero: (select c 1 0) => (b2i c);
    /// 1.0 or 0.0 is the condition as a float.
    select_one_zero_float: (select c 1.0 0.0) => (b2f c);
    /// The opposite condition chooses the other one.
    select_inot: (select (inot c) a b) => (select c b a);
    /// The condition itself.
    select_true_false: (select c true false) => c;
    /// The opposite of the condition.
    select_false_true: (select c false true) => (inot c);
    /// True if the condition is, else the other.
    select_true_b: (select c true b) => (ior c b);
    /// The other, if the condition holds.
    select_a_false: (select c a false) => (iand c a);
    /// A choice by the same condition inside.
    select_select_a: (select c (select c a b) d) => (select c a d);
    /// A choice by the same condition inside.
    select_select_b: (select c a (select c b d)) => (select c a d);
    /// A condition that chooses itself.
    select_cond_a: (select c c b) => (ior c b);
    /// A condition that chooses itself.
    select_cond_b: (select c a c) => (iand c a);

    /// The condition always holds.
    select1_true: (select1 true a b) => a;
    /// The condition never holds.
    select1_false: (select1 false a b) => b;
    /// Both are the same.
    select1_same: (select1 c a a) => a;
    /// The opposite condition chooses the other one.
    select1_inot: (select1 (inot c) a b) => (select1 c b a);
    /// A choice by the same condition inside.
    select1_select1_a: (select1 c (select1 c a b) d) => (select1 c a d);
    /// A choice by the same condition inside.
    select1_select1_b: (select1 c a (select1 c b d)) => (select1 c a d);
    /// The bits chosen everywhere.
    bitselect_ones: (bitselect -1 a b) => a;
    /// The bits chosen nowhere.
    bitselect_zero: (bitselect 0 a b) => b;
    /// The bits are the same either way.
    bitselect_same: (bitselect m a a) => a;

    /// What is done either way is done once.
    select_iadd: (select c (once iadd x a) (once iadd x b)) => (iadd x (select c a b));
    /// What is done either way is done once.
    select_imul: (select c (once imul x a) (once imul x b)) => (imul x (select c a b));
    /// What is done either way is done once.
    select_iand: (select c (once iand x a) (once iand x b)) => (iand x (select c a b));
    /// What is done either way is done once.
    select_ior: (select c (once ior x a) (once ior x b)) => (ior x (select c a b));
    /// What is done either way is done once.
    select_ixor: (select c (once ixor x a) (once ixor x b)) => (ixor x (select c a b));
    /// What is done either way is done once.
    select_fadd: (select c (once fadd x a) (once fadd x b)) => (fadd x (select c a b));
    /// What is done either way is done once.
    select_fmul: (select c (once fmul x a) (once fmul x b)) => (fmul x (select c a b));
    /// What is done either way is done once.
    select_imin: (select c (once imin x a) (once imin x b)) => (imin x (select c a b));
    /// What is done either way is done once.
    select_imax: (select c (once imax x a) (once imax x b)) => (imax x (select c a b));
    /// What is done either way is done once.
    select_umin: (select c (once umin x a) (once umin x b)) => (umin x (select c a b));
    /// What is done either way is done once.
    select_umax: (select c (once umax x a) (once umax x b)) => (umax x (select c a b));
    /// What is done either way is done once.
    select_isub_from: (select c (once isub x a) (once isub x b)) => (isub x (select c a b));
    /// What is done either way is done once.
    select_isub_by: (select c (once isub a x) (once isub b x)) => (isub (select c a b) x);
    /// What is done either way is done once.
    select_fsub_from: (select c (once fsub x a) (once fsub x b)) => (fsub x (select c a b));
    /// What is done either way is done once.
    select_fsub_by: (select c (once fsub a x) (once fsub b x)) => (fsub (select c a b) x);
    /// What is done either way is done once.
    select_ishl_from: (select c (once ishl x a) (once ishl x b)) => (ishl x (select c a b));
    /// What is done either way is done once.
    select_ishl_by: (select c (once ishl a x) (once ishl b x)) => (ishl (select c a b) x);
    /// What is done either way is done once.
    select_ushr_from: (select c (once ushr x a) (once ushr x b)) => (ushr x (select c a b));
    /// What is done either way is done once.
    select_ushr_by: (select c (once ushr a x) (once ushr b x)) => (ushr (select c a b) x);
    /// What is done either way is done once.
    select_ishr_from: (select c (once ishr x a) (once ishr x b)) => (ishr x (select c a b));
    /// What is done either way is done once.
    select_ishr_by: (select c (once ishr a x) (once ishr b x)) => (ishr (select c a b) x);
    /// What is done either way is done once.
    select_fdiv_from: (select c (once fdiv x a) (once fdiv x b)) => (fdiv x (select c a b));
    /// What is done either way is done once.
    select_fdiv_by: (select c (once fdiv a x) (once fdiv b x)) => (fdiv (select c a b) x);
    /// What is done either way is done once.
    select_ineg_ineg: (select c (once ineg a) (once ineg b)) => (ineg (select c a b));
    /// What is done either way is done once.
    select_inot_inot: (select c (once inot a) (once inot b)) => (inot (select c a b));
    /// What is done either way is done once.
    select_fneg_fneg: (select c (once fneg a) (once fneg b)) => (fneg (select c a b));
    /// What is done either way is done once.
    select_fabs_fabs: (select c (once fabs a) (once fabs b)) => (fabs (select c a b));
    /// What is done either way is done once.
    select_fsat_fsat: (select c (once fsat a) (once fsat b)) => (fsat (select c a b));
    /// What is done either way is done once.
    select_fsqrt_fsqrt: (select c (once fsqrt a) (once fsqrt b)) => (fsqrt (select c a b));
    /// What is done either way is done once.
    select_ffloor_ffloor: (select c (once ffloor a) (once ffloor b)) => (ffloor (select c a b));
    /// The smaller of two.
    select_ilt_min: (select (ilt a b) a b) => (imin a b);
    /// The larger of two.
    select_ilt_max: (select (ilt a b) b a) => (imax a b);
    /// The smaller of two.
    select_ile_min: (select (ile a b) a b) => (imin a b);
    /// The larger of two.
    select_ile_max: (select (ile a b) b a) => (imax a b);
    /// The smaller of two, unsigned.
    select_ult_min: (select (ult a b) a b) => (umin a b);
    /// The larger of two, unsigned.
    select_ult_max: (select (ult a b) b a) => (umax a b);
    /// The smaller of two, unsigned.
    select_ule_min: (select (ule a b) a b) => (umin a b);
    /// The larger of two, unsigned.
    select_ule_max: (select (ule a b) b a) => (umax a b);
    /// Equal, or the other: the other.
    select_ieq_same: (select (ieq a b) a b) => b;
    /// Different, or the other: the one.
    select_ine_same: (select (ine a b) a b) => a;
    /// The sign is taken off.
    select_iabs: (select (ilt x 0) (ineg x) x) => (iabs x);
    /// Zero or one is the opposite condition as a number.
    select_zero_one: (select c 0 1) => (b2i (inot c));
    /// 0.0 or 1.0 is the opposite condition as a float.
    select_zero_one_float: (select c 0.0 1.0) => (b2f (inot c));
    /// All ones or zero is the condition spread out.
    select_ones_zero: (select c -1 0) => (ineg (b2i c));
    /// Both conditions, or the same other.
    select_and: (select a (select b x y) y) => (select (iand a b) x y);
    /// Either condition, or the same other.
    select_or: (select a x (select b x y)) => (select (ior a b) x y);
    /// The condition holds where the choice is looked at.
    iand_select: (iand c (select c a b)) => (iand c a);
    /// The condition does not hold where the choice is looked at.
    ior_select: (ior c (select c a b)) => (ior c b);
}

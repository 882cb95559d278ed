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
}

//! Branches on uniforms: `if b0`.
//!
//! An integer of a uniform buffer that is only compared with zero, to choose an arm, becomes a boolean constant: devices
//! choose before the program runs. It is the only branch of `vs_2_0`.
//!
//! Refuses integers that are read for anything else, and tests for zero: `if` of a boolean has no negation.

use super::code::{Model, Profile};
use super::counted::{load_place, other_reads};
use super::select::{Class, Selector, User};
use crate::sm1::Register;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::ops::{ConvertOp, IntOp, Op};
use vitrine_ir::{Inst, NodeKind, TreeStep, TreeWalk, Var};

/// The boolean register of each condition that is one. Linear.
pub(super) fn flags(select: &mut Selector<'_>) -> FxHashMap<Inst, Register> {
    let mut found = FxHashMap::default();
    if select.profile() == (Profile { model: Model::Two, is_vertex: false }) {
        return found;
    }
    let conds = TreeWalk::new(select.body).filter_map(|step| match step {
        TreeStep::Enter(node) => match select.body.node(node).kind {
            NodeKind::If { cond, .. } => Some(cond),
            _ => None,
        },
        _ => None,
    });
    let conds: FxHashSet<Inst> = conds.collect();
    let is_branch = |cond: &Inst| {
        let users = select.users.of_value(*cond);
        users.iter().all(|user| matches!(user, User::If))
    };
    let tests: Vec<(Inst, Inst, (Var, u32))> = conds
        .iter()
        .filter(|cond| is_branch(cond))
        .filter_map(|&cond| tested(select, cond).map(|(load, place)| (cond, load, place)))
        .collect();
    let known: FxHashSet<Inst> = tests.iter().map(|&(cond, ..)| cond).collect();
    let only_tested = |load: Inst| {
        let users = select.users.of_value(load);
        users.iter().all(|user| matches!(user, User::Arg(inst, _) if known.contains(inst)))
    };
    let mut tests: Vec<_> = tests.into_iter().filter(|&(_, load, _)| only_tested(load)).collect();
    tests.sort_unstable();
    let loads: FxHashSet<Inst> = tests.iter().map(|&(_, load, _)| load).collect();
    let others = other_reads(select, &loads);
    for (cond, _, place) in tests {
        if !others.contains(&place)
            && let Some(register) = select.interface.flag(place.0, place.1)
        {
            found.insert(cond, register);
        }
    }
    found
}

/// The load of an integer that a condition compares with zero, and its place.
fn tested(select: &Selector<'_>, cond: Inst) -> Option<(Inst, (Var, u32))> {
    let data = select.body.inst(cond);
    let is_zero = |inst: Inst| {
        let bits = select.body.const_of(inst).map(|bits| select.module.bits_of(bits));
        bits.is_some_and(|bits| bits.component(0).bits() == 0)
    };
    let load = match (data.op, data.args.as_slice()) {
        (Op::Int(IntOp::INe), &[a, b]) if is_zero(b) => a,
        (Op::Int(IntOp::INe), &[a, b]) if is_zero(a) => b,
        (Op::Convert(ConvertOp::I2B), &[a]) => a,
        _ => return None,
    };
    let is_scalar = select.body.ty(load).components() == 1 && select.class(load) == Class::Int;
    load_place(select, load).filter(|_| is_scalar).map(|place| (load, place))
}

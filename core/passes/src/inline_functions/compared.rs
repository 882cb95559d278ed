//! Calls that pass an image or a sampler with which lookups compare.
//!
//! ```text
//! call @1(%shadow_map)      @1 compares with its parameter
//! call @2(%shadow_map)      @2 does not, but its parameter has the type of a variable that is compared
//! ```
//!
//! A language whose type of an image says that it is compared gives such a parameter one type, and its arguments have
//! others. Reads the whole module; refuses nothing.

use rustc_hash::FxHashSet;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, Op, ValueType};
use vitrine_ir::{Func, FuncBody, Inst, Module, Var};

/// Steps of a path that are followed.
const MAX_STEPS: usize = 1 << 12;

/// The variable or the parameter that a handle is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Handle {
    Var(Var),
    Param(Func, Inst),
}

/// Returns the calls that pass what is compared. At most linear in the size of the module times its depth of calls.
pub(super) fn comparing_calls(module: &Module) -> FxHashSet<(Func, Inst)> {
    let mut compared: FxHashSet<Handle> = FxHashSet::default();
    let mut passed: Vec<(Func, Inst, Handle, Handle)> = Vec::new();
    for (func, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if matches!(data.op, Op::Tex(_)) && data.attrs.has(Key::Shadow) {
                let roles = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0));
                let with_roles = data.args.iter().zip(roles);
                let handles = with_roles.filter(|(_, role)| matches!(role, Role::Image | Role::Sampler));
                compared.extend(handles.filter_map(|(&arg, _)| handle(func, body, arg)));
            }
            if data.op != Op::Basic(BasicOp::Call) {
                return;
            }
            let Some(callee) = data.entity::<Func>(Key::Func) else { return };
            let Some(params) = module.func(callee).map(FuncBody::params) else { return };
            for (&arg, &param) in data.args.iter().zip(params) {
                if matches!(body.ty(arg), ValueType::Handle | ValueType::Path)
                    && let Some(given) = handle(func, body, arg)
                {
                    passed.push((func, inst, given, Handle::Param(callee, param)));
                }
            }
        });
    }
    if compared.is_empty() {
        return FxHashSet::default();
    }
    // A parameter is compared if an argument is, and the other way around.
    let mut changed = true;
    while changed {
        changed = false;
        for &(_, _, given, param) in &passed {
            if compared.contains(&given) != compared.contains(&param) {
                compared.extend([given, param]);
                changed = true;
            }
        }
    }
    passed
        .iter()
        .filter(|(_, _, given, _)| compared.contains(given))
        .map(|&(func, call, ..)| (func, call))
        .collect()
}

/// The start of the path to an image or a sampler.
fn handle(func: Func, body: &FuncBody, path: Inst) -> Option<Handle> {
    let (mut at, mut seen) = (path, EntitySet::<Inst>::new());
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var).map(Handle::Var),
            Op::Basic(BasicOp::Param) => return Some(Handle::Param(func, at)),
            _ => at = data.args.first().copied().filter(|&next| seen.insert(next))?,
        }
    }
    None
}

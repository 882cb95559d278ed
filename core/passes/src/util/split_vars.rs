//! Splits local variables by one path step that is constant in all paths: the step then selects one of several
//! variables.
//!
//! Shared by `split-struct-vars` and `split-array-vars`: the paths of a variable, and how they are rewritten.
//! Does not decide which variables are split.

use crate::util::memory::has_locals;
use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Args, Attrs, DecorTarget, Editor, FuncBody, GlobalValue, InsertPoint, Inst, InstData, Mode, Module,
    Reason, Refusal, Type, Var,
};

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarStep {
    Field(u32),
    Known(u32),
    By,
    All,
}

/// The uses of one local variable.
#[derive(Default)]
pub(crate) struct Paths {
    /// Every path with its steps, including paths that other paths extend.
    pub(crate) paths: Vec<(Inst, Vec<VarStep>)>,
    /// Paths with a use that is not a path: accesses, copies.
    pub(crate) ends: Vec<Vec<VarStep>>,
    /// The users of each of these paths, with the operand number.
    pub(crate) users: Vec<(Inst, usize)>,
    /// True if there is a use of any other kind.
    pub(crate) spoiled: bool,
}

/// Paths of local variables without initializer that are only loaded, stored, copied and extended, in order of
/// first occurrence. Linear in the number of steps.
pub(crate) fn locals(ed: &Editor<'_>) -> Vec<(Var, Paths)> {
    if !has_locals(ed.module(), ed.id()) {
        return Vec::new();
    }
    let (module, body) = (ed.module(), ed.func());
    let mut found = PathCollector { at: FxHashMap::default(), out: Vec::new(), of: FxHashMap::default() };
    let reached: FxHashSet<_> = in_order(body).into_iter().collect();
    for block in in_order(body) {
        for &inst in body.block(block).insts.iter() {
            found.inst(module, body, inst);
        }
        body.terminator(block).for_each_use(|value| found.exclude_path(value));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reached.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            body.inst(inst).entity::<Var>(Key::Var).into_iter().for_each(|var| found.exclude(var));
        }
    }
    for (_, global) in module.globals() {
        if let GlobalValue::Address(var) = global.value {
            found.exclude(var);
        }
    }
    for decor in module.decors.iter() {
        if let DecorTarget::Var(var) = decor.on {
            found.exclude(var);
        }
    }
    let ours = |var: Var| {
        let data = module.var(var);
        data.is_some_and(|data| {
            data.mode == Mode::Local
                && data.owner == Some(ed.id())
                && data.init.is_none()
                && data.attrs.is_empty()
        })
    };
    found.out.retain(|(var, paths)| ours(*var) && !paths.spoiled);
    found.out
}

struct PathCollector {
    at: FxHashMap<Var, usize>,
    out: Vec<(Var, Paths)>,
    of: FxHashMap<Inst, (Var, Vec<VarStep>)>,
}

impl PathCollector {
    fn paths(&mut self, var: Var) -> Option<&mut Paths> {
        let next = self.out.len();
        let at = *self.at.entry(var).or_insert(next);
        if at == next {
            self.out.push((var, Paths::default()));
        }
        self.out.get_mut(at).map(|(_, paths)| paths)
    }

    fn exclude(&mut self, var: Var) {
        if let Some(paths) = self.paths(var) {
            paths.spoiled = true;
        }
    }

    fn exclude_path(&mut self, path: Inst) {
        if let Some((var, _)) = self.of.get(&path) {
            self.exclude(*var);
        }
    }

    fn inst(&mut self, module: &Module, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        let further = match data.op {
            Op::Deref(DerefOp::Var) => data.entity(Key::Var).map(|var| (var, Vec::new())),
            Op::Deref(op @ (DerefOp::Field | DerefOp::Elem | DerefOp::All)) => {
                let base = data.args.first().and_then(|base| self.of.get(base)).cloned();
                let step = match op {
                    DerefOp::Field => {
                        data.attrs.get(Key::Field).and_then(|at| u32::try_from(at).ok()).map(VarStep::Field)
                    }
                    DerefOp::All => Some(VarStep::All),
                    _ => {
                        let bits = data.args.get(1).and_then(|&index| body.const_of(index));
                        let number = bits.map(|bits| module.bits_of(bits).component(0).as_u64());
                        Some(match number.map(u32::try_from) {
                            Some(Ok(number)) => VarStep::Known(number),
                            Some(Err(_)) | None => VarStep::By,
                        })
                    }
                };
                base.zip(step).map(|((var, mut steps), step)| {
                    steps.push(step);
                    (var, steps)
                })
            }
            _ => {
                data.entity::<Var>(Key::Var).into_iter().for_each(|var| self.exclude(var));
                None
            }
        };
        if let Some((var, steps)) = further {
            if let Some(paths) = self.paths(var) {
                paths.paths.push((inst, steps.clone()));
            }
            self.of.insert(inst, (var, steps));
            return;
        }
        for (number, &arg) in data.args.iter().enumerate() {
            let Some((var, steps)) = self.of.get(&arg).cloned() else { continue };
            let fits = match data.op {
                Op::Memory(MemoryOp::Load) => matches!(data.ty, ValueType::Bits { .. }),
                Op::Memory(MemoryOp::Store) => number == 0,
                Op::Memory(MemoryOp::CopyVar) => true,
                _ => false,
            };
            match self.paths(var) {
                Some(paths) if fits => {
                    paths.ends.push(steps);
                    paths.users.push((inst, number));
                }
                Some(paths) => paths.spoiled = true,
                None => {}
            }
        }
    }
}

/// Replaces one variable by variables for its parts: paths that take step number `depth` (a member, or an
/// element by a constant) start at the variable of that part; earlier steps are kept. `types` gives the type of
/// each part's variable.
///
/// Every used path must have that many steps.
pub(crate) fn split(
    ed: &mut Editor<'_>,
    var: Var,
    paths: &Paths,
    depth: usize,
    type_of: impl Fn(&mut Editor<'_>, u32) -> Option<Type>,
    why: Reason,
) -> Result<(), Refusal> {
    let name = ed.module().var(var).and_then(|data| data.name);
    let mut parts: FxHashMap<u32, Var> = FxHashMap::default();
    for (path, steps) in &paths.paths {
        if steps.len() != depth + 1 {
            continue;
        }
        let Some(&(VarStep::Field(part) | VarStep::Known(part))) = steps.get(depth) else { continue };
        let part_var = match parts.get(&part) {
            Some(&known) => known,
            None => {
                let Some(ty) = type_of(ed, part) else { return Err(Refusal::new("a part has no type")) };
                let new = ed.add_local(name, ty, None, Attrs::None);
                parts.insert(part, new);
                new
            }
        };
        rebase(ed, *path, part_var, why)?;
    }
    // The prefixes of the old paths are unused now.
    for (path, _) in paths.paths.iter().rev() {
        if ed.use_count(*path) == 0 && is_at(ed, *path, var) {
            ed.erase(*path, why)?;
        }
    }
    let is_left = paths.paths.iter().any(|&(path, _)| is_placed(ed, path) && is_at(ed, path, var));
    if !is_left && !is_named(ed, var) {
        ed.remove_local(var)?;
    }
    Ok(())
}

fn is_placed(ed: &Editor<'_>, path: Inst) -> bool {
    ed.block_of(path).is_some()
}

/// Returns true if a declaration of the module names a variable.
fn is_named(ed: &Editor<'_>, var: Var) -> bool {
    let address = GlobalValue::Address(var);
    let addressed = ed.module().globals().any(|(_, data)| data.value == address);
    addressed || ed.module().decors.iter().any(|decor| decor.on == DecorTarget::Var(var))
}

/// Returns true if a path starts at a variable.
fn is_at(ed: &Editor<'_>, path: Inst, var: Var) -> bool {
    let mut at = path;
    // The length of a path is bounded by the depth of types; cycles occur only in invalid code.
    for _ in 0..256 {
        let data = ed.func().inst(at);
        match (data.op, data.args.first()) {
            (Op::Deref(DerefOp::Var), _) => return data.entity(Key::Var) == Some(var),
            (Op::Deref(_), Some(&base)) => at = base,
            _ => return false,
        }
    }
    false
}

/// Replaces a path by the same path without its last step, in another variable.
fn rebase(ed: &mut Editor<'_>, path: Inst, var: Var, why: Reason) -> Result<(), Refusal> {
    let root = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
    let mut steps: Vec<InstData> = Vec::new();
    let mut at = ed.func().inst(path).args.first().copied();
    while let Some(base) = at {
        let data = ed.func().inst(base).clone();
        at = data.args.first().copied().filter(|_| data.op != Op::Deref(DerefOp::Var));
        if data.op != Op::Deref(DerefOp::Var) {
            steps.push(data);
        }
    }
    steps.reverse();
    let Some((last, before)) = steps.split_last() else { return ed.rewrite(path, root, why) };
    let on = |base: Inst, data: &InstData| {
        let args: Vec<Inst> = [base].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        InstData { args: Args::new(&args), ..data.clone() }
    };
    let mut base = ed.insert(InsertPoint::Before(path), root, why)?;
    for step in before {
        base = ed.insert(InsertPoint::Before(path), on(base, step), why)?;
    }
    ed.rewrite(path, on(base, last), why)
}

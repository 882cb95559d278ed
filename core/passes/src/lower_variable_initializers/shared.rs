//! Zeros of variables that a workgroup shares: its invocations store them together, and a barrier follows.
//!
//! An array is distributed over the invocations, in a loop if it has more elements than a workgroup has invocations; the
//! first invocation stores everything else. Refuses variables with other initial values than zeros, which Vulkan does not
//! have, and workgroups of a size that no constant states.

use super::super::pass::{Journals, merged};
use crate::util::initial;
use crate::util::leaves::{Arrays, Inner, further, leaves};
use crate::util::open::{open, refused};
use crate::util::predicate::iterations;
use rustc_hash::FxHashSet;
use vitrine_ir::ops::{
    Bits, Builtin, GroupOp, IntOp, Key, MemoryOp, Scope, Semantics, ValueType, Width, Word, WordSet,
};
use vitrine_ir::{
    Attrs, Builder, Diag, Editor, EntryPoint, Fuel, Func, GlobalValue, InsertPoint, Inst, InstData,
    InstRange, Len, Mode, Module, Operand, Reason, Refusal, Shape, Stage, Terminator, Type, TypeData, Var,
    VarData,
};

const WHY: Reason = Reason::Note("the zeros are stored");

/// Maximum number of leaves of one element.
const MAX_LEAVES: usize = 1 << 10;

/// The order of the barrier.
const ORDER: Semantics = Semantics::ACQ_REL.and(Semantics::WORKGROUP_MEMORY);

/// A variable to be zeroed.
struct Zeroed {
    var: Var,
    /// The lengths of its outermost arrays.
    lengths: Vec<u32>,
    /// Their product.
    count: u32,
    /// The leaves of an element.
    leaves: Vec<(Vec<Inner>, ValueType)>,
}

/// Lowers the variables that entry points of workgroups access. Linear; one unit of fuel per variable.
///
/// Error: `P103` if a function is not valid.
pub(super) fn lower(module: &mut Module, funcs: &[Func], fuel: &mut Fuel) -> Result<Journals, Diag> {
    let sizes: Option<Vec<(usize, [Operand; 3])>> = (0..module.entries.len())
        .filter(|&at| module.entries.get(at).is_some_and(|entry| funcs.contains(&entry.func)))
        .map(|at| Some((at, size(module, module.entries.get(at)?)?)))
        .collect();
    let Some(sizes) = sizes.filter(|sizes| !sizes.is_empty()) else { return Ok(Journals::new()) };
    let mut all = Vec::new();
    let shared: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| data.mode == Mode::Shared && data.init.is_some() && !data.is_untyped())
        .map(|(var, data)| (var, data.clone()))
        .collect();
    for (var, data) in shared {
        let Some(zeroed) = zeroed(module, var, &data) else { continue };
        if !fuel.take() {
            break;
        }
        module.set_var(var, VarData { init: None, ..data });
        all.push(zeroed);
    }
    let mut journals = Journals::new();
    for (at, size) in sizes {
        let Some(func) = module.entries.get(at).map(|entry| entry.func) else { continue };
        let used = used(module, func);
        let own: Vec<&Zeroed> = all.iter().filter(|zeroed| used.contains(&zeroed.var)).collect();
        if own.is_empty() {
            continue;
        }
        let index = index(module, at);
        let mut ed = open(module, func)?;
        let done = store_zeros(&mut ed, index, &size, &own);
        let edited = ed.finish();
        done.map_err(|refusal: Refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(merged(journals))
}

/// The size of a workgroup along each axis; none if no constant states it.
fn size(module: &Module, entry: &EntryPoint) -> Option<[Operand; 3]> {
    if !matches!(entry.stage, Stage::Compute | Stage::Task | Stage::Mesh) {
        return None;
    }
    let by_builtin = module.globals().find_map(|(_, data)| match &data.value {
        GlobalValue::Parts(_, parts) if data.attrs.word() == Some(Builtin::WorkgroupSize) => {
            Some(parts.to_vec())
        }
        _ => None,
    });
    let mode = entry.modes.iter().find(|mode| mode.mode.is_local_size());
    by_builtin.or_else(|| mode.map(|mode| mode.args.to_vec()))?.try_into().ok()
}

/// The elements and leaves of a variable, if it starts as zeros.
fn zeroed(module: &Module, var: Var, data: &VarData) -> Option<Zeroed> {
    data.init.filter(|&init| module.is_zero(init)).and_then(|_| elements(module, var, data.ty))
}

fn elements(module: &Module, var: Var, ty: Type) -> Option<Zeroed> {
    let (mut ty, mut lengths, mut count) = (ty, Vec::new(), 1u32);
    while let TypeData::Array { of, len: Len::Count(len), .. } = *module.type_of(ty) {
        count = count.checked_mul(len)?;
        lengths.push(len);
        ty = of;
    }
    let all = leaves(module, ty, MAX_LEAVES, Arrays::Apart)?;
    let typed = all.into_iter().map(|path| {
        let steps: Vec<u32> = path.iter().map(|&step| initial::number(step)).collect();
        let leaf = initial::leaf_type(module, ty, &steps)?;
        matches!(leaf, ValueType::Bits { .. }).then_some((path, leaf))
    });
    let leaves = typed.collect::<Option<Vec<_>>>()?;
    Some(Zeroed { var, lengths, count, leaves })
}

/// The variables that a function and the functions it calls name.
fn used(module: &Module, func: Func) -> FxHashSet<Var> {
    let (mut vars, mut seen, mut work) = (FxHashSet::default(), FxHashSet::default(), vec![func]);
    while let Some(func) = work.pop() {
        let Some(body) = module.func(func).filter(|_| seen.insert(func)) else { continue };
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            vars.extend(data.entity::<Var>(Key::Var));
            work.extend(data.entity::<Func>(Key::Func));
        });
    }
    vars
}

/// The input that holds the index of an invocation in its workgroup; it is declared if necessary.
fn index(module: &mut Module, entry: usize) -> Var {
    let is_index = |(_, data): &(Var, &VarData)| {
        data.mode == Mode::In
            && data.attrs.word() == Some(Builtin::LocalInvocationIndex)
            && module.value_type(data.ty) == Some(ValueType::B32)
    };
    let known = module.vars().find(is_index).map(|(var, _)| var);
    let var = known.unwrap_or_else(|| {
        let ty = module.ty(TypeData::Int { width: Width::W32, signed: false });
        let attrs = Attrs::None.with_word(Builtin::LocalInvocationIndex);
        module.add_var(VarData { name: None, ty, mode: Mode::In, owner: None, init: None, attrs })
    });
    if let Some(entry) = std::rc::Rc::make_mut(&mut module.entries).get_mut(entry)
        && !entry.interface.contains(&var)
    {
        entry.interface.push(var);
    }
    var
}

/// Inserts the stores and the barrier before all other instructions.
fn store_zeros(ed: &mut Editor<'_>, index: Var, size: &[Operand; 3], all: &[&Zeroed]) -> Result<(), Refusal> {
    let Some(entry) = ed.func().entry() else { return Ok(()) };
    let invocations = size.iter().try_fold(1u64, |product, &axis| match axis {
        Operand::Bits(bits) => product.checked_mul(ed.module().bits_of(bits).component(0).as_u64()),
        Operand::Global(_) => None,
    });
    let mut b = ed.build(InsertPoint::Start(entry), WHY);
    let path = b.deref_var(index);
    let index = b.load(path);
    let needs_step = all.iter().any(|zeroed| is_long(zeroed, invocations));
    let step = needs_step.then(|| match invocations.and_then(|count| i64::try_from(count).ok()) {
        Some(count) => b.int(Width::W32, count),
        None => {
            let axes = size.map(|axis| b.emit_with(initial::instruction(axis, ValueType::B32)));
            let plane = b.checked(IntOp::IMul, ValueType::B32, &[axes[0], axes[1]]);
            b.checked(IntOp::IMul, ValueType::B32, &[plane, axes[2]])
        }
    });
    let barrier = InstData::new(GroupOp::Barrier, ValueType::Void, &[])
        .with_word(Scope::Workgroup)
        .with(Key::Order, ORDER.number())
        .with(Key::Exec, Scope::Workgroup.number());
    let barrier = b.emit_with(barrier);
    b.finish()?;
    let (single, many): (Vec<&Zeroed>, Vec<&Zeroed>) = all.iter().partition(|zeroed| zeroed.count == 1);
    if !single.is_empty() {
        let mut b = ed.build(InsertPoint::Before(barrier), WHY);
        let zero = b.int(Width::W32, 0);
        let is_first = b.checked(IntOp::IEq, ValueType::BOOL, &[index, zero]);
        let stores: Vec<Inst> = single.iter().flat_map(|zeroed| zeroed.store(&mut b, zero)).collect();
        b.finish()?;
        make_conditional(ed, &stores, is_first)?;
    }
    for zeroed in many {
        let count = i64::from(zeroed.count);
        match step.filter(|_| is_long(zeroed, invocations)) {
            Some(step) => {
                let cond = |b: &mut Builder<'_, '_>, values: &[Inst]| {
                    let count = b.int(Width::W32, count);
                    let at = values.first().copied().unwrap_or(index);
                    b.checked(IntOp::ULt, ValueType::BOOL, &[at, count])
                };
                let next = |b: &mut Builder<'_, '_>, values: &[Inst]| {
                    let at = values.first().copied().unwrap_or(index);
                    zeroed.store(b, at);
                    vec![b.checked(IntOp::IAdd, ValueType::B32, &[at, step])]
                };
                iterations(ed, barrier, &[index], cond, next, WHY)?;
            }
            None => {
                let mut b = ed.build(InsertPoint::Before(barrier), WHY);
                let count = b.int(Width::W32, count);
                let has_one = b.checked(IntOp::ULt, ValueType::BOOL, &[index, count]);
                let stores = zeroed.store(&mut b, index);
                b.finish()?;
                make_conditional(ed, &stores, has_one)?;
            }
        }
    }
    Ok(())
}

/// Returns true if a variable has more elements than a workgroup has invocations.
fn is_long(zeroed: &Zeroed, invocations: Option<u64>) -> bool {
    zeroed.count > 1 && invocations.is_none_or(|invocations| invocations < u64::from(zeroed.count))
}

impl Zeroed {
    /// Stores zeros in the element of a number; returns the instructions.
    fn store(&self, b: &mut Builder<'_, '_>, element: Inst) -> Vec<Inst> {
        let mut out = Vec::new();
        let mut path = b.deref_var(self.var);
        out.push(path);
        for (depth, &length) in self.lengths.iter().enumerate() {
            let inner: u32 = self.lengths.iter().skip(depth + 1).product();
            let mut at = element;
            if inner > 1 {
                let by = b.int(Width::W32, i64::from(inner));
                at = b.checked(IntOp::UDiv, ValueType::B32, &[at, by]);
                out.extend([by, at]);
            }
            if depth > 0 {
                let by = b.int(Width::W32, i64::from(length));
                at = b.checked(IntOp::UMod, ValueType::B32, &[at, by]);
                out.extend([by, at]);
            }
            path = b.elem(path, at);
            out.push(path);
        }
        for (steps, ty) in &self.leaves {
            let leaf = steps.iter().fold(path, |path, &step| further(b, path, step));
            let ValueType::Bits { width, components } = *ty else { continue };
            let zero = b.bits(Bits::zero(width, components));
            out.push(b.emit_with(InstData::new(MemoryOp::Store, ValueType::Void, &[leaf, zero])));
        }
        out
    }
}

/// Executes consecutive instructions only if a condition holds.
fn make_conditional(ed: &mut Editor<'_>, insts: &[Inst], cond: Inst) -> Result<(), Refusal> {
    let (Some(&first), Some(&last)) = (insts.first(), insts.last()) else { return Ok(()) };
    if let Shape::Graph(_) = ed.func().shape() {
        let block = ed.block_of(first).ok_or_else(|| Refusal::new(format!("{first} is in no block")))?;
        let after = ed.split_block(InsertPoint::After(last), WHY)?;
        let inside = ed.split_block(InsertPoint::Before(first), WHY)?;
        let [then, els] =
            [inside, after].map(|to| vitrine_ir::Edge { to, args: vitrine_ir::Args::default() });
        return ed.set_terminator(block, Terminator::Branch { cond, then, els }, WHY);
    }
    let range = InstRange::new(InsertPoint::Before(first), InsertPoint::After(last));
    ed.wrap_in_if(range, cond, WHY).map(|_| ())
}

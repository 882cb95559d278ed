//! `qptr-partition`: splits untyped memory into a variable for each range that is used by itself.
//!
//! ```text
//! local $0: bytes(96) was [#0 * 4]          local $1: bytes(48) was [u32x3 * 4]
//!                                           local $2: bytes(16) was [u32 * 4]
//! %1: ptr = ptr.var $0                      %4: ptr = ptr.var $1
//! %2: ptr = ptr.dyn_offset %1, %i      =>   %5: ptr = ptr.dyn_offset %4, %i {stride 12, range 48}
//!      {stride 24, range 96}                %3: b32x3 = load %5
//! %3: b32x3 = load %2 {offset 8}
//! ```
//!
//! Data that is declared together need not be used together: each range of the analysis `usage` that is always
//! read and written as the same value becomes a separate variable, or an array of such values if it is indexed,
//! so that an array of structures becomes arrays of its members. A variable that holds a single value can be
//! promoted later.
//!
//! Unchanged: memory that is visible to other invocations, memory with an initializer, ranges that are accessed
//! in several ways, indices whose stride is not that of the array they access, and memory with any use but
//! loads and stores at an offset from the variable itself. NIR: `nir_split_struct_vars` and
//! `nir_split_array_vars`, which need types; LLVM: SROA.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::open::{open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Addresses, Memory, Part, PartKind, Root, Term, Usage, offset_of};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::{Sizes, scalar_bytes};
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use vitrine_ir::{
    Args, Attrs, Diag, Editor, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Len, Mode, Module, Reason,
    Refusal, Terminator, Type, TypeData, Var, VarData,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits untyped memory into a variable for each range that is used by itself.",
    ..PassInfo::new("qptr-partition", opening!("qptr_partition.rs"), RunFn::Module(qptr_partition))
};

const WHY: Reason = Reason::Note("the range becomes a variable");

/// The maximum number of ranges that a variable is split into.
const MAX_RANGES: usize = 256;

/// Strides and counts, the largest stride first.
type Strides = Vec<(u32, u32)>;

/// A range that is always accessed as the same value, or an array of them.
struct Range {
    /// The byte offset from the start of the variable.
    offset: i64,
    steps: Strides,
    ty: ValueType,
    sites: Vec<(Func, Inst)>,
}

/// The replacement address of an access.
#[derive(Clone, Copy)]
struct Move {
    range: usize,
    var: Var,
}

/// Splits variables. `O(n log n)` in accesses; idempotent; both shapes. A variable is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_partition(module: &mut Module, cx: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let candidates: Vec<(Var, VarData)> = module
        .vars()
        .filter(|(_, data)| {
            data.is_untyped() && data.init.is_none() && matches!(data.mode, Mode::Private | Mode::Local)
        })
        .map(|(var, data)| (var, data.clone()))
        .collect();
    if candidates.is_empty() {
        return Ok(Journals::new());
    }
    let usage = Usage::of(module, cx.analyses);
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut addresses: FxHashMap<Func, Addresses> = FxHashMap::default();
    let mut blocked = FxHashSet::default();
    for (func, body) in module.funcs() {
        let found = Addresses::of(module, body);
        block(body, &found, &mut blocked);
        addresses.insert(func, found);
    }
    let (mut ranges, mut moves) = (Vec::new(), FxHashMap::default());
    for (var, data) in candidates {
        if blocked.contains(&var) {
            continue;
        }
        let Some(split) = split(module, &usage, &addresses, var).filter(|split| split.len() > 1) else {
            continue;
        };
        if !fuel.take() {
            break;
        }
        for range in split {
            let own = declare(module, &data, &range);
            for entry in std::rc::Rc::make_mut(&mut module.entries) {
                if entry.interface.contains(&var) {
                    entry.interface.push(own);
                }
            }
            for &site in &range.sites {
                moves.insert(site, Move { range: ranges.len(), var: own });
            }
            ranges.push(range);
        }
    }
    let mut journals = Journals::new();
    for func in funcs {
        let Some(found) = addresses.get(&func) else { continue };
        let mut mine: Vec<(Inst, Move)> =
            moves.iter().filter(|((of, _), _)| *of == func).map(|((_, inst), &to)| (*inst, to)).collect();
        if mine.is_empty() {
            continue;
        }
        mine.sort_unstable_by_key(|&(inst, _)| inst);
        let mut ed = open(module, func)?;
        let done = rewrite(&mut ed, found, &ranges, &mine);
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// Variables with uses other than loads and stores at an offset.
fn block(body: &FuncBody, addresses: &Addresses, blocked: &mut FxHashSet<Var>) {
    let var = |pointer: Inst| match addresses.root(pointer) {
        Some(Root::Var(var)) => Some(var),
        Some(Root::Value(_)) | None => None,
    };
    let is_access = |op: Op| matches!(op, Op::Memory(MemoryOp::Load | MemoryOp::Store));
    let is_step = |op: Op| matches!(op, Op::Ptr(PtrOp::Offset | PtrOp::DynOffset) | Op::Basic(BasicOp::Copy));
    for block in body.blocks_in_order() {
        let data = body.block(block);
        for &inst in data.insts.iter() {
            let inst_data = body.inst(inst);
            for (at, &arg) in inst_data.args.iter().enumerate() {
                if body.ty(arg) == ValueType::Ptr
                    && !(at == 0 && (is_access(inst_data.op) || is_step(inst_data.op)))
                {
                    blocked.extend(var(arg));
                }
            }
            // A place that is its own base but not the start of a variable: unreachable code.
            if is_step(inst_data.op) && addresses.is_base(inst) {
                blocked.extend(var(inst));
            }
            if matches!(inst_data.op, Op::Deref(_)) {
                blocked.extend(inst_data.entity::<Var>(Key::Var));
            }
        }
        if !matches!(data.terminator, Terminator::Stop(_)) {
            data.terminator.for_each_use(|value| blocked.extend(var(value)));
        }
    }
}

/// The ranges of a variable; none if it cannot be split.
fn split(
    module: &Module,
    usage: &Usage,
    addresses: &FxHashMap<Func, Addresses>,
    var: Var,
) -> Option<Vec<Range>> {
    let tree = usage.tree(module, Memory::Var(var));
    let mut out: Vec<Range> = Vec::new();
    let mut work: Vec<(Part, i64, Strides)> = vec![(tree.root(), 0, Vec::new())];
    while let Some((part, offset, steps)) = work.pop() {
        let data = tree.part(part)?;
        match &data.kind {
            PartKind::Fields(fields) => {
                work.extend(fields.iter().rev().map(|&(at, part)| (part, offset + at, steps.clone())));
            }
            PartKind::Repeat { stride, count, element } => {
                let mut steps = steps;
                if steps.last().is_some_and(|&(last, _)| last % stride != 0) {
                    return None;
                }
                steps.push((*stride, (*count)?));
                work.push((*element, offset, steps));
            }
            PartKind::Value(ty @ ValueType::Bits { .. }, _) => {
                let sites = usage.sites(&tree, part);
                let range = Range { offset, steps, ty: *ty, sites };
                let ours = |&(func, inst): &(Func, Inst)| {
                    let body = module.func(func)?;
                    let data = body.inst(inst);
                    let value = match data.op {
                        Op::Memory(MemoryOp::Load) => data.ty,
                        Op::Memory(MemoryOp::Store) if !data.attrs.has(Key::Mask) => {
                            body.ty(*data.args.get(1)?)
                        }
                        _ => return None,
                    };
                    let found = addresses.get(&func)?;
                    let &pointer = data.args.first()?;
                    let address = found.get(pointer)?;
                    let direct = body.inst(address.base).op == Op::Ptr(PtrOp::Var);
                    let bytes = address.offset.checked_add(offset_of(data))?;
                    (direct && value == range.ty).then_some(())?;
                    range.position(bytes, address.terms).map(drop)
                };
                range.sites.iter().all(|site| ours(site).is_some()).then_some(())?;
                out.push(range);
            }
            PartKind::Value(..)
            | PartKind::Bytes(_)
            | PartKind::Typed(..)
            | PartKind::Union(_)
            | PartKind::Anywhere(_) => return None,
        }
        if out.len() > MAX_RANGES {
            return None;
        }
    }
    Some(out)
}

/// The position of an access along one array dimension: a constant, and indices.
#[derive(Default, Clone)]
struct Along {
    plus: i64,
    terms: Vec<Term>,
}

impl Range {
    /// The position of an access along each array dimension; none if it does not match.
    fn position(&self, bytes: i64, terms: &[Term]) -> Option<Vec<Along>> {
        let mut left = bytes - self.offset;
        let mut position = vec![Along::default(); self.steps.len()];
        for term in terms {
            let at = self.steps.iter().position(|&(stride, _)| stride == term.stride)?;
            position.get_mut(at)?.terms.push(*term);
        }
        for (along, &(stride, _)) in position.iter_mut().zip(&self.steps) {
            along.plus = left.div_euclid(i64::from(stride));
            left = left.rem_euclid(i64::from(stride));
        }
        (left == 0).then_some(position)
    }

    /// The size of the value in bytes.
    fn bytes(&self) -> u64 {
        let width = self.ty.width().unwrap_or(Width::W32);
        u64::from(self.ty.components()) * scalar_bytes(width)
    }

    /// The stride of each dimension if the array is packed.
    fn strides(&self) -> Option<Vec<u32>> {
        let mut out = vec![0; self.steps.len()];
        let mut stride = u32::try_from(self.bytes()).ok()?;
        for (at, &(_, count)) in self.steps.iter().enumerate().rev() {
            *out.get_mut(at)? = stride;
            stride = stride.checked_mul(count)?;
        }
        Some(out)
    }
}

/// Declares a variable for a range.
fn declare(module: &mut Module, of: &VarData, range: &Range) -> Var {
    let mut ty = value_type(module, range.ty);
    for &(_, count) in range.steps.iter().rev() {
        ty = module.ty(TypeData::Array { of: ty, len: Len::Count(count), stride: 0 });
    }
    let bytes = Sizes::default().of(module, &*module, ty).bytes;
    let attrs = Attrs::one(Key::Bytes, bytes);
    module.add_var(VarData { ty, attrs, ..of.clone() })
}

/// A type for such values.
fn value_type(module: &mut Module, ty: ValueType) -> Type {
    let width = ty.width().unwrap_or(Width::W32);
    let scalar = match width {
        Width::W1 => TypeData::Bool,
        _ => TypeData::Int { width, signed: false },
    };
    let of = module.ty(scalar);
    if ty.components() == 1 { of } else { module.ty(TypeData::Vector { of, components: ty.components() }) }
}

/// Redirects accesses to their new variables.
fn rewrite(
    ed: &mut Editor<'_>,
    addresses: &Addresses,
    ranges: &[Range],
    moves: &[(Inst, Move)],
) -> Result<(), Refusal> {
    for &(inst, to) in moves {
        let data = ed.func().inst(inst).clone();
        let (Some(range), Some(address)) =
            (ranges.get(to.range), data.args.first().and_then(|&pointer| addresses.get(pointer)))
        else {
            continue;
        };
        let bytes = address.offset + offset_of(&data);
        let (Some(position), Some(strides)) = (range.position(bytes, address.terms), range.strides()) else {
            continue;
        };
        let start = InstData::new(PtrOp::Var, ValueType::Ptr, &[]).with(Key::Var, to.var.index() as u64);
        let mut pointer = ed.insert(InsertPoint::Before(inst), start, WHY)?;
        let mut offset = 0i64;
        for ((along, stride), &(_, count)) in position.iter().zip(strides).zip(&range.steps) {
            offset += along.plus * i64::from(stride);
            for term in &along.terms {
                let mut step = InstData::new(PtrOp::DynOffset, ValueType::Ptr, &[pointer, term.index])
                    .with(Key::Stride, u64::from(stride));
                // The array keeps its length; an index that is added to a constant may have a smaller range.
                if along.terms.len() == 1 && along.plus == 0 {
                    step = step.with(Key::Range, u64::from(stride) * u64::from(count));
                }
                pointer = ed.insert(InsertPoint::Before(inst), step, WHY)?;
            }
        }
        let mut args = data.args.to_vec();
        if let Some(first) = args.first_mut() {
            *first = pointer;
        }
        let attrs = match offset {
            0 => data.attrs.without(Key::Offset),
            offset => data.attrs.with(Key::Offset, offset.cast_unsigned()),
        };
        ed.rewrite(inst, InstData { args: Args::new(&args), attrs, ..data }, WHY)?;
    }
    Ok(())
}

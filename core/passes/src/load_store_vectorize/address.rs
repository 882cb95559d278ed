//! Addresses as a base, indices known only at run time with their strides, and a number of bytes.
//!
//! Supports types with an explicit layout (offsets of members, strides); without one, there is no address.

use crate::util::places::is_start;
use vitrine_analysis::{self as analysis, Addresses, offset_of};
use vitrine_ir::ops::{BasicOp, DerefOp, IntOp, IoOp, Key, MemoryOp, Op, ValueType, Width};
use vitrine_ir::{Args, Builder, Editor, Inst, InstData, Mode, Module, PathType, TypeData, Var};

/// Base of an address. Two accesses with equal bases are a known number of bytes apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Base {
    pub(super) root: Root,
    /// Indices of arrays of resources, outermost first, and the buffer of an access by set and binding.
    resource: Vec<Index>,
    /// Indices into arrays with their strides, sorted by id; for a pointer, in the order of its steps if that
    /// matters.
    terms: Vec<Term>,
}

/// An index with its stride in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Term {
    index: Inst,
    stride: u64,
    /// For a pointer: the number of bytes that may be reached, if the step declares it.
    range: Option<u32>,
    /// For a pointer: constant bytes before the step, if it declares no range, so that a negative index may point
    /// outside of memory.
    before: i64,
}

impl Term {
    fn of_path(index: Inst, stride: u64) -> Term {
        Term { index, stride, range: None, before: 0 }
    }
}

/// Start of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    Var(Var),
    /// The first byte of a variable, for untyped pointers.
    Bytes(Var),
    /// An unknown pointer, or a path with an unknown origin.
    Value(Inst),
    /// A buffer or the push constants, without a variable.
    Bound(IoOp, Option<u64>, Option<u64>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    Constant(u64),
    Dynamic(Inst),
}

/// Address of one access.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) base: Base,
    /// Bytes from the base.
    pub(super) offset: i64,
    /// The mode of the memory, if known.
    pub(super) mode: Option<Mode>,
    /// The variable that an untyped pointer points into, if known.
    pub(super) var: Option<Var>,
    /// The full scalar type, for a path.
    pub(super) scalar: Option<vitrine_ir::Type>,
}

/// Longest supported path, in steps.
const MAX_STEPS: usize = 32;

/// Largest supported constant offset: more than any memory has, and small enough to add without overflow.
const MAX_BYTES: u64 = 1 << 40;

/// Alignment of a buffer in bytes: the one that block layouts assume.
const BUFFER_ALIGN: u64 = 16;

impl Address {
    /// Returns the address of a load or store; none for other instructions, or without a layout.
    pub(super) fn of(ed: &Editor<'_>, addresses: &Addresses, data: &InstData) -> Option<Address> {
        match data.op {
            Op::Memory(MemoryOp::Load | MemoryOp::Store) => {
                let &at = data.args.first()?;
                match ed.func().ty(at) {
                    ValueType::Path if !data.attrs.has(Key::Offset) => path(ed, at),
                    ValueType::Ptr => pointer(ed, addresses, at, data),
                    ValueType::Path | ValueType::Void | ValueType::Bits { .. } | ValueType::Handle => None,
                }
            }
            Op::Io(IoOp::Push) => bound(ed, data, IoOp::Push, None, *data.args.first()?, Mode::Push),
            Op::Io(IoOp::Ubo) => {
                let [index, at] = data.args[..] else { return None };
                bound(ed, data, IoOp::Ubo, Some(index), at, Mode::Uniform)
            }
            Op::Io(IoOp::Ssbo) => {
                let [index, at] = data.args[..] else { return None };
                bound(ed, data, IoOp::Ssbo, Some(index), at, Mode::Storage)
            }
            Op::Io(IoOp::SetSsbo) => {
                let [_, index, at] = data.args[..] else { return None };
                bound(ed, data, IoOp::Ssbo, Some(index), at, Mode::Storage)
            }
            _ => None,
        }
    }

    /// Returns the largest power of two, up to 16, that is known to divide the address.
    pub(super) fn align(&self, declared_align: Option<u64>) -> u64 {
        let is_buffer = matches!(self.mode, Some(Mode::Uniform | Mode::Storage | Mode::Push));
        let start = match (self.base.root, self.mode) {
            (Root::Value(_), _) => declared_align.unwrap_or(1),
            (Root::Bytes(_), _) if !is_buffer => 1,
            (_, Some(Mode::Shared)) => 1,
            (Root::Var(_) | Root::Bytes(_) | Root::Bound(..), _) => BUFFER_ALIGN,
        };
        let strides = self.base.terms.iter().map(|term| term.stride);
        let all = strides.chain([self.offset.unsigned_abs(), start]);
        let known = all.filter(|&bytes| bytes > 0).map(|bytes| 1 << bytes.trailing_zeros()).min();
        known.unwrap_or(1).min(BUFFER_ALIGN).max(declared_align.unwrap_or(1).min(BUFFER_ALIGN))
    }

    /// Returns true if the memory is not written while the shader runs.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self.base.root, Root::Bound(IoOp::Push | IoOp::Ubo, ..))
            || self.mode.is_some_and(|mode| !mode.is_writable())
    }
}

/// Returns the address of an access by set and binding, `at` and `offset` bytes from the start.
fn bound(
    ed: &Editor<'_>,
    data: &InstData,
    op: IoOp,
    index: Option<Inst>,
    at: Inst,
    mode: Mode,
) -> Option<Address> {
    let root = Root::Bound(op, data.attrs.get(Key::Set), data.attrs.get(Key::Binding));
    let (base, constant) = index_of(ed, at)?;
    let index = index.map(|index| index_key(ed, index)).into_iter().collect();
    let mut address = bytes(root, index, base, data, constant);
    address.mode = Some(mode);
    Some(address)
}

fn bytes(root: Root, resource: Vec<Index>, at: Option<Inst>, data: &InstData, more: i64) -> Address {
    let terms = at.map(|at| Term::of_path(at, 1)).into_iter().collect();
    let base = Base { root, resource, terms };
    Address { base, offset: offset_of(data) + more, mode: None, var: None, scalar: None }
}

/// Returns the address of an access through an untyped pointer; none past the end of memory of a known size.
fn pointer(ed: &Editor<'_>, addresses: &Addresses, at: Inst, data: &InstData) -> Option<Address> {
    let alone = || Some(bytes(Root::Value(at), Vec::new(), None, data, 0));
    let near = |offset: i64| offset.unsigned_abs() < MAX_BYTES;
    let found = addresses.get(at).filter(|found| found.terms.len() <= MAX_STEPS && near(found.offset));
    let Some(found) = found else { return alone() };
    let var = match addresses.root(at) {
        Some(analysis::Root::Var(var)) => Some(var),
        Some(analysis::Root::Value(_)) | None => None,
    };
    let mut address = bytes(Root::Value(found.base), Vec::new(), None, data, found.offset);
    address.var = var;
    address.base.terms = terms(found.terms);
    let declared = var.and_then(|var| ed.module().var(var));
    let (Some(var), Some(declared), true) = (var, declared, is_start(ed, found.base)) else {
        return Some(address);
    };
    address.base.root = Root::Bytes(var);
    address.mode = Some(declared.mode);
    // The length of a run-time array is unknown.
    let size = declared.attrs.get(Key::Bytes).filter(|_| !declared.attrs.has(Key::Stride));
    let end = address.offset.checked_add(bytes_of(ed, data)?)?;
    let before = address.base.terms.is_empty() && address.offset < 0;
    let past_end = size.is_some_and(|size| i64::try_from(size).is_ok_and(|size| size < end));
    (!before && !past_end).then_some(address)
}

/// Returns the dynamic steps of a pointer. If each declares its range, none is negative, and their order does not
/// matter.
fn terms(of: &[analysis::Term]) -> Vec<Term> {
    let all = of.iter().map(|term| Term {
        index: term.index,
        stride: u64::from(term.stride),
        range: term.range,
        before: if term.range.is_some() { 0 } else { term.before },
    });
    let mut terms: Vec<Term> = all.collect();
    if terms.iter().all(|term| term.range.is_some()) {
        terms.sort_unstable();
    }
    terms
}

/// Returns the number of bytes that a load or store accesses.
fn bytes_of(ed: &Editor<'_>, data: &InstData) -> Option<i64> {
    let ty = match data.op {
        Op::Memory(MemoryOp::Store) => ed.func().ty(*data.args.get(1)?),
        _ => data.ty,
    };
    i64::try_from(component_bytes(ty)?.checked_mul(u64::from(ty.components()))?).ok()
}

fn index_key(ed: &Editor<'_>, index: Inst) -> Index {
    ed.bits_of(index).map_or(Index::Dynamic(index), |bits| Index::Constant(bits.component(0).as_u64()))
}

/// Splits an index into a value and an added constant. A sum that wraps is far out of range.
fn index_of(ed: &Editor<'_>, index: Inst) -> Option<(Option<Inst>, i64)> {
    if ed.func().ty(index).components() != 1 {
        return None;
    }
    if let Some(bits) = ed.bits_of(index) {
        return Some((None, bits.component(0).as_i64()));
    }
    let data = ed.func().inst(index);
    if let (Op::Int(IntOp::IAdd), &[a, b]) = (data.op, &data.args[..]) {
        for (value, constant) in [(a, b), (b, a)] {
            if let Some(bits) = ed.bits_of(constant).filter(|_| ed.bits_of(value).is_none()) {
                return Some((Some(value), bits.component(0).as_i64()));
            }
        }
    }
    Some((Some(index), 0))
}

/// Returns the steps of a path, outermost first, and its start.
fn steps(ed: &Editor<'_>, path: Inst) -> Option<(Inst, Vec<Inst>)> {
    let (mut at, mut steps) = (path, Vec::new());
    loop {
        let data = ed.func().inst(at);
        match (data.op, data.args.first()) {
            (Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::Cast), Some(&base))
                if ed.func().ty(base) == ValueType::Path =>
            {
                steps.push(at);
                at = base;
            }
            _ => break,
        }
        if steps.len() > MAX_STEPS {
            return None;
        }
    }
    steps.reverse();
    Some((at, steps))
}

fn path(ed: &Editor<'_>, path: Inst) -> Option<Address> {
    let (module, func) = (ed.module(), ed.func());
    let (start, steps) = steps(ed, path)?;
    let data = func.inst(start);
    let root = match data.op {
        Op::Deref(DerefOp::Var) => Root::Var(data.entity(Key::Var)?),
        _ => Root::Value(start),
    };
    let mut here: PathType = module.path_type(func, start)?;
    if !matches!(here.mode, Mode::Uniform | Mode::Storage | Mode::Push | Mode::Shared | Mode::Physical) {
        return None;
    }
    let mut base = Base { root, resource: Vec::new(), terms: Vec::new() };
    let (mut offset, mut is_row_major) = (0i64, false);
    let mut is_resource = matches!(root, Root::Var(var) if is_bound(module, var));
    for &step in &steps {
        let inner = module.path_step(func, step, |_| Some(here))?;
        let data = func.inst(step);
        is_resource &=
            matches!(module.type_of(here.ty), TypeData::Array { .. } | TypeData::RuntimeArray { .. });
        match data.op {
            Op::Deref(DerefOp::Elem) if is_resource => base.resource.push(index_key(ed, *data.args.get(1)?)),
            Op::Deref(DerefOp::Elem) => {
                let stride = stride(module, here)?;
                let (term, constant) = index_of(ed, *data.args.get(1)?)?;
                offset = offset.checked_add(constant.checked_mul(i64::try_from(stride).ok()?)?)?;
                base.terms.extend(term.map(|term| Term::of_path(term, stride)));
            }
            Op::Deref(DerefOp::Field) => offset = offset.checked_add(member(module, here, data)?)?,
            _ => {}
        }
        is_row_major = matches!(module.type_of(here.ty), TypeData::Matrix { row_major: true, .. });
        here = inner;
    }
    let scalar = match module.type_of(here.ty) {
        TypeData::Vector { of, .. } => *of,
        TypeData::Int { .. } | TypeData::Float { .. } => here.ty,
        _ => return None,
    };
    base.terms.sort_unstable();
    (!is_row_major).then_some(Address {
        base,
        offset,
        mode: Some(here.mode),
        var: None,
        scalar: Some(scalar),
    })
}

fn is_bound(module: &Module, var: Var) -> bool {
    module.var(var).is_some_and(|data| data.attrs.has(Key::Binding))
}

/// Returns the byte offset of a member in its structure, if the structure has a layout.
fn member(module: &Module, of: PathType, step: &InstData) -> Option<i64> {
    let TypeData::Struct(structure) = module.type_of(of.ty) else { return None };
    let at = usize::try_from(step.attrs.get(Key::Field)?).ok()?;
    let member = module.structure(*structure)?.members.get(at)?;
    Some(i64::from((member.attrs.get(Key::Offset)? as u32).cast_signed()))
}

/// Returns the number of bytes between elements, if the type has a layout.
fn stride(module: &Module, of: PathType) -> Option<u64> {
    let stride = match module.type_of(of.ty) {
        TypeData::Array { stride, .. }
        | TypeData::RuntimeArray { stride, .. }
        | TypeData::Matrix { stride, row_major: false, .. } => u64::from(*stride),
        TypeData::Vector { of, .. } => match module.type_of(*of) {
            TypeData::Int { width, .. } | TypeData::Float { width } => u64::from(width.bits() / 8),
            _ => 0,
        },
        _ => 0,
    };
    (stride > 0).then_some(stride)
}

/// Rebuilds a path at another place, where its dynamic indices are already available.
pub(super) fn rebuild_path(b: &mut Builder<'_, '_>, path: Inst) -> Option<Inst> {
    let (start, steps) = steps(b.editor(), path)?;
    let root = b.editor().func().inst(start).clone();
    let mut at = if root.op == Op::Deref(DerefOp::Var) { b.emit_with(root) } else { start };
    for step in steps {
        let data = b.editor().func().inst(step).clone();
        let mut args = vec![at];
        if let Some(&index) = data.args.get(1) {
            args.push(rebuild_index(b, index));
        }
        at = b.emit_with(InstData { args: Args::new(&args), ..data });
    }
    Some(at)
}

/// Rebuilds an index: a constant, or the sum of a constant and an available value.
pub(super) fn rebuild_index(b: &mut Builder<'_, '_>, index: Inst) -> Inst {
    let data = b.editor().func().inst(index).clone();
    match (data.op, &data.args[..]) {
        (Op::Basic(BasicOp::Const), _) => b.emit_with(data),
        (Op::Int(IntOp::IAdd), &[x, y]) => {
            let is_sum = [x, y].iter().filter(|&&part| b.editor().bits_of(part).is_some()).count() == 1;
            if !is_sum {
                return index;
            }
            let args = [x, y].map(|part| {
                let constant = b.editor().bits_of(part);
                constant.map_or(part, |bits| b.bits(bits))
            });
            b.emit_with(InstData { args: Args::new(&args), ..data })
        }
        _ => index,
    }
}

/// Returns the number of bytes of one component of a value, if it can be stored in memory.
pub(super) fn component_bytes(ty: ValueType) -> Option<u64> {
    ty.width().filter(|&width| width != Width::W1).map(|width| u64::from(width.bits() / 8))
}

//! Shapes of pointers: a start, a constant offset, and steps with variable indices.
//!
//! ```text
//! $lights + 16 + n1 * 32 (below 320) + n0 * 4 (below 12)       lights[n1].direction[n0]
//! ```
//!
//! Two pointers with the same shape differ only in their indices. The index of the innermost step is the first:
//! a deeper access into a shape prepends its own.

use crate::util::route::{Hop, Index, Linear, Want, route};
use vitrine_analysis::Term;
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{ConvertOp, IntOp};
use vitrine_ir::ops::{Key, Op, PtrOp, ValueType, Width};
use vitrine_ir::{
    Args, Editor, FuncBody, InsertPoint, Inst, InstData, Len, Module, Reason, Refusal, Type, TypeData, Var,
};
use vitrine_ir::{Builder, FactKey, Mode};

/// The maximum number of starts and arrays on the way to a type.
const MAX_DEPTH: usize = 4096;

/// The start of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Start {
    /// A variable, or the bytes of its buffer.
    Var(Var, bool),
    /// One of the resources of a variable, by a constant index, or the bytes of it.
    Resource(Resource, bool),
    /// Something else.
    Value(Inst),
}

/// An element of an array of resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Resource {
    var: Var,
    index: u32,
    /// The attributes of the step.
    stride: Option<u64>,
    range: Option<u64>,
}

/// A step with a variable index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Level {
    /// The stride in bytes.
    pub(crate) stride: u32,
    /// The number of bytes that the step may cover, if known.
    pub(crate) range: Option<u32>,
}

/// The shape shared by pointers that differ only in their indices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    pub(crate) start: Start,
    /// The constant byte offset.
    pub(crate) offset: i64,
    /// The steps, outermost first.
    pub(crate) levels: Vec<Level>,
}

/// An offset within a type in bytes: a constant part, steps, and the index of each step, innermost first.
#[derive(Clone, Default, Debug)]
pub(crate) struct Counted {
    pub(crate) offset: i64,
    pub(crate) levels: Vec<Level>,
    pub(crate) numbers: Vec<Linear>,
}

impl Start {
    /// The start of the address that is based on `base`.
    pub(crate) fn of(module: &Module, body: &FuncBody, base: Inst) -> Start {
        let data = body.inst(base);
        let (at, is_data) = match (data.op, data.args.first()) {
            (Op::Ptr(PtrOp::BufferData), Some(&buffer)) => (body.inst(buffer), true),
            _ => (data, false),
        };
        if let Op::Ptr(PtrOp::Var) = at.op
            && let Some(var) = at.entity(Key::Var)
        {
            return Start::Var(var, is_data);
        }
        match resource(module, body, at) {
            Some(resource) => Start::Resource(resource, is_data),
            None => Start::Value(base),
        }
    }

    /// The declared type of the memory that starts there.
    pub(crate) fn declared(self, module: &Module, body: &FuncBody) -> Option<Type> {
        let mut at = match self {
            Start::Var(var, _) => return Some(module.var(var)?.ty),
            Start::Resource(Resource { var, .. }, _) => return module.element_type(module.var(var)?.ty),
            Start::Value(value) => value,
        };
        let mut elements = 0;
        for _ in 0..MAX_DEPTH {
            let data = body.inst(at);
            let mut ty = match data.op {
                Op::Ptr(PtrOp::BufferData | PtrOp::HandleIndex) => {
                    elements += usize::from(data.op == Op::Ptr(PtrOp::HandleIndex));
                    at = *data.args.first()?;
                    continue;
                }
                Op::Ptr(PtrOp::Var) => module.var(data.entity::<Var>(Key::Var)?)?.ty,
                _ => data.entity::<Type>(Key::Type)?,
            };
            for _ in 0..elements {
                ty = module.element_type(ty)?;
            }
            return Some(ty);
        }
        None
    }
}

/// The resource that a step from a variable selects, if its index is constant.
fn resource(module: &Module, body: &FuncBody, data: &InstData) -> Option<Resource> {
    let (Op::Ptr(PtrOp::HandleIndex), &[array, index]) = (data.op, &data.args[..]) else { return None };
    let array = body.inst(array);
    let Op::Ptr(PtrOp::Var) = array.op else { return None };
    let bits = module.bits_of(body.const_of(index)?);
    let index = u32::try_from(bits.component(0).as_i64()).ok().filter(|_| bits.ty().components() == 1)?;
    let [stride, range] = [Key::Stride, Key::Range].map(|key| data.attrs.get(key));
    Some(Resource { var: array.entity(Key::Var)?, index, stride, range })
}

/// The offset of a place of type `wanted` within a place of type `ty`, in elements of the arrays on the path.
/// None if there is no such path, or if an index would have to be divided.
pub(crate) fn counted(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    (offset, terms): (i64, &[Term]),
    wanted: Type,
) -> Option<Counted> {
    let found = route(module, sizes, ty, offset, terms, Want::Type(wanted))?;
    let (mut at, mut out) = (ty, Counted::default());
    for hop in found.hops {
        match (hop, module.type_of(at)) {
            (Hop::Field(member), &TypeData::Struct(structure)) => {
                let place = *sizes.offsets(module, module, structure).get(member as usize)?;
                out.offset = out.offset.checked_add_unsigned(place)?;
                at = module.structure(structure)?.members.get(member as usize)?.ty;
            }
            (Hop::Elem(Index::Is(index)), data) if !is_row_major(data) => {
                let stride = u32::try_from(sizes.stride(module, module, at)).ok()?;
                let count = module.element_count(at);
                let range = count.and_then(|count| count.checked_mul(stride));
                out.levels.push(Level { stride, range });
                out.numbers.insert(0, index);
                at = module.element_type(at)?;
            }
            (Hop::Field(_) | Hop::Elem(_) | Hop::Step(..), _) => return None,
        }
    }
    Some(out)
}

fn is_row_major(data: &TypeData) -> bool {
    matches!(data, TypeData::Matrix { row_major: true, .. })
}

/// The size of an object in bytes; none if it is only known at run time.
pub(crate) fn whole(module: &Module, sizes: &mut Sizes, ty: Type) -> Option<u64> {
    let mut at = ty;
    for _ in 0..MAX_DEPTH {
        at = match *module.type_of(at) {
            TypeData::RuntimeArray { .. } | TypeData::Array { len: Len::Global(_), .. } => return None,
            TypeData::Array { of, .. } => of,
            TypeData::Struct(structure) => match module.structure(structure)?.members.last() {
                Some(last) => last.ty,
                None => break,
            },
            _ => break,
        };
    }
    Some(sizes.of(module, module, ty).bytes).filter(|&bytes| bytes > 0)
}

/// Creates a pointer with a given shape and these indices, at an insert point.
pub(crate) fn pointer(
    ed: &mut Editor<'_>,
    at: InsertPoint,
    shape: &Shape,
    numbers: &[Inst],
    why: Reason,
) -> Result<Inst, Refusal> {
    let new = |op: PtrOp| InstData::new(op, ValueType::Ptr, &[]);
    let mut chain: Vec<(InstData, Option<Inst>)> = Vec::new();
    let (mut last, mut place) = (None, at);
    let is_data = match shape.start {
        Start::Value(value) => {
            last = Some(value);
            false
        }
        Start::Var(var, is_data) => {
            chain.push((new(PtrOp::Var).with(Key::Var, var.index() as u64), None));
            is_data
        }
        Start::Resource(resource, is_data) => {
            let index = ed.int(Width::W32, i64::from(resource.index));
            let index = put(ed, &mut place, index, why)?;
            chain.push((new(PtrOp::Var).with(Key::Var, resource.var.index() as u64), None));
            chain.push((with_attrs(new(PtrOp::HandleIndex), resource.stride, resource.range), Some(index)));
            is_data
        }
    };
    chain.extend(is_data.then(|| (new(PtrOp::BufferData), None)));
    let outer_first = numbers.iter().take(shape.levels.len()).rev();
    for (level, &number) in shape.levels.iter().zip(outer_first) {
        let step =
            with_attrs(new(PtrOp::DynOffset), Some(u64::from(level.stride)), level.range.map(u64::from));
        chain.push((step, Some(number)));
    }
    if shape.offset != 0 {
        chain.push((new(PtrOp::Offset).with(Key::Offset, shape.offset.cast_unsigned()), None));
    }
    for (data, number) in chain {
        let args: Vec<Inst> = last.into_iter().chain(number).collect();
        last = Some(put(ed, &mut place, InstData { args: Args::new(&args), ..data }, why)?);
    }
    last.ok_or_else(|| Refusal::new("a pointer has no start"))
}

/// Inserts an instruction after the previously inserted one. (The start of a block would put it before.)
fn put(ed: &mut Editor<'_>, place: &mut InsertPoint, data: InstData, why: Reason) -> Result<Inst, Refusal> {
    let made = ed.insert(*place, data, why)?;
    if !matches!(place, InsertPoint::Before(_) | InsertPoint::End(_)) {
        *place = InsertPoint::After(made);
    }
    Ok(made)
}

/// A step with its attributes.
pub(crate) fn with_attrs(step: InstData, stride: Option<u64>, range: Option<u64>) -> InstData {
    let all = [(Key::Stride, stride), (Key::Range, range)];
    all.into_iter().fold(step, |step, (key, value)| match value {
        Some(value) => step.with(key, value),
        None => step,
    })
}

/// The sum of two indices.
pub(crate) fn sum(b: &mut Builder<'_, '_>, from: Option<Inst>, more: Option<&Linear>) -> Inst {
    let mut total = from;
    for &(index, times) in more.into_iter().flat_map(|more| &more.terms) {
        let mut part = index;
        if b.editor().func().ty(index) != ValueType::B32 {
            part = b.checked(ConvertOp::I2I, ValueType::B32, &[part]);
        }
        if times != 1 {
            let times = b.int(Width::W32, i64::from(times));
            part = b.checked(IntOp::IMul, ValueType::B32, &[part, times]);
        }
        total = Some(match total {
            Some(total) => b.checked(IntOp::IAdd, ValueType::B32, &[total, part]),
            None => part,
        });
    }
    match (total, more.map_or(0, |more| more.plus)) {
        (Some(total), 0) => total,
        (Some(total), plus) => {
            let plus = b.int(Width::W32, plus);
            b.checked(IntOp::IAdd, ValueType::B32, &[total, plus])
        }
        (None, plus) => b.int(Width::W32, plus),
    }
}

/// Returns true if a module may pass pointers of this mode through parameters and selects.
pub(crate) fn is_legal(module: &Module, mode: Option<Mode>) -> bool {
    let all = says(module, FactKey::Capability, "VariablePointers");
    has_address(module, mode)
        || mode == Some(Mode::Shared) && all
        || mode == Some(Mode::Storage)
            && (all || says(module, FactKey::Capability, "VariablePointersStorageBuffer"))
}

/// Returns true for pointers with a physical address.
pub(crate) fn has_address(module: &Module, mode: Option<Mode>) -> bool {
    let is_physical = |word| says(module, FactKey::Addressing, word);
    matches!(mode, Some(Mode::Physical | Mode::Generic))
        || ["Physical32", "Physical64"].into_iter().any(is_physical)
}

/// Returns true if the module states a fact with this word.
fn says(module: &Module, key: FactKey, word: &str) -> bool {
    module.facts.iter().any(|fact| fact.key == key && module.text_of(fact.value) == word)
}

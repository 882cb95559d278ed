//! `memcpy`: replaces copies of bytes by copies of typed values.
//!
//! ```text
//! %2: path = deref.cast %0 {type [u8 * 32], mode local}
//! %3: path = deref.cast %1 {type [u8 * 32], mode local}
//! copy_bytes %2, %3, %thirty_two                         =>    copy %0, %1
//! ```
//!
//! Kernels copy bytes (`OpCopyMemorySized`), while other passes track memory by typed paths. Each side is
//! considered as its address before casts, and as the object whose first member or element it is. If both sides
//! have the same type, of the copied size and without padding, the copy gets that type; if one side is a scalar
//! or a vector of that size, it becomes a load and a store; otherwise casts are still skipped. A copy of zero
//! bytes is removed, and so is any copy of a place to itself.
//!
//! The size of a type comes from its explicit layout. Without one, only types without padding under every rule
//! qualify: a vector of three components may be as large as three or as four of them. Unchanged: sizes known
//! only at run time, volatile and coherent copies, types that contain booleans, pointers or resources. Graphics
//! shaders have no `memcpy` between types, so this is for kernels. NIR: `nir_opt_memcpy`; its packed copies
//! between different types of one size do not exist here, because a copy requires equal types.

use super::pass::PassInfo;
use crate::util::memory::{is_plain, sweep};
use crate::util::rewrite_each::rewrite_each;
use rustc_hash::FxHashMap;
use vitrine_analysis::{Alias, Analyses, Overlap};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType, Width};
use vitrine_ir::{
    Args, Editor, InsertPoint, Inst, InstData, Len, Module, PathType, Reason, Refusal, Struct, Type, TypeData,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces copies of bytes by copies of typed values.",
    ..PassInfo::edits("memcpy", opening!("memcpy.rs"), |ed, cx| memcpy(ed, cx.analyses))
};

const WHY: Reason = Reason::Note("the bytes are a whole typed object");
const NOTHING: Reason = Reason::Note("the copy changes nothing");

/// The maximum number of steps and casts that are looked through on each side.
const MAX_STEPS: usize = 16;

/// The maximum nesting of types that are measured.
const MAX_DEPTH: usize = 32;

/// Rewrites copies. Near-linear; idempotent; both shapes.
fn memcpy(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let is_copy = |data: &InstData| {
        matches!(data.op, Op::Memory(MemoryOp::CopyBytes | MemoryOp::CopyVar)) && is_plain(data)
    };
    // Computed for the first copy.
    let mut alias = None;
    let mut sizes = Packed::default();
    let planned = |ed: &Editor<'_>, inst: Inst| {
        is_copy(ed.func().inst(inst)).then_some(())?;
        let alias = alias.get_or_insert_with(|| analyses.get::<Alias>(ed.module(), ed.id()));
        plan(ed, alias, &mut sizes, inst)
    };
    rewrite_each(ed, planned, |ed, copy, plan| {
        let before = ed.func().inst(copy).args.clone();
        apply(ed, copy, plan)?;
        before.iter().take(2).try_for_each(|&path| sweep(ed, path, WHY))
    })
}

/// The replacement of a copy.
enum Plan {
    /// Removed.
    Removed,
    /// A copy between these paths.
    Copy(Inst, Inst),
    /// A load and a store of this type, with each side viewed as that type.
    Value(Type, ValueType, Side, Side),
    /// A copy between these addresses.
    Bytes(Inst, Inst),
}

/// An address, and the cast that it needs.
#[derive(Clone, Copy)]
struct Side {
    address: Inst,
    /// Set if the address is a path of this mode to another type.
    cast: Option<vitrine_ir::Mode>,
}

fn plan(ed: &Editor<'_>, alias: &Alias, sizes: &mut Packed, copy: Inst) -> Option<Plan> {
    let data = ed.func().inst(copy);
    let (&to, &from) = (data.args.first()?, data.args.get(1)?);
    let [seen_to, seen_from] = [to, from].map(|address| views(ed, address));
    let (&plain_to, &plain_from) = (seen_to.uncast(), seen_from.uncast());
    let same = |a: Inst, b: Inst| match (alias.spot(a), alias.spot(b)) {
        _ if a == b => true,
        (Some(a), Some(b)) => alias.overlap(a, b) == Overlap::Must,
        (Some(_) | None, _) => false,
    };
    let watched =
        [plain_to, plain_from].iter().any(|&at| alias.spot(at).is_some_and(|spot| alias.is_watched(spot)));
    let size = data.args.get(2).map(|&size| ed.bits_of(size).map(|bits| bits.component(0).as_u64()));
    if size == Some(Some(0)) || (same(plain_to, plain_from) && !watched) {
        return Some(Plan::Removed);
    }
    // A copy that is not a byte copy needs no other change.
    let size = size?;
    if let Some(bytes) = size {
        let module = ed.module();
        let mut fits = |view: &&View| {
            view.of.is_some_and(|of| sizes.of(module, of.ty).is_some_and(|known| known == bytes))
        };
        // The operand of a cast is more specific than the cast.
        let tos: Vec<&View> = seen_to.all.iter().rev().filter(&mut fits).collect();
        let froms: Vec<&View> = seen_from.all.iter().rev().filter(&mut fits).collect();
        for to in &tos {
            for from in &froms {
                let (Some(a), Some(b)) = (to.of, from.of) else { continue };
                if module.value_type(a.ty).is_none() && module.alike(a.ty, b.ty) {
                    return Some(Plan::Copy(to.address, from.address));
                }
            }
        }
        let value = |view: &&&View| view.of.and_then(|of| Some((of.ty, module.value_type(of.ty)?)));
        let other = |seen: &Views, ty: Type| seen.as_type(ty, module);
        if let Some((ty, value)) = tos.iter().find_map(|view| value(&view)) {
            return Some(Plan::Value(ty, value, other(&seen_to, ty), other(&seen_from, ty)));
        }
        if let Some((ty, value)) = froms.iter().find_map(|view| value(&view)) {
            return Some(Plan::Value(ty, value, other(&seen_to, ty), other(&seen_from, ty)));
        }
    }
    (plain_to != to || plain_from != from).then_some(Plan::Bytes(plain_to, plain_from))
}

/// An object that starts at an address.
struct View {
    address: Inst,
    of: Option<PathType>,
}

/// The objects that start at an address, the address itself first.
struct Views {
    all: Vec<View>,
    /// The index of the address without casts.
    plain: usize,
    first: View,
}

impl Views {
    fn uncast(&self) -> &Inst {
        &self.all.get(self.plain).unwrap_or(&self.first).address
    }

    /// The address as a path to this type.
    fn as_type(&self, ty: Type, module: &Module) -> Side {
        let found = self.all.iter().find(|view| view.of.is_some_and(|of| module.alike(of.ty, ty)));
        let view = found.or_else(|| self.all.get(self.plain)).unwrap_or(&self.first);
        let cast = view.of.filter(|_| found.is_none()).map(|of| of.mode);
        Side { address: view.address, cast }
    }
}

/// The views of an address: itself, the address before casts, and objects whose first part it is.
fn views(ed: &Editor<'_>, address: Inst) -> Views {
    let (module, func) = (ed.module(), ed.func());
    let view = |address: Inst| {
        let is_path = func.ty(address) == ValueType::Path;
        View { address, of: if is_path { module.path_type(func, address) } else { None } }
    };
    let mut all = vec![view(address)];
    let (mut at, mut plain, mut only_casts) = (address, 0, true);
    while all.len() < MAX_STEPS {
        let data = func.inst(at);
        let zero = |index: Option<&Inst>| {
            index.and_then(|&index| ed.bits_of(index)).is_some_and(|bits| bits.component(0).as_u64() == 0)
        };
        let first = match data.op {
            Op::Deref(DerefOp::Cast) => true,
            Op::Deref(DerefOp::Elem) => zero(data.args.get(1)),
            Op::Deref(DerefOp::Field) => data.attrs.get(Key::Field) == Some(0),
            _ => false,
        };
        let Some(&base) = data.args.first().filter(|_| first) else { break };
        only_casts &= data.op == Op::Deref(DerefOp::Cast);
        all.push(view(base));
        if only_casts {
            plain = all.len() - 1;
        }
        at = base;
    }
    Views { all, plain, first: view(address) }
}

fn apply(ed: &mut Editor<'_>, copy: Inst, plan: Plan) -> Result<(), Refusal> {
    let data = ed.func().inst(copy).clone();
    match plan {
        Plan::Removed => ed.erase(copy, NOTHING),
        Plan::Copy(to, from) => {
            let new = InstData::new(MemoryOp::CopyVar, ValueType::Void, &[to, from]);
            ed.rewrite(copy, InstData { attrs: data.attrs, ..new }, WHY)
        }
        Plan::Bytes(to, from) => {
            let args: Vec<Inst> = [to, from].into_iter().chain(data.args.get(2).copied()).collect();
            ed.rewrite(copy, InstData { args: Args::new(&args), ..data }, WHY)
        }
        Plan::Value(ty, value, to, from) => {
            let mut address = |side: Side| match side.cast {
                None => Ok(side.address),
                Some(mode) => {
                    let cast = InstData::new(DerefOp::Cast, ValueType::Path, &[side.address]);
                    let cast = cast.with(Key::Type, ty.index() as u64).with_word(mode);
                    ed.insert(InsertPoint::Before(copy), cast, WHY)
                }
            };
            let (to, from) = (address(to)?, address(from)?);
            let load = InstData::new(MemoryOp::Load, value, &[from]);
            let load =
                ed.insert(InsertPoint::Before(copy), InstData { attrs: data.attrs.clone(), ..load }, WHY)?;
            let store = InstData::new(MemoryOp::Store, ValueType::Void, &[to, load]);
            ed.rewrite(copy, InstData { attrs: data.attrs, ..store }, WHY)
        }
    }
}

/// The size and alignment of types without padding, memoized.
#[derive(Default)]
struct Packed {
    known: FxHashMap<Type, Option<(u64, u64)>>,
}

impl Packed {
    /// The size of a type, if it has no padding under any rule. Linear in the size of the type, once.
    fn of(&mut self, module: &Module, ty: Type) -> Option<u64> {
        self.measure(module, ty, MAX_DEPTH).map(|(bytes, _)| bytes).filter(|&bytes| bytes > 0)
    }

    // `left` limits the depth.
    fn measure(&mut self, module: &Module, ty: Type, left: usize) -> Option<(u64, u64)> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let left = left.checked_sub(1)?;
        let found = match *module.type_of(ty) {
            TypeData::Int { width, .. } | TypeData::Float { width } => scalar(width),
            TypeData::Vector { of, components } => self.measure(module, of, left).map(|(bytes, align)| {
                let align = if components == 3 { align } else { bytes * u64::from(components) };
                (bytes * u64::from(components), align)
            }),
            TypeData::Matrix { column, columns, stride, row_major: false } => {
                self.array(module, (column, u64::from(columns), stride), left)
            }
            TypeData::Array { of, len: Len::Count(count), stride } => {
                self.array(module, (of, u64::from(count), stride), left)
            }
            TypeData::Struct(structure) => self.members(module, structure, left),
            _ => None,
        };
        self.known.insert(ty, found);
        found
    }

    /// Consecutive elements. Without a stride, three components may occupy as much as four.
    fn array(
        &mut self,
        module: &Module,
        (of, count, stride): (Type, u64, u32),
        left: usize,
    ) -> Option<(u64, u64)> {
        let (bytes, align) = self.measure(module, of, left)?;
        let three = matches!(module.type_of(of), TypeData::Vector { components: 3, .. });
        let tight = if stride == 0 { !three && bytes % align == 0 } else { u64::from(stride) == bytes };
        Some((bytes.checked_mul(count)?, align)).filter(|_| tight)
    }

    fn members(&mut self, module: &Module, structure: Struct, left: usize) -> Option<(u64, u64)> {
        let members = module.structure(structure)?.members.clone();
        let (mut end, mut most) = (0u64, 1u64);
        for member in members.iter() {
            let (bytes, align) = self.measure(module, member.ty, left)?;
            let three = matches!(module.type_of(member.ty), TypeData::Vector { components: 3, .. });
            let here = match member.attrs.get(Key::Offset) {
                Some(offset) => offset == end,
                None => !three && end % align == 0,
            };
            if !here {
                return None;
            }
            end = end.checked_add(bytes)?;
            most = most.max(align);
        }
        Some((end, most)).filter(|_| end % most == 0)
    }
}

fn scalar(width: Width) -> Option<(u64, u64)> {
    let bytes = u64::from(width.bits() / 8);
    (bytes > 0).then_some((bytes, bytes))
}

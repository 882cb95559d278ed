//! `uniforms-to-ubo`: collects loose uniforms into one uniform buffer.
//!
//! ```text
//! handle $tint_0: f32x3 {location 0}        struct #0 {block} {
//! handle $amount_1: f32 {location 1}          tint: f32x3 {offset 0}
//!                                             amount: f32 {offset 12}
//!                                     =>    }
//!                                           uniform $uniforms_2: #0 {set 0, binding 0}
//! %1: path = deref.var $amount_1            %2: path = deref.var $uniforms_2
//! %3: b32 = load %1                         %1: path = deref.field %2.1
//!                                           %3: b32 = load %1
//! ```
//!
//! OpenGL has uniforms outside of blocks, which SPIR-V for OpenGL represents as data in `UniformConstant`;
//! other interfaces and most targets support only buffers. Members have the `std140` layout, in the order of
//! the variables (OpenGL 4.6, 7.6.2.2): a vector of three components is aligned like one of four, elements of
//! arrays, columns of matrices and structures to 16 bytes. The buffer gets the lowest free binding of its set,
//! starting at `binding`. The application must fill it, so no preset contains this pass.
//!
//! Unchanged: booleans, which have no size in a buffer; uniforms with an initializer or a binding; block
//! structures; arrays whose length is only known at specialization; row-major matrices; uniforms with a path
//! that is passed on or is a module constant. NIR: `nir_lower_uniforms_to_ubo`, which renumbers other buffers
//! instead.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::io_components::names_all;
use crate::util::memory::addressed;
use crate::util::open::in_order;
use crate::util::rewrite_each::rewrite_everywhere;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Attrs, DecorTarget, Diag, Editor, Fuel, FuncBody, InsertPoint, Inst, InstData, Len, Member, Mode, Module,
    Reason, Refusal, StructData, Type, TypeData, Var, VarData,
};

options! {
    /// The place of the buffer.
    struct BufferPlace {
        /// The descriptor set of the buffer.
        set: u32 = 0 in 0..=u32::MAX;
        /// The lowest binding that the buffer may have.
        binding: u32 = 0 in 0..=u32::MAX;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Collects loose uniforms into one uniform buffer.",
    options: BufferPlace::INFO,
    ..PassInfo::new(
        "uniforms-to-ubo",
        opening!("uniforms_to_ubo.rs"),
        RunFn::Module(|module, cx, fuel| uniforms_to_ubo(module, &BufferPlace::of(cx.options), fuel)),
    )
};

const WHY: Reason = Reason::Note("the uniform is a member of a buffer");

/// The maximum nesting of types that are laid out.
const MAX_DEPTH: usize = 32;

/// Replaces uniforms. Linear; idempotent; both shapes. A uniform is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn uniforms_to_ubo(module: &mut Module, place: &BufferPlace, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let loose = loose(module);
    let mut layouts = Layouts::default();
    let (mut members, mut at, mut end) = (Vec::new(), FxHashMap::default(), 0u32);
    for (var, data) in loose {
        let Some(laid) = layouts.of(module, data.ty, MAX_DEPTH) else { continue };
        let offset = end.checked_next_multiple_of(laid.align);
        let Some((offset, after)) = offset.and_then(|at| Some((at, at.checked_add(laid.bytes)?))) else {
            break;
        };
        if !fuel.take() {
            break;
        }
        at.insert(var, members.len() as u32);
        members.push(Member {
            name: data.name,
            ty: laid.ty,
            attrs: Attrs::one(Key::Offset, u64::from(offset)),
        });
        end = after;
    }
    if members.is_empty() {
        return Ok(Journals::new());
    }
    let [set, binding] = [place.set, place.binding].map(u64::from);
    let buffer = add_buffer(module, members, (set, free(module, set, binding)));
    let complete = names_all(module);
    for entry in std::rc::Rc::make_mut(&mut module.entries) {
        let before = entry.interface.len();
        entry.interface.retain(|var| !at.contains_key(var));
        if complete && entry.interface.len() < before {
            entry.interface.push(buffer);
        }
    }
    let member = |ed: &Editor<'_>, path: Inst| at.get(&ed.func().inst(path).entity(Key::Var)?).copied();
    let journals = rewrite_everywhere(module, member, |ed, path, member| rebase(ed, path, buffer, member))?;
    let mut replaced: Vec<Var> = at.into_keys().collect();
    replaced.sort_unstable();
    replaced.into_iter().for_each(|var| module.remove_var(var));
    Ok(journals)
}

fn add_buffer(module: &mut Module, members: Vec<Member>, (set, binding): (u64, u64)) -> Var {
    let name = Some(module.text("uniforms"));
    let attrs = Attrs::one(Key::Block, 1);
    let structure = module.add_struct(StructData { name, members: members.into(), attrs });
    let ty = module.ty(TypeData::Struct(structure));
    let attrs = Attrs::one(Key::Set, set).with(Key::Binding, binding);
    module.add_var(VarData { name, ty, mode: Mode::Uniform, owner: None, init: None, attrs })
}

/// The lowest unused binding of a set, starting at `from`.
fn free(module: &Module, set: u64, from: u64) -> u64 {
    let of_set = module.vars().filter(|(_, data)| data.attrs.get(Key::Set).unwrap_or(0) == set);
    let taken: FxHashSet<u64> = of_set.filter_map(|(_, data)| data.attrs.get(Key::Binding)).collect();
    (from..).find(|binding| !taken.contains(binding)).unwrap_or(from)
}

/// Uniforms that are plain data and only read, in order.
fn loose(module: &Module) -> Vec<(Var, VarData)> {
    let free = |data: &VarData| {
        let bound = [Key::Set, Key::Binding, Key::BuiltIn].into_iter().any(|key| data.attrs.has(key));
        data.mode == Mode::Handle && data.init.is_none() && !bound
    };
    let mut vars: Vec<(Var, VarData)> =
        module.vars().filter(|(_, data)| free(data)).map(|(var, data)| (var, data.clone())).collect();
    if vars.is_empty() {
        return vars;
    }
    let mut lost: FxHashSet<Var> = addressed(module).collect();
    lost.extend(module.decors.iter().filter_map(|decor| match decor.on {
        DecorTarget::Var(var) => Some(var),
        DecorTarget::Func(_) | DecorTarget::Global(_) | DecorTarget::Struct(_) | DecorTarget::Member(..) => {
            None
        }
    }));
    module.funcs().for_each(|(_, body)| find_other_uses(body, &mut lost));
    vars.retain(|(var, _)| !lost.contains(var));
    vars
}

/// Variables with uses other than path steps, loads and copies from them.
fn find_other_uses(body: &FuncBody, lost: &mut FxHashSet<Var>) {
    let mut roots: FxHashMap<Inst, Var> = FxHashMap::default();
    let order = in_order(body);
    let reached: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let named = data.entity::<Var>(Key::Var);
            match (data.op, named) {
                (Op::Deref(DerefOp::Var), Some(var)) => {
                    roots.insert(inst, var);
                }
                (_, Some(var)) => drop(lost.insert(var)),
                (_, None) => {}
            }
            for (number, arg) in data.args.iter().enumerate() {
                let Some(&var) = roots.get(arg) else { continue };
                match (data.op, number) {
                    (Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::All), 0) => {
                        roots.insert(inst, var);
                    }
                    (Op::Memory(MemoryOp::Load), 0) | (Op::Memory(MemoryOp::CopyVar), 1) => {}
                    _ => drop(lost.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| lost.extend(roots.get(&value)));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reached.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            lost.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
}

/// Rebases a path on a member of the buffer.
fn rebase(ed: &mut Editor<'_>, path: Inst, buffer: Var, member: u32) -> Result<(), Refusal> {
    let root = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, buffer.index() as u64);
    let root = ed.insert(InsertPoint::Before(path), root, WHY)?;
    let field = InstData::new(DerefOp::Field, ValueType::Path, &[root]);
    ed.rewrite(path, field.with(Key::Field, u64::from(member)), WHY)
}

/// A type with a layout.
#[derive(Clone, Copy)]
struct LaidOutType {
    ty: Type,
    bytes: u32,
    align: u32,
}

/// Types with `std140` layout, each created once.
#[derive(Default)]
struct Layouts {
    known: FxHashMap<Type, Option<LaidOutType>>,
}

impl Layouts {
    // `left` limits the depth.
    fn of(&mut self, module: &mut Module, ty: Type, left: usize) -> Option<LaidOutType> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let left = left.checked_sub(1)?;
        let found = match module.type_of(ty).clone() {
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = width.bits() / 8;
                Some(LaidOutType { ty, bytes, align: bytes })
            }
            TypeData::Vector { of, components } if components <= 4 => self.of(module, of, left).map(|one| {
                let align = one.bytes * if components == 2 { 2 } else { 4 };
                LaidOutType { ty, bytes: one.bytes * u32::from(components), align }
            }),
            TypeData::Matrix { column, columns, row_major: false, .. } => {
                self.array(module, (column, u32::from(columns)), left, |_, stride| TypeData::Matrix {
                    column,
                    columns,
                    stride,
                    row_major: false,
                })
            }
            TypeData::Array { of, len: Len::Count(count), .. } => {
                let len = Len::Count(count);
                self.array(module, (of, count), left, |of, stride| TypeData::Array { of, len, stride })
            }
            TypeData::Struct(structure) => {
                let data = module.structure(structure)?.clone();
                self.structure(module, data, left)
            }
            _ => None,
        };
        self.known.insert(ty, found);
        found
    }

    /// An array with elements aligned to 16 bytes.
    fn array(
        &mut self,
        module: &mut Module,
        (of, count): (Type, u32),
        left: usize,
        make: impl Fn(Type, u32) -> TypeData,
    ) -> Option<LaidOutType> {
        let one = self.of(module, of, left)?;
        let align = one.align.checked_next_multiple_of(16)?;
        let stride = one.bytes.checked_next_multiple_of(align)?;
        let bytes = stride.checked_mul(count)?;
        Some(LaidOutType { ty: module.ty(make(one.ty, stride)), bytes, align })
    }

    fn structure(&mut self, module: &mut Module, data: StructData, left: usize) -> Option<LaidOutType> {
        if data.attrs.has(Key::Block) || data.attrs.has(Key::BufferBlock) {
            return None;
        }
        let (mut members, mut end, mut align) = (Vec::new(), 0u32, 16u32);
        for member in data.members.iter() {
            let laid = self.of(module, member.ty, left)?;
            let offset = end.checked_next_multiple_of(laid.align)?;
            let attrs = member.attrs.with(Key::Offset, u64::from(offset));
            members.push(Member { ty: laid.ty, attrs, ..member.clone() });
            end = offset.checked_add(laid.bytes)?;
            align = align.max(laid.align);
        }
        let bytes = end.checked_next_multiple_of(align)?;
        let structure = module.add_struct(StructData { members: members.into(), ..data });
        Some(LaidOutType { ty: module.ty(TypeData::Struct(structure)), bytes, align })
    }
}

//! Layouts of buffers in target languages: the declared offsets of each buffer, and the offsets by the rules of the target.
//!
//! ```text
//! struct #Params_0 {block} {                     glsl, storage buffer, std430: padded
//!   scale: f32 {offset 0}                          scale      0  plain
//!   weights: [f32 * 4 step 16] {offset 16}         weights   16  padded   4 by the rule
//! }
//! ```
//!
//! SPIR-V declares each offset and stride; a text has rules that give them. The verdict of a buffer is the first of these that
//! holds: *plain*, the rules give the declared bytes; *padded*, they do so with unused members between others, structures
//! around elements, or matrices as arrays of their vectors; *bytes*, the members that differ are arrays of numbers, of which
//! each access is composed; *none*, no such array has the places of the accesses.
//!
//! Buffers are variables of the modes `uniform`, `storage` and `push` with a declared layout. Does not find out if their
//! addresses can be rewritten: `lower-layout` does.

mod rules; // start here
mod verdict;
mod atomics; // those on members of buffers
mod fit; // types that a rule places as they are declared
mod numbers; // arrays of numbers for those that it does not

pub use fit::{is_array_of_matrices, row_end};
pub use rules::{LayoutTarget, Packing};
pub use verdict::{LayoutVerdict, MemberLayout};

pub use atomics::Atomics;

use fit::{Block, Fitter, Placed};
use verdict::unplaced;
use vitrine_ir::base::EntitySet;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::Key;
use vitrine_ir::{Mode, Module, Struct, StructData, Type, TypeData, Var};

/// The layout of a buffer in a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferLayout {
    /// The buffer.
    pub var: Var,
    /// The rule.
    pub packing: Packing,
    /// The way in which the whole buffer is expressed.
    pub verdict: LayoutVerdict,
    /// Its members, in the order of their offsets.
    pub members: Vec<MemberLayout>,
}

/// A layout with the type that expresses it, if the declared one does not.
#[derive(Clone, Debug)]
pub struct LayoutPlan {
    pub layout: BufferLayout,
    pub ty: Option<Type>,
}

/// The layouts of all buffers of a module in a target. Near linear in the size of the module.
pub fn buffer_layouts(module: &Module, target: LayoutTarget) -> Vec<BufferLayout> {
    let mut scratch = module.clone();
    let atomics = Atomics::of(module);
    let vars: Vec<Var> = module.vars().map(|(var, _)| var).collect();
    vars.into_iter()
        .filter_map(|var| layout_plan(&mut scratch, &atomics, target, var))
        .map(|plan| plan.layout)
        .collect()
}

/// The block of a buffer, or of each buffer in an array; none if the variable is no buffer with a declared layout.
fn block_of(module: &Module, var: Var) -> Option<Struct> {
    let data = module.var(var).filter(|data| !data.is_untyped() && data.owner.is_none())?;
    if !matches!(data.mode, Mode::Uniform | Mode::Storage | Mode::Push) {
        return None;
    }
    let mut ty = data.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    let TypeData::Struct(structure) = *module.type_of(ty) else { return None };
    let members = &module.structure(structure)?.members;
    members.iter().all(|member| member.attrs.has(Key::Offset)).then_some(structure)
}

/// The rules of a target for a buffer, the preferred one first.
fn packings(target: LayoutTarget, mode: Mode) -> &'static [Packing] {
    match (target, mode) {
        (LayoutTarget::Glsl, Mode::Uniform) => &[Packing::Std140, Packing::Std430, Packing::Scalar],
        (LayoutTarget::Glsl, _) => &[Packing::Std430, Packing::Std140, Packing::Scalar],
        (LayoutTarget::Essl | LayoutTarget::Essl310, Mode::Uniform | Mode::Push) => &[Packing::Std140],
        (LayoutTarget::Essl, _) => &[],
        (LayoutTarget::Essl310, _) => &[Packing::Std430, Packing::Std140],
        (LayoutTarget::Wgsl, Mode::Storage) => &[Packing::Wgsl],
        (LayoutTarget::Wgsl, _) => &[Packing::WgslUniform],
        (LayoutTarget::Hlsl, Mode::Uniform) => &[Packing::Cbuffer],
        (LayoutTarget::Hlsl, _) => &[Packing::Structured],
        (LayoutTarget::Msl, _) => &[Packing::Metal],
    }
}

/// Plans the layout of a buffer, and creates its type if the target needs another one. `None` for other variables, and for
/// buffers that the target does not have.
pub fn layout_plan(
    module: &mut Module,
    atomics: &Atomics,
    target: LayoutTarget,
    var: Var,
) -> Option<LayoutPlan> {
    let structure = block_of(module, var)?;
    let data = module.var(var)?.clone();
    let packings = packings(target, data.mode);
    let first = *packings.first()?;
    let block = module.structure(structure)?.clone();
    let is_array = !matches!(module.type_of(data.ty), TypeData::Struct(_));
    // A text with accesses by bytes has them for a storage buffer with more than a run-time array, too.
    let last = block.members.last().map(|member| module.type_of(member.ty));
    let is_open = matches!(last, Some(TypeData::RuntimeArray { .. }));
    let is_mixed = target.has_bytes() && is_open && block.members.len() > 1;
    let splits_rows =
        target.needs_padded_types() && block.members.iter().any(|member| mixes_orders(module, member.ty));
    let is_stated = match target {
        LayoutTarget::Glsl => true,
        LayoutTarget::Hlsl => data.mode == Mode::Uniform && !is_array,
        LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Wgsl | LayoutTarget::Msl => false,
    };
    let mut found: Option<(Packing, Placed, bool)> = None;
    for &packing in packings.iter().filter(|_| !is_mixed) {
        let mut fitter = Fitter::new(module, target, packing);
        fitter.splits_rows = splits_rows;
        let Some(placed) = fitter.members(&block.members, false, Some(Block { numbers: None, is_stated }))
        else {
            continue;
        };
        if found.as_ref().is_none_or(|(_, known, _)| placed.verdict() < known.verdict()) {
            let is_new = placed.is_padded && fitter.is_new(&placed, &block.members);
            found = Some((packing, placed, is_new));
        }
    }
    let has_bytes =
        target.has_bytes() && !(data.mode == Mode::Push || data.mode == Mode::Uniform && is_array);
    if found.is_none() && !has_bytes {
        let numbers = atomics.numbers(var);
        found = packings.iter().find_map(|&packing| {
            let mut fitter = Fitter::new(module, target, packing);
            fitter.splits_rows = splits_rows;
            let by_members =
                fitter.members(&block.members, false, Some(Block { numbers: Some(&numbers), is_stated }));
            let placed = by_members.or_else(|| fitter.whole(&block.members, &numbers))?;
            Some((packing, placed, true))
        });
    }
    let Some((packing, placed, is_new)) = found else {
        let verdict = if has_bytes { LayoutVerdict::Bytes } else { LayoutVerdict::None };
        let members = unplaced(&block.members, verdict);
        let layout = BufferLayout { var, packing: first, verdict, members };
        return Some(LayoutPlan { layout, ty: None });
    };
    let verdict = placed.verdict();
    let layout = BufferLayout { var, packing, verdict, members: placed.places };
    let ty = is_new.then(|| {
        let new = module.add_struct(StructData { members: placed.members.into(), ..block });
        let new = module.ty(TypeData::Struct(new));
        in_arrays(module, data.ty, new)
    });
    Some(LayoutPlan { layout, ty })
}

/// The arrays of a variable, around another block.
fn in_arrays(module: &mut Module, ty: Type, block: Type) -> Type {
    let (mut inner, mut around) = (ty, Vec::new());
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(inner) {
        around.push(inner);
        inner = of;
    }
    around.into_iter().rev().fold(block, |of, outer| {
        let new = match *module.type_of(outer) {
            TypeData::Array { len, stride, .. } => TypeData::Array { of, len, stride },
            _ => TypeData::RuntimeArray { of, stride: 0 },
        };
        module.ty(new)
    })
}

/// Returns true if a type has row-major and column-major matrices: the qualifier of a member holds for all matrices in it.
fn mixes_orders(module: &Module, ty: Type) -> bool {
    let (mut orders, mut seen, mut work) = ([false; 2], EntitySet::new(), vec![ty]);
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Matrix { row_major, .. } => orders[usize::from(row_major)] = true,
            _ => work.extend(parts(module, ty)),
        }
    }
    orders == [true, true]
}

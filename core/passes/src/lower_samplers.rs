//! `lower-samplers`: splits combined image samplers, and flattens arrays of them.
//!
//! ```text
//! handle $0: sampled_image<2d f32>             handle $0: image<2d f32> {set 0, binding 1}
//!   {set 0, binding 1}                         handle $1: sampler {set 0, binding 1}
//! %0: path = deref.var $0               =>     %0: path = deref.var $0
//! %1: b32x4 = tex.sample %0, %uv               %2: path = deref.var $1
//!   {dim 2d, roles image+coord}                %1: b32x4 = tex.sample %0, %2, %uv
//!                                                {dim 2d, roles image+sampler+coord}
//! ```
//!
//! `split` separates images and samplers, for targets without combined ones. Both variables keep set and binding:
//! a combined image sampler is bound there, and Vulkan allows either to be read from it (descriptor types and
//! shader resources). Filtering lookups get the sampler, fetches and size queries need none, and the original
//! variable becomes the image.
//!
//! `compared` gives lookups that compare a sampler of their own, for targets in which such samplers have another type: a variable
//! with the same set and binding.
//!
//! `flatten` converts an array of arrays of resources to one array, the last index varying fastest: resources are
//! bound in that order. `clamp` keeps a dynamic index inside of its array, so that no target reads past its end.
//!
//! A variable that escapes (selections, calls, parameters, constants with its address) is neither split nor
//! flattened, and neither is one with an array length known only later. NIR: `nir_lower_samplers`, which converts
//! variables with offsets to unit numbers; here the number is the binding, and the offset is the index into an
//! array.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::arith::Arith;
use crate::util::handles::{Handles, element, of_other};
use crate::util::image_operands::Roles;
use crate::util::open::all_insts;
use crate::util::rewrite_each::{each_function, rewrite_each_of, rewrite_everywhere};
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    BasicOp, ConvertOp, DerefOp, IntBuild, IntOp, Key, MemoryOp, Op, Role, TexOp, ValueType, Width,
};
use vitrine_ir::{
    Args, Builder, Diag, Editor, Fuel, FuncBody, InsertPoint, Inst, InstData, Len, Mode, Module, Reason,
    Refusal, TypeData, Var, VarData,
};

options! {
    /// The lowerings that are performed.
    struct Lowered {
        choice lowering: Lowering {
            /// All of the following.
            All "all",
            /// Splits combined image samplers only.
            Split "split",
            /// Only makes two samplers of those with which some lookups compare.
            Compared "compared",
            /// Flattens arrays of arrays only.
            Flatten "flatten",
            /// Clamps indices only.
            Clamp "clamp",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits combined image samplers, and flattens arrays of them.",
    options: Lowered::INFO,
    ..PassInfo::new(
        "lower-samplers",
        opening!("lower_samplers.rs"),
        RunFn::Module(|module, cx, fuel| lower_samplers(module, Lowered::of(cx.options).lowering, fuel)),
    )
};

const SPLIT: Reason = Reason::Note("image and sampler are separate resources");
const COMPARED: Reason = Reason::Note("lookups that compare have a sampler of their own");
const FLAT: Reason = Reason::Note("nested arrays are flattened");
const CLAMP: Reason = Reason::Note("no index is out of bounds");

/// Maximum number of steps of a path into arrays of arrays.
const MAX_STEPS: usize = 64;

/// Performs the selected lowerings. Linear; idempotent; both shapes. One unit of fuel per variable or index.
///
/// Error: `P103` if a function is not valid.
fn lower_samplers(module: &mut Module, lowering: Lowering, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let journals = match lowering {
        Lowering::All => {
            let mut journals = flatten(module, fuel)?;
            journals.extend(each_function(module, fuel, |_| true, clamp)?);
            journals.extend(split(module, fuel)?);
            journals
        }
        Lowering::Split => split(module, fuel)?,
        Lowering::Compared => separate_compared(module, fuel)?,
        Lowering::Flatten => flatten(module, fuel)?,
        Lowering::Clamp => each_function(module, fuel, |_| true, clamp)?,
    };
    Ok(merged(journals))
}

/// Returns the variables whose uses are all known, as long as there is fuel.
fn taken(module: &Module, handles: &Handles, fuel: &mut Fuel) -> Vec<(Var, VarData)> {
    let known = module.vars().filter(|(var, _)| handles.knows(*var));
    known.take_while(|_| fuel.take()).map(|(var, data)| (var, data.clone())).collect()
}

// Images with their samplers.

fn split(module: &mut Module, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_both =
        |data: &VarData| matches!(module.type_of(element(module, data.ty).0), TypeData::SampledImage(_));
    let handles = Handles::of(module, is_both);
    let mut samplers: FxHashMap<Var, Var> = FxHashMap::default();
    for (var, data) in taken(module, &handles, fuel) {
        let TypeData::SampledImage(image) = *module.type_of(element(module, data.ty).0) else { continue };
        let ty = of_other(module, data.ty, TypeData::Sampler);
        let name = data.name.map(|name| format!("{}_sampler", module.text_of(name)));
        let name = name.map(|name| module.text(&name));
        let sampler = module.add_var(VarData { ty, name, ..data.clone() });
        let ty = of_other(module, data.ty, TypeData::Image(image));
        module.set_var(var, VarData { ty, ..data });
        for entry in std::rc::Rc::make_mut(&mut module.entries) {
            if entry.interface.contains(&var) {
                entry.interface.push(sampler);
            }
        }
        samplers.insert(var, sampler);
    }
    if samplers.is_empty() {
        return Ok(Journals::new());
    }
    let both = |ed: &Editor<'_>, inst: Inst| {
        let &both = ed.func().inst(inst).args.first()?;
        let lead = handles.lead(ed.id(), both).filter(|lead| lead.is_whole)?;
        Some((both, *samplers.get(&lead.var)?))
    };
    rewrite_everywhere(module, both, |ed, inst, (both, sampler)| {
        let data = ed.func().inst(inst).clone();
        match data.op {
            Op::Tex(TexOp::ImageOf) => image_of(ed, inst, both),
            Op::Tex(op @ (TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::QueryLod)) => {
                let Some(mut roles) = Roles::of(&data) else { return Ok(()) };
                let mut b = ed.build(InsertPoint::Before(inst), SPLIT);
                let sampler = sampler_path(&mut b, both, sampler);
                b.finish()?;
                roles.set_sampler(sampler);
                ed.rewrite(inst, roles.put(op, &data), SPLIT)
            }
            _ => Ok(()),
        }
    })
}

/// Replaces `tex.image_of`: the variable itself is now the image.
fn image_of(ed: &mut Editor<'_>, inst: Inst, both: Inst) -> Result<(), Refusal> {
    if ed.func().ty(both) == ValueType::Handle {
        return ed.replace(inst, both, SPLIT);
    }
    ed.rewrite(inst, InstData::new(MemoryOp::Load, ValueType::Handle, &[both]), SPLIT)
}

// Samplers that compare.

fn separate_compared(module: &mut Module, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_sampler = |data: &VarData| matches!(module.type_of(element(module, data.ty).0), TypeData::Sampler);
    let handles = Handles::of(module, is_sampler);
    // If lookups without a comparison use it, and those with one.
    let mut uses: FxHashMap<Var, [bool; 2]> = FxHashMap::default();
    for (func, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let sampler = sampler_of(body, inst);
            let lead = sampler.and_then(|sampler| handles.lead(func, sampler)).filter(|lead| lead.is_whole);
            if let Some(lead) = lead {
                uses.entry(lead.var).or_default()[usize::from(compares(body.inst(inst)))] = true;
            }
        });
    }
    let both = |var: &Var| uses.get(var) == Some(&[true, true]);
    let mut others: FxHashMap<Var, Var> = FxHashMap::default();
    let vars: Vec<(Var, VarData)> =
        module.vars().filter(|(var, _)| both(var)).map(|(var, data)| (var, data.clone())).collect();
    for (var, data) in vars {
        if !handles.knows(var) || !fuel.take() {
            continue;
        }
        let name = data.name.map(|name| format!("{}_compare", module.text_of(name)));
        let name = name.map(|name| module.text(&name));
        let other = module.add_var(VarData { name, ..data });
        for entry in std::rc::Rc::make_mut(&mut module.entries) {
            if entry.interface.contains(&var) {
                entry.interface.push(other);
            }
        }
        others.insert(var, other);
    }
    if others.is_empty() {
        return Ok(Journals::new());
    }
    let compared = |ed: &Editor<'_>, inst: Inst| {
        let sampler = sampler_of(ed.func(), inst).filter(|_| compares(ed.func().inst(inst)))?;
        let lead = handles.lead(ed.id(), sampler).filter(|lead| lead.is_whole)?;
        Some((sampler, *others.get(&lead.var)?))
    };
    rewrite_everywhere(module, compared, |ed, inst, (sampler, other)| {
        let data = ed.func().inst(inst).clone();
        let mut b = ed.build(InsertPoint::Before(inst), COMPARED);
        let path = sampler_path(&mut b, sampler, other);
        let combined = data.args.first().and_then(|&image| combine(b.editor().func(), image));
        let image = combined.map(|at| {
            let combined = b.editor().func().inst(at).clone();
            b.emit_with(InstData { args: combined.args.with(1, path), ..combined })
        });
        b.finish()?;
        match (image, Roles::of(&data), data.op) {
            (Some(image), _, _) => ed.set_arg(inst, 0, image, COMPARED),
            (None, Some(mut roles), Op::Tex(op)) => {
                roles.set_sampler(path);
                ed.rewrite(inst, roles.put(op, &data), COMPARED)
            }
            (None, ..) => Ok(()),
        }
    })
}

/// Returns true for a lookup that compares.
fn compares(data: &InstData) -> bool {
    data.attrs.has(Key::Shadow)
}

/// The instruction that combines an image with a sampler, if a handle is its result.
fn combine(body: &FuncBody, handle: Inst) -> Option<Inst> {
    let mut at = handle;
    for _ in 0..MAX_STEPS {
        match body.inst(at).op {
            Op::Tex(TexOp::Combine) => return Some(at),
            Op::Basic(BasicOp::Copy) => at = *body.inst(at).args.first()?,
            _ => return None,
        }
    }
    None
}

/// The sampler of a lookup.
fn sampler_of(body: &FuncBody, inst: Inst) -> Option<Inst> {
    let data = body.inst(inst);
    if !matches!(data.op, Op::Tex(TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::QueryLod)) {
        return None;
    }
    match combine(body, *data.args.first()?) {
        Some(at) => body.inst(at).args.get(1).copied(),
        None => Roles::of(data)?.get(Role::Sampler),
    }
}

/// Builds the path to the sampler that belongs to an image.
fn sampler_path(b: &mut Builder<'_, '_>, image: Inst, sampler: Var) -> Inst {
    let (mut at, mut path_steps) = (image, Vec::new());
    for _ in 0..MAX_STEPS {
        let data = b.editor().func().inst(at).clone();
        let next = data.args.first().copied();
        match (data.op, next) {
            (Op::Deref(DerefOp::Elem) | Op::Memory(MemoryOp::Load), Some(next)) => {
                path_steps.push(data);
                at = next;
            }
            (Op::Basic(BasicOp::Copy), Some(next)) => at = next,
            _ => break,
        }
    }
    let mut path = b.deref_var(sampler);
    for data in path_steps.into_iter().rev() {
        let args: Vec<Inst> = [path].into_iter().chain(data.args.iter().skip(1).copied()).collect();
        path = b.emit_with(InstData { args: Args::new(&args), ..data });
    }
    path
}

// Arrays of arrays.

fn flatten(module: &mut Module, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let is_nested = |data: &VarData| {
        let lengths = element(module, data.ty).1;
        lengths.is_some_and(|lengths| {
            lengths.len() > 1 && lengths.iter().try_fold(1u32, |all, &len| all.checked_mul(len)).is_some()
        })
    };
    let handles = Handles::of(module, is_nested);
    // A partial path, or a copy of one, is not a resource.
    let mut whole: FxHashMap<Var, bool> = FxHashMap::default();
    for (func, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let lead = data.args.first().and_then(|&path| handles.lead(func, path));
            let fits = data.op == Op::Deref(DerefOp::Elem)
                || data.args.first().is_some_and(|&path| {
                    module.path_type(body, path).is_none_or(|path| module.element_type(path.ty).is_none())
                });
            if let Some(lead) = lead {
                *whole.entry(lead.var).or_insert(true) &= fits && data.op != Op::Basic(BasicOp::Copy);
            }
        });
    }
    let mut flat: FxHashMap<Var, Vec<u32>> = FxHashMap::default();
    let vars: Vec<(Var, VarData)> = module.vars().map(|(var, data)| (var, data.clone())).collect();
    let mut new = Vec::new();
    for (var, data) in vars {
        if !handles.knows(var) || !whole.get(&var).copied().unwrap_or(true) {
            continue;
        }
        let (of, Some(lengths)) = element(module, data.ty) else { continue };
        if !fuel.take() {
            break;
        }
        let count = lengths.iter().product();
        let ty = module.ty(TypeData::Array { of, len: Len::Count(count), stride: 0 });
        new.push((var, VarData { ty, ..data }));
        flat.insert(var, lengths);
    }
    if flat.is_empty() {
        return Ok(Journals::new());
    }
    let step = |ed: &Editor<'_>, inst: Inst| {
        let lengths = flat.get(&handles.lead(ed.id(), inst)?.var)?;
        (ed.func().inst(inst).op == Op::Deref(DerefOp::Elem)).then_some(lengths)
    };
    let journals = each_function(
        module,
        &mut Fuel::UNLIMITED.clone(),
        |_| true,
        |ed| {
            let insts = all_insts(ed.func());
            let mut old = Vec::new();
            rewrite_each_of(ed, insts, step, |ed, inst, lengths| {
                old.push(inst);
                let Some((root, indices)) = indices(ed, inst, lengths.len()) else { return Ok(()) };
                let mut b = ed.build(InsertPoint::Before(inst), FLAT);
                let index = linear(&mut b, &indices, lengths);
                let flags = b.editor().func().inst(inst).flags;
                let path = InstData::new(DerefOp::Elem, ValueType::Path, &[root, index]).flagged(flags);
                let path = b.emit_with(path);
                b.finish()?;
                ed.replace_uses(inst, path, FLAT)
            })?;
            // Every step is used only by the next one, which is erased first.
            for &inst in old.iter().rev() {
                ed.erase(inst, FLAT)?;
            }
            Ok(())
        },
    )?;
    for (var, data) in new {
        module.set_var(var, data);
    }
    Ok(journals)
}

/// Returns the indices of a path with `count` of them, outermost first, and its start.
fn indices(ed: &Editor<'_>, path: Inst, count: usize) -> Option<(Inst, Vec<Inst>)> {
    let (mut at, mut indices) = (path, Vec::new());
    while let (Op::Deref(DerefOp::Elem), &[base, index]) =
        (ed.func().inst(at).op, &ed.func().inst(at).args[..])
    {
        indices.push(index);
        at = base;
        if indices.len() > count {
            return None;
        }
    }
    indices.reverse();
    (indices.len() == count).then_some((at, indices))
}

/// Returns the index in the flat array for these indices into arrays of arrays.
fn linear(b: &mut Builder<'_, '_>, indices: &[Inst], lengths: &[u32]) -> Inst {
    let mut all: Option<Inst> = None;
    for (&index, &length) in indices.iter().zip(lengths) {
        let index = match b.width(index) {
            Width::W32 => index,
            Width::W1 | Width::W8 | Width::W16 | Width::W64 => b.convert(ConvertOp::U2U, Width::W32, index),
        };
        all = Some(match all {
            None => index,
            Some(outer) => {
                let length = b.int(Width::W32, i64::from(length));
                let outer = b.imul(outer, length);
                b.iadd(outer, index)
            }
        });
    }
    all.unwrap_or_else(|| b.int(Width::W32, 0))
}

// Indices.

fn clamp(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let insts = all_insts(ed.func());
    rewrite_each_of(ed, insts, unclamped_index, |ed, inst, (index, last)| {
        let mut b = ed.build(InsertPoint::Before(inst), CLAMP);
        let max = b.number(index, i64::from(last));
        let clamped = b.umin(index, max);
        b.finish()?;
        ed.set_arg(inst, 1, clamped, CLAMP)
    })
}

/// Returns the index of a step into an array of resources that may be out of range, and the last index.
fn unclamped_index(ed: &Editor<'_>, step: Inst) -> Option<(Inst, u32)> {
    let data = ed.func().inst(step);
    let (Op::Deref(DerefOp::Elem), &[base, index]) = (data.op, &data.args[..]) else { return None };
    let of = ed.module().path_type(ed.func(), base)?;
    let last = ed.module().element_count(of.ty)?.checked_sub(1)?;
    if of.mode != Mode::Handle || ed.func().ty(index).components() != 1 {
        return None;
    }
    let is_bound_by =
        |value: Inst| ed.bits_of(value).is_some_and(|bits| bits.component(0).as_u64() <= u64::from(last));
    let index_data = ed.func().inst(index);
    let is_bound =
        index_data.op == Op::Int(IntOp::UMin) && index_data.args.iter().any(|&arg| is_bound_by(arg));
    // Narrow types may not represent the last element, and then cannot exceed it.
    let width = ed.func().ty(index).width()?;
    let fits = u64::from(last) <= width.mask();
    (fits && !is_bound && ed.bits_of(index).is_none()).then_some((index, last))
}

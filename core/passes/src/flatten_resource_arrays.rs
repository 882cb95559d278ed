//! `flatten-resource-arrays`: flattens arrays of arrays of images, samplers and buffers.
//!
//! ```text
//! handle $0: [[image<2d f32> * 2] * 3] {binding 4}     handle $1: [image<2d f32> * 6] {binding 4}
//! %1: path = deref.var $0                              %4: path = deref.var $1
//! %2: path = deref.elem %1, %i                   =>    %5: b32 = imul %i, %two
//! %3: path = deref.elem %2, %j                         %6: b32 = iadd %5, %j
//!                                                      %3: path = deref.elem %4, %6
//! ```
//!
//! For targets whose resources are in plain arrays: HLSL and Metal, and blocks of GLSL ES. The innermost index varies
//! fastest, as in Vulkan, so bindings do not change. With `buffers`, only arrays of structures in buffers are flattened.
//!
//! Left alone: inner arrays of a specialized length; an inner array that is passed to a function, or is accessed as a whole or
//! by bytes (`qptr-lift`). The new index has 32 bits. NIR:
//! `gl_nir_lower_samplers` computes such an index for samplers.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::io_components::replace;
use crate::util::memory::declared_elsewhere;
use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::is_array_of_resources;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{ConvertOp, DerefOp, IntBuild, Key, Op, Width};
use vitrine_ir::{
    Args, Builder, Diag, Editor, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Len, Mode, Module,
    Reason, Refusal, Type, TypeData, Var, VarData,
};

options! {
    /// The arrays that are flattened.
    struct Flattened {
        choice arrays: ResourceArrays {
            /// All of them.
            All "all",
            /// Only arrays of structures in buffers.
            Buffers "buffers",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Flattens arrays of arrays of images, samplers and buffers.",
    options: Flattened::INFO,
    ..PassInfo::new(
        "flatten-resource-arrays",
        opening!("flatten_resource_arrays.rs"),
        RunFn::Module(|module, cx, fuel| {
            flatten_resource_arrays(module, Flattened::of(cx.options).arrays, fuel)
        }),
    )
};

const WHY: Reason = Reason::Note("its resources are in one array");

/// The array of arrays that a variable has.
struct Nested {
    /// The resource.
    of: Type,
    /// Elements of the outermost array; none if it has no length.
    outer: Option<u32>,
    /// Elements of the arrays in it, from outside.
    inner: Vec<u32>,
}

/// A path to a resource.
struct Access {
    path: Inst,
    var: Var,
}

/// Flattens variables. Linear; idempotent; both shapes. One unit of fuel per variable.
///
/// Error: `P103` if a function is not valid.
fn flatten_resource_arrays(
    module: &mut Module,
    which: ResourceArrays,
    fuel: &mut Fuel,
) -> Result<Journals, Diag> {
    let is_chosen = |data: &VarData| match which {
        ResourceArrays::All => true,
        ResourceArrays::Buffers => data.mode != Mode::Handle,
    };
    let mut vars: FxHashMap<Var, Nested> = module
        .vars()
        .filter(|(_, data)| is_chosen(data))
        .filter_map(|(var, data)| Some((var, nested(module, data)?)))
        .collect();
    if vars.is_empty() {
        return Ok(Journals::new());
    }
    let mut accesses = known_accesses(module, &mut vars);
    let olds: Vec<Var> = module.vars().map(|(var, _)| var).filter(|var| vars.contains_key(var)).collect();
    let mut news: FxHashMap<Var, Var> = FxHashMap::default();
    let mut replacements: Vec<(Var, Vec<Var>)> = Vec::new();
    for old in olds {
        let (Some(shape), Some(data)) = (vars.get(&old), module.var(old).cloned()) else { continue };
        if !fuel.take() {
            break;
        }
        let ty = module.ty(shape.flat());
        let new = module.add_var(VarData { ty, ..data });
        news.insert(old, new);
        replacements.push((old, vec![new]));
    }
    accesses.iter_mut().for_each(|(_, list)| list.retain(|access| news.contains_key(&access.var)));
    let journals = replace(module, accesses, &replacements, |ed, access: &Access| {
        let (Some(shape), Some(&new)) = (vars.get(&access.var), news.get(&access.var)) else { return Ok(()) };
        shape.rewrite(ed, access.path, new)
    })?;
    Ok(merged(journals))
}

/// The arrays of a variable, if an array of resources has arrays in it.
fn nested(module: &Module, data: &VarData) -> Option<Nested> {
    if data.owner.is_some() || !is_array_of_resources(module, data) {
        return None;
    }
    let (mut of, outer) = match *module.type_of(data.ty) {
        TypeData::Array { of, len: Len::Count(count), .. } => (of, Some(count)),
        TypeData::RuntimeArray { of, .. } => (of, None),
        _ => return None,
    };
    let mut inner = Vec::new();
    while let TypeData::Array { of: element, len, .. } = *module.type_of(of) {
        let Len::Count(count) = len else { return None };
        inner.push(count);
        of = element;
    }
    let total = inner.iter().try_fold(outer.unwrap_or(1), |all, &count| all.checked_mul(count));
    let is_flat = inner.is_empty() || module.element_type(of).is_some();
    (!is_flat && total.is_some()).then_some(Nested { of, outer, inner })
}

impl Nested {
    /// The type of the one array.
    fn flat(&self) -> TypeData {
        let inner: u32 = self.inner.iter().product();
        match self.outer {
            Some(outer) => TypeData::Array { of: self.of, len: Len::Count(outer * inner), stride: 0 },
            None => TypeData::RuntimeArray { of: self.of, stride: 0 },
        }
    }

    /// Makes a path through all arrays one to an element of the variable `new`.
    fn rewrite(&self, ed: &mut Editor<'_>, path: Inst, new: Var) -> Result<(), Refusal> {
        let mut indices = Vec::new();
        let mut at = path;
        while let (Op::Deref(DerefOp::Elem), &[base, index]) =
            (ed.func().inst(at).op, &ed.func().inst(at).args[..])
        {
            indices.push(index);
            at = base;
        }
        indices.reverse();
        let known: Option<Vec<u64>> =
            indices.iter().map(|&index| Some(ed.bits_of(index)?.component(0).as_u64())).collect();
        let mut b = ed.build(InsertPoint::Before(path), WHY);
        let index = match known {
            Some(known) => {
                let lengths = std::iter::once(1).chain(self.inner.iter().copied());
                let index = known.iter().zip(lengths).fold(0u64, |sum, (&index, length)| {
                    sum.wrapping_mul(u64::from(length)).wrapping_add(index)
                });
                b.int(Width::W32, index as i64)
            }
            None => {
                let word = |b: &mut Builder<'_, '_>, index: Inst| match b.editor().func().ty(index).width() {
                    Some(Width::W32) => index,
                    _ => b.convert(ConvertOp::U2U, Width::W32, index),
                };
                let words: Vec<Inst> = indices.into_iter().map(|index| word(&mut b, index)).collect();
                let mut words = words.into_iter();
                let Some(mut sum) = words.next() else { return b.finish() };
                for (index, &length) in words.zip(&self.inner) {
                    let length = b.int(Width::W32, i64::from(length));
                    let before = b.imul(sum, length);
                    sum = b.iadd(before, index);
                }
                sum
            }
        };
        let base = b.deref_var(new);
        b.finish()?;
        let data = InstData { args: Args::new(&[base, index]), ..ed.func().inst(path).clone() };
        ed.rewrite(path, data, WHY)
    }
}

/// The paths to resources by function; variables with any other use are removed from `vars`.
fn known_accesses(module: &Module, vars: &mut FxHashMap<Var, Nested>) -> Vec<(Func, Vec<Access>)> {
    let mut escaped = declared_elsewhere(module);
    let mut out: Vec<(Func, Vec<Access>)> = Vec::new();
    for (func, body) in module.funcs() {
        out.push((func, of_function(body, vars, &mut escaped)));
    }
    vars.retain(|var, _| !escaped.contains(var));
    out.iter_mut().for_each(|(_, list)| list.retain(|access| vars.contains_key(&access.var)));
    out
}

fn of_function(body: &FuncBody, vars: &FxHashMap<Var, Nested>, escaped: &mut FxHashSet<Var>) -> Vec<Access> {
    let mut out = Vec::new();
    // Paths to arrays: the variable, and how many indices lead there.
    let mut arrays: FxHashMap<Inst, (Var, usize)> = FxHashMap::default();
    let order = in_order(body);
    let reachable: FxHashSet<_> = order.iter().copied().collect();
    for block in order {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|var| vars.contains_key(var)) {
                match data.op {
                    Op::Deref(DerefOp::Var) => drop(arrays.insert(inst, (var, 0))),
                    _ => drop(escaped.insert(var)),
                }
            }
            for (number, arg) in data.args.iter().enumerate() {
                let Some(&(var, depth)) = arrays.get(arg) else { continue };
                let Some(shape) = vars.get(&var) else { continue };
                match data.op {
                    Op::Deref(DerefOp::Elem) if number == 0 && depth < shape.inner.len() => {
                        arrays.insert(inst, (var, depth + 1));
                    }
                    Op::Deref(DerefOp::Elem) if number == 0 => out.push(Access { path: inst, var }),
                    _ => drop(escaped.insert(var)),
                }
            }
        }
        body.terminator(block).for_each_use(|value| escaped.extend(arrays.get(&value).map(|array| array.0)));
    }
    for block in body.blocks_in_order().into_iter().filter(|block| !reachable.contains(block)) {
        for &inst in body.block(block).insts.iter() {
            escaped.extend(body.inst(inst).entity::<Var>(Key::Var));
        }
    }
    out
}

//! `lower-layout`: gives buffers a type that the rules of a text language place as the program declares it.
//!
//! ```text
//! struct #Params_0 {block} {                          struct #Params_1 {block} {
//!   scale: f32 {offset 0}                               scale: f32 {offset 0}
//!   weights: [f32 * 4 step 16] {offset 16}        =>    weights: [#Element_2 * 4 step 16] {offset 16}
//! }                                                   }
//! storage $params_0: #Params_0 {set 0}                storage $params_0: bytes(80) was #Params_1 {set 0}
//! %1: path = deref.var $params_0                      %1: ptr = ptr.var $params_0
//! %2: path = deref.field %1.1                         %5: ptr = ptr.buffer_data %1
//! %3: path = deref.elem %2, %i_0                =>    %6: ptr = ptr.dyn_offset %5, %i_0 {range 64, stride 16}
//! %4: b32 = load %3                                   %4: b32 = load %6 {offset 16}
//! ```
//!
//! SPIR-V declares the offset of each member and the stride of each array and matrix; the languages have rules that give them:
//! std140, std430 and scalar layout of GLSL, those of WGSL, constant and structured buffers of HLSL, and those of Metal. For
//! each buffer, the offsets by the rules are compared with the declared ones. The first of these forms that gives the declared
//! bytes is chosen:
//!
//! * plain: the declared type, unchanged.
//! * padded: unused members fill gaps, elements of arrays become members of structures as long as the stride, members are
//!   sorted, and a matrix becomes an array of its columns or rows. Done for GLSL and GLSL ES; the texts of the other languages
//!   are padded when they are written, with attributes that the IR does not have.
//! * bytes: a member that no rule places becomes an array of words (of vectors of four words where strides are multiples of 16
//!   bytes, of smaller numbers where the target has them and the places need them), or the whole block does.
//!
//! Accesses become untyped, as by `qptr-lower`, and the variable gets the new type. `qptr-lift` converts them to paths into
//! it: a load is composed of the numbers that hold its bytes. A store writes exactly the numbers of its bytes. The length of
//! a run-time array is computed from the number of words. Copies are lowered to loads and stores.
//!
//! For WGSL and Metal, variables outside of buffers whose type has a layout that is not the natural one get that type without a
//! layout, since their bytes are never observed.
//!
//! Correct because each address keeps its byte offset, and the new type covers the bytes of the old one.
//!
//! Unchanged: buffers whose address is selected, passed to a function or a block, or used by an instruction that needs its
//! type (`inline-functions` helps); buffers with atomics on floats, or on numbers that are not as large as the words; buffers
//! with copies that have access attributes, or that copy all elements at once; and members after an array whose length depends on
//! specialization. `vitrine show --emit bindings` prints the verdict for each buffer. NIR has no such pass: its drivers
//! choose the layout.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::leaves::{Arrays, leaves};
use crate::util::open::{in_order, insts_in_order, refused, sweep};
use crate::util::plain_types::plain_types;
use crate::util::untype::{Classes, erase_types, lower_all};
use vitrine_analysis::{Atomics, LayoutTarget, layout_plan};
use vitrine_ir::base::opening::opening;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{BasicOp, Bits, DerefOp, IntOp, Key, MemoryOp, Op, PtrOp, Scalar, Width};
use vitrine_ir::{
    BlockRewriter, Diag, Fuel, Func, FuncBody, InsertPoint, Inst, InstData, Module, Reason, Refusal, Type,
    TypeData, Var, VarData,
};

options! {
    /// The layout rules that buffers get.
    struct LayoutRules {
        choice language: Language {
            /// std140, std430 or scalar layout; members of blocks state their offsets.
            Glsl "glsl",
            /// std140 only, without stated offsets.
            Essl "essl",
            /// std140 or std430, without stated offsets.
            Essl310 "essl-310",
            /// The address spaces `uniform` and `storage`.
            Wgsl "wgsl",
            /// Push constants and arrays of constant buffers; others are accessed by bytes in the text.
            Hlsl "hlsl",
            /// Plain or packed vectors.
            Msl "msl",
        }
    }
}

impl Language {
    /// The target with these rules.
    fn target(self) -> LayoutTarget {
        match self {
            Language::Glsl => LayoutTarget::Glsl,
            Language::Essl => LayoutTarget::Essl,
            Language::Essl310 => LayoutTarget::Essl310,
            Language::Wgsl => LayoutTarget::Wgsl,
            Language::Hlsl => LayoutTarget::Hlsl,
            Language::Msl => LayoutTarget::Msl,
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Gives buffers a type that the layout rules of a language place as the program declares it.",
    options: LayoutRules::INFO,
    ..PassInfo::new(
        "lower-layout",
        opening!("lower_layout.rs"),
        RunFn::Module(|module, cx, fuel| {
            lower_layout(module, LayoutRules::of(cx.options).language.target(), fuel)
        }),
    )
};

const WHY: Reason = Reason::Note("the run-time array is counted in words");

/// The largest number of values that a copy is split into.
const MAX_LEAVES: usize = 1 << 14;

/// The longest path that is followed to its variable.
const MAX_STEPS: usize = 256;

/// Changes the types of buffers. Near linear; idempotent; both shapes. Buffers that copies connect are a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn lower_layout(module: &mut Module, target: LayoutTarget, fuel: &mut Fuel) -> Result<Journals, Diag> {
    if matches!(target, LayoutTarget::Wgsl | LayoutTarget::Msl) {
        plain_types(module, || fuel.take());
    }
    let atomics = Atomics::of(module);
    let mut scratch = module.clone();
    let vars: Vec<Var> = module.vars().map(|(var, _)| var).collect();
    let mut odd: Vec<Var> = vars
        .into_iter()
        .filter(|&var| layout_plan(&mut scratch, &atomics, target, var).is_some_and(|plan| plan.ty.is_some()))
        .collect();
    if odd.is_empty() {
        return Ok(Journals::new());
    }
    let mut sizes = Sizes::default();
    let mut classes = Classes::of(module, &mut sizes);
    odd.retain(|&var| classes.is_stepped(var));
    let kept = kept_by_copies(module);
    odd.retain(|var| !kept.contains(var));
    classes.take_of(&odd, || fuel.take());
    odd.retain(|&var| classes.takes_var(var));
    if odd.is_empty() {
        return Ok(Journals::new());
    }
    let taken: Vec<Var> = module.vars().map(|(var, _)| var).filter(|&var| classes.takes_var(var)).collect();
    let mut journals = lower_all(module, &classes, &mut sizes, MAX_LEAVES)?;
    for &var in &odd {
        let plan = layout_plan(module, &atomics, target, var);
        if let (Some(ty), Some(data)) = (plan.and_then(|plan| plan.ty), module.var(var).cloned()) {
            module.set_var(var, VarData { ty, ..data });
        }
    }
    let mut sizes = Sizes::default();
    erase_types(module, &taken, &mut sizes);
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        let mut ed = sweep(module, func)?;
        lengths(&mut ed, &odd, &mut sizes).map_err(|refusal| refused(func, &refusal))?;
        let edited = ed.finish();
        if edited.changed {
            journals.push((func, edited.journal));
        }
    }
    Ok(merged(journals))
}

/// The buffers with copies that remain copies: with access attributes, of all elements at once, or of too many values.
fn kept_by_copies(module: &Module) -> Vec<Var> {
    let mut kept = Vec::new();
    for (_, body) in module.funcs() {
        for inst in insts_in_order(body) {
            let data = body.inst(inst);
            if data.op != Op::Memory(MemoryOp::CopyVar) {
                continue;
            }
            let is_split = |&path: &Inst| {
                let ty = module.path_type(body, path).map(|at| at.ty);
                ty.is_some_and(|ty| leaves(module, ty, MAX_LEAVES, Arrays::Apart).is_some())
            };
            let sides: Vec<_> = data.args.iter().map(|&path| root(body, path)).collect();
            let has_all = sides.iter().flatten().any(|&(_, has_all)| has_all);
            if has_all || !data.attrs.is_empty() || !data.args.iter().all(is_split) {
                kept.extend(sides.into_iter().flatten().map(|(var, _)| var));
            }
        }
    }
    kept
}

/// The variable that a path begins at; true if it has all elements of an array at once.
fn root(body: &FuncBody, path: Inst) -> Option<(Var, bool)> {
    let (mut at, mut has_all) = (path, false);
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return Some((data.entity(Key::Var)?, has_all)),
            Op::Deref(DerefOp::All) => has_all = true,
            Op::Deref(_) | Op::Basic(BasicOp::Copy) => {}
            _ => return None,
        }
        at = *data.args.first()?;
    }
    None
}

/// The buffer of an untyped pointer.
fn buffer(body: &FuncBody, pointer: Inst) -> Option<Var> {
    let mut at = pointer;
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Ptr(PtrOp::Var) => return data.entity(Key::Var),
            Op::Ptr(PtrOp::HandleIndex) | Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
            _ => return None,
        }
    }
    None
}

/// Computes the lengths of run-time arrays that became numbers.
fn lengths(ed: &mut BlockRewriter<'_>, vars: &[Var], sizes: &mut Sizes) -> Result<(), Refusal> {
    for block in in_order(ed.func()) {
        ed.enter(block);
        while let Some(inst) = ed.step() {
            let data = ed.func().inst(inst).clone();
            if data.op != Op::Ptr(PtrOp::BufferLen) {
                continue;
            }
            let var = data.args.first().and_then(|&pointer| buffer(ed.func(), pointer));
            let Some(var) = var.filter(|var| vars.contains(var)) else { continue };
            let Some((stride, offset)) = open_end(ed.module(), sizes, var) else { continue };
            length(ed, inst, &data, (stride, offset))?;
        }
    }
    Ok(())
}

/// The stride and the offset of the run-time array at the end of a buffer.
fn open_end(module: &Module, sizes: &mut Sizes, var: Var) -> Option<(u64, u64)> {
    let mut ty: Type = module.var(var)?.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    let TypeData::Struct(structure) = *module.type_of(ty) else { return None };
    let offsets = sizes.offsets(module, module, structure);
    let members = &module.structure(structure)?.members;
    members.iter().zip(offsets.iter()).find_map(|(member, &offset)| match *module.type_of(member.ty) {
        TypeData::RuntimeArray { stride, .. } => Some((u64::from(stride), offset)),
        _ => None,
    })
}

/// The number of elements, from the number of words in the run-time array.
fn length(ed: &mut BlockRewriter<'_>, inst: Inst, data: &InstData, at: (u64, u64)) -> Result<(), Refusal> {
    let (stride, offset) =
        (data.attrs.get(Key::Stride).unwrap_or(0), data.attrs.get(Key::Offset).unwrap_or(0));
    let (unit, from) = at;
    if (unit, from) == (stride, offset) || unit == 0 || stride < unit {
        return Ok(());
    }
    let attrs = data.attrs.with(Key::Stride, unit);
    let attrs = if from == 0 { attrs.without(Key::Offset) } else { attrs.with(Key::Offset, from) };
    let before = InsertPoint::Before(inst);
    let mut words = ed.insert(before, InstData { attrs, ..data.clone() }, WHY)?;
    let number = |ed: &mut BlockRewriter<'_>, value: u64| {
        let value = Bits::scalar(Scalar::i(Width::W32, value.cast_signed()));
        let constant = ed.const_bits(value);
        ed.insert(before, constant, WHY)
    };
    let skipped = offset.saturating_sub(from) / unit;
    if skipped > 0 {
        let skipped = number(ed, skipped)?;
        words = ed.insert(before, InstData::new(IntOp::ISub, data.ty, &[words, skipped]), WHY)?;
    }
    let each = number(ed, stride / unit)?;
    ed.rewrite(inst, InstData::new(IntOp::UDiv, data.ty, &[words, each]), WHY)
}

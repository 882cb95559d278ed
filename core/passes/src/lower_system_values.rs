//! `lower-system-values`: replaces variables that hold system values by operations that read them.
//!
//! ```text
//! in $0: f32x4 {builtin frag_coord}         ^0:
//! ^0:                                         %2: b32x4 = io.builtin {builtin frag_coord}
//!   %1: path = deref.var $0           =>
//!   %2: b32x4 = load %1
//! ```
//!
//! Passes and targets then see which value is read, regardless of the variable's name and of whether it is a
//! member of a structure. An element of an array is read by its index (`io.builtin_at`), a component is extracted
//! from the whole. The helper-invocation builtin may change during execution: it becomes `io.is_helper`.
//!
//! With `masks` only masks of subgroups are replaced, which `lower-subgroups{masks}` then computes.
//!
//! Without, no load of such a variable is left afterwards, except volatile ones, those of nested arrays (`clip_distance` of
//! several vertices), and those of unknown paths: from a call or a selection. Variables stay declared: they are
//! the interface to the preceding stage. SPIR-V has only variables, so this is for other targets. NIR:
//! `nir_lower_system_values`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::is_plain;
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Access, Builtin, DerefOp, IoOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Attrs, Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, Type, TypeData, Var};

options! {
    /// The variables that are replaced.
    struct Replaced {
        choice values: Values {
            /// All system values.
            All "all",
            /// Only masks of the invocations of a subgroup.
            Masks "masks",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces variables that hold system values by operations that read them.",
    options: Replaced::INFO,
    ..PassInfo::edits("lower-system-values", opening!("lower_system_values.rs"), |ed, cx| {
        lower_system_values(ed, Replaced::of(cx.options).values)
    })
};

const WHY: Reason = Reason::Note("it is a system value");

/// A read of a system value.
struct SystemValue {
    builtin: Builtin,
    /// The value type; that of an element if there is an index.
    ty: ValueType,
    index: Option<Inst>,
    /// The component to extract.
    component: Option<Inst>,
}

/// Replaces loads. Linear; idempotent; both shapes.
fn lower_system_values(ed: &mut Editor<'_>, values: Values) -> Result<(), Refusal> {
    let loaded = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        if data.op != Op::Memory(MemoryOp::Load) || !is_plain(data) {
            return None;
        }
        let value = system_value(ed, *data.args.first()?)?;
        let is_selected = match values {
            Values::All => true,
            Values::Masks => value.builtin.is_subgroup_mask(),
        };
        is_selected.then(|| (value, data.clone()))
    };
    rewrite_each(ed, loaded, |ed, inst, (value, data)| value.read(ed, inst, &data))
}

/// Returns the system value that a path points to.
fn system_value(ed: &Editor<'_>, path: Inst) -> Option<SystemValue> {
    let (module, func) = (ed.module(), ed.func());
    let (mut at, mut steps) = (path, Vec::new());
    let var: Var = loop {
        let data = func.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => break data.entity(Key::Var)?,
            Op::Deref(DerefOp::Field | DerefOp::Elem) => steps.push(data),
            _ => return None,
        }
        at = *data.args.first()?;
        // A path is at most as long as its type is deep; a cycle is possible only in invalid code.
        if steps.len() > 256 {
            return None;
        }
    };
    let data = module.var(var).filter(|data| data.mode == Mode::In)?;
    let own_builtin = |attrs: &Attrs| {
        let is_volatile = attrs.words::<Access>().has(Access::VOLATILE);
        attrs.word::<Builtin>().filter(|_| !is_volatile)
    };
    let mut builtin = own_builtin(&data.attrs);
    let (mut ty, mut index, mut component): (Type, Option<Inst>, Option<Inst>) = (data.ty, None, None);
    for step in steps.into_iter().rev() {
        ty = match (step.op, module.type_of(ty)) {
            (Op::Deref(DerefOp::Field), TypeData::Struct(structure)) => {
                let at = usize::try_from(step.attrs.get(Key::Field)?).ok()?;
                let member = module.structure(*structure)?.members.get(at)?;
                builtin = own_builtin(&member.attrs).or(builtin);
                member.ty
            }
            (Op::Deref(DerefOp::Elem), TypeData::Vector { of, .. }) => {
                component = Some(*step.args.get(1)?);
                *of
            }
            (Op::Deref(DerefOp::Elem), _) if index.is_none() => {
                index = Some(*step.args.get(1)?);
                module.element_type(ty)?
            }
            _ => return None,
        };
    }
    let mut whole = module.value_type(ty).filter(|ty| matches!(ty, ValueType::Bits { .. }))?;
    if component.is_some() {
        let vector = func.inst(path).args.first()?;
        whole = module.value_type(module.path_type(func, *vector)?.ty)?;
    }
    Some(SystemValue { builtin: builtin?, ty: whole, index, component })
}

impl SystemValue {
    fn read(&self, ed: &mut Editor<'_>, inst: Inst, load: &InstData) -> Result<(), Refusal> {
        let data = match (self.index, self.builtin) {
            (None, Builtin::HelperInvocation) => InstData::new(IoOp::IsHelper, self.ty, &[]),
            (None, builtin) => InstData::new(IoOp::BuiltIn, self.ty, &[]).with_word(builtin),
            (Some(index), builtin) => InstData::new(IoOp::BuiltInAt, self.ty, &[index]).with_word(builtin),
        };
        let data = data.flagged(load.flags);
        let Some(component) = self.component else { return ed.rewrite(inst, data, WHY) };
        let whole = ed.insert(InsertPoint::Before(inst), data, WHY)?;
        let known = ed.bits_of(component).map(|bits| bits.component(0).as_u64());
        let known = known.and_then(|at| u8::try_from(at).ok()).filter(|&at| at < self.ty.components());
        let pick = match known {
            Some(at) => InstData::new(VectorOp::Swizzle, load.ty, &[whole])
                .with(Key::Components, pack_components(&[at])),
            None => InstData::new(VectorOp::Extract, load.ty, &[whole, component]),
        };
        ed.rewrite(inst, pick, WHY)
    }
}

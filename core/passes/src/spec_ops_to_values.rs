//! `spec-ops-to-values`: computes constants that depend on specialization constants where they are used.
//!
//! ```text
//! const &0: b32 = spec 4 {spec_id 0}             ^0:
//! const &1 = parts i32x2 (&0, &0)                  %1: b32 = global &0
//! const &2: b32x2 = imul b32x2 (1, 2), &1    =>    %2: b32x2 = splat %1
//! ^0:                                              %3: b32x2 = const (1, 2)
//!   %0: b32x2 = global &2                          %0: b32x2 = imul %3, %2
//! ```
//!
//! For targets whose constants of that kind are numbers: with `vectors`, only constants that are vectors, and what is computed
//! of them, are chosen. Operands that are not chosen are read.
//!
//! Left alone: lengths of arrays and initializers, which are no values of a function; arrays and structures. Other constants stay
//! declared until `dce` and the writers leave out what nothing uses. NIR has no constants of modules: `spirv_to_nir`
//! computes all of them for the values that it is given.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::build;
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::{BasicOp, Key, Op, ValueType};
use vitrine_ir::{Builder, Editor, Global, GlobalValue, Inst, InstData, Module, Operand, Reason, Refusal};

options! {
    /// The constants that become values.
    struct Computed {
        choice constants: Constants {
            /// All that are computed.
            All "all",
            /// Only vectors, and what is computed of them.
            Vectors "vectors",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Computes constants that depend on specialization constants where they are used.",
    options: Computed::INFO,
    may_apply: |body, _| may_have(body, |data| data.op == Op::Basic(BasicOp::Global)),
    ..PassInfo::edits("spec-ops-to-values", opening!("spec_ops_to_values.rs"), |ed, cx| {
        spec_ops_to_values(ed, Computed::of(cx.options).constants)
    })
};

const WHY: Reason = Reason::Note("computed of specialization constants");

/// Computes constants at each use. Linear in the size of the result; idempotent; both shapes.
fn spec_ops_to_values(ed: &mut Editor<'_>, constants: Constants) -> Result<(), Refusal> {
    let chosen = chosen(ed.module(), constants);
    if chosen.is_empty() {
        return Ok(());
    }
    // Operands come before what is computed of them.
    let order: Vec<Global> =
        ed.module().globals_operands_first().into_iter().filter(|&it| chosen.contains(it)).collect();
    let is_selected = |_: &Editor<'_>, data: &InstData| {
        data.op == Op::Basic(BasicOp::Global)
            && data.entity::<Global>(Key::Global).is_some_and(|it| chosen.contains(it))
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| computed(b, data.entity::<Global>(Key::Global)?, &order))
    };
    expand_all(ed, is_selected, expand, WHY)
}

/// The constants that are computed in functions.
fn chosen(module: &Module, constants: Constants) -> EntitySet<Global> {
    let (mut special, mut chosen) = (EntitySet::new(), EntitySet::new());
    let type_of =
        |operand: Operand| module.operand_type(operand).filter(|ty| matches!(ty, ValueType::Bits { .. }));
    let is_vector = |ty: ValueType| ty.components() > 1;
    for global in module.globals_operands_first() {
        let Some(data) = module.global(global) else { continue };
        let operands = data.value.operands();
        let reads = |set: &EntitySet<Global>| {
            operands.iter().any(|operand| matches!(*operand, Operand::Global(of) if set.contains(of)))
        };
        if matches!(data.value, GlobalValue::Spec(_)) || reads(&special) {
            special.insert(global);
        }
        let Some(ty) = type_of(Operand::Global(global)) else { continue };
        let is_wanted = match data.value {
            GlobalValue::Op { .. } => match constants {
                Constants::All => true,
                Constants::Vectors => {
                    is_vector(ty) || operands.iter().filter_map(|&it| type_of(it)).any(is_vector)
                }
            },
            GlobalValue::Parts(..) => true,
            GlobalValue::Spec(_) | GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => {
                false
            }
        };
        if special.contains(global) && (is_wanted || reads(&chosen)) {
            chosen.insert(global);
        }
    }
    chosen
}

/// Computes a constant. `order` are the chosen constants, operands first.
fn computed(b: &mut Builder<'_, '_>, wanted: Global, order: &[Global]) -> Option<Inst> {
    let needed = needed(b.editor().module(), wanted, order);
    let mut values: FxHashMap<Global, Inst> = FxHashMap::default();
    for &global in order.iter().filter(|&&global| needed.contains(global)) {
        let value = b.editor().module().global(global)?.value.clone();
        let mut args = Vec::new();
        for &operand in value.operands() {
            args.push(match operand {
                Operand::Bits(bits) => {
                    let bits = b.editor().module().bits_of(bits);
                    b.bits(bits)
                }
                Operand::Global(of) => match values.get(&of) {
                    Some(&value) => value,
                    None => {
                        let ty = b.editor().module().global_type(of)?;
                        b.emit_with(
                            InstData::new(BasicOp::Global, ty, &[]).with(Key::Global, of.index() as u64),
                        )
                    }
                },
            });
        }
        let value = match value {
            GlobalValue::Op { op, ty, .. } => b.emit_with(InstData::new(op, ty, &args)),
            GlobalValue::Parts(..) => b.vec(&args),
            GlobalValue::Spec(_) | GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => {
                return None;
            }
        };
        values.insert(global, value);
    }
    values.get(&wanted).copied()
}

/// The chosen constants that one is computed of, with itself.
fn needed(module: &Module, wanted: Global, order: &[Global]) -> EntitySet<Global> {
    let mut needed = EntitySet::new();
    needed.insert(wanted);
    for &global in order.iter().rev() {
        if !needed.contains(global) {
            continue;
        }
        let Some(data) = module.global(global) else { continue };
        for operand in data.value.operands() {
            if let Operand::Global(of) = *operand {
                needed.insert(of);
            }
        }
    }
    needed
}

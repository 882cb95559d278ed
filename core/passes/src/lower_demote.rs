//! `lower-demote`: replaces demotion by a discard at the end of the shader.
//!
//! ```text
//!                                     reg.store ~0, false
//!   io.demote_if %0                   %9: b1 = reg.load ~0
//!   …                          =>     %10: b1 = ior %9, %0
//!   return                            reg.store ~0, %10
//!                                     …
//!                                     %11: b1 = reg.load ~0
//!                                     io.discard_if %11
//!                                     return
//! ```
//!
//! GLSL ES has `discard` only, after which derivatives are undefined. A demoted invocation still computes the values that
//! its neighbors need, and so does one that is discarded at the end: nothing that it does before is visible, because the
//! shader writes no memory. Outputs of a discarded invocation are not written.
//!
//! Left alone: shaders that write buffers or images, or ask for helper invocations; and demotions in functions that are
//! called: `inline-functions` moves them to the entry point.

use super::pass::PassInfo;
use crate::util::open::insts_in_order;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, IntOp, IoOp, Key, MemoryOp, Op, Props, RegOp, ValueType, Width};
use vitrine_ir::{
    Editor, FuncBody, InsertPoint, Inst, InstData, Mode, Module, Reason, Refusal, Reg, RegData, Stage,
    Terminator,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces demotion by a discard at the end of the shader.",
    stages: &[Stage::Fragment],
    may_apply: |body, _| has_demotion(body),
    ..PassInfo::edits("lower-demote", opening!("lower_demote.rs"), |ed, _| lower_demote(ed))
};

const WHY: Reason =
    Reason::Note("the invocation is discarded at the end, so that its neighbors have derivatives");

/// The longest path that is followed to its variable.
const MAX_STEPS: usize = 1 << 12;

/// Lowers the demotions of an entry point. Linear in the size of the module; idempotent; both shapes.
fn lower_demote(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_entry = ed.module().entries.iter().any(|entry| entry.func == ed.id());
    let others = ed.module().funcs().filter(|(func, _)| *func != ed.id());
    let is_single = others.into_iter().all(|(_, body)| !has_demotion(body));
    let Some(entry) = ed.func().entry().filter(|_| is_entry && is_single) else { return Ok(()) };
    if !has_demotion(ed.func()) || !writes_nothing(ed.module()) || !ed.consume_fuel() {
        return Ok(());
    }
    let name = Some(ed.text("demoted"));
    let reg = ed.add_reg(RegData { name, width: Width::W1, components: 1, len: 0 });
    let demotions = insts_in_order(ed.func());
    for inst in demotions {
        let data = ed.func().inst(inst);
        match (data.op, data.args.first().copied()) {
            (Op::Io(IoOp::Demote), _) => {
                let truth = ed.bool(true);
                let truth = ed.insert(InsertPoint::Before(inst), truth, WHY)?;
                ed.rewrite(inst, store(reg, truth), WHY)?;
            }
            (Op::Io(IoOp::DemoteIf), Some(cond)) => {
                let before = load(ed, InsertPoint::Before(inst), reg)?;
                let either = InstData::new(IntOp::IOr, ValueType::BOOL, &[before, cond]);
                let either = ed.insert(InsertPoint::Before(inst), either, WHY)?;
                ed.rewrite(inst, store(reg, either), WHY)?;
            }
            _ => {}
        }
    }
    for block in ed.func().blocks_in_order() {
        if matches!(ed.func().terminator(block), Terminator::Return(_)) {
            let demoted = load(ed, InsertPoint::End(block), reg)?;
            let discard = InstData::new(IoOp::DiscardIf, ValueType::Void, &[demoted]);
            ed.insert(InsertPoint::End(block), discard, WHY)?;
        }
    }
    let first = ed.func().block(entry).insts.first().copied();
    let start = first.map_or(InsertPoint::End(entry), InsertPoint::Before);
    let no = ed.bool(false);
    let no = ed.insert(start, no, WHY)?;
    ed.insert(first.map_or(InsertPoint::End(entry), InsertPoint::Before), store(reg, no), WHY).map(drop)
}

fn store(reg: Reg, value: Inst) -> InstData {
    use vitrine_ir::base::EntityId;
    InstData::new(RegOp::Store, ValueType::Void, &[value]).with(Key::Reg, reg.index() as u64)
}

fn load(ed: &mut Editor<'_>, at: InsertPoint, reg: Reg) -> Result<Inst, Refusal> {
    use vitrine_ir::base::EntityId;
    let data = InstData::new(RegOp::Load, ValueType::BOOL, &[]).with(Key::Reg, reg.index() as u64);
    ed.insert(at, data, WHY)
}

fn has_demotion(body: &FuncBody) -> bool {
    let mut found = false;
    body.for_each_inst(|_, inst| {
        found |= matches!(body.inst(inst).op, Op::Io(IoOp::Demote | IoOp::DemoteIf));
    });
    found
}

/// Returns true if no function writes memory that others see, and none asks which invocations are helpers.
fn writes_nothing(module: &Module) -> bool {
    module.funcs().all(|(_, body)| {
        let mut is_quiet = true;
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            is_quiet &= match data.op {
                Op::Memory(MemoryOp::Store | MemoryOp::CopyVar | MemoryOp::CopyBytes) => {
                    data.args.first().is_some_and(|&path| is_own(module, body, path))
                }
                Op::Io(IoOp::Demote | IoOp::DemoteIf | IoOp::DiscardIf | IoOp::TerminateIf) => true,
                Op::Io(IoOp::IsHelper) | Op::Memory(MemoryOp::AtomicLoad) => false,
                Op::Reg(_) | Op::Basic(BasicOp::Call) | Op::Memory(MemoryOp::Load) => true,
                op => !op.props().has(Props::WRITES),
            };
        });
        is_quiet
    })
}

/// Returns true for a path into a variable of the invocation.
fn is_own(module: &Module, body: &FuncBody, path: Inst) -> bool {
    let mut at = path;
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let mode = data.entity(Key::Var).and_then(|var| module.var(var)).map(|data| data.mode);
                return matches!(mode, Some(Mode::Local | Mode::Private | Mode::Out));
            }
            Op::Deref(DerefOp::Field | DerefOp::Elem) => match data.args.first() {
                Some(&base) => at = base,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}

//! Properties of the whole module: recursion, and operations in stages that do not have them.
//!
//! Reports only definite errors: explicit prohibitions of SPIR-V and Vulkan.

use super::constants::State;
use super::diagnostics::{Named, Naming};
use super::function::Checker;
use super::whole::{Call, Rule, Staged, Whole};
use super::*;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, GroupOp, IoOp, Key, Op, Scope, TexOp};
use vitrine_ir::{Block, Diag, Diags, EntryPoint, ExecutionMode, Inst, InstData, Stage, Stop, Terminator};

const FRAGMENT: Rule = Rule::In(&[Stage::Fragment]);
const GEOMETRY: Rule = Rule::In(&[Stage::Geometry]);
const WORKGROUPS: Rule = Rule::In(&[
    Stage::Compute,
    Stage::Kernel,
    Stage::TessControl,
    Stage::Task,
    Stage::Mesh,
    Stage::TaskNv,
    Stage::MeshNv,
]);

/// The stages that support an operation, if not all do.
fn rule(op: Op) -> Option<Rule> {
    match op {
        Op::Io(
            IoOp::DiscardIf
            | IoOp::TerminateIf
            | IoOp::Demote
            | IoOp::DemoteIf
            | IoOp::IsHelper
            | IoOp::InterlockBegin
            | IoOp::InterlockEnd
            | IoOp::InterpCentroid
            | IoOp::InterpSample
            | IoOp::InterpOffset,
        ) => Some(FRAGMENT),
        Op::Io(IoOp::EmitVertex | IoOp::EndPrimitive) => Some(GEOMETRY),
        Op::Io(IoOp::SetMeshOutputs) => Some(Rule::In(&[Stage::Mesh])),
        Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => Some(Rule::Quads),
        Op::Tex(TexOp::Sample | TexOp::QueryLod) => Some(Rule::Quads),
        _ => None,
    }
}

fn stop_rule(stop: Stop) -> Option<Rule> {
    match stop {
        Stop::Discard | Stop::Terminate => Some(FRAGMENT),
        Stop::IgnoreIntersection | Stop::TerminateRay => Some(Rule::In(&[Stage::AnyHit])),
        Stop::EmitMeshTasks => Some(Rule::In(&[Stage::Task])),
        Stop::Unreachable => None,
    }
}

impl Checker<'_, '_> {
    /// Records calls, and operations that not every stage has.
    pub(super) fn stage(&mut self, inst: Inst, data: &InstData) {
        let (func, op) = (self.here.func, data.op);
        if op == Op::from(BasicOp::Call) {
            let to = data.entity::<Func>(Key::Func);
            self.whole.calls.extend(to.map(|to| Call { from: func, at: inst, to }));
            return;
        }
        let waits = data.attrs.has(Key::Exec) && data.attrs.word_of(Key::Exec) != Some(Scope::Subgroup);
        let (rule, of) = match op {
            // Vulkan: other stages can synchronize subgroups only.
            Op::Group(GroupOp::Barrier) if waits => (Some(WORKGROUPS), " for more than a subgroup"),
            op => (rule(op), ""),
        };
        if let Some(rule) = rule {
            let at = Anchor::Inst(func, inst);
            self.whole.staged.push(Staged { func, at, what: op.name(), of, rule });
        }
    }

    /// Records `stop` terminators that not every stage has.
    pub(super) fn stage_of_terminator(&mut self, block: Block) {
        let Terminator::Stop(stop) = *self.here.body.terminator(block) else { return };
        if let Some(rule) = stop_rule(stop) {
            let at = Anchor::Terminator(self.here.func, block);
            self.whole.staged.push(Staged { func: self.here.func, at, what: stop.name(), of: "", rule });
        }
    }
}

/// Checks the properties of the whole module.
pub(super) fn check(module: &Module, whole: &Whole, diags: &mut Diags) {
    // Calls are recorded function by function, so that each function has one range of them.
    let mut runs: SideTable<Func, (usize, usize)> = SideTable::sized((0, 0), module.sizes()[2]);
    for (at, call) in whole.calls.iter().enumerate() {
        let run = &mut runs[call.from];
        let first = if run.1 == 0 { at } else { run.0 };
        *run = (first, at + 1);
    }
    let calls = |func: Func| &whole.calls[runs[func].0..runs[func].1];
    recursion(module, calls, diags);
    if !whole.staged.is_empty() {
        stages(module, whole, calls, diags);
    }
}

/// Reports functions that call themselves: at each call that closes a cycle.
fn recursion<'c>(module: &Module, calls: impl Fn(Func) -> &'c [Call], diags: &mut Diags) {
    let mut state: SideTable<Func, State> = SideTable::sized(State::New, module.sizes()[2]);
    for (root, _) in module.funcs() {
        let mut path = vec![(root, 0)];
        while let Some((func, at)) = path.pop() {
            if at == 0 && std::mem::replace(&mut state[func], State::Open) != State::New {
                state[func] = State::Done;
                continue;
            }
            let Some(call) = calls(func).get(at) else {
                state[func] = State::Done;
                continue;
            };
            path.push((func, at + 1));
            match state[call.to] {
                State::New if module.func(call.to).is_some() => path.push((call.to, 0)),
                State::Open => {
                    let diag = Diag::error(RECURSION, Anchor::Inst(func, call.at));
                    let diag =
                        diag.name(diagnostics::func(module, call.to)).says("calls itself through this call");
                    diags.push(diag.help("shaders have no call stack: use a loop"));
                }
                State::New | State::Done => {}
            }
        }
    }
}

/// Bit in [`Reached`] for a stage whose invocations form quads.
const QUADS: u32 = 1 << 31;

/// The kinds of entry points that reach a function, and for each bit the entry point that caused it.
#[derive(Clone, Default)]
struct Reached {
    bits: u64,
    by: Vec<(u32, u32)>,
}

fn bit(entry: &EntryPoint) -> u32 {
    let groups = [ExecutionMode::DerivativeGroupQuads, ExecutionMode::DerivativeGroupLinear];
    let stage = 1 << entry.stage as u32;
    if groups.iter().any(|&mode| entry.has_mode(mode)) { stage | QUADS } else { stage }
}

fn stages<'c>(module: &Module, whole: &Whole, calls: impl Fn(Func) -> &'c [Call], diags: &mut Diags) {
    // Stages with and without quads are distinguished, so that neither hides the other.
    let mut kinds: Vec<u32> = Vec::new();
    let mut reached: SideTable<Func, Reached> = SideTable::sized(Reached::default(), module.sizes()[2]);
    for (number, entry) in (0u32..).zip(module.entries.iter()) {
        let kind = match kinds.iter().position(|&kind| kind == bit(entry)) {
            Some(at) => at,
            None => {
                kinds.push(bit(entry));
                kinds.len() - 1
            }
        };
        let mut work = vec![entry.func];
        while let Some(func) = work.pop() {
            if module.func(func).is_none() || reached[func].bits >> kind & 1 != 0 {
                continue;
            }
            reached[func].bits |= 1 << kind;
            reached[func].by.push((kinds[kind], number));
            work.extend(calls(func).iter().map(|call| call.to));
        }
    }
    for staged in &whole.staged {
        let misses = |kind: u32| match staged.rule {
            Rule::In(stages) => !stages.iter().any(|&stage| kind & 1 << stage as u32 != 0),
            Rule::Quads => kind & (QUADS | 1 << Stage::Fragment as u32) == 0,
        };
        let by = &reached[staged.func].by;
        let Some(&(_, number)) = by.iter().find(|&&(kind, _)| misses(kind)) else { continue };
        let entry = &module.entries[number as usize];
        let (code, stops) = match staged.at {
            Anchor::Terminator(..) => (STAGE_STOP, "stop "),
            _ => (STAGE_OP, ""),
        };
        let diag = Diag::error(code, staged.at).says(format!(
            "`{stops}{}`{} is not available in a {} shader, but",
            staged.what,
            staged.of,
            entry.stage.name()
        ));
        let runs = Named::entry(module, number, entry);
        diags.push(
            diag.name(runs).says("reaches it").help(format!("it is available in {}", staged.rule.words())),
        );
    }
}

impl Rule {
    fn words(self) -> String {
        match self {
            Rule::Quads => "fragment shaders, and compute shaders with `derivative_group_quads` or `derivative_group_linear`".to_owned(),
            Rule::In(stages) => {
                let names: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
                format!("{} shaders", names.join(", "))
            }
        }
    }
}

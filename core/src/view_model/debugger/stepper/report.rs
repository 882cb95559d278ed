//! The state of a group that is stepped through: values beside the text, the stack, invocations, memory.
//!
//! Refuses to change anything: `super` steps.

use super::super::lines::Spot;
use super::super::resources::cell;
use super::super::words::{View, number, number_text, plain};
use super::{Stepper, has};
use crate::analysis::{TypeHint, Types};
use crate::interp::memory::{Ptr, Root};
use crate::interp::{InvocationEnd, UbKind};
use crate::ir::{Func, FuncBody, Inst, Mode, Stage, Var};
use crate::ops::{BasicOp, Op, ValueType, Width};
use std::collections::BTreeMap;
use vitrine_protocol::{
    CellMark, StackFrame, StepReport, TableReport, TableRows, ValueOnLine, VariableInMemory,
};

/// Words of a row of memory.
const WORDS: u32 = 4;

impl Stepper {
    /// The state where the group stopped; while a step runs, only its progress.
    pub(in super::super) fn report(&self) -> StepReport {
        let progress = StepReport {
            finished: self.done,
            steps: self.steps as u32,
            line: self.spot().and_then(|spot| self.lines.line(spot)),
            chosen: self.invocation as u32,
            invocations: self.group.invocations.len() as u32,
            active: if self.done { 0 } else { self.machine.active().len() as u32 },
            version: self.at as u32,
            status: self.status(),
            ..StepReport::default()
        };
        if self.goal.is_some() || !self.began {
            return progress;
        }
        StepReport {
            values: self.values(),
            stack: self.stack(),
            memory: self.memory_list(),
            stopped: self.stopped.clone(),
            wrong_stops: self.wrong_stops(),
            watched: self.watched(),
            source: Some(self.source_view()),
            ..progress
        }
    }

    /// The functions on the stack, innermost first, without a caller.
    fn stack(&self) -> Vec<StackFrame> {
        let frames = self.machine.stack();
        let shown = frames.iter().skip(usize::from(self.is_call)).rev().map(|frame| {
            let at = match (frame.inst, frame.block) {
                (Some(inst), _) => Some(Spot::Inst(frame.func, inst)),
                (None, Some(block)) => Some(Spot::Exit(frame.func, block)),
                (None, None) => None,
            };
            let waiting: usize = frame.waiting.iter().map(|(_, invocations)| invocations.len()).sum();
            let more = if waiting > 0 { format!(", {waiting} wait") } else { String::new() };
            StackFrame {
                line: at.and_then(|at| self.lines.line(at)),
                name: self.func(frame.func),
                invocations: format!("{} invocations{more}", frame.invocations.len()),
            }
        });
        shown.collect()
    }

    /// The variables whose memory can be displayed.
    fn memory_list(&self) -> Vec<VariableInMemory> {
        let variables = self.looked_into().map(|(number, var, mode)| VariableInMemory {
            number,
            name: plain(&self.module.name_of(var)),
            mode: mode.name().to_owned(),
            size: format!("{} bytes", self.root(var).map_or(0, |root| root.size)),
        });
        variables.collect()
    }

    fn func(&self, func: Func) -> String {
        let name = self.module.func(func).and_then(FuncBody::name);
        name.map_or_else(|| func.to_string(), |name| plain(self.module.text_of(name)))
    }

    /// The state of the selected invocation, in words.
    fn status(&self) -> String {
        let invocation = self.invocation;
        let place = match self.machine.invocation(invocation).map(|info| info.at) {
            None => String::new(),
            Some([x, y, z]) => match self.stage {
                _ if self.is_call => "called once".to_owned(),
                Stage::Fragment => format!("pixel ({x}, {y})"),
                Stage::Vertex => format!("vertex {x} of instance {y}"),
                Stage::TessControl => format!("vertex {y} of patch {x}"),
                Stage::TessEval => format!("point {y} of patch {x}"),
                Stage::Geometry => format!("primitive {x}, invocation {y} of it"),
                Stage::RayGen
                | Stage::Intersection
                | Stage::AnyHit
                | Stage::ClosestHit
                | Stage::Miss
                | Stage::Callable => format!("launch id ({x}, {y}, {z})"),
                Stage::Compute
                | Stage::Kernel
                | Stage::Task
                | Stage::Mesh
                | Stage::TaskNv
                | Stage::MeshNv => {
                    format!("global id ({x}, {y}, {z})")
                }
            },
        };
        let doing = match self.machine.end(invocation) {
            _ if !self.began => "waits for the groups before it".to_owned(),
            Some(InvocationEnd::Stuck) => self.stuck(),
            Some(end) if end != InvocationEnd::Running => format!("{end:?}").to_lowercase(),
            _ if self.machine.active().contains(&(invocation as u32)) => "is next".to_owned(),
            _ => "waits for others".to_owned(),
        };
        format!("invocation {invocation}, {place}, {doing}")
    }

    /// The end of an invocation that does not finish.
    fn stuck(&self) -> String {
        let reports = self.machine.reports().list();
        let endless = reports.iter().find(|report| report.ub == UbKind::Endless);
        let place = endless.map_or(String::new(), |report| self.lines.loop_of(&self.module, report.at));
        format!("does not finish{place}")
    }

    /// The values of the selected invocation in the topmost function, by line.
    fn values(&self) -> Vec<ValueOnLine> {
        let mut all = Vec::new();
        let Some((frame, seen)) = self.seen.iter().enumerate().next_back() else { return all };
        let Some(func) = seen.func else { return all };
        let hints = self.hints_of(func);
        let mut lines: BTreeMap<u32, Vec<Inst>> = BTreeMap::new();
        for (&inst, invocations) in &seen.invocations {
            if has(&invocations.bits, self.invocation)
                && let Some(line) = self.lines.line(Spot::Inst(func, inst))
            {
                lines.entry(line).or_default().push(inst);
            }
        }
        for (line, mut insts) in lines {
            insts.sort_unstable();
            let alone = insts.len() == 1;
            let mut values = String::new();
            for inst in insts {
                let value = self.value(frame, func, inst, self.invocation, hints);
                if value.is_empty() {
                    continue;
                }
                if !values.is_empty() {
                    values.push_str("  ");
                }
                if !alone {
                    values.push_str(&format!("{inst} = "));
                }
                values.push_str(&value);
            }
            if !values.is_empty() {
                all.push(ValueOnLine { line, words: values });
            }
        }
        all
    }

    fn hints_of(&self, func: Func) -> Option<&Types> {
        self.hints.get(&func)
    }

    /// A value of an invocation in words; empty for values without a text form, and for constants, which the
    /// IR text shows.
    pub(super) fn value(
        &self,
        frame: usize,
        func: Func,
        inst: Inst,
        invocation: usize,
        hints: Option<&Types>,
    ) -> String {
        let Some(body) = self.module.func(func) else { return String::new() };
        let data = body.inst(inst);
        if data.op == Op::Basic(BasicOp::Const) {
            return String::new();
        }
        let parts = self.machine.value(frame, inst, invocation);
        let hint = hints.map_or(TypeHint::Unknown, |types| types.hint(inst));
        let mut out = String::new();
        let many = parts.len() > 1;
        for (at, part) in parts.iter().enumerate() {
            out.push_str(match (many, at) {
                (true, 0) => "(",
                (true, _) => ", ",
                (false, _) => "",
            });
            match (part, body.ty(inst)) {
                (None, _) => out.push_str("undefined"),
                (Some(bits), ValueType::Bits { width, .. }) => number(&mut out, *bits, width, view(hint)),
                (Some(bits), ValueType::Path | ValueType::Ptr) => self.address(&mut out, *bits),
                (Some(bits), ValueType::Handle | ValueType::Void) => {
                    number(&mut out, *bits, Width::W32, View::Hex);
                }
            }
        }
        if many {
            out.push(')');
        }
        out
    }

    /// An address as variable and offset. The variable may be a local one of a calling function.
    fn address(&self, out: &mut String, bits: u64) {
        let ptr = Ptr(bits);
        let Some(root) = ptr.root() else { return out.push_str("null") };
        let of_frame = |frame: usize| {
            self.module.vars().find(|(var, _)| self.machine.root_of(frame, *var) == Some(root))
        };
        match (0..self.machine.depth()).rev().find_map(of_frame) {
            Some((var, _)) => out.push_str(&plain(&self.module.name_of(var))),
            None => out.push_str(&format!("memory {root}")),
        }
        if ptr.offset() > 0 {
            out.push_str(&format!(" + {}", ptr.offset()));
        }
    }

    /// Every invocation of the group as a table: number, location, state, its value of the definition on the line.
    pub(in super::super) fn invocations(&self, line: u32) -> TableReport {
        let frame = self.seen.len().saturating_sub(1);
        let definition = match self.lines.spot(line) {
            Some(Spot::Inst(func, inst)) if self.seen.last().and_then(|seen| seen.func) == Some(func) => {
                Some((func, inst))
            }
            _ => None,
        };
        let hints = definition.and_then(|(func, _)| self.hints_of(func));
        let head = definition.map_or("value".to_owned(), |(_, inst)| inst.to_string());
        let heads = ["invocation", "place", "does", &head].map(str::to_owned).to_vec();
        let mut cells = Vec::new();
        let mut turn = vec![false; self.group.invocations.len()];
        for &invocation in self.machine.active() {
            if let Some(slot) = turn.get_mut(invocation as usize) {
                *slot = true;
            }
        }
        for invocation in 0..self.group.invocations.len() {
            let [x, y, z] = self.machine.invocation(invocation).map_or([0; 3], |info| info.at);
            let end = self.machine.end(invocation).filter(|end| *end != InvocationEnd::Running);
            let is_next = !self.done && end.is_none() && turn.get(invocation) == Some(&true);
            let does = match end {
                Some(end) => format!("{end:?}").to_lowercase(),
                None if is_next => "next".to_owned(),
                None => "waits".to_owned(),
            };
            let value = definition
                .filter(|(_, inst)| {
                    let invocations = self.seen.last().and_then(|seen| seen.invocations.get(inst));
                    invocations.is_some_and(|invocations| has(&invocations.bits, invocation))
                })
                .map_or(String::new(), |(func, inst)| self.value(frame, func, inst, invocation, hints));
            let mark = match () {
                () if invocation == self.invocation => CellMark::Selected,
                () if end.is_some() => CellMark::Ended,
                () if is_next => CellMark::Active,
                () => CellMark::Plain,
            };
            cells.push(cell(invocation.to_string(), CellMark::Plain));
            cells.extend([format!("({x}, {y}, {z})"), does, value].map(|text| cell(text, mark)));
        }
        TableReport { rows: self.group.invocations.len() as u32, first: 0, heads, is_named: false, cells }
    }

    /// Variables whose bytes can be displayed now: their number, themselves, their mode.
    fn looked_into(&self) -> impl Iterator<Item = (u32, Var, Mode)> + '_ {
        let here = self.seen.last().and_then(|seen| seen.func);
        let each = (0..).zip(self.module.vars());
        each.filter(move |(_, (var, data))| match data.mode {
            Mode::Local => data.owner.is_some() && data.owner == here && self.root(*var).is_some(),
            Mode::Private
            | Mode::Shared
            | Mode::Storage
            | Mode::Uniform
            | Mode::Push
            | Mode::In
            | Mode::Out => self.root(*var).is_some(),
            Mode::Handle | Mode::Payload | Mode::Physical | Mode::Callable | Mode::Generic => false,
        })
        .map(|(number, (var, data))| (number, var, data.mode))
    }

    pub(super) fn root(&self, var: Var) -> Option<&Root> {
        let frame = self.machine.depth().saturating_sub(1);
        self.machine.memory().root(self.machine.root_of(frame, var)?)
    }

    /// The bytes of a variable as the selected invocation reads them, as a table; none if it has no memory now.
    pub(in super::super) fn memory(
        &self,
        TableRows { number: variable, view, first, count }: TableRows,
    ) -> Option<TableReport> {
        let (_, var, _) = self.looked_into().find(|(number, ..)| *number == variable)?;
        let root = self.root(var)?;
        let view = View::of(view).unwrap_or_default();
        let rows = root.size.div_ceil(4 * WORDS);
        let first = first.min(rows);
        let mut heads = vec!["byte".to_owned()];
        heads.extend((0..WORDS).map(|word| format!("+{}", word * 4)));
        let mut cells = Vec::new();
        for row in first..rows.min(first.saturating_add(count)) {
            cells.push(cell(format!("{:#06x}", row * 4 * WORDS), CellMark::Plain));
            for word in 0..WORDS {
                let at = (row * WORDS + word) * 4;
                let bytes = root.size.saturating_sub(at).min(4);
                cells.push(match root.read(self.invocation, at, bytes) {
                    Ok((_, true)) => cell("undefined", CellMark::Undefined),
                    Ok((bits, false)) if bytes == 4 => {
                        cell(number_text(bits, Width::W32, view), CellMark::Plain)
                    }
                    Ok((bits, false)) if bytes > 0 => cell(format!("{bits:#x}"), CellMark::Plain),
                    Ok(_) | Err(_) => cell("", CellMark::Plain),
                });
            }
        }
        Some(TableReport { rows, first, heads, is_named: false, cells })
    }
}

fn view(hint: TypeHint) -> View {
    match hint {
        TypeHint::Float => View::Float,
        TypeHint::Int | TypeHint::Bool => View::Int,
        TypeHint::Uint => View::Uint,
        TypeHint::Unknown | TypeHint::Any => View::Hex,
    }
}

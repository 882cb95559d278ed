//! The state of a group that is stepped through: values beside the text, the stack, invocations, memory.
//!
//! Refuses to change anything: `super` steps.

use super::super::Answer;
use super::super::lines::Spot;
use super::super::words::{View, number, plain};
use super::{Stepper, has};
use crate::analysis::{TypeHint, Types};
use crate::interp::memory::{Ptr, Root};
use crate::interp::{InvocationEnd, UbKind};
use crate::ir::{Func, FuncBody, Inst, Mode, Stage, Var};
use crate::ops::{BasicOp, Op, ValueType, Width};
use std::collections::BTreeMap;

/// Words of a row of memory.
const WORDS: u32 = 4;

impl Stepper {
    /// Numbers: 0 if there is more to execute, 1 at the end; steps so far; the next line plus 1, or 0; depth
    /// of the stack; the selected invocation; the number of invocations; the number of active invocations;
    /// the version; line plus 1 of each function on the stack, innermost first. Text, one line each after a
    /// letter: `w` the state of the selected invocation; `v` line, its values there; `s` function on the
    /// stack, invocations; `m` number, name, mode, bytes of memory that can be displayed; `h`, `b` and `x` as
    /// [`Stepper::watched`] has them; `l`, `t` and `n` as `Stepper::source_text`, `u` and `o` as `Stepper::variables`.
    pub(in super::super) fn answer(&self) -> Answer {
        let line = self.spot().and_then(|spot| self.lines.line(spot)).map_or(0, |line| line + 1);
        let mut answer = Answer {
            numbers: vec![
                u32::from(self.done),
                self.steps as u32,
                line,
                self.machine.depth() as u32,
                self.invocation as u32,
                self.group.invocations.len() as u32,
                if self.done { 0 } else { self.machine.active().len() as u32 },
                self.at as u32,
            ],
            ..Answer::default()
        };
        answer.text = format!("w{}\n", self.status());
        if self.goal.is_some() || !self.began {
            return answer;
        }
        self.values(&mut answer.text);
        self.watched(&mut answer.text);
        self.source_text(&mut answer.text);
        self.variables(&mut answer.text);
        let hidden = usize::from(self.is_call);
        for frame in self.machine.stack().iter().skip(hidden).rev() {
            let at = match (frame.inst, frame.block) {
                (Some(inst), _) => Some(Spot::Inst(frame.func, inst)),
                (None, Some(block)) => Some(Spot::Exit(frame.func, block)),
                (None, None) => None,
            };
            answer.numbers.push(at.and_then(|at| self.lines.line(at)).map_or(0, |line| line + 1));
            let waiting: usize = frame.waiting.iter().map(|(_, invocations)| invocations.len()).sum();
            let more = if waiting > 0 { format!(", {waiting} wait") } else { String::new() };
            let name = self.func(frame.func);
            answer.text.push_str(&format!("s{name}\t{} invocations{more}\n", frame.invocations.len()));
        }
        for (number, var, data) in self.looked_into() {
            let bytes = self.root(var).map_or(0, |root| root.size);
            let name = plain(&self.module.name_of(var));
            answer.text.push_str(&format!("m{number}\t{name}\t{}\t{bytes} bytes\n", data.name()));
        }
        answer
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
    fn values(&self, text: &mut String) {
        let Some((frame, seen)) = self.seen.iter().enumerate().next_back() else { return };
        let Some(func) = seen.func else { return };
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
                text.push_str(&format!("v{line}\t{values}\n"));
            }
        }
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

    /// An address as variable and offset.
    fn address(&self, out: &mut String, bits: u64) {
        let ptr = Ptr(bits);
        let Some(root) = ptr.root() else { return out.push_str("null") };
        let frame = self.machine.depth().saturating_sub(1);
        let var = self.module.vars().find(|(var, _)| self.machine.root_of(frame, *var) == Some(root));
        match var {
            Some((var, _)) => out.push_str(&plain(&self.module.name_of(var))),
            None => out.push_str(&format!("memory {root}")),
        }
        if ptr.offset() > 0 {
            out.push_str(&format!(" + {}", ptr.offset()));
        }
    }

    /// Every invocation of the group as a table, in the form of `resources::table`: number, location, state,
    /// its value of the definition on the line. Marks: 1 active, 2 selected, 3 ended.
    pub(in super::super) fn invocations(&self, line: u32) -> Answer {
        let frame = self.seen.len().saturating_sub(1);
        let definition = match self.lines.spot(line) {
            Some(Spot::Inst(func, inst)) if self.seen.last().and_then(|seen| seen.func) == Some(func) => {
                Some((func, inst))
            }
            _ => None,
        };
        let hints = definition.and_then(|(func, _)| self.hints_of(func));
        let rows = self.group.invocations.len() as u32;
        let mut answer = Answer { numbers: vec![0, rows, 0, 4], ..Answer::default() };
        let head = definition.map_or("value".to_owned(), |(_, inst)| inst.to_string());
        answer.text = format!("invocation\tplace\tdoes\t{head}");
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
            answer.text.push_str(&format!("\n{invocation}\t({x}, {y}, {z})\t{does}\t{value}"));
            let mark = match () {
                () if invocation == self.invocation => 2,
                () if end.is_some() => 3,
                () if is_next => 1,
                () => 0,
            };
            answer.numbers.extend([mark; 3]);
        }
        answer
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

    /// The bytes of a variable as the selected invocation reads them, in the form of `resources::table`.
    pub(in super::super) fn memory(&self, variable: u32, view: u32, [first, count]: [u32; 2]) -> Answer {
        let found = self.looked_into().find(|(number, ..)| *number == variable);
        let Some(root) = found.and_then(|(_, var, _)| self.root(var)) else { return Answer::default() };
        let rows = root.size.div_ceil(4 * WORDS);
        let first = first.min(rows);
        let mut answer = Answer { numbers: vec![variable, rows, first, 1 + WORDS], ..Answer::default() };
        answer.text.push_str("byte");
        (0..WORDS).for_each(|word| answer.text.push_str(&format!("\t+{}", word * 4)));
        for row in first..rows.min(first.saturating_add(count)) {
            answer.text.push_str(&format!("\n{:#06x}", row * 4 * WORDS));
            for word in 0..WORDS {
                let at = (row * WORDS + word) * 4;
                let bytes = root.size.saturating_sub(at).min(4);
                answer.text.push('\t');
                let mut mark = 0;
                match root.read(self.invocation, at, bytes) {
                    Ok((_, true)) => {
                        answer.text.push_str("undefined");
                        mark = 3;
                    }
                    Ok((bits, false)) if bytes == 4 => {
                        number(&mut answer.text, bits, Width::W32, View::numbered(view));
                    }
                    Ok((bits, false)) if bytes > 0 => answer.text.push_str(&format!("{bits:#x}")),
                    Ok(_) | Err(_) => {}
                }
                answer.numbers.push(mark);
            }
        }
        answer
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

//! *Run*: a version on generated inputs, group by group, and the input beside it if requested.
//!
//! ```text
//! groups of invocations ──► machine ──► outcome: buffers, outputs, reports
//!                                 picture: of a fragment shader, as it grows
//! ```

use super::super::digits::grouped;
use super::inputs::{self, RunInputs};
use super::lines::Lines;
use super::output_names::OutputNames;
use super::picture::{self, Picture};
use super::resources::{self, Resource};
use super::words::{View, plain};
use super::{Answer, Time};
use crate::base::EntityId;
use crate::interp::{
    Callable, InputBytes, Inputs, InvocationEnd, Machine, Named, Outcome, Port, Status, UbKind, callables,
    can_run, ports, with_callers,
};
use crate::ir::{Anchor, Block, EntryPoint, Func, Mode, Module, Stage};
use crate::pipeline::Trace;
use std::rc::Rc;

/// The amount of work, invocations times instructions, between two checks of the clock.
const BETWEEN: u64 = 1 << 17;

/// The view of a table by names and types.
const BY_NAME: u32 = 4;
/// The printed lines that are shown; further ones are counted.
const MOST_PRINTS: usize = 100;

/// A run, in progress or done.
pub(super) struct VersionRun {
    pub(super) entry: usize,
    pub(super) at: usize,
    pub(super) stage: Stage,
    pub(super) inputs: Inputs,
    pub(super) version: Module,
    pub(super) lines: Rc<Lines>,
    /// True if a function is called that is no entry point.
    pub(super) is_call: bool,
    /// True if a coarse picture comes first.
    coarse: bool,
    pub(super) ports: Vec<Port>,
    names: OutputNames,
    resources: Vec<Resource>,
    list: String,
    /// Assignments that cannot be followed: the line from 1, and why.
    pub(super) wrong: Vec<(usize, String)>,
    /// The program before its first pass, which has the names of inputs.
    pub(super) input: Module,
    /// Entry points, one on each line.
    entries: String,
    /// The version, then the input if it is compared.
    sides: Vec<Side>,
    /// The reason that it cannot be run.
    pub(super) refused: String,
    /// The number of differing pixels, and their picture, at the end.
    differs: Option<(u32, Vec<u8>)>,
}

/// A running program.
struct Side {
    machine: Machine,
    outcome: Outcome,
    picture: Option<Picture>,
    /// The next or current group, and the number of groups.
    next: u64,
    all: u64,
    running: bool,
    done: bool,
}

impl VersionRun {
    /// A run of an entry point of version `at` (an index out of range selects the first one that can be run),
    /// and of the input too, if it is to be compared.
    pub(super) fn new(
        trace: &Trace,
        entry: usize,
        of: RunInputs<'_>,
        at: usize,
        compared: bool,
    ) -> VersionRun {
        let version = trace.version(at).unwrap_or(trace.last());
        // Callers have no lines.
        let lines = Rc::new(Lines::of(version));
        let is_call = trace.input.entries.is_empty();
        let whole = |module: &Module| match is_call {
            true => with_callers(module, &trace.input),
            false => module.clone(),
        };
        let (version, input) = (whole(version), &whole(&trace.input));
        let of = RunInputs { is_call, ..of };
        let entry = if entry == u32::MAX as usize { first(input) } else { entry };
        let (inputs, wrong) = inputs::chosen(input, entry, of);
        let stage = input.entries.get(entry).map_or(Stage::Compute, |entry| entry.stage);
        let ports: Vec<Port> = results_of(stage).iter().flat_map(|&mode| ports(input, entry, mode)).collect();
        // Fragments are a picture, workgroups leave memory.
        let shown: &[Port] = if stage == Stage::Fragment { &[] } else { &ports };
        let (resources, list) = resources::list(input, entry, &inputs, shown, is_call);
        // Pixels of the coarse picture run twice, so their writes must not be visible to the second run.
        let coarse = stage == Stage::Fragment && !writes(input);
        let mut run = VersionRun {
            entry,
            at,
            stage,
            lines,
            is_call,
            coarse,
            names: OutputNames::of(input, &ports),
            ports,
            resources,
            list,
            wrong,
            input: input.clone(),
            entries: if is_call { functions(&trace.input) } else { entries(input) },
            sides: Vec::new(),
            refused: String::new(),
            differs: None,
            inputs,
            version,
        };
        let refused = is_call.then(|| callables(input).into_iter().nth(entry).map(|of| of.refused)).flatten();
        match refused.filter(|why| !why.is_empty()) {
            Some(why) => run.refused = why,
            None => run.begin(input, compared),
        }
        run
    }

    fn begin(&mut self, input: &Module, compared: bool) {
        let modules = [Some(&self.version), compared.then_some(input)];
        for module in modules.into_iter().flatten() {
            match Machine::new(module, self.entry, &self.inputs) {
                Ok(machine) => {
                    let is_picture = self.stage == Stage::Fragment;
                    let all = if is_picture { picture::groups(self.coarse) } else { machine.group_count() };
                    self.sides.push(Side {
                        outcome: Outcome::default(),
                        picture: is_picture.then(|| Picture::new(&self.ports, &self.names)),
                        next: 0,
                        all,
                        running: false,
                        done: false,
                        machine,
                    });
                }
                Err(why) => self.refused = why.message(),
            }
        }
    }

    /// Runs a slice. Returns true if there is more to do. Both programs advance together.
    pub(super) fn slice(&mut self, time: Time<'_>) -> bool {
        if !self.refused.is_empty() {
            return false;
        }
        while time() {
            let next = self.sides.iter_mut().filter(|side| !side.done).min_by_key(|side| side.next);
            match next {
                Some(side) => side.go_on(self.coarse),
                None => {
                    self.compare();
                    return false;
                }
            }
        }
        true
    }

    fn compare(&mut self) {
        if let [now, before] = &self.sides[..]
            && let (Some(now), Some(before)) = (&now.picture, &before.picture)
        {
            self.differs = Some(now.difference(before));
        }
    }

    /// Numbers: 1 if it is done; completed groups; all groups; 0 for a picture, 1 for vertices, 2 for
    /// workgroups, 3 for a called function; pixels along an edge; the version; the entry point. Bytes: the picture, then that of the
    /// differences, if there is one. Text, one line each after a letter: `!` the reason that it cannot be
    /// run, `=` the result, `e` an entry point: stage, name, the reason that it cannot be run or nothing; `i`
    /// an input (see [`resources::list`]), `a` an assignment that cannot be followed: line from 1, why; `r` a report: line of the text plus 1, or 0; code, message, count.
    pub(super) fn answer(&self) -> Answer {
        let (done, all) =
            self.sides.iter().fold((0, 0), |(done, all), side| (done + side.next, all + side.all));
        let is_done = self.is_done();
        let kind = match self.stage {
            Stage::Fragment => 0,
            _ if self.is_call => 3,
            Stage::Vertex => 1,
            _ => 2,
        };
        let mut answer = Answer {
            numbers: vec![
                u32::from(is_done),
                done as u32,
                all as u32,
                kind,
                picture::SIZE,
                self.at as u32,
                self.entry as u32,
            ],
            ..Answer::default()
        };
        if let Some(picture) = self.sides.first().and_then(|side| side.picture.as_ref()) {
            answer.bytes.extend_from_slice(&picture.rgba);
        }
        if let Some((_, picture)) = &self.differs {
            answer.bytes.extend_from_slice(picture);
        }
        if !self.refused.is_empty() {
            answer.text.push_str(&format!("!{}\n", self.refused));
        }
        self.summary(&mut answer.text, is_done);
        answer.text.push_str(&self.entries);
        answer.text.push_str(&self.list);
        for (line, why) in &self.wrong {
            answer.text.push_str(&format!("a{line}\t{}\n", plain(why)));
        }
        self.reports(&mut answer.text);
        answer
    }

    /// The number of executions of each block, when the run is done: function and block by their ids, and the lower
    /// and the upper half of the number.
    pub(super) fn executions(&self) -> Vec<u32> {
        let side = self.sides.first().filter(|side| side.done);
        let mut counts = side.map_or_else(Vec::new, |side| side.machine.executions());
        if self.is_call {
            counts.retain(|(func, ..)| !self.version.entries.iter().any(|entry| entry.func == *func));
        }
        let words = |(func, block, count): (Func, Block, u64)| {
            [func.index() as u32, block.index() as u32, count as u32, (count >> 32) as u32]
        };
        counts.into_iter().flat_map(words).collect()
    }

    /// The results of the version and its picture, if it has one; `None` until the run is done.
    pub(super) fn result(&self) -> Option<(&Outcome, Option<&Picture>)> {
        let side = self.sides.first().filter(|side| side.done)?;
        Some((&side.outcome, side.picture.as_ref()))
    }

    /// True if the run has undefined behavior.
    pub(super) fn has_undefined(&self) -> bool {
        self.sides.first().is_some_and(|side| !side.machine.reports().list().is_empty())
    }

    fn is_done(&self) -> bool {
        !self.refused.is_empty() || self.sides.iter().all(|side| side.done)
    }

    fn summary(&self, text: &mut String, is_done: bool) {
        let Some(side) = self.sides.first() else { return };
        let (_, invocations) = side.machine.work();
        text.push('=');
        if self.is_call && is_done {
            let outcomes = [&side.outcome];
            let values = resources::results(&outcomes, &self.ports, &self.input).text;
            for line in values.lines().skip(1) {
                text.push_str(&line.replacen('\t', " = ", 1));
                text.push_str("; ");
            }
        }
        text.push_str(&format!("{} invocation-instructions", grouped(invocations)));
        if let Some(picture) = &side.picture {
            for (end, words) in [
                (InvocationEnd::Discarded, "discarded"),
                (InvocationEnd::Terminated, "terminated"),
                (InvocationEnd::Demoted, "demoted"),
                (InvocationEnd::Stuck, "that do not finish (red)"),
            ] {
                let count = picture.count(end);
                if count > 0 {
                    text.push_str(&format!(", {} pixels {words}", grouped(count as u64)));
                }
            }
        } else if !side.outcome.is_complete() {
            text.push_str(", some invocations do not finish");
        }
        let endless = side.machine.reports().list().iter().find(|report| report.ub == UbKind::Endless);
        if let Some(report) = endless {
            text.push_str(&format!("; stopped{}", self.lines.loop_of(&self.version, report.at)));
        }
        if is_done && let [now, before] = &self.sides[..] {
            text.push_str(&match (&self.differs, before.outcome.first_difference(&now.outcome)) {
                (Some((count, _)), _) if *count > 0 => {
                    format!("; {} pixels differ from the input's (red)", grouped(u64::from(*count)))
                }
                (_, Some(difference)) => format!("; differs from the input: {difference}"),
                (_, None) => "; the same as the input".to_owned(),
            });
        }
        text.push('\n');
    }

    fn reports(&self, text: &mut String) {
        let Some(side) = self.sides.first() else { return };
        let reports = side.machine.reports();
        for report in reports.list() {
            let line = self.lines.line_of(report.at).map_or(0, |line| line + 1);
            let times = match report.count {
                1 => format!("invocation {}", report.invocation),
                count => format!("invocation {} first, {} times in all", report.invocation, grouped(count)),
            };
            let place = match report.ub {
                UbKind::Endless => self.lines.loop_of(&self.version, report.at),
                _ => String::new(),
            };
            let (code, says) = (report.ub.code(), report.ub.says());
            text.push_str(&format!("r{line}\t{code}\t{says}{place}\t{times}\n"));
        }
        if reports.dropped > 0 {
            text.push_str(&format!("r0\t\tand {} more kinds of reports\t\n", reports.dropped));
        }
        self.prints(side, text);
    }

    /// Lines that the program printed, as rows of reports.
    fn prints(&self, side: &Side, text: &mut String) {
        let prints = side.machine.prints();
        for print in prints.list().iter().take(MOST_PRINTS) {
            let line = self.lines.line_of(Anchor::Inst(print.at.0, print.at.1)).map_or(0, |line| line + 1);
            let says = print.text.trim_end().replace(['\n', '\t'], " ");
            let [x, y, z] = print.position;
            text.push_str(&format!(
                "r{line}\tprint\t{says}\tinvocation {} at ({x}, {y}, {z})\n",
                print.invocation
            ));
        }
        let more = prints.list().len().saturating_sub(MOST_PRINTS) as u64 + prints.dropped;
        if more > 0 {
            text.push_str(&format!("r0\t\tand {} more printed lines\t\n", grouped(more)));
        }
    }

    /// Rows of a resource: its number, view (0 float, 1 int, 2 uint, 3 hex, 4 by type), first row, rows. By type, buffers
    /// have a row for each number, with its name.
    /// Numbers: the resource, then as [`resources::table`] has them.
    pub(super) fn table(&self, resource: u32, view: u32, window: [u32; 2]) -> Answer {
        let Some(&of) = self.resources.get(resource as usize) else { return Answer::default() };
        let outcomes: Vec<&Outcome> = self.sides.iter().map(|side| &side.outcome).collect();
        let bytes = match of {
            Resource::Buffer(slot, element) => Some(InputBytes::Buffer(slot, element)),
            Resource::Push => Some(InputBytes::Push),
            Resource::Arg(_) | Resource::Image(..) | Resource::Outputs => None,
        };
        let by_name = bytes.filter(|_| view == BY_NAME).and_then(|bytes| {
            let mut named = Named::new(&self.input, self.entry, &self.inputs);
            resources::named_table(bytes, &mut named, &self.inputs, &outcomes, window)
        });
        if let Some(mut answer) = by_name {
            answer.numbers.insert(0, resource);
            return answer;
        }
        let mut answer = match of {
            Resource::Outputs if self.is_call => resources::results(&outcomes, &self.ports, &self.input),
            Resource::Outputs => {
                let view = (view < 4).then(|| View::numbered(view));
                resources::outputs(&outcomes, &self.ports, &self.names, view, window)
            }
            Resource::Buffer(..) | Resource::Push | Resource::Image(..) | Resource::Arg(_) => {
                resources::table(of, &self.inputs, &outcomes, View::numbered(view), window)
            }
        };
        answer.numbers.insert(0, resource);
        answer
    }

    /// The outputs of a pixel.
    pub(super) fn pixel(&self, x: u32, y: u32) -> Answer {
        let picture = self.sides.first().and_then(|side| side.picture.as_ref());
        let mut answer = Answer::message(picture.map_or(String::new(), |picture| picture.pixel_text(x, y)));
        if let Some(before) = self.sides.get(1).and_then(|side| side.picture.as_ref()) {
            answer.text.push_str("\nthe input: ");
            answer.text.push_str(&before.pixel_text(x, y));
        }
        answer
    }
}

impl Side {
    /// Runs a part of a group.
    fn go_on(&mut self, coarse: bool) {
        if !self.running {
            let group = match self.picture {
                Some(_) => picture::group(self.next, coarse),
                None => self.machine.group_at(self.next),
            };
            self.machine.begin(&group);
            self.running = true;
        }
        let steps = (BETWEEN / self.machine.width().max(1) as u64).max(64);
        if self.machine.run(steps) == Status::Running {
            return;
        }
        self.running = false;
        self.machine.collect(&mut self.outcome);
        let fine = if coarse { picture::groups(true) - picture::groups(false) } else { 0 };
        if let Some(picture) = &mut self.picture {
            picture.take(std::mem::take(&mut self.outcome.invocations), self.next < fine);
        }
        self.next += 1;
        if coarse && self.next == fine {
            // Pixels of the coarse picture run a second time.
            self.machine.reset_executions();
        }
        self.done = self.next >= self.all;
        if self.done {
            self.machine.finish(&mut self.outcome);
        }
    }
}

/// The first entry point that can be run.
fn first(module: &Module) -> usize {
    // A call of what cannot be called runs it itself.
    let callable = |func| module.func(func).is_none_or(|body| body.params().is_empty());
    let can = |entry: &EntryPoint| can_run(module, entry.func).is_ok();
    let own = module
        .entries
        .iter()
        .position(|entry| can(entry) && (entry.stage == Stage::Kernel || callable(entry.func)));
    own.unwrap_or(0)
}

/// The modes of the variables that are results of a stage.
fn results_of(stage: Stage) -> &'static [Mode] {
    match stage {
        Stage::Vertex
        | Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Mesh
        | Stage::MeshNv => &[Mode::Out],
        Stage::Task
        | Stage::TaskNv
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss => &[Mode::Payload],
        Stage::Callable => &[Mode::Callable],
        Stage::Compute | Stage::Kernel | Stage::RayGen => &[],
    }
}

/// A line for each entry point after an `e`: stage, name, the reason that it cannot be run or nothing;
/// separated by tabs.
fn entries(module: &Module) -> String {
    let line = |entry: &EntryPoint| {
        let name = plain(module.text_of(entry.name));
        let why = can_run(module, entry.func).err().map_or(String::new(), |diag| plain(&diag.message()));
        format!("e{}\t{name}\t{why}\n", entry.stage.name())
    };
    module.entries.iter().map(line).collect()
}

/// The same for functions that can be called.
fn functions(module: &Module) -> String {
    let line = |of: Callable| format!("efunction\t{}\t{}\n", plain(&of.name), plain(&of.refused));
    callables(module).into_iter().map(line).collect()
}

/// Returns true if a program may write memory that is visible to other invocations.
fn writes(module: &Module) -> bool {
    module.vars().any(|(_, data)| match data.mode {
        Mode::Storage | Mode::Physical | Mode::Generic => true,
        Mode::Handle => resources::is_storage_image(module, data.ty),
        Mode::In
        | Mode::Out
        | Mode::Private
        | Mode::Local
        | Mode::Uniform
        | Mode::Push
        | Mode::Shared
        | Mode::Payload
        | Mode::Callable => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Debugger;
    use super::*;

    pub(in super::super) fn opened(input: &str, pipeline: &str) -> Debugger {
        let mut debugger = Debugger::new();
        debugger.give(input.as_bytes().to_vec());
        debugger.open(pipeline, &mut |_, _| {});
        debugger
    }

    fn ran(debugger: &mut Debugger, numbers: &[u32]) -> Answer {
        debugger.begin("run", numbers);
        let mut slices = 0;
        loop {
            let mut first = true;
            if !debugger.slice(&mut || std::mem::take(&mut first)) {
                return debugger.answer();
            }
            slices += 1;
            assert!(slices < 100_000);
        }
    }

    #[test]
    fn a_compute_shader_leaves_buffers_that_can_be_looked_into() {
        let mut debugger =
            opened(include_str!("../../../../www/examples/particles.spvasm"), "structurize, dce");
        let answer = ran(&mut debugger, &[0, 1, 2, 1]);
        assert_eq!((answer.numbers[0], answer.numbers[3], answer.numbers[5]), (1, 2, 2), "{answer:?}");
        assert!(answer.text.contains("; the same as the input\n"), "{}", answer.text);
        let row = answer.text.lines().find(|line| line.starts_with("istorage")).unwrap();
        let number = row.rsplit('\t').nth(1).unwrap().parse().unwrap();
        debugger.ask("table", &[number, 0, 0, 8]);
        let table = debugger.answered();
        assert_eq!((table.numbers[0], table.numbers[3]), (number, 13));
        assert!(table.numbers[4..].contains(&1), "something is written: {}", table.text);
        assert_eq!(table.text.lines().count(), 1 + (table.numbers[1].min(8) as usize));
    }

    #[test]
    fn a_function_without_an_entry_point_is_called_with_arguments() {
        let text = "func @0(%0: path) graph {\n^0:\n  return\n}\n\n\
            func @1(%0 \"scale\": b32, %1: b32x2) -> b32x2 graph {\n^0:\n  %2: b32x2 = vec %0, %0\n  %3: b32x2 = fmul %2, %1\n  return %3\n}\n";
        let mut debugger = opened(text, "copy-prop");
        debugger.assign("scale = 0.5\narg1 = (3, -8)", Vec::new());
        let answer = ran(&mut debugger, &[u32::MAX, 0, 1, 1]);
        assert_eq!((answer.numbers[3], answer.numbers[6]), (3, 1), "{}", answer.text);
        let has = |line: &str| answer.text.lines().any(|of| of.starts_with(line));
        assert!(has("=result.x = 1.5; result.y = -4.0; "), "{}", answer.text);
        assert!(has("efunction\t@0\tparameter 1 is an address") && has("efunction\t@1\t"), "{}", answer.text);
        assert!(has("iparameter\tscale\tf32\t\t\tscale = 0.5"), "{}", answer.text);
        assert!(has("iparameter\targ1\tf32x2\t\t\targ1 = (3.0, -8.0)"), "{}", answer.text);
        let row = answer.text.lines().find(|line| line.starts_with("iresult")).unwrap();
        let number = row.rsplit('\t').nth(1).unwrap().parse().unwrap();
        debugger.ask("table", &[number, 4, 0, 8]);
        let table = debugger.answered().text;
        assert_eq!(table, "result\tthis version\tthe input\nresult.x\t1.5\t1.5\nresult.y\t-4.0\t-4.0");
        // Stepping begins in the function, and ends with it.
        debugger.begin("debug", &[0, 0]);
        while debugger.slice(&mut || true) {}
        let first = debugger.answer();
        assert!(first.numbers[2] > 0 && first.numbers[1] == 0, "{first:?}");
        for _ in 0..3 {
            debugger.begin("step", &[0, 0]);
            while debugger.slice(&mut || true) {}
        }
        assert_eq!(debugger.answer().numbers[0], 1, "{}", debugger.answer().text);
        debugger.begin("step", &[5, 0]);
        while debugger.slice(&mut || true) {}
        assert!(debugger.answer().numbers[2] > 0, "back at the return");
        debugger.begin("run", &[0, 0, 0, 0]);
        assert!(
            debugger.answer().text.starts_with("!parameter 1 is an address"),
            "{}",
            debugger.answer().text
        );
    }

    #[test]
    fn a_fragment_shader_leaves_a_picture() {
        let mut debugger = opened(include_str!("../../../../www/examples/texture.spvasm"), "structurize");
        let answer = ran(&mut debugger, &[0, 0, 1, 1]);
        assert_eq!((answer.numbers[0], answer.numbers[3]), (1, 0), "{}", answer.text);
        assert_eq!(answer.bytes.len(), 2 * 256 * 256 * 4);
        let colors: std::collections::BTreeSet<_> = answer.bytes[..256 * 256 * 4].chunks(4).collect();
        assert!(colors.len() > 4, "{colors:?}");
        assert!(answer.text.contains("the same as the input"), "{}", answer.text);
        debugger.ask("pixel", &[10, 20]);
        let text = debugger.answered().text;
        let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        assert_eq!((head[0], head[1].len(), head[1].starts_with('#')), ("pixel (10, 20): returned", 7, true));
        let row = lines.next().unwrap();
        assert_eq!((row[0], row.len(), row[2].starts_with("0x")), ("color.x", 3, true), "{text}");
        assert!(text.contains("\nthe input: pixel (10, 20)"), "{text}");
    }

    #[test]
    fn a_vertex_shader_has_outputs_and_a_refusal_has_a_reason() {
        let mut debugger = opened(include_str!("../../../../www/examples/matrix.spvasm"), "structurize");
        let answer = ran(&mut debugger, &[0, 3, 0, 0]);
        let row = answer
            .text
            .lines()
            .find(|line| line.starts_with("iout\toutputs"))
            .unwrap_or_else(|| panic!("{}", answer.text));
        debugger.ask("table", &[row.rsplit('\t').nth(1).unwrap().parse().unwrap(), 4, 2, 3]);
        let table = debugger.answered();
        assert_eq!(
            (table.numbers[1], table.numbers[2], table.text.lines().count()),
            (10, 2, 4),
            "{}",
            table.text
        );
        assert!(table.text.starts_with("invocation\tend\t"), "{}", table.text);
        let answer = ran(&mut debugger, &[9, 3, 0, 0]);
        assert!(answer.text.starts_with("!entry point 9 does not exist"), "{}", answer.text);
    }

    #[test]
    fn a_geometry_shader_has_a_row_for_each_vertex_that_it_emits() {
        let text = "in $0: [f32 * 1] {location 0}\nout $1: f32 {location 0}\n\n\
            entry geometry \"main\" @0 ($0, $1) {input_points, output_vertices 2, output_points}\n\n\
            func @0() tree {\n^0:\n  %0: path = deref.var $1\n  %1: b32 = const 1.5\n  %2 = store %0, %1\n  \
            %3 = io.emit_vertex\n  %4: b32 = const 2.5\n  %5 = store %0, %4\n  %6 = io.emit_vertex\n  return\n}\n";
        let mut debugger = opened(text, "copy-prop");
        let answer = ran(&mut debugger, &[0, 1, 0, 1]);
        let row = answer.text.lines().find(|line| line.starts_with("iout\toutputs")).unwrap();
        debugger.ask("table", &[row.rsplit('\t').nth(1).unwrap().parse().unwrap(), 4, 0, 2]);
        let table = debugger.answered();
        assert_eq!(table.numbers[1] % 2, 0, "two vertices of each primitive: {}", table.text);
        let rows = [
            "0 at (0, 0, 0), emitted vertex 0 of strip 0\treturned\t1.5",
            "0 at (0, 0, 0), emitted vertex 1 of strip 0\treturned\t2.5",
        ];
        assert_eq!(table.text.lines().skip(1).collect::<Vec<_>>(), rows);
    }
}

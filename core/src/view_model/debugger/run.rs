//! *Run*: a version on generated inputs, group by group, and the input beside it if requested.
//!
//! ```text
//! groups of invocations ──► machine ──► outcome: buffers, outputs, reports
//!                                 picture: of a fragment shader, as it grows
//! ```

use super::super::digits::grouped;
use super::Time;
use super::inputs::{self, RunInputs};
use super::lines::Lines;
use super::output_names::OutputNames;
use super::picture::{self, Picture};
use super::resources::{self, Resource};
use super::words::{View, plain};
use crate::base::EntityId;
use crate::interp::{
    Callable, InputBytes, Inputs, InvocationEnd, Machine, Named, Outcome, Port, Report, Status, UbKind,
    callables, can_run, ports, with_callers,
};
use crate::ir::{Anchor, Block, EntryPoint, Func, Mode, Module, Stage};
use crate::pipeline::Trace;
use std::rc::Rc;
use vitrine_protocol::layout::ExecutionEntry;
use vitrine_protocol::{
    Bytes, NumberView, RunInput, RunPicture, RunReport, ShaderEntry, Table, TableReport, TableRows, UbReport,
    WrongAssignment,
};

/// The amount of work, invocations times instructions, between two checks of the clock.
const BETWEEN: u64 = 1 << 17;

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
    list: Vec<RunInput>,
    /// Assignments that cannot be followed: the line from 1, and why.
    pub(super) wrong: Vec<(usize, String)>,
    /// The program before its first pass, which has the names of inputs.
    pub(super) input: Module,
    /// All entry points, or the functions that can be called.
    entries: Vec<ShaderEntry>,
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
    /// A run of an entry point of version `at`, by default the first one that can be run, and of the input too, if it is to
    /// be compared.
    pub(super) fn new(
        trace: &Trace,
        entry: Option<usize>,
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
        let entry = entry.unwrap_or_else(|| first(input));
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

    /// The results so far.
    pub(super) fn report(&self) -> RunReport {
        let (done, all) =
            self.sides.iter().fold((0, 0), |(done, all), side| (done + side.next, all + side.all));
        let is_done = self.is_done();
        let mut pixels = Vec::new();
        if let Some(picture) = self.sides.first().and_then(|side| side.picture.as_ref()) {
            pixels.extend_from_slice(&picture.rgba);
        }
        if let Some((_, picture)) = &self.differs {
            pixels.extend_from_slice(picture);
        }
        let wrong = |(line, why): &(usize, String)| WrongAssignment {
            line: (*line as u32).saturating_sub(1),
            reason: plain(why),
        };
        RunReport {
            done: done as u32,
            total: all as u32,
            kind: match self.stage {
                Stage::Fragment => RunPicture::Pixels,
                _ if self.is_call => RunPicture::Result,
                Stage::Vertex => RunPicture::Vertices,
                _ => RunPicture::Workgroups,
            },
            size: picture::SIZE,
            version: self.at as u32,
            entry: self.entry as u32,
            pixels: Bytes(pixels),
            refused: self.refused.clone(),
            summary: self.summary(is_done),
            entries: self.entries.clone(),
            inputs: self.list.clone(),
            reports: self.reports(),
            executions: if is_done { self.executions() } else { Table::default() },
            wrong_assignments: self.wrong.iter().map(wrong).collect(),
        }
    }

    /// The number of executions of each block, when the run is done.
    fn executions(&self) -> Table<ExecutionEntry> {
        let side = self.sides.first().filter(|side| side.done);
        let mut counts = side.map_or_else(Vec::new, |side| side.machine.executions());
        if self.is_call {
            counts.retain(|(func, ..)| !self.version.entries.iter().any(|entry| entry.func == *func));
        }
        let entry = |(func, block, count): (Func, Block, u64)| ExecutionEntry {
            place: [func.index() as u32, block.index() as u32],
            count: [count as u32, (count >> 32) as u32],
        };
        Table::of(&counts.into_iter().map(entry).collect::<Vec<_>>())
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

    /// The result in words; empty if it cannot be run.
    fn summary(&self, is_done: bool) -> String {
        let Some(side) = self.sides.first() else { return String::new() };
        let (_, invocations) = side.machine.work();
        let mut text = String::new();
        if self.is_call && is_done {
            let values = resources::results(&[&side.outcome], &self.ports, &self.input);
            for row in values.lines() {
                let cells: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
                text.push_str(&cells.join(" = "));
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
        text
    }

    /// Undefined behavior, and what the program printed.
    fn reports(&self) -> Vec<UbReport> {
        let Some(side) = self.sides.first() else { return Vec::new() };
        let reports = side.machine.reports();
        let report = |report: &Report| {
            let times = match report.count {
                1 => format!("invocation {}", report.invocation),
                count => format!("invocation {} first, {} times in all", report.invocation, grouped(count)),
            };
            let place = match report.ub {
                UbKind::Endless => self.lines.loop_of(&self.version, report.at),
                _ => String::new(),
            };
            UbReport {
                line: self.lines.line_of(report.at),
                code: report.ub.code().to_owned(),
                words: format!("{}{place}", report.ub.says()),
                times,
            }
        };
        let mut all: Vec<UbReport> = reports.list().iter().map(report).collect();
        if reports.dropped > 0 {
            all.push(more(&format!("and {} more kinds of reports", reports.dropped)));
        }
        self.prints(side, &mut all);
        all
    }

    /// Adds the lines that the program printed.
    fn prints(&self, side: &Side, all: &mut Vec<UbReport>) {
        let prints = side.machine.prints();
        all.extend(prints.list().iter().take(MOST_PRINTS).map(|print| {
            let [x, y, z] = print.position;
            UbReport {
                line: self.lines.line_of(Anchor::Inst(print.at.0, print.at.1)),
                code: "print".to_owned(),
                words: print.text.trim_end().replace(['\n', '\t'], " "),
                times: format!("invocation {} at ({x}, {y}, {z})", print.invocation),
            }
        }));
        let rest = prints.list().len().saturating_sub(MOST_PRINTS) as u64 + prints.dropped;
        if rest > 0 {
            all.push(more(&format!("and {} more printed lines", grouped(rest))));
        }
    }

    /// Rows of a resource; none if there is no such resource. With types, buffers have a row for each number, with its name.
    pub(super) fn table(&self, TableRows { number, view, first, count }: TableRows) -> Option<TableReport> {
        let of = *self.resources.get(number as usize)?;
        let window = [first, count];
        let outcomes: Vec<&Outcome> = self.sides.iter().map(|side| &side.outcome).collect();
        let bytes = match of {
            Resource::Buffer(slot, element) => Some(InputBytes::Buffer(slot, element)),
            Resource::Push => Some(InputBytes::Push),
            Resource::Arg(_) | Resource::Image(..) | Resource::Outputs => None,
        };
        let by_name = bytes.filter(|_| view == NumberView::Typed).and_then(|bytes| {
            let mut named = Named::new(&self.input, self.entry, &self.inputs);
            resources::named_table(bytes, &mut named, &self.inputs, &outcomes, window)
        });
        Some(by_name.unwrap_or_else(|| match of {
            Resource::Outputs if self.is_call => resources::results(&outcomes, &self.ports, &self.input),
            Resource::Outputs => {
                resources::outputs(&outcomes, &self.ports, &self.names, View::of(view), window)
            }
            Resource::Buffer(..) | Resource::Push | Resource::Image(..) | Resource::Arg(_) => {
                let view = View::of(view).unwrap_or_default();
                resources::table(of, &self.inputs, &outcomes, view, window)
            }
        }))
    }

    /// The outputs of a pixel, in words.
    pub(super) fn pixel(&self, x: u32, y: u32) -> String {
        let picture = |side: usize| self.sides.get(side).and_then(|side| side.picture.as_ref());
        let mut text = picture(0).map_or(String::new(), |picture| picture.pixel_text(x, y));
        if let Some(before) = picture(1) {
            text.push_str("\nthe input: ");
            text.push_str(&before.pixel_text(x, y));
        }
        text
    }
}

/// A row that counts what is not listed.
fn more(words: &str) -> UbReport {
    UbReport { words: words.to_owned(), ..UbReport::default() }
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

/// All entry points.
fn entries(module: &Module) -> Vec<ShaderEntry> {
    let entry = |entry: &EntryPoint| ShaderEntry {
        stage: entry.stage.name().to_owned(),
        name: plain(module.text_of(entry.name)),
        refused: can_run(module, entry.func).err().map_or(String::new(), |diag| plain(&diag.message())),
    };
    module.entries.iter().map(entry).collect()
}

/// The functions that can be called.
fn functions(module: &Module) -> Vec<ShaderEntry> {
    let entry = |of: Callable| ShaderEntry {
        stage: "function".to_owned(),
        name: plain(&of.name),
        refused: plain(&of.refused),
    };
    callables(module).into_iter().map(entry).collect()
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
    use vitrine_protocol::{CellMark, Question, Reply, Report, StepCommand, StepReport, TableCell, Task};

    fn opened(input: &str, pipeline: &str) -> Debugger {
        let mut debugger = Debugger::new();
        debugger.give(input.as_bytes().to_vec());
        debugger.open(pipeline, &mut |_, _| {});
        debugger
    }

    fn running(entry: Option<u32>, seed: u32, version: u32, compare: bool) -> Task {
        Task::Run { entry, seed, version, compare, assignments: String::new(), pictures: Vec::new() }
    }

    fn ran(debugger: &mut Debugger, task: &Task) -> RunReport {
        debugger.begin(task);
        let mut slices = 0;
        loop {
            let mut first = true;
            if !debugger.slice(&mut || std::mem::take(&mut first)) {
                let Some(Report::Run(report)) = debugger.report() else { panic!("not a run") };
                return *report;
            }
            slices += 1;
            assert!(slices < 100_000);
        }
    }

    /// The resource of the input or result of this kind.
    fn resource(report: &RunReport, kind: &str) -> u32 {
        let found = report.inputs.iter().find(|input| input.kind == kind).and_then(|input| input.resource);
        found.unwrap_or_else(|| panic!("{report:?}"))
    }

    fn table(
        debugger: &mut Debugger,
        number: u32,
        view: NumberView,
        [first, count]: [u32; 2],
    ) -> TableReport {
        match debugger.ask(&Question::Resource(TableRows { number, view, first, count })) {
            Some(Reply::Table(table)) => table,
            other => panic!("{other:?}"),
        }
    }

    fn text(row: &[TableCell]) -> Vec<&str> {
        row.iter().map(|cell| cell.text.as_str()).collect()
    }

    fn step(debugger: &mut Debugger, task: &Task) -> StepReport {
        debugger.begin(task);
        while debugger.slice(&mut || true) {}
        let Some(Report::Step(report)) = debugger.report() else { panic!("not a step") };
        *report
    }

    #[test]
    fn a_compute_shader_leaves_buffers_that_can_be_looked_into() {
        let mut debugger =
            opened(include_str!("../../../../www/examples/particles.spvasm"), "structurize, dce");
        let report = ran(&mut debugger, &running(Some(0), 1, 2, true));
        assert_eq!((report.done, report.kind, report.version), (report.total, RunPicture::Workgroups, 2));
        assert!(report.summary.ends_with("; the same as the input"), "{}", report.summary);
        assert!(!report.executions.entries().is_empty());
        let number = resource(&report, "storage");
        let rows = table(&mut debugger, number, NumberView::Float, [0, 8]);
        assert_eq!((rows.heads.len(), rows.lines().count() as u32), (13, rows.rows.min(8)));
        assert!(
            rows.cells.iter().any(|cell| cell.mark == CellMark::Changed),
            "something is written: {rows:?}"
        );
    }

    #[test]
    fn a_function_without_an_entry_point_is_called_with_arguments() {
        let source = "func @0(%0: path) graph {\n^0:\n  return\n}\n\n\
            func @1(%0 \"scale\": b32, %1: b32x2) -> b32x2 graph {\n^0:\n  %2: b32x2 = vec %0, %0\n  %3: b32x2 = fmul %2, %1\n  return %3\n}\n";
        let mut debugger = opened(source, "copy-prop");
        let assignments = "scale = 0.5\narg1 = (3, -8)".to_owned();
        let task =
            Task::Run { entry: None, seed: 0, version: 1, compare: true, assignments, pictures: Vec::new() };
        let report = ran(&mut debugger, &task);
        assert_eq!((report.kind, report.entry), (RunPicture::Result, 1), "{report:?}");
        assert!(report.summary.starts_with("result.x = 1.5; result.y = -4.0; "), "{}", report.summary);
        let [one, two] = &report.entries[..] else { panic!("{report:?}") };
        assert_eq!((one.stage.as_str(), one.name.as_str(), two.refused.as_str()), ("function", "@0", ""));
        assert!(one.refused.starts_with("parameter 1 is an address"), "{one:?}");
        let given = |name: &str| report.inputs.iter().find(|input| input.name == name).unwrap();
        assert_eq!(
            (given("scale").place.as_str(), given("scale").assignment.as_str()),
            ("f32", "scale = 0.5")
        );
        assert_eq!(given("arg1").assignment, "arg1 = (3.0, -8.0)");
        let rows = table(&mut debugger, resource(&report, "result"), NumberView::Typed, [0, 8]);
        assert_eq!(rows.heads, ["result", "this version", "the input"]);
        assert_eq!(
            rows.lines().map(text).collect::<Vec<_>>(),
            [["result.x", "1.5", "1.5"], ["result.y", "-4.0", "-4.0"]]
        );
        // Stepping begins in the function, and ends with it.
        let first = step(&mut debugger, &Task::Debug { target: [0, 0] });
        assert!(first.line.is_some() && first.steps == 0, "{first:?}");
        let into = Task::Step { command: StepCommand::Into, line: 0 };
        let last = (0..3).map(|_| step(&mut debugger, &into)).last().unwrap();
        assert!(last.finished, "{last:?}");
        let back = step(&mut debugger, &Task::Step { command: StepCommand::Back, line: 0 });
        assert!(back.line.is_some(), "back at the return");
        let refused = ran(&mut debugger, &running(Some(0), 0, 0, false)).refused;
        assert!(refused.starts_with("parameter 1 is an address"), "{refused}");
    }

    #[test]
    fn a_fragment_shader_leaves_a_picture() {
        let mut debugger = opened(include_str!("../../../../www/examples/texture.spvasm"), "structurize");
        let report = ran(&mut debugger, &running(Some(0), 0, 1, true));
        assert_eq!((report.done, report.kind), (report.total, RunPicture::Pixels), "{}", report.summary);
        let pixels = &report.pixels.0;
        assert_eq!(pixels.len(), 2 * 256 * 256 * 4);
        let colors: std::collections::BTreeSet<_> = pixels[..256 * 256 * 4].chunks(4).collect();
        assert!(colors.len() > 4, "{colors:?}");
        assert!(report.summary.contains("the same as the input"), "{}", report.summary);
        let Some(Reply::Pixel(text)) = debugger.ask(&Question::Pixel { x: 10, y: 20 }) else { panic!() };
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
        let report = ran(&mut debugger, &running(Some(0), 3, 0, false));
        let rows = table(&mut debugger, resource(&report, "out"), NumberView::Typed, [2, 3]);
        assert_eq!((rows.rows, rows.first, rows.lines().count()), (10, 2, 3), "{rows:?}");
        assert_eq!(rows.heads[..2], ["invocation", "end"]);
        let refused = ran(&mut debugger, &running(Some(9), 3, 0, false)).refused;
        assert!(refused.starts_with("entry point 9 does not exist"), "{refused}");
    }

    #[test]
    fn a_geometry_shader_has_a_row_for_each_vertex_that_it_emits() {
        let source = "in $0: [f32 * 1] {location 0}\nout $1: f32 {location 0}\n\n\
            entry geometry \"main\" @0 ($0, $1) {input_points, output_vertices 2, output_points}\n\n\
            func @0() tree {\n^0:\n  %0: path = deref.var $1\n  %1: b32 = const 1.5\n  %2 = store %0, %1\n  \
            %3 = io.emit_vertex\n  %4: b32 = const 2.5\n  %5 = store %0, %4\n  %6 = io.emit_vertex\n  return\n}\n";
        let mut debugger = opened(source, "copy-prop");
        let report = ran(&mut debugger, &running(Some(0), 1, 0, true));
        let rows = table(&mut debugger, resource(&report, "out"), NumberView::Typed, [0, 2]);
        assert_eq!(rows.rows % 2, 0, "two vertices of each primitive: {rows:?}");
        let found: Vec<_> = rows.lines().map(text).collect();
        let place = |vertex: u32| format!("0 at (0, 0, 0), emitted vertex {vertex} of strip 0");
        let [one, two] = [place(0), place(1)];
        assert_eq!(found, [[one.as_str(), "returned", "1.5"], [two.as_str(), "returned", "2.5"]]);
    }
}

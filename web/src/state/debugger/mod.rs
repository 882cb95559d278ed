//! The state of the debugger: its panes, its task, its results.
//!
//! A task belongs to an input and a pipeline: when either changes, its results are cleared and the task ends. Tasks have
//! a serial number; a report with an earlier number is ignored.

mod check; // every pass, compared with the input
mod proof; // the difference that a link expects
mod run; // a version, executed and stepped through
mod search; // bisection and reduction

pub use check::Check;
pub(super) use proof::expect;
pub use proof::{Proof, ProofVerdict};
pub use run::{RunState, RunTable, TableSource};
pub use search::Search;

use vitrine_protocol::{
    CheckInputs, DebuggerAnswer, GivenPicture, NumberView, Question, QuestionReply, QuestionRequest, Reply,
    Report, StepCommand, Table, Task, TaskReport, Watches,
};

use crate::state::{DebuggerCommand, Dirty, Engine, Go, Msg, Pane, State, Tab, columns};

/// Time until a worker that does not stop is terminated, in ms.
pub const PATIENCE_MS: i32 = 200;

/// An event of the debugger.
#[derive(Debug)]
pub enum Event {
    /// Checks every step.
    Check,
    /// Sets the inputs of checks.
    Inputs(CheckInputs),
    /// Searches for the wrong rewrite.
    Bisect,
    /// Reduces the input.
    Reduce,
    /// Shows the result of a bisection.
    Found,
    /// Shows the first program that differs beside the one that it was compared with.
    BothSides,
    /// Closes the results.
    Close,
    /// Opens or closes the pane of runs.
    Open(bool),
    /// Runs the shown version.
    Run(RunOptions),
    /// Changes an input of the runs: `NAME = VALUE`.
    Assign(String),
    /// Gives an image a picture.
    Picture(GivenPicture),
    /// Gives an input its generated value again, by the index of its assignment.
    Unassign(usize),
    /// The pointer is over this pixel.
    Point([u32; 2]),
    /// Shows a table with this content and name.
    ShowTable(TableSource, String),
    /// Sets the format of the numbers in the table.
    View(NumberView),
    /// The rows of the table in view: the first one, and their number.
    Visible([u32; 2]),
    /// Steps through a pixel, or through an invocation of a workgroup.
    Debug([u32; 2]),
    /// Steps on.
    Step(StepCommand),
    /// Steps by lines of the source; the line for [`StepCommand::ToSource`], from 1.
    StepLines(StepCommand, u32),
    /// Sets the breakpoints and watch expressions.
    Watch(Watches),
    /// Chooses another invocation.
    Invocation(u32),
    /// Scrolls to a line of the text, from 0.
    Line(usize),
    /// Stops the task.
    Stop,
    /// The time to stop the task with this number is over.
    Late(u32),
}

/// The options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Number of the entry point; by default the first one that can run.
    pub entry: Option<u32>,
    /// Seed of the inputs.
    pub seed: u32,
    /// True if the input also runs and is compared.
    pub compare: bool,
}

/// State of the debugger.
#[derive(Debug, Default)]
pub struct Debugger {
    /// Counts tasks.
    pub serial: u32,
    /// The task at hand.
    pub task: Option<Task>,
    /// True if the worker has not yet answered a request to stop.
    stopping: bool,
    /// The input's revision and the pipeline of the last task.
    of: (u32, String),
    /// The check of every pass.
    pub check: Check,
    /// The difference that the link of the input expects.
    pub proof: Proof,
    /// The bisection and the reduction.
    pub search: Search,
    /// The run of the shown version.
    pub run: RunState,
    /// A line of the text to scroll into view.
    pub line: Option<usize>,
}

impl Debugger {
    /// Returns true if the last task was one of the input and the pipeline of the page.
    pub(in crate::state) fn is_current(&self, state: &State) -> bool {
        self.of.0 == state.input.revision && self.of.1 == state.pipeline
    }

    /// The first difference for a link: that of the last check, or the one that the link of the input expects.
    pub fn expected(&self, state: &State) -> [String; 2] {
        let found = &self.check.report.expected;
        match (self.is_current(state) && !found[1].is_empty(), self.proof.is_about(state)) {
            (true, _) => found.clone(),
            (false, true) => self.proof.expected.clone(),
            (false, false) => Default::default(),
        }
    }

    /// The verdict on the difference that the link of the input expects, after a check.
    pub fn proof_verdict(&self, state: &State) -> Option<ProofVerdict> {
        let report = &self.check.report;
        let is_done = !self.is_checking() && !report.marks.is_empty() && report.done >= report.total;
        (is_done && self.proof.is_about(state)).then(|| self.proof.verdict(report))
    }

    /// Returns true if every pass is being checked.
    pub fn is_checking(&self) -> bool {
        matches!(self.task, Some(Task::Check(_)))
    }

    /// Returns true if a bisection or a reduction is running.
    pub fn is_searching(&self) -> bool {
        matches!(self.task, Some(Task::Bisect { .. } | Task::Reduce(_)))
    }

    /// Returns true if a version is being run.
    pub fn is_running(&self) -> bool {
        matches!(self.task, Some(Task::Run { .. }))
    }

    /// Returns true if a version is being stepped through.
    pub fn is_stepping(&self) -> bool {
        matches!(self.task, Some(Task::Debug { .. } | Task::Step { .. }))
    }
}

/// Changes the state by an event.
pub(super) fn update(state: &mut State, event: Event) -> Dirty {
    state.debugger.line = None;
    match event {
        Event::Check => {
            state.debugger.check =
                Check { open: true, inputs: state.debugger.check.inputs, ..Check::default() };
            state.debugger.search = Search::default();
            let inputs = state.debugger.check.inputs;
            begin(state, Task::Check(inputs))
        }
        Event::Inputs(inputs) => {
            state.debugger.check.inputs = inputs;
            Dirty::empty()
        }
        Event::Bisect => {
            let wrong_version = state.debugger.check.report.wrong_version;
            search(state, |inputs| Task::Bisect { inputs, wrong_version })
        }
        Event::Reduce => search(state, Task::Reduce),
        Event::Found => {
            let Some(found) = state.debugger.search.found else { return Dirty::empty() };
            go_to(state, Some(found.0 as usize), Some(found.1))
        }
        Event::BothSides => {
            let Some(found) = state.debugger.check.report.found.clone() else { return Dirty::empty() };
            let [version, against] = found.versions.map(|version| version as usize);
            // The event of the later version; otherwise that of the earlier one.
            let event = (0..2).rev().find_map(|column| Some((found.anchors[column]?, column)));
            columns::beside(state, [against, version], event) | Dirty::FRAME
        }
        Event::Close => {
            state.debugger.search = Search::default();
            state.debugger.check = Check { inputs: state.debugger.check.inputs, ..Check::default() };
            stop(state) | Dirty::DEBUGGER
        }
        Event::Open(open) => {
            state.debugger.run.open = open;
            match open {
                true => run(state),
                false => {
                    let is_other = state.debugger.is_checking() || state.debugger.is_searching();
                    let dirty = if is_other { Dirty::empty() } else { stop(state) };
                    (state.debugger.run.step, state.debugger.run.at) = (None, None);
                    dirty | Dirty::DEBUGGER | Dirty::STEP
                }
            }
        }
        Event::Run(options) => {
            state.debugger.run.options = options;
            run(state)
        }
        Event::Assign(assignment) => {
            state.debugger.run.assign(&assignment);
            run(state)
        }
        Event::Picture(picture) => {
            state.debugger.run.draw(picture);
            run(state)
        }
        Event::Unassign(at) => {
            let assignments = &mut state.debugger.run.assignments;
            if at < assignments.len() {
                assignments.remove(at);
            }
            run(state)
        }
        Event::Point(at) => {
            state.debugger.run.pointer = at;
            let [x, y] = at;
            ask(state, 0, Question::Pixel { x, y });
            Dirty::empty()
        }
        Event::ShowTable(source, name) => {
            let table = &mut state.debugger.run.table;
            (table.source, table.name, table.report) = (source, name, Default::default());
            request_table(state) | Dirty::DEBUGGER
        }
        Event::View(view) => {
            state.debugger.run.table.view = view;
            request_table(state)
        }
        Event::Visible(visible) => {
            let table = &mut state.debugger.run.table;
            table.visible = visible;
            if table.has_visible() { Dirty::empty() } else { request_table(state) }
        }
        Event::Debug(target) => {
            state.debugger.run.target = target;
            // Values are shown beside the text.
            let there = go_to(state, state.debugger.run.at, None);
            ask_watches(state);
            there | go_on(state, Task::Debug { target })
        }
        Event::Step(_) | Event::StepLines(..) if state.debugger.run.step.is_none() => Dirty::empty(),
        Event::StepLines(command, line) => go_on(state, Task::Step { command, line }),
        Event::Step(command) => {
            let line = state.cursor.map(|span| state.shown.document.line_of(span));
            let Some(line) = line.or((command != StepCommand::ToLine).then_some(0)) else {
                return Dirty::empty();
            };
            go_on(state, Task::Step { command, line: line as u32 })
        }
        Event::Watch(watches) => {
            state.debugger.run.watches = watches;
            ask_watches(state);
            Dirty::DEBUGGER
        }
        Event::Invocation(number) => {
            if let Some(step) = &mut state.debugger.run.step {
                step.chosen = number;
                ask(state, 0, Question::Invocation(number));
            }
            Dirty::empty()
        }
        Event::Line(line) => go_to(state, state.debugger.run.at, Some(line as u32 + 1)),
        Event::Stop => stop(state),
        Event::Late(serial) if serial == state.debugger.serial && state.debugger.stopping => {
            state.debugger.stopping = false;
            // The run ends with its worker.
            state.debugger.run.step = None;
            state.queue(DebuggerCommand::End);
            Dirty::DEBUGGER | Dirty::STEP
        }
        Event::Late(_) => Dirty::empty(),
    }
}

/// Takes a message of the debugger.
pub(super) fn answered(state: &mut State, answer: DebuggerAnswer) -> Dirty {
    state.debugger.line = None;
    match answer {
        DebuggerAnswer::Task(report) => reported(state, report),
        DebuggerAnswer::Reply(reply) => replied(state, reply),
        DebuggerAnswer::Stopped => {
            state.debugger.stopping = false;
            Dirty::empty()
        }
        DebuggerAnswer::Fault(fault) => {
            state.debugger.task = None;
            state.debugger.check.failed(&fault.message);
            let run = &mut state.debugger.run;
            run.step = None;
            run.report.refused = format!("the debugger failed and was ended: {}", fault.message);
            state.queue(DebuggerCommand::End);
            Dirty::DEBUGGER | Dirty::STEP
        }
    }
}

fn reported(state: &mut State, TaskReport { serial, done, report }: TaskReport) -> Dirty {
    if serial != state.debugger.serial || state.debugger.task.is_none() {
        return Dirty::empty();
    }
    if done {
        state.debugger.task = None;
    }
    match report {
        Some(Report::Check(report)) => state.debugger.check.report = report,
        Some(Report::Bisect(report)) => state.debugger.search.bisected(report),
        Some(Report::Reduce(report)) => {
            let is_smaller = state.debugger.search.reduced(report);
            if is_smaller {
                ask(state, 0, Question::Smallest);
            }
        }
        Some(Report::Run(report)) => {
            state.debugger.run.reported(*report);
            let rows = if done { request_table(state) } else { Dirty::empty() };
            return Dirty::DEBUGGER | Dirty::PICTURE | rows;
        }
        Some(Report::Step(report)) => {
            let line = report.line;
            state.debugger.run.step = Some(*report);
            if done {
                state.debugger.line = line.map(|line| line as usize);
                return Dirty::DEBUGGER | Dirty::STEP | again(state);
            }
        }
        None => {}
    }
    Dirty::DEBUGGER
}

fn replied(state: &mut State, QuestionReply { serial, reply }: QuestionReply) -> Dirty {
    match reply {
        Some(Reply::Smallest(program)) => state.debugger.search.small = program,
        Some(Reply::Pixel(words)) => state.debugger.run.pixel = words,
        Some(Reply::Step(step)) if state.debugger.run.step.is_some() => {
            state.debugger.run.step = Some(*step);
            return Dirty::DEBUGGER | Dirty::STEP | again(state);
        }
        Some(Reply::Step(_)) => return Dirty::empty(),
        Some(Reply::Table(report)) if serial == state.debugger.run.table.serial => {
            state.debugger.run.table.report = report;
        }
        Some(Reply::Table(_)) => return Dirty::empty(),
        // The table's source no longer exists: clears the table.
        None if serial == state.debugger.run.table.serial => {
            state.debugger.run.table.report = Default::default();
        }
        None => return Dirty::empty(),
    }
    Dirty::DEBUGGER
}

/// Starts a bisection or a reduction with the inputs of the check.
fn search(state: &mut State, task: impl FnOnce(CheckInputs) -> Task) -> Dirty {
    state.debugger.search = Search { open: true, ..Search::default() };
    let inputs = state.debugger.check.inputs;
    begin(state, task(inputs))
}

/// Runs the shown version; stepping ends.
fn run(state: &mut State) -> Dirty {
    let at = state.shown_at();
    let run = &mut state.debugger.run;
    (run.at, run.step) = (Some(at), None);
    run.pixel.clear();
    run.report.refused.clear();
    let task = run.task(at);
    begin(state, task) | Dirty::STEP
}

/// Shows the IR text of a version, and scrolls to a line (from 1) when it arrives.
fn go_to(state: &mut State, version: Option<usize>, line: Option<u32>) -> Dirty {
    let Some(version) = version else { return Dirty::empty() };
    state.pane = Pane::Output;
    state.debugger.search.go = line.map(|line| (version as u32, line));
    let tab = match state.tab {
        Tab::Ir => Dirty::empty(),
        Tab::Changes | Tab::Target | Tab::Columns | Tab::Memory => {
            state.tab = Tab::Ir;
            super::update::engine::change(state)
        }
    };
    tab | Dirty::FRAME | super::update::gone(state, Go::To(version))
}

/// Starts a task that continues the run.
fn go_on(state: &mut State, task: Task) -> Dirty {
    if state.debugger.run.at.is_none() {
        return Dirty::empty();
    }
    begin(state, task)
}

/// Requests the rows of the table in view.
fn request_table(state: &mut State) -> Dirty {
    let table = &mut state.debugger.run.table;
    table.serial += 1;
    let serial = table.serial;
    if let Some(question) = table.question() {
        ask(state, serial, question);
    }
    Dirty::empty()
}

/// Asks a question about the last task; the serial number is that of the reply.
fn ask(state: &mut State, serial: u32, question: Question) {
    state.queue(DebuggerCommand::Ask(QuestionRequest { serial, question }));
}

/// Sends the breakpoints and watch expressions, and requests the state of stepping.
fn ask_watches(state: &mut State) {
    let watches = state.debugger.run.watches.clone();
    ask(state, 0, Question::Watch(watches));
}

/// Requests the rows of a table that changes with every step.
fn again(state: &mut State) -> Dirty {
    match state.debugger.run.table.source {
        TableSource::Invocations(_) | TableSource::Variable(_) => request_table(state),
        TableSource::None | TableSource::Resource(_) => Dirty::empty(),
    }
}

/// Starts a task in place of the current one.
fn begin(state: &mut State, task: Task) -> Dirty {
    if matches!(task, Task::Run { .. }) || !state.debugger.is_current(state) {
        // Those of an earlier run.
        state.debugger.run.report.executions = Table::default();
    }
    state.debugger.serial += 1;
    state.debugger.stopping = false;
    state.debugger.of = (state.input.revision, state.pipeline.clone());
    if let Err(why) = state.program() {
        return refused(state, &task, &why);
    }
    state.debugger.task = Some(task);
    state.queue(DebuggerCommand::Begin);
    Dirty::DEBUGGER
}

/// Reports that there is no program for a task.
fn refused(state: &mut State, task: &Task, why: &str) -> Dirty {
    let ended = stop(state);
    let Debugger { check, search, run, .. } = &mut state.debugger;
    match task {
        Task::Check(_) => {
            check.report.marks.clear();
            check.report.summary = format!("Nothing was checked: {why}.");
        }
        Task::Bisect { .. } | Task::Reduce(_) => search.summary = format!("Nothing was searched: {why}."),
        Task::Run { .. } | Task::Debug { .. } | Task::Step { .. } => {
            run.step = None;
            run.report.refused = why.to_owned();
        }
    }
    ended | Dirty::DEBUGGER | Dirty::STEP
}

/// Stops the task, if there is one; its results are kept.
fn stop(state: &mut State) -> Dirty {
    let Some(task) = state.debugger.task.take() else { return Dirty::empty() };
    match task {
        Task::Check(_) => state.debugger.check.stopped(),
        Task::Run { .. } => state.debugger.run.report.summary.insert_str(0, "Stopped. "),
        Task::Bisect { .. } | Task::Reduce(_) => state.debugger.search.summary.insert_str(0, "Stopped. "),
        Task::Debug { .. } | Task::Step { .. } => {}
    }
    state.debugger.stopping = true;
    state.queue(DebuggerCommand::Stop);
    Dirty::DEBUGGER
}

/// Clears results of another input or pipeline, and runs the shown version; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    let is_same = state.debugger.is_current(state);
    let mut dirty = search::arrive(state);
    if !is_same && state.debugger.check.open {
        dirty |= update(state, Event::Close);
    }
    let run = &state.debugger.run;
    if !run.open || state.engine != Engine::Idle || !state.shown.any {
        return dirty;
    }
    let is_shown = run.at == Some(state.shown_at());
    let is_other = state.debugger.is_checking() || state.debugger.is_searching();
    if is_same && (is_shown || run.step.is_some() || is_other) {
        return dirty;
    }
    dirty | self::run(state)
}

/// The message of a click on the result of a check.
pub fn first_wrong(state: &State) -> Option<Msg> {
    let at = state.debugger.check.report.wrong_version?;
    Some(Msg::Go(Go::To(at as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::update;
    use crate::state::update::does;
    use vitrine_protocol::{CheckMark, CheckReport, Fault, RunReport, StepReport};

    fn report(serial: u32, done: bool, report: Report) -> Msg {
        Msg::DebuggerAnswer(DebuggerAnswer::Task(TaskReport { serial, done, report: Some(report) }))
    }

    fn check(serial: u32, done: bool, wrong: Option<u32>, marks: &[CheckMark], summary: &str) -> Msg {
        let of = CheckReport {
            done: 3,
            total: 9,
            wrong_version: wrong,
            marks: marks.to_vec(),
            summary: summary.to_owned(),
            ..CheckReport::default()
        };
        report(serial, done, Report::Check(of))
    }

    fn stopped() -> Msg {
        Msg::DebuggerAnswer(DebuggerAnswer::Stopped)
    }

    const BEGIN: DebuggerCommand = DebuggerCommand::Begin;

    fn asking(question: Question) -> DebuggerCommand {
        DebuggerCommand::Ask(QuestionRequest { serial: 0, question })
    }

    #[test]
    fn a_check_is_a_task_whose_reports_count_until_another_begins() {
        use CheckMark::{Differs, Open, Running, Same};
        let mut state = State::default();
        assert!(does(&mut state, Event::Check.into(), BEGIN));
        assert_eq!(state.debugger.task, Some(Task::Check(CheckInputs { seed: 1, runs: 32 })));
        update(&mut state, check(1, false, None, &[Same, Running, Open], ""));
        assert_eq!(state.debugger.check.report.marks, [Same, Running, Open]);
        update(&mut state, Event::Inputs(CheckInputs { seed: 5, runs: 8 }).into());
        update(&mut state, Event::Check.into());
        assert_eq!(state.debugger.task, Some(Task::Check(CheckInputs { seed: 5, runs: 8 })));
        update(&mut state, check(1, true, None, &[Same; 3], "old"));
        assert!(state.debugger.check.report.marks.is_empty() && state.debugger.is_checking());
        update(&mut state, check(2, true, Some(2), &[Same, Differs, Differs], "Step 2 differs"));
        assert_eq!((state.debugger.check.report.wrong_version, &state.debugger.task), (Some(2), &None));
        assert!(matches!(first_wrong(&state), Some(Msg::Go(Go::To(2)))));
    }

    #[test]
    fn marks_are_cleared_when_the_input_or_the_pipeline_changes() {
        for change in [Msg::Edited("x".to_owned()), Msg::Pipeline("dce".to_owned())] {
            let mut state = State::default();
            update(&mut state, Event::Check.into());
            update(&mut state, check(1, false, None, &[CheckMark::Same], ""));
            assert!(does(&mut state, change, DebuggerCommand::Stop) && state.debugger.task.is_none());
            assert!(state.debugger.check.report.marks.is_empty() && !state.debugger.check.open);
            let late = check(1, true, None, &[CheckMark::Same], "late");
            assert_eq!(update(&mut state, late), (Dirty::empty(), Vec::new()));
        }
    }

    #[test]
    fn a_run_is_of_the_shown_version_and_runs_again_when_another_is_shown() {
        let mut state = State::default();
        (state.engine, state.shown.any) = (Engine::Idle, true);
        state.shown.timeline.steps = vec![Default::default(); 2];
        assert!(does(&mut state, Event::Open(true).into(), BEGIN));
        let first = state.debugger.serial;
        state.shown.timeline.at = 1;
        assert!(does(&mut state, Msg::Dragging(true), BEGIN));
        assert!(matches!(state.debugger.task, Some(Task::Run { version: 1, entry: None, .. })));
        assert!(state.debugger.serial > first);
        let run = |serial, summary: &str| {
            let of = RunReport { version: 1, summary: summary.to_owned(), ..RunReport::default() };
            report(serial, true, Report::Run(Box::new(of)))
        };
        update(&mut state, run(first, "old"));
        assert_eq!(state.debugger.run.report.summary, "");
        let serial = state.debugger.serial;
        update(&mut state, run(serial, "new"));
        assert_eq!((state.debugger.run.report.summary.as_str(), &state.debugger.task), ("new", &None));
        assert!(does(&mut state, Event::Debug([0, 3]).into(), BEGIN));
        let step = StepReport { line: Some(4), chosen: 3, version: 1, ..StepReport::default() };
        let serial = state.debugger.serial;
        update(&mut state, report(serial, true, Report::Step(Box::new(step))));
        assert_eq!(state.debugger.line, Some(4));
        // A version that is being stepped through is kept.
        state.shown.timeline.at = 2;
        assert!(!does(&mut state, Msg::Dragging(false), BEGIN));
        assert!(does(&mut state, Event::Step(StepCommand::Into).into(), BEGIN));
        assert!(!does(&mut state, Event::Step(StepCommand::ToLine).into(), BEGIN), "no line is chosen");
        assert!(does(&mut state, Event::Invocation(2).into(), asking(Question::Invocation(2))));
        // The line of a report is a line of the version that ran.
        (state.tab, state.shown.timeline.at) = (Tab::Changes, 0);
        update(&mut state, Event::Line(6).into());
        assert_eq!((state.tab, state.shown_at(), state.debugger.search.go), (Tab::Ir, 1, Some((1, 7))));
        update(&mut state, Event::Open(false).into());
        assert!(state.debugger.run.step.is_none() && state.debugger.task.is_none());
    }

    #[test]
    fn a_worker_that_does_not_stop_is_terminated() {
        let mut state = State::default();
        update(&mut state, Event::Check.into());
        update(&mut state, check(1, false, None, &[CheckMark::Same, CheckMark::Running], ""));
        assert!(does(&mut state, Event::Stop.into(), DebuggerCommand::Stop));
        assert_eq!(state.debugger.check.report.marks, [CheckMark::Same, CheckMark::Open]);
        assert!(state.debugger.check.report.summary.starts_with("Stopped"));
        assert!(does(&mut state, Event::Late(1).into(), DebuggerCommand::End));
        update(&mut state, Event::Check.into());
        assert!(!does(&mut state, Event::Late(1).into(), DebuggerCommand::End), "another task runs");
        update(&mut state, Event::Stop.into());
        update(&mut state, stopped());
        assert!(!does(&mut state, Event::Late(2).into(), DebuggerCommand::End), "it has stopped");
        update(&mut state, Event::Check.into());
        let fault = DebuggerAnswer::Fault(Fault { message: "trap".to_owned() });
        assert!(does(&mut state, Msg::DebuggerAnswer(fault), DebuggerCommand::End));
        assert!(state.debugger.check.report.summary.contains("trap") && state.debugger.task.is_none());
    }
}

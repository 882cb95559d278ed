//! The laboratory as the page knows it: whether it is there, what it works on, what came of that.
//!
//! A task belongs to an input and a pipeline: when either changes, what is shown of it goes and the work ends. Tasks
//! have a serial number; an answer with another one is of a task that nobody waits for.

mod check; // every pass, compared
mod run; // a version, run and stepped through
mod search; // the wrong rewrite, a small input

pub use check::{Check, Mark};
pub use run::{Run, Source, Step, Table};
pub use search::Search;

use crate::state::{Dirty, Engine, Go, Msg, Pane, State, Tab};

/// How long a stop may take before the worker is ended, in ms.
pub const PATIENCE_MS: i32 = 200;

/// What can happen to the laboratory.
#[derive(Debug)]
pub enum Event {
    /// Every step is to be checked.
    Check,
    /// So many runs, from this seed on.
    Form(u32, u32),
    /// The wrong rewrite is to be found.
    Bisect,
    /// The input is to be made small.
    Reduce,
    /// What was found is to be shown.
    Found,
    /// What came of it is to be put away.
    Close,
    /// The pane of runs is to be shown, or no longer.
    Open(bool),
    /// The shown version is to be run: entry point, seed, whether the input is run beside it.
    Run([u32; 3]),
    /// The pointer is on a pixel.
    Point([u32; 2]),
    /// Something is to be looked into; and what it is called.
    Look(Source, String),
    /// Numbers are to be read otherwise.
    View(u32),
    /// Rows of the table are in sight: the first, how many.
    Sight([u32; 2]),
    /// A pixel, or a lane of a group, is to be stepped through.
    Debug([u32; 2]),
    /// Stepping goes on: 0 into, 1 over, 2 out, 3 to the chosen line, 4 to the end, 5 back.
    Step(u32),
    /// Another lane is chosen.
    Lane(u32),
    /// A line of the text, from 0, is to be shown.
    Line(usize),
    /// The task is to be stopped.
    Stop,
    /// The worker stopped it.
    Stopped,
    /// The worker was asked to stop the task of this number a while ago.
    Late(u32),
    /// The worker failed.
    Fault(String),
    /// The worker answered.
    Answer(Answer),
}

/// An answer, as `view_model::lab` makes it.
#[derive(Debug, Default)]
pub struct Answer {
    /// The task or question.
    pub kind: String,
    /// The number of the task.
    pub serial: u32,
    /// Whether the task is done.
    pub done: bool,
    /// Numbers.
    pub numbers: Vec<u32>,
    /// Words.
    pub text: String,
    /// Pictures.
    pub bytes: Vec<u8>,
}

/// A task for the worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: &'static str,
    /// What it is to be done with.
    pub numbers: Vec<u32>,
}

/// What the page knows of the laboratory.
#[derive(Debug, Default)]
pub struct Lab {
    /// Counts tasks.
    pub serial: u32,
    /// The task at hand.
    pub task: Option<Task>,
    /// Whether the worker was asked to stop and did not yet.
    stopping: bool,
    /// The input and the pipeline that tasks were about.
    of: (u32, String),
    /// Every pass, compared with the input.
    pub check: Check,
    /// The wrong rewrite, and a small input.
    pub search: Search,
    /// The shown version, run.
    pub run: Run,
    /// A line of the text that is to be in sight.
    pub line: Option<usize>,
}

impl From<Event> for Msg {
    fn from(event: Event) -> Msg {
        Msg::Lab(event)
    }
}

/// What an event changes.
pub(super) fn update(state: &mut State, event: Event) -> Dirty {
    state.lab.line = None;
    match event {
        Event::Check => {
            state.lab.check = Check { open: true, wanted: state.lab.check.wanted, ..Check::default() };
            state.lab.search = Search::default();
            let numbers = state.lab.check.wanted.to_vec();
            begin(state, Task { name: "check", numbers })
        }
        Event::Form(runs, seed) => {
            state.lab.check.wanted = [seed, runs];
            Dirty::NONE
        }
        Event::Bisect | Event::Reduce => {
            state.lab.search = Search { open: true, ..Search::default() };
            let mut numbers = state.lab.check.wanted.to_vec();
            let name = match event {
                Event::Bisect => "bisect",
                _ => "reduce",
            };
            numbers.push(state.lab.check.wrong.unwrap_or(0));
            begin(state, Task { name, numbers })
        }
        Event::Found => {
            let Some(found) = state.lab.search.found else { return Dirty::NONE };
            go_to(state, Some(found.0 as usize), Some(found.1))
        }
        Event::Close => {
            state.lab.search = Search::default();
            state.lab.check = Check { wanted: state.lab.check.wanted, ..Check::default() };
            stop(state) | Dirty::LAB
        }
        Event::Open(open) => {
            state.lab.run.open = open;
            match open {
                true => run(state),
                false => {
                    let dirty = if is_check(state) { Dirty::NONE } else { stop(state) };
                    (state.lab.run.step, state.lab.run.at) = (None, None);
                    dirty | Dirty::LAB | Dirty::LAB_STEP
                }
            }
        }
        Event::Run(wanted) => {
            state.lab.run.wanted = wanted;
            run(state)
        }
        Event::Point(at) => {
            state.lab.run.pointer = at;
            Dirty::LAB_POINT
        }
        Event::Look(source, name) => {
            let table = &mut state.lab.run.table;
            (table.source, table.name, table.rows, table.text) = (source, name, [0; 2], String::new());
            look(state) | Dirty::LAB
        }
        Event::View(view) => {
            state.lab.run.table.view = view;
            look(state)
        }
        Event::Sight(sight) => {
            let table = &mut state.lab.run.table;
            table.sight = sight;
            if table.has_sight() { Dirty::NONE } else { look(state) }
        }
        Event::Debug(target) => {
            state.lab.run.target = target;
            let numbers = target.to_vec();
            // The values stand beside the text.
            let there = go_to(state, state.lab.run.at, None);
            there | go_on(state, Task { name: "debug", numbers })
        }
        Event::Step(_) if state.lab.run.step.is_none() => Dirty::NONE,
        Event::Step(how) => {
            let line = state.cursor.map(|span| state.shown.document.line_of(span));
            let Some(line) = line.or((how != 3).then_some(0)) else { return Dirty::NONE };
            go_on(state, Task { name: "step", numbers: vec![how, line as u32] })
        }
        Event::Lane(lane) => match &mut state.lab.run.step {
            Some(step) => {
                step.lanes[0] = lane;
                Dirty::LAB_LANE
            }
            None => Dirty::NONE,
        },
        Event::Line(line) => go_to(state, state.lab.run.at, Some(line as u32 + 1)),
        Event::Stop => stop(state),
        Event::Stopped => {
            state.lab.stopping = false;
            Dirty::NONE
        }
        Event::Late(serial) if serial == state.lab.serial && state.lab.stopping => {
            state.lab.stopping = false;
            // What it ran is gone with it.
            state.lab.run.step = None;
            Dirty::LAB | Dirty::LAB_STEP | Dirty::LAB_END
        }
        Event::Late(_) => Dirty::NONE,
        Event::Fault(message) => {
            state.lab.task = None;
            state.lab.check.failed(&message);
            let run = &mut state.lab.run;
            (run.step, run.refused) = (None, format!("the laboratory failed and was ended: {message}"));
            Dirty::LAB | Dirty::LAB_STEP | Dirty::LAB_END
        }
        Event::Answer(answer) => answered(state, answer),
    }
}

fn answered(state: &mut State, answer: Answer) -> Dirty {
    let is_ours = answer.serial == state.lab.serial && state.lab.task.is_some();
    match answer.kind.as_str() {
        "table" | "lanes" | "memory" => {
            if answer.serial == state.lab.run.table.serial {
                state.lab.run.table.answered(answer);
            }
            return Dirty::LAB;
        }
        "pixel" => {
            state.lab.run.pixel = answer.text;
            return Dirty::LAB;
        }
        "smallest" => {
            state.lab.search.small = answer.text;
            return Dirty::LAB;
        }
        "lane" if state.lab.run.step.is_some() => {
            state.lab.run.stepped(&answer);
            return Dirty::LAB | Dirty::LAB_STEP | again(state);
        }
        _ if !is_ours => return Dirty::NONE,
        _ => {}
    }
    if answer.done {
        state.lab.task = None;
    }
    match answer.kind.as_str() {
        "check" => state.lab.check.answered(&answer),
        "bisect" => state.lab.search.bisected(&answer),
        "reduce" => {
            let smaller = state.lab.search.reduced(&answer);
            return Dirty::LAB | if smaller { Dirty::LAB_SMALL } else { Dirty::NONE };
        }
        "run" => {
            let done = answer.done;
            state.lab.run.answered(answer);
            return Dirty::LAB | Dirty::LAB_PICTURE | if done { look(state) } else { Dirty::NONE };
        }
        "debug" | "step" => {
            state.lab.run.stepped(&answer);
            if answer.done {
                state.lab.line = state.lab.run.step.as_ref().and_then(|step| step.line);
                return Dirty::LAB | Dirty::LAB_STEP | again(state);
            }
        }
        _ => {}
    }
    Dirty::LAB
}

fn is_check(state: &State) -> bool {
    state.lab.task.as_ref().is_some_and(|task| matches!(task.name, "check" | "bisect" | "reduce"))
}

/// Runs the shown version, and ends what was stepped through.
fn run(state: &mut State) -> Dirty {
    let at = state.shown_at();
    let run = &mut state.lab.run;
    (run.at, run.step) = (Some(at), None);
    run.pixel.clear();
    run.refused.clear();
    let task = run.task(at);
    begin(state, task) | Dirty::LAB_STEP
}

/// Shows the IR text of a version, and a line of it (and 1) once it is there.
fn go_to(state: &mut State, version: Option<usize>, line: Option<u32>) -> Dirty {
    let Some(version) = version else { return Dirty::NONE };
    state.pane = Pane::Output;
    state.lab.search.go = line.map(|line| (version as u32, line));
    let tab = match state.tab {
        Tab::Ir => Dirty::NONE,
        Tab::Changes | Tab::Spirv | Tab::Columns | Tab::Memory => {
            state.tab = Tab::Ir;
            super::update::engine::change(state)
        }
    };
    tab | Dirty::FRAME | super::update::gone(state, Go::To(version))
}

/// Gives the worker a task about what it ran.
fn go_on(state: &mut State, task: Task) -> Dirty {
    if state.lab.run.at.is_none() {
        return Dirty::NONE;
    }
    begin(state, task)
}

/// Asks for what the table shows.
fn look(state: &mut State) -> Dirty {
    let table = &mut state.lab.run.table;
    table.serial += 1;
    match table.source {
        Source::None => Dirty::NONE,
        Source::Resource(_) | Source::Lanes(_) | Source::Memory(_) => Dirty::LAB_LOOK,
    }
}

/// The same, where it changes with every step.
fn again(state: &mut State) -> Dirty {
    match state.lab.run.table.source {
        Source::Lanes(_) | Source::Memory(_) => look(state),
        Source::None | Source::Resource(_) => Dirty::NONE,
    }
}

/// Gives the worker a task, in the place of the one before.
fn begin(state: &mut State, task: Task) -> Dirty {
    state.lab.serial += 1;
    state.lab.stopping = false;
    state.lab.of = (state.input.revision, state.pipeline.clone());
    state.lab.task = Some(task);
    Dirty::LAB | Dirty::LAB_BEGIN
}

/// Ends the task, if there is one; what it said so far stays.
fn stop(state: &mut State) -> Dirty {
    let Some(task) = state.lab.task.take() else { return Dirty::NONE };
    match task.name {
        "check" => state.lab.check.stopped(),
        "run" => state.lab.run.told.insert_str(0, "Stopped. "),
        "bisect" | "reduce" => state.lab.search.told.insert_str(0, "Stopped. "),
        _ => {}
    }
    state.lab.stopping = true;
    Dirty::LAB | Dirty::LAB_STOP
}

/// Puts away what is about another input or pipeline, and runs the version that is shown; called after every message.
pub(super) fn follow(state: &mut State) -> Dirty {
    let is_same = state.lab.of.0 == state.input.revision && state.lab.of.1 == state.pipeline;
    let mut dirty = search::arrive(state);
    if !is_same && state.lab.check.open {
        dirty |= update(state, Event::Close);
    }
    let run = &state.lab.run;
    if !run.open || state.engine != Engine::Idle || !state.shown.any {
        return dirty;
    }
    let is_shown = run.at == Some(state.shown_at());
    if is_same && (is_shown || run.step.is_some() || is_check(state)) {
        return dirty;
    }
    dirty | self::run(state)
}

/// Where a click on what came of the check leads.
pub fn first_wrong(state: &State) -> Option<Msg> {
    let at = state.lab.check.wrong?;
    Some(Msg::Go(Go::To(at as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::update;

    fn answer(serial: u32, done: bool, numbers: &[u32], text: &str) -> Msg {
        Event::Answer(Answer {
            kind: "check".to_owned(),
            serial,
            done,
            numbers: numbers.to_vec(),
            text: text.to_owned(),
            bytes: Vec::new(),
        })
        .into()
    }

    #[test]
    fn a_check_is_a_task_whose_answers_count_until_another_begins() {
        let mut state = State::default();
        assert!(update(&mut state, Event::Check.into()).has(Dirty::LAB_BEGIN));
        assert_eq!(state.lab.task.as_ref().map(|task| task.numbers.clone()), Some(vec![1, 32]));
        update(&mut state, answer(1, false, &[0, 3, 9, 0, 1, 6, 0], ""));
        assert_eq!(state.lab.check.marks, [Mark::Same, Mark::Running, Mark::Open]);
        update(&mut state, Event::Form(8, 5).into());
        update(&mut state, Event::Check.into());
        assert_eq!(state.lab.task.as_ref().map(|task| task.numbers.clone()), Some(vec![5, 8]));
        update(&mut state, answer(1, true, &[1, 9, 9, 0, 1, 1, 1], "old"));
        assert!(state.lab.check.marks.is_empty() && state.lab.task.is_some());
        update(&mut state, answer(2, true, &[1, 9, 9, 2, 1, 3, 3], "Step 2 differs"));
        assert_eq!((state.lab.check.wrong, state.lab.task.is_none()), (Some(2), true));
        assert!(matches!(first_wrong(&state), Some(Msg::Go(Go::To(2)))));
    }

    #[test]
    fn marks_go_when_the_input_or_the_pipeline_changes() {
        for change in [Msg::Edited("x".to_owned()), Msg::Pipeline("dce".to_owned())] {
            let mut state = State::default();
            update(&mut state, Event::Check.into());
            update(&mut state, answer(1, false, &[0, 3, 9, 0, 1], ""));
            let dirty = update(&mut state, change);
            assert!(dirty.has(Dirty::LAB_STOP) && state.lab.task.is_none());
            assert!(state.lab.check.marks.is_empty() && !state.lab.check.open);
            assert_eq!(update(&mut state, answer(1, true, &[1, 9, 9, 0, 1], "late")), Dirty::NONE);
        }
    }

    #[test]
    fn a_run_is_of_the_version_that_is_shown_and_runs_again_when_another_is() {
        let mut state = State::default();
        (state.engine, state.shown.any) = (Engine::Idle, true);
        state.shown.timeline.steps = vec![Default::default(); 2];
        assert!(update(&mut state, Event::Open(true).into()).has(Dirty::LAB_BEGIN));
        let first = state.lab.serial;
        state.shown.timeline.at = 1;
        assert!(update(&mut state, Msg::Dragging(true)).has(Dirty::LAB_BEGIN));
        assert_eq!(state.lab.task.as_ref().map(|task| task.numbers[2]), Some(1));
        assert!(state.lab.serial > first);
        let answer = |serial, kind: &str, numbers: &[u32], text: &str| {
            let (kind, numbers, text) = (kind.to_owned(), numbers.to_vec(), text.to_owned());
            Event::Answer(Answer { kind, serial, done: true, numbers, text, bytes: Vec::new() })
        };
        update(&mut state, answer(first, "run", &[1, 1, 1, 2, 0, 0, 0], "=old\n").into());
        assert_eq!(state.lab.run.told, "");
        let serial = state.lab.serial;
        update(&mut state, answer(serial, "run", &[1, 1, 1, 2, 0, 1, 0], "=new\n").into());
        assert_eq!((state.lab.run.told.as_str(), state.lab.task.is_none()), ("new", true));
        assert!(update(&mut state, Event::Debug([0, 3]).into()).has(Dirty::LAB_BEGIN));
        let serial = state.lab.serial;
        update(
            &mut state,
            answer(serial, "debug", &[0, 0, 5, 1, 3, 4, 4, 1, 5], "wlane 3\nsmain\t4\n").into(),
        );
        assert_eq!(state.lab.line, Some(4));
        // Who steps through a version keeps it.
        state.shown.timeline.at = 2;
        assert!(!update(&mut state, Msg::Dragging(false)).has(Dirty::LAB_BEGIN));
        assert!(update(&mut state, Event::Step(0).into()).has(Dirty::LAB_BEGIN));
        assert_eq!(update(&mut state, Event::Step(3).into()), Dirty::NONE, "no line is chosen");
        // A report's line leads to the text of the version that ran.
        (state.tab, state.shown.timeline.at) = (Tab::Changes, 0);
        update(&mut state, Event::Line(6).into());
        assert_eq!((state.tab, state.shown_at(), state.lab.search.go), (Tab::Ir, 1, Some((1, 7))));
        update(&mut state, Event::Open(false).into());
        assert!(state.lab.run.step.is_none() && state.lab.task.is_none());
    }

    #[test]
    fn a_stop_asks_nicely_and_then_not() {
        let mut state = State::default();
        update(&mut state, Event::Check.into());
        update(&mut state, answer(1, false, &[0, 3, 9, 0, 1, 6], ""));
        assert!(update(&mut state, Event::Stop.into()).has(Dirty::LAB_STOP));
        assert_eq!(state.lab.check.marks, [Mark::Same, Mark::Open]);
        assert!(state.lab.check.told.starts_with("Stopped"));
        assert!(update(&mut state, Event::Late(1).into()).has(Dirty::LAB_END));
        update(&mut state, Event::Check.into());
        assert_eq!(update(&mut state, Event::Late(1).into()), Dirty::NONE, "another one is at work");
        update(&mut state, Event::Stop.into());
        update(&mut state, Event::Stopped.into());
        assert_eq!(update(&mut state, Event::Late(2).into()), Dirty::NONE, "it listened");
        update(&mut state, Event::Check.into());
        update(&mut state, Event::Fault("trap".to_owned()).into());
        assert!(state.lab.check.told.contains("trap") && state.lab.task.is_none());
    }
}

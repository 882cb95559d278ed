//! The debugger: runs, compares, steps through and reduces programs, in slices, so that the page stays
//! responsive.
//!
//! ```text
//! open(input, pipeline) ──► begin(task) ──► slice … slice ──► report      long work, one at a time
//!                                └────────► ask(question) ──► reply       about its results, immediately
//! ```
//!
//! A [`Debugger`] reads and traces the input itself, with the functions of [`Session`](super::Session), so
//! that a separate worker can hold it. Tasks, questions and reports are the page's messages. Displayed values are formatted
//! here, so that the page needs no number formats. Positions in a program are lines of its IR text, which any printer of
//! the same version numbers alike.
//!
//! Refuses to know a clock: the caller of [`Debugger::slice`] decides when its time is over.

mod check; // start here: compares every pass with the input
mod compare; // compares the programs of a comparison
mod bisect; // finds the wrong rewrite
mod reduce; // reduces the input
mod run; // runs a version
mod inputs; // inputs of a run
mod gpu; // the same run on a GPU
mod output_names; // names of outputs
mod picture; // the output of a fragment shader
mod resources; // inputs and results of a run, as tables
mod stepper; // single steps
mod lines; // maps instructions to lines of the text
mod words; // number formats

use super::read::{Read, read_program};
use super::session::{Watch, ran};
use crate::interp::Picture;
use crate::pipeline::Trace;
use crate::share::Expected;
use bisect::Bisect;
use check::Check;
pub(super) use check::RUNS;
use compare::Comparison;
use inputs::RunInputs;
use reduce::Reduce;
use run::VersionRun;
use stepper::Stepper;
pub use stepper::{Computed, MOST_STATES, RecordedState, Recording, record};
use vitrine_protocol::{CheckInputs, GivenPicture, Question, Reply, Report, Task, Watches};

/// The first difference that *Check* finds with these inputs (first seed, runs), as links store it; `None` if it finds
/// none. Runs the whole check.
pub fn first_difference(input: &[u8], pipeline: &str, [seed, runs]: [u32; 2]) -> Option<Expected> {
    let mut debugger = Debugger::new();
    debugger.give(input.to_vec());
    debugger.open(pipeline, &mut |_, _| {});
    debugger.begin(&Task::Check(CheckInputs { seed, runs }));
    while debugger.slice(&mut || true) {}
    match &debugger.job {
        Job::Check(check) => check.expected(),
        Job::Compare(comparison) => comparison.expected(),
        Job::None | Job::Bisect(_) | Job::Reduce(_) | Job::Run | Job::Step => None,
    }
}

/// Called now and then by a slice: returns true if there is time left.
pub type Time<'t> = &'t mut dyn FnMut() -> bool;

/// The current task.
#[derive(Default)]
enum Job {
    #[default]
    None,
    Check(Box<Check>),
    Compare(Box<Comparison>),
    Bisect(Box<Bisect>),
    Reduce(Box<Reduce>),
    Run,
    Step,
}

/// One input, its versions, and their tasks.
#[derive(Default)]
pub struct Debugger {
    input: Vec<u8>,
    pipeline: String,
    opened: Option<Opened>,
    job: Job,
    /// The last run, which queries refer to.
    run: Option<Box<VersionRun>>,
    /// The group that is stepped through.
    stepper: Option<Box<Stepper>>,
    /// Breakpoints and watch expressions of stepping.
    watches: Watches,
}

/// The input and the pipeline that ran.
struct Opened {
    read: Read,
    trace: Trace,
}

impl Debugger {
    /// A debugger without an input.
    pub fn new() -> Debugger {
        Debugger::default()
    }

    /// Sets an input, of any kind, for the next [`Debugger::open`].
    pub fn give(&mut self, input: Vec<u8>) {
        if input != self.input {
            let watches = std::mem::take(&mut self.watches);
            *self = Debugger { input, watches, ..Debugger::default() };
        }
    }

    /// Reads the input and runs the pipeline, if either changed. `watch` as in `Session::open_watched`.
    pub fn open(&mut self, pipeline: &str, watch: &mut dyn FnMut(usize, &'static str)) {
        if self.opened.is_some() && self.pipeline == pipeline {
            return;
        }
        (self.job, self.run, self.stepper) = (Job::None, None, None);
        pipeline.clone_into(&mut self.pipeline);
        let read = self.opened.take().map_or_else(|| read_program(&self.input), |opened| opened.read);
        let (trace, _) = ran(&read, pipeline, Watch { before_pass: Some(watch), clock: None });
        self.opened = Some(Opened { read, trace });
    }

    /// Sets the breakpoints and watch expressions of stepping.
    fn watch(&mut self, watches: &Watches) {
        self.watches.clone_from(watches);
        if let Some(stepper) = &mut self.stepper {
            stepper.watch(watches);
        }
    }

    /// Begins a task, and ends the one before it. Without an input, or if passes of other compilers would have to run here,
    /// there is none.
    pub fn begin(&mut self, task: &Task) {
        self.job = Job::None;
        let Some(opened) = &self.opened else { return };
        let Opened { read, trace } = opened;
        self.job = match task {
            Task::Check(inputs) => match &read.versions {
                Some(versions) => Job::Compare(Box::new(Comparison::new(versions, *inputs))),
                None => Job::Check(Box::new(Check::new(trace, *inputs))),
            },
            Task::Bisect { .. } | Task::Reduce(_) if read.versions.is_some() => Job::None,
            Task::Bisect { inputs, wrong_version } => {
                Job::Bisect(Box::new(Bisect::new(trace, *inputs, *wrong_version)))
            }
            Task::Reduce(inputs) => Job::Reduce(Box::new(Reduce::new(trace, &self.pipeline, *inputs))),
            Task::Run { entry, seed, version, compare, assignments, pictures } => {
                let pictures: Vec<Picture> = pictures.iter().map(picture).collect();
                let inputs = RunInputs { seed: *seed, assignments, pictures: &pictures, is_call: false };
                let entry = entry.map(|entry| entry as usize);
                let run = VersionRun::new(trace, entry, inputs, *version as usize, *compare);
                (self.run, self.stepper) = (Some(Box::new(run)), None);
                Job::Run
            }
            Task::Debug { target } => {
                let stepper = self.run.as_ref().and_then(|run| Stepper::new(run, trace, *target));
                self.stepper = stepper.map(Box::new);
                if let Some(stepper) = &mut self.stepper {
                    stepper.watch(&self.watches);
                }
                Job::Step
            }
            Task::Step { command, line } => {
                if let Some(stepper) = &mut self.stepper {
                    stepper.go(*command, *line);
                }
                Job::Step
            }
        };
    }

    /// Continues the task until its time is over. Returns true if there is more to do.
    pub fn slice(&mut self, time: Time<'_>) -> bool {
        match &mut self.job {
            Job::None => false,
            Job::Check(check) => check.slice(time),
            Job::Compare(comparison) => comparison.slice(time),
            Job::Bisect(bisect) => bisect.slice(time),
            Job::Reduce(reduce) => reduce.slice(time),
            Job::Run => self.run.as_mut().is_some_and(|run| run.slice(time)),
            Job::Step => self.stepper.as_mut().is_some_and(|stepper| stepper.slice(time)),
        }
    }

    /// The progress of the task, and its result; none if there is no task, or nothing to step through.
    pub fn report(&self) -> Option<Report> {
        Some(match &self.job {
            Job::None => return None,
            Job::Check(check) => Report::Check(check.report()),
            Job::Compare(comparison) => Report::Check(comparison.report()),
            Job::Bisect(bisect) => Report::Bisect(bisect.report()),
            Job::Reduce(reduce) => Report::Reduce(reduce.report()),
            Job::Run => Report::Run(Box::new(self.run.as_ref()?.report())),
            Job::Step => Report::Step(Box::new(self.stepper.as_ref()?.report())),
        })
    }

    /// Answers a question about the last run or the stepper; none if it has no subject. The current task is not affected.
    pub fn ask(&mut self, question: &Question) -> Option<Reply> {
        let step = |stepper: &Stepper| Reply::Step(Box::new(stepper.report()));
        match question {
            Question::Smallest => {
                let Job::Reduce(reduce) = &self.job else { return Some(Reply::Smallest(String::new())) };
                Some(Reply::Smallest(reduce.smallest()))
            }
            Question::Pixel { x, y } => {
                Some(Reply::Pixel(self.run.as_ref().map_or_else(String::new, |run| run.pixel(*x, *y))))
            }
            Question::Invocation(number) => {
                let stepper = self.stepper.as_mut()?;
                stepper.choose(*number);
                Some(step(stepper))
            }
            Question::Watch(watches) => {
                self.watch(watches);
                self.stepper.as_deref().map(step)
            }
            Question::Invocations { line } => Some(Reply::Table(self.stepper.as_ref()?.invocations(*line))),
            Question::Resource(rows) => self.run.as_ref()?.table(*rows).map(Reply::Table),
            Question::Variable(rows) => self.stepper.as_ref()?.memory(*rows).map(Reply::Table),
        }
    }
}

/// A picture of the page, for the inputs of a run.
fn picture(GivenPicture { input, file, size, rgba }: &GivenPicture) -> Picture {
    Picture { input: input.clone(), file: file.clone(), size: *size, rgba: rgba.0.clone() }
}

//! The debugger: runs, compares, steps through and reduces programs, in slices, so that the page stays
//! responsive.
//!
//! ```text
//! open(input, pipeline) ──► begin(task) ──► slice … slice ──► answer      long work, one at a time
//!                                └────────► ask(question) ──► answer      about its results, immediately
//! ```
//!
//! A [`Debugger`] reads and traces the input itself, with the functions of [`Session`](super::Session), so
//! that a separate worker can hold it. Tasks and queries have a name and plain numbers; answers are plain
//! data ([`Answer`]). Displayed values are formatted here, so that the page needs no number formats.
//! Positions in a program are lines of its IR text, which any printer of the same version numbers alike.
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
pub use crate::interp::Picture;
use crate::pipeline::Trace;
use crate::share::Expected;
use bisect::Bisect;
use check::Check;
pub(super) use check::RUNS;
use compare::Comparison;
pub use gpu::{GpuApi, GpuBuffer, GpuInput, GpuJob, GpuOutput, GpuSampler, GpuTexture, GpuVerdict};
use inputs::RunInputs;
use reduce::Reduce;
use run::VersionRun;
use stepper::Stepper;
pub use stepper::{Computed, MOST_STATES, RecordedState, Recording, record};

/// The first difference that *Check* finds with these inputs (first seed, runs), as links store it; `None` if it finds
/// none. Runs the whole check.
pub fn first_difference(input: &[u8], pipeline: &str, [seed, runs]: [u32; 2]) -> Option<Expected> {
    let mut debugger = Debugger::new();
    debugger.give(input.to_vec());
    debugger.open(pipeline, &mut |_, _| {});
    debugger.begin("check", &[seed, runs]);
    while debugger.slice(&mut || true) {}
    let answer = debugger.answer();
    let (text, digest) = answer.text.lines().find_map(|line| line.strip_prefix('p'))?.rsplit_once('\t')?;
    Some(Expected { text: text.to_owned(), digest: u64::from_str_radix(digest, 16).ok()? })
}

/// The answer to a task or a query. Its format is documented where it is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Numbers.
    pub numbers: Vec<u32>,
    /// Text: lines, with cells of a line separated by tabs.
    pub text: String,
    /// Pictures.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// A refusal or a remark: text only.
    fn message(text: impl Into<String>) -> Answer {
        Answer { text: text.into(), ..Answer::default() }
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
    answered: Answer,
    /// Assignments to the inputs of runs, one on each line.
    assignments: String,
    /// Pictures that they may name.
    pictures: Vec<Picture>,
    /// Breakpoints and watch expressions, one on each line.
    watched: [String; 2],
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
            let Debugger { assignments, pictures, watched, .. } = std::mem::take(self);
            *self = Debugger { input, assignments, pictures, watched, ..Debugger::default() };
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

    /// Sets the assignments to inputs for the next runs: see [`Named::assign`](crate::interp::Named::assign), one on each line;
    /// and the pictures that they name.
    pub fn assign(&mut self, assignments: &str, pictures: Vec<Picture>) {
        assignments.clone_into(&mut self.assignments);
        self.pictures = pictures;
    }

    /// Sets the breakpoints and watch expressions of stepping, one on each line; see `stepper::watch`.
    pub fn watch(&mut self, stops: &str, watches: &str) {
        self.watched = [stops, watches].map(str::to_owned);
        if let Some(stepper) = &mut self.stepper {
            stepper.watch(stops, watches);
        }
    }

    /// Begins a task, and ends the one before it. An unknown task does nothing.
    ///
    /// * `check` seed, runs: see `Check::answer`, and `Comparison::answer` for a comparison.
    /// * `bisect` seed, runs, the version that is wrong or 0: see `Bisect::answer`.
    /// * `reduce` seed, runs: see `Reduce::answer`.
    /// * `run` entry point, seed, version, 1 to compare with the input: see `VersionRun::answer`.
    /// * `debug` pixel, or group and invocation: begins to step through the last run, see `Stepper::answer`.
    /// * `step` how (see `stepper::Goal`), line: continues stepping.
    pub fn begin(&mut self, task: &str, numbers: &[u32]) {
        self.job = Job::None;
        let Some(opened) = &self.opened else { return };
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        self.job = match task {
            "check" if opened.read.versions.is_some() => {
                let versions = opened.read.versions.clone().unwrap_or_default();
                Job::Compare(Box::new(Comparison::new(&versions, number(0), number(1))))
            }
            // Passes of other compilers cannot run here.
            "bisect" | "reduce" if opened.read.versions.is_some() => Job::None,
            "check" => Job::Check(Box::new(Check::new(&opened.trace, number(0), number(1)))),
            "bisect" => Job::Bisect(Box::new(Bisect::new(&opened.trace, number(0), number(1), number(2)))),
            "reduce" => {
                Job::Reduce(Box::new(Reduce::new(&opened.trace, &self.pipeline, number(0), number(1))))
            }
            "run" => {
                let inputs = RunInputs {
                    seed: number(1),
                    assignments: &self.assignments,
                    pictures: &self.pictures,
                    is_call: false,
                };
                let (entry, version) = (number(0) as usize, number(2) as usize);
                let run = VersionRun::new(&opened.trace, entry, inputs, version, number(3) > 0);
                (self.run, self.stepper) = (Some(Box::new(run)), None);
                Job::Run
            }
            "debug" => {
                let at = [number(0), number(1)];
                let stepper = self.run.as_ref().and_then(|run| Stepper::new(run, &opened.trace, at));
                self.stepper = stepper.map(Box::new);
                let [stops, watches] = std::mem::take(&mut self.watched);
                self.watch(&stops, &watches);
                Job::Step
            }
            "step" => {
                if let Some(stepper) = &mut self.stepper {
                    stepper.go(number(0), number(1));
                }
                Job::Step
            }
            _ => Job::None,
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

    /// The progress of the task, and its result.
    pub fn answer(&self) -> Answer {
        match &self.job {
            Job::None => Answer::default(),
            Job::Check(check) => check.answer(),
            Job::Compare(comparison) => comparison.answer(),
            Job::Bisect(bisect) => bisect.answer(),
            Job::Reduce(reduce) => reduce.answer(),
            Job::Run => self.run.as_ref().map_or_else(Answer::default, |run| run.answer()),
            Job::Step => self.stepper.as_ref().map_or_else(Answer::default, |stepper| stepper.answer()),
        }
    }

    /// The execution counts of the last run when it is done: the four numbers of an
    /// [`ExecutionEntry`](vitrine_protocol::layout::ExecutionEntry) for each block. Empty before.
    pub fn executions(&self) -> Vec<u32> {
        self.run.as_ref().map_or_else(Vec::new, |run| run.executions())
    }

    /// Queries the last run or the stepper. The current task is not affected.
    ///
    /// * `smallest`: the result of a reduction, as IR text.
    /// * `table` resource, view, first row, rows: see `VersionRun::table`.
    /// * `pixel` x, y: its outputs.
    /// * `state`: the state of stepping, see `Stepper::answer`.
    /// * `invocation` number: selects the invocation whose values are shown, see `Stepper::answer`.
    /// * `invocations` line: every invocation, with its value of the definition on the line.
    /// * `memory` variable, view, first row, rows: its bytes, as the invocation reads them.
    pub fn ask(&mut self, question: &str, numbers: &[u32]) {
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let window = [number(2), number(3)];
        self.answered = match (question, &self.run, &mut self.stepper) {
            ("smallest", ..) => match &self.job {
                Job::Reduce(reduce) => reduce.smallest(),
                Job::None | Job::Check(_) | Job::Compare(_) | Job::Bisect(_) | Job::Run | Job::Step => {
                    Answer::default()
                }
            },
            ("table", Some(run), _) => run.table(number(0), number(1), window),
            ("pixel", Some(run), _) => run.pixel(number(0), number(1)),
            ("state", _, Some(stepper)) => stepper.answer(),
            ("invocation", _, Some(stepper)) => {
                stepper.choose(number(0));
                stepper.answer()
            }
            ("invocations", _, Some(stepper)) => stepper.invocations(number(0)),
            ("memory", _, Some(stepper)) => stepper.memory(number(0), number(1), window),
            _ => Answer::default(),
        };
    }

    /// The answer to the last query.
    pub fn answered(&mut self) -> Answer {
        std::mem::take(&mut self.answered)
    }
}

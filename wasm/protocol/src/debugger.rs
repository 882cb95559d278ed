//! Requests to the debugger and its answers: programs are run, compared, stepped through and reduced.
//!
//! A *task* takes long: it runs in slices and reports after each. A *question* is about the last task, and is
//! answered immediately. Tasks have serial numbers, so that reports of an ended task can be recognized.

use serde::{Deserialize, Serialize};

use crate::layout::ExecutionEntry;
use crate::{Bytes, CheckReport, Program, StepReport, Table, Watches};

/// A request to the debugger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DebuggerRequest {
    /// Replaces the program for the next task. No answer.
    Program(Program),
    /// Begins a task, and ends the one before. Answers: [`DebuggerAnswer::Task`], until it is done.
    Begin(BeginTask),
    /// Queries the state of the last task. Answer: [`DebuggerAnswer::Reply`].
    Ask(QuestionRequest),
    /// Ends the task. Answer: [`DebuggerAnswer::Stopped`].
    Stop,
}

/// A message of the debugger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DebuggerAnswer {
    /// Progress of a task.
    Task(TaskReport),
    /// See [`DebuggerRequest::Ask`].
    Reply(QuestionReply),
    /// See [`DebuggerRequest::Stop`].
    Stopped,
    /// The worker failed.
    Fault(Fault),
}

/// A failure that ends a worker: a panic, a trap, a module that did not load, a message that cannot be decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The error.
    pub message: String,
}

/// The progress of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of completed passes.
    pub done: u32,
    /// The pass that is running.
    pub pass: String,
}

/// See [`DebuggerRequest::Begin`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeginTask {
    /// Returned with the reports.
    pub serial: u32,
    /// The pipeline, as text.
    pub pipeline: String,
    /// The task.
    pub task: Task,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Task {
    /// Compares every version with the input by running both.
    Check(CheckInputs),
    /// Finds the rewrite that changes the result.
    Bisect {
        /// The inputs.
        inputs: CheckInputs,
        /// A version that is known to be wrong.
        wrong_version: Option<u32>,
    },
    /// Reduces the input while the result still changes.
    Reduce(CheckInputs),
    /// Runs a version.
    Run {
        /// Number of the entry point; by default the first one that can run.
        entry: Option<u32>,
        /// Seed of the inputs.
        seed: u32,
        /// The version.
        version: u32,
        /// True if the input is run too and compared.
        compare: bool,
        /// Changes to the generated inputs, one on each line: `particles[3].age = 0.5`.
        assignments: String,
        /// The pictures that they name.
        pictures: Vec<GivenPicture>,
    },
    /// Begins to step through the last run.
    Debug {
        /// In a picture: the pixel, x and y. In a compute shader: workgroup and invocation.
        target: [u32; 2],
    },
    /// Continues stepping.
    Step {
        /// The end of the step.
        command: StepCommand,
        /// The line for [`StepCommand::ToLine`], from 0, or for [`StepCommand::ToSource`], from 1.
        line: u32,
    },
}

/// A picture for an image: `picture = "photo.png"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenPicture {
    /// The image that it was opened for.
    pub input: String,
    /// The name of its file.
    pub file: String,
    /// Width and height.
    pub size: [u32; 2],
    /// RGBA, a byte each, row by row from the top.
    pub rgba: Bytes,
}

/// The inputs of a check: `runs` generated inputs for each entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckInputs {
    /// First seed.
    pub seed: u32,
    /// Number of inputs.
    pub runs: u32,
}

impl Default for CheckInputs {
    fn default() -> CheckInputs {
        CheckInputs { seed: 1, runs: 32 }
    }
}

/// The end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepCommand {
    /// One instruction, into a called function.
    #[default]
    Into,
    /// One instruction, over a called function.
    Over,
    /// To the end of the function.
    Out,
    /// To a line.
    ToLine,
    /// To the end of the program.
    ToEnd,
    /// One step back.
    Back,
    /// To the next breakpoint.
    Continue,
    /// To the next line of the source, into a called function.
    LineInto,
    /// To the next line of the source, over a called function.
    LineOver,
    /// To the line of the source after the function.
    LineOut,
    /// To a line of the source.
    ToSource,
    /// To the line of the source before.
    LineBack,
}

impl StepCommand {
    /// The commands of instructions, in the order of the page's buttons.
    pub const ALL: [StepCommand; 7] = [
        StepCommand::Into,
        StepCommand::Over,
        StepCommand::Out,
        StepCommand::ToLine,
        StepCommand::ToEnd,
        StepCommand::Back,
        StepCommand::Continue,
    ];

    /// The commands of lines of the source, in the order of the page's buttons.
    pub const LINES: [StepCommand; 5] = [
        StepCommand::LineBack,
        StepCommand::LineInto,
        StepCommand::LineOver,
        StepCommand::LineOut,
        StepCommand::ToSource,
    ];
}

/// See [`DebuggerRequest::Ask`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionRequest {
    /// Returned with the reply.
    pub serial: u32,
    /// The question.
    pub question: Question,
}

/// A question about the last task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Question {
    /// The smallest program that a reduction has found. Reply: [`Reply::Smallest`].
    Smallest,
    /// Details of a pixel. Reply: [`Reply::Pixel`].
    Pixel {
        /// The column.
        x: u32,
        /// The row.
        y: u32,
    },
    /// Selects the invocation whose values are shown. Reply: [`Reply::Step`].
    Invocation(u32),
    /// Sets breakpoints and watch expressions, and queries the state of stepping. Reply: [`Reply::Step`].
    Watch(Watches),
    /// All invocations, each with its value of the definition on a line. Reply: [`Reply::Table`].
    Invocations {
        /// The line, from 0.
        line: u32,
    },
    /// Rows of a resource. Reply: [`Reply::Table`].
    Resource(TableRows),
    /// Rows of a variable, as the selected invocation reads them. Reply: [`Reply::Table`].
    Variable(TableRows),
}

/// A range of rows of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRows {
    /// Number of the resource or variable.
    pub number: u32,
    /// The format of words.
    pub view: NumberView,
    /// First row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// A format of words of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NumberView {
    /// Floating point.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// Hexadecimal.
    Hex,
    /// By the type of each value, if it has one; buffers also by name.
    #[default]
    Typed,
}

impl NumberView {
    /// All views, in the order of the page's menu.
    pub const ALL: [NumberView; 5] =
        [NumberView::Float, NumberView::Int, NumberView::Uint, NumberView::Hex, NumberView::Typed];
}

/// Progress of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The serial number of the request.
    pub serial: u32,
    /// True if the task is done.
    pub done: bool,
    /// The result so far; none for a step if nothing is stepped through.
    pub report: Option<Report>,
}

/// The result of a task so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Report {
    /// Of [`Task::Check`].
    Check(CheckReport),
    /// Of [`Task::Bisect`].
    Bisect(BisectReport),
    /// Of [`Task::Reduce`].
    Reduce(ReduceReport),
    /// Of [`Task::Run`].
    Run(Box<RunReport>),
    /// Of [`Task::Debug`] and [`Task::Step`].
    Step(Box<StepReport>),
}

/// See [`DebuggerRequest::Ask`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionReply {
    /// The serial number of the request.
    pub serial: u32,
    /// The reply; none if the question has no subject.
    pub reply: Option<Reply>,
}

/// The reply to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reply {
    /// A program, as IR text; empty if it was not reduced.
    Smallest(String),
    /// A pixel, in words.
    Pixel(String),
    /// The values of the selected invocation.
    Step(Box<StepReport>),
    /// Rows.
    Table(TableReport),
}

/// The result of a bisection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BisectReport {
    /// Completed runs.
    pub runs: u32,
    /// Rewrites that may be the wrong one.
    pub candidates: u32,
    /// The first wrong version, if it was found.
    pub wrong_version: Option<u32>,
    /// The line of the wrong rewrite in its text, from 0.
    pub wrong_line: Option<u32>,
    /// The result in words; empty if it is not available yet.
    pub summary: String,
    /// Tested versions and rewrites, each with its result.
    pub probes: Vec<String>,
    /// The line before the rewrite with `-`, the line after it with `+`, then the reasons of the pass.
    pub change: Vec<String>,
}

/// The result of a reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReduceReport {
    /// Smaller programs that were kept.
    pub kept: u32,
    /// The result in words.
    pub summary: String,
}

/// The kind of an entry point's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunPicture {
    /// A picture, drawn by a fragment shader.
    #[default]
    Pixels,
    /// Vertices.
    Vertices,
    /// Workgroups.
    Workgroups,
    /// The result of a function that was called.
    Result,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Completed quads, subgroups or workgroups.
    pub done: u32,
    /// All of them.
    pub total: u32,
    /// The kind of the result.
    pub kind: RunPicture,
    /// Pixels along an edge of the picture.
    pub size: u32,
    /// The version.
    pub version: u32,
    /// Number of the entry point.
    pub entry: u32,
    /// The picture, then that of the differences: RGBA, a byte each, row by row from the top; empty if there
    /// is none.
    pub pixels: Bytes,
    /// The reason that it cannot run; empty if it can.
    pub refused: String,
    /// The result in words.
    pub summary: String,
    /// All entry points.
    pub entries: Vec<ShaderEntry>,
    /// Its inputs.
    pub inputs: Vec<RunInput>,
    /// Undefined behavior.
    pub reports: Vec<UbReport>,
    /// The executions of each block; empty until the run is done.
    pub executions: Table<ExecutionEntry>,
    /// Assignments that cannot be followed.
    pub wrong_assignments: Vec<WrongAssignment>,
}

/// An assignment to an input that cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongAssignment {
    /// Its line, from 0.
    pub line: u32,
    /// The reason.
    pub reason: String,
}

/// An entry point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderEntry {
    /// Its stage.
    pub stage: String,
    /// Its name.
    pub name: String,
    /// The reason that it cannot run; empty if it can.
    pub refused: String,
}

/// An input of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInput {
    /// `uniform`, `storage`, `in`…
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its binding or location.
    pub place: String,
    /// Its value, or size.
    pub value: String,
    /// Number of the resource, if its memory can be shown.
    pub resource: Option<u32>,
    /// An assignment to it that may be changed; empty if there is none.
    pub assignment: String,
}

/// Undefined behavior of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UbReport {
    /// The line of the text, from 0.
    pub line: Option<u32>,
    /// Stable code such as `U010`.
    pub code: String,
    /// The behavior, in words.
    pub words: String,
    /// The affected invocations, and the number of occurrences.
    pub times: String,
}

/// Rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableReport {
    /// Total number of rows.
    pub rows: u32,
    /// The first row of this part.
    pub first: u32,
    /// The heading of each column.
    pub heads: Vec<String>,
    /// True if the rows are named values, which can be assigned.
    pub is_named: bool,
    /// The cells, row by row.
    pub cells: Vec<TableCell>,
}

impl TableReport {
    /// The rows of this part.
    pub fn lines(&self) -> impl Iterator<Item = &[TableCell]> {
        self.cells.chunks(self.heads.len().max(1))
    }
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCell {
    /// Its text.
    pub text: String,
    /// Its mark.
    pub mark: CellMark,
}

/// The mark of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CellMark {
    /// None.
    #[default]
    Plain,
    /// The run changed it.
    Changed,
    /// It differs from the run of the input.
    Other,
    /// It is undefined.
    Undefined,
    /// The invocation is active.
    Active,
    /// The invocation is the selected one.
    Selected,
    /// The invocation has ended.
    Ended,
}

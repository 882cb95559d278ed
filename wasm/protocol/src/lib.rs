//! The messages between the page and its workers: every request, answer, progress report and fault,
//! declared once.
//!
//! ```text
//! page (vitrine-web) ── Request ─────────► compiler worker (vitrine-wasm, www/worker.js)
//!                    ◄───────── Answer ──
//! page (vitrine-web) ── DebuggerRequest ─► debugger worker (vitrine-wasm, www/debugger.js)
//!                    ◄── DebuggerAnswer ──
//! page (vitrine-web) ── SourceRequest ───► worker of sources (vitrine-sources, www/sources.js)
//!                    ◄──── SourceAnswer ──
//! ```
//!
//! Between page and workers a message is one typed array whose buffer is transferred: fields in the order of
//! their declaration, written by `postcard`; page and workers are always built together. Large fields
//! ([`Bytes`], [`Utf8`], [`Table`]) are blocks of it, each with one layout, described in [`layout`]. For
//! scripts the same message is an object with one field, named like the variant: `{ open: { revision: 3, … }
//! }`; a variant without fields is a string: `"catalog"`. See [`js`].
//!
//! A message that does not match its declaration is an error, never an empty field. A new field is declared
//! here only; the compiler then reports every place that must fill it.
//!
//! Workers with one task of their own exchange objects with their scripts: [`ReportRequest`], [`LessonRequest`], [`GpuJob`].
//!
//! Not part of the protocol: the way a worker loads its module (`www/program.js`). Before the module is
//! loaded, a worker sends `{ modules }`, and `{ fault }` in the form of [`Fault`].

mod bulk; // large fields
mod check; // the result of a check
mod catalog; // passes, presets, rules, operations and analyses
mod compiler; // start here: requests to the compiler and its answers
mod debugger; // the same for the debugger
mod gpu; // programs for the GPU of the machine
mod report; // a finding as a report
mod lessons; // tasks and figures of lessons
#[cfg(feature = "js")]
pub mod js; // messages as JavaScript values
pub mod layout; // the layout of each table
mod overlay; // overlays of the graph and the text
mod opened; // an input that was read, run and drawn
mod program; // an input as workers take it
mod step; // the state of a program that is stepped through
mod sources; // sources that are translated to SPIR-V
mod words; // words that the editor completes and colors

pub use bulk::{Bytes, Entry, Table, Utf8};
pub use catalog::{CatalogEntry, CatalogOption, EntryKind};
pub use check::{CheckMark, CheckReport, FoundDifference};
pub use compiler::{
    Answer, Columns, ColumnsRequest, ExportRequest, File, FindRequest, Format, Found, GraphOptions,
    GraphToggle, InputEdit, InspectRequest, Inspected, MemoryMap, MemoryRequest, MemoryVariable, NamedFile,
    OpenRequest, Origins, OriginsRequest, Parts, PathsRequest, PointerPath, PointerPaths, Request,
    SharedRequest, SharedState,
};
pub use debugger::{
    BeginTask, BisectReport, CellMark, CheckInputs, DebuggerAnswer, DebuggerRequest, Fault, GivenPicture,
    NumberView, Progress, Question, QuestionReply, QuestionRequest, ReduceReport, Reply, Report, RunInput,
    RunPicture, RunReport, ShaderEntry, StepCommand, TableCell, TableReport, TableRows, Task, TaskReport,
    UbReport, WrongAssignment,
};
pub use gpu::{
    GpuApi, GpuBuffer, GpuBufferKind, GpuFlat, GpuJob, GpuNumber, GpuOutput, GpuSampler, GpuTexture,
    GpuVerdict,
};
pub use lessons::{JudgeRequest, LessonAnswer, LessonRequest, ProgramRun, TaskFinding, TaskProgram};
pub use opened::{
    Diagnostic, FunctionInfo, GraphPicture, Level, Mark, Opened, Outcome, PassStep, Reason, Refusal,
    RefusedPlace, StyledText, Tab,
};
pub use overlay::{Overlay, OverlayKind, OverlayRequest};
pub use program::Program;
pub use report::{GpuResult, IssueForm, ReportAnswer, ReportRequest};
pub use sources::{
    FrontEnd, PreparedSource, SourceAnswer, SourceOption, SourceProblem, SourceRequest, Translation,
};
pub use step::{
    RemovedVariable, SourcePosition, SourceVariable, SourceView, StackFrame, StepReport, ValueOnLine,
    VariableInMemory, WatchedValue, Watches, WrongStop,
};
pub use words::{Word, Words};

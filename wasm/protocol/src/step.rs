//! The state of a program that is stepped through: values, the stack, breakpoints, watch expressions, its source.

use serde::{Deserialize, Serialize};

/// Breakpoints and watch expressions, as the user writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watches {
    /// Breakpoints: `@0 ^3 if %12 > 3`, `line 12`.
    pub stops: Vec<String>,
    /// Watch expressions: `%12.x`.
    pub watches: Vec<String>,
}

/// The state of a program that is stepped through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// True if all invocations have ended.
    pub finished: bool,
    /// Steps so far.
    pub steps: u32,
    /// The next line of the text, from 0.
    pub line: Option<u32>,
    /// The selected invocation.
    pub chosen: u32,
    /// Number of invocations.
    pub invocations: u32,
    /// Number of active invocations.
    pub active: u32,
    /// The version.
    pub version: u32,
    /// The state of the selected invocation, in words.
    pub status: String,
    /// Values of the chosen invocation, by line.
    pub values: Vec<ValueOnLine>,
    /// Functions on the stack, innermost first.
    pub stack: Vec<StackFrame>,
    /// Variables whose memory can be shown.
    pub memory: Vec<VariableInMemory>,
    /// The reason why the step ended; empty if it reached its goal.
    pub stopped: String,
    /// Breakpoints that cannot be followed.
    pub wrong_stops: Vec<WrongStop>,
    /// The watch expressions, in order; empty while the step runs.
    pub watched: Vec<WatchedValue>,
    /// The source of the program; none while the step runs.
    pub source: Option<SourceView>,
}

/// The values of the definitions on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueOnLine {
    /// The line, from 0.
    pub line: u32,
    /// The values, in words.
    pub words: String,
}

/// A function on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// Its current line, from 0.
    pub line: Option<u32>,
    /// Name of the function.
    pub name: String,
    /// Number of its invocations, in words.
    pub invocations: String,
}

/// A variable whose memory can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableInMemory {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its mode.
    pub mode: String,
    /// Its size, in words.
    pub size: String,
}

/// A breakpoint that cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongStop {
    /// Its index in [`Watches::stops`].
    pub stop: u32,
    /// The reason.
    pub reason: String,
}

/// The value of a watch expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedValue {
    /// The value, or the reason why there is none.
    pub words: String,
    /// True if there is no value.
    pub missing: bool,
}

/// The source of a program where it stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceView {
    /// The line that runs; none if the program has no lines.
    pub position: Option<SourcePosition>,
    /// The lines of the source; only before the first step.
    pub lines: Vec<String>,
    /// The numbers of the variables of the innermost function and of the module.
    pub variables: Vec<SourceVariable>,
    /// Variables of the function that passes removed.
    pub removed: Vec<RemovedVariable>,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePosition {
    /// The line, from 1; 0 before the first one.
    pub line: u32,
    /// Its file; empty if it is unknown.
    pub file: String,
    /// True if the line begins here.
    pub begins: bool,
}

/// A number of a variable of the source, or a promoted variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceVariable {
    /// The name of the variable.
    pub name: String,
    /// The part of it: `.low`, `[2].x`; empty for the whole variable.
    pub path: String,
    /// Its value.
    pub value: String,
}

/// A variable of the source that a pass removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedVariable {
    /// Its name.
    pub name: String,
    /// The number of the pass, from 1.
    pub step: u32,
    /// The name of the pass.
    pub pass: String,
    /// The line of its last definition in the version before, from 0.
    pub line: Option<u32>,
}

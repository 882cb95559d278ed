//! Tasks and figures of lessons: `www/tutor.js` passes the requests of `www/learn.js` to the compiler.

use serde::{Deserialize, Serialize};

/// A request of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LessonRequest {
    /// Judges an answer to a task.
    Judge(JudgeRequest),
    /// The blocks, edges or values of a fact about a program.
    Fact {
        /// The program.
        program: String,
        /// The fact, such as `frontier(^3)`.
        text: String,
    },
    /// The outputs of a run.
    Run(ProgramRun),
    /// The steps of a run.
    Steps(ProgramRun),
    /// The bytes of a variable of a program.
    Memory {
        /// The program.
        program: String,
        /// The name of the variable; empty for the first buffer.
        variable: String,
    },
}

/// An answer to a task, to be judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// The text of the task.
    pub task: String,
    /// The programs of the task.
    pub programs: Vec<TaskProgram>,
    /// The answer: a program, or what the task asks for.
    pub answer: String,
}

/// A program of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskProgram {
    /// Its name in checks.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A program and the inputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRun {
    /// The program.
    pub program: String,
    /// Chosen inputs, such as `n = 3; x = 0.5`; the others have generated values.
    pub inputs: String,
}

/// The answer to a request of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LessonAnswer {
    /// A finding for each check of the task, in order.
    Judged(Vec<TaskFinding>),
    /// Blocks, edges or values, sorted.
    Fact(Vec<String>),
    /// The outputs of a run, in words.
    Ran(String),
    /// Steps or bytes, as HTML.
    Html(String),
    /// The request was refused, for this reason.
    Refused(String),
}

/// The result of one check of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFinding {
    /// The text of the check.
    pub check: String,
    /// True if it passed.
    pub passed: bool,
    /// The sentence about what was found.
    pub sentence: String,
    /// Blocks, values, edges and variables that the sentence mentions, each once, to be marked in a figure.
    pub marks: Vec<String>,
}

//! A task and its text, the same inside of a lesson and in a file of its own.
//!
//! ```text
//! Add one edge so that ^1 no longer dominates ^5.          lines without a key are the statement
//! start: 03-dominators.ir                                  the program to begin with
//! program: reference = 03-frontier.ir                      a further program, for `same-as` and `differs-from`
//! function: f                                              the function to judge; by default the first entry point
//! case: nan: x = nan; n = 3                                chosen inputs, by name as in `vitrine exec --set`
//! check: valid; not dominates(^1, ^5); blocks = 6          all checks must pass
//! hint: An edge from ^2 helps.
//! solution: 03-dominators-solution.ir
//! ```
//!
//! `start`, `program` and `solution` name files. The solution of a task whose answer is not a program is the answer itself, in a
//! line `answer: ^1 ^2`. Files are read by the caller.
//!
//! Refuses a task without checks, and one whose checks need different forms of an answer.

use super::check::Check;
use super::predicates::{Answer, Param};
use crate::base::nearest;
use std::fmt;

/// The keys of a task.
const KEYS: [&str; 8] = ["start", "program", "function", "case", "check", "hint", "solution", "answer"];

/// Chosen inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The name.
    pub name: String,
    /// Assignments to inputs, one on each line.
    pub inputs: String,
}

/// A task.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The statement.
    pub statement: String,
    /// The name of the start program.
    pub start: Option<String>,
    /// Further programs: names in checks, and files.
    pub programs: Vec<(String, String)>,
    /// The function to judge, by name.
    pub function: Option<String>,
    /// Chosen inputs.
    pub cases: Vec<Case>,
    /// The checks.
    pub checks: Vec<Check>,
    /// Hints, in order.
    pub hints: Vec<String>,
    /// The name of the program that solves it.
    pub solution: Option<String>,
    /// The answer that solves it, if that is not a program.
    pub answer: Option<String>,
}

/// A mistake in the text of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskError {
    /// The line, from 1.
    pub line: usize,
    /// The mistake.
    pub sentence: String,
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.sentence)
    }
}

impl Task {
    /// Parses the text of a task. Errors: the first mistake.
    pub fn parse(text: &str) -> Result<Task, TaskError> {
        let mut task = Task::default();
        let mut lines_of_checks = Vec::new();
        let mut statement: Vec<&str> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let error = |sentence: String| TaskError { line, sentence };
            match key_of(content).map_err(error)? {
                None => statement.push(content.trim_end()),
                Some((key, value)) => {
                    task.set(key, value).map_err(error)?;
                    lines_of_checks.resize(task.checks.len(), line);
                }
            }
        }
        task.statement = statement.join("\n").trim().to_owned();
        let last = text.lines().count().max(1);
        if task.checks.is_empty() {
            return Err(TaskError {
                line: last,
                sentence: "the task has no check: add a line `check: …`".to_owned(),
            });
        }
        for (check, line) in task.checks.iter().zip(lines_of_checks) {
            task.complete(check).map_err(|sentence| TaskError { line, sentence })?;
        }
        Ok(task)
    }

    /// The form of its answers.
    pub fn form(&self) -> Answer {
        self.checks.first().map_or(Answer::Program, Check::answer)
    }

    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let further = self.programs.iter().map(|(_, file)| file);
        self.start.iter().chain(further).chain(&self.solution).map(String::as_str)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if value.is_empty() {
            return Err(format!("`{key}:` is empty"));
        }
        match key {
            "start" => once(&mut self.start, key, value),
            "function" => once(&mut self.function, key, value),
            "solution" => once(&mut self.solution, key, value),
            "answer" => once(&mut self.answer, key, value),
            "hint" => {
                self.hints.push(value.to_owned());
                Ok(())
            }
            "program" => {
                let (name, file) = value.split_once('=').ok_or("expected `program: NAME = FILE`")?;
                let (name, file) = (name.trim().to_owned(), file.trim().to_owned());
                if name == "start" || self.programs.iter().any(|(other, _)| *other == name) {
                    return Err(format!("there are two programs `{name}`"));
                }
                self.programs.push((name, file));
                Ok(())
            }
            "case" => {
                let (name, inputs) =
                    value.split_once(':').ok_or("expected `case: NAME: INPUT = VALUE; …`")?;
                let name = name.trim().to_owned();
                if self.cases.iter().any(|other| other.name == name) {
                    return Err(format!("there are two cases `{name}`"));
                }
                let inputs = inputs.split(';').map(str::trim).collect::<Vec<_>>().join("\n");
                self.cases.push(Case { name, inputs });
                Ok(())
            }
            _ => {
                for check in value.split(';').map(str::trim).filter(|check| !check.is_empty()) {
                    self.checks.push(Check::parse(check)?);
                }
                Ok(())
            }
        }
    }

    /// Refuses a check that needs something the task does not have.
    fn complete(&self, check: &Check) -> Result<(), String> {
        if check.answer() != self.form() {
            return Err(format!(
                "`{}` judges {}, but another check judges {}: an answer has one form",
                check.text,
                check.answer().name(),
                self.form().name()
            ));
        }
        if check.answer() != Answer::Program && self.start.is_none() {
            return Err(format!("`{}` is about the start program: add a line `start: FILE`", check.text));
        }
        for (param, arg) in check.predicate.params.iter().zip(&check.args) {
            match param {
                Param::Program if arg == "start" && self.start.is_some() => {}
                Param::Program if self.programs.iter().any(|(name, _)| name == arg) => {}
                Param::Program => return Err(format!("`{}`: there is no program `{arg}`", check.text)),
                Param::Case if !self.cases.iter().any(|case| case.name == *arg) => {
                    return Err(format!("`{}`: there is no case `{arg}`", check.text));
                }
                Param::Block
                | Param::Value
                | Param::Var
                | Param::Entity
                | Param::Number
                | Param::Op
                | Param::Code
                | Param::Mode
                | Param::Case
                | Param::Pipeline => {}
            }
        }
        Ok(())
    }
}

fn once(slot: &mut Option<String>, key: &str, value: &str) -> Result<(), String> {
    match slot.replace(value.to_owned()) {
        None => Ok(()),
        Some(_) => Err(format!("there are two lines `{key}:`")),
    }
}

/// The key and the value of a line; `None` for a line of the statement. A key that is nearly right is a mistake.
fn key_of(line: &str) -> Result<Option<(&'static str, &str)>, String> {
    let Some((word, value)) = line.split_once(':') else { return Ok(None) };
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_word {
        return Ok(None);
    }
    match KEYS.iter().find(|key| **key == word) {
        Some(key) => Ok(Some((key, value.trim()))),
        None => match nearest(word, KEYS) {
            Some(near) => Err(format!("there is no key `{word}:`; did you mean `{near}:`?")),
            None => Ok(None),
        },
    }
}

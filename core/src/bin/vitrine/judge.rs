//! `vitrine judge TASK FILE`: decides whether a file solves a task, and reports what each check found. With a lesson in place of
//! the task, it judges the answers of a class (`judge_class`).
//!
//! The programs that a task names are beside it. Exit status: 0 solved, 1 not solved, 2 the task or the command is wrong.

use super::{Stop, input};
use serde_json::json;
use std::path::{Path, PathBuf};
use vitrine_core::judge::{Judgement, Programs, Task, TaskFinding, judge};

/// Judge an answer to a task
#[derive(clap::Args)]
pub(crate) struct Judge {
    /// The task, as text; or a lesson (`.md`) or a folder of lessons, to judge the answers of a class
    #[arg(value_name = "TASK")]
    task: PathBuf,
    /// The answer: a program, or a text with blocks, edges, values, a number or a word; `-` for standard input. With a lesson:
    /// files `answers.json` that its page saved
    #[arg(value_name = "FILE", required = true)]
    answers: Vec<PathBuf>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

impl Judge {
    pub(crate) fn run(self) -> Result<(), Stop> {
        if self.task.is_dir() || self.task.extension().is_some_and(|extension| extension == "md") {
            return super::judge_class::run(&self.task, &self.answers, self.json);
        }
        let [answer] = &self.answers[..] else {
            return Err(Stop::Misused(
                "a task has one answer; several files are judged with a lesson".to_owned(),
            ));
        };
        let title = self.task.display().to_string();
        let wrong = |sentence: String| Stop::Misused(format!("{title}: {sentence}"));
        let text = String::from_utf8(input::read_bytes(&self.task)?);
        let text = text.map_err(|_| wrong("a task is text in UTF-8".to_owned()))?;
        let task = Task::parse(&text).map_err(|error| wrong(error.to_string()))?;
        let programs = programs(&task, &self.task)?;
        let answer = input::read_bytes(answer)?;
        let judgement = judge(&task, &programs, &answer).map_err(wrong)?;
        input::print(&if self.json { as_json(&judgement) } else { as_text(&judgement) });
        match judgement.passed() {
            true => Ok(()),
            false => Err(Stop::Diagnosed),
        }
    }
}

/// The programs that the checks of a task name, read from its folder.
fn programs(task: &Task, file: &Path) -> Result<Programs, Stop> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let start = task.start.as_ref().map(|file| ("start", file));
    let further = task.programs.iter().map(|(name, file)| (name.as_str(), file));
    let read = |(name, file): (&str, &String)| Ok((name.to_owned(), input::read_bytes(&folder.join(file))?));
    start.into_iter().chain(further).map(read).collect()
}

fn as_text(judgement: &Judgement) -> String {
    let line = |finding: &TaskFinding| {
        format!("{}  {}: {}\n", if finding.passed { "pass" } else { "fail" }, finding.check, finding.sentence)
    };
    let mut out: String = judgement.findings.iter().map(line).collect();
    out.push_str(if judgement.passed() { "solved\n" } else { "not solved\n" });
    out
}

fn as_json(judgement: &Judgement) -> String {
    let one = |finding: &TaskFinding| {
        json!({
            "check": finding.check,
            "passed": finding.passed,
            "sentence": finding.sentence,
            "marks": finding.marks,
        })
    };
    let findings: Vec<_> = judgement.findings.iter().map(one).collect();
    super::json::pretty(&json!({ "solved": judgement.passed(), "findings": findings }))
}

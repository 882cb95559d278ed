//! `vitrine judge LESSON answers.json …`: judges the answers that pages of lessons saved, as a table with a row for each file.
//!
//! ```text
//!                edge    merges  tree
//! ada.json       solved  solved  -          `-`: no answer
//! grace.json     solved  no      -
//! ```
//!
//! Every answer is judged again: the file is not trusted. Exit status: 0 all files were judged, 2 one cannot be read.

use super::{Stop, input, lesson};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vitrine_core::judge::{Programs, Task, judge};
use vitrine_lessons::Lesson;

/// A task of a lesson, ready to judge.
struct Known {
    task: Task,
    programs: Programs,
}

/// The tasks by lesson and id, in the order of the lessons.
type Tasks = Vec<((String, String), Known)>;

/// The verdict about one task.
struct Verdict {
    /// None without an answer.
    solved: Option<bool>,
    /// The sentence of the first check that failed.
    sentence: String,
}

pub(super) fn run(lessons: &Path, files: &[PathBuf], as_json: bool) -> Result<(), Stop> {
    let tasks = tasks(lessons)?;
    if tasks.is_empty() {
        return Err(Stop::Misused(format!("{}: there are no tasks", lessons.display())));
    }
    let rows = files.iter().map(|file| row(file, &tasks)).collect::<Result<Vec<_>, _>>()?;
    input::print(&if as_json { in_json(&tasks, &rows) } else { table(&tasks, &rows) });
    Ok(())
}

/// The tasks of a lesson, or of all lessons in a folder.
fn tasks(path: &Path) -> Result<Tasks, Stop> {
    let unreadable = |error: std::io::Error| Stop::Misused(format!("{}: {error}", path.display()));
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        files = vec![path.join("lesson.md")];
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            files.push(entry.map_err(unreadable)?.path().join("lesson.md"));
        }
        files.retain(|file| file.is_file());
    }
    let mut lessons: Vec<Lesson> = files.iter().map(|file| lesson::read(file)).collect::<Result<_, _>>()?;
    lessons.sort_by(|a, b| (a.number, &a.slug).cmp(&(b.number, &b.slug)));
    let mut out = Tasks::new();
    for lesson in &lessons {
        for of in lesson.tasks() {
            let wrong = |why: String| Stop::Misused(format!("{}: {}: {why}", lesson.slug, of.file));
            let task = Task::parse(&of.source).map_err(|error| wrong(error.to_string()))?;
            let file = |name: &str| Ok(lesson.file(name).map_err(wrong)?.as_bytes().to_vec());
            let mut programs = Programs::from([("start".to_owned(), file(&of.start)?)]);
            for (name, path) in &task.programs {
                programs.insert(name.clone(), file(path)?);
            }
            out.push(((lesson.slug.clone(), of.id.clone()), Known { task, programs }));
        }
    }
    Ok(out)
}

/// The name of a learner, and the verdict about each task.
fn row(file: &Path, tasks: &Tasks) -> Result<(String, Vec<Verdict>), Stop> {
    let title = file.display().to_string();
    let wrong = |why: &str| Stop::Misused(format!("{title}: {why}: expected a file that a lesson saved"));
    let parsed: Value =
        serde_json::from_slice(&input::read_bytes(file)?).map_err(|error| wrong(&error.to_string()))?;
    if parsed["format"] != "vitrine-answers" || parsed["version"] != 1 {
        return Err(wrong("it is not `vitrine-answers` of version 1"));
    }
    let mut answers: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for one in parsed["answers"].as_array().ok_or_else(|| wrong("there is no list `answers`"))? {
        match (one["lesson"].as_str(), one["task"].as_str(), one["answer"].as_str()) {
            (Some(lesson), Some(task), Some(answer)) => answers.insert((lesson, task), answer),
            _ => return Err(wrong("an answer has no `lesson`, `task` or `answer`")),
        };
    }
    let verdict = |((lesson, id), known): &((String, String), Known)| {
        let Some(answer) = answers.get(&(lesson.as_str(), id.as_str())) else {
            return Ok(Verdict { solved: None, sentence: String::new() });
        };
        let judgement = judge(&known.task, &known.programs, answer.as_bytes())
            .map_err(|why| Stop::Misused(format!("{lesson}: {id}: {why}")))?;
        let failed = judgement.findings.iter().find(|finding| !finding.passed);
        let sentence = failed.map_or(String::new(), |finding| finding.sentence.clone());
        Ok(Verdict { solved: Some(judgement.passed()), sentence })
    };
    let verdicts = tasks.iter().map(verdict).collect::<Result<_, Stop>>()?;
    let name = parsed["name"].as_str().filter(|name| !name.is_empty());
    let file_name = || file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name.map_or_else(file_name, str::to_owned), verdicts))
}

fn words(verdict: &Verdict) -> &'static str {
    match verdict.solved {
        Some(true) => "solved",
        Some(false) => "no",
        None => "-",
    }
}

fn table(tasks: &Tasks, rows: &[(String, Vec<Verdict>)]) -> String {
    let is_one = tasks.iter().all(|((lesson, _), _)| *lesson == tasks[0].0.0);
    let heads =
        tasks.iter().map(|((lesson, id), _)| if is_one { id.clone() } else { format!("{lesson}/{id}") });
    let mut cells: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(heads).chain(["solved".to_owned()]).collect()];
    for (name, verdicts) in rows {
        let count = verdicts.iter().filter(|verdict| verdict.solved == Some(true)).count();
        let mut row = vec![name.clone()];
        row.extend(verdicts.iter().map(|verdict| words(verdict).to_owned()));
        row.push(format!("{count} of {}", verdicts.len()));
        cells.push(row);
    }
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..tasks.len() + 2).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    cells.iter().map(line).collect()
}

fn in_json(tasks: &Tasks, rows: &[(String, Vec<Verdict>)]) -> String {
    let one = |(name, verdicts): &(String, Vec<Verdict>)| {
        let results = tasks.iter().zip(verdicts).map(|(((lesson, id), _), verdict)| {
            json!({ "lesson": lesson, "task": id, "solved": verdict.solved, "sentence": verdict.sentence })
        });
        json!({ "name": name, "results": results.collect::<Vec<_>>() })
    };
    super::json::pretty(&json!(rows.iter().map(one).collect::<Vec<_>>()))
}

//! The mistakes of a lesson that need the compiler: tasks that cannot be judged or are solved by their start program, and figures
//! that cannot be drawn.

use super::compute::compute;
use crate::judge::{Programs, Task, judge};
use std::collections::BTreeMap;
use vitrine_lessons::{Lesson, LessonError, Part, jobs};

/// Checks every task and computes every figure; returns the computed parts by the names of their placeholders. Errors: all
/// mistakes, in order.
pub fn check(lesson: &Lesson) -> Result<BTreeMap<String, String>, Vec<LessonError>> {
    let mut errors: Vec<LessonError> = Vec::new();
    let mut parts = BTreeMap::new();
    for (line, part) in lesson.placed() {
        if let Part::Task(of) = part {
            errors.extend(task(lesson, line, of).err());
        }
    }
    for job in jobs(lesson) {
        let id = job.name.rsplit(':').next().unwrap_or_default();
        let line = lesson.placed().find_map(|(line, part)| match part {
            Part::Figure(of) if of.id == id => Some(line),
            Part::Task(of) if of.id == id => Some(line),
            Part::Text(_)
            | Part::Figure(_)
            | Part::Predict(_)
            | Part::Task(_)
            | Part::Note(_)
            | Part::Presenter(_) => None,
        });
        let input = lesson.file(&job.program).unwrap_or_default();
        match compute(&job, input.as_bytes()) {
            Ok(computed) => parts.extend(computed),
            Err(why) => errors.push(LessonError::new(
                line.unwrap_or(1),
                format!("{}: {why}", job.program),
                "run the program with `vitrine show`, and repair it or the block",
            )),
        }
    }
    errors.sort_by_key(|error| error.line);
    if errors.is_empty() { Ok(parts) } else { Err(errors) }
}

/// Requires that a task can be judged, that its start program does not solve it, and that its solution does.
fn task(lesson: &Lesson, line: usize, of: &vitrine_lessons::Task) -> Result<(), LessonError> {
    let at_block = |sentence: String, fix: &str| LessonError::new(line, sentence, fix);
    let task = Task::parse(&of.source).map_err(|why| {
        let fix = "see `vitrine judge` and the guide for teachers";
        match lesson.inside.get(&of.file) {
            Some(first) => LessonError::new(first + why.line - 1, why.sentence, fix),
            None => {
                LessonError { file: Some(of.file.clone()), ..LessonError::new(why.line, why.sentence, fix) }
            }
        }
    })?;
    let file = |name: &str| lesson.file(name).unwrap_or_default().as_bytes().to_vec();
    let further = task.programs.iter().map(|(name, path)| (name.clone(), file(path)));
    let programs: Programs = further.chain([("start".to_owned(), file(&of.start))]).collect();
    let (wrong, right) = match (&task.solution, &task.answer) {
        (Some(solution), None) => (file(&of.start), file(solution)),
        (None, Some(answer)) => (Vec::new(), answer.clone().into_bytes()),
        (None, None) => {
            let fix = "add a line `solution: FILE`, or `answer: …`";
            return Err(at_block(format!("the task {} has no solution", of.file), fix));
        }
        (Some(_), Some(_)) => {
            let fix = "keep one of the lines `solution:` and `answer:`";
            return Err(at_block(format!("the task {} has two solutions", of.file), fix));
        }
    };
    let judged = |answer: &[u8]| {
        judge(&task, &programs, answer)
            .map_err(|why| at_block(format!("{}: {why}", of.file), "repair the program"))
    };
    if judged(&wrong)?.passed() {
        let fix = "add a check that the start program fails";
        return Err(at_block(format!("the task {} is solved from the start", of.file), fix));
    }
    let solved = judged(&right)?;
    match solved.findings.iter().find(|finding| !finding.passed) {
        None => Ok(()),
        Some(finding) => Err(at_block(
            format!("the solution of {} fails: {}: {}", of.file, finding.check, finding.sentence),
            "repair the solution or the check",
        )),
    }
}

//! The course: lessons in Markdown (`www/learn/SLUG/lesson.md`) as static pages (`learn/SLUG/index.html`).
//!
//! ```text
//! lesson.md ──► source ──► page ──► pack, which fills the placeholders
//! programs  ──► jobs ──► an example of vitrine-web, which computes their texts and graphs
//! ```
//!
//! Programs and tasks are files beside the lesson. They are part of the page, and not files of the site.

mod source; // start here: the text of a lesson
mod markdown; // Markdown as HTML
mod blocks; // figures, questions, tasks
mod page; // whole pages
#[cfg(test)]
mod prose; // sections, links, sentences
#[cfg(test)]
mod tests; // rules for lessons

use crate::report::{Error, Result};
use crate::site::Files;
use std::collections::BTreeMap;

pub use source::Lesson;

/// The folder of the lessons in the site.
const FOLDER: &str = "learn/";

/// Takes the sources of the lessons from the files of the site; returns them in order.
pub fn take(files: &mut Files) -> Result<Vec<Lesson>> {
    let mut folders: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let inside: Vec<String> = files.keys().filter(|path| path.starts_with(FOLDER)).cloned().collect();
    for path in inside {
        let Some((slug, name)) = path.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        let bytes = files.get(&path).cloned().unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| wrong(slug, format!("{name} is not UTF-8")))?;
        folders.entry(slug.to_owned()).or_default().insert(name.to_owned(), text);
        files.remove(&path);
    }
    let read = |(slug, files): (String, _)| Lesson::read(&slug, files).map_err(|why| wrong(&slug, why));
    let mut lessons = folders.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    lessons.sort_by_key(|lesson| lesson.number);
    Ok(lessons)
}

fn wrong(slug: &str, why: String) -> Error {
    Error::new("reading the lessons")
        .reason(format!("www/{FOLDER}{slug}: {why}"))
        .fix("compare the lesson with xtask/src/site/lessons/source.rs")
}

/// Adds the pages of the lessons and the contents.
pub fn add_pages(lessons: &[Lesson], files: &mut Files) -> Result {
    if lessons.is_empty() {
        return Ok(());
    }
    for lesson in lessons {
        let page = page::lesson(lessons, lesson).map_err(|why| wrong(&lesson.slug, why))?;
        files.insert(format!("{FOLDER}{}/index.html", lesson.slug), page.into_bytes());
    }
    files.insert(format!("{FOLDER}index.html"), page::contents(lessons).into_bytes());
    Ok(())
}

/// The computed parts of the pages: a line for each program, with tabs between its fields. `web/examples/course.rs` reads them.
///
/// ```text
/// NAME  PROGRAM  PIPELINE  VERSIONS  graph,ir,module  FACTS  DIAGNOSTIC
/// ```
pub fn jobs(lessons: &[Lesson]) -> String {
    let mut out = String::new();
    for lesson in lessons {
        let mut job = |id: &str, program: &str, rest: [&str; 5]| {
            let name = format!("{}:{id}", lesson.slug);
            let path = format!("www/{FOLDER}{}/{program}", lesson.slug);
            out.push_str(&format!("{name}\t{path}\t{}\n", rest.join("\t")));
        };
        for figure in lesson.figures() {
            let versions: Vec<String> = figure.stages.iter().map(|(at, _)| at.to_string()).collect();
            let text = if figure.is_whole { "ir,module" } else { "ir" };
            let has = [(figure.has_graph, "graph"), (figure.has_text, text)];
            let views: Vec<&str> = has.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
            let diagnostic = figure.diagnostic.as_deref().unwrap_or_default();
            let rest = [
                &figure.pipeline,
                &versions.join(","),
                &views.join(","),
                &figure.marks.join(";"),
                diagnostic,
            ];
            job(&figure.id, &figure.program, rest);
        }
        for task in lesson.tasks() {
            job(&task.id, &task.start, ["", "0", "graph,ir,module", "", ""]);
            if let Some(solution) = &task.solution {
                job(&task.id, solution, ["", "", "solution", "", ""]);
            }
        }
    }
    out
}

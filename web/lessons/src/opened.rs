//! A lesson that the reader opens on the page `learn/open/`: the same main part as that of a lesson of the course.
//!
//! Nothing is computed here: the compiler of the page computes figures when they are on the screen. Solutions are shown as they
//! were written. Refuses what [`Lesson::read`] refuses.

use crate::blocks::Place;
use crate::error::LessonError;
use crate::job::fill_with;
use crate::markdown::escape;
use crate::page;
use crate::source::Lesson;
use std::collections::BTreeMap;

/// A lesson for the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opened {
    /// The title.
    pub title: String,
    /// The main part of the page.
    pub html: String,
}

/// Makes the main part of a lesson; `files` are those beside it, by name.
pub fn opened(slug: &str, text: &str, files: BTreeMap<String, String>) -> Result<Opened, LessonError> {
    let of = Lesson::read(slug, text, files)?;
    let place = Place { playground: Some("../../"), is_live: true, hides_solutions: false };
    let parts = page::parts(&of, place)?;
    let solution = |name: &str| -> String {
        let id = name.strip_suffix(":solution").and_then(|name| name.strip_prefix(slug)?.strip_prefix(':'));
        let task = id.and_then(|id| of.tasks().find(|task| task.id == id));
        let file = task.and_then(|task| task.solution.as_deref()).and_then(|name| of.file(name).ok());
        file.map_or_else(String::new, escape)
    };
    let parts = fill_with(&parts, |name| Some(solution(name)));
    let parts = parts.map_err(|why| LessonError::new(1, why, "see the guide for teachers"))?;
    let saving = match of.tasks().next() {
        Some(_) => page::SAVE_ANSWERS,
        None => "",
    };
    let html = format!(
        "<h1>{}</h1>\n<p class=\"facts\">{} minutes · <a href=\"?slides\" class=\"slides-link\">Slides</a></p>\n{parts}{saving}",
        escape(&of.title),
        of.minutes
    );
    Ok(Opened { title: of.title.clone(), html })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = "---\ntitle: A & B\nminutes: 5\nsummary: C.\n---\n## D\n\n:::figure id=f program=a.ir\nE.\n:::\n\
         :::task id=u title=U file=b.task\n:::\n:::file b.task\nDo it.\nstart: a.ir\ncheck: blocks = 2\nsolution: b.ir\n:::\n\
         :::file b.ir\nfunc @s_0() graph {\n^0:\n  goto ^1\n^1:\n  return\n}\n:::\n";

    #[test]
    fn figures_wait_for_the_compiler_and_solutions_are_there() {
        let files =
            BTreeMap::from([("a.ir".to_owned(), "func @f_0() graph {\n^0:\n  return\n}\n".to_owned())]);
        let Opened { title, html } = opened("a", LESSON, files).unwrap();
        assert!(title == "A & B" && html.contains("<h1>A &amp; B</h1>"), "{html}");
        assert!(!html.contains("{{") && html.contains("aria-label=\"Graph: a.ir\"></div>"), "{html}");
        assert!(html.contains("aria-label=\"The solution\">func @s_0() graph {"), "{html}");
        assert!(html.contains("id=\"save-answers\""));
    }

    #[test]
    fn a_mistake_has_its_line() {
        let why = opened("a", LESSON, BTreeMap::new()).unwrap_err();
        assert!(why.line == 8 && why.sentence.contains("a.ir"), "{why}");
        assert_eq!(opened("a", "no front matter", BTreeMap::new()).unwrap_err().line, 1);
    }
}

//! A lesson as one page that needs no other file: styles and script are inside, and figures are computed.
//!
//! The page has no compiler. Figures go through their versions, questions are answered, and answers to tasks are kept and saved
//! as `answers.json`, which `vitrine judge` judges. If solutions are hidden, the page contains their salted hashes.

use crate::blocks::Place;
use crate::error::LessonError;
use crate::hashes::policy;
use crate::markdown::escape;
use crate::page;
use crate::source::Lesson;

/// The styles of the page, without fonts, which are files.
const STYLES: [&str; 5] = [
    include_str!("../../../www/style/base.css"),
    include_str!("../../../www/style/tokens.css"),
    include_str!("../../../www/lesson.css"),
    include_str!("../../../www/lessons.css"),
    include_str!("../../../www/figures.css"),
];

/// Makes the page live, as far as that needs no compiler.
const SCRIPT: &str = include_str!("../../../www/course.js");

/// The options of a page.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// The address of a playground, in which figures can be opened.
    pub playground: Option<String>,
    /// If set, hashes replace solutions.
    pub hides_solutions: bool,
}

/// The page of a lesson, with placeholders for its computed parts.
pub fn alone(of: &Lesson, options: &Alone) -> Result<String, LessonError> {
    let place = Place {
        playground: options.playground.as_deref(),
        is_live: false,
        hides_solutions: options.hides_solutions,
    };
    let parts = page::parts(of, place)?;
    let styles: String = STYLES
        .iter()
        .flat_map(|sheet| sheet.lines())
        .filter(|line| !line.starts_with("@font-face"))
        .map(|line| format!("{line}\n"))
        .collect();
    let (title, summary, slug) = (escape(&of.title), escape(&of.summary), escape(&of.slug));
    let saving = match of.tasks().next() {
        Some(_) => page::SAVE_ANSWERS,
        None => "",
    };
    Ok(format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"description\" content=\"{summary}\">
<meta name=\"referrer\" content=\"no-referrer\">
<title>{title}</title>
<style>{styles}</style>
</head>
<body class=\"lesson course\" data-slug=\"{slug}\" data-alone>
<main>
<h1>{title}</h1>
<p class=\"facts\">{} minutes · <a class=\"live\" href=\"?slides\">Slides</a></p>
{parts}{saving}</main>
<script type=\"module\">{SCRIPT}</script>
</body>
</html>
",
        policy(SCRIPT),
        policy(&styles),
        of.minutes
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const LESSON: &str = "---\ntitle: A & B\nminutes: 5\nsummary: C.\n---\n## D\n\n:::figure id=f program=a.ir\nE.\n:::\n\
         :::task id=t title=T file=a.task\n:::\n:::task id=u title=U file=b.task\n:::\n:::file a.ir\nfunc @f_0() graph {\n^0:\n  return\n}\n:::\n\
         :::file a.task\nHow many?\nstart: a.ir\ncheck: answer = blocks\nhint: Count.\nanswer: 71\n:::\n\
         :::file b.task\nDo it.\nstart: a.ir\ncheck: blocks = 2\nsolution: b.ir\n:::\n:::file b.ir\nfunc @secret_0() graph {\n^0:\n  goto ^1\n^1:\n  return\n}\n:::\n";

    fn made(options: &Alone) -> String {
        alone(&Lesson::read("a", LESSON, BTreeMap::new()).unwrap(), options).unwrap()
    }

    #[test]
    fn the_page_refers_to_no_file() {
        let page = made(&Alone::default());
        assert!(!page.contains("src=") && !page.contains("<link") && !page.contains("url("));
        assert!(
            page.contains("A &amp; B")
                && page.contains("Keep answer")
                && !page.contains("Open in the playground")
        );
        let address = Some("https://example.org/vitrine/".to_owned());
        let page = made(&Alone { playground: address, ..Alone::default() });
        assert!(page.contains("href=\"https://example.org/vitrine/#{{course:a:f:link}}\""));
    }

    #[test]
    fn hidden_solutions_are_not_in_the_page() {
        let page = made(&Alone::default());
        assert!(page.contains("<code>71</code>") && page.contains("{{course:a:u:solution}}"));
        let page = made(&Alone { hides_solutions: true, ..Alone::default() });
        assert!(
            !page.contains("<code>71</code>") && !page.contains("u:solution") && !page.contains("answer: 71")
        );
        assert!(page.contains("data-salt=\"") && !page.contains("secret"));
    }
}

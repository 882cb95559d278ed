//! The pages of the course: one for each lesson, and the contents.
//!
//! Addresses are permanent: `learn/` and `learn/SLUG/`. The pages load the style sheet of the older lesson and their own.

use crate::blocks::{self, Place};
use crate::error::LessonError;
use crate::markdown::escape;
use crate::source::{Lesson, Part};
use std::fmt::Write;

/// The number of lessons of the course; others are extras.
const COURSE: u32 = 12;

/// The end of a page with tasks that is no page of the course.
pub(crate) const SAVE_ANSWERS: &str = "<section class=\"live\" id=\"progress\">\n<h2>Your answers</h2>\n\
     <p class=\"buttons\"><button type=\"button\" id=\"save-answers\">Save answers</button></p>\n\
     <p role=\"status\" id=\"forgotten\">Answers are kept in this browser only.</p>\n</section>\n";

/// The scripts of a page: one makes a lesson live, one opens lessons of the reader.
const LEARN: &[&str] = &["learn.js"];
const CONTENTS: &[&str] = &["learn.js", "open-lesson.js"];
const OPEN: &[&str] = &["open-lesson.js"];

struct Head<'t> {
    /// The path from the page to the site.
    up: &'t str,
    title: &'t str,
    summary: &'t str,
    body: String,
    scripts: &'t [&'t str],
    /// The link at the top: address and words.
    back: [&'t str; 2],
}

/// A whole page around `main`.
fn page(head: &Head<'_>, main: &str) -> String {
    let Head { up, body, back: [to, words], .. } = head;
    let (title, summary) = (escape(head.title), escape(head.summary));
    let script = |name: &&str| format!("<script type=\"module\" src=\"{up}{name}\"></script>\n");
    let scripts: String = head.scripts.iter().chain(&["reference.js"]).map(script).collect();
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"description\" content=\"{summary}\">
<meta property=\"og:title\" content=\"{title}\">
<meta property=\"og:description\" content=\"{summary}\">
<meta property=\"og:image\" content=\"{up}pictures/card.png\">
<meta property=\"og:image:alt\" content=\"The graph and the IR of a shader\">
<meta name=\"twitter:card\" content=\"summary_large_image\">
<meta name=\"referrer\" content=\"no-referrer\">
<title>{title} – Vitrine</title>
<script src=\"{up}theme.js\"></script>
<link rel=\"stylesheet\" href=\"{up}style.css\">
<link rel=\"stylesheet\" href=\"{up}lesson.css\">
<link rel=\"stylesheet\" href=\"{up}lessons.css\">
<link rel=\"stylesheet\" href=\"{up}figures.css\">
<link rel=\"icon\" href=\"{up}icon.svg\" type=\"image/svg+xml\">
{scripts}</head>
<body class=\"lesson course\" data-up=\"{up}\" data-worker=\"{up}tutor.js\"{body}>
<header><nav aria-label=\"Site\"><a href=\"{to}\">← {words}</a> <a href=\"{up}glossary/\">Glossary</a> <a href=\"{up}ref/\">Reference</a></nav>
<search id=\"search\"><input type=\"search\" placeholder=\"Search ( / )\" aria-label=\"Search terms, reference and lessons\" autocomplete=\"off\" spellcheck=\"false\"></search></header>
<main>
{main}</main>
</body>
</html>
"
    )
}

/// The page of a lesson; `all` are in order. Errors: a sentence.
pub fn lesson(all: &[Lesson], of: &Lesson) -> Result<String, LessonError> {
    let place = Place { playground: Some("../../"), is_live: true, hides_solutions: false };
    let mut main = format!(
        "<h1>{}. {}</h1>\n<p class=\"facts\">{} minutes{} · <a class=\"live\" href=\"?slides\">Slides</a></p>\n",
        of.number,
        escape(&of.title),
        of.minutes,
        prerequisites(all, of)
    );
    main.push_str(&parts(of, place)?);
    let link = |to: Option<Neighbor<'_>>, rel: &str, words: &str| {
        to.map_or(String::new(), |(address, number, title)| {
            let title = escape(title);
            format!("<a rel=\"{rel}\" href=\"{address}\"><small>{words}</small> {number}. {title}</a>")
        })
    };
    let _ = writeln!(
        main,
        "<nav class=\"around\" aria-label=\"Lessons\">{}{}</nav>",
        link(neighbor(all, of.number.checked_sub(1)), "prev", "Previous"),
        link(neighbor(all, of.number.checked_add(1)), "next", "Next")
    );
    let head = Head {
        up: "../../",
        title: &of.title,
        summary: &of.summary,
        body: format!(" data-slug=\"{}\"", of.slug),
        scripts: LEARN,
        back: ["../", "All lessons"],
    };
    Ok(page(&head, &main))
}

/// The HTML of all parts. Errors: a sentence with its line.
pub(crate) fn parts(of: &Lesson, place: Place<'_>) -> Result<String, LessonError> {
    let one = |(line, part): (usize, &Part)| {
        let fix = "see the guide for teachers";
        blocks::part(of, part, place).map_err(|why| LessonError::new(line, why, fix))
    };
    of.placed().map(one).collect()
}

/// The address from the page of a lesson, the number and the title of another lesson.
type Neighbor<'t> = (String, u32, &'t str);

fn neighbor(all: &[Lesson], number: Option<u32>) -> Option<Neighbor<'_>> {
    let of = all.iter().find(|of| Some(of.number) == number)?;
    Some((format!("../{}/", of.slug), of.number, &of.title))
}

fn prerequisites(all: &[Lesson], of: &Lesson) -> String {
    let named = of.prerequisites.iter().filter_map(|slug| all.iter().find(|other| other.slug == *slug));
    let links: Vec<String> =
        named.map(|other| format!("<a href=\"../{}/\">{}</a>", other.slug, escape(&other.title))).collect();
    match links.is_empty() {
        true => " · requires some GLSL".to_owned(),
        false => format!(" · after {}", links.join(", ")),
    }
}

/// The contents of the course.
pub fn contents(all: &[Lesson]) -> String {
    let mut main = "<h1>How a shader compiler works</h1>
<p>These lessons explain a shader compiler to readers who know GLSL. Every figure is output of the compiler of this site,
and the same compiler judges the tasks. With JavaScript it runs on the page, and every program can be changed. Nothing leaves your
browser.</p>
<p class=\"live\" id=\"continue\"></p>
<ol class=\"contents\">
"
    .to_owned();
    let (course, extras): (Vec<&Lesson>, Vec<&Lesson>) = all.iter().partition(|of| of.number <= COURSE);
    main.extend(course.into_iter().map(entry));
    main.push_str("</ol>\n");
    if !extras.is_empty() {
        main.push_str("<h2>Extras</h2>\n<ol class=\"contents\">\n");
        main.extend(extras.into_iter().map(entry));
        main.push_str("</ol>\n");
    }
    main.push_str(
        "<h2>For teachers</h2>\n<p><a href=\"teachers/\">Lessons of your own</a>: their format, the judge, answers of a class.</p>\n",
    );
    main.push_str(&opening("Open a lesson of your own"));
    main.push_str(
        "<section class=\"live\" id=\"progress\">\n<h2>Your progress</h2>\n\
         <p class=\"buttons\"><button type=\"button\" id=\"save-answers\">Save answers</button>\
         <label class=\"button\">Load answers <input type=\"file\" id=\"load-answers\" accept=\".json,application/json\"></label>\
         <button type=\"button\" id=\"forget\">Forget my progress</button></p>\n\
         <p role=\"status\" id=\"forgotten\">Progress is kept in this browser only.</p>\n</section>\n",
    );
    let head = Head {
        up: "../",
        title: "How a shader compiler works",
        summary: "Lessons about shader compilers, with figures and tasks by a compiler that runs in the page.",
        body: String::new(),
        scripts: CONTENTS,
        back: ["../", "Vitrine, the playground"],
    };
    page(&head, &main)
}

/// The form that opens a lesson of the reader.
fn opening(title: &str) -> String {
    format!(
        "<section class=\"live opening\">\n<h2>{title}</h2>\n<p>Drop a folder with <code>lesson.md</code>, or one file \
         <code>.md</code>, on this page. Nothing is sent to a server.</p>\n<p class=\"buttons\"><label class=\"button\">Choose files \
         <input type=\"file\" id=\"lesson-files\" multiple></label></p>\n\
         <p role=\"status\" id=\"opening-status\"></p>\n</section>\n"
    )
}

/// The page that shows a lesson of the reader: from files, or from the part of its address after `#`.
pub fn open_page() -> String {
    let main = format!(
        "<h1>A lesson of your own</h1>\n<p>The <a href=\"../teachers/\">guide for teachers</a> describes the format of lessons.</p>\n{}\
         <p class=\"still\">This page needs JavaScript. <code>vitrine lesson</code> makes a page that reads without it.</p>\n",
        opening("Open a lesson")
    );
    let head = Head {
        up: "../../",
        title: "A lesson of your own",
        summary: "Shows a lesson from a file, a folder or a link, with the compiler of this site.",
        body: " data-open".to_owned(),
        scripts: OPEN,
        back: ["../", "All lessons"],
    };
    page(&head, &main)
}

/// The page of a guide: Markdown with a title and a summary. `parts` replaces placeholders `{{NAME}}` in it. Errors: a sentence.
pub fn guide(of: &Lesson) -> Result<String, LessonError> {
    let place = Place { playground: Some("../../"), is_live: true, hides_solutions: false };
    let main = format!("<h1>{}</h1>\n{}", escape(&of.title), parts(of, place)?);
    let head = Head {
        up: "../../",
        title: &of.title,
        summary: &of.summary,
        body: format!(" data-slug=\"{}\"", of.slug),
        scripts: LEARN,
        back: ["../", "All lessons"],
    };
    Ok(page(&head, &main))
}

fn entry(of: &Lesson) -> String {
    format!(
        "<li value=\"{}\" data-slug=\"{}\" data-tasks=\"{}\"><h2><a href=\"{}/\">{}</a></h2><p>{}</p>\
         <p class=\"facts\">{} minutes <span class=\"progress\"></span></p></li>\n",
        of.number,
        of.slug,
        of.tasks().count(),
        of.slug,
        escape(&of.title),
        escape(&of.summary),
        of.minutes
    )
}

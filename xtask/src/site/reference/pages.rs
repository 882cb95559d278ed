//! The pages of the reference: one for each entry, one for each kind, and the list of kinds.
//!
//! All have the frame of one template, whose references `pack` has replaced; the template is three folders below the site.

use super::links::Names;
use super::records::{Block, Record};
use crate::site::Files;
use std::collections::BTreeSet;
use std::fmt::Write;
use vitrine_lessons::{Lesson, Part, markdown};

/// The path from the template to the site.
const UP: &str = "../../../";

/// The parts of the template that each page replaces; no placeholders, which `pack` fills.
const TITLE: &str = "TITLE-OF-THE-PAGE";
const SUMMARY: &str = "SUMMARY-OF-THE-PAGE";
const MAIN: &str = "MAIN-OF-THE-PAGE";

/// The kinds: folder, plural, and a sentence.
pub const KINDS: [(&str, &str, &str); 8] = [
    ("pass", "Passes", "Transformations of a program, which a pipeline runs in order."),
    ("preset", "Presets", "Named pipelines, with the reason for each pass."),
    ("analysis", "Analyses", "Facts about a program, which passes use and views show."),
    ("op", "Operations", "The instructions of the IR, with their results for corner cases."),
    ("rule", "Rules", "Algebraic rewrites, each checked against the semantics of operations."),
    ("diag", "Diagnostics", "Errors and warnings by code, with a program that has each and its repair."),
    ("front-end", "Front ends", "Languages that can be read."),
    ("back-end", "Back ends", "Forms that can be written."),
];

/// The frame of every page.
pub fn template() -> String {
    frame(UP, TITLE, SUMMARY, MAIN)
}

/// A page of the glossary or the reference.
pub fn frame(up: &str, title: &str, summary: &str, main: &str) -> String {
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"description\" content=\"{summary}\">
<meta name=\"referrer\" content=\"no-referrer\">
<title>{title} – Vitrine</title>
<script src=\"{up}theme.js\"></script>
<link rel=\"stylesheet\" href=\"{up}style.css\">
<link rel=\"stylesheet\" href=\"{up}lesson.css\">
<link rel=\"stylesheet\" href=\"{up}reference.css\">
<link rel=\"icon\" href=\"{up}icon.svg\" type=\"image/svg+xml\">
<script type=\"module\" src=\"{up}reference.js\"></script>
</head>
<body class=\"lesson reference\" data-up=\"{up}\">
<header><nav aria-label=\"Site\"><a href=\"{up}\">Playground</a> <a href=\"{up}learn/\">Lessons</a> <a href=\"{up}glossary/\">Glossary</a> <a href=\"{up}ref/\">Reference</a></nav>
<search id=\"search\"><input type=\"search\" placeholder=\"Search ( / )\" aria-label=\"Search terms, reference and lessons\" autocomplete=\"off\" spellcheck=\"false\"></search></header>
<main>
{main}</main>
</body>
</html>
"
    )
}

/// A page from the template, `depth` folders below the site.
pub fn fill(template: &str, depth: usize, title: &str, summary: &str, main: &str) -> String {
    let up = if depth == 0 { "./".to_owned() } else { "../".repeat(depth) };
    // The main part last: it may contain any words.
    template
        .replace(UP, &up)
        .replace(TITLE, &markdown::escape(title))
        .replace(SUMMARY, &markdown::escape(summary))
        .replace(MAIN, main)
}

/// All pages by their path.
pub fn all(records: &[Record], lessons: &[Lesson], template: &str) -> Result<Files, String> {
    let names = Names::of(records);
    let mut out = Files::new();
    let uses: Vec<(&Lesson, BTreeSet<String>)> = lessons.iter().map(|of| (of, code_of(of))).collect();
    for (at, record) in records.iter().enumerate() {
        let mut main = entry(record, &names).map_err(|why| format!("{}: {why}", record.address()))?;
        main.push_str(&in_lessons(record, &uses, &names));
        main.push_str(&around(records, at));
        let page = fill(template, 3, &record.name, &record.summary, &main);
        out.insert(format!("{}index.html", record.address()), page.into_bytes());
    }
    for (kind, plural, sentence) in KINDS {
        let main = list(records, kind, plural, sentence, &names)?;
        out.insert(format!("ref/{kind}/index.html"), fill(template, 2, plural, sentence, &main).into_bytes());
    }
    let (title, sentence) =
        ("Reference", "Passes, operations, rules, analyses, presets and diagnostics of the compiler.");
    let mut main = format!(
        "<h1>{title}</h1>\n<p>{sentence} The pages are made from the compiler: every example is what it does today.</p>\n<dl>\n"
    );
    for (kind, plural, sentence) in KINDS {
        let count = records.iter().filter(|record| record.kind == kind).count();
        let _ = writeln!(main, "<dt><a href=\"{kind}/\">{plural}</a> ({count})</dt><dd>{sentence}</dd>");
    }
    main.push_str("</dl>\n");
    out.insert("ref/index.html".to_owned(), fill(template, 1, title, sentence, &main).into_bytes());
    Ok(out)
}

/// The main part of the page of an entry.
fn entry(record: &Record, names: &Names) -> Result<String, String> {
    let plural = KINDS.iter().find(|(kind, ..)| *kind == record.kind).map(|(_, plural, _)| *plural);
    let plural = plural.ok_or_else(|| format!("the kind {} is unknown", record.kind))?;
    let mut main = format!(
        "<p class=\"kind\"><a href=\"../\">{plural}</a></p>\n<h1>{}</h1>\n",
        markdown::escape(&record.name)
    );
    for block in &record.blocks {
        match block {
            Block::Markdown(text) => main.push_str(&names.link(&rendered(text)?, UP, &record.address())),
            Block::Html(html) => {
                main.push_str(html);
                main.push('\n');
            }
        }
    }
    Ok(main)
}

/// Markdown of the compiler's documentation, whose angle brackets are text.
fn rendered(text: &str) -> Result<String, String> {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        match is_code {
            true => escaped.push_str(line),
            // Outside of code between backticks.
            false => {
                for (at, part) in line.split('`').enumerate() {
                    escaped.push_str(if at > 0 { "`" } else { "" });
                    escaped.push_str(&if at % 2 == 0 { part.replace('<', "&lt;") } else { part.to_owned() });
                }
            }
        }
        escaped.push('\n');
    }
    markdown::to_html(&escaped)
}

/// The code that a lesson names in its text.
fn code_of(lesson: &Lesson) -> BTreeSet<String> {
    let texts = lesson.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Presenter(text) => text.as_str(),
        Part::Note(note) => note.text.as_str(),
        Part::Figure(figure) => figure.caption.as_str(),
        Part::Task(task) => task.statement.as_str(),
        Part::Predict(predict) => predict.question.as_str(),
    });
    let mut out: BTreeSet<String> = BTreeSet::new();
    for text in texts {
        out.extend(text.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    for part in &lesson.parts {
        if let Part::Figure(figure) = part {
            let words = figure.pipeline.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            out.extend(words.map(str::to_owned));
        }
    }
    out
}

/// The lessons that name an entry.
fn in_lessons(record: &Record, uses: &[(&Lesson, BTreeSet<String>)], names: &Names) -> String {
    let address = record.address();
    let is_it = |code: &String| names.address(code, "").as_deref() == Some(address.as_str());
    let links: Vec<String> = uses
        .iter()
        .filter(|(_, code)| code.iter().any(is_it))
        .map(|(lesson, _)| {
            format!("<a href=\"{UP}learn/{}/\">{}</a>", lesson.slug, markdown::escape(&lesson.title))
        })
        .collect();
    match links.is_empty() {
        true => String::new(),
        false => format!("<h2>Lessons</h2>\n<p>{}</p>\n", links.join(", ")),
    }
}

/// Links to the entries before and after, of the same kind.
fn around(records: &[Record], at: usize) -> String {
    let of = |at: Option<usize>| {
        at.and_then(|at| records.get(at))
            .filter(|other| records.get(at.unwrap_or(0)).is_some() && !other.name.is_empty())
    };
    let kind = records.get(at).map(|record| record.kind.as_str());
    let link =
        |other: Option<&Record>, rel: &str| match other.filter(|other| Some(other.kind.as_str()) == kind) {
            Some(other) => {
                let name = markdown::escape(&other.name);
                format!("<a rel=\"{rel}\" href=\"../{name}/\">{name}</a>")
            }
            None => "<span></span>".to_owned(),
        };
    format!(
        "<nav class=\"around\" aria-label=\"Entries before and after\">{}{}</nav>\n",
        link(of(at.checked_sub(1)), "prev"),
        link(of(at.checked_add(1)), "next")
    )
}

/// The main part of the list of a kind.
fn list(
    records: &[Record],
    kind: &str,
    plural: &str,
    sentence: &str,
    names: &Names,
) -> Result<String, String> {
    let mut main = format!(
        "<p class=\"kind\"><a href=\"../\">Reference</a></p>\n<h1>{plural}</h1>\n<p>{sentence}</p>\n"
    );
    let mut group: Option<&str> = None;
    for record in records.iter().filter(|record| record.kind == kind) {
        if group != Some(record.group.as_str()) {
            main.push_str(if group.is_some() { "</dl>\n" } else { "" });
            if !record.group.is_empty() {
                let _ = writeln!(
                    main,
                    "<h2 id=\"{}\">{}</h2>",
                    markdown::slug(&record.group),
                    markdown::escape(&record.group)
                );
            }
            main.push_str("<dl>\n");
            group = Some(&record.group);
        }
        let name = markdown::escape(&record.name);
        let html = rendered(&record.summary)?;
        let html = html.trim().trim_start_matches("<p>").trim_end_matches("</p>");
        let html = names.link(html, "../../", &record.address());
        let _ = writeln!(main, "<dt><a href=\"{name}/\"><code>{name}</code></a></dt><dd>{html}</dd>");
    }
    main.push_str(if group.is_some() { "</dl>\n" } else { "" });
    Ok(main)
}

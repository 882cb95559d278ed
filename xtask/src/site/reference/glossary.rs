//! The glossary: terms in groups, each with a definition of three lines at most, a figure if it helps, and links.
//!
//! ```text
//! // a comment
//! # Control flow                               a group
//! ## basic block | basic blocks                a term, and other forms of it
//! Markdown.
//! figure: cfg/diamond.ir | successors(^0)      a program of a lesson, and the facts that are marked in its graph
//! see: cfg, pass/dead-cf                       a lesson, or an entry of the reference
//! ```
//!
//! The address of a term is made from its first form: `glossary/#basic-block`. A term in bold in a lesson becomes a link.

use super::pages;
use crate::site::Files;
use std::fmt::Write;
use vitrine_lessons::{Job, Lesson, markdown};

/// A term.
#[derive(Debug, Default)]
pub struct Term {
    pub group: String,
    /// The term, and other forms of it.
    pub forms: Vec<String>,
    pub text: String,
    /// A program of a lesson, and the marked facts.
    pub figure: Option<(String, String)>,
    pub see: Vec<String>,
}

impl Term {
    /// Its address on the page.
    pub fn slug(&self) -> String {
        markdown::slug(self.name())
    }

    pub fn name(&self) -> &str {
        self.forms.first().map_or("", String::as_str)
    }
}

/// All terms in order.
#[derive(Debug, Default)]
pub struct Glossary(pub Vec<Term>);

impl Glossary {
    /// Reads the source. Errors: a sentence.
    pub fn read(text: &str) -> Result<Glossary, String> {
        let (mut out, mut group): (Vec<Term>, String) = (Vec::new(), String::new());
        for (number, line) in text.lines().enumerate() {
            let wrong = |why: &str| format!("glossary.md:{}: {why}", number + 1);
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            if let Some(name) = line.strip_prefix("# ") {
                name.clone_into(&mut group);
                continue;
            }
            if let Some(forms) = line.strip_prefix("## ") {
                let forms = forms.split('|').map(|form| form.trim().to_owned()).collect();
                out.push(Term { group: group.clone(), forms, ..Term::default() });
                continue;
            }
            let term = out.last_mut().ok_or_else(|| wrong("a term is missing"))?;
            if let Some(figure) = line.strip_prefix("figure: ") {
                let (program, facts) = figure.split_once('|').unwrap_or((figure, ""));
                term.figure = Some((program.trim().to_owned(), facts.trim().to_owned()));
            } else if let Some(see) = line.strip_prefix("see: ") {
                term.see = see.split(", ").map(str::to_owned).collect();
            } else {
                term.text.push_str(line);
                term.text.push('\n');
            }
        }
        Ok(Glossary(out))
    }

    /// The term with this form, in any case and over any lines.
    pub fn find(&self, words: &str) -> Option<&Term> {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        self.0.iter().find(|term| term.forms.iter().any(|form| form.to_lowercase() == words))
    }
}

/// The page. Errors: a sentence.
pub fn page(glossary: &Glossary, lessons: &[Lesson]) -> Result<String, String> {
    let mut main = String::from(
        "<h1>Glossary</h1>\n<p>The terms of the compiler, its lessons and its reference. A mark in a figure shows what the term names.</p>\n",
    );
    let mut group = "";
    for term in &glossary.0 {
        if term.group != group {
            main.push_str(if group.is_empty() { "" } else { "</dl>\n" });
            let _ = writeln!(
                main,
                "<h2 id=\"group-{}\">{}</h2>\n<dl class=\"terms\">",
                markdown::slug(&term.group),
                markdown::escape(&term.group)
            );
            group = &term.group;
        }
        main.push_str(&entry(term, lessons).map_err(|why| format!("{}: {why}", term.name()))?);
    }
    main.push_str("</dl>\n");
    let page = pages::frame("../", "Glossary", "The terms of a shader compiler, each in a few lines.", &main);
    // The colors of graphs are those of the lessons.
    let sheet = "<link rel=\"stylesheet\" href=\"../reference.css\">";
    Ok(page.replace(sheet, &format!("<link rel=\"stylesheet\" href=\"../lessons.css\">\n{sheet}")))
}

fn entry(term: &Term, lessons: &[Lesson]) -> Result<String, String> {
    let slug = term.slug();
    let mut out = format!("<dt id=\"{slug}\"><a href=\"#{slug}\">{}</a>", markdown::escape(term.name()));
    if let [_, others @ ..] = &term.forms[..] {
        let name = term.name().to_lowercase();
        // A plural is no other word.
        let others: Vec<&str> = others
            .iter()
            .map(String::as_str)
            .filter(|form| form.to_lowercase() != format!("{name}s"))
            .collect();
        if !others.is_empty() {
            let _ = write!(out, " <small>{}</small>", markdown::escape(&others.join(", ")));
        }
    }
    let _ = write!(out, "</dt>\n<dd>{}", markdown::to_html(&term.text)?);
    if let Some((program, _)) = &term.figure {
        let _ = writeln!(
            out,
            "<figure class=\"small\"><div class=\"flow\" tabindex=\"0\" role=\"group\" aria-label=\"Graph: {name}\">{{{{course:glossary:{slug}:0:graph}}}}</div>\
             <figcaption><a class=\"open\" href=\"../#{{{{course:glossary:{slug}:link}}}}\">Open {program} in the playground</a></figcaption></figure>",
            name = markdown::escape(term.name())
        );
    }
    let links: Vec<String> = term.see.iter().map(|see| link(see, lessons)).collect::<Result<_, _>>()?;
    let _ = writeln!(out, "<p class=\"see\">{}</p></dd>", links.join(" "));
    Ok(out)
}

fn link(see: &str, lessons: &[Lesson]) -> Result<String, String> {
    if let Some((_, name)) = see.split_once('/') {
        return Ok(format!("<a href=\"../ref/{see}/\"><code>{}</code></a>", markdown::escape(name)));
    }
    let lesson = lessons.iter().find(|lesson| lesson.slug == see);
    let lesson = lesson.ok_or_else(|| format!("there is no lesson {see}"))?;
    Ok(format!("<a href=\"../learn/{see}/\">{}</a>", markdown::escape(&lesson.title)))
}

/// The programs of the figures, in the form of `lessons::jobs`.
pub fn jobs(glossary: &Glossary) -> String {
    let of = |term: &Term| {
        let (program, facts) = term.figure.as_ref()?;
        let job = Job {
            name: format!("glossary:{}", term.slug()),
            program: program.clone(),
            versions: vec![0],
            views: vec!["graph".to_owned()],
            facts: facts.split(';').filter(|fact| !fact.is_empty()).map(str::to_owned).collect(),
            ..Job::default()
        };
        Some(job.to_line("www/learn"))
    };
    glossary.0.iter().filter_map(of).collect()
}

/// Makes links of the terms that lessons show in bold.
pub fn link_lessons(glossary: &Glossary, files: &mut Files) {
    let is_lesson = |path: &str| {
        path.starts_with("learn/") && path.matches('/').count() == 2 && path.ends_with("/index.html")
    };
    for (_, bytes) in files.iter_mut().filter(|(path, _)| is_lesson(path)) {
        *bytes = linked(glossary, &String::from_utf8_lossy(bytes)).into_bytes();
    }
}

fn linked(glossary: &Glossary, page: &str) -> String {
    let (begin, end) = ("<strong>", "</strong>");
    let mut parts = page.split(begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (words, rest) = part.split_once(end).unwrap_or((part, ""));
        match glossary.find(words) {
            Some(term) => {
                let _ = write!(
                    out,
                    "{begin}<a class=\"term\" href=\"../../glossary/#{}\">{words}</a>{end}",
                    term.slug()
                );
            }
            None => {
                let _ = write!(out, "{begin}{words}{end}");
            }
        }
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// c\n# Flow\n\n## basic block | basic blocks\nA `x`.\nfigure: cfg/a.ir | successors(^0)\nsee: pass/dce\n";

    #[test]
    fn a_term_has_its_forms_its_figure_and_its_links() {
        let glossary = Glossary::read(SOURCE).unwrap();
        let page = page(&glossary, &[]).unwrap();
        assert!(
            page.contains("<dt id=\"basic-block\"><a href=\"#basic-block\">basic block</a></dt>"),
            "{page}"
        );
        assert!(
            page.contains("../ref/pass/dce/") && page.contains("{{course:glossary:basic-block:0:graph}}")
        );
        assert_eq!(
            jobs(&glossary),
            "glossary:basic-block\twww/learn/cfg/a.ir\t\t0\tgraph\tsuccessors(^0)\t\t\n"
        );
        assert!(Glossary::read("words\n").is_err());
    }

    #[test]
    fn a_term_in_a_lesson_is_a_link() {
        let glossary = Glossary::read(SOURCE).unwrap();
        assert_eq!(
            linked(&glossary, "<strong>Basic blocks</strong> <strong>x</strong>"),
            "<strong><a class=\"term\" href=\"../../glossary/#basic-block\">Basic blocks</a></strong> <strong>x</strong>"
        );
    }
}

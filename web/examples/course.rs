//! Prints the computed parts of the course: each placeholder as a line with its name and its length in bytes, and then its
//! text. Run by `cargo xtask dist`, with the path of a list of jobs, whose format is in `xtask/src/site/lessons/mod.rs`.
//!
//! Refuses invalid programs and pipelines, versions that do not exist, and a diagnostic that a program does not have: a lesson
//! never shows an error by accident.

use std::io::Write;
use std::process::ExitCode;

use vitrine_core::back::BACKENDS;
use vitrine_core::judge::fact;
use vitrine_core::share::SharedState;
use vitrine_core::view_model::{Session, Shown, class_names};
use vitrine_web::prerender::{flow, lesson, with_values};
use vitrine_web::state::Document;

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let jobs = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"));
    let all = jobs.and_then(|jobs| {
        let of = |job: &str| placeholders(job).map_err(|why| format!("{job}: {why}"));
        jobs.lines().map(of).collect::<Result<Vec<_>, _>>()
    });
    let output = all.map(|all| {
        let entry = |(name, text): (String, String)| format!("{name} {}\n{text}", text.len());
        all.into_iter().flatten().map(entry).collect::<String>()
    });
    match output {
        Ok(out) if std::io::stdout().write_all(out.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    }
}

/// The placeholders of a job.
fn placeholders(job: &str) -> Result<Vec<(String, String)>, String> {
    let fields: Vec<&str> = job.split('\t').collect();
    let [name, path, pipeline, versions, views, facts, diagnostic] = fields[..] else {
        return Err("expected seven fields".to_owned());
    };
    let input = std::fs::read(path).map_err(|error| error.to_string())?;
    // An empty text would be the default pipeline.
    let pipeline = if pipeline.is_empty() { "fix()" } else { pipeline };
    let mut session = Session::new();
    session.open(&input, pipeline);
    let mut out = vec![(format!("{name}:link"), link(&session, &input, path, pipeline, views))];
    if let Some(sentence) = sentence_of(&session, diagnostic)? {
        out.push((format!("{name}:diagnostic"), escape(&sentence)));
    }
    let text = |session: &mut Session, at: usize| -> Result<Document, String> {
        let text = session.text(at, Shown::Ir)?;
        Ok(Document::new(text.text, &text.runs))
    };
    if views == "solution" {
        let solution = lesson(&text(&mut session, 0)?, &class_names(), None);
        return Ok(vec![(format!("{name}:solution"), solution)]);
    }
    let mut before = None;
    for at in versions.split(',') {
        let at: usize = at.parse().map_err(|_| format!("`{at}` is not a version"))?;
        if at >= session.versions() {
            return Err(format!("there is no version {at}"));
        }
        let document = text(&mut session, at)?;
        let version: String =
            (0..document.line_count()).map(|line| format!("{}\n", document.line(line))).collect();
        let facts = facts.split(';').filter(|fact| !fact.is_empty());
        let marks = facts.map(|of| Ok((class_of(of), fact(version.as_bytes(), of)?)));
        let marks = marks.collect::<Result<Vec<_>, String>>()?;
        if views.contains("ir") {
            let html = lesson(&document, &class_names(), before.as_ref());
            let html = if views.contains("module") { html } else { functions(html) };
            out.push((format!("{name}:{at}:ir"), with_values(&html, &marks)));
        }
        if views.contains("graph") {
            out.push((format!("{name}:{at}:graph"), flow(&svg(&session, at)?, &marks)));
        }
        before = Some(document);
    }
    Ok(out)
}

/// The first diagnostic, which has to be the expected one. Errors: another, or a failed pass.
fn sentence_of(session: &Session, expected: &str) -> Result<Option<String>, String> {
    if let Some(bad) = session.steps().into_iter().find(|step| matches!(step.outcome, "failed" | "invalid")) {
        return Err(format!("{}: {}", bad.pass, bad.message));
    }
    match session.diags().first().or(session.pipeline_diags().first()) {
        None if expected.is_empty() => Ok(None),
        None => Err(format!("the program does not have the diagnostic {expected}")),
        Some(found) if found.code == expected => {
            Ok(Some(format!("{}[{}]: {}", found.level, found.code, found.message)))
        }
        Some(found) => Err(format!("line {}: {}", found.line, found.message)),
    }
}

/// A text without the declarations before its first function; `www/learn.js` does the same.
fn functions(html: String) -> String {
    let is_function = |line: &str| line.contains("<span class=t-keyword>func ");
    match html.split_inclusive('\n').position(is_function) {
        Some(at) => html.split_inclusive('\n').skip(at).collect(),
        None => html,
    }
}

/// The class of the marks of a fact; `www/learn.js` has the same ones.
fn class_of(fact: &str) -> &'static str {
    let classes = [("frontier", "frontier"), ("divergent", "divergent"), ("partial", "partial")];
    classes.iter().find(|(first, _)| fact.starts_with(first)).map_or("marked", |(_, class)| class)
}

fn svg(session: &Session, at: usize) -> Result<String, String> {
    let backend =
        BACKENDS.iter().find(|backend| backend.name() == "svg").ok_or("there is no back end `svg`")?;
    let file = session.export(at, session.first_choice(), &[], *backend)?;
    String::from_utf8(file.bytes).map_err(|error| error.to_string())
}

fn link(session: &Session, input: &[u8], path: &str, pipeline: &str, views: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    // Side by side, if there are texts of several versions.
    let shown = if session.versions() > 1 && views.contains("ir") { 3 } else { 0 };
    let (input, pipeline) = (input.to_vec(), pipeline.to_owned());
    SharedState { input, name, pipeline, shown, ..SharedState::default() }.link()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

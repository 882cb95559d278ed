//! Computes the texts and graphs of a page, by the names of their placeholders.
//!
//! Refuses invalid programs and pipelines, versions that do not exist, and a diagnostic that a program does not have: a lesson
//! never shows an error by accident.

use super::draw::{Marks, functions, graph, text, with_values};
use crate::base::html::escaped;
use crate::judge::{fact, ran};
use crate::share::SharedState;
use crate::view_model::figures::{memory_map, steps};
use crate::view_model::{Session, Shown};
use vitrine_lessons::Job;
use vitrine_protocol::{ExportRequest, Outcome};

/// The beginning of the view of a memory map: the name of the variable follows.
const MEMORY: &str = "memory ";

/// The parts of a job: names of placeholders, and HTML. `input` is its program. Errors: a sentence.
pub fn compute(job: &Job, input: &[u8]) -> Result<Vec<(String, String)>, String> {
    let Job { name, views, .. } = job;
    let has = |view: &str| views.iter().any(|of| of == view);
    // An empty text would be the default pipeline.
    let pipeline = if job.pipeline.is_empty() { "fix()" } else { &job.pipeline };
    let mut session = Session::new();
    session.open(input, pipeline);
    let mut out = vec![(format!("{name}:link"), link(&session, job, input, pipeline))];
    if let Some(sentence) = sentence_of(&session, &job.diagnostic)? {
        out.push((format!("{name}:diagnostic"), escaped(&sentence)));
    }
    if has("solution") {
        return Ok(vec![(format!("{name}:solution"), text(&session.text(0, Shown::Ir)?, None))]);
    }
    let mut before = None;
    let mut last = String::new();
    for &at in &job.versions {
        if at as usize >= session.versions() {
            return Err(format!(
                "there is no version {at}: the pipeline has {} steps",
                session.versions() - 1
            ));
        }
        let document = session.text(at as usize, Shown::Ir)?;
        let marks = job.facts.iter().map(|of| Ok((class_of(of), fact(document.text.as_bytes(), of)?)));
        let marks = marks.collect::<Result<Vec<_>, String>>()?;
        if has("ir") {
            let html = text(&document, before.as_ref());
            let html = if has("module") { html } else { functions(&html) };
            out.push((format!("{name}:{at}:ir"), with_values(&html, &marks)));
        }
        if has("graph") {
            out.push((format!("{name}:{at}:graph"), picture(&session, at as usize, &marks)?));
        }
        let variable = views.iter().find_map(|of| of.strip_prefix(MEMORY));
        if let Some(variable) = variable {
            out.push((format!("{name}:{at}:memory"), memory_map(document.text.as_bytes(), variable)?));
        }
        last.clone_from(&document.text.0);
        before = Some(document);
    }
    if let Some(inputs) = &job.run {
        out.push((format!("{name}:run"), escaped(&ran(last.as_bytes(), inputs)?)));
        if has("steps") {
            out.push((format!("{name}:steps"), steps(last.as_bytes(), inputs)?));
        }
    }
    Ok(out)
}

/// The first diagnostic, which has to be the expected one. Errors: another, or a failed pass.
fn sentence_of(session: &Session, expected: &str) -> Result<Option<String>, String> {
    if let Some(bad) =
        session.steps().into_iter().find(|step| matches!(step.outcome, Outcome::Failed | Outcome::Invalid))
    {
        return Err(format!("{}: {}", bad.pass, bad.message));
    }
    match session.diags().first().or(session.pipeline_diags().first()) {
        None if expected.is_empty() => Ok(None),
        None => Err(format!("the program does not have the diagnostic {expected}")),
        Some(found) if found.code == expected => {
            Ok(Some(format!("{}[{}]: {}", found.level.name(), found.code, found.message)))
        }
        Some(found) => Err(format!("line {} of the program: {}", found.line, found.message)),
    }
}

/// The class of the marks of a fact; `www/learn.js` has the same ones.
fn class_of(fact: &str) -> &'static str {
    let classes = ["frontier", "divergent", "partial"];
    classes.into_iter().find(|first| fact.starts_with(first)).unwrap_or("marked")
}

fn picture(session: &Session, at: usize, marks: &Marks) -> Result<String, String> {
    let request = ExportRequest {
        version: Some(at as u32),
        function: session.first_choice(),
        format: "svg".to_owned(),
        ..ExportRequest::default()
    };
    let file = session.export(&request)?;
    Ok(graph(&String::from_utf8(file.bytes.0).map_err(|error| error.to_string())?, marks))
}

fn link(session: &Session, job: &Job, input: &[u8], pipeline: &str) -> String {
    let name = job.program.rsplit('/').next().unwrap_or_default().to_owned();
    // Side by side, if there are texts of several versions.
    let shown = if session.versions() > 1 && job.views.iter().any(|view| view == "ir") { 3 } else { 0 };
    let (input, pipeline) = (input.to_vec(), pipeline.to_owned());
    SharedState { input, name, pipeline, shown, ..SharedState::default() }.link()
}

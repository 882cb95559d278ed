//! Prints the computed parts of a lesson: each placeholder as a line with its name and its length in bytes, and then its
//! text. Run by `cargo xtask dist`, with the path of the lesson's page; its programs are in the folder of the same name.
//!
//! ```text
//! <section class="step" id="matrix" data-pipeline="qptr-lower" data-name="rows.ir">
//! {{lesson:matrix:1}}    version 1 of the program in the pipeline
//! {{lesson:matrix:link}} a link to it
//! ```
//!
//! Invalid programs, invalid pipelines and versions that do not exist are refused: a lesson never
//! shows an error by accident.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use vitrine_core::share::SharedState;
use vitrine_core::view_model::{Session, Shown, class_names};
use vitrine_web::state::Document;

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let output = std::fs::read_to_string(&path)
        .map_err(|error| error.to_string())
        .and_then(|page| lesson(&page, &Path::new(&path).with_extension("")));
    match output {
        Ok(out) if std::io::stdout().write_all(out.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{path}: {why}");
            ExitCode::FAILURE
        }
    }
}

/// All placeholders of a lesson.
fn lesson(page: &str, folder: &Path) -> Result<String, String> {
    let mut out = String::new();
    for step in page.split("<section class=\"step\" ").skip(1) {
        let of = |name: &str| {
            let (_, rest) = step.split_once(&format!("{name}=\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let (Some(id), Some(pipeline), Some(name)) = (of("id"), of("data-pipeline"), of("data-name")) else {
            return Err("a step has no id, pipeline or program".to_owned());
        };
        let input = std::fs::read(folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        for (hole, text) in
            holes(step, &id, &input, &name, &pipeline).map_err(|why| format!("{id}: {why}"))?
        {
            out.push_str(&format!("{hole} {}\n{text}", text.len()));
        }
    }
    Ok(out)
}

/// The placeholders of a step.
fn holes(
    step: &str,
    id: &str,
    input: &[u8],
    name: &str,
    pipeline: &str,
) -> Result<Vec<(String, String)>, String> {
    // An empty text would be the default pipeline.
    let pipeline = if pipeline.is_empty() { "fix()" } else { pipeline };
    let mut session = Session::new();
    session.open(input, pipeline);
    if let Some(wrong) = session.diags().first().or(session.pipeline_diags().first()) {
        return Err(format!("line {}: {}", wrong.line, wrong.message));
    }
    if let Some(bad) = session.steps().into_iter().find(|step| matches!(step.outcome, "failed" | "invalid")) {
        return Err(format!("{}: {}", bad.pass, bad.message));
    }
    let (mut out, mut before) = (Vec::new(), None);
    let begin = format!("{{{{lesson:{id}:");
    for part in step.split(begin.as_str()).skip(1) {
        let Some((word, _)) = part.split_once("}}") else { return Err("a hole does not end".to_owned()) };
        if word == "link" {
            let shared = SharedState {
                input: input.to_vec(),
                name: name.to_owned(),
                pipeline: pipeline.to_owned(),
                // Side by side, if there are several versions.
                shown: if session.versions() > 1 { 3 } else { 0 },
                ..SharedState::default()
            };
            out.push((format!("{id}:link"), shared.link()));
            continue;
        }
        let at = word.parse().ok().filter(|at| *at < session.versions());
        let at = at.ok_or_else(|| format!("there is no version {word}"))?;
        let text = session.text(at, Shown::Ir)?;
        let document = Document::new(text.text, &text.runs);
        let html = vitrine_web::prerender::lesson(&document, &class_names(), before.as_ref());
        out.push((format!("{id}:{at}"), html));
        before = Some(document);
    }
    Ok(out)
}

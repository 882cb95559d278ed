//! The examples of the page: each parses without diagnostics, runs through the initial pipeline of the page,
//! can be drawn and written at every step, and is described by its first line.

use crate::testing::texts::examples;
use std::path::Path;
use vitrine_core::front::InputKind;
use vitrine_core::view_model::{DEFAULT_PIPELINE, Session, Shown};

#[test]
fn every_example_can_be_parsed_run_drawn_and_written() {
    let mut failures = Vec::new();
    for file in examples() {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("an example can be read");
        let mut session = Session::new();
        session.open(text.as_bytes(), DEFAULT_PIPELINE);
        let kind = match name.rsplit_once('.') {
            Some((_, "ir")) => InputKind::Ir,
            Some((_, "asm")) => InputKind::D3d9Text,
            _ => InputKind::SpirvText,
        };
        if session.kind() != kind || !session.diags().is_empty() || !session.pipeline_diags().is_empty() {
            failures.push(format!(
                "{name}: {:?} {:?} {:?}",
                session.kind(),
                session.diags(),
                session.pipeline_diags()
            ));
            continue;
        }
        if let Some(step) =
            session.steps().iter().find(|step| !["changed", "unchanged"].contains(&step.outcome))
        {
            failures.push(format!("{name}: {} {}: {}", step.pass, step.outcome, step.message));
        }
        for at in 0..session.versions() {
            for shown in [Shown::Ir, Shown::Changes, Shown::Spirv] {
                if let Err(why) = session.text(at, shown) {
                    failures.push(format!("{name}, version {at}, {shown:?}: {why}"));
                }
            }
            for function in session.functions(0).iter().filter(|function| function.blocks > 0) {
                if session.graph(at, function.number).block_count() == 0 {
                    failures.push(format!("{name}, version {at}: {} is not drawn", function.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_example_has_a_description_and_is_in_the_menu() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/index.html");
    let page = std::fs::read_to_string(page).expect("the page can be read");
    let files = examples();
    assert!(files.len() >= 12, "{}", files.len());
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("an example can be read");
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("; ") && first.ends_with('.') && first.len() < 125, "{name}: {first}");
        assert!(page.contains(&format!("<option value=\"examples/{name}\">")), "{name} is not in the menu");
    }
}

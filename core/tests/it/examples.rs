//! The examples of the page, also in source form: each parses without diagnostics, runs through the initial pipeline of the page,
//! can be drawn and written at every step, and is described by its first line.

#[cfg(feature = "sources")]
use crate::testing::skipped::skipped;
use crate::testing::texts::examples;
use std::path::{Path, PathBuf};
#[cfg(feature = "sources")]
use std::process::Command;
use vitrine_core::front::InputKind;
use vitrine_core::view_model::{DEFAULT_PIPELINE, Session, Shown};
use vitrine_protocol::Outcome;

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
            session.steps().iter().find(|step| matches!(step.outcome, Outcome::Failed | Outcome::Invalid))
        {
            failures.push(format!("{name}: {} {}: {}", step.pass, step.outcome.name(), step.message));
        }
        for at in 0..session.versions() {
            for shown in [Shown::Ir, Shown::Changes, Shown::Spirv] {
                if let Err(why) = session.text(at, shown) {
                    failures.push(format!("{name}, version {at}, {shown:?}: {why}"));
                }
            }
            for function in session.functions(0).iter().filter(|function| function.blocks > 0) {
                if session.graph(at, function.number).blocks.entries().is_empty() {
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

/// The shaders of the page in source form, sorted by name.
fn shaders() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/shaders");
    let entries = std::fs::read_dir(folder).expect("the folder of shaders can be read");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn each_shader_has_a_description_and_is_in_the_menu() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/index.html");
    let page = std::fs::read_to_string(page).expect("the page can be read");
    let files = shaders();
    assert!(files.len() >= 16, "{}", files.len());
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("a shader can be read");
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("// ") && first.ends_with('.') && first.len() < 125, "{name}: {first}");
        assert!(page.contains(&format!("<option value=\"shaders/{name}\">")), "{name} is not in the menu");
    }
}

#[cfg(feature = "sources")]
#[test]
fn each_shader_runs_and_keeps_its_results_through_o2() {
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let (has_glslang, has_slang) = (has("glslangValidator"), has("slangc"));
    let run =
        |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).output().expect("it runs");
    for file in shaders() {
        if !has_glslang && file.extension().is_none_or(|extension| extension != "wgsl") {
            skipped(1, "glslangValidator is not installed");
            continue;
        }
        // The other compilers read HLSL only.
        if !has_slang && file.extension().is_some_and(|extension| extension == "slang") {
            skipped(1, "slangc is not installed");
            continue;
        }
        let name = file.display().to_string();
        let out = run(&["check", &name, "--pipeline", "ingest, O2", "--runs", "4"]);
        let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success() && text.contains("compared on 4 of 4 trials"), "{name}: {text}{errors}");
    }
}

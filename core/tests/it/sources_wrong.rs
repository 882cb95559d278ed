//! Wrong sources: the error of the front end arrives with the right line. The cases are files of `core/tests/wrong`; the line that is
//! wrong has a comment `here`. `web/e2e/wrong.test.mjs` has the same for the page.
#![cfg(feature = "sources")]

use crate::testing::skipped::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cases of a language: names and sources.
fn cases(language: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/wrong/{language}.txt"));
    let text = std::fs::read_to_string(path).expect("the cases are there");
    let case = |part: &str| {
        let (name, source) = part.split_once('\n').expect("a case has a source");
        (name.to_owned(), source.to_owned())
    };
    text.split("---- ").skip(1).map(case).collect()
}

/// Names of cases whose first error is on another line than it should, with that error.
fn misplaced(language: &str, extension: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wrong");
    std::fs::create_dir_all(&folder).expect("a folder");
    let cases = cases(language);
    assert!(cases.len() >= 30, "{} cases", cases.len());
    let found = cases.into_iter().enumerate().map(|(at, (name, source))| {
        let extension = if source.contains("local_size_x") { "comp" } else { extension };
        let path = folder.join(format!("{at}.{extension}"));
        std::fs::write(&path, &source).expect("a file");
        let out =
            Command::new(env!("CARGO_BIN_EXE_vitrine")).arg("show").arg(&path).output().expect("it runs");
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        let line = 1 + source.lines().position(|line| line.contains("here")).expect("a line is marked");
        let place =
            err.split_once("error[I008] ").and_then(|(_, rest)| rest.split_once(':')).map(|(line, _)| line);
        let holds = !out.status.success() && place == Some(line.to_string().as_str());
        (!holds).then(|| format!("{name}, line {line}: {err}"))
    });
    found.flatten().collect()
}

#[test]
fn errors_of_wgsl_have_the_right_line() {
    let misplaced = misplaced("wgsl", "wgsl");
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
}

#[test]
fn errors_of_glsl_have_the_right_line() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        return skipped(1, "glslangValidator is not installed");
    }
    let misplaced = misplaced("glsl", "frag");
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
}

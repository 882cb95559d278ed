//! Finding and checking filetests: the invariants of every file, and the expected sections of each.

use super::bless;
use super::sections::{Case, Section, split};
use std::path::{Path, PathBuf};
use vitrine_analysis::validate::validate;
use vitrine_forms::{Source, all_funcs};
use vitrine_ir::{Diag, Diags, Level, Module};
use vitrine_pipeline::{Pipeline, write};
use vitrine_spirv::writer::forms::SPIRV;
use vitrine_spirv::{Binary, DisOptions, disassembly};
use vitrine_text::{Options, Parsed, parse, print_module, print_with};

/// The folder of the filetests.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests")
}

/// Every file, sorted by path.
pub fn all() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// `folder/case.ir`, for messages.
pub fn short(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Checks a file; the error has a message and a diff.
pub fn check(path: &Path) -> Result<(), String> {
    let parts: Vec<_> = path.strip_prefix(root()).unwrap_or(path).components().collect();
    if parts.len() != 2 || path.extension().is_none_or(|extension| extension != "ir") {
        return Err("a filetest is `filetests/<folder>/<case>.ir`".to_owned());
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let checked = check_text(&text, bless::enabled())?;
    match checked {
        Some(blessed) => std::fs::write(path, blessed).map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

/// Checks the text of a file. With `bless`, returns the new text if it differs.
pub fn check_text(text: &str, bless: bool) -> Result<Option<String>, String> {
    let case = split(text)?;
    let parsed = parse(case.input);
    canonical_form_is_stable(&parsed.module)?;
    let found = found(&case, &parsed, bless)?;
    if bless {
        let blessed = if found.is_empty() { case.input.to_owned() } else { bless::file(case.input, &found) };
        return Ok(Some(blessed).filter(|blessed| blessed != text));
    }
    for (section, _) in &case.sections {
        if !found.iter().any(|(found, _)| found == section) {
            return Err(format!(
                "section `{}` does not apply; run with BLESS=1 to remove it",
                section.name()
            ));
        }
    }
    for (section, found) in &found {
        expect(&case, *section, found)?;
    }
    Ok(None)
}

fn expect(case: &Case<'_>, section: Section, found: &str) -> Result<(), String> {
    let Some((_, expected)) = case.sections.iter().find(|(known, _)| *known == section) else {
        return Err(format!(
            "section `{}` is missing; run with BLESS=1 and review it\n{found}",
            section.name()
        ));
    };
    let expected = expected.trim_end();
    if expected == found.trim_end() {
        return Ok(());
    }
    let diff = bless::diff(expected, found.trim_end());
    Err(format!(
        "section `{}` differs; run with BLESS=1 to accept the found text (+)\n{diff}",
        section.name()
    ))
}

/// Checks that printed text parses and prints to the same text.
fn canonical_form_is_stable(module: &Module) -> Result<(), String> {
    let first = print_module(module);
    let again = print_module(&parse(&first).module);
    if first == again {
        return Ok(());
    }
    Err(format!("printing is not stable after parsing\n{}", bless::diff(&first, &again)))
}

/// The sections that the file should have, with their contents.
fn found(case: &Case<'_>, parsed: &Parsed, bless: bool) -> Result<Vec<(Section, String)>, String> {
    let errors = diagnostics(parsed);
    let has = |section: Section| case.sections.iter().any(|(known, _)| *known == section);
    if !errors.is_empty() {
        if !has(Section::Errors) && !bless {
            return Err(format!(
                "the input is not a valid program; if that is intended, run with BLESS=1\n{}",
                lines(&errors)
            ));
        }
        return Ok(vec![(Section::Errors, lines(&errors))]);
    }
    if has(Section::Errors) && !bless {
        return Err("the file expects errors, but there are none".to_owned());
    }
    let mut found = Vec::new();
    let mut result = parsed.module.clone();
    if let Some(spec) = case.run {
        result = run_checked(&parsed.module, spec)?;
        found.push((Section::After, print_module(&result)));
    } else if has(Section::After) {
        found.push((Section::After, print_module(&parsed.module)));
    } else {
        is_canonical(case.input, &parsed.module)?;
    }
    if has(Section::Phis) {
        found.push((Section::Phis, print_with(&parsed.module, Options { phis: true })));
    }
    match case.write {
        None => {}
        Some("spirv") => found.push((Section::Spirv, spirv_text(&result)?)),
        Some(other) => return Err(format!("unknown target `{other}`; use `spirv`")),
    }
    Ok(found)
}

/// The module as SPIR-V text, or the diagnostic. Checks that the SPIR-V reads as a valid module, and that further
/// round trips change nothing; the first may drop type hints that only the IR has.
fn spirv_text(module: &Module) -> Result<String, String> {
    let bytes = match spirv_of(module) {
        Ok(bytes) => bytes,
        Err(diag) => return Ok(format!("{diag}\n")),
    };
    let first = round_trip(&bytes)?;
    let second = round_trip(&first)?;
    match first == second {
        true => Ok(text_of(&bytes)),
        false => {
            let diff = bless::diff(&text_of(&first), &text_of(&second));
            Err(format!("a second round trip changes the SPIR-V\n{diff}"))
        }
    }
}

/// Reads SPIR-V and writes it again.
fn round_trip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let read = vitrine_spirv::reader::read(bytes);
    let mut errors: Diags = read.diags;
    errors.retain(|diag| diag.level == Level::Error);
    errors.extend(validate(&read.module));
    if !errors.is_empty() {
        return Err(format!("the written SPIR-V does not read as a valid module\n{}", lines(&errors)));
    }
    spirv_of(&read.module)
        .map_err(|diag| format!("the written SPIR-V cannot be written again after reading: {diag}"))
}

/// The module as SPIR-V, or the first diagnostic.
fn spirv_of(module: &Module) -> Result<Vec<u8>, Diag> {
    let funcs = all_funcs(module);
    let written = write(&Source::new(module, &funcs), SPIRV, false);
    let first = |diags: Diags| diags.into_iter().next().expect("a refusal has a diagnostic");
    written.map(|written| written.bytes).map_err(first)
}

fn text_of(bytes: &[u8]) -> String {
    let (binary, _) = Binary::read(bytes);
    disassembly(&binary, &DisOptions { friendly: true, header: false, ..DisOptions::default() })
}

/// Diagnostics of parser and validator with their positions. The validator runs only if there are no syntax errors.
fn diagnostics(parsed: &Parsed) -> Diags {
    let mut diags = parsed.diags.clone();
    if diags.is_empty() {
        diags = validate(&parsed.module);
    }
    parsed.map.place_all(&mut diags);
    diags
}

fn lines(diags: &Diags) -> String {
    diags.iter().map(|diag| format!("{diag}\n")).collect()
}

/// Without an `after` section, the input must be canonical, except for comments and empty lines.
fn is_canonical(input: &str, module: &Module) -> Result<(), String> {
    let printed = print_module(module);
    let (mine, canonical) = (bare(input), bare(&printed));
    if mine == canonical {
        return Ok(());
    }
    let diff = bless::diff(&mine, &canonical);
    Err(format!("the input is not canonical; change it (+), or add `---- after`\n{diff}"))
}

/// The text without comment lines and empty lines.
fn bare(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(';'));
    kept.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Runs a pipeline and validates the result.
fn run_checked(module: &Module, spec: &str) -> Result<Module, String> {
    let after = run_pipeline(module.clone(), spec)?;
    match validate(&after).first() {
        Some(diag) => {
            Err(format!("the pipeline leaves an invalid program: {diag}\n{}", print_module(&after)))
        }
        None => Ok(after),
    }
}

/// Runs a pipeline on a module.
pub fn run_pipeline(module: Module, spec: &str) -> Result<Module, String> {
    let pipeline = Pipeline::parse(spec).map_err(|diag| diag.to_string())?;
    pipeline.run(&module, None).map_err(|diag| diag.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "; why: x\n\nfunc @0() tree {\n^0:\n  return\n}\n";

    fn error(text: &str) -> String {
        check_text(text, false).unwrap_err()
    }

    #[test]
    fn a_good_file_passes_and_every_mistake_is_reported() {
        assert_eq!(check_text(GOOD, false), Ok(None));
        assert!(error(&format!("{GOOD}\n---- phis\nfunc\n")).contains("differs"));
        assert!(error(&format!("{GOOD}\n---- errors\n")).contains("there are none"));
        assert!(error(&GOOD.replace("x\n", "x\n; run: opt-moon\n")).contains("there is no pass `opt-moon`"));
        assert!(error(&GOOD.replace("x\n", "x\n; run:\n")).contains("run with BLESS=1"));
        assert!(error(&GOOD.replace("return", "retrun")).contains("not a valid program"));
        assert!(error(&GOOD.replace("  return", "  return   ; so")).contains("canonical"));
    }

    #[test]
    fn blessing_writes_the_found_text() {
        let file = format!("{GOOD}\n---- phis\nold\n");
        let blessed = check_text(&file, true).unwrap().unwrap();
        assert_eq!(check_text(&blessed, false), Ok(None));
        assert_eq!(check_text(&blessed, true), Ok(None));
    }
}

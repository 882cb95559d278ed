//! Programs in text form, parsed and checked for errors.

use std::path::{Path, PathBuf};
use vitrine_core::ir::Module;
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

/// The module of a text without syntax errors.
#[track_caller]
pub(crate) fn module(text: &str) -> Module {
    let parsed = parse(text);
    assert!(parsed.diags.is_empty(), "{}\n{text}", parsed.diags[0]);
    parsed.module
}

/// The examples of the page, sorted by name.
pub(crate) fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/examples");
    let entries = std::fs::read_dir(folder).expect("the folder of examples can be read");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The valid module of a text without syntax errors.
#[track_caller]
pub(crate) fn valid_module(text: &str) -> Module {
    let module = module(text);
    let diags = validate(&module);
    assert!(diags.is_empty(), "{}\n{text}", diags[0]);
    module
}

//! Operations that the filetests use in a valid program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vitrine_core::ir::{GlobalValue, Module};
use vitrine_core::ops::{BasicOp, Op};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;
use vitrine_filetests::sections;

/// Operations in filetests that parse and validate without diagnostics.
pub(crate) fn ops_in_filetests() -> BTreeSet<Op> {
    let mut used = BTreeSet::new();
    for path in texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("filetests")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(case) = sections::split(&text) else { continue };
        let parsed = parse(case.input);
        if parsed.diags.is_empty() && validate(&parsed.module).is_empty() {
            collect(&parsed.module, &mut used);
        }
    }
    used
}

fn texts(root: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    folders.flat_map(|folder| files(folder.path())).map(|file| file.path()).collect()
}

fn collect(module: &Module, used: &mut BTreeSet<Op>) {
    for (_, data) in module.globals() {
        if let GlobalValue::Op { op, .. } = data.value {
            used.insert(op);
        }
    }
    for (_, body) in module.funcs() {
        if !body.params().is_empty() {
            used.insert(BasicOp::Param.into());
        }
        body.for_each_inst(|_, inst| {
            used.insert(body.inst(inst).op);
        });
    }
}

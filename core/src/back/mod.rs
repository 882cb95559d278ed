//! Writing a program in other forms: there is one [`Backend`] for each form, and one table of them,
//! [`BACKENDS`]. What they take and give is the crate `vitrine-forms`.
//!
//! ```text
//! Source ── Backend::write ──▶ Output: bytes, with a map from byte ranges to parts of the program
//! ```
//!
//! The command line (`--emit`, `-o`), the export menu, the target pane and the catalog read the table, so a
//! new form needs only an entry there. The words of the IR come from `text`'s printer, so every form has the
//! same spelling.
//!
//! Writers are in crates below: of SPIR-V in `vitrine-spirv`, of Direct3D 9 in `vitrine-d3d`, of languages like C in
//! `vitrine-targets` (one engine, one dialect each). `picture` has the forms for readers.
//!
//! Refuses to change the program. A back end names the preset that prepares for it ([`Backend::preset`]);
//! `pipeline::write` runs that first.

mod spirv_words; // SPIR-V for tools that take words
mod ir_text; // the entry of the IR
mod bindings; // the entry of the table of resources
pub mod picture; // rows for readers: DOT, SVG, HTML, columns

pub use spirv_words::{SpirvOptions, write_spirv};
pub use vitrine_d3d::writer as sm3;
pub use vitrine_forms::{
    Backend, Declared, DeclaredAccess, DeclaredKind, DeclaredPort, Interface, LineSource, Output, Pair,
    Placed, Source, WriteOptions, Written, all_funcs, source_lines,
};
pub use vitrine_spirv::writer as spirv;
pub use vitrine_spirv::writer::forms::{SPIRV, SPIRV_TEXT};
pub use vitrine_targets as text;

use crate::base::nearest;
use crate::ir::{Anchor, Diag};

/// Every back end, in the order of the export menu. If two share an extension, the first one is used for a file name
/// without an explicit form.
pub const BACKENDS: &[&dyn Backend] = &joined(&[SPIRV, SPIRV_TEXT], &text::forms::FORMS, OTHERS);

/// Direct3D 9, the IR, tables and pictures.
const OTHERS: &[&dyn Backend] = &[
    &sm3::forms::Assembly(sm3::Model::Three),
    &sm3::forms::Bytecode(sm3::Model::Three),
    &sm3::forms::Assembly(sm3::Model::Two),
    &sm3::forms::Bytecode(sm3::Model::Two),
    &ir_text::IrText,
    &bindings::Bindings,
    &picture::Svg,
    &picture::Dot,
    &picture::Html,
    &picture::Columns,
    &picture::ColumnsSvg,
];

/// Number of back ends.
const COUNT: usize = 2 + text::forms::FORMS.len() + OTHERS.len();

/// The lists as one.
const fn joined(
    first: &[&'static dyn Backend; 2],
    second: &[&'static dyn Backend],
    third: &[&'static dyn Backend],
) -> [&'static dyn Backend; COUNT] {
    let mut all = [first[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = match at {
            0 | 1 => first[at],
            _ if at - 2 < second.len() => second[at - 2],
            _ => third[at - 2 - second.len()],
        };
        at += 1;
    }
    all
}

/// The back end of this name.
///
/// Error `W100`: there is no such back end; the diagnostic lists the existing ones.
pub fn named(name: &str) -> Result<&'static dyn Backend, Diag> {
    let found = BACKENDS.iter().find(|backend| backend.name() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = BACKENDS.iter().map(|backend| backend.name()).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? The back ends are {}", known.join(", ")),
            None => format!("the back ends are {}", known.join(", ")),
        };
        Diag::error("W100", Anchor::Module).says(format!("there is no back end `{name}`")).help(help)
    })
}

/// The back end that writes files with this extension.
pub fn of_extension(extension: &str) -> Option<&'static dyn Backend> {
    BACKENDS.iter().find(|backend| backend.extensions().contains(&extension)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PROGRAM: &str = "in $0: f32x4 {location 0}\nout $1: f32x4 {location 0}\n\n\
        entry fragment \"main\" @f_0 ($0, $1) {origin_upper_left}\n\n\
        func @f_0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32x4 = load %0\n  %2: b32x4 = fadd %1, %1\n  \
        %3: path = deref.var $1\n  %4 = store %3, %2\n  return\n}\n";

    #[test]
    fn every_back_end_writes_and_maps_the_parts_of_the_program() {
        let module = crate::text::parse(PROGRAM).module;
        let funcs = all_funcs(&module);
        for backend in BACKENDS {
            let mut out = Output::new();
            backend.write(&Source::new(&module, &funcs), &mut out).unwrap();
            let Written { bytes, anchors, .. } = out.finish();
            assert!(bytes.len() > 30, "{}", backend.name());
            let about_code = |placed: &&Placed| matches!(placed.anchor, Anchor::Inst(..) | Anchor::Block(..));
            // A table of resources has no code.
            let is_table = backend.name() == "bindings";
            assert!(is_table || anchors.iter().any(|placed| about_code(&placed)), "{}", backend.name());
            for placed in &anchors {
                let range = placed.start as usize..(placed.start + placed.len) as usize;
                assert!(bytes.get(range).is_some_and(|part| !part.is_empty()), "{}", backend.name());
            }
        }
    }

    #[test]
    fn rows_are_found_by_name_and_by_extension() {
        let names: BTreeSet<&str> = BACKENDS.iter().map(|backend| backend.name()).collect();
        assert_eq!(names.len(), BACKENDS.len());
        for backend in BACKENDS {
            assert!(named(backend.name()).is_ok_and(|found| found.name() == backend.name()));
            assert!(backend.extensions().iter().all(|extension| of_extension(extension).is_some()));
            assert!(!backend.doc().is_empty() && backend.media().contains('/'));
            assert!(!backend.label().is_empty() && !backend.label().ends_with('.'));
        }
        let error = named("spvasn").err().map(|diag| diag.to_string()).unwrap_or_default();
        assert!(error.contains("did you mean `spvasm`?") && error.contains("columns"), "{error}");
        assert!(of_extension("gv").is_some_and(|backend| backend.name() == "dot"));
        assert!(of_extension("docx").is_none());
        let languages: Vec<&str> = BACKENDS.iter().filter_map(|backend| backend.language()).collect();
        assert_eq!(
            languages,
            [
                "SPIR-V",
                "GLSL",
                "GLSL ES 3.00",
                "GLSL ES 3.10",
                "WGSL",
                "HLSL",
                "Metal",
                "D3D9",
                "SM2",
                "Bindings"
            ]
        );
    }
}

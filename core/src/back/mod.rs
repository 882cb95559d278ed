//! Writing a program in other forms: there is one [`Backend`] for each form, and one table of them,
//! [`BACKENDS`].
//!
//! ```text
//! Source ── Backend::write ──▶ Output: bytes, with a map from byte ranges to parts of the program
//! ```
//!
//! The command line (`--emit`, `-o`), the export menu, the target pane and the catalog read the table, so a
//! new form needs only an entry there. The words of the IR come from `text`'s printer, so every form has the
//! same spelling.
//!
//! `spirv` has the writer of SPIR-V, `sm3` the one of Direct3D 9, `text` the one of languages like C (one engine, one
//! dialect each), `picture` the forms for readers.
//!
//! Refuses to change the program. A back end names the preset that prepares for it ([`Backend::preset`]);
//! `pipeline::write` runs that first.

mod output; // start here: destination of a back end
mod interface; // what a text declares for those outside
mod source_lines; // the source line of each line of a text
mod spirv_forms; // rows of SPIR-V: binary and text
mod ir_text; // the row of the IR
mod sm3_forms; // rows of shader models 2 and 3: assembly and bytecode
mod text_forms; // rows of languages like C
mod bindings; // the row of the table of resources
pub mod picture; // rows for readers: DOT, SVG, HTML, columns
pub mod sm3; // the writer of shader model 3
pub mod spirv; // the writer of SPIR-V
pub mod text; // the writer of languages like C

pub use interface::{Declared, DeclaredAccess, DeclaredKind, DeclaredPort, Interface, Pair};
pub use output::{Output, Placed, Written};
pub use source_lines::{LineSource, source_lines};
pub use spirv_forms::{SPIRV, SPIRV_TEXT};

use crate::base::nearest;
use crate::ir::{Anchor, Diag, Func, Module};
use crate::text::Options;

/// A form in which a program can be written.
pub trait Backend: Sync {
    /// The name on the command line and in the export menu.
    fn name(&self) -> &'static str;

    /// One sentence.
    fn doc(&self) -> &'static str;

    /// Its label in the export menu: a noun phrase.
    fn label(&self) -> &'static str;

    /// Extensions of its files, without the dot, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// The media type of its files.
    fn media(&self) -> &'static str;

    /// The preset that lowers a module to one that this back end can write. It does not change a module that
    /// already is.
    fn preset(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if the form is a target language, which requires a valid module.
    fn is_target(&self) -> bool {
        self.preset().is_some()
    }

    /// The name in the target pane. `None` if the form has no text there.
    fn language(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if it draws functions, each one alone if requested.
    fn draws(&self) -> bool {
        false
    }

    /// Returns true if it reads [`Source::versions`], which are expensive to compute.
    fn compares(&self) -> bool {
        false
    }

    /// Writes a program.
    ///
    /// Errors: the constructs that the form cannot express, with the pass or preset that removes them.
    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>>;
}

/// Every back end, in the order of the export menu. If two share an extension, the first one is used for a file name
/// without an explicit form.
pub const BACKENDS: &[&dyn Backend] = &[
    SPIRV,
    SPIRV_TEXT,
    text_forms::GLSL,
    text_forms::ESSL,
    text_forms::ESSL_310,
    text_forms::WGSL,
    text_forms::HLSL,
    text_forms::MSL,
    &sm3_forms::Assembly(sm3::Model::Three),
    &sm3_forms::Bytecode(sm3::Model::Three),
    &sm3_forms::Assembly(sm3::Model::Two),
    &sm3_forms::Bytecode(sm3::Model::Two),
    &ir_text::IrText,
    &bindings::Bindings,
    &picture::Svg,
    &picture::Dot,
    &picture::Html,
    &picture::Columns,
    &picture::ColumnsSvg,
];

/// The input of a back end.
#[derive(Clone, Copy)]
pub struct Source<'m> {
    /// The program.
    pub module: &'m Module,
    /// The functions to write, in order, for forms that can write some of them.
    pub funcs: &'m [Func],
    /// The title, for forms that have one; otherwise they use their own.
    pub title: Option<&'m str>,
    /// Diagnostics, for forms that list them.
    pub diags: &'m [Diag],
    /// Versions of the program with their names, for forms that compare them; `module` is the last one. Empty
    /// for `module` alone.
    pub versions: &'m [(String, &'m Module)],
    /// Options of the form.
    pub options: WriteOptions,
}

/// Options of back ends; each back end reads those that apply to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// Show block parameters as phis, in IR text.
    pub phis: bool,
    /// Keep version, capabilities and extensions that the module declares, needed or not.
    pub as_in: bool,
    /// Align results in a column, in SPIR-V text.
    pub align: bool,
    /// The number of the only entry point to write, in languages like C.
    pub entry: Option<u32>,
}

impl WriteOptions {
    /// The options of the IR's printer.
    fn of_text(self) -> Options {
        Options { phis: self.phis }
    }
}

impl<'m> Source<'m> {
    /// A program without versions, diagnostics or options; `funcs` are its functions ([`all_funcs`]).
    pub fn new(module: &'m Module, funcs: &'m [Func]) -> Source<'m> {
        let options = WriteOptions::default();
        Source { module, funcs, title: None, diags: &[], versions: &[], options }
    }

    /// Returns true if these are all functions of the module.
    fn is_whole(&self) -> bool {
        self.funcs.len() == self.module.funcs().count()
    }
}

/// The functions of a module, in order.
pub fn all_funcs(module: &Module) -> Vec<Func> {
    module.funcs().map(|(func, _)| func).collect()
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

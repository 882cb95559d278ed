//! What a form of a program is: a [`Frontend`] reads an input, and a [`Backend`] takes a [`Source`] and fills an [`Output`], the
//! bytes with a map from their ranges to parts of the program.
//!
//! Knows no form: each is in a crate above, and the compiler has the table of all.

#![forbid(unsafe_code)]

mod frontend; // what a front end is
mod interface; // what a text declares for those outside
mod output; // the destination of a back end
mod source_lines; // the source line of each line of a text

pub use frontend::{Choices, Frontend, InputKind, Read, is_sound};
pub use interface::{Declared, DeclaredAccess, DeclaredKind, DeclaredPort, Interface, Pair};
pub use output::{Output, Placed, Written};
pub use source_lines::{LineSource, source_lines};

use vitrine_ir::{Diag, Func, Module};
use vitrine_text::Options;

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
    pub fn of_text(self) -> Options {
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
    pub fn is_whole(&self) -> bool {
        self.funcs.len() == self.module.funcs().count()
    }
}

/// The functions of a module, in order.
pub fn all_funcs(module: &Module) -> Vec<Func> {
    module.funcs().map(|(func, _)| func).collect()
}

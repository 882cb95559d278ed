//! The registry entry of a pass: name, summary, options, and how it runs.
//!
//! A pass is one file (or folder) with its name. The file starts with a description and IR before and after, which
//! the page shows; its `PASS` is the entry, and `PASSES` lists all entries.
//!
//! ```text
//! pub(super) const PASS: PassInfo = PassInfo {
//!     doc: "Eliminates common subexpressions.",
//!     ..PassInfo::edits("cse", opening!("cse.rs"), |ed, _| cse(ed))
//! };
//! ```
//!
//! Does not depend on pipelines: they decide which passes run, and when.

use crate::options::{OptionInfo, Options};
use crate::util::open::{refused, reopen};
use crate::util::rebuilt::Rebuilt;
use vitrine_analysis::Analyses;
use vitrine_ir::{
    Diag, Editor, Event, Fuel, Func, FuncBody, Journal, Module, Opened, Reason, Refusal, Stage,
};

/// A pass: its name, its description, and its options.
pub struct PassInfo {
    /// The name in pipelines.
    pub name: &'static str,
    /// The summary, in one sentence.
    pub doc: &'static str,
    /// Returns the full description: the start of its file, with IR before and after. Markdown.
    pub about: fn() -> &'static str,
    /// The required shape of a function; none if both are supported.
    pub shape: Option<PassShape>,
    /// If set, running on the wrong shape is an error instead of a skip, because later passes depend on this one.
    pub strict: bool,
    /// The shader stages that it applies to; empty for all.
    pub stages: &'static [Stage],
    /// The options in braces after the name: words, at most one of which may be given and the first of which is
    /// the default; numbers; and places of resources.
    pub options: &'static [OptionInfo],
    /// True if a second consecutive run never changes anything.
    pub idempotent: bool,
    /// Returns false if the pass has nothing to do in a function, as a look at its tables shows: then no editor
    /// is opened, which lists all uses.
    pub may_apply: fn(&FuncBody, &Options) -> bool,
    /// Returns the reason for a change that the journal of the pass does not name: a short sentence for each kind of
    /// change, for passes that rebuild functions. None if the purpose of the pass is the reason.
    pub reason: fn(&Rebuilt<'_>, Event) -> Option<&'static str>,
    /// What runs it.
    pub run: RunFn,
}

/// Changes to functions, as far as the pass records them.
pub type Journals = Vec<(Func, Journal)>;

/// What a pass gets besides the program.
pub struct PassContext<'c> {
    /// What was given to it.
    pub options: &'c Options,
    /// The analyses that earlier passes left. A result is computed again when what it reads has changed.
    pub analyses: &'c mut Analyses,
}

/// Entry point of a pass.
#[derive(Clone, Copy)]
pub enum RunFn {
    /// Edits one function at a time, and consumes fuel from the editor before each rewrite.
    Edits(fn(&mut Editor<'_>, PassContext<'_>) -> Result<(), Refusal>),
    /// Rebuilds one function at a time; all changes to a function count as one rewrite.
    Rebuilds(fn(&mut Module, Func, PassContext<'_>) -> Result<Journal, Diag>),
    /// Rebuilds one function at a time, and consumes fuel itself.
    Function(fn(&mut Module, Func, PassContext<'_>, &mut Fuel) -> Result<Journal, Diag>),
    /// Transforms the whole module: may add and remove functions, and change declarations.
    Module(fn(&mut Module, PassContext<'_>, &mut Fuel) -> Result<Journals, Diag>),
}

impl std::fmt::Debug for PassInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The shape of a function that a pass requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassShape {
    /// Control-flow graph: blocks that branch to each other.
    Graph,
    /// Nested constructs.
    Tree,
}

impl PassShape {
    /// Returns the name used in pipelines and diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            PassShape::Graph => "graph",
            PassShape::Tree => "tree",
        }
    }
}

impl PassInfo {
    /// Creates a pass that edits. Defaults: both shapes, all stages, no options, idempotent.
    pub(super) const fn edits(
        name: &'static str,
        about: fn() -> &'static str,
        run: fn(&mut Editor<'_>, PassContext<'_>) -> Result<(), Refusal>,
    ) -> PassInfo {
        PassInfo::new(name, about, RunFn::Edits(run))
    }

    /// Creates a pass of any kind. Defaults: both shapes, all stages, no options, idempotent.
    pub(super) const fn new(name: &'static str, about: fn() -> &'static str, run: RunFn) -> PassInfo {
        PassInfo {
            name,
            doc: "",
            about,
            shape: None,
            strict: false,
            stages: &[],
            options: &[],
            idempotent: true,
            may_apply: |_, _| true,
            reason: |_, _| None,
            run,
        }
    }

    /// Runs the pass on one function, without the checks that pipelines add; returns the recorded changes.
    ///
    /// A module pass runs on the whole module. Nothing is validated or compared. Errors: those of the pass;
    /// `P101` if the function does not exist; `P103` if a function is not valid.
    pub fn on(
        &self,
        module: &mut Module,
        func: Func,
        options: &Options,
        fuel: &mut Fuel,
    ) -> Result<Journal, Diag> {
        let analyses = &mut Analyses::new();
        self.on_opened(module, func, PassContext { options, analyses }, fuel, &mut None)
    }

    /// Like [`PassInfo::on`], but reuses the editor state that the last pass left, and leaves its own.
    pub fn on_opened(
        &self,
        module: &mut Module,
        func: Func,
        cx: PassContext<'_>,
        fuel: &mut Fuel,
        opened: &mut Option<Opened>,
    ) -> Result<Journal, Diag> {
        match self.run {
            RunFn::Edits(run) => {
                if module.func(func).is_some_and(|body| !(self.may_apply)(body, cx.options)) {
                    return Ok(Journal::new());
                }
                let mut ed = reopen(module, func, opened.take())?.fueled(*fuel);
                let done = run(&mut ed, cx);
                let (edited, left) = ed.finish_opened();
                *fuel = edited.fuel;
                *opened = left;
                done.map_err(|refusal| refused(func, &refusal))?;
                Ok(edited.journal)
            }
            RunFn::Rebuilds(_) if fuel.is_out() => Ok(Journal::new()),
            RunFn::Rebuilds(run) => {
                let before = module.func(func).cloned();
                let journal = run(module, func, cx)?;
                if let (Some(before), Some(after)) = (before, module.func(func))
                    && !after.same_version(&before)
                {
                    fuel.take();
                }
                Ok(journal)
            }
            RunFn::Function(run) => run(module, func, cx, fuel),
            RunFn::Module(run) => {
                let all = run(module, cx, fuel)?;
                let mine = all.into_iter().find(|&(at, _)| at == func);
                Ok(mine.map(|(_, journal)| journal).unwrap_or_default())
            }
        }
    }

    /// Returns the reason for a change of a function that the journal of the pass does not name.
    pub fn reason_for(&self, before: &FuncBody, after: &FuncBody, event: Event) -> Reason {
        (self.reason)(&Rebuilt { before, after }, event).map_or(Reason::Pass, Reason::Note)
    }

    /// Returns the options of a pass without braces.
    pub fn defaults(&self) -> Options {
        let mut options = Options::default();
        for info in self.options {
            match info {
                OptionInfo::Word(word, _) if options.word.is_empty() => options.word = word,
                OptionInfo::Word(..) | OptionInfo::Places { .. } => {}
                OptionInfo::Number { name, default, .. } => options.numbers.push((name, *default)),
            }
        }
        options
    }
}

/// Adapts the result of a pass that rebuilds and records no events itself: the manager determines the differences, and
/// [`PassInfo::reason`] explains them.
pub(super) fn nothing<T>(done: Result<T, Diag>) -> Result<Journal, Diag> {
    done.map(|_| Journal::new())
}

/// Merges the journals of each function.
pub(super) fn merged(journals: Journals) -> Journals {
    let mut out = Journals::new();
    for (func, journal) in journals {
        match out.iter_mut().find(|(known, _)| *known == func) {
            Some((_, all)) => journal.events().iter().for_each(|&(event, why)| all.push(event, why)),
            None => out.push((func, journal)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PASSES;
    use vitrine_text::parse;

    /// The programs of all filetests of passes.
    fn programs() -> Vec<(String, Module)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/filetests");
        let mut out = Vec::new();
        for pass in PASSES {
            let Ok(files) = std::fs::read_dir(format!("{folder}/{}", pass.name)) else { continue };
            for path in files.flatten().map(|file| file.path()) {
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let before = text.split("\n----").next().unwrap_or("");
                let parsed = parse(before);
                if parsed.diags.is_empty() {
                    out.push((path.display().to_string(), parsed.module));
                }
            }
        }
        out
    }

    /// The options of a pass with each of its words.
    fn choices(pass: &PassInfo) -> Vec<Options> {
        let words = pass.options.iter().filter_map(|info| match info {
            OptionInfo::Word(word, _) => Some(Options { word, ..pass.defaults() }),
            OptionInfo::Number { .. } | OptionInfo::Places { .. } => None,
        });
        std::iter::once(pass.defaults()).chain(words).collect()
    }

    #[test]
    fn a_pass_that_does_not_apply_changes_nothing() {
        let programs = programs();
        let mut checked = 0;
        for pass in PASSES {
            let RunFn::Edits(run) = pass.run else { continue };
            for options in choices(pass) {
                for (file, module) in &programs {
                    for (func, body) in module.funcs().filter(|(_, body)| !(pass.may_apply)(body, &options)) {
                        let mut module = module.clone();
                        let Some(mut ed) = Editor::new(&mut module, func) else { continue };
                        let analyses = &mut Analyses::new();
                        let done = run(&mut ed, PassContext { options: &options, analyses });
                        let is_changed = ed.finish().changed;
                        let is_same = module.func(func).is_some_and(|after| after.same_version(body));
                        assert!(
                            done.is_ok() && !is_changed && is_same,
                            "{}{{{}}} on {file}",
                            pass.name,
                            options.word
                        );
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 10_000, "only {checked}");
    }
}

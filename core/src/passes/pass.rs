//! What a pass says of itself: name, sentence, options, and how it is run.
//!
//! A pass has one file (or folder) of its name. It opens with what it does, with IR before and after, which is
//! what the page shows; `PASS` in it is its row; `PASSES` lists the rows.
//!
//! ```text
//! pub(super) const PASS: PassInfo = PassInfo {
//!     doc: "Computes the same thing once.",
//!     ..PassInfo::edits("cse", opening!("cse.rs"), |ed, _| cse(ed))
//! };
//! ```
//!
//! Knows nothing of pipelines: what runs when is theirs to say.

use crate::ir::{Diag, Editor, Fuel, Func, Journal, Module, Opened, Refusal, Stage};
use crate::passes::util::open::{refused, reopen};

/// A pass: what it is called, what it does, what may stand in its braces.
pub struct PassInfo {
    /// The spelling.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// All there is to say: what its file opens with, with IR before and after. Markdown.
    pub about: fn() -> &'static str,
    /// The shape a function must have; none where either does.
    pub shape: Option<PassShape>,
    /// Whether it fails where that shape is missing, because what comes behind counts on what it does. Others are skipped.
    pub strict: bool,
    /// The stages of shaders it can do something in; none where that is any.
    pub stages: &'static [Stage],
    /// What may stand in braces behind the name: words, of which one may be given and the first is meant
    /// where none is; and numbers.
    pub options: &'static [OptionInfo],
    /// Whether a second run in a row never changes anything.
    pub idempotent: bool,
    pub(crate) run: RunFn,
}

/// What was done to functions, as far as a pass says.
pub(crate) type Journals = Vec<(Func, Journal)>;

/// How a pass is run.
#[derive(Clone, Copy)]
pub(crate) enum RunFn {
    /// It edits one function after the other, and asks the editor for fuel before each rewrite.
    Edits(fn(&mut Editor<'_>, &Options) -> Result<(), Refusal>),
    /// It makes one function after the other anew; all that happens to one is one rewrite.
    Rebuilds(fn(&mut Module, Func, &Options) -> Result<Journal, Diag>),
    /// The same for what asks for fuel itself.
    Function(fn(&mut Module, Func, &Options, &mut Fuel) -> Result<Journal, Diag>),
    /// It looks at the module as a whole: functions may come and go, declarations may change.
    Module(fn(&mut Module, &Options, &mut Fuel) -> Result<Journals, Diag>),
}

/// The shape that a pass asks of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassShape {
    /// Blocks that name each other.
    Graph,
    /// Nested constructs.
    Tree,
}

impl PassShape {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            PassShape::Graph => "graph",
            PassShape::Tree => "tree",
        }
    }
}

/// One thing that may stand in the braces of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionInfo {
    /// A word, and what it does.
    Word(&'static str, &'static str),
    /// A number, as in `max-leaves=64`.
    Number {
        /// What stands before `=`.
        name: &'static str,
        /// What it does.
        doc: &'static str,
        /// What is meant where it is not given.
        default: u32,
        /// The smallest that may be given.
        least: u32,
        /// The largest.
        most: u32,
    },
}

impl OptionInfo {
    /// As it is written: the word, or the number as it is meant where it is not given.
    pub fn spelled(&self) -> String {
        match self {
            OptionInfo::Word(word, _) => (*word).to_owned(),
            OptionInfo::Number { name, default, .. } => format!("{name}={default}"),
        }
    }
}

/// What stands in the braces of a pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The word; the pass's first one where none was given, empty where it takes none.
    pub word: &'static str,
    /// Every number the pass takes, in the order of its row.
    pub numbers: Vec<(&'static str, u32)>,
}

impl PassInfo {
    /// A pass that edits: either shape, any stage, no options, idempotent, where its row says nothing else.
    pub(super) const fn edits(
        name: &'static str,
        about: fn() -> &'static str,
        run: fn(&mut Editor<'_>, &Options) -> Result<(), Refusal>,
    ) -> PassInfo {
        PassInfo::new(name, about, RunFn::Edits(run))
    }

    /// A pass of any kind: either shape, any stage, no options, idempotent, where its row says nothing else.
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
            run,
        }
    }

    /// Runs it on one function, whatever pipelines would ask of it; what it did, as far as it says.
    ///
    /// A pass that looks at the module as a whole does that. Nothing is validated and nothing compared. Errors:
    /// those of the pass; `P101` no such function; `P103` a function that was not valid.
    pub(crate) fn on(
        &self,
        module: &mut Module,
        func: Func,
        options: &Options,
        fuel: &mut Fuel,
    ) -> Result<Journal, Diag> {
        self.on_opened(module, func, options, fuel, &mut None)
    }

    /// The same with what the last pass left of an editor, in which this one leaves what it can.
    pub(crate) fn on_opened(
        &self,
        module: &mut Module,
        func: Func,
        options: &Options,
        fuel: &mut Fuel,
        opened: &mut Option<Opened>,
    ) -> Result<Journal, Diag> {
        match self.run {
            RunFn::Edits(run) => {
                let mut ed = reopen(module, func, opened.take())?.fueled(*fuel);
                let done = run(&mut ed, options);
                let (edited, left) = ed.finish_opened();
                *fuel = edited.fuel;
                *opened = left;
                done.map_err(|refusal| refused(func, &refusal))?;
                Ok(edited.journal)
            }
            RunFn::Rebuilds(_) if fuel.is_out() => Ok(Journal::new()),
            RunFn::Rebuilds(run) => {
                let before = module.func(func).cloned();
                let journal = run(module, func, options)?;
                if let (Some(before), Some(after)) = (before, module.func(func))
                    && !after.same_version(&before)
                {
                    fuel.take();
                }
                Ok(journal)
            }
            RunFn::Function(run) => run(module, func, options, fuel),
            RunFn::Module(run) => {
                let all = run(module, options, fuel)?;
                let mine = all.into_iter().find(|&(at, _)| at == func);
                Ok(mine.map(|(_, journal)| journal).unwrap_or_default())
            }
        }
    }

    /// What is meant where there are no braces.
    pub fn defaults(&self) -> Options {
        let mut options = Options::default();
        for info in self.options {
            match info {
                OptionInfo::Word(word, _) if options.word.is_empty() => options.word = word,
                OptionInfo::Word(..) => {}
                OptionInfo::Number { name, default, .. } => options.numbers.push((name, *default)),
            }
        }
        options
    }
}

impl Options {
    /// A number by name; 0 for one the pass does not take.
    pub fn number(&self, name: &str) -> u32 {
        self.numbers.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value)
    }
}

/// For passes that rebuild: no events of their own; the manager names what differs.
pub(super) fn nothing<T>(done: Result<T, Diag>) -> Result<Journal, Diag> {
    done.map(|_| Journal::new())
}

/// One journal for each function.
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

//! The list of passes: name, sentence, options and how to run each. Everything that names a pass reads it here.
//!
//! To add one: a row in [`PASSES`]. Nothing else of the pipeline knows a pass by name but `presets`.

use crate::ir::{Diag, Func, Journal, Module};
use crate::passes::lower_exits::{Target, lower_exits};
use crate::passes::structurize::{Mode, structurize};
use crate::passes::{
    algebraic, constant_fold, copy_prop, cse, dce, dead_cf, flatten, regs_to_values, values_to_regs,
    vars_to_values,
};

/// A pass: what it is called, what it does, what may stand in its braces.
pub struct PassInfo {
    /// The spelling.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// What may stand in braces behind the name: words, of which one may be given and the first is meant
    /// where none is; or numbers with what is meant where they are not given, as in `max-leaves=64`.
    pub options: &'static [&'static str],
    /// Whether a second run in a row never changes anything.
    pub idempotent: bool,
    pub(super) run: fn(&mut Module, Func, &Options) -> Result<Journal, Diag>,
}

/// What stands in the braces of a pass.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The word; the pass's first one where none was given, empty where it takes none.
    pub word: &'static str,
    /// Every number the pass takes, in the order of its row.
    pub numbers: Vec<(&'static str, u32)>,
}

impl Options {
    /// A number by name; 0 for one the pass does not take.
    pub fn number(&self, name: &str) -> u32 {
        self.numbers.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value)
    }
}

/// Every pass, in the order in which a program meets them.
// One row a pass. A pass that rebuilds its function has no journal of its own and says `nothing(...)`: the
// manager names what differs. Idempotent means that running it twice in a row is running it once.
pub const PASSES: &[PassInfo] = &[
    PassInfo {
        name: "structurize",
        doc: "Makes graphs trees; the option says how much of the importer's hints to follow.",
        options: &["faithful", "imported", "switch-loop"],
        idempotent: true,
        run: |module, func, options| {
            nothing(structurize(module, func, Mode::from_name(options.word).unwrap_or(Mode::Faithful)))
        },
    },
    PassInfo {
        name: "lower-exits",
        doc: "Makes a target able to say every exit of a tree; the option is the target.",
        options: &["spirv", "wgsl", "glsl", "hlsl", "tpf", "sm3"],
        idempotent: false,
        run: |module, func, options| {
            nothing(lower_exits(module, func, Target::from_name(options.word).unwrap_or_default()))
        },
    },
    PassInfo {
        name: "flatten",
        doc: "Makes trees graphs, with hints that keep what the tree said.",
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(flatten(module, func)),
    },
    PassInfo {
        name: "values-to-regs",
        doc: "Hands values that cross blocks on in registers instead of parameters.",
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(values_to_regs(module, func)),
    },
    PassInfo {
        name: "regs-to-values",
        doc: "Makes what registers hold values and block parameters again.",
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(regs_to_values(module, func)),
    },
    PassInfo {
        name: "vars-to-values",
        doc: "Makes what local variables hold values and block parameters, leaf by leaf.",
        options: &["max-leaves=64"],
        idempotent: true,
        run: |module, func, options| vars_to_values(module, func, options.number("max-leaves")),
    },
    PassInfo {
        name: "copy-prop",
        doc: "Reads through copies, through parameters with one source, and through chains of swizzles.",
        options: &[],
        idempotent: true,
        run: |module, func, _| copy_prop(module, func),
    },
    PassInfo {
        name: "constant-fold",
        doc: "Computes what has constant operands.",
        options: &[],
        idempotent: true,
        run: |module, func, _| constant_fold(module, func),
    },
    PassInfo {
        name: "algebraic",
        doc: "Applies the rules of algebra, each one cheaper than what it replaces.",
        options: &[],
        idempotent: true,
        run: |module, func, _| algebraic(module, func),
    },
    PassInfo {
        name: "cse",
        doc: "Computes the same thing once.",
        options: &[],
        idempotent: true,
        run: |module, func, _| cse(module, func),
    },
    PassInfo {
        name: "dead-cf",
        doc: "Removes control flow that cannot be taken, or makes no difference.",
        options: &[],
        idempotent: true,
        run: |module, func, _| dead_cf(module, func),
    },
    PassInfo {
        name: "dce",
        doc: "Removes what nobody reads and what has no effect.",
        options: &[],
        idempotent: true,
        run: |module, func, _| dce(module, func),
    },
];

/// For passes that rebuild: no events of their own.
fn nothing<T>(done: Result<T, Diag>) -> Result<Journal, Diag> {
    done.map(|_| Journal::new())
}

/// The pass of this name.
pub(super) fn find(name: &str) -> Option<&'static PassInfo> {
    PASSES.iter().find(|pass| pass.name == name)
}

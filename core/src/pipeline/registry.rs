//! The list of passes: name, sentence, options and how to run each. Everything that names a pass reads it here.
//!
//! To add one: a row in [`PASSES`]. Nothing else of the pipeline knows a pass by name but `presets`.

use super::opening::opening;
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
    /// All there is to say: what its file opens with, with IR before and after. Markdown.
    pub about: &'static str,
    /// The shape a function must have; none where either does.
    pub shape: Option<PassShape>,
    /// What may stand in braces behind the name: words, of which one may be given and the first is meant
    /// where none is; and numbers.
    pub options: &'static [OptionInfo],
    /// Whether a second run in a row never changes anything.
    pub idempotent: bool,
    pub(super) run: fn(&mut Module, Func, &Options) -> Result<Journal, Diag>,
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The word; the pass's first one where none was given, empty where it takes none.
    pub word: &'static str,
    /// Every number the pass takes, in the order of its row.
    pub numbers: Vec<(&'static str, u32)>,
}

impl PassInfo {
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

/// Every pass, in the order in which a program meets them.
// One row a pass. A pass that rebuilds its function has no journal of its own and says `nothing(...)`: the
// manager names what differs. Idempotent means that running it twice in a row is running it once.
pub const PASSES: &[PassInfo] = &[
    PassInfo {
        name: "structurize",
        doc: "Makes graphs trees; the option says how much of the importer's hints to follow.",
        about: opening!("../passes/structurize/mod.rs"),
        shape: None,
        options: &[
            OptionInfo::Word(
                "faithful",
                "Exits stay where they are; dispatch only where a region has no structure.",
            ),
            OptionInfo::Word("imported", "The importer's merge and continue hints are kept."),
            OptionInfo::Word(
                "switch-loop",
                "Every block an arm of one switch in one loop: to learn from, not to run.",
            ),
        ],
        idempotent: true,
        run: |module, func, options| {
            nothing(structurize(module, func, Mode::from_name(options.word).unwrap_or(Mode::Faithful)))
        },
    },
    PassInfo {
        name: "lower-exits",
        doc: "Makes a target able to say every exit of a tree; the option is the target.",
        about: opening!("../passes/lower_exits/mod.rs"),
        shape: Some(PassShape::Tree),
        options: &[
            OptionInfo::Word("spirv", "SPIR-V for Vulkan."),
            OptionInfo::Word("wgsl", "WGSL."),
            OptionInfo::Word("glsl", "GLSL."),
            OptionInfo::Word("hlsl", "HLSL."),
            OptionInfo::Word("tpf", "Shader models 4 and 5 of Direct3D."),
            OptionInfo::Word("sm3", "Shader models 2 and 3 of Direct3D 9."),
        ],
        idempotent: false,
        run: |module, func, options| {
            nothing(lower_exits(module, func, Target::from_name(options.word).unwrap_or_default()))
        },
    },
    PassInfo {
        name: "flatten",
        doc: "Makes trees graphs, with hints that keep what the tree said.",
        about: opening!("../passes/flatten.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(flatten(module, func)),
    },
    PassInfo {
        name: "values-to-regs",
        doc: "Hands values that cross blocks on in registers instead of parameters.",
        about: opening!("../passes/values_to_regs.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(values_to_regs(module, func)),
    },
    PassInfo {
        name: "regs-to-values",
        doc: "Makes what registers hold values and block parameters again.",
        about: opening!("../passes/regs_to_values.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| nothing(regs_to_values(module, func)),
    },
    PassInfo {
        name: "vars-to-values",
        doc: "Makes what local variables hold values and block parameters, leaf by leaf.",
        about: opening!("../passes/vars_to_values/mod.rs"),
        shape: None,
        options: &[OptionInfo::Number {
            name: "max-leaves",
            doc: "Variables with more leaves than this stay in memory.",
            default: 64,
            least: 0,
            most: 1_000_000,
        }],
        idempotent: true,
        run: |module, func, options| vars_to_values(module, func, options.number("max-leaves")),
    },
    PassInfo {
        name: "copy-prop",
        doc: "Reads through copies, through parameters with one source, and through chains of swizzles.",
        about: opening!("../passes/copy_prop.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| copy_prop(module, func),
    },
    PassInfo {
        name: "constant-fold",
        doc: "Computes what has constant operands.",
        about: opening!("../passes/constant_fold.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| constant_fold(module, func),
    },
    PassInfo {
        name: "algebraic",
        doc: "Applies the rules of algebra, each one cheaper than what it replaces.",
        about: opening!("../passes/algebraic.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| algebraic(module, func),
    },
    PassInfo {
        name: "cse",
        doc: "Computes the same thing once.",
        about: opening!("../passes/cse.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| cse(module, func),
    },
    PassInfo {
        name: "dead-cf",
        doc: "Removes control flow that cannot be taken, or makes no difference.",
        about: opening!("../passes/dead_cf.rs"),
        shape: None,
        options: &[],
        idempotent: true,
        run: |module, func, _| dead_cf(module, func),
    },
    PassInfo {
        name: "dce",
        doc: "Removes what nobody reads and what has no effect.",
        about: opening!("../passes/dce.rs"),
        shape: None,
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

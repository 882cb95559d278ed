//! Pipelines with a name, and why each entry stands where it stands.
//!
//! A preset is a pipeline text like any other: what it does is never more than what its entries say.

/// A named pipeline.
pub struct Preset {
    /// The spelling in a pipeline.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Whether the entries are repeated until none changes anything.
    pub fix: bool,
    /// Entries as they would be written, each with its reason.
    pub entries: &'static [(&'static str, &'static str)],
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "ingest",
        doc: "What every program goes through after it was read, whatever follows.",
        fix: false,
        entries: &[
            (
                "structurize{imported}",
                "The importer's merge blocks are only known now; later passes keep trees.",
            ),
            ("dead-cf", "Code that nothing reaches would keep variables alive."),
            ("vars-to-values", "Front ends put everything into variables; nothing else sees through them."),
            ("copy-prop", "What came out of variables are copies, and parameters with one source."),
            ("dce", "What only fed variables is left over."),
        ],
    },
    Preset {
        name: "O1",
        doc: "Everything that makes a program smaller, until nothing changes.",
        fix: true,
        entries: &[
            ("vars-to-values", "First: what is in memory is hidden from all others."),
            ("copy-prop", "Operands as they are meant, so that rules and value numbers meet them."),
            ("constant-fold", "Before the rules, which need not know arithmetic then."),
            ("algebraic{plain}", "After folding: a rule that needs a constant sees one."),
            ("cse", "After the rules: they give equal things equal forms."),
            ("dead-cf", "Conditions are constant now, if they ever are; blocks that go free parameters."),
            ("dce", "Last: what the others left behind would count as a use in the next round."),
        ],
    },
    Preset {
        name: "O2",
        doc: "What looks across calls, memory, arms and loops too, until nothing changes.",
        fix: true,
        entries: &[
            (
                "inline-functions",
                "First: arguments and results are values of one function then, and paths are known.",
            ),
            (
                "global-vars-to-local",
                "Whoever uses a private variable alone may have it, now that callees are gone.",
            ),
            ("vars-to-values", "What callees kept in variables, and what they were handed by address."),
            ("split-struct-vars", "Members of what is left in memory have nothing to do with each other."),
            (
                "split-array-vars",
                "Behind structures, whose arrays are variables now; so are elements named by constants.",
            ),
            (
                "find-array-copies",
                "Front ends take aggregates apart; as one copy of what is still in memory the next sees through them.",
            ),
            (
                "copy-prop-vars",
                "What must stay in memory, read once; what is only a copy, read where it came from.",
            ),
            (
                "load-store-vectorize{lanes}",
                "Behind the loads that went: lanes of one vector that are still read apart are read at once.",
            ),
            ("dead-write-vars", "Behind the loads that went: their stores may have no reader any more."),
            (
                "large-constants",
                "Tables that are still stored element by element, by what is read by a value.",
            ),
            ("one-value-vars", "Arrays filled with one value, which are not tables."),
            ("remove-dead-variables", "Variables that are only stored to now."),
            ("copy-prop", "Operands as they are meant, so that rules and value numbers meet them."),
            (
                "remove-trivial-params",
                "What is undefined on some way, or twice the same, is one value for all below.",
            ),
            (
                "opt-undef",
                "A choice of which one side is undefined is none; then the rules see what is chosen.",
            ),
            ("constant-fold", "Before the rules, which need not know arithmetic then."),
            ("opt-range", "What branches bound, before the rules: they know more of unsigned numbers."),
            ("algebraic{plain}", "After folding: a rule that needs a constant sees one."),
            ("cse", "After the rules: they give equal things equal forms."),
            (
                "shrink-vectors",
                "After equal values became one: those of different widths are not equal any more.",
            ),
            ("licm", "After values that are one: what is left in a loop is there once."),
            (
                "loop-unroll{smaller, max-trips=8, max-insts=128}",
                "Behind `licm`, so that a round is small; what becomes constant goes below. Larger limits grow more than they save.",
            ),
            ("if-constant-arm", "Conditions inside of arms become constant for `dead-cf`."),
            ("if-merge-adjacent", "Two arms are one before what they share is looked for."),
            ("if-hoist-common", "Arms get small, so that they can be selects."),
            ("if-select-of-params", "A select less, and the parameter that it read."),
            ("opt-loop", "One exit where there were two."),
            ("trivial-continues", "Behind the merging: exits that fall free nodes for `dead-cf`."),
            (
                "if-unnest",
                "Behind all that looks at arms: what is not in an arm needs no parameter to leave it.",
            ),
            ("dead-cf", "Conditions are constant now, if they ever are; blocks that go free parameters."),
            ("peephole-select", "Only what must be decided at run time; arms are as small as they get."),
            ("dce", "Last: what the others left behind would count as a use in the next round."),
        ],
    },
    Preset {
        name: "qptr",
        doc: "Memory as bytes and back: what SPIR-T calls quasi-pointers.",
        fix: false,
        entries: &[
            ("qptr-lower", "Types of memory go: what is left is which bytes are read and written."),
            (
                "qptr-analyze",
                "What each byte is used as, said where it is declared: the reason of the types to come.",
            ),
            (
                "qptr-legalize",
                "Pointers that a target cannot have are numbers, in terms of what was declared.",
            ),
            (
                "qptr-specialize",
                "Behind it, where more pointers begin at memory that is known: those that calls hand on.",
            ),
            ("qptr-lift", "Types are found again by the bytes, with the names they had."),
            ("cse", "Paths that several blocks wrote, each for itself."),
            ("dce", "Constants of indices that nobody reads any more."),
            ("lower-var-copies{unlike}", "SPIR-V copies only between equal layouts."),
            (
                "lower-exits{spirv}",
                "Last: any pass that moves exits could leave one that SPIR-V has no word for.",
            ),
        ],
    },
    Preset {
        name: "spirv-out",
        doc: "What SPIR-V says better, or cannot say, behind everything that makes a program smaller.",
        fix: false,
        entries: &[
            (
                "algebraic-late",
                "Once: it undoes forms that only rules like, and `algebraic` would bring them back.",
            ),
            ("constant-fold", "What the late rules made of constants."),
            ("cse", "Negations and the like that late rules wrote at each place."),
            ("dce", "What late rules no longer read."),
            ("lower-var-copies{unlike}", "SPIR-V copies only between equal layouts."),
            ("lower-discard-if", "SPIR-V ends lanes by a statement; before exits, which it adds to."),
            (
                "lower-exits{spirv}",
                "Last: any pass that moves exits could leave one that SPIR-V has no word for.",
            ),
        ],
    },
];

/// The preset of this name.
pub(super) fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

impl Preset {
    /// The text the preset stands for.
    pub fn text(&self) -> String {
        let entries: Vec<&str> = self.entries.iter().map(|&(text, _)| text).collect();
        let list = entries.join(", ");
        if self.fix { format!("fix({list})") } else { list }
    }
}

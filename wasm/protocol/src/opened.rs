//! An input that was read, run through a pipeline and drawn: the main answer of the compiler.

use serde::{Deserialize, Serialize};

use crate::layout::{BlockEntry, Fold, HiddenEntry, LoopEntry, SpanEntry};
use crate::{Bytes, Parts, SourceOption, Table, Utf8};

/// A tab of the text pane. One enum for the page, the compiler and links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tab {
    /// The IR.
    #[default]
    Ir,
    /// The IR, compared with the version before.
    Changes,
    /// The text of a target language.
    Target,
    /// Several versions side by side.
    Columns,
    /// A map of memory.
    Memory,
}

impl Tab {
    /// All tabs, in the order of [`Tab::number`].
    pub const ALL: [Tab; 5] = [Tab::Ir, Tab::Changes, Tab::Target, Tab::Columns, Tab::Memory];

    /// The number that links store. Numbers are never reused.
    pub fn number(self) -> u32 {
        match self {
            Tab::Ir => 0,
            Tab::Changes => 1,
            Tab::Target => 2,
            Tab::Columns => 3,
            Tab::Memory => 4,
        }
    }

    /// The name in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Tab::Ir => "ir",
            Tab::Changes => "changes",
            Tab::Target => "target",
            Tab::Columns => "columns",
            Tab::Memory => "memory",
        }
    }

    /// The tab with this name.
    pub fn named(name: &str) -> Option<Tab> {
        Tab::ALL.into_iter().find(|tab| tab.name() == name)
    }

    /// The tab with this number of a link; the IR for the number of a newer version.
    pub fn numbered(number: u32) -> Tab {
        Tab::ALL.into_iter().find(|tab| tab.number() == number).unwrap_or_default()
    }
}

/// A version of the input, with the parts that the page shows immediately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The revision of [`OpenRequest`](crate::OpenRequest).
    pub revision: u32,
    /// The parts of this answer.
    pub parts: Parts,
    /// The kind of the input, in words.
    pub kind: String,
    /// The SPIR-V binary of a translated source, with the lines of that; empty for other inputs.
    pub program: Bytes,
    /// The options that the front end of a source has; empty for other inputs.
    pub source_options: Vec<SourceOption>,
    /// Number of programs of a comparison; 0 if the input is a single program.
    pub programs: u32,
    /// Diagnostics of the input, in reading order.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics of the pipeline, with positions in its text.
    pub pipeline_diagnostics: Vec<Diagnostic>,
    /// Functions of the input.
    pub functions: Vec<FunctionInfo>,
    /// Passes that ran. Step `i` produced version `i + 1`.
    pub steps: Vec<PassStep>,
    /// The displayed version: 0 is the input.
    pub version: u32,
    /// The displayed function.
    pub function: Option<u32>,
    /// Functions, blocks and instructions of the version.
    pub counts: [u32; 3],
    /// The reasons for the changes of the step that produced the version.
    pub reasons: Vec<Reason>,
    /// The reasons that there is no text; empty if there is one.
    pub refused: Vec<Refusal>,
    /// The result of the comparison with a reproduction; empty without one.
    pub verdict: String,
    /// The compiler's time, in tenths of a millisecond.
    pub tenths_ms: u32,
    /// The text.
    pub text: StyledText,
    /// A text to edit instead of a binary input; empty for a text, and if the input is unchanged.
    pub source: Utf8,
    /// The graph of the function.
    pub graph: GraphPicture,
    /// Folds, each with the anchor id of its first block.
    pub folds: Vec<(Fold, u32)>,
    /// Long blocks that are shown in full, by anchor id.
    pub opened_blocks: Vec<u32>,
    /// Pinned blocks: anchor id, left and top in pixels.
    pub pins: Vec<[i32; 3]>,
}

/// A reason why a version has no text in a target language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The sentence, without a final period. Code in it is between backticks.
    pub sentence: String,
    /// True if the reason is that the version is invalid. It is then the only one, without a place and without passes.
    pub is_invalid: bool,
    /// The part of the program that the language cannot express, if it has a name in the IR.
    pub place: Option<RefusedPlace>,
    /// The passes that help, as they stand in a pipeline.
    pub passes: Vec<String>,
}

/// The part of a program that a target language cannot express.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPlace {
    /// Its anchor id.
    pub id: u32,
    /// Its name in the IR.
    pub name: String,
}

/// A text with styled and linked ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyledText {
    /// The characters; lines end with `\n`.
    pub text: Utf8,
    /// Its ranges.
    pub spans: Table<SpanEntry>,
    /// A [`Mark`] for each line, if it is compared with another text; otherwise empty.
    pub marks: Bytes,
}

/// The change of a line between two versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    /// It is unchanged.
    #[default]
    Same,
    /// It is new.
    Added,
    /// It was removed.
    Gone,
    /// Its words changed.
    Changed,
    /// It moved.
    Moved,
}

impl Mark {
    /// The mark with this number; unchanged for a number that is not one.
    pub fn numbered(number: u8) -> Mark {
        match number {
            1 => Mark::Added,
            2 => Mark::Gone,
            3 => Mark::Changed,
            4 => Mark::Moved,
            _ => Mark::Same,
        }
    }
}

/// A graph with a layout. Pixels; x grows to the right, y downward.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphPicture {
    /// Left, top, width and height of the graph.
    pub extent: [i32; 4],
    /// Boxes.
    pub blocks: Table<BlockEntry>,
    /// Loops, outer ones first.
    pub loops: Table<LoopEntry>,
    /// Edges with their points, see [`layout::edges`](crate::layout::edges).
    pub edges: Table<[u32; 1]>,
    /// The label of each edge; most are empty.
    pub labels: Vec<String>,
    /// The text of all boxes.
    pub text: StyledText,
    /// One line about each box, without its name.
    pub summaries: Vec<String>,
    /// The trip count of each loop in words; empty if it is unknown.
    pub trips: Vec<String>,
    /// Blocks that are folded into others.
    pub hidden: Table<HiddenEntry>,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// The input or pipeline cannot be used.
    #[default]
    Error,
    /// The program or pipeline is probably not as intended.
    Warning,
    /// Information.
    Note,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Level::Error, Level::Warning, Level::Note];

    /// The name in text and in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// A diagnostic of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Its severity.
    pub level: Level,
    /// Stable code such as `E031`.
    pub code: String,
    /// The sentence.
    pub message: String,
    /// Line, from 1; 0 without a position.
    pub line: u32,
    /// Column in characters, from 1; 0 without a position.
    pub column: u32,
}

/// A function of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Number of blocks; 0 for a declaration.
    pub blocks: u32,
    /// True if it is an entry point.
    pub entry: bool,
}

/// Result of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The program is unchanged.
    #[default]
    Unchanged,
    /// The program differs, and is valid.
    Changed,
    /// The pass reported an error.
    Failed,
    /// The pass left an invalid program.
    Invalid,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 4] = [Outcome::Unchanged, Outcome::Changed, Outcome::Failed, Outcome::Invalid];

    /// The name in text and in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Unchanged => "unchanged",
            Outcome::Changed => "changed",
            Outcome::Failed => "failed",
            Outcome::Invalid => "invalid",
        }
    }
}

/// A pass that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassStep {
    /// Name of the pass, or of a version of a comparison.
    pub pass: String,
    /// Its options, without braces.
    pub options: String,
    /// Iteration of the innermost enclosing group, from 1; 0 outside of groups.
    pub iteration: u32,
    /// The number of that group among all that ran, from 1; 0 outside of groups.
    pub group: u32,
    /// Its result.
    pub outcome: Outcome,
    /// Number of differences from the version before: instructions, blocks and nodes.
    pub changes: u32,
    /// Instructions after it.
    pub insts: u32,
    /// Blocks after it.
    pub blocks: u32,
    /// Its rewrites: units of fuel.
    pub rewrites: u32,
    /// Its duration by the caller's clock, in microseconds; 0 without one, or if that is below its resolution.
    pub micros: u32,
    /// The reason that it was skipped, as a predicate whose subject is the pass; empty if it ran.
    pub skipped: String,
    /// The error; empty if there is none.
    pub message: String,
    /// The row of the pipeline's outline that it comes from.
    pub row: u32,
}

/// A reason for changes of a step, with their number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Number of changes.
    pub count: u32,
    /// Name of the rule; empty for a note of the pass.
    pub rule: String,
    /// The rule's doc, or the note.
    pub words: String,
}

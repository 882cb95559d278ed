//! The layout of each [`Table`]: the order of the fields is the order of the numbers.
//!
//! Bytes are offsets in UTF-8. Pixels are CSS pixels; x grows to the right, y downward. Lines and columns of
//! tables count from 0 unless a field states otherwise. *Anchor ids* are the numbers by which links of all
//! texts name values, blocks, variables and functions.
//!
//! Tables with entries of different lengths ([`edges`], [`column_rows`]) have a function that reads them, and one or a builder
//! that writes them.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast, cast_slice, pod_read_unaligned};
use serde::{Deserialize, Serialize};

use crate::{Mark, Table};

/// A styled range of a text. Ranges are in order and do not overlap.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct SpanEntry {
    /// First byte.
    pub start: u32,
    /// Length, in bytes.
    pub len: u32,
    /// Number of the token class, see `Ready::classes`.
    pub class: u32,
    /// One of [`link_kinds`].
    pub link: u32,
    /// Anchor id; 0 if not linked.
    pub id: u32,
}

impl SpanEntry {
    /// Its bytes.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.start.saturating_add(self.len) as usize
    }

    /// Returns true if it defines its anchor.
    pub fn is_definition(&self) -> bool {
        self.link == link_kinds::DEFINITION
    }
}

/// Values of [`SpanEntry::link`].
pub mod link_kinds {
    /// It is not linked.
    pub const NONE: u32 = 0;
    /// It defines its anchor.
    pub const DEFINITION: u32 = 1;
    /// It uses its anchor.
    pub const USE: u32 = 2;
}

/// A box of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct BlockEntry {
    /// Anchor id.
    pub id: u32,
    /// Left, top, width, height, in pixels.
    pub rect: [i32; 4],
    /// First line in the text of the graph.
    pub first_line: u32,
    /// Number of lines.
    pub lines: u32,
    /// Bits of [`block_flags`].
    pub flags: u32,
    /// The line of the box that shows the number of hidden lines; negative if none are hidden.
    pub cut: i32,
    /// Index of the innermost enclosing loop; negative if there is none.
    pub innermost_loop: i32,
    /// Number of instructions.
    pub insts: u32,
    /// The [`Fold`] into the box, or 0.
    pub fold: u32,
}

impl BlockEntry {
    /// The construct that is folded into the box; none for a number that is not one.
    pub fn fold(&self) -> Option<Fold> {
        Fold::numbered(self.fold)
    }
}

/// A construct that is folded into one box. Stored views have its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
#[repr(u32)]
pub enum Fold {
    /// A loop, by its header.
    Loop = 1,
    /// A block with several successors, and the blocks it dominates up to the point where its paths meet.
    Branch = 2,
    /// Blocks that follow each other without a branch.
    Sequence = 3,
}

impl Fold {
    /// The fold with this number; none for a number that is not one.
    pub fn numbered(number: u32) -> Option<Fold> {
        [Fold::Loop, Fold::Branch, Fold::Sequence].into_iter().find(|&fold| fold as u32 == number)
    }
}

impl From<Fold> for u32 {
    fn from(fold: Fold) -> u32 {
        fold as u32
    }
}

impl TryFrom<u32> for Fold {
    type Error = String;

    /// Errors: a number that is not one of a fold.
    fn try_from(number: u32) -> Result<Fold, String> {
        Fold::numbered(number).ok_or_else(|| format!("{number} is not the number of a fold"))
    }
}

/// Bits of [`BlockEntry::flags`].
pub mod block_flags {
    /// The block is the entry of the function.
    pub const ENTRY: u32 = 1;
    /// The block is new in this version.
    pub const ADDED: u32 = 2;
    /// An instruction in the block changed in this version.
    pub const CHANGED: u32 = 4;
    /// The block is pinned.
    pub const PINNED: u32 = 8;
    /// The block is pinned, but was moved.
    pub const DISPLACED: u32 = 16;
    /// The block is long and shown in full.
    pub const OPEN: u32 = 32;
}

/// A loop of a graph. Outer loops come first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopEntry {
    /// Left, top, width, height, in pixels.
    pub rect: [i32; 4],
    /// Nesting depth, from 1.
    pub depth: i32,
    /// Anchor id of its header.
    pub header: u32,
}

/// The fixed part of an edge of a graph; its points follow, two numbers each, see [`edges`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct EdgeEntry {
    /// An [`EdgeKind`].
    pub kind: u32,
    /// 1 for an edge that runs upward.
    pub back: u32,
    /// Anchor id of its source.
    pub from: u32,
    /// Anchor id of its target.
    pub to: u32,
    /// Left edge and baseline of the label, in pixels.
    pub label_at: [i32; 2],
    /// Number of points.
    pub points: u32,
}

impl EdgeEntry {
    /// Its kind; unconditional for a number that is not one.
    pub fn kind(&self) -> EdgeKind {
        let conditional = [EdgeKind::True, EdgeKind::False, EdgeKind::Case];
        conditional.into_iter().find(|&kind| kind as u32 == self.kind).unwrap_or(EdgeKind::Always)
    }
}

/// The condition of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum EdgeKind {
    /// It is unconditional, or stands for several edges.
    Always,
    /// It is taken if the condition is true.
    True,
    /// It is taken if the condition is false.
    False,
    /// It is taken for some values of a switch.
    Case,
}

/// Writes the table that [`edges`] reads.
#[derive(Clone, Debug, Default)]
pub struct EdgeTable {
    words: Vec<u32>,
}

impl EdgeTable {
    /// Adds an edge with its points, in pixels; [`EdgeEntry::points`] becomes their number.
    pub fn push(&mut self, edge: EdgeEntry, points: impl ExactSizeIterator<Item = [i32; 2]>) {
        let edge = EdgeEntry { points: points.len() as u32, ..edge };
        self.words.extend(cast::<EdgeEntry, [u32; 7]>(edge));
        self.words.extend(points.flatten().map(i32::cast_unsigned));
    }

    /// The table.
    pub fn finish(self) -> Table<[u32; 1]> {
        Table::from_words(self.words)
    }
}

/// The edges of a table with their points, in pixels. An incomplete edge at the end is ignored.
pub fn edges(table: &Table<[u32; 1]>) -> impl Iterator<Item = (EdgeEntry, &[[i32; 2]])> {
    let mut words = table.words();
    std::iter::from_fn(move || {
        let (head, rest) = words.split_at_checked(size_of::<EdgeEntry>() / 4)?;
        let edge: EdgeEntry = pod_read_unaligned(cast_slice(head));
        let (points, rest) = rest.split_at_checked((edge.points as usize).saturating_mul(2))?;
        words = rest;
        Some((edge, cast_slice(points)))
    })
}

/// A block that is folded into the box of another one.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct HiddenEntry {
    /// Anchor id of the block.
    pub block: u32,
    /// Anchor id of the box that contains it.
    pub shown_in: u32,
}

/// The heading of a column.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct ColumnEntry {
    /// Characters of its longest line.
    pub widest: u32,
    /// Rows that are new in it.
    pub added: u32,
    /// Rows of the column to the left that it does not have.
    pub gone: u32,
    /// Rows that changed.
    pub changed: u32,
    /// Rows that moved.
    pub moved: u32,
}

/// The fixed part of a row of columns; a [`CellEntry`] for each column follows, see [`column_rows`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct RowEntry {
    /// Number of the row.
    pub number: u32,
    /// Number of rows folded into it; 0 for a visible row.
    pub folded: u32,
    /// The line that names the entity that begins here, plus 1; 0 for none.
    pub label: u32,
}

/// A cell of a row of columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct CellEntry {
    /// The line of the text, plus 1; 0 for an empty cell.
    pub line: u32,
    /// The change from the column to the left, a [`Mark`]; [`FIRST_OF_DIFFERENCE`] in the first column of a row with a
    /// difference.
    pub mark: u32,
    /// Number of its line in its version, from 1; 0 for an empty cell.
    pub number: u32,
    /// Letters of indentation that all lines of the column have between two folds.
    pub indent: u32,
}

impl CellEntry {
    /// The change from the column to the left; none in the first column of a row with a difference.
    pub fn change(&self) -> Option<Mark> {
        let number = u8::try_from(self.mark).unwrap_or_default();
        (self.mark != FIRST_OF_DIFFERENCE).then(|| Mark::numbered(number))
    }
}

/// See [`CellEntry::mark`].
pub const FIRST_OF_DIFFERENCE: u32 = 5;

/// Writes the table that [`column_rows`] reads.
#[derive(Debug, Default)]
pub struct ColumnRows {
    words: Vec<u32>,
}

impl ColumnRows {
    /// An empty table, with space for some rows.
    pub fn with_capacity(rows: usize, columns: usize) -> ColumnRows {
        ColumnRows { words: Vec::with_capacity(rows.saturating_mul(row_words(columns))) }
    }

    /// Appends a row with a cell for each column.
    pub fn push(&mut self, row: RowEntry, cells: &[CellEntry]) {
        self.words.extend_from_slice(cast_slice(&[row]));
        self.words.extend_from_slice(cast_slice(cells));
    }

    /// The table.
    pub fn finish(self) -> Table<[u32; 1]> {
        Table::from_words(self.words)
    }
}

fn row_words(columns: usize) -> usize {
    (size_of::<RowEntry>() + columns * size_of::<CellEntry>()) / 4
}

/// The rows of a table with `columns` columns. An incomplete row at the end is ignored.
pub fn column_rows(
    table: &Table<[u32; 1]>,
    columns: usize,
) -> impl ExactSizeIterator<Item = (RowEntry, &[CellEntry])> {
    table.words().chunks_exact(row_words(columns)).map(|words| {
        let (head, cells) = words.split_at(size_of::<RowEntry>() / 4);
        (pod_read_unaligned(cast_slice(head)), cast_slice(cells))
    })
}

/// A line of the inspector.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct InspectEntry {
    /// An [`InspectSection`].
    pub section: u32,
    /// The number of an [`InspectAction`].
    pub action: u32,
    /// The first number of the action, or 0.
    pub first: u32,
    /// The second number of the action, or 0.
    pub second: u32,
}

/// A section of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum InspectSection {
    /// The definition.
    Definition,
    /// Results of analyses.
    Facts,
    /// Uses.
    Uses,
    /// Earlier versions, and the position in the input.
    Origin,
    /// Later versions.
    Later,
}

/// The action of a click on a line of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectAction {
    /// Nothing.
    Nothing,
    /// Shows a use of the anchor, by its index in reading order.
    Use(u32),
    /// Goes to a version, and selects the anchor with this id there.
    Version(u32, Option<u32>),
    /// Selects bytes of the input: the first one, and their number.
    Input(u32, u32),
    /// Selects the anchor with this id.
    Select(u32),
    /// Shows the memory of the variable with this anchor id.
    Memory(u32),
}

impl InspectEntry {
    /// The entry of a line.
    pub fn new(section: InspectSection, action: InspectAction) -> InspectEntry {
        let (action, first, second) = match action {
            InspectAction::Nothing => (0, 0, 0),
            InspectAction::Use(nth) => (1, nth, 0),
            InspectAction::Version(at, id) => (2, at, id.map_or(0, |id| id.saturating_add(1))),
            InspectAction::Input(start, len) => (3, start, len),
            InspectAction::Select(id) => (4, id, 0),
            InspectAction::Memory(id) => (5, id, 0),
        };
        InspectEntry { section: section as u32, action, first, second }
    }

    /// Its section; none for a number that is not one.
    pub fn section(&self) -> Option<InspectSection> {
        use InspectSection::{Definition, Facts, Later, Origin, Uses};
        [Definition, Facts, Uses, Origin, Later].get(self.section as usize).copied()
    }

    /// Its action.
    pub fn action(&self) -> InspectAction {
        let InspectEntry { first, second, .. } = *self;
        match self.action {
            1 => InspectAction::Use(first),
            2 => InspectAction::Version(first, second.checked_sub(1)),
            3 => InspectAction::Input(first, second),
            4 => InspectAction::Select(first),
            5 => InspectAction::Memory(first),
            _ => InspectAction::Nothing,
        }
    }
}

/// The bytes of the input from which an anchor was read. Entries are sorted by `start`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct OriginEntry {
    /// Anchor id.
    pub id: u32,
    /// First byte.
    pub start: u32,
    /// Length, in bytes.
    pub len: u32,
}

/// A line of a memory map.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct MemoryEntry {
    /// A [`MemoryKind`].
    pub kind: i32,
    /// Index of its segment.
    pub segment: i32,
    /// First byte in the segment.
    pub start: i32,
    /// Number of bytes; -1 for the rest of the memory.
    pub bytes: i32,
    /// Bits of [`access_flags`].
    pub access: i32,
    /// For a segment: its stride in bytes. For a declared field: the segment of its elements, or 0. For a used range: the
    /// number of its accesses. For an instruction: its anchor id plus 1.
    pub detail: i32,
    /// For a segment: the number of its elements, -1 if unknown. For an instruction: the line of the range it
    /// accesses.
    pub count: i32,
    /// For a used range: its track among overlapping ranges.
    pub track: i32,
}

/// The kind of a line of a memory map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum MemoryKind {
    /// The head of a segment: the whole memory, or one element of an array in it.
    Segment,
    /// A declared field.
    Field,
    /// Padding.
    Padding,
    /// Bytes that are read or written.
    Used,
    /// An instruction that accesses them.
    Access,
    /// A remark.
    Remark,
}

impl MemoryEntry {
    /// Its kind; a remark for a number that is not one.
    pub fn kind(&self) -> MemoryKind {
        match self.kind {
            0 => MemoryKind::Segment,
            1 => MemoryKind::Field,
            2 => MemoryKind::Padding,
            3 => MemoryKind::Used,
            4 => MemoryKind::Access,
            _ => MemoryKind::Remark,
        }
    }
}

/// Bits of [`MemoryEntry::access`].
pub mod access_flags {
    /// The bytes are read.
    pub const READ: i32 = 1;
    /// The bytes are written.
    pub const WRITE: i32 = 2;
    /// The bytes are accessed by atomic operations.
    pub const ATOMIC: i32 = 4;
}

/// A line of a graph that contains the searched text.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct FoundEntry {
    /// Anchor id of the block.
    pub block: u32,
    /// Anchor id of the line's definition; that of the block if it has none.
    pub id: u32,
}

/// A mark of an overlay.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct OverlayEntry {
    /// Anchor id of the block or value.
    pub id: u32,
    /// A [`MarkStyle`], and bits of [`mark_flags`].
    pub style: u32,
    /// The level of its bar, up to [`FULL_BAR`].
    pub level: u32,
    /// The line of its words.
    pub words: u32,
}

/// A pattern and its color. The page's style sheet and script have the numbers, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum MarkStyle {
    /// Words without a pattern.
    #[default]
    Plain = 0,
    /// A solid fill.
    Solid = 1,
    /// Diagonal lines.
    Hatch = 2,
    /// Dots.
    Dots = 3,
    /// Horizontal lines.
    Lines = 4,
    /// Crossed diagonal lines.
    Cross = 5,
    /// Vertical lines.
    Bars = 6,
}

/// Bits of [`OverlayEntry::style`].
pub mod mark_flags {
    /// The mark is that of a line instead of the words of a value.
    pub const LINE: u32 = 16;
    /// The first line of the block in the graph is free for the mark.
    pub const FREE_LINE: u32 = 32;
}

/// The level of a full bar.
pub const FULL_BAR: u32 = 1000;

/// The number of executions of a block in a run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct ExecutionEntry {
    /// Function and block, by the ids of the program.
    pub place: [u32; 2],
    /// The lower and the upper half of the number.
    pub count: [u32; 2],
}

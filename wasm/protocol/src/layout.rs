//! The layout of each [`Table`]: the order of the fields is the order of the numbers.
//!
//! Bytes are offsets in UTF-8. Pixels are CSS pixels; x grows to the right, y downward. Lines and columns of
//! tables count from 0 unless a field states otherwise. *Anchor ids* are the numbers by which links of all
//! texts name values, blocks, variables and functions.
//!
//! Tables with entries of different lengths ([`edges`], [`column_rows`]) have a function that reads them, and
//! edges a type that writes them ([`EdgeTable`]).

use bytemuck::{Pod, Zeroable, cast, cast_slice, pod_read_unaligned};

use crate::Table;

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
    /// 0 not linked, 1 definition, 2 use.
    pub link: u32,
    /// Anchor id; 0 if not linked.
    pub id: u32,
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
    /// The construct folded into the box: 0 none, 1 a loop, 2 a branch, 3 a sequence of blocks.
    pub fold: u32,
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
    /// 0 unconditional, 1 taken if true, 2 taken if false, 3 case of a switch.
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
    /// The change from the column to the left: 0 unchanged, 1 added, 2 removed, 3 changed, 4 moved; 5 for the
    /// first column of a row with a difference.
    pub mark: u32,
    /// Number of its line in its version, from 1; 0 for an empty cell.
    pub number: u32,
    /// Letters of indentation that all lines of the column have between two folds.
    pub indent: u32,
}

/// The rows of a table with `columns` columns. An incomplete row at the end is ignored.
pub fn column_rows(
    table: &Table<[u32; 1]>,
    columns: usize,
) -> impl ExactSizeIterator<Item = (RowEntry, &[CellEntry])> {
    let row = size_of::<RowEntry>() / 4 + columns * size_of::<CellEntry>() / 4;
    table.words().chunks_exact(row).map(|words| {
        let (head, cells) = words.split_at(size_of::<RowEntry>() / 4);
        (pod_read_unaligned(cast_slice(head)), cast_slice(cells))
    })
}

/// A line of the inspector.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct InspectEntry {
    /// Section: 0 definition, 1 facts, 2 uses, 3 origin, 4 later versions.
    pub section: u32,
    /// Action of a click: 0 none, 1 shows use `first`, 2 goes to version `first` and selects anchor `second -
    /// 1` (none if 0), 3 selects `second` bytes of the input from byte `first`, 4 selects anchor `first`, 5
    /// shows the memory of anchor `first`.
    pub action: u32,
    /// See `action`.
    pub first: u32,
    /// See `action`.
    pub second: u32,
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
    /// 0 segment, 1 declared, 2 padding, 3 used range, 4 instruction, 5 remark.
    pub kind: i32,
    /// Index of its segment.
    pub segment: i32,
    /// First byte in the segment.
    pub start: i32,
    /// Number of bytes; -1 for the rest of the memory.
    pub bytes: i32,
    /// Bits: 1 read, 2 written, 4 atomic, 8 an unused field.
    pub access: i32,
    /// For a segment: its stride in bytes. For a declared field: the segment of its elements, or 0. For an
    /// instruction: its anchor id plus 1.
    pub detail: i32,
    /// For a segment: the number of its elements, -1 if unknown. For an instruction: the line of the range it
    /// accesses.
    pub count: i32,
    /// For a used range: its track among overlapping ranges.
    pub track: i32,
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
    /// The number of its style: 0 words only, 1 solid, 2 diagonal lines, 3 dots, 4 horizontal lines, 5 crossed lines, 6
    /// vertical lines; and bits of [`mark_flags`].
    pub style: u32,
    /// The level of its bar, up to [`FULL_BAR`].
    pub level: u32,
    /// The line of its words.
    pub words: u32,
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

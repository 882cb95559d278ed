//! Requests to the compiler and its answers.
//!
//! The compiler answers one request at a time, in order. `revision` and `serial` are returned with the
//! answer, so that the page can distinguish the answer to its last request from an older one.

use serde::{Deserialize, Serialize};

use crate::layout::{ColumnEntry, Fold, FoundEntry, InspectEntry, OriginEntry};
use crate::{
    Bytes, CatalogEntry, Fault, Opened, Overlay, OverlayKind, OverlayRequest, PreparedSource, Progress,
    StyledText, Tab, Table, Translation, Utf8, Words,
};

/// A request to the compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Request {
    /// Replaces the input for the next requests. No answer.
    Input(Bytes),
    /// Changes the input for the next requests, edit by edit. No answer.
    Edit(Vec<InputEdit>),
    /// Reads the input, runs the pipeline and draws a version. Answer: [`Answer::Opened`].
    Open(OpenRequest),
    /// Rows of versions side by side. Answer: [`Answer::Columns`].
    Columns(ColumnsRequest),
    /// The text of all cells of the last columns, for a search. Answer: [`Answer::ColumnsText`].
    ColumnsText,
    /// The description of an anchor. Answer: [`Answer::Inspected`].
    Inspect(InspectRequest),
    /// The positions of anchors in the input. Answer: [`Answer::Origins`].
    Origins(OriginsRequest),
    /// A map of memory. Answer: [`Answer::Memory`].
    Memory(MemoryRequest),
    /// The addresses of untyped pointers. Answer: [`Answer::Paths`].
    Paths(PathsRequest),
    /// A search in a graph. Answer: [`Answer::Found`].
    Find(FindRequest),
    /// The marks of an overlay. Answer: [`Answer::Overlay`].
    Overlay(OverlayRequest),
    /// The catalog. Answer: [`Answer::Catalog`].
    Catalog,
    /// The words that the text editor completes and colors. Answer: [`Answer::Words`].
    Words,
    /// A version as a file. Answer: [`Answer::File`] or [`Answer::Refused`].
    Export(ExportRequest),
    /// A link to the current input. Answer: [`Answer::Link`].
    WriteLink(SharedRequest),
    /// The content of a link, which becomes the input. Answer: [`Answer::Shared`].
    ReadLink(String),
    /// A reproduction of the current input. Answer: [`Answer::File`].
    WriteRepro(SharedRequest),
    /// The content of a reproduction, which becomes the input. Answer: [`Answer::Shared`].
    ReadRepro(Bytes),
    /// Several programs, which become the input as a comparison, the first by name as the original. Answer:
    /// [`Answer::JoinSource`] for a source, at last [`Answer::Shared`].
    Join(Vec<NamedFile>),
    /// The translation of the source of the last [`Answer::JoinSource`]. Answer: as for [`Request::Join`].
    JoinTranslated(Translation),
    /// The anchors of numbers. Answer: [`Answer::Anchors`].
    Anchors(Vec<u32>),
    /// The numbers of anchors. Answer: [`Answer::Numbers`].
    Numbers(Vec<[u32; 4]>),
}

/// A message of the compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// The compiler is loaded.
    Ready {
        /// Names of the token classes, by number.
        classes: Vec<String>,
        /// The default pipeline.
        pipeline: String,
        /// The formats that a version can be saved in.
        formats: Vec<Format>,
    },
    /// See [`Request::Open`].
    Opened(Box<Opened>),
    /// A pass is running. Sent at intervals while the compiler works.
    Progress(Progress),
    /// See [`Request::Columns`].
    Columns(Columns),
    /// See [`Request::ColumnsText`]: row by row, a line for each cell.
    ColumnsText(Utf8),
    /// See [`Request::Inspect`].
    Inspected(Inspected),
    /// See [`Request::Origins`].
    Origins(Origins),
    /// See [`Request::Memory`].
    Memory(MemoryMap),
    /// See [`Request::Paths`].
    Paths(PointerPaths),
    /// See [`Request::Find`].
    Found(Found),
    /// See [`Request::Overlay`].
    Overlay(Overlay),
    /// See [`Request::Catalog`].
    Catalog(Vec<CatalogEntry>),
    /// See [`Request::Words`].
    Words(Words),
    /// See [`Request::Export`] and [`Request::WriteRepro`].
    File(File),
    /// The fragment of an address, after `#`.
    Link(String),
    /// See [`Request::ReadLink`] and [`Request::ReadRepro`].
    Shared(SharedState),
    /// See [`Request::Anchors`]: names of things that do not depend on a running compiler, as four words each.
    Anchors(Vec<[u32; 4]>),
    /// See [`Request::Numbers`].
    Numbers(Vec<u32>),
    /// The input of an [`OpenRequest`] with this revision is a source: it is to be sent again, with a translation.
    Source(PreparedSource),
    /// A program of a comparison is a source: its translation is to be sent. Also the answer to an [`OpenRequest`] whose input
    /// is a comparison with sources, which begins a [`Request::Join`].
    JoinSource(PreparedSource),
    /// The request was refused, for this reason.
    Refused(String),
    /// The worker failed.
    Fault(Fault),
}

/// A replacement of some bytes of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEdit {
    /// First byte replaced.
    pub from: u32,
    /// The byte after the last one replaced.
    pub to: u32,
    /// The new text.
    pub text: String,
}

/// See [`Request::Open`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// Returned with the answer.
    pub revision: u32,
    /// The pipeline, as text.
    pub pipeline: String,
    /// The version to show; the last one by default.
    pub version: Option<u32>,
    /// True if the default is the last version that differs from the one before it, if there is one.
    #[serde(default)]
    pub last_change: bool,
    /// The function to draw; by default an entry point, or the largest function.
    pub function: Option<u32>,
    /// The parts that are requested.
    #[serde(default)]
    pub parts: Parts,
    /// The text to show. Tabs without a text of one version get the IR.
    pub shown: Tab,
    /// The format of [`Tab::Target`], by name; empty for the first one that is a language.
    pub target: String,
    /// The options of the graph.
    pub graph: GraphOptions,
    /// True if the sender can translate a source.
    #[serde(default)]
    pub translates: bool,
    /// The translation of the input, if that is a source.
    pub translation: Option<Translation>,
    /// The name of the input, which may state the stage of a source.
    #[serde(default)]
    pub name: String,
    /// The options of a source, one `KEY=VALUE` on each line.
    #[serde(default)]
    pub source_options: String,
}

/// The parts of a version that a request asks for, and that the answer has. The other parts of the answer are empty: nothing
/// they depend on has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Parts {
    /// Everything.
    #[default]
    All,
    /// The graph.
    Graph,
    /// The text.
    Text,
}

/// The options of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphOptions {
    /// The overlay whose lines, or space for them, are in the blocks.
    pub overlay: Option<OverlayKind>,
    /// True if constants and addresses with a single use are shown at their use.
    pub inline: bool,
    /// See `Opened::folds`.
    pub folds: Vec<(Fold, u32)>,
    /// See `Opened::opened_blocks`.
    pub opened_blocks: Vec<u32>,
    /// See `Opened::pins`.
    pub pins: Vec<[i32; 3]>,
    /// A change of these options, applied before drawing.
    pub toggle: Option<GraphToggle>,
}

/// A change of folds or of long blocks. Blocks are anchor ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GraphToggle {
    /// Folds the loop or branch of a block, or unfolds it.
    Fold(u32),
    /// Folds the loop of which a block is the header, or unfolds it.
    Loop(u32),
    /// Folds everything, or unfolds everything if anything is folded.
    All,
    /// Shows a long block in full, or shortens it.
    Lines(u32),
    /// Lays the graph out anew; pinned blocks keep their positions.
    Layout,
}

/// See [`Request::Columns`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnsRequest {
    /// Returned with the answer.
    pub serial: u32,
    /// The versions, in order.
    pub versions: Vec<u32>,
    /// True if rows that are the same in all of them are folded.
    pub fold: bool,
    /// Open folds, by their first row.
    pub opened_folds: Vec<u32>,
    /// First row of the window.
    pub first: u32,
    /// The row after the last one of the window.
    pub last: u32,
    /// The id of an anchor whose definition is searched for, and the column to search.
    pub find: Option<(u32, u32)>,
    /// An anchor that is searched for instead, as in [`Request::Numbers`], and the column to search.
    pub find_anchor: Option<([u32; 4], u32)>,
    /// A row that is searched for, by its number in the table without folds, if no anchor is.
    pub find_row: Option<u32>,
}

/// Rows of versions side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// The serial number of the request.
    pub serial: u32,
    /// Number of rows. A fold counts as one.
    pub rows: u32,
    /// First row in the table.
    pub first: u32,
    /// The row of the searched anchor or row.
    pub found: Option<u32>,
    /// The versions, by column.
    pub versions: Vec<u32>,
    /// An entry for each column.
    pub heads: Table<ColumnEntry>,
    /// Open folds.
    pub opened_folds: Vec<u32>,
    /// The lines of the cells.
    pub text: StyledText,
    /// Rows and cells, see [`layout::column_rows`](crate::layout::column_rows).
    pub table: Table<[u32; 1]>,
    /// The compiler's time, in tenths of a millisecond.
    pub tenths_ms: u32,
}

/// See [`Request::Inspect`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InspectRequest {
    /// Returned with the answer.
    pub serial: u32,
    /// The version.
    pub version: u32,
    /// The anchor, by id.
    pub id: u32,
}

/// The description of an anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspected {
    /// The serial number of the request.
    pub serial: u32,
    /// The lines.
    pub text: StyledText,
    /// An entry for each line.
    pub rows: Table<InspectEntry>,
}

/// See [`Request::Origins`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginsRequest {
    /// Returned with the answer.
    pub revision: u32,
    /// The version.
    pub version: u32,
}

/// The positions of anchors in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The serial number of the request.
    pub revision: u32,
    /// The positions.
    pub table: Table<OriginEntry>,
}

/// See [`Request::Memory`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRequest {
    /// Returned with the answer.
    pub serial: u32,
    /// The version.
    pub version: u32,
    /// A variable, or an access to one, by id; by default the first buffer.
    pub id: Option<u32>,
}

/// A map of a variable's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMap {
    /// The serial number of the request.
    pub serial: u32,
    /// The variable; none if the version has no memory.
    pub variable: Option<u32>,
    /// All variables with memory.
    pub variables: Vec<MemoryVariable>,
    /// The lines.
    pub text: StyledText,
    /// An entry for each line.
    pub rows: Table<crate::layout::MemoryEntry>,
}

/// A variable with memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryVariable {
    /// Its anchor id.
    pub id: u32,
    /// Its name.
    pub name: String,
}

/// See [`Request::Paths`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathsRequest {
    /// Returned with the answer.
    pub serial: u32,
    /// The versions.
    pub versions: Vec<u32>,
}

/// The addresses of untyped pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerPaths {
    /// The serial number of the request.
    pub serial: u32,
    /// A path for each pointer and access with a known address.
    pub paths: Vec<PointerPath>,
}

/// The address of an untyped pointer or an access.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerPath {
    /// Its anchor id.
    pub id: u32,
    /// The path, in words.
    pub path: String,
}

/// See [`Request::Find`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindRequest {
    /// The version.
    pub version: u32,
    /// The function.
    pub function: u32,
    /// The text to search for.
    pub query: String,
}

/// The lines that contain the searched text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The request.
    pub request: FindRequest,
    /// The matches, in reading order.
    pub places: Table<FoundEntry>,
}

/// A format that a version can be saved in: a row of the compiler's table of back ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// Its name.
    pub name: String,
    /// Its label in the export menu.
    pub label: String,
    /// The target language, if it is the text of one; empty otherwise.
    pub language: String,
    /// True if it is an SVG picture of the graph, which the page can turn into a PNG picture.
    pub vector: bool,
}

/// See [`Request::Export`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The version; the last one by default.
    pub version: Option<u32>,
    /// The function, for formats that show one; all functions by default.
    pub function: Option<u32>,
    /// Name of the [`Format`].
    pub format: String,
    /// True if the page converts the file, an SVG picture, to a PNG picture.
    pub raster: bool,
    /// The versions to compare, for formats that compare them; by default the input and each changed version.
    pub versions: Vec<u32>,
}

/// A file to save.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its content.
    pub bytes: Bytes,
    /// Its extension, without the dot.
    pub extension: String,
    /// Its media type.
    pub media: String,
    /// See [`ExportRequest::raster`].
    pub raster: bool,
}

/// A file that the user opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Bytes,
}

/// The content of a link or reproduction, except the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedRequest {
    /// Name of the input.
    pub name: String,
    /// The pipeline; empty for the default one.
    pub pipeline: String,
    /// The displayed version; by default the last one.
    pub version: Option<u32>,
    /// The displayed function; by default the compiler's choice.
    pub function: Option<u32>,
    /// The displayed text.
    pub shown: Tab,
    /// See [`OpenRequest::target`].
    pub target: String,
    /// The pane that a small screen shows, by name; empty for the one with the graph.
    pub pane: String,
    /// Changes to the inputs of runs, one on each line.
    pub assignments: String,
    /// See [`OpenRequest::source_options`].
    #[serde(default)]
    pub source_options: String,
    /// Twice the number of the chosen overlay, and 1 more if it is shown.
    pub overlay: u32,
    /// The versions that are shown side by side; empty for the page's choice.
    pub columns: Vec<u32>,
    /// The first seed and the number of inputs of checks; none for the default ones.
    pub trials: Option<[u32; 2]>,
    /// The first difference that a check found, in words and as hexadecimal digest; empty without one.
    pub expected: [String; 2],
    /// The release that made it; empty if it is to open in any. Set by the compiler.
    pub made_by: String,
}

/// The content of a link or reproduction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedState {
    /// The input.
    pub input: Bytes,
    /// The rest.
    pub view: SharedRequest,
    /// The problem with the link or file; empty if there is none.
    pub problem: String,
}

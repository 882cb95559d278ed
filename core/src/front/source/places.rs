//! The options of a source, and a text whose lines have places in files.

/// Options of a translation, where the text leaves a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// The stage, by any of its names, such as `frag` or `fragment`; by default that of the file's name or of the text.
    pub stage: Option<String>,
    /// The function that is the entry point; `main` by default.
    pub entry: Option<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// A line of a file, from 1; line 0 was added by this module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) line: u32,
}

/// A text of one or more files, with the place of each line.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pub(super) text: String,
    /// For each line of the text.
    pub(super) places: Vec<Place>,
    /// The files: names and texts. The first one is the source itself.
    pub(super) files: Vec<(String, String)>,
}

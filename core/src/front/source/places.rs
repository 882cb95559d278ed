//! A text whose lines have places in files.

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

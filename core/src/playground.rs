//! What the page shows, as plain data: no borrowed program, no DOM, no JavaScript.

/// One opened text: what the page's panes draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The canonical text of what could be read.
    pub text: String,
    /// Styled runs of `text`: `start, length, class, link kind, id`, five words each (bytes; see `text::spans`).
    pub spans: Vec<u32>,
    /// What is wrong with the input, in reading order.
    pub diags: Vec<DiagView>,
    /// Functions, blocks and instructions, for the status line.
    pub counts: [u32; 3],
}

/// A diagnostic in words, with the place in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagView {
    /// `error`, `warning` or `note`.
    pub level: String,
    /// Stable code such as `E031`.
    pub code: String,
    /// The sentence.
    pub message: String,
    /// Line and column of the input, from 1; zero where there is no place.
    pub line: u32,
    /// See `line`.
    pub column: u32,
}

/// Reads IR text and prints it back, with everything found wrong on the way.
pub fn open_text(input: &str) -> View {
    View { text: input.to_owned(), ..View::default() }
}

/// Names of the token classes, by the number used in `View::spans`.
pub fn class_names() -> &'static [&'static str] {
    &["plain"]
}

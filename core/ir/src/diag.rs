//! Diagnostics: the problem, its location, and a possible fix. Collected, never thrown.
//!
//! A message is a list of parts, not a string, so that the page can link the entities it mentions.

use super::{Anchor, Help};
use std::fmt;

/// Severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The program is invalid.
    Error,
    /// The program is suspicious.
    Warning,
    /// Additional information.
    Note,
}

impl Level {
    /// The word before the message.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// A piece of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Plain text.
    Text(String),
    /// An entity of the program: its spelling and its anchor.
    Entity(String, Anchor),
}

/// A location in an input text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceSpan {
    /// First byte.
    pub start: u32,
    /// Length in bytes; may be 0 at the end of the text.
    pub len: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// Severity.
    pub level: Level,
    /// A stable code such as `E031`.
    pub code: &'static str,
    /// The subject.
    pub at: Anchor,
    /// Location of the subject in the input text, if there is one.
    pub place: Option<SourceSpan>,
    /// The problem, as parts joined by one space.
    pub says: Vec<Part>,
    /// A possible fix.
    pub help: Option<Help>,
}

/// Diagnostics in the order of discovery.
pub type Diags = Vec<Diag>;

impl Diag {
    /// An error.
    pub fn error(code: &'static str, at: Anchor) -> Diag {
        Diag { level: Level::Error, code, at, place: None, says: Vec::new(), help: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, at: Anchor) -> Diag {
        Diag { level: Level::Warning, ..Diag::error(code, at) }
    }

    /// Appends text to the message.
    #[must_use]
    pub fn says(mut self, text: impl Into<String>) -> Diag {
        self.says.push(Part::Text(text.into()));
        self
    }

    /// Appends a reference to an entity of the program.
    #[must_use]
    pub fn names(mut self, what: impl fmt::Display, at: Anchor) -> Diag {
        self.says.push(Part::Entity(what.to_string(), at));
        self
    }

    /// Adds a possible fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<Help>) -> Diag {
        self.help = Some(help.into());
        self
    }

    /// Adds a location in the input text.
    #[must_use]
    pub fn placed(mut self, place: SourceSpan) -> Diag {
        self.place = Some(place);
        self
    }

    /// The message in one line, without level and code.
    pub fn message(&self) -> String {
        let mut out = String::new();
        for part in &self.says {
            let (Part::Text(text) | Part::Entity(text, _)) = part;
            if !out.is_empty() && !text.starts_with([',', ';', ':']) {
                out.push(' ');
            }
            out.push_str(text);
        }
        out
    }
}

impl fmt::Display for Diag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.level.name(), self.code)?;
        if let Some(place) = self.place {
            write!(f, " {}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.message())?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

//! A mistake in a lesson: its file and line, the reason, and a fix.

use std::fmt;

/// A mistake in a file of a lesson.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LessonError {
    /// The file that has the mistake, if it is not the lesson itself.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The mistake.
    pub sentence: String,
    /// The change that would repair it.
    pub fix: String,
}

impl LessonError {
    /// A mistake in the text of the lesson.
    pub fn new(line: usize, sentence: impl Into<String>, fix: impl Into<String>) -> LessonError {
        LessonError { file: None, line, sentence: sentence.into(), fix: fix.into() }
    }

    /// The error as a diagnostic of a file: `lesson.md:12: error: …`, and the fix on a second line.
    pub fn in_file(&self, lesson: &str) -> String {
        let file = self.file.as_deref().unwrap_or(lesson);
        format!("{file}:{}: error: {}\n  fix: {}\n", self.line, self.sentence, self.fix)
    }
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "line {}: {}; {}", self.line, self.sentence, self.fix)
    }
}

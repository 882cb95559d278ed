//! A text whose lines have places in files.

use super::problems::Problem;

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

impl Lines {
    /// Replaces the line of a problem in this text by its place in the source; a line of another file is named in the sentence.
    pub(super) fn locate(&self, problem: &mut Problem) {
        let place = problem.line.checked_sub(1).and_then(|at| self.places.get(at)).copied();
        // Some errors are found at the end of the file, after its last line.
        let last = self.places.iter().rev().find(|place| place.line > 0).copied();
        let place = place.filter(|place| place.line > 0).or(last.filter(|_| problem.line > 0));
        let place = place.unwrap_or_default();
        (problem.line, problem.range) = (place.line as usize, None);
        if place.file > 0 {
            let (name, _) = &self.files[place.file];
            problem.says = format!("{name}, line {}: {}", place.line, problem.says);
            problem.line = 0;
        }
    }
}

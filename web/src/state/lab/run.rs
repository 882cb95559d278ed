//! *Run* and stepping: what the page shows of them.
//!
//! A run is about the version that is shown; another one is run when the timeline moves, unless somebody steps
//! through this one. Tables are asked for by rows in sight.

use super::{Answer, Task};
use crate::state::{State, Tab};

/// Rows asked for above and below what is in sight.
const SPARE: u32 = 24;

/// A run, as far as it is shown.
#[derive(Debug)]
pub struct Run {
    /// Whether the pane is open.
    pub open: bool,
    /// Entry point, seed, whether the input is run beside it.
    pub wanted: [u32; 3],
    /// The version that was run; none where nothing was.
    pub at: Option<usize>,
    /// Groups done, and in all.
    pub progress: [u32; 2],
    /// 0 picture, 1 vertices, 2 workgroups.
    pub kind: u32,
    /// Pixels along an edge.
    pub size: u32,
    /// The picture, then that of the differences.
    pub pictures: Vec<u8>,
    /// What came of it.
    pub told: String,
    /// Why it cannot be run.
    pub refused: String,
    /// Entry points: stage, name, why not.
    pub entries: Vec<String>,
    /// What it was given: kind, name, place, value, number of the resource.
    pub inputs: Vec<String>,
    /// Undefined behaviour: line and 1, code, words, how often.
    pub reports: Vec<String>,
    /// The pixel that is pointed at, and what is known of it.
    pub pointer: [u32; 2],
    /// See `pointer`.
    pub pixel: String,
    /// What is looked into.
    pub table: Table,
    /// Where stepping stands.
    pub step: Option<Step>,
    /// What to step through: pixel, or group and lane.
    pub target: [u32; 2],
}

/// What a table is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Nothing.
    #[default]
    None,
    /// A resource of the run.
    Resource(u32),
    /// Every lane, with its value of a line.
    Lanes(u32),
    /// A variable, as the lane sees it.
    Memory(u32),
}

/// A table, a window of its rows at a time.
#[derive(Debug, Default)]
pub struct Table {
    /// What it is of.
    pub source: Source,
    /// What it is called.
    pub name: String,
    /// 0 float, 1 int, 2 uint, 3 hex.
    pub view: u32,
    /// Counts questions.
    pub serial: u32,
    /// Rows in sight: the first, how many.
    pub sight: [u32; 2],
    /// Rows in all, and the first one here.
    pub rows: [u32; 2],
    /// Cells of a row.
    pub columns: usize,
    /// A mark for each cell but the first of each row.
    pub marks: Vec<u32>,
    /// Heads, then rows.
    pub text: String,
}

/// Where stepping stands.
#[derive(Debug, Default)]
pub struct Step {
    /// Whether all is done.
    pub done: bool,
    /// Steps so far.
    pub count: u32,
    /// The line that is next, from 0.
    pub line: Option<usize>,
    /// The chosen lane, all lanes, those whose turn it is.
    pub lanes: [u32; 3],
    /// The version.
    pub at: usize,
    /// What the chosen lane does.
    pub told: String,
    /// Values of the chosen lane: line, words; in order of lines.
    pub values: Vec<(usize, String)>,
    /// Functions on the stack, innermost first: line and 1, name and lanes.
    pub stack: Vec<(u32, String)>,
    /// Memory: number, name, mode, bytes.
    pub memory: Vec<String>,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            open: false,
            // The first entry point that can be run.
            wanted: [u32::MAX, 0, 0],
            at: None,
            progress: [0; 2],
            kind: 0,
            size: 0,
            pictures: Vec::new(),
            told: String::new(),
            refused: String::new(),
            entries: Vec::new(),
            inputs: Vec::new(),
            reports: Vec::new(),
            pointer: [0; 2],
            pixel: String::new(),
            table: Table::default(),
            step: None,
            target: [0; 2],
        }
    }
}

/// The lines after a letter.
fn lines(text: &str, letter: char) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix(letter)).map(str::to_owned).collect()
}

impl Run {
    /// The task that runs a version.
    pub(super) fn task(&self, at: usize) -> Task {
        let [entry, seed, compare] = self.wanted;
        Task { name: "run", numbers: vec![entry, seed, at as u32, compare] }
    }

    /// Takes an answer to `run`.
    pub(super) fn answered(&mut self, answer: Answer) {
        let [_, done, all, kind, size, at, entry, ..] = answer.numbers[..] else { return };
        (self.progress, self.kind, self.size) = ([done, all], kind, size);
        (self.at, self.wanted[0]) = (Some(at as usize), entry);
        self.pictures = answer.bytes;
        let only = |letter| lines(&answer.text, letter).into_iter().next().unwrap_or_default();
        (self.refused, self.told) = (only('!'), only('='));
        self.entries = lines(&answer.text, 'e');
        self.inputs = lines(&answer.text, 'i');
        self.reports = lines(&answer.text, 'r');
    }

    /// Takes an answer to `debug`, `step` or `lane`.
    pub(super) fn stepped(&mut self, answer: &Answer) {
        let [done, count, line, depth, lane, lanes, active, at, ref stack @ ..] = answer.numbers[..] else {
            return;
        };
        let _ = depth;
        let value = |line: String| {
            let (line, words) = line.split_once('\t')?;
            Some((line.parse().ok()?, words.to_owned()))
        };
        self.step = Some(Step {
            done: done > 0,
            count,
            line: (line as usize).checked_sub(1),
            lanes: [lane, lanes, active],
            at: at as usize,
            told: lines(&answer.text, 'w').into_iter().next().unwrap_or_default(),
            values: lines(&answer.text, 'v').into_iter().filter_map(value).collect(),
            stack: stack.iter().copied().zip(lines(&answer.text, 's')).collect(),
            memory: lines(&answer.text, 'm'),
        });
    }
}

impl Table {
    /// The question for what is in sight: its name and numbers; none where nothing is looked into.
    pub fn question(&self) -> Option<(&'static str, Vec<u32>)> {
        let first = self.sight[0].saturating_sub(SPARE);
        let window = [first, self.sight[1] + 2 * SPARE];
        match self.source {
            Source::None => None,
            Source::Resource(number) => Some(("table", vec![number, self.view, window[0], window[1]])),
            Source::Lanes(line) => Some(("lanes", vec![line])),
            Source::Memory(number) => Some(("memory", vec![number, self.view, window[0], window[1]])),
        }
    }

    /// Takes an answer.
    pub(super) fn answered(&mut self, answer: Answer) {
        let [_, rows, first, columns, ref marks @ ..] = answer.numbers[..] else {
            (self.rows, self.text) = ([0; 2], String::new());
            return;
        };
        (self.rows, self.columns) = ([rows, first], columns as usize);
        self.marks = marks.to_vec();
        self.text = answer.text;
    }

    /// Whether what is in sight is here.
    pub(super) fn has_sight(&self) -> bool {
        let [first, count] = self.sight;
        let [rows, from] = self.rows;
        let here = from + self.text.lines().count().saturating_sub(1) as u32;
        from <= first && (first + count).min(rows) <= here
    }
}

impl State {
    /// Where stepping stands, if it is about the text that is shown.
    pub fn stepping(&self) -> Option<&Step> {
        let step = self.lab.run.step.as_ref()?;
        let is_here = self.tab == Tab::Ir && self.shown.tab == Tab::Ir && step.at == self.shown_at();
        is_here.then_some(step)
    }

    /// The value of the chosen lane that stands on a line.
    pub fn value_on(&self, line: usize) -> Option<&str> {
        let values = &self.stepping()?.values;
        let at = values.binary_search_by(|(of, _)| of.cmp(&line)).ok()?;
        values.get(at).map(|(_, words)| words.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: &str, numbers: &[u32], text: &str) -> Answer {
        Answer {
            kind: kind.to_owned(),
            numbers: numbers.to_vec(),
            text: text.to_owned(),
            ..Answer::default()
        }
    }

    #[test]
    fn a_run_is_read_line_by_line() {
        let mut run = Run::default();
        assert_eq!(run.task(3).numbers, [u32::MAX, 0, 3, 0]);
        let text = "efragment\tmain\t\n=12 lane-instructions\niuniform\tu\tset 0 binding 0\t16 bytes\t0\nr7\tU010\tout\tonce\n";
        run.answered(answer("run", &[1, 4, 4, 0, 256, 3, 0], text));
        assert_eq!((run.at, run.kind, run.size, run.wanted[0]), (Some(3), 0, 256, 0));
        assert_eq!((run.entries.len(), run.inputs.len(), run.reports.len()), (1, 1, 1));
        assert_eq!((run.told.as_str(), run.refused.as_str()), ("12 lane-instructions", ""));
    }

    #[test]
    fn values_belong_to_lines_of_the_version_they_are_of() {
        let mut state = State::default();
        let text = "wlane 1\nv4\t0.5\nv6\t(1, 2)\nsmain\t4 lanes\nm3\ts\tshared\t16 bytes\n";
        state.lab.run.stepped(&answer("step", &[0, 9, 7, 1, 1, 4, 2, 0, 7], text));
        assert_eq!((state.value_on(6), state.value_on(5)), (Some("(1, 2)"), None));
        let step = state.stepping().unwrap();
        assert_eq!(
            (step.line, step.lanes, &step.stack[..]),
            (Some(6), [1, 4, 2], &[(7, "main\t4 lanes".to_owned())][..])
        );
        state.shown.timeline.at = 1;
        assert!(state.stepping().is_none() && state.value_on(6).is_none());
    }

    #[test]
    fn a_table_is_asked_for_where_it_is_looked_at() {
        let mut table = Table { source: Source::Resource(2), view: 3, sight: [100, 10], ..Table::default() };
        assert_eq!(table.question(), Some(("table", vec![2, 3, 76, 58])));
        table.answered(answer("table", &[2, 120, 76, 3, 0, 1], "a\tb\nx\ty\n"));
        assert_eq!((table.rows, table.columns, table.marks.clone()), ([120, 76], 3, vec![0, 1]));
        assert!(!table.has_sight());
        table.source = Source::Lanes(9);
        assert_eq!(table.question(), Some(("lanes", vec![9])));
    }
}

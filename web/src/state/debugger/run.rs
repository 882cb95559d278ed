//! Execution and stepping: the shown results.
//!
//! A run executes the shown version; moving the timeline runs another one, unless this one is being stepped through.
//! Tables are requested by the rows in view.

use vitrine_protocol::{
    GivenPicture, NumberView, Question, RunReport, StepReport, TableReport, TableRows, Task, Watches,
};

use super::RunOptions;
use crate::state::{State, Tab};

/// Rows requested above and below those in view.
const SPARE: u32 = 24;

/// The shown results of a run.
#[derive(Debug, Default)]
pub struct RunState {
    /// True if the pane is open.
    pub open: bool,
    /// The options of the next run.
    pub options: RunOptions,
    /// Changes to its inputs: `particles[3].age = 0.5`, each with another target.
    pub assignments: Vec<String>,
    /// Pictures that were opened since the page was loaded, for assignments to name.
    pub pictures: Vec<GivenPicture>,
    /// The version that was run.
    pub at: Option<usize>,
    /// The result so far.
    pub report: RunReport,
    /// The pixel under the pointer.
    pub pointer: [u32; 2],
    /// A description of that pixel.
    pub pixel: String,
    /// The table of memory or of invocations.
    pub table: RunTable,
    /// The state of stepping.
    pub step: Option<StepReport>,
    /// Breakpoints and watch expressions.
    pub watches: Watches,
    /// The target of stepping: a pixel, or a workgroup and an invocation.
    pub target: [u32; 2],
}

/// The content of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableSource {
    /// Nothing.
    #[default]
    None,
    /// A resource of the run, by number.
    Resource(u32),
    /// All invocations, each with its value of a line.
    Invocations(u32),
    /// A variable in the memory of the chosen invocation.
    Variable(u32),
}

/// A table, requested by windows of rows.
#[derive(Debug, Default)]
pub struct RunTable {
    /// Its content.
    pub source: TableSource,
    /// Its name.
    pub name: String,
    /// The format of numbers.
    pub view: NumberView,
    /// Counts requests.
    pub serial: u32,
    /// The rows in view: the first one, and their number.
    pub visible: [u32; 2],
    /// The last answer.
    pub report: TableReport,
}

impl RunState {
    /// The task that runs a version.
    pub(crate) fn task(&self, at: usize) -> Task {
        let RunOptions { entry, seed, compare } = self.options;
        let assignments = self.assignments.join("\n");
        let named = |picture: &&GivenPicture| self.assignments.iter().any(|of| of.contains(&picture.file));
        let pictures = self.pictures.iter().filter(named).cloned().collect();
        Task::Run { entry, seed, version: at as u32, compare, assignments, pictures }
    }

    /// Assigns a picture to the image that it was opened for.
    pub(super) fn draw(&mut self, picture: GivenPicture) {
        self.assign(&[&picture.input, " = \"", &picture.file, "\""].concat());
        self.pictures.retain(|known| known.input != picture.input || known.file != picture.file);
        self.pictures.push(picture);
    }

    /// Adds an assignment, in place of the one to the same target.
    pub(super) fn assign(&mut self, assignment: &str) {
        let target = |text: &str| text.split('=').next().unwrap_or_default().trim().to_owned();
        let assignment = assignment.trim().replace('\n', " ");
        match self.assignments.iter_mut().find(|known| target(known) == target(&assignment)) {
            Some(known) => *known = assignment,
            None if assignment.is_empty() => {}
            None => self.assignments.push(assignment),
        }
    }

    /// Takes the report of a run.
    pub(super) fn reported(&mut self, report: RunReport) {
        (self.at, self.options.entry) = (Some(report.version as usize), Some(report.entry));
        self.report = report;
    }
}

impl RunTable {
    /// The question for the rows in view; none without a table.
    pub fn question(&self) -> Option<Question> {
        let first = self.visible[0].saturating_sub(SPARE);
        let rows = |number| TableRows { number, view: self.view, first, count: self.visible[1] + 2 * SPARE };
        match self.source {
            TableSource::None => None,
            TableSource::Resource(number) => Some(Question::Resource(rows(number))),
            TableSource::Invocations(line) => Some(Question::Invocations { line }),
            TableSource::Variable(number) => Some(Question::Variable(rows(number))),
        }
    }

    /// Returns true if the last answer contains the rows in view.
    pub(super) fn has_visible(&self) -> bool {
        let [first, count] = self.visible;
        let here = self.report.first + self.report.lines().count() as u32;
        self.report.first <= first && (first + count).min(self.report.rows) <= here
    }
}

impl State {
    /// The state of stepping, if it belongs to the shown text.
    pub fn stepping(&self) -> Option<&StepReport> {
        let step = self.debugger.run.step.as_ref()?;
        let is_here =
            self.tab == Tab::Ir && self.shown.tab == Tab::Ir && step.version as usize == self.shown_at();
        is_here.then_some(step)
    }

    /// The values of the chosen invocation that a line defines.
    pub fn value_on(&self, line: usize) -> Option<&str> {
        let values = &self.stepping()?.values;
        let at = values.binary_search_by(|value| (value.line as usize).cmp(&line)).ok()?;
        values.get(at).map(|value| value.words.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::TableCell;
    use vitrine_protocol::ValueOnLine;

    #[test]
    fn a_run_begins_with_the_first_entry_point_that_can_run() {
        let mut run = RunState::default();
        assert_eq!(
            run.task(3),
            Task::Run {
                entry: None,
                seed: 0,
                version: 3,
                compare: false,
                assignments: String::new(),
                pictures: Vec::new()
            }
        );
        run.reported(RunReport { version: 3, entry: 1, ..RunReport::default() });
        assert_eq!((run.at, run.options.entry), (Some(3), Some(1)));
    }

    #[test]
    fn an_assignment_replaces_the_one_to_the_same_input() {
        let mut run = RunState::default();
        for assignment in ["time = 1", "uv @ 1, 2 = 0", " time=2", "", "uv = 1"] {
            run.assign(assignment);
        }
        assert_eq!(run.assignments, ["time=2", "uv @ 1, 2 = 0", "uv = 1"]);
    }

    #[test]
    fn a_picture_is_an_assignment_and_is_sent_while_it_is_named() {
        let mut run = RunState::default();
        let picture = |input: &str, byte| GivenPicture {
            input: input.to_owned(),
            file: "a.png".to_owned(),
            size: [1, 1],
            rgba: vitrine_protocol::Bytes(vec![byte; 4]),
        };
        run.draw(picture("sky", 1));
        run.draw(picture("sky", 2));
        assert_eq!(run.assignments, ["sky = \"a.png\""]);
        let sent = |run: &RunState| match run.task(0) {
            Task::Run { pictures, .. } => pictures,
            _ => Vec::new(),
        };
        assert_eq!(sent(&run), [picture("sky", 2)]);
        run.assign("sky = noise");
        assert_eq!(sent(&run), []);
        run.assign("sky = \"a.png\"");
        assert_eq!(sent(&run), [picture("sky", 2)], "it is named again");
    }

    #[test]
    fn values_belong_to_lines_of_their_version() {
        let mut state = State::default();
        let value = |line, words: &str| ValueOnLine { line, words: words.to_owned() };
        let values = vec![value(4, "0.5"), value(6, "(1, 2)")];
        state.debugger.run.step = Some(StepReport { line: Some(6), values, ..StepReport::default() });
        assert_eq!((state.value_on(6), state.value_on(5)), (Some("(1, 2)"), None));
        assert_eq!(state.stepping().and_then(|step| step.line), Some(6));
        state.shown.timeline.at = 1;
        assert!(state.stepping().is_none() && state.value_on(6).is_none());
    }

    #[test]
    fn a_table_is_requested_by_the_rows_in_view() {
        let mut table = RunTable {
            source: TableSource::Resource(2),
            view: NumberView::Hex,
            visible: [100, 10],
            ..RunTable::default()
        };
        let rows = TableRows { number: 2, view: NumberView::Hex, first: 76, count: 58 };
        assert_eq!(table.question(), Some(Question::Resource(rows)));
        let heads = ["a", "b"].map(str::to_owned).to_vec();
        let cells = vec![TableCell::default(); 2];
        table.report = TableReport { rows: 120, first: 76, heads, is_named: false, cells };
        assert!(!table.has_visible());
        table.source = TableSource::Invocations(9);
        assert_eq!(table.question(), Some(Question::Invocations { line: 9 }));
    }
}

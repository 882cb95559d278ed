//! Bisection and reduction: the wrong rewrite, and a small input that still shows it.

use vitrine_protocol::{BisectReport, ReduceReport};

use crate::state::{Dirty, Engine, Link, State, Tab};

/// State of bisection and reduction.
#[derive(Debug, Default)]
pub struct Search {
    /// True if a search was started.
    pub open: bool,
    /// The result, or the progress.
    pub summary: String,
    /// Descriptions of the versions and rewrites that were tested.
    pub probes: Vec<String>,
    /// Lines before and after the rewrite with their signs, and its reason.
    pub change: Vec<String>,
    /// The wrong version, and the line of the wrong rewrite from 1, or 0.
    pub found: Option<(u32, u32)>,
    /// Number of reductions that were kept.
    pub(super) kept: u32,
    /// The smallest program as text; empty if there is none.
    pub small: String,
    /// The place to show when its text arrives: version, and line from 1.
    pub go: Option<(u32, u32)>,
}

impl Search {
    /// Takes the report of a bisection.
    pub(super) fn bisected(&mut self, report: BisectReport) {
        let BisectReport { runs, candidates, wrong_version, wrong_line, summary, probes, change } = report;
        (self.probes, self.change) = (probes, change);
        self.found = wrong_version.map(|version| (version, wrong_line.map_or(0, |line| line + 1)));
        self.summary = match summary.is_empty() {
            true => format!("Bisecting: {runs} runs, {candidates} candidates left"),
            false => summary,
        };
    }

    /// Takes the report of a reduction. Returns true if the program became smaller.
    pub(super) fn reduced(&mut self, report: ReduceReport) -> bool {
        self.summary = report.summary;
        std::mem::replace(&mut self.kept, report.kept) != report.kept
    }
}

/// Scrolls to the place that was found when its text arrives.
pub(super) fn arrive(state: &mut State) -> Dirty {
    let Some((version, line)) = state.debugger.search.go else { return Dirty::empty() };
    let is_there = state.engine == Engine::Idle
        && state.shown_at() == version as usize
        && state.shown.tab == Tab::Ir
        && state.shown.any;
    if !is_there {
        return Dirty::empty();
    }
    state.debugger.search.go = None;
    let Some(line) = (line as usize).checked_sub(1) else { return Dirty::empty() };
    state.debugger.line = Some(line);
    let document = &state.shown.document;
    let made = document.spans_of_line(line).find_map(|span| match document.span(span).link {
        Link::Def(id) => Some(id),
        Link::Use(_) | Link::None => None,
    });
    Dirty::STEP | made.map_or(Dirty::empty(), |id| crate::state::update::choose_id(state, Some(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_replace_progress() {
        let mut search = Search::default();
        search.bisected(BisectReport { runs: 12, candidates: 4, ..BisectReport::default() });
        assert_eq!((search.summary.as_str(), search.found), ("Bisecting: 12 runs, 4 candidates left", None));
        search.bisected(BisectReport {
            wrong_version: Some(2),
            wrong_line: Some(6),
            summary: "Step 2, cse: wrong".to_owned(),
            ..BisectReport::default()
        });
        assert_eq!((search.summary.as_str(), search.found), ("Step 2, cse: wrong", Some((2, 7))));
        let report = ReduceReport { kept: 3, summary: "9 became 5".to_owned() };
        assert!(search.reduced(report.clone()) && !search.reduced(report));
    }
}

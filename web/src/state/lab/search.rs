//! *Bisect* and *Reduce*: which rewrite is wrong, and a small input that still shows it.

use super::Answer;
use crate::state::{Dirty, Engine, Link, State, Tab};

/// What was searched for, and what was found.
#[derive(Debug, Default)]
pub struct Search {
    /// Whether anything was asked for.
    pub open: bool,
    /// What came of it, or how far it is.
    pub told: String,
    /// Versions and rewrites that were looked at.
    pub probes: Vec<String>,
    /// Lines before and after the rewrite, and why it was done; with their signs.
    pub change: Vec<String>,
    /// The wrong version, and the line and 1 of the wrong rewrite or 0.
    pub found: Option<(u32, u32)>,
    /// Programs a reduction kept.
    pub(super) kept: u32,
    /// The smallest of them, as text; empty before there is one.
    pub small: String,
    /// A place that is to be shown when its text is there: version, and line and 1.
    pub go: Option<(u32, u32)>,
}

impl Search {
    /// Takes an answer to `bisect`.
    pub(super) fn bisected(&mut self, answer: &Answer) {
        let [_, runs, left, version, line] = answer.numbers[..] else { return };
        let only = |letters: &[char]| {
            let lines = answer.text.lines().filter(|line| line.starts_with(letters));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        self.probes = only(&['p']).into_iter().map(|line| line[1..].to_owned()).collect();
        self.change = only(&['-', '+', 'y']);
        self.found = (version > 0).then_some((version, line));
        self.told = match only(&['=']).first() {
            Some(told) => told[1..].to_owned(),
            None => format!("Bisecting: {runs} runs, {left} possibilities left"),
        };
    }

    /// Takes an answer to `reduce`; whether there is a smaller program than before.
    pub(super) fn reduced(&mut self, answer: &Answer) -> bool {
        let kept = answer.numbers.get(4).copied().unwrap_or(0);
        self.told.clone_from(&answer.text);
        std::mem::replace(&mut self.kept, kept) != kept
    }
}

/// Goes on to the place that was found, once its text is there.
pub(super) fn arrive(state: &mut State) -> Dirty {
    let Some((version, line)) = state.lab.search.go else { return Dirty::NONE };
    let is_there = state.engine == Engine::Idle
        && state.shown_at() == version as usize
        && state.shown.tab == Tab::Ir
        && state.shown.any;
    if !is_there {
        return Dirty::NONE;
    }
    state.lab.search.go = None;
    let Some(line) = (line as usize).checked_sub(1) else { return Dirty::NONE };
    state.lab.line = Some(line);
    let document = &state.shown.document;
    let made = document.spans_of_line(line).find_map(|span| match document.span(span).link {
        Link::Def(id) => Some(id),
        Link::Use(_) | Link::None => None,
    });
    Dirty::LAB_STEP | made.map_or(Dirty::NONE, |id| crate::state::update::choose_id(state, Some(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_told_with_its_probes_and_its_change() {
        let mut search = Search::default();
        let answer = |numbers: &[u32], text: &str| Answer {
            numbers: numbers.to_vec(),
            text: text.to_owned(),
            ..Answer::default()
        };
        search.bisected(&answer(&[0, 12, 4, 0, 0], "pstep 9, dce: differs\n"));
        assert_eq!((search.told.as_str(), search.found), ("Bisecting: 12 runs, 4 possibilities left", None));
        search.bisected(&answer(
            &[1, 30, 1, 2, 7],
            "=Step 2, cse: wrong\npstep 9, dce: differs\npstep 2, cse: differs\n-a\n+b\nybecause\n",
        ));
        assert_eq!((search.found, search.probes.len()), (Some((2, 7)), 2));
        assert_eq!(
            (search.told.as_str(), &search.change[..]),
            ("Step 2, cse: wrong", &["-a".to_owned(), "+b".to_owned(), "ybecause".to_owned()][..])
        );
        assert!(
            search.reduced(&answer(&[0, 9, 5, 20, 3], "9 became 5"))
                && !search.reduced(&answer(&[0, 9, 5, 21, 3], "9 became 5"))
        );
    }
}

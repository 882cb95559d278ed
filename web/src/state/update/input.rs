//! What is open: typed, pasted, dropped, brought back, or told by a link.

use super::engine::{change, pipeline};
use super::tell;
use crate::state::{Action, Dirty, Linked, Notice, Pane, State, selection_at};

pub(super) fn edited(state: &mut State, text: String) -> Dirty {
    if text == state.input.text {
        return Dirty::NONE;
    }
    state.input.text = text;
    state.input.given = None;
    state.input.revision += 1;
    state.notice = None;
    change(state) | Dirty::STATUS
}

pub(super) fn replaced(state: &mut State, name: String, text: String, given: Option<Vec<u8>>) -> Dirty {
    let notice = match name.as_str() {
        "" => "Pasted. What was there before can come back.".to_owned(),
        name => format!("Opened {name}."),
    };
    let input = &mut state.input;
    let before = (
        std::mem::replace(&mut input.text, text),
        std::mem::replace(&mut input.given, given),
        std::mem::replace(&mut input.name, name),
    );
    // An empty text is not worth bringing back.
    let action = (!before.0.trim().is_empty() || before.1.is_some()).then_some(Action::Undo);
    input.before = action.map(|_| before);
    state.dragging = false;
    let told = tell(state, Notice { text: notice, action, bad: false });
    another_input(state) | told | Dirty::FRAME
}

pub(super) fn undo(state: &mut State) -> Dirty {
    let Some((text, given, name)) = state.input.before.take() else { return Dirty::NONE };
    state.input.text = text;
    state.input.given = given;
    state.input.name = name;
    state.notice = None;
    another_input(state) | Dirty::STATUS
}

/// What was chosen in the input before means nothing in this one.
pub(super) fn another_input(state: &mut State) -> Dirty {
    state.input.revision += 1;
    state.at = None;
    state.func = None;
    state.fresh = true;
    state.chosen = None;
    change(state) | Dirty::INPUT
}

/// Opens what a link says; what is wrong with it is told, and what is whole is kept.
pub(super) fn linked(state: &mut State, linked: Linked) -> Dirty {
    state.link = None;
    let told = match linked.problem.as_str() {
        "" => Dirty::NONE,
        problem => tell(state, Notice { text: sentence(problem), action: None, bad: true }),
    };
    if linked.bytes.is_empty() && !linked.problem.is_empty() {
        // The example that the page came with is better than nothing.
        return told | change(state);
    }
    let is_binary = matches!(linked.bytes.get(..4), Some([3, 2, 0x23, 7] | [7, 0x23, 2, 3]));
    match String::from_utf8(linked.bytes) {
        Ok(text) if !is_binary => (state.input.text, state.input.given) = (text, None),
        Ok(text) => (state.input.text, state.input.given) = (String::new(), Some(text.into_bytes())),
        Err(error) => (state.input.text, state.input.given) = (String::new(), Some(error.into_bytes())),
    }
    state.input.name = linked.name;
    state.input.before = None;
    let piped = pipeline(state, linked.pipeline);
    let dirty = another_input(state);
    (state.at, state.func, state.tab) = (linked.at, linked.func, linked.tab);
    told | piped | dirty | Dirty::FRAME
}

/// A sentence of its own: a capital letter and a full stop.
pub(super) fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_ascii_uppercase(), chars.as_str()))
}

pub(super) fn problem(state: &mut State, number: usize) -> Dirty {
    let Some(problem) = state.shown.problems.get(number).filter(|problem| problem.line > 0) else {
        return Dirty::NONE;
    };
    state.selection = Some(selection_at(&state.input.text, problem.line, problem.column));
    state.pane = Pane::Input;
    Dirty::FRAME | Dirty::SELECTION
}

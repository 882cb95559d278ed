//! What is open: typed, pasted, dropped, brought back, or told by a link.

use super::engine::{change, change_of_text, pipeline};
use super::tell;
use crate::state::{
    Action, Change, Dirty, Linked, MOST_BYTES, Notice, Pane, State, plain_lines, selection_at,
};

pub(super) fn edited(state: &mut State, text: String) -> Dirty {
    if text == state.input.text {
        return Dirty::NONE;
    }
    let change = Change::between(&state.input.text, &text);
    typed(state, &[change], false)
}

/// Makes changes of the text. What comes back by undoing is what it was: a binary, if it was one.
pub(super) fn typed(state: &mut State, changes: &[Change], undone: bool) -> Dirty {
    state.input.change(changes);
    state.notice = None;
    if let Some((_, given, name)) =
        state.input.before.take_if(|(text, ..)| undone && *text == state.input.text)
    {
        (state.input.given, state.input.name) = (given, name);
        state.input.replaced();
        return change(state) | Dirty::STATUS | Dirty::PROBLEMS;
    }
    change_of_text(state) | Dirty::STATUS
}

pub(super) fn replaced(state: &mut State, name: String, text: String, given: Option<Vec<u8>>) -> Dirty {
    if text.len().max(given.as_ref().map_or(0, Vec::len)) > MOST_BYTES {
        return tell(state, Notice { text: too_large(&name), action: None, bad: true });
    }
    let text = plain_lines(text);
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

/// What to say to an input that is too large, and what to do about it.
pub fn too_large(name: &str) -> String {
    let what = if name.is_empty() { "What was pasted" } else { name };
    format!(
        "{what} is larger than 16 MB, which is more than Vitrine reads. Take its debug information out \
         (spirv-opt --strip-debug) or open the one shader that is of interest."
    )
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
    state.input.replaced();
    state.caret = None;
    state.at = None;
    state.func = None;
    state.fresh = true;
    state.chosen = None;
    super::graph::forget(state);
    change(state) | Dirty::INPUT
}

/// Opens what a link says; what is wrong with it is told, and what is whole is kept.
pub(super) fn linked(state: &mut State, linked: Linked) -> Dirty {
    state.link = None;
    state.repro = None;
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
        Ok(text) if !is_binary => (state.input.text, state.input.given) = (plain_lines(text), None),
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

#[cfg(test)]
mod tests {
    use super::super::update;
    use super::*;
    use crate::state::{Engine, Msg, Opened, Problem};

    fn change(from: u32, to: u32, text: &str) -> Msg {
        Msg::Typed { changes: vec![Change { from, to, text: text.to_owned() }], undone: false }
    }

    /// A page with a loaded compiler that has answered for `text`.
    fn page(text: &str) -> State {
        let mut state = State::default();
        update(&mut state, Msg::Edited(text.to_owned()));
        update(&mut state, Msg::Ready { classes: Vec::new(), pipeline: "dce".to_owned() });
        answer(&mut state, Opened::default());
        state
    }

    fn answer(state: &mut State, opened: Opened) -> Dirty {
        let Engine::Busy { revision, .. } = state.engine else { return Dirty::NONE };
        update(state, Msg::Opened(Box::new(Opened { revision, ..opened })))
    }

    #[test]
    fn a_change_is_sent_as_a_change() {
        let mut state = page("one two");
        let had = state.input.revision;
        assert!(update(&mut state, change(4, 7, "three")).has(Dirty::REQUEST));
        assert_eq!(state.input.text, "one three");
        let edits = state.input.edits_since(had).unwrap_or_default();
        assert_eq!((edits.len(), edits[0].from, edits[0].to, edits[0].text.as_str()), (1, 4, 7, "three"));
    }

    #[test]
    fn the_compiler_waits_while_a_large_text_is_typed() {
        let mut state = page(&"; a comment\n".repeat(20_000));
        let first = update(&mut state, change(0, 0, "a"));
        assert!(first.has(Dirty::REST) && !first.has(Dirty::REQUEST));
        let revision = state.revision;
        assert!(update(&mut state, change(1, 1, "b")).has(Dirty::REST));
        assert_eq!(update(&mut state, Msg::Rested(revision)), Dirty::NONE, "typing went on");
        assert!(update(&mut state, Msg::Rested(revision + 1)).has(Dirty::REQUEST));
        update(&mut state, change(2, 2, "c"));
        assert!(!answer(&mut state, Opened::default()).has(Dirty::REQUEST), "not before the next rest");
        assert!(update(&mut state, Msg::Func(1)).has(Dirty::REQUEST), "another question goes at once");
    }

    #[test]
    fn what_is_told_about_an_older_text_says_so() {
        let mut state = page("a");
        update(&mut state, change(0, 0, "b"));
        update(&mut state, change(0, 0, "c"));
        answer(&mut state, Opened { problems: vec![Problem::default()], ..Opened::default() });
        assert_ne!(state.shown.input, state.input.revision);
        answer(&mut state, Opened::default());
        assert_eq!(state.shown.input, state.input.revision);
    }

    #[test]
    fn hex_becomes_text_as_one_step_and_a_binary_is_no_text_before() {
        let mut state = page("a");
        update(&mut state, Msg::Replaced { name: String::new(), text: "03 02 23 07".to_owned() });
        assert!(!state.input.decoded);
        answer(&mut state, Opened { source: "OpNop\n".to_owned(), ..Opened::default() });
        assert!(state.input.decoded && state.input.given.is_some());
        update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
        assert!(state.input.is_bare() && !state.input.decoded);
        answer(&mut state, Opened { source: "OpNop\n".to_owned(), ..Opened::default() });
        assert!(!state.input.is_bare() && !state.input.decoded);
    }

    #[test]
    fn undoing_in_the_editor_brings_a_binary_back_with_its_name() {
        let mut state = page("a");
        update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
        answer(&mut state, Opened { source: "OpNop\n".to_owned(), ..Opened::default() });
        update(&mut state, Msg::Replaced { name: "b.ir".to_owned(), text: "b".to_owned() });
        let changes = vec![Change { from: 0, to: 1, text: "OpNop\n".to_owned() }];
        update(&mut state, Msg::Typed { changes, undone: true });
        assert_eq!((state.input.name.as_str(), state.input.bytes()), ("a.spv", &[3, 2][..]));
    }

    #[test]
    fn what_is_too_large_is_refused_with_a_way_out() {
        let mut state = page("a");
        let bytes = vec![0; MOST_BYTES + 1];
        let dirty = update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes });
        assert!(!dirty.has(Dirty::REQUEST));
        assert_eq!(state.input.text, "a");
        let said = state.notice.map(|notice| notice.text).unwrap_or_default();
        assert!(said.starts_with("a.spv is larger than 16 MB") && said.contains("strip-debug"), "{said}");
    }

    #[test]
    fn the_caret_is_kept_until_another_input_comes() {
        let mut state = page("a");
        update(&mut state, Msg::Caret { line: 3, column: 7 });
        assert_eq!(state.caret, Some((3, 7)));
        update(&mut state, Msg::Replaced { name: String::new(), text: "b".to_owned() });
        assert_eq!(state.caret, None);
    }
}

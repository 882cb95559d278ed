//! Changes of the input: typed, pasted, dropped, restored, or opened from a link.

use super::engine::{change, change_of_text, pipeline};
use super::notify;
use vitrine_protocol::CheckInputs;

use crate::state::{
    Action, Camera, Change, Command, Dirty, MOST_BYTES, Notice, Pane, SharedState, State, plain_lines,
    selection_at,
};
use crate::state::{debugger, keep};

pub(super) fn edited(state: &mut State, text: String) -> Dirty {
    if text == state.input.text {
        return Dirty::empty();
    }
    let change = Change::between(&state.input.text, &text);
    typed(state, &[change], false)
}

/// Shows the example of the page.
pub(super) fn begins(state: &mut State, name: String, text: String) -> Dirty {
    let dirty = edited(state, text);
    state.input.name = name;
    state.input.edited = false;
    state.first_sight = true;
    dirty
}

/// The example of the page was changed: later steps are those of any input.
pub(in crate::state) fn ends_first_sight(state: &mut State) {
    if std::mem::take(&mut state.first_sight) {
        state.at = None;
    }
}

/// Applies edits of the text. Undoing a conversion to text restores the binary.
pub(super) fn typed(state: &mut State, changes: &[Change], undone: bool) -> Dirty {
    ends_first_sight(state);
    let was_example = keep::is_example(state);
    state.input.change(changes);
    // A pasted text in place of all others is viewed from its beginning, and has not the name of an example.
    let is_another = changes.iter().any(|change| change.text == state.input.text);
    if is_another && was_example {
        state.input.name.clear();
        state.input.options.clear();
    }
    state.fresh |= is_another;
    state.notice = None;
    if let Some((_, given, name, options)) =
        state.input.before.take_if(|(text, ..)| undone && *text == state.input.text)
    {
        (state.input.given, state.input.name, state.input.options) = (given, name, options);
        state.input.replaced();
        return change(state) | Dirty::STATUS | Dirty::PROBLEMS;
    }
    change_of_text(state) | Dirty::STATUS
}

pub(super) fn replaced(
    state: &mut State,
    name: String,
    text: String,
    given: Option<Vec<u8>>,
    example: bool,
) -> Dirty {
    if text.len().max(given.as_ref().map_or(0, Vec::len)) > MOST_BYTES {
        return notify(state, Notice { text: too_large(&name), action: None, bad: true });
    }
    let text = plain_lines(text);
    let is_new = keep::make_room(state);
    let notice = match name.as_str() {
        "" if is_new => "Pasted into a new tab.".to_owned(),
        "" => "Pasted. Undo restores the previous input.".to_owned(),
        name => format!("Opened {name}."),
    };
    let input = &mut state.input;
    let before = (
        std::mem::replace(&mut input.text, text),
        std::mem::replace(&mut input.given, given),
        std::mem::replace(&mut input.name, name),
        std::mem::take(&mut input.options),
    );
    // An empty text is not worth restoring.
    let is_worth = !is_new && (!before.0.trim().is_empty() || before.1.is_some());
    let action = is_worth.then_some(Action::Undo);
    input.before = action.map(|_| before);
    state.dragging = false;
    let notified = notify(state, Notice { text: notice, action, bad: false });
    another_input(state) | keep::named(state, example) | notified | Dirty::FRAME
}

/// The error for an input that is too large, with a remedy.
pub fn too_large(name: &str) -> String {
    let what = if name.is_empty() { "The pasted text" } else { name };
    format!(
        "{what} is larger than 16 MB, which is more than Vitrine reads. Take its debug information out \
         (spirv-opt --strip-debug) or open the one shader that is of interest."
    )
}

pub(super) fn undo(state: &mut State) -> Dirty {
    let Some((text, given, name, options)) = state.input.before.take() else { return Dirty::empty() };
    state.input.text = text;
    state.input.given = given;
    (state.input.name, state.input.options) = (name, options);
    state.notice = None;
    // Undo restores the example that another input replaced.
    another_input(state) | keep::named(state, true) | Dirty::STATUS
}

/// Another input was opened: clears choices of the previous one.
pub(in crate::state) fn another_input(state: &mut State) -> Dirty {
    state.input.replaced();
    state.caret = None;
    (state.at, state.first_sight) = (None, false);
    state.func = None;
    state.fresh = true;
    state.chosen = None;
    state.keep.past = Default::default();
    state.debugger.run.assignments.clear();
    // They name things of the previous input.
    state.debugger.run.watches = Default::default();
    super::graph::forget(state);
    if std::mem::take(&mut state.offered) {
        state.queue(Command::OfferRelease { made_by: String::new(), link: String::new() });
    }
    change(state) | Dirty::INPUT
}

/// Shows another view of the same input; another function with the camera that it had.
pub(in crate::state) fn another_view(state: &mut State, camera: Option<Camera>) -> Dirty {
    if camera.is_some() {
        state.fresh = true;
        keep::set_camera(state, camera);
    }
    change(state) | Dirty::TIMELINE | Dirty::FRAME
}

/// Opens the content of a link or reproduction; a problem with it is reported, and what can be read is kept.
pub(super) fn shared(state: &mut State, shared: SharedState) -> Dirty {
    let link = state.link.take();
    if let Some(link) = &link {
        state.keep.link.clone_from(link);
    }
    (state.repro, state.joined, state.join_source) = (None, None, None);
    let notified = match shared.problem.as_str() {
        "" => Dirty::empty(),
        problem => notify(state, Notice { text: sentence(problem), action: None, bad: true }),
    };
    let bytes = shared.input.0;
    if bytes.is_empty() && !shared.problem.is_empty() {
        // The example of the page is better than an empty page.
        return notified | change(state);
    }
    keep::make_room(state);
    let is_binary = matches!(bytes.get(..4), Some([3, 2, 0x23, 7] | [7, 0x23, 2, 3]));
    match String::from_utf8(bytes) {
        Ok(text) if !is_binary => (state.input.text, state.input.given) = (plain_lines(text), None),
        Ok(text) => (state.input.text, state.input.given) = (String::new(), Some(text.into_bytes())),
        Err(error) => (state.input.text, state.input.given) = (String::new(), Some(error.into_bytes())),
    }
    let view = shared.view;
    (state.input.name, state.input.options) = (view.name, view.source_options);
    state.input.before = None;
    let piped = pipeline(state, view.pipeline);
    let dirty = another_input(state);
    (state.at, state.func) = (view.version.map(|at| at as usize), view.function);
    if let Some(link) = link.filter(|_| !["", env!("CARGO_PKG_VERSION")].contains(&&*view.made_by)) {
        state.offered = true;
        state.queue(Command::OfferRelease { made_by: view.made_by.clone(), link });
    }
    (state.tab, state.target) = (view.shown, view.target);
    if !view.columns.is_empty() {
        state.columns.restore(&view.columns, false, state.input.revision);
    }
    state.debugger.check.inputs =
        view.trials.map_or_else(Default::default, |[seed, runs]| CheckInputs { seed, runs });
    debugger::expect(state, view.expected, view.made_by);
    state.debugger.run.assignments = view.assignments.lines().map(str::to_owned).collect();
    state.scene.show_overlay(view.overlay);
    state.pane = Pane::named(&view.pane).unwrap_or(Pane::Graph);
    notified | piped | dirty | keep::named(state, false) | Dirty::FRAME | Dirty::OVERLAY | Dirty::DEBUGGER
}

/// A message as a sentence: a capital letter and a full stop.
pub(super) fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_ascii_uppercase(), chars.as_str()))
}

pub(super) fn problem(state: &mut State, number: usize) -> Dirty {
    let Some(problem) = state.shown.problems.get(number).filter(|problem| problem.line > 0) else {
        return Dirty::empty();
    };
    state.selection = Some(selection_at(&state.input.text, problem.line, problem.column));
    state.pane = Pane::Input;
    Dirty::FRAME | Dirty::SELECTION
}

#[cfg(test)]
mod tests {
    use super::super::{does, update};
    use super::*;
    use crate::state::{Answer, Command, CompilerCommand, Diagnostic, Engine, Msg, Opened};
    use vitrine_protocol::Utf8;

    fn change(from: u32, to: u32, text: &str) -> Msg {
        Msg::Typed { changes: vec![Change { from, to, text: text.to_owned() }], undone: false }
    }

    /// A page with a loaded compiler that has answered for `text`.
    fn page(text: &str) -> State {
        let mut state = State::default();
        update(&mut state, Msg::Begin { name: String::new(), text: text.to_owned() });
        update(
            &mut state,
            Msg::Answer(Answer::Ready {
                classes: Vec::new(),
                pipeline: "dce".to_owned(),
                formats: Vec::new(),
            }),
        );
        answer(&mut state, Opened::default());
        state
    }

    fn answer(state: &mut State, opened: Opened) -> (Dirty, Vec<Command>) {
        let Engine::Busy { revision, .. } = state.engine else { return Default::default() };
        update(state, Msg::Answer(Answer::Opened(Box::new(Opened { revision, ..opened }))))
    }

    #[test]
    fn a_change_is_sent_as_a_change() {
        let mut state = page("one two");
        let had = state.input.revision;
        assert!(does(&mut state, change(4, 7, "three"), CompilerCommand::Open));
        assert_eq!(state.input.text, "one three");
        let edits = state.input.edits_since(had).unwrap_or_default();
        assert_eq!((edits.len(), edits[0].from, edits[0].to, edits[0].text.as_str()), (1, 4, 7, "three"));
    }

    #[test]
    fn the_compiler_waits_while_a_large_text_is_typed() {
        let mut state = page(&"; a comment\n".repeat(20_000));
        let (_, first) = update(&mut state, change(0, 0, "a"));
        assert_eq!(first, [Command::Rest(state.revision, 300)]);
        let revision = state.revision;
        assert!(does(&mut state, change(1, 1, "b"), Command::Rest(revision + 1, 300)));
        assert_eq!(update(&mut state, Msg::Rested(revision)).0, Dirty::empty(), "the user typed again");
        assert!(does(&mut state, Msg::Rested(revision + 1), CompilerCommand::Open));
        update(&mut state, change(2, 2, "c"));
        assert!(
            !answer(&mut state, Opened::default()).1.contains(&CompilerCommand::Open.into()),
            "not before the next pause"
        );
        assert!(does(&mut state, Msg::Func(1), CompilerCommand::Open), "another request is sent at once");
    }

    #[test]
    fn positions_of_an_older_text_are_ignored() {
        let mut state = page("a");
        update(&mut state, change(0, 0, "b"));
        update(&mut state, change(0, 0, "c"));
        answer(&mut state, Opened { diagnostics: vec![Diagnostic::default()], ..Opened::default() });
        assert_ne!(state.shown.input, state.input.revision);
        answer(&mut state, Opened::default());
        assert_eq!(state.shown.input, state.input.revision);
    }

    #[test]
    fn a_link_of_another_release_is_offered_to_it_until_another_input_comes() {
        let opens = |made_by: &str| {
            let mut state = page("a");
            update(&mut state, Msg::Link("1mX".to_owned()));
            let view = vitrine_protocol::SharedRequest { made_by: made_by.to_owned(), ..Default::default() };
            let shared = SharedState { view, ..SharedState::default() };
            let commands = update(&mut state, Msg::Answer(Answer::Shared(shared))).1;
            (state, commands)
        };
        let offer = |made_by: &str, link: &str| Command::OfferRelease {
            made_by: made_by.to_owned(),
            link: link.to_owned(),
        };
        let (mut state, commands) = opens("0.0.7");
        assert!(commands.contains(&offer("0.0.7", "1mX")), "{commands:?}");
        let other = || Msg::Replaced { name: String::new(), text: "b".to_owned() };
        assert!(does(&mut state, other(), offer("", "")));
        assert!(!does(&mut state, other(), offer("", "")), "it is hidden once");
        for made_by in ["", env!("CARGO_PKG_VERSION")] {
            assert!(!opens(made_by).0.offered, "{made_by}");
        }
    }

    #[test]
    fn hex_becomes_text_as_one_step_and_a_binary_has_no_previous_text() {
        let mut state = page("a");
        update(&mut state, Msg::Replaced { name: String::new(), text: "03 02 23 07".to_owned() });
        assert!(!state.input.decoded);
        answer(&mut state, Opened { source: Utf8("OpNop\n".to_owned()), ..Opened::default() });
        assert!(state.input.decoded && state.input.given.is_some());
        update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
        assert!(state.input.is_bare() && !state.input.decoded);
        answer(&mut state, Opened { source: Utf8("OpNop\n".to_owned()), ..Opened::default() });
        assert!(!state.input.is_bare() && !state.input.decoded);
    }

    #[test]
    fn undo_in_the_editor_restores_a_binary_with_its_name() {
        let mut state = page("a");
        update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
        answer(&mut state, Opened { source: Utf8("OpNop\n".to_owned()), ..Opened::default() });
        // Only an example is replaced in its tab.
        state.keep.tabs[0].example = true;
        update(&mut state, Msg::Replaced { name: "b.ir".to_owned(), text: "b".to_owned() });
        let changes = vec![Change { from: 0, to: 1, text: "OpNop\n".to_owned() }];
        update(&mut state, Msg::Typed { changes, undone: true });
        assert_eq!((state.input.name.as_str(), state.input.bytes()), ("a.spv", &[3, 2][..]));
    }

    #[test]
    fn a_too_large_input_is_refused_with_a_remedy() {
        let mut state = page("a");
        let bytes = vec![0; MOST_BYTES + 1];
        assert!(!does(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes }, CompilerCommand::Open));
        assert_eq!(state.input.text, "a");
        let message = state.notice.map(|notice| notice.text).unwrap_or_default();
        assert!(
            message.starts_with("a.spv is larger than 16 MB") && message.contains("strip-debug"),
            "{message}"
        );
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

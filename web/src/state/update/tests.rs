//! Messages and their effects, one rule per test.

use super::*;
use crate::state::graph::tests::looped;
use crate::state::{
    Action, CameraMove, Change, CursorMove, Diagnostic, Engine, Go, Level, Opened, Pane, PassStep,
    SharedState, Tab, Theme,
};
use vitrine_protocol::{Bytes, Fault, Parts, SharedRequest, StyledText, Table, Utf8};

/// A page whose compiler is loaded and has answered `text`.
fn page(text: &str) -> State {
    let mut state = State::default();
    update(&mut state, Msg::Begin { name: String::new(), text: text.to_owned() });
    update(&mut state, ready());
    update(&mut state, answer(1));
    state
}

fn ready() -> Msg {
    Msg::Answer(Answer::Ready {
        classes: vec!["plain".to_owned()],
        pipeline: "dce".to_owned(),
        formats: Vec::new(),
    })
}

/// `%0` defined on the first line and used on the second; a problem with a position and one without.
fn answer(revision: u32) -> Msg {
    let text = StyledText {
        text: Utf8("%0 = 1\n%0\n".to_owned()),
        spans: Table::from_words(vec![0, 2, 0, 1, 0, 7, 2, 0, 2, 0]),
        ..StyledText::default()
    };
    let diagnostics = vec![
        Diagnostic { level: Level::Error, line: 2, column: 1, ..Diagnostic::default() },
        Diagnostic { level: Level::Note, ..Diagnostic::default() },
    ];
    let counts = [1, 1, 2];
    Msg::Answer(Answer::Opened(Box::new(Opened {
        revision,
        text,
        diagnostics,
        counts,
        tenths_ms: 5,
        ..Opened::default()
    })))
}

#[test]
fn text_typed_before_the_compiler_is_loaded_is_sent_afterwards() {
    let mut state = State::default();
    assert!(!does(&mut state, Msg::Edited("a".to_owned()), CompilerCommand::Open));
    assert!(does(&mut state, ready(), CompilerCommand::Open));
    assert_eq!(state.engine, Engine::Busy { revision: 1, slow: false });
}

#[test]
fn typing_while_busy_sends_only_the_last_text() {
    let mut state = page("a");
    assert!(does(&mut state, Msg::Edited("ab".to_owned()), CompilerCommand::Open));
    assert!(!does(&mut state, Msg::Edited("abc".to_owned()), CompilerCommand::Open));
    assert!(!does(&mut state, Msg::Edited("abcd".to_owned()), CompilerCommand::Open));
    assert!(does(&mut state, answer(2), CompilerCommand::Open));
    assert_eq!(state.engine, Engine::Busy { revision: 4, slow: false });
    assert!(!does(&mut state, answer(4), CompilerCommand::Open));
    assert_eq!(state.engine, Engine::Idle);
}

#[test]
fn another_tab_or_language_requests_its_text_alone() {
    let mut state = page("a");
    assert!(does(&mut state, Msg::Tab(Tab::Target), CompilerCommand::Open));
    assert_eq!(state.scene.sending, (None, Parts::Text));
    let text = StyledText { text: Utf8("x;\n".to_owned()), ..StyledText::default() };
    let opened = Opened { revision: state.revision, parts: Parts::Text, text, ..Opened::default() };
    let (dirty, commands) = update(&mut state, Msg::Answer(Answer::Opened(Box::new(opened))));
    assert!(dirty.intersects(Dirty::OUTPUT) && !dirty.intersects(Dirty::GRAPH), "{dirty:?}");
    assert!(!commands.contains(&CompilerCommand::Open.into()));
    assert_eq!((state.engine, state.shown.counts), (Engine::Idle, [1, 1, 2]), "the rest is kept");
    assert_eq!((state.shown.tab, state.shown.document.text()), (Tab::Target, "x;\n"));
    assert_eq!(state.shown.problems.len(), 2);
    update(&mut state, Msg::Target("hlsl".to_owned()));
    assert_eq!(state.scene.sending, (None, Parts::Text));
}

#[test]
fn another_tab_requests_everything_if_another_request_is_due() {
    let mut state = page("a");
    update(&mut state, Msg::Edited("ab".to_owned()));
    assert!(!does(&mut state, Msg::Tab(Tab::Target), CompilerCommand::Open), "the compiler is busy");
    let revision = state.revision - 1;
    assert!(does(&mut state, answer(revision), CompilerCommand::Open));
    assert_eq!(state.scene.sending, (None, Parts::All));
    let mut new = State::default();
    update(&mut new, ready());
    update(&mut new, Msg::Tab(Tab::Changes));
    assert_eq!(new.scene.sending.1, Parts::All, "nothing was shown yet");
}

#[test]
fn the_same_text_is_not_compiled_again() {
    let mut state = page("a");
    assert_eq!(update(&mut state, Msg::Edited("a".to_owned())).0, Dirty::empty());
}

#[test]
fn a_hang_is_ended_and_its_input_is_not_sent_again() {
    let mut state = page("a");
    assert!(!state.is_pending());
    update(&mut state, Msg::Edited("hang".to_owned()));
    assert!(state.is_pending(), "from the start");
    assert!(update(&mut state, Msg::StillBusy(2)).0.intersects(Dirty::STATUS));
    assert_eq!(update(&mut state, Msg::TookTooLong(1)).0, Dirty::empty(), "an older deadline");
    assert!(does(&mut state, Msg::TookTooLong(2), CompilerCommand::Restart));
    assert!(state.is_pending());
    assert!(!does(&mut state, ready(), CompilerCommand::Open));
    assert!(!state.is_pending(), "there is nothing to wait for");
    assert!(does(&mut state, Msg::Edited("fine".to_owned()), CompilerCommand::Open));
    assert!(state.shown.any, "the last good answer stays");
}

#[test]
fn an_edit_during_recovery_is_sent_at_once() {
    let mut state = page("a");
    update(&mut state, Msg::Edited("bad".to_owned()));
    assert!(does(
        &mut state,
        Msg::Answer(Answer::Fault(Fault { message: "index out of bounds".to_owned() })),
        CompilerCommand::Restart
    ));
    update(&mut state, Msg::Edited("good".to_owned()));
    assert!(does(&mut state, ready(), CompilerCommand::Open));
}

#[test]
fn a_compiler_that_does_not_start_is_not_restarted_forever() {
    let mut state = State::default();
    assert!(!does(
        &mut state,
        Msg::Answer(Answer::Fault(Fault { message: "no network".to_owned() })),
        CompilerCommand::Restart
    ));
    assert_eq!(state.engine, Engine::Down);
    assert_eq!(state.notice.as_ref().and_then(|notice| notice.action), Some(Action::Retry));
    assert!(does(&mut state, Msg::Retry, CompilerCommand::Restart));
}

#[test]
fn stop_ends_only_a_running_compilation() {
    let mut state = page("a");
    assert_eq!(update(&mut state, Msg::Stop).0, Dirty::empty());
    update(&mut state, Msg::Edited("long".to_owned()));
    assert!(does(&mut state, Msg::Stop, CompilerCommand::Restart));
}

#[test]
fn a_replaced_text_is_restored() {
    let mut state = page("mine");
    let opened = Msg::Replaced { name: "loop.ir".to_owned(), text: "theirs".to_owned() };
    assert!(update(&mut state, opened).0.intersects(Dirty::INPUT));
    assert_eq!((state.input.text.as_str(), state.input.name.as_str()), ("theirs", "loop.ir"));
    assert!(update(&mut state, Msg::Undo).0.intersects(Dirty::INPUT));
    assert_eq!((state.input.text.as_str(), state.input.name.as_str()), ("mine", ""));
    assert_eq!(update(&mut state, Msg::Undo).0, Dirty::empty());
}

#[test]
fn the_pointer_highlights_a_value_and_a_click_chooses_it() {
    let mut state = page("a");
    assert!(update(&mut state, Msg::Hover(Some(0))).0.intersects(Dirty::LINKS));
    assert_eq!(update(&mut state, Msg::Hover(Some(0))).0, Dirty::empty());
    update(&mut state, Msg::Choose(Some(1)));
    update(&mut state, Msg::Hover(None));
    assert_eq!(state.lit(), Some(0));
    update(&mut state, Msg::Choose(None));
    assert_eq!(state.lit(), None);
}

#[test]
fn keys_move_to_the_definition_and_cyclically_through_the_uses() {
    let mut state = page("a");
    assert!(update(&mut state, Msg::Move(CursorMove::Next)).0.intersects(Dirty::REVEAL));
    assert_eq!(state.cursor, Some(0));
    update(&mut state, Msg::Move(CursorMove::Use));
    assert_eq!(state.cursor, Some(1));
    update(&mut state, Msg::Move(CursorMove::Use));
    assert_eq!(state.cursor, Some(1), "cyclically");
    update(&mut state, Msg::Move(CursorMove::Definition));
    assert_eq!(state.cursor, Some(0));
    assert_eq!(update(&mut state, Msg::Move(CursorMove::Previous)).0, Dirty::empty());
}

#[test]
fn a_problem_selects_its_place_if_it_has_one() {
    let mut state = page("one\ntwo");
    assert!(update(&mut state, Msg::Problem(0)).0.intersects(Dirty::SELECTION));
    assert_eq!(state.selection.map(|place| (place.start, place.end)), Some((4, 7)));
    assert_eq!(update(&mut state, Msg::Problem(1)).0, Dirty::empty());
    assert_eq!(update(&mut state, Msg::Problem(9)).0, Dirty::empty());
}

#[test]
fn a_binary_is_shown_as_text_until_that_is_edited() {
    let mut state = page("a");
    update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
    let source = "OpNop\n".to_owned();
    let answer = Opened { revision: 2, source: Utf8(source.clone()), ..Opened::default() };
    assert!(update(&mut state, Msg::Answer(Answer::Opened(Box::new(answer)))).0.intersects(Dirty::INPUT));
    assert_eq!((state.input.text.as_str(), state.input.given.as_deref()), ("OpNop\n", Some(&[3, 2][..])));
    assert_eq!(update(&mut state, Msg::Edited(source)).0, Dirty::empty(), "the editor shows the disassembly");
    assert!(does(&mut state, Msg::Edited("OpNop".to_owned()), CompilerCommand::Open));
    assert_eq!(state.input.given, None);
}

fn with_steps(state: &mut State, revision: u32, count: usize, at: usize) {
    let (steps, version) = (vec![PassStep::default(); count], at as u32);
    update(
        state,
        Msg::Answer(Answer::Opened(Box::new(Opened { revision, steps, version, ..Opened::default() }))),
    );
}

#[test]
fn steps_are_shown_at_once_and_the_last_version_remains_the_last() {
    let mut state = page("a");
    update(&mut state, Msg::Edited("b".to_owned()));
    with_steps(&mut state, 2, 3, 3);
    assert!(does(&mut state, Msg::Go(Go::Previous), CompilerCommand::Open));
    assert_eq!((state.at, state.shown_at()), (Some(2), 2));
    assert!(!does(&mut state, Msg::Go(Go::Previous), CompilerCommand::Open), "one request at a time");
    with_steps(&mut state, 3, 3, 2);
    assert_eq!((state.at, state.shown_at()), (Some(1), 1), "the answer to the previous request");
    with_steps(&mut state, 4, 3, 1);
    update(&mut state, Msg::Go(Go::Last));
    assert_eq!(state.at, None);
}

#[test]
fn an_empty_pipeline_is_the_default() {
    let mut state = page("a");
    assert_eq!(state.pipeline, "dce");
    assert!(does(&mut state, Msg::Pipeline("cse".to_owned()), CompilerCommand::Open));
    update(&mut state, Msg::Pipeline(" ".to_owned()));
    assert_eq!((state.pipeline.as_str(), state.own_pipeline), ("dce", false));
}

#[test]
fn a_link_waits_for_the_compiler_and_opens_its_state() {
    let mut state = State::default();
    assert_eq!(update(&mut state, Msg::Link("1dx".to_owned())).0, Dirty::empty());
    let (_, commands) = update(&mut state, ready());
    assert_eq!(commands, [CompilerCommand::ReadShared.into()]);
    let view = SharedRequest {
        pipeline: "cse".to_owned(),
        version: Some(1),
        shown: Tab::Changes,
        pane: "output".to_owned(),
        ..SharedRequest::default()
    };
    let shared = SharedState { input: Bytes(b"func".to_vec()), view, ..SharedState::default() };
    assert!(does(&mut state, Msg::Answer(Answer::Shared(shared)), CompilerCommand::Open));
    assert_eq!((state.input.text.as_str(), state.pipeline.as_str()), ("func", "cse"));
    assert_eq!((state.at, state.tab, state.notice.is_none()), (Some(1), Tab::Changes, true));
    assert_eq!(state.pane, Pane::Output, "the pane that a small screen shows");
}

#[test]
fn a_damaged_link_is_reported_and_the_page_works() {
    let mut state = State::default();
    update(&mut state, Msg::Link("1dx".to_owned()));
    update(&mut state, ready());
    let shared = SharedState { problem: "this link is damaged".to_owned(), ..SharedState::default() };
    assert!(does(&mut state, Msg::Answer(Answer::Shared(shared)), CompilerCommand::Open));
    assert_eq!(state.notice.map(|notice| notice.text).as_deref(), Some("This link is damaged."));
}

#[test]
fn the_first_look_waits_for_the_size_of_the_pane() {
    let mut state = page("a");
    update(&mut state, Msg::Replaced { name: String::new(), text: "b".to_owned() });
    update(&mut state, answer(2));
    assert!(state.fresh);
    assert!(update(&mut state, Msg::Camera(CameraMove::Pane([400, 300]))).0.intersects(Dirty::CAMERA));
    assert!(!state.fresh);
    assert_eq!(update(&mut state, Msg::Camera(CameraMove::Pan([0, 0]))).0, Dirty::empty());
}

#[test]
fn a_new_size_of_the_pane_does_not_use_up_the_first_look_at_the_next_input() {
    let mut state = page("a");
    update(&mut state, Msg::Camera(CameraMove::Pane([400, 300])));
    assert!(!state.fresh);
    update(&mut state, Msg::Replaced { name: String::new(), text: "b".to_owned() });
    update(&mut state, Msg::Camera(CameraMove::Pane([400, 280])));
    assert!(state.fresh, "the graph of the input before is still shown");
    update(&mut state, answer(2));
    assert!(!state.fresh);
}

#[test]
fn a_view_that_nobody_moved_follows_the_size_of_the_pane() {
    let mut state = page("a");
    state.shown.graph = looped();
    update(&mut state, Msg::Camera(CameraMove::Pane([400, 300])));
    state.fresh = true;
    update(&mut state, Msg::Camera(CameraMove::Pane([410, 300])));
    let first = state.camera;
    update(&mut state, Msg::Camera(CameraMove::Pane([600, 300])));
    assert_eq!(state.camera.x, first.x + 95, "still in the middle");
    update(&mut state, Msg::Camera(CameraMove::Pan([-7, 0])));
    let moved = state.camera;
    update(&mut state, Msg::Camera(CameraMove::Pane([800, 300])));
    assert_eq!([state.camera.x, state.camera.y], [moved.x, moved.y], "the user's view");
}

#[test]
fn a_text_in_place_of_all_others_is_viewed_from_its_beginning() {
    let mut state = page("a");
    state.fresh = false;
    let typed = |from, to, text: &str| {
        let changes = vec![Change { from, to, text: text.to_owned() }];
        Msg::Typed { changes, undone: false }
    };
    update(&mut state, typed(1, 1, "b"));
    assert!(!state.fresh, "an edit keeps the view");
    update(&mut state, typed(0, 2, "func"));
    assert!(state.fresh);
}

#[test]
fn themes_are_cyclic() {
    let round: Vec<_> = Theme::ALL.iter().map(|theme| theme.next()).collect();
    assert_eq!(round, [Theme::Light, Theme::Dark, Theme::System]);
    assert!(Theme::ALL.iter().all(|theme| Theme::named(theme.name()) == Some(*theme)));
    assert!(Pane::ALL.iter().all(|pane| Pane::named(pane.name()) == Some(*pane)));
}

#[test]
fn the_first_sight_is_the_last_step_that_changed_something_until_the_page_is_used() {
    let answered = |state: &mut State| {
        let Engine::Busy { revision, .. } = state.engine else { return };
        let steps = vec![PassStep::default(), PassStep::default(), PassStep::default()];
        let opened = Opened { revision, steps, version: 2, ..Opened::default() };
        update(state, Msg::Answer(Answer::Opened(Box::new(opened))));
    };
    let mut state = State::default();
    update(&mut state, Msg::Begin { name: "a.ir".to_owned(), text: "a".to_owned() });
    update(&mut state, ready());
    answered(&mut state);
    assert_eq!((state.at, state.first_sight, state.input.edited), (Some(2), true, false));
    update(
        &mut state,
        Msg::Typed { changes: vec![Change { from: 0, to: 0, text: "b".to_owned() }], undone: false },
    );
    assert_eq!((state.at, state.first_sight), (None, false), "an edit shows the end of the pipeline");
    assert_eq!(state.input.name, "a.ir", "an edited example is that example");
    answered(&mut state);
    assert_eq!(state.at, None);
}

#[test]
fn a_text_pasted_over_the_example_of_the_page_has_not_its_name() {
    let mut state = State::default();
    update(&mut state, Msg::Begin { name: "a.ir".to_owned(), text: "a".to_owned() });
    let change = Change { from: 0, to: 1, text: "b".to_owned() };
    update(&mut state, Msg::Typed { changes: vec![change], undone: false });
    assert_eq!(state.input.name, "");
}

#[test]
fn a_link_that_takes_long_is_announced() {
    let mut state = State::default();
    for (text, announced) in [("a".to_owned(), false), ("a line\n".repeat(100_000), true)] {
        update(&mut state, Msg::Replaced { name: String::new(), text });
        state.notice = None;
        assert!(does(&mut state, Msg::Share, CompilerCommand::WriteLink));
        assert_eq!(state.notice.as_ref().is_some_and(|notice| notice.text.starts_with("Making")), announced);
    }
}

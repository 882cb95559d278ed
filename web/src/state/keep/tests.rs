//! Tabs, the storage, and numbers after a restart, one rule per test.

use super::*;
use crate::state::{Answer, Change, Fold, Msg, Opened, Tab, debugger, update};
use vitrine_protocol::{Fault, Watches};

/// A page with its example and a loaded compiler, which stores.
fn page() -> State {
    let mut state = State::default();
    send(&mut state, Msg::Begin { name: String::new(), text: "example".to_owned() });
    send(&mut state, Event::Begin(100));
    ready(&mut state);
    answer(&mut state);
    state
}

fn send(state: &mut State, msg: impl Into<Msg>) -> Vec<Command> {
    update(state, msg.into()).1
}

fn ready(state: &mut State) -> Vec<Command> {
    let ready = Answer::Ready { classes: Vec::new(), pipeline: "dce".to_owned(), formats: Vec::new() };
    send(state, Msg::Answer(ready))
}

fn answer(state: &mut State) {
    while let Engine::Busy { revision, .. } = state.engine {
        send(state, Msg::Answer(Answer::Opened(Box::new(Opened { revision, ..Opened::default() }))));
    }
}

fn open(state: &mut State, name: &str, text: &str) -> Vec<Command> {
    send(state, Msg::Replaced { name: name.to_owned(), text: text.to_owned() })
}

fn edit(state: &mut State, text: &str) {
    send(
        state,
        Msg::Typed { changes: vec![Change { from: 0, to: 0, text: text.to_owned() }], undone: false },
    );
}

fn saved(commands: &[Command]) -> Option<Save> {
    commands.iter().find_map(|command| match command {
        Command::Keep(KeepCommand::Save(save)) => Some(save.clone()),
        _ => None,
    })
}

fn labels(state: &State) -> Vec<String> {
    state.keep.tabs.iter().map(|kept| label(kept).to_owned()).collect()
}

#[test]
fn an_untouched_page_stores_nothing() {
    let mut state = page();
    assert_eq!(saved(&send(&mut state, Event::Pause)), None);
    send(&mut state, Msg::Tab(Tab::Target));
    let save = saved(&send(&mut state, Event::Pause)).unwrap();
    assert_eq!(save.session.map(|(_, ids)| ids), Some(vec![100]));
    assert_eq!(
        save.entry.map(|entry| (entry.id, entry.is_listed, entry.content)),
        Some((100, false, Some(b"example".to_vec())))
    );
    assert_eq!(saved(&send(&mut state, Event::Pause)), None, "nothing changed");
}

#[test]
fn a_pause_stores_only_what_changed() {
    let mut state = page();
    edit(&mut state, "; ");
    let save = saved(&send(&mut state, Event::Pause)).unwrap();
    assert_eq!(save.entry.and_then(|entry| entry.content), Some(b"; example".to_vec()));
    answer(&mut state);
    send(&mut state, Msg::Tab(Tab::Memory));
    let save = saved(&send(&mut state, Event::Pause)).unwrap();
    assert_eq!(
        (save.session, save.entry.map(|entry| entry.content)),
        (None, Some(None)),
        "the view, not the content"
    );
}

#[test]
fn an_answer_that_changes_nothing_else_stores_its_verdict() {
    let mut state = page();
    edit(&mut state, "; ");
    let errors = |commands: &[Command]| saved(commands).and_then(|save| save.entry).map(|entry| entry.errors);
    assert_eq!(errors(&send(&mut state, Event::Pause)), Some(None), "stored before the answer");
    answer(&mut state);
    assert_eq!(errors(&send(&mut state, Event::Pause)), Some(Some(0)));
    assert_eq!(errors(&send(&mut state, Event::Pause)), None);
}

#[test]
fn a_pause_is_awaited_once_and_not_for_itself() {
    let mut state = page();
    send(&mut state, Event::Pause);
    let pauses = |commands: Vec<Command>| commands.contains(&Command::Keep(KeepCommand::Pause));
    assert!(pauses(send(&mut state, Msg::Hover(Some(1)))));
    assert!(!pauses(send(&mut state, Msg::Hover(Some(2)))));
    assert!(!pauses(send(&mut state, Event::Pause)));
    assert!(pauses(send(&mut state, Msg::Hover(None))));
}

#[test]
fn an_unchanged_example_is_replaced_and_anything_else_is_not() {
    let mut state = page();
    send(&mut state, Msg::Example("loop.ir".to_owned(), "loop".to_owned()));
    send(&mut state, Msg::Example("switch.ir".to_owned(), "switch".to_owned()));
    assert_eq!(labels(&state), ["switch.ir"]);
    edit(&mut state, "; ");
    open(&mut state, "a.ir", "a");
    open(&mut state, "b.ir", "b");
    assert_eq!(
        (labels(&state), state.keep.current),
        (["switch.ir", "a.ir", "b.ir"].map(str::to_owned).to_vec(), 2)
    );
    send(&mut state, Event::New);
    open(&mut state, "", "pasted");
    assert_eq!(labels(&state)[3..], ["untitled"], "an empty tab is filled");
}

#[test]
fn a_tab_is_stored_when_it_is_left_and_comes_back_with_its_view() {
    let mut state = page();
    edit(&mut state, "; ");
    send(&mut state, Msg::Pipeline("cse".to_owned()));
    send(&mut state, Msg::Tab(Tab::Target));
    let [stops, watched] = ["@0 ^1 if %i == 4", "%12.x"].map(|line| vec![line.to_owned()]);
    let watches = Watches { stops, watches: watched };
    send(&mut state, debugger::Event::Watch(watches.clone()));
    let save = saved(&open(&mut state, "a.ir", "a")).unwrap();
    assert_eq!(save.entry.and_then(|entry| entry.content), Some(b"; example".to_vec()));
    assert_eq!(state.debugger.run.watches, Watches::default(), "they name things of another input");
    assert_eq!(
        (state.pipeline.as_str(), state.tab),
        ("cse", Tab::Target),
        "a new tab has the pipeline of the last one"
    );
    send(&mut state, Msg::Pipeline(String::new()));
    send(&mut state, Msg::Tab(Tab::Ir));
    let commands = send(&mut state, Event::Show(0));
    assert!(commands.contains(&Command::Keep(KeepCommand::Load(100))), "{commands:?}");
    assert_eq!(state.input.text, "a", "until the content is there");
    send(&mut state, Event::Loaded(100, Some(b"; example".to_vec())));
    assert_eq!(
        (state.input.text.as_str(), state.pipeline.as_str(), state.tab),
        ("; example", "cse", Tab::Target)
    );
    assert_eq!(state.debugger.run.watches, watches);
    let a = state.keep.tabs[1].id;
    send(&mut state, Event::Next(true));
    send(&mut state, Event::Loaded(100, Some(Vec::new())));
    assert_eq!(state.input.text, "; example", "an older request");
    send(&mut state, Event::Loaded(a, Some(b"a".to_vec())));
    assert_eq!((state.input.text.as_str(), state.pipeline.as_str(), state.tab), ("a", "dce", Tab::Ir));
}

#[test]
fn a_closed_tab_can_be_opened_again() {
    let mut state = page();
    edit(&mut state, "; ");
    open(&mut state, "a.ir", "a");
    let a = state.keep.tabs[1].id;
    assert!(send(&mut state, Event::Close(1)).contains(&Command::Keep(KeepCommand::Load(100))));
    assert_eq!(labels(&state).len(), 2, "until the other one is there");
    send(&mut state, Event::Loaded(100, Some(b"; example".to_vec())));
    assert_eq!((labels(&state), state.input.text.as_str()), (vec!["untitled".to_owned()], "; example"));
    assert_eq!(state.notice.as_ref().and_then(|notice| notice.action), Some(Action::Reopen));
    assert!(send(&mut state, Event::Reopen).contains(&Command::Keep(KeepCommand::Load(a))));
    send(&mut state, Event::Loaded(a, Some(b"a".to_vec())));
    assert_eq!((labels(&state)[1].as_str(), state.keep.current, state.input.text.as_str()), ("a.ir", 1, "a"));
    send(&mut state, Event::Close(0));
    assert_eq!((labels(&state), state.keep.current), (vec!["a.ir".to_owned()], 0));
    send(&mut state, Event::Close(0));
    assert_eq!(
        (labels(&state), state.input.text.as_str()),
        (vec!["untitled".to_owned()], ""),
        "the last one leaves an empty one"
    );
}

#[test]
fn content_that_the_browser_lost_is_reported() {
    let mut state = page();
    edit(&mut state, "; ");
    open(&mut state, "a.ir", "a");
    send(&mut state, Event::Show(0));
    send(&mut state, Event::Loaded(100, None));
    assert!(state.notice.as_ref().is_some_and(|notice| notice.bad && notice.text.contains("no longer")));
}

/// The stored form of a session, as the browser has it.
fn session_of(state: &mut State) -> (Vec<u8>, Vec<Vec<u8>>) {
    let keep = &state.keep;
    let mut entries: Vec<Vec<u8>> = keep.tabs.iter().map(|kept| keep.anchors.encode(kept)).collect();
    entries[keep.current] = keep.anchors.encode(&current(state));
    (session::encode(&Frame::of(state)), entries)
}

#[test]
fn a_session_is_restored_before_the_compiler_is_loaded_and_nothing_is_compiled_before() {
    let mut state = page();
    edit(&mut state, "; ");
    open(&mut state, "a.ir", "a");
    send(&mut state, Msg::Pipeline("cse".to_owned()));
    let (frame, entries) = session_of(&mut state);
    let mut state = State::default();
    send(&mut state, Msg::AwaitSession);
    assert!(!ready(&mut state).contains(&CompilerCommand::Open.into()) && state.is_pending());
    let commands = send(&mut state, Event::Restore(500, frame, entries, b"a".to_vec()));
    assert!(commands.contains(&CompilerCommand::Open.into()));
    assert_eq!(
        (state.input.text.as_str(), state.input.name.as_str(), state.pipeline.as_str()),
        ("a", "a.ir", "cse")
    );
    assert_eq!((labels(&state).len(), state.keep.current), (2, 1));
}

#[test]
fn a_session_of_another_version_is_not_overwritten_and_the_example_is_shown() {
    let mut state = page();
    edit(&mut state, "; ");
    let (mut frame, entries) = session_of(&mut state);
    frame[0] = 255;
    let mut state = State::default();
    send(&mut state, Msg::AwaitSession);
    let commands = send(&mut state, Event::Restore(500, frame, entries, b"a".to_vec()));
    assert!(commands.contains(&Command::Keep(KeepCommand::StartOver)));
    assert_eq!((state.input.revision, labels(&state).len()), (0, 1));
}

#[test]
fn things_get_the_numbers_of_a_restarted_compiler() {
    let mut state = page();
    state.shown.any = true;
    state.scene.folds = vec![(Fold::Loop, 8)];
    let commands = send(&mut state, Msg::ChooseId(Some(9)));
    assert!(commands.contains(&CompilerCommand::Anchors.into()));
    assert_eq!(state.keep.asked(), [8, 9]);
    send(&mut state, Msg::Answer(Answer::Anchors(vec![[11, 0, 1, 0], [9, 0, 2, 0]])));
    edit(&mut state, "; ");
    send(&mut state, Msg::Answer(Answer::Fault(Fault { message: "trap".to_owned() })));
    assert_eq!(state.scene.folds, [(Fold::Loop, 8)], "until another request");
    ready(&mut state);
    assert!(send(&mut state, Msg::Tab(Tab::Memory)).contains(&CompilerCommand::Numbers.into()));
    assert_eq!(state.keep.anchors(), [[11, 0, 1, 0], [9, 0, 2, 0]]);
    let commands = send(&mut state, Msg::Answer(Answer::Numbers(vec![0, 1])));
    assert!(commands.contains(&CompilerCommand::Open.into()));
    assert_eq!((state.scene.folds.as_slice(), state.chosen), (&[(Fold::Loop, 0)][..], Some(1)));
}

#[test]
fn a_recent_input_opens_in_a_tab_or_shows_the_one_it_has() {
    let mut state = page();
    edit(&mut state, "; ");
    let kept = state.keep.anchors.encode(&Kept { id: 7, name: "old.ir".to_owned(), ..Kept::default() });
    send(&mut state, Event::Recent(kept.clone(), b"old".to_vec()));
    assert_eq!((labels(&state)[1].as_str(), state.input.text.as_str()), ("old.ir", "old"));
    send(&mut state, Event::Show(0));
    send(&mut state, Event::Loaded(100, Some(b"; example".to_vec())));
    assert!(
        send(&mut state, Event::Recent(kept, b"old".to_vec())).contains(&Command::Keep(KeepCommand::Load(7)))
    );
    send(&mut state, Event::Recent(vec![255], Vec::new()));
    assert!(state.notice.as_ref().is_some_and(|notice| notice.text.contains("another version")));
}

#[test]
fn a_pasted_text_is_listed_by_its_first_line() {
    assert_eq!(first_line("\n  ; a shader  \nx"), "; a shader");
    assert_eq!(first_line(""), "");
}

//! Reproductions: a file of every released format opens to the state it was made of, here and on the page.

use vitrine_core::share::{Repro, SharedState, Verdict};
use vitrine_core::view_model::{DEFAULT_PIPELINE, Session};

/// A file as saved by the page. Never change one; add one for each new format.
const STORED: &str = include_str!("../repro/first.repro");

fn state() -> SharedState {
    SharedState {
        input: b"func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  %1 = iadd %0, %0\n  return %1\n}\n"
            .to_vec(),
        name: "seven.ir".to_owned(),
        pipeline: "structurize{imported}, -cse, constant-fold, dce".to_owned(),
        at: Some(2),
        func: None,
        shown: 1,
        ..SharedState::default()
    }
}

fn session_after(state: &SharedState) -> Session {
    let mut session = Session::new();
    session.open(&state.input, &state.pipeline);
    session
}

#[test]
fn stored_files_of_every_format_open() {
    let (repro, problem) = Repro::read(STORED.as_bytes());
    assert_eq!((repro.state, problem, repro.version.as_str()), (state(), None, "0.1.0"));
    assert_eq!(repro.digests.len(), 4);
}

/// If this fails because a pass was improved, or because printing changed, the stored file is still valid: state
/// here the first step that differs.
#[test]
fn a_stored_file_still_gives_the_same_result() {
    let (repro, _) = Repro::read(STORED.as_bytes());
    assert_eq!(session_after(&state()).verdict(&repro), Some(Verdict::Same(3)));
}

#[test]
fn saved_files_open_and_are_reproducible() {
    let example = include_bytes!("../../../www/examples/loop.ir").to_vec();
    for state in [
        state(),
        SharedState { input: example, pipeline: DEFAULT_PIPELINE.to_owned(), ..SharedState::default() },
    ] {
        let session = session_after(&state);
        let saved = session.repro(state.clone());
        assert_eq!(Repro::read(saved.text().as_bytes()), (saved.clone(), None));
        assert_eq!(saved.text(), session_after(&state).repro(state.clone()).text());
        assert!(matches!(session.verdict(&saved), Some(Verdict::Same(steps)) if steps > 2));
    }
}

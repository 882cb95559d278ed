//! Reproductions: a file of every form ever released opens to what it was made of, here and on the page.

use vitrine_core::share::{Repro, SharedState, Verdict};
use vitrine_core::view_model::{DEFAULT_PIPELINE, Session};

/// A file as it was saved by the page. Never change one: add one for each new form.
const STORED: &str = include_str!("../repro/first.repro");

fn moment() -> SharedState {
    SharedState {
        input: b"func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  %1 = iadd %0, %0\n  return %1\n}\n"
            .to_vec(),
        name: "seven.ir".to_owned(),
        pipeline: "structurize{imported}, -cse, constant-fold, dce".to_owned(),
        at: Some(2),
        func: None,
        shown: 1,
        target: String::new(),
    }
}

fn ran(moment: &SharedState) -> Session {
    let mut session = Session::new();
    session.open(&moment.input, &moment.pipeline);
    session
}

#[test]
fn stored_files_of_every_form_open() {
    let (repro, problem) = Repro::read(STORED.as_bytes());
    assert_eq!((repro.moment, problem, repro.version.as_str()), (moment(), None, "0.1.0"));
    assert_eq!(repro.digests.len(), 4);
}

/// If this fails because a pass became better, or prints otherwise, the stored file is still right: say here
/// from which step on it differs now.
#[test]
fn a_stored_file_still_gives_the_same_result() {
    let (repro, _) = Repro::read(STORED.as_bytes());
    assert_eq!(ran(&moment()).verdict(&repro), Some(Verdict::Same(3)));
}

#[test]
fn saved_files_open_and_are_reproducible() {
    let example = include_bytes!("../../../www/examples/loop.ir").to_vec();
    for moment in [
        moment(),
        SharedState { input: example, pipeline: DEFAULT_PIPELINE.to_owned(), ..SharedState::default() },
    ] {
        let session = ran(&moment);
        let saved = session.repro(moment.clone());
        assert_eq!(Repro::read(saved.text().as_bytes()), (saved.clone(), None));
        assert_eq!(saved.text(), ran(&moment).repro(moment.clone()).text());
        assert!(matches!(session.verdict(&saved), Some(Verdict::Same(steps)) if steps > 2));
    }
}

//! Permalinks: a link of every form ever released opens to what it was made of, and those of real shaders are
//! short. The corpus lies beside the repository; where it is absent, the test that needs it says so and passes.
#![allow(clippy::print_stdout)]

use std::path::Path;
use vitrine_core::playground::Moment;

/// A link as it was copied from the page, and what it opens to. Never change one: add one for each new form.
const STORED: &str = "1dAW0Akv9uCHNldmVuLmlycBpzdHJ1Y3R1cml6ZXtpbXBvcnRlZH0sIGRjZWEBAXQBAWk_ZnVuYyBAMCgpIC0-IGIzMiBncmFwaCB7Cl4wOgogICUwOiBiMzIgPSBjb25zdCA3CiAgcmV0dXJuICUwCn0K0aru";

fn moment() -> Moment {
    Moment {
        input: b"func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  return %0\n}\n".to_vec(),
        name: "seven.ir".to_owned(),
        pipeline: "structurize{imported}, dce".to_owned(),
        at: Some(1),
        func: None,
        shown: 1,
    }
}

#[test]
fn a_stored_link_opens_for_ever() {
    assert_eq!(Moment::read(STORED), (moment(), None));
}

#[test]
fn the_same_moment_gives_the_same_link() {
    assert_eq!(moment().link(), moment().link());
    assert_eq!(Moment::read(&moment().link()), (moment(), None));
}

#[test]
fn links_of_the_corpus_open_to_their_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/teaching");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return println!("skipped: no corpus beside the repository");
    };
    let mut count = 0;
    for file in entries.flatten().map(|entry| entry.path()) {
        if file.extension().is_none_or(|extension| extension != "spv") {
            continue;
        }
        let Ok(input) = std::fs::read(&file) else { continue };
        let moment = Moment { input, ..Moment::default() };
        let link = moment.link();
        assert!(link.len() < moment.input.len(), "{}: {} characters", file.display(), link.len());
        assert_eq!(Moment::read(&link), (moment, None), "{}", file.display());
        count += 1;
    }
    assert!(count > 10, "{count}");
}

//! `serve --dev` builds again when a source changes, and goes on serving what it has when that fails.
//!
//! Looks at the times of the files twice a second; no service of the system is asked, so it works anywhere.
//! The page is not reloaded: a person does that when they are ready to look.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::place::Place;
use crate::say;
use crate::site::{self, Effort};

const PAUSE: Duration = Duration::from_millis(500);
const SOURCES: [&str; 6] = ["core/src", "wasm/src", "web/src", "web/editor/src", "www", "Cargo.lock"];

/// Builds again after every change, for ever.
pub fn run(place: &Place) {
    let mut built = newest(place);
    loop {
        thread::sleep(PAUSE);
        let now = newest(place);
        if now == built {
            continue;
        }
        // A change during the build is another change.
        built = now;
        match site::build(place, Effort::Quick) {
            Ok(()) => say::step("built again: reload the page"),
            Err(trouble) => trouble.print(),
        }
    }
}

/// How many source files there are, and when the last one changed.
fn newest(place: &Place) -> (usize, Option<SystemTime>) {
    let mut found = (0, None);
    for source in SOURCES {
        look(&place.root.join(source), &mut found);
    }
    found
}

fn look(path: &Path, found: &mut (usize, Option<SystemTime>)) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        look(&entry.path(), found);
    }
    // A file that goes away while we look has gone, and the count says so.
    if let Ok(about) = fs::metadata(path).and_then(|about| about.modified()) {
        *found = (found.0 + 1, found.1.max(Some(about)));
    }
}

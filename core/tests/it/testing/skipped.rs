//! Reports of what a run leaves out: a corpus or a judge that is not there.
//!
//! A line goes to standard error, past the capture of the test harness. If `VITRINE_SKIPPED` names a file, a line
//! `<count>\t<test>\t<reason>` is appended to it, so that a summary can count. Nothing here decides to skip.

use std::io::Write;
use std::panic::Location;

/// Reports that a test leaves out so many of its cases, and why.
#[track_caller]
pub(crate) fn skipped(count: usize, reason: &str) {
    let thread = std::thread::current();
    // The harness names the thread of a test after the test, unless it runs all of them on the main thread.
    let test = match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        Some(_) | None => {
            let caller = Location::caller();
            format!("{}:{}", caller.file(), caller.line())
        }
    };
    let _ = writeln!(std::io::stderr(), "vitrine-skipped: {count} {reason}");
    if let Some(file) = std::env::var_os("VITRINE_SKIPPED") {
        let line = format!("{count}\t{test}\t{reason}\n");
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(&file);
        // One write, so that lines of tests that run at the same time do not mix.
        let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("VITRINE_SKIPPED is {}: {error}", file.display()));
    }
}

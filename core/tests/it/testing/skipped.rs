//! Reports of skipped cases, if a corpus or spirv-val is missing.
//!
//! A line is written to standard error, bypassing the capture of the test harness. If `VITRINE_SKIPPED` names a file,
//! the line `<count>\t<test>\t<reason>` is appended to it for the summary. The decision to skip is made by callers.

use std::io::Write;
use std::panic::Location;

/// Reports that a test skips `count` of its cases, with the reason.
#[track_caller]
pub(crate) fn skipped(count: usize, reason: &str) {
    let thread = std::thread::current();
    // The harness names the thread after its test, unless all tests run on the main thread.
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
        // A single write, so that lines of concurrent tests do not mix.
        let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("VITRINE_SKIPPED is {}: {error}", file.display()));
    }
}

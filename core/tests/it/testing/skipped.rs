//! Reports of skipped cases, if a corpus or spirv-val is missing.
//!
//! A line is written to standard error, bypassing the capture of the test harness. If `VITRINE_SKIPPED` names a file,
//! the line `<count>\t<test>\t<reason>` is appended to it for the summary. The decision to skip is made by callers.

use std::io::Write;
use std::panic::Location;

/// The name of the test that runs on this thread. The harness names the thread after its test, unless all tests run on the
/// main thread.
fn current_test() -> Option<String> {
    std::thread::current().name().filter(|name| *name != "main").map(str::to_owned)
}

/// Appends a line to the file that an environment variable names, if it is set.
fn append(variable: &str, line: &str) {
    let Some(file) = std::env::var_os(variable) else { return };
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(&file);
    // A single write, so that lines of concurrent tests do not mix.
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{variable} is {}: {error}", file.display()));
}

/// Reports that a test uses the large corpus: `VITRINE_CORPUS_USERS` names the file of such tests, which run again without it.
pub(crate) fn uses_corpus() {
    if let Some(test) = current_test() {
        append("VITRINE_CORPUS_USERS", &format!("{test}\n"));
    }
}

/// Reports that a test skips `count` of its cases, with the reason.
#[track_caller]
pub(crate) fn skipped(count: usize, reason: &str) {
    let caller = Location::caller();
    let test = current_test().unwrap_or_else(|| format!("{}:{}", caller.file(), caller.line()));
    let _ = writeln!(std::io::stderr(), "vitrine-skipped: {count} {reason}");
    append("VITRINE_SKIPPED", &format!("{count}\t{test}\t{reason}\n"));
}

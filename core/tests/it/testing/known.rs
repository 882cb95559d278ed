//! Known failures: `tests/known-failures.txt`, which only gets shorter.
//!
//! Each line names a file of a corpus, the run that fails, and the reason. A known failure that succeeds is an error,
//! if the file exists.

use std::path::Path;

const KNOWN_FAILURES: &str = include_str!("../../known-failures.txt");

/// The file and the run of every line.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = KNOWN_FAILURES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?))
    })
}

/// Files that are known to fail in a run.
pub(crate) fn in_run(run: &str) -> impl Iterator<Item = &'static str> {
    lines().filter(move |(_, found)| *found == run).map(|(file, _)| file)
}

/// Files with their failing runs, for runs named `{name}-{word}`.
pub(crate) fn in_runs_of(name: &str) -> Vec<(&'static str, &'static str)> {
    lines().filter(|(_, run)| run.rsplit_once('-').is_some_and(|(first, _)| first == name)).collect()
}

/// `true` if spirv-val is known to reject the written module of a file.
pub(crate) fn is_refused(path: &Path) -> bool {
    lines().any(|(file, run)| run.ends_with("-val") && path.ends_with(file))
}

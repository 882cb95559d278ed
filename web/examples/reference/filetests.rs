//! The filetests of the compiler as examples: the shortest one that shows a pass or an operation.
//!
//! Only the input and its pipeline are used; the result is computed here, so that an example is what the pass does today.

use crate::figures::Figures;
use std::path::{Path, PathBuf};
use vitrine_protocol::Outcome;

/// The most lines of a program that an example shows.
const MOST_LINES: usize = 60;

/// The most programs that are tried for a pass.
const MOST_TRIED: usize = 40;

/// A filetest.
pub(crate) struct Filetest {
    /// The path below the folder of the filetests, such as `licm/loops.ir`.
    pub(crate) name: String,
    /// The behavior that it covers.
    pub(crate) why: String,
    /// The pipeline that it runs; empty for none.
    pub(crate) run: String,
    /// The program, without the comments at its beginning.
    pub(crate) input: String,
    /// The diagnostics that are expected.
    pub(crate) errors: String,
}

/// Every filetest, by name.
pub(crate) fn all(root: &Path) -> Result<Vec<Filetest>, String> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let error = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(error)? {
            let path: PathBuf = entry.map_err(error)?.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|kind| kind == "ir") => paths.push(path),
                false => {}
            }
        }
    }
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        Ok(parse(name, &text))
    };
    paths.iter().map(read).collect()
}

fn parse(name: String, text: &str) -> Filetest {
    let mut sections = text.split("\n---- ");
    let whole = sections.next().unwrap_or_default();
    let errors = sections.find_map(|section| section.strip_prefix("errors\n")).unwrap_or_default();
    let header = |key: &str| {
        let mut lines = whole.lines().take_while(|line| line.starts_with(';'));
        lines.find_map(|line| line.strip_prefix(&format!("; {key}: "))).unwrap_or_default().to_owned()
    };
    let input: String = whole
        .lines()
        .skip_while(|line| line.starts_with(';') || line.trim().is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    Filetest {
        why: header("why"),
        run: header("run"),
        input: input.trim_end().to_owned() + "\n",
        errors: errors.to_owned(),
        name,
    }
}

/// The pass before and after, with the shortest filetest in which it changes something. Errors: there is none.
pub(crate) fn of_pass(tests: &[Filetest], pass: &str, figures: &mut Figures) -> Result<String, String> {
    let names =
        |run: &str| run.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).any(|word| word == pass);
    let mut found: Vec<&Filetest> = tests.iter().filter(|test| names(&test.run)).collect();
    let folder = format!("{pass}/");
    // Its own tests first, then pipelines of the pass alone, then short programs.
    found.sort_by_key(|test| {
        (
            !test.name.starts_with(&folder),
            test.run.contains(','),
            test.input.lines().count(),
            test.input.len(),
        )
    });
    for test in found.into_iter().take(MOST_TRIED) {
        if figures.open(&test.input, &test.run).is_err() {
            continue;
        }
        let steps = figures.session.steps();
        let step = steps.iter().position(|step| step.pass == pass && step.outcome == Outcome::Changed);
        if let Some(at) = step {
            return figures.pair(&test.input, &test.run, at + 1, &sentence(&test.why));
        }
    }
    Err("no filetest shows what the pass changes".to_owned())
}

/// The shortest filetest with an operation; none if all are long.
pub(crate) fn of_operation(
    tests: &[Filetest],
    op: &str,
    figures: &mut Figures,
) -> Result<Option<String>, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    let uses =
        |test: &&Filetest| test.errors.is_empty() && test.input.split(|c| !is_word(c)).any(|word| word == op);
    let mut found: Vec<&Filetest> = tests.iter().filter(uses).collect();
    found.sort_by_key(|test| test.input.lines().count());
    for test in found.into_iter().take(MOST_TRIED) {
        if figures.open(&test.input, "").is_ok() && figures.lines(0) <= MOST_LINES {
            return figures.single(&test.input, "").map(Some);
        }
    }
    Ok(None)
}

/// The reason of a test as a sentence.
pub(crate) fn sentence(why: &str) -> String {
    let mut letters = why.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

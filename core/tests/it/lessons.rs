//! The lessons of `www/learn`: their tasks are solvable and their programs are valid.
//!
//! The pages are made from the same files; rules for their text are tested in `xtask/src/site/lessons/tests.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vitrine_core::judge::{Programs, Task, fact, judge};
use vitrine_core::view_model::Session;

/// The folders of the lessons, sorted.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/learn");
    let entries = std::fs::read_dir(root).expect("the folder exists");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|why| panic!("{}: {name}: {why}", folder.display()))
}

/// For each task, the start program, or an empty answer, fails; the solution passes.
#[test]
fn every_task_is_solved_by_its_solution_only() {
    let mut count = 0;
    for folder in folders() {
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .expect("the folder exists")
            .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        for name in names.iter().filter(|name| name.ends_with(".task")) {
            let text = String::from_utf8(read(&folder, name)).expect("a task is UTF-8");
            let task = Task::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let start = task.start.clone().unwrap_or_else(|| panic!("{name} has no start program"));
            let further = task.programs.iter().map(|(of, file)| (of.clone(), read(&folder, file)));
            let programs: Programs = further.chain([("start".to_owned(), read(&folder, &start))]).collect();
            let (wrong, right) = match (&task.solution, &task.answer) {
                (Some(solution), None) => (read(&folder, &start), read(&folder, solution)),
                (None, Some(answer)) => (Vec::new(), answer.clone().into_bytes()),
                _ => panic!("{name} has no solution, or two"),
            };
            let judged =
                |answer: &[u8]| judge(&task, &programs, answer).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(!judged(&wrong).passed(), "{name}: the start program passes");
            let solved = judged(&right);
            assert!(solved.passed(), "{name}: {solved:?}");
            assert!(
                !task.statement.is_empty() && !task.hints.is_empty(),
                "{name} has no statement or no hint"
            );
            count += 1;
        }
    }
    assert!(count >= 9, "{count} tasks");
}

/// The value of `key=value` or `key="several words"`.
fn value<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = line.split_once(&format!(" {key}="))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(value, _)| value),
        None => Some(rest.split_once(' ').map_or(rest, |(value, _)| value)),
    }
}

/// For each figure, the program is valid or has the expected diagnostic, the passes run, and the versions and facts exist.
#[test]
fn every_figure_shows_a_program_that_the_compiler_accepts() {
    let mut count = 0;
    for folder in folders() {
        let text = String::from_utf8(read(&folder, "lesson.md")).expect("a lesson is UTF-8");
        for line in text.lines().filter(|line| line.starts_with(":::figure")) {
            let input = read(&folder, value(line, "program").unwrap_or_else(|| panic!("{line}")));
            let mut session = Session::new();
            session.open(&input, value(line, "pipeline").unwrap_or("fix()"));
            let codes: Vec<&str> = session.diags().iter().map(|diag| diag.code.as_str()).collect();
            let expected: Vec<&str> = value(line, "diagnostic").into_iter().collect();
            assert_eq!(codes, expected, "{line}");
            assert!(session.pipeline_diags().is_empty(), "{line}: {:?}", session.pipeline_diags());
            let steps = session.steps();
            assert!(steps.iter().all(|step| !matches!(step.outcome, "failed" | "invalid")), "{line}");
            let changed: BTreeSet<usize> =
                (1..).zip(&steps).filter(|(_, step)| step.outcome != "unchanged").map(|(at, _)| at).collect();
            for at in value(line, "at").unwrap_or("0").split(',') {
                let at: usize = at.parse().unwrap_or_else(|_| panic!("{line}"));
                assert!(at < session.versions(), "{line}: there is no version {at}");
                // A step that changes nothing shows nothing, unless that is the point of the figure.
                let is_shown = at == 0 || changed.contains(&at) || value(line, "id") == Some("nothing");
                assert!(is_shown, "{line}: step {at} changes nothing");
            }
            for of in value(line, "marks").unwrap_or_default().split(';').filter(|of| !of.is_empty()) {
                let found = fact(&input, of).unwrap_or_else(|why| panic!("{line}: {why}"));
                assert!(!found.is_empty(), "{line}: {of} marks nothing");
            }
            count += 1;
        }
    }
    assert!(count >= 12, "{count} figures");
}

#[test]
fn a_fact_is_a_set_of_entities() {
    let program =
        b"func @f_0(%a_0: b1) graph {\n^0:\n  branch %a_0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
    assert_eq!(fact(program, "dominated-by(^0)"), Ok(["^0", "^1", "^2"].map(str::to_owned).to_vec()));
    assert_eq!(fact(program, "frontier(^1)"), Ok(vec!["^2".to_owned()]));
    assert!(fact(program, "blocks").is_err() && fact(program, "frontier(^9)").is_err());
    assert!(fact(b"", "frontier(^1)").is_err());
}

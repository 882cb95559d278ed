//! `cargo xtask test`: everything CI checks, step by step, with a table at the end.
//!
//! A failed step does not hide the others: all run, except those that need what it should have made,
//! which count as failed. The last line counts tests: each test of cargo and of the browser is one,
//! every other step is one.

mod browser; // the built page in Chromium
mod count; // result lines of cargo and node
mod readme; // the commands of README.md
pub mod same; // the host and wasm give the same bytes

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::place::{Place, on_path};
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::{debian, parts};
use crate::site::{self, Effort, sizes};

/// How many tests of a step passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: usize,
    failed: usize,
    /// Of these, how many were tried twice.
    again: usize,
}

/// A step: its name, the step whose work it needs, what it does.
struct Step {
    name: &'static str,
    needs: Option<&'static str>,
    work: fn(&Place) -> Outcome<Tally>,
}

const STEPS: [Step; 10] = [
    Step { name: "format", needs: None, work: format },
    Step { name: "lints", needs: None, work: lints },
    Step { name: "tests", needs: None, work: tests },
    Step { name: "documentation", needs: None, work: documentation },
    Step { name: "wasm", needs: None, work: modules },
    Step { name: "site", needs: Some("wasm"), work: assemble },
    Step { name: "sizes", needs: Some("site"), work: check_sizes },
    Step { name: "same bytes", needs: Some("wasm"), work: same::run },
    Step { name: "browser", needs: Some("site"), work: browser::run },
    Step { name: "readme", needs: Some("site"), work: readme::run },
];

/// What became of a step.
struct Row {
    name: &'static str,
    tally: Tally,
    time: Duration,
    note: String,
}

/// Runs all steps, or those of the given names and what they need; tells what became of them.
pub fn command(place: &Place, names: &[String]) -> Outcome<ExitCode> {
    let wanted = wanted(names)?;
    let mut rows: Vec<Row> = Vec::new();
    for step in STEPS.iter().filter(|step| wanted.contains(&step.name)) {
        let failed = |name| rows.iter().any(|row| row.name == name && row.tally.failed > 0);
        if let Some(needed) = step.needs.filter(|name| failed(*name)) {
            let note = format!("not run: {needed} failed");
            rows.push(Row { name: step.name, tally: Tally::FAILED, time: Duration::ZERO, note });
            continue;
        }
        say::step(format!("== {}", step.name));
        let start = Instant::now();
        let (tally, note) = match (step.work)(place) {
            Ok(tally) if tally.again > 0 => {
                (tally, format!("{} tried twice: see «second try» above", tally.again))
            }
            Ok(tally) => (tally, String::new()),
            Err(trouble) => {
                trouble.print();
                (Tally::FAILED, trouble.reason().chars().take(60).collect())
            }
        };
        rows.push(Row { name: step.name, tally, time: start.elapsed(), note });
    }
    Ok(conclude(&rows))
}

/// Names of the steps to run.
fn wanted(names: &[String]) -> Outcome<Vec<&'static str>> {
    let mut wanted: Vec<&'static str> = Vec::new();
    for name in names {
        let Some(step) = STEPS.iter().find(|step| step.name == name) else {
            let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
            return Err(Trouble::new("reading the command line")
                .why(format!("there is no step `{name}`"))
                .fix(format!("name one of: {}", known.join(", "))));
        };
        let needs = |name: &'static str| STEPS.iter().find(|step| step.name == name)?.needs;
        wanted.extend(std::iter::successors(Some(step.name), |name| needs(name)));
    }
    Ok(if names.is_empty() { STEPS.iter().map(|step| step.name).collect() } else { wanted })
}

/// Prints the table and the last line.
fn conclude(rows: &[Row]) -> ExitCode {
    println!("\n  {:14} {:>7} {:>7} {:>8}", "step", "passed", "failed", "seconds");
    for Row { name, tally, time, note } in rows {
        println!("  {name:14} {:7} {:7} {:8.1}  {note}", tally.passed, tally.failed, time.as_secs_f64());
    }
    let passed: usize = rows.iter().map(|row| row.tally.passed).sum();
    let failed: usize = rows.iter().map(|row| row.tally.failed).sum();
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Tally {
    const PASSED: Tally = Tally { passed: 1, failed: 0, again: 0 };
    const FAILED: Tally = Tally { passed: 0, failed: 1, again: 0 };
}

fn format(place: &Place) -> Outcome<Tally> {
    parts::rustfmt(place)?;
    // The modules of passes are declared by a macro, which rustfmt does not look into.
    let passes = pass_files(&place.root.join("core/src/passes"))?;
    let mut args = vec!["fmt", "--all", "--", "--check"];
    args.extend(passes.iter().map(String::as_str));
    let fix = "run `cargo fmt --all -- $(find core/src/passes -name '*.rs')`";
    cargo(place, "checking the format", &args).fix(fix).streamed()?;
    Ok(Tally::PASSED)
}

/// Every source file below a folder, in order.
fn pass_files(folder: &Path) -> Outcome<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| Trouble::new(format!("reading {}", folder.display())).why(error.to_string()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            match path.extension() {
                Some(extension) if extension == "rs" => files.push(path.display().to_string()),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

fn lints(place: &Place) -> Outcome<Tally> {
    parts::clippy(place)?;
    let fix = "run `cargo clippy --workspace --all-targets --all-features` and do what it says";
    cargo(
        place,
        "checking the lints",
        &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
    )
    .fix(fix)
    .streamed()?;
    Ok(Tally::PASSED)
}

/// The validator that judges the SPIR-V that is written. Where it cannot be had the tests say so, and judge with
/// our own reader only.
fn judge(place: &Place) {
    if on_path(&["spirv-val"]).is_some() {
        return;
    }
    if let Err(trouble) = debian::install(place, &["spirv-tools"], "the validator of written SPIR-V") {
        say::step(format!("no spirv-val: {}", trouble.reason()));
    }
}

fn tests(place: &Place) -> Outcome<Tally> {
    judge(place);
    let ended =
        cargo(place, "running the tests", &["test", "--workspace", "--all-features", "--no-fail-fast"])
            .watched()?;
    let tally = count::cargo(&ended.text);
    // A crate that does not compile, or a test process that dies, leaves no line.
    let unseen = usize::from(!ended.ok && tally.failed == 0);
    if ended.ok && tally.passed == 0 {
        return Err(Trouble::new("running the tests")
            .why("cargo ran no test")
            .fix("run `cargo test --workspace`"));
    }
    Ok(Tally { failed: tally.failed + unseen, ..tally })
}

fn documentation(place: &Place) -> Outcome<Tally> {
    cargo(place, "building the documentation", &["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .fix("run `cargo doc --workspace --no-deps` and mend what it names")
        .streamed()?;
    Ok(Tally::PASSED)
}

fn modules(place: &Place) -> Outcome<Tally> {
    site::modules(place, Effort::Full).map(|()| Tally::PASSED)
}

fn assemble(place: &Place) -> Outcome<Tally> {
    site::assemble(place, Effort::Full).map(|()| Tally::PASSED)
}

fn check_sizes(place: &Place) -> Outcome<Tally> {
    sizes::check(place).map(|()| Tally::PASSED)
}

fn cargo(place: &Place, step: &str, args: &[&str]) -> Run {
    Run::new(step, &place.cargo, &place.root).args(args)
}

//! `cargo xtask test`: everything CI checks, step by step, with a table at the end.
//!
//! Steps of two tracks run in parallel: those of cargo for this machine, and those of the page. A failed step
//! does not stop the others, except those that need its result, which count as failed. Each test of cargo and
//! of the browser counts as a test; every other step counts as one. A test without its corpus or its tool is skipped, never
//! passed; the last line counts all three.

mod browser; // the built page in Chromium
mod count; // result lines of cargo, node and skipped tests
mod readme; // the commands of the README files
pub mod same_bytes; // host and wasm give the same bytes

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::{components, debian, judges};
use crate::site::{self, Effort, sizes};
use crate::workspace::{Workspace, on_path};

/// The numbers of tests of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Counts of a step, and a note for its line of the table.
type Counted = (Tally, String);

/// Steps of a track run one after the other, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Track {
    Host,
    Page,
}

/// A step: its name, its track, the step whose result it needs, its work.
struct Step {
    name: &'static str,
    track: Track,
    needs: Option<&'static str>,
    work: fn(&Workspace) -> Result<Counted>,
}

const STEPS: [Step; 11] = [
    Step { name: "format", track: Track::Host, needs: None, work: format },
    Step { name: "dependencies", track: Track::Host, needs: None, work: dependencies },
    Step { name: "wasm", track: Track::Page, needs: None, work: modules },
    Step { name: "lints", track: Track::Host, needs: None, work: lints },
    Step { name: "tests", track: Track::Host, needs: None, work: tests },
    Step { name: "documentation", track: Track::Host, needs: None, work: documentation },
    Step { name: "site", track: Track::Page, needs: Some("wasm"), work: assemble },
    Step { name: "sizes", track: Track::Page, needs: Some("site"), work: check_sizes },
    Step { name: "browser", track: Track::Page, needs: Some("site"), work: browser::run },
    Step { name: "same bytes", track: Track::Host, needs: Some("wasm"), work: same_bytes::run },
    Step { name: "readme", track: Track::Host, needs: Some("site"), work: readme::run },
];

/// The result of a step, a line of the table.
struct Row {
    name: &'static str,
    tally: Tally,
    time: Duration,
    note: String,
    log: PathBuf,
}

/// Number of lines of a failed step that stand above the table; a longer explanation is in the log.
const EXPLANATION: usize = 120;

/// Results so far, and a signal for steps that wait for one.
#[derive(Default)]
struct Results {
    rows: Mutex<Vec<Row>>,
    added: Condvar,
}

/// Runs all steps, or the named ones and the steps they need, and prints the table.
pub fn command(workspace: &Workspace, names: &[String]) -> Result<ExitCode> {
    let selected = selected(names)?;
    let logs = workspace.target.join("xtask");
    fs::create_dir_all(&logs).map_err(|error| {
        Error::new("making the folder of the logs").reason(error).fix("check the target folder")
    })?;
    report::step(format!(
        "the output of each step is printed at its end; until then it is in {}",
        logs.display()
    ));
    let results = Results::default();
    thread::scope(|scope| {
        for track in [Track::Host, Track::Page] {
            let steps = STEPS.iter().filter(move |step| step.track == track && selected.contains(&step.name));
            let (results, logs) = (&results, &logs);
            let steps: Vec<&Step> = steps.collect();
            scope.spawn(move || steps.iter().for_each(|step| results.run(workspace, step, logs)));
        }
    });
    let mut rows = results.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|row| STEPS.iter().position(|step| step.name == row.name));
    Ok(conclude(&rows))
}

/// The names of the steps to run.
fn selected(names: &[String]) -> Result<&'static [&'static str]> {
    let mut selected: Vec<&'static str> = Vec::new();
    for name in names {
        let Some(step) = STEPS.iter().find(|step| step.name == name) else {
            let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
            return Err(Error::new("reading the command line")
                .reason(format!("the step `{name}` does not exist"))
                .fix(format!("name one of: {}", known.join(", "))));
        };
        let needs = |name: &&'static str| STEPS.iter().find(|step| step.name == *name)?.needs;
        selected.extend(std::iter::successors(Some(step.name), needs));
    }
    Ok(if names.is_empty() { STEPS.iter().map(|step| step.name).collect::<Vec<_>>() } else { selected }
        .leak())
}

impl Results {
    /// Runs a step after the step it needs has ended, and adds its row.
    fn run(&self, workspace: &Workspace, step: &Step, logs: &Path) {
        let start = Instant::now();
        let needed = step.needs.filter(|needed| self.has_failed(needed));
        let log = logs.join(format!("{}.log", step.name.replace(' ', "-")));
        let (tally, note) = match needed {
            Some(needed) => (Tally::FAILED, format!("not run: {needed} failed")),
            None => {
                report::step(format!("{} begins", step.name));
                run_logged(workspace, step, &log)
            }
        };
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that the output of two steps does not mix.
        report::step(format!("== {}", step.name));
        let mut out = std::io::stdout();
        drop(out.write_all(&fs::read(&log).unwrap_or_default()).and_then(|()| out.flush()));
        rows.push(Row { name: step.name, tally, time: start.elapsed(), note, log });
        self.added.notify_all();
    }

    /// Waits for the end of a step; `true` if it failed.
    fn has_failed(&self, name: &str) -> bool {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(row) = rows.iter().find(|row| row.name == name) {
                return row.tally.failed > 0;
            }
            rows = self.added.wait(rows).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Runs a step with its output in `log`; an error is a failed test.
fn run_logged(workspace: &Workspace, step: &Step, log: &PathBuf) -> Counted {
    let file = match File::options().create(true).append(true).open(log).and_then(|file| {
        file.set_len(0)?;
        Ok(file)
    }) {
        Ok(file) => file,
        Err(error) => return (Tally::FAILED, format!("{}: {error}", log.display())),
    };
    report::logged(file, || match (step.work)(workspace) {
        Ok(counted) => counted,
        Err(error) => {
            error.print();
            (Tally::FAILED, error.summary().chars().take(60).collect())
        }
    })
}

/// Prints why steps failed, the table and the last line.
fn conclude(rows: &[Row]) -> ExitCode {
    // The end of a long output is what a reader of CI sees.
    rows.iter().filter(|row| row.tally.failed > 0).for_each(explain);
    println!("\n  {:14} {:>7} {:>7} {:>7} {:>8}", "step", "passed", "failed", "skipped", "seconds");
    for Row { name, tally: Tally { passed, failed, skipped }, time, note, .. } in rows {
        println!("  {name:14} {passed:7} {failed:7} {skipped:7} {:8.1}  {note}", time.as_secs_f64());
    }
    let sum = |count: fn(&Tally) -> usize| -> usize { rows.iter().map(|row| count(&row.tally)).sum() };
    let failed = sum(|tally| tally.failed);
    println!(
        "\n{} passed, {failed} failed, {} skipped",
        sum(|tally| tally.passed),
        sum(|tally| tally.skipped)
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what the log of a failed step says about its failures.
fn explain(row: &Row) {
    let text = fs::read_to_string(&row.log).unwrap_or_default();
    let mut lines = count::failures(&text);
    if lines.is_empty() {
        // A step that is no test run: its last lines name the reason.
        lines = text.lines().rev().take(20).collect();
        lines.reverse();
    }
    println!("\nxtask: why `{}` failed (the whole output: {})", row.name, row.log.display());
    lines.iter().take(EXPLANATION).for_each(|line| println!("  {line}"));
    if let Some(more) = lines.len().checked_sub(EXPLANATION).filter(|more| *more > 0) {
        println!("  … and {more} lines more");
    }
}

impl Tally {
    const PASSED: Tally = Tally { passed: 1, failed: 0, skipped: 0 };
    const FAILED: Tally = Tally { passed: 0, failed: 1, skipped: 0 };
    const SKIPPED: Tally = Tally { passed: 0, failed: 0, skipped: 1 };

    /// The sum of both.
    fn plus(self, other: Tally) -> Tally {
        Tally {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

/// One passed test without a note.
fn passed() -> Counted {
    (Tally::PASSED, String::new())
}

fn format(workspace: &Workspace) -> Result<Counted> {
    components::rustfmt(workspace)?;
    // The modules of passes are declared by a macro, which rustfmt does not expand.
    let passes = pass_files(&workspace.root.join("core/passes/src"))?;
    let mut args = vec!["fmt", "--all", "--", "--check"];
    args.extend(passes.iter().map(String::as_str));
    let fix = "run `cargo fmt --all -- $(find core/passes/src -name '*.rs')`";
    cargo(workspace, "checking the format", &args).fix(fix).run()?;
    Ok(passed())
}

/// Every source file in a folder and the folders in it, in order.
fn pass_files(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            Error::new(format!("reading {}", folder.display()))
                .reason(error.to_string())
                .fix("check that the folder exists")
        })?;
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

/// Licenses, bans and sources of the dependencies, and advisories, whose database is not part of a package registry: where
/// it cannot be fetched, they count as skipped.
fn dependencies(workspace: &Workspace) -> Result<Counted> {
    let step = "checking the dependencies";
    let deny = match judges::cargo_deny(workspace) {
        Ok(deny) => deny,
        Err(error) => return Ok((Tally::SKIPPED, format!("no cargo-deny: {}", error.summary()))),
    };
    let check = |checks: &[&str]| {
        let command = Command::new(step, &deny, &workspace.root).args(["--all-features", "check"]);
        command.args(checks).env("CARGO", &workspace.cargo).fix("run `cargo deny check` and read deny.toml")
    };
    check(&["licenses", "bans", "sources"]).run()?;
    match check(&["advisories"]).capture() {
        Ok(_) => Ok((Tally::PASSED.plus(Tally::PASSED), String::new())),
        Err(error) if error.to_string().contains("failed to fetch advisory database") => Ok((
            Tally::PASSED.plus(Tally::SKIPPED),
            "the database of advisories cannot be fetched".to_owned(),
        )),
        Err(error) => Err(error),
    }
}

fn lints(workspace: &Workspace) -> Result<Counted> {
    components::clippy(workspace)?;
    let args = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    let fix = "run `cargo clippy --workspace --all-targets --all-features` and follow its messages";
    cargo(workspace, "checking the lints", &args).fix(fix).run()?;
    Ok(passed())
}

/// Installs the judges of written programs: the validator of SPIR-V and the compilers of GLSL, HLSL and WGSL. Tests
/// without them count themselves as skipped.
fn install_judges(workspace: &Workspace) {
    let programs = [
        ("spirv-val", "spirv-tools", "the validator of written SPIR-V"),
        ("glslangValidator", "glslang-tools", "the compiler of written GLSL"),
        ("clang++", "clang", "the compiler of written Metal"),
    ];
    for (program, package, purpose) in programs {
        if on_path(&[program]).is_some() {
            continue;
        }
        if let Err(error) = debian::install(workspace, &[package], purpose) {
            report::step(format!("no {program}: {}", error.summary()));
        }
    }
    // The library of one of them is linked by the compiler of C++.
    judges::install(workspace);
}

/// The packages of each run of `cargo test`. The development dependencies of all of them, and of the examples that prerender
/// the page, choose the same features, so that cargo compiles the compiler once. The benchmarks would choose others; they have
/// no tests, and the lints compile them.
const RUNS: [(&str, &[&str]); 3] = [
    (
        "core",
        &[
            "test",
            "-p",
            "vitrine-ir",
            "-p",
            "vitrine-text",
            "-p",
            "vitrine-analysis",
            "-p",
            "vitrine-interp",
            "-p",
            "vitrine-passes",
            "-p",
            "vitrine-forms",
            "-p",
            "vitrine-front",
            "-p",
            "vitrine-pipeline",
            "-p",
            "vitrine-lab",
            "-p",
            "vitrine-layout",
            "-p",
            "vitrine-share",
            "-p",
            "vitrine-filetests",
            "-p",
            "vitrine-targets",
            "-p",
            "vitrine-spirv",
            "-p",
            "vitrine-d3d",
            "-p",
            "vitrine-core",
            "--all-features",
            "--no-fail-fast",
        ],
    ),
    (
        "page",
        &[
            "test",
            "-p",
            "vitrine-protocol",
            "-p",
            "vitrine-lessons",
            "-p",
            "vitrine-sources",
            "-p",
            "vitrine-wasm",
            "-p",
            "vitrine-web",
            "-p",
            "vitrine-fuzz",
            "--no-fail-fast",
        ],
    ),
    ("xtask", &["test", "--package", "xtask", "--no-fail-fast"]),
];

fn tests(workspace: &Workspace) -> Result<Counted> {
    install_judges(workspace);
    let logs = workspace.target.join("xtask");
    let skipped = logs.join("skipped.tsv");
    let io = |error| Error::new("running the tests").reason(error).fix("check the target folder");
    fs::write(&skipped, "").map_err(io)?;
    let users = logs.join("tests-of-the-corpus.txt");
    fs::write(&users, "").map_err(io)?;
    let run = |name: &str, args: &[&str], environment: &[(&str, &Path)]| -> Result<Tally> {
        let mut command = cargo(workspace, "running the tests", args);
        for (variable, path) in environment {
            command = command.env(variable, path);
        }
        let finished = command.run_with_copy(&logs.join(format!("tests-{name}.log")))?;
        let tally = count::cargo(&finished.output);
        if finished.success && tally.passed == 0 {
            return Err(Error::new("running the tests")
                .reason("cargo ran no test")
                .fix(format!("run `cargo {}`", args.join(" "))));
        }
        // A crate that does not compile, or a test process that dies, leaves no line.
        let unreported = usize::from(!finished.success && tally.failed == 0);
        Ok(Tally { failed: tally.failed + unreported, ..tally })
    };
    let mut sum = Tally::default();
    for (name, args) in RUNS {
        sum = sum.plus(run(name, args, &[("VITRINE_SKIPPED", &skipped), ("VITRINE_CORPUS_USERS", &users)])?);
    }
    // A checkout of a stranger has no large corpus: the tests that use it run again without it.
    let of_corpus = fs::read_to_string(&users).map_err(io)?;
    let names: BTreeSet<&str> = of_corpus.lines().collect();
    if !names.is_empty() {
        let args: Vec<&str> = WITHOUT_CORPUS.iter().copied().chain(names).collect();
        sum = sum.plus(run("without-corpus", &args, &[("VITRINE_CORPUS", &logs.join("no-corpus"))])?);
    }
    let (absent, reasons) = count::skipped(&fs::read_to_string(&skipped).map_err(io)?);
    reasons.iter().for_each(|reason| report::line(format_args!("  skipped: {reason}")));
    Ok((Tally { skipped: sum.skipped + absent, ..sum }, reasons.join(", ")))
}

/// The run of the tests of the large corpus without it; the names of tests follow.
const WITHOUT_CORPUS: [&str; 9] = [
    "test",
    "--package",
    "vitrine-core",
    "--all-features",
    "--no-fail-fast",
    "--test",
    "it",
    "--",
    "--exact",
];

/// Builds the program `vitrine` and returns its path. Without `--examples`, of which there are none, the features of the
/// development dependencies would be left out, and cargo would compile the compiler once more.
fn vitrine(workspace: &Workspace, profile: &str) -> Result<PathBuf> {
    let package = ["--package", "vitrine-core", "--all-features", "--bin", "vitrine", "--examples"];
    cargo(workspace, "building vitrine", &["build", "--quiet", "--profile", profile])
        .args(package)
        .fix("read the compiler's message above")
        .run()?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(workspace.target.join(folder).join(format!("vitrine{}", std::env::consts::EXE_SUFFIX)))
}

fn documentation(workspace: &Workspace) -> Result<Counted> {
    cargo(workspace, "building the documentation", &["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .fix("run `cargo doc --workspace --no-deps` and correct what it names")
        .run()?;
    Ok(passed())
}

fn modules(workspace: &Workspace) -> Result<Counted> {
    site::modules(workspace, Effort::Release).map(|()| passed())
}

fn assemble(workspace: &Workspace) -> Result<Counted> {
    site::assemble(workspace, Effort::Release).map(|()| passed())
}

fn check_sizes(workspace: &Workspace) -> Result<Counted> {
    sizes::check(workspace).map(|()| passed())
}

fn cargo(workspace: &Workspace, step: &str, args: &[&str]) -> Command {
    Command::new(step, &workspace.cargo, &workspace.root).args(args)
}

#[cfg(test)]
mod unit {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_named_step_selects_the_steps_it_needs() {
        assert_eq!(selected(&["browser".to_owned()]).unwrap(), ["browser", "site", "wasm"]);
        assert_eq!(selected(&[]).unwrap().len(), STEPS.len());
        assert!(selected(&["nothing".to_owned()]).is_err());
    }

    /// The packages of a tree of dependencies with their features, without repetitions.
    fn tree(args: &[&str]) -> BTreeSet<String> {
        let format = ["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p} [{f}]"];
        let text = cargo(&Workspace::find(), "listing dependencies", &format).args(args).capture();
        let text = text.map_err(|error| error.to_string()).unwrap();
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn every_run_compiles_the_compiler_with_the_same_features() {
        let package = |line: &str| line.split(" [").next().unwrap_or_default().to_owned();
        let compiler = ["--package", "vitrine-core", "--all-features", "--edges"];
        let parts: BTreeSet<String> =
            tree(&[&compiler[..], &["normal,build"]].concat()).iter().map(|line| package(line)).collect();
        assert!(parts.len() > 20, "{parts:?}");
        let features = |args: &[&str]| -> Vec<String> {
            tree(args).into_iter().filter(|line| parts.contains(&package(line))).collect()
        };
        let own = features(&[&compiler[..], &["normal,build,dev"]].concat());
        assert!(own.iter().any(|line| line.starts_with("vitrine-core ") && line.contains("sources")));
        let page = RUNS.iter().find(|(name, _)| *name == "page").expect("a run of the page").1;
        let packages: Vec<&str> = page.iter().copied().filter(|arg| arg.starts_with("vitrine-")).collect();
        let args = |packages: &[&'static str]| -> Vec<&'static str> {
            packages
                .iter()
                .flat_map(|package| ["--package", package])
                .chain(["--edges", "normal,build,dev"])
                .collect()
        };
        assert_eq!(features(&args(&packages)), own, "the tests of {packages:?}");
        assert_eq!(features(&args(&["vitrine-web"])), own, "the examples of vitrine-web");
    }

    #[test]
    fn every_package_with_tests_is_in_a_run() {
        let named = |args: &[&'static str]| -> BTreeSet<&'static str> { args.iter().copied().collect() };
        let runs: BTreeSet<&str> = RUNS.iter().flat_map(|(_, args)| named(args)).collect();
        let packages = tree(&["--workspace", "--depth", "0", "--edges", "normal"]);
        assert!(packages.len() > 10, "{packages:?}");
        for line in &packages {
            let (name, rest) = line.split_once(' ').expect("a package with its version");
            let folder = rest.split(['(', ')']).nth(1).expect("the folder of a package");
            let is_test = |path: &Path| {
                fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "#[test]"))
            };
            let mut open = vec![Path::new(folder).join("src"), Path::new(folder).join("tests")];
            let mut has_tests = false;
            while let Some(path) = open.pop() {
                has_tests |= is_test(&path);
                open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
            assert!(!has_tests || runs.contains(name), "{name} has tests, but none of RUNS names it");
        }
    }

    #[test]
    fn a_step_comes_after_the_step_it_needs() {
        // Otherwise a track would wait forever for one of its own later steps.
        let index = |name: &str| STEPS.iter().position(|step| step.name == name);
        for step in &STEPS {
            assert!(step.needs.is_none_or(|needed| index(needed) < index(step.name)), "{}", step.name);
        }
    }
}

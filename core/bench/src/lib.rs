//! Shared by the benchmarks: the modules they measure, and a clock of processor time.
//!
//! The large corpus is the folder that `VITRINE_CORPUS` names, or `../shared/corpus` next to the repository. Without it, a
//! benchmark prints a note and measures the project's own modules, `core/tests/corpus`.
#![allow(clippy::print_stdout)] // the note belongs to the printed figures

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// A folder of modules with its table.
pub struct Corpus {
    /// The folder.
    pub folder: PathBuf,
    is_own: bool,
}

/// A module of a corpus.
pub struct Item {
    /// The path inside the corpus.
    pub file: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The stages of its entry points, joined by `+`.
    pub stage: String,
    /// `true` if spirv-val accepts the module.
    pub valid: bool,
    /// `true` if spirv-val accepts the module for Vulkan.
    pub valid_vulkan: bool,
}

impl Corpus {
    /// The large corpus, or the own corpus with a printed note.
    pub fn find() -> Corpus {
        static PRINTED: Once = Once::new();
        let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let named =
            std::env::var_os("VITRINE_CORPUS").map_or_else(|| "../shared/corpus".into(), PathBuf::from);
        let folder = core.join("..").join(named);
        if folder.join("corpus.tsv").is_file() {
            return Corpus { folder, is_own: false };
        }
        PRINTED.call_once(|| {
            println!("the large corpus is missing: measuring the modules of core/tests/corpus");
        });
        Corpus { folder: core.join("tests/corpus"), is_own: true }
    }

    /// All modules, in the order of the table.
    pub fn items(&self) -> Vec<Item> {
        let table = std::fs::read_to_string(self.folder.join("corpus.tsv")).expect("a corpus has a table");
        let head: Vec<&str> = table.lines().next().unwrap_or("").split('\t').collect();
        let at = |name: &str| head.iter().position(|&column| column == name).expect("a column of the table");
        let (file, stage, valid, vulkan) = (at("file"), at("stage"), at("valid"), at("valid_vulkan"));
        let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
        rows.map(|row| Item {
            file: row[file].to_owned(),
            path: self.folder.join(row[file]),
            stage: row[stage].to_owned(),
            valid: row[valid] == "1",
            valid_vulkan: row[vulkan] == "1",
        })
        .collect()
    }

    /// The modules of these sets of the large corpus, or all modules of the own corpus.
    pub fn of_sets(&self, sets: &[&str]) -> Vec<PathBuf> {
        let is_in = |file: &str| file.split_once('/').is_some_and(|(set, _)| sets.contains(&set));
        let items = self.items().into_iter().filter(|item| self.is_own || is_in(&item.file));
        let mut files: Vec<PathBuf> = items.map(|item| item.path).collect();
        files.sort();
        files
    }
}

/// The processes whose time is counted.
#[derive(Clone, Copy)]
pub enum Process {
    /// This process.
    This,
    /// Child processes that have ended and were waited for.
    Children,
}

/// The processor time so far, for differences.
#[cfg(unix)]
pub fn processor_time(of: Process) -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let who = match of {
        Process::This => UsageWho::RUSAGE_SELF,
        Process::Children => UsageWho::RUSAGE_CHILDREN,
    };
    let usage = getrusage(who).expect("the system reports processor time");
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    Duration::from_micros(micros.unsigned_abs())
}

/// Wall-clock time, if the system does not report processor time.
#[cfg(not(unix))]
pub fn processor_time(_: Process) -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

//! Modules for tests: the project's own corpus, which is always present, and the large corpus, if it is found.
//!
//! The own corpus is `core/tests/corpus`; its README describes it. The large corpus is the folder that `VITRINE_CORPUS`
//! names, or `../shared/corpus` next to the repository. A test without the large corpus reports that
//! (see [`super::skipped`]) and still runs on the own corpus, so that no test is empty.

use super::skipped::{skipped, uses_corpus};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vitrine_core::base::random::Random;

/// Number of modules in the own corpus; fewer is an error.
pub(crate) const OWN_MODULES: usize = 129;

/// Number of malformed inputs in the own corpus.
pub(crate) const OWN_BAD: usize = 13;

/// The folder of the project's own modules.
pub(crate) fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// The folder of the large corpus, if it exists. Reports its absence for the calling test.
#[track_caller]
pub(crate) fn large() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("VITRINE_CORPUS").map_or_else(|| "../shared/corpus".into(), PathBuf::from);
    let folder = workspace.join(folder);
    if folder.join("corpus.tsv").is_file() {
        uses_corpus();
        return Some(folder);
    }
    skipped(1, "the large corpus is missing");
    None
}

/// The folders of all corpora, the own one first.
#[track_caller]
pub(crate) fn folders() -> Vec<PathBuf> {
    let large = large();
    std::iter::once(own()).chain(large).collect()
}

/// A file of a corpus, with the columns of its table row.
pub(crate) struct Item {
    /// The path inside the corpus, as in the tables and in the list of known failures.
    pub(crate) file: String,
    pub(crate) path: PathBuf,
    columns: BTreeMap<String, String>,
}

impl Item {
    /// The contents of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// A column of the row.
    pub(crate) fn column(&self, name: &str) -> &str {
        self.columns.get(name).map_or("", String::as_str)
    }

    /// The number of words of the module.
    pub(crate) fn words(&self) -> usize {
        self.column("words").parse().expect("the column `words` is a number")
    }

    /// `true` if spirv-val accepts the module.
    pub(crate) fn is_valid(&self) -> bool {
        self.column("valid") == "1"
    }

    /// `true` if the module is in one of these folders of its corpus.
    pub(crate) fn is_in(&self, sets: &[&str]) -> bool {
        self.file.split_once('/').is_some_and(|(set, _)| sets.contains(&set))
    }
}

/// The rows of a table of one corpus.
pub(crate) fn table(folder: &Path, name: &str) -> Vec<Item> {
    let text = std::fs::read_to_string(folder.join(name))
        .unwrap_or_else(|error| panic!("{name} of {}: {error}", folder.display()));
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let item = |line: &str| {
        let columns: BTreeMap<String, String> =
            head.iter().zip(line.split('\t')).map(|(k, v)| ((*k).to_owned(), v.to_owned())).collect();
        let file = columns["file"].clone();
        Item { path: folder.join(&file), file, columns }
    };
    lines.map(item).collect()
}

/// Every module of every corpus, the own ones first.
#[track_caller]
pub(crate) fn modules() -> Vec<Item> {
    let all: Vec<Item> =
        folders().iter().flat_map(|folder| table(folder, "corpus.tsv").into_iter()).collect();
    assert!(all.len() >= OWN_MODULES, "only {} modules, but the own corpus has {OWN_MODULES}", all.len());
    all
}

/// Every malformed or extreme input of every corpus.
#[track_caller]
pub(crate) fn bad_inputs() -> Vec<Item> {
    let all: Vec<Item> = folders().iter().flat_map(|folder| table(folder, "bad.tsv").into_iter()).collect();
    assert!(all.len() >= OWN_BAD, "only {} malformed inputs, but the own corpus has {OWN_BAD}", all.len());
    all
}

/// The bytes of the modules with fewer words than this.
#[track_caller]
pub(crate) fn small_modules(words: usize) -> Vec<Vec<u8>> {
    let small: Vec<Vec<u8>> = modules().iter().filter(|item| item.words() < words).map(Item::bytes).collect();
    assert!(!small.is_empty(), "no module has fewer than {words} words");
    small
}

/// The modules of these sets of the large corpus, and all modules of the own corpus.
#[track_caller]
pub(crate) fn of_sets(sets: &[&str]) -> Vec<Item> {
    let own = own();
    modules().into_iter().filter(|item| item.path.starts_with(&own) || item.is_in(sets)).collect()
}

/// Damages a module: flipped bits, changed words, truncation.
pub(crate) fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let words = bytes.len() / 4;
    for _ in 0..1 + random.below(4) {
        let at = 4 * random.below(words);
        let other = 4 * random.below(words);
        if bytes.len() < at.max(other) + 4 {
            continue;
        }
        match random.below(6) {
            0 => bytes[at + random.below(4)] ^= 1 << random.below(8),
            1 => bytes.copy_within(other..other + 4, at),
            2 => bytes[at..at + 4].copy_from_slice(&random.below(64_u32).to_le_bytes()),
            3 => bytes[at..at + 4].copy_from_slice(&(random.next() as u32).to_le_bytes()),
            4 => bytes.truncate(at),
            _ => {
                let range = at.min(other)..at.max(other).min(at.min(other) + 64);
                bytes.drain(range);
            }
        }
    }
}

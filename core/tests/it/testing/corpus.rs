//! The modules beside the repository, and damage done to them.
//!
//! Where the corpus is absent, the tests that need it say so and pass.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folder of the corpus.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if path.join("corpus.tsv").is_file() {
        return Some(path);
    }
    println!("the corpus is not at {}: nothing tested", path.display());
    None
}

/// The rows of a table of the corpus, by column.
pub(crate) fn rows(name: &str) -> Vec<BTreeMap<String, String>> {
    let Some(path) = corpus() else { return Vec::new() };
    let text = std::fs::read_to_string(path.join(name)).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let row = |line: &str| {
        head.iter().zip(line.split('\t')).map(|(k, v)| ((*k).to_owned(), v.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// The modules of the corpus of less than so many words.
pub(crate) fn small_modules(words: usize) -> Vec<Vec<u8>> {
    let Some(path) = corpus() else { return Vec::new() };
    let rows = rows("corpus.tsv");
    let small = rows.iter().filter(|row| row["words"].parse::<usize>().is_ok_and(|count| count < words));
    small.map(|row| std::fs::read(path.join(&row["file"])).unwrap()).collect()
}

/// Numbers from a seed, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 24
    }

    /// A number below another one.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// Damage of a kind that tools and disks do.
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
            2 => bytes[at..at + 4].copy_from_slice(&(random.below(64) as u32).to_le_bytes()),
            3 => bytes[at..at + 4].copy_from_slice(&(random.next() as u32).to_le_bytes()),
            4 => bytes.truncate(at),
            _ => {
                let range = at.min(other)..at.max(other).min(at.min(other) + 64);
                bytes.drain(range);
            }
        }
    }
}

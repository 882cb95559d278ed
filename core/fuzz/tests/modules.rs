//! Stored modules of the examples: the inputs that the fuzz target `module` begins with, which also pin the layout, and how much
//! memory reading them takes.
//!
//! `BLESS=1` writes the inputs again, after `codec::VERSION` has changed.

use peak_alloc::PeakAlloc;
use std::fs;
use std::path::{Path, PathBuf};
use vitrine_core::front;
use vitrine_core::ir::codec::{VERSION, decode, encode};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The largest input that is kept, in bytes.
const MOST_BYTES: usize = 4096;

/// What the smallest module takes, in bytes: its tables and their indices.
const FLOOR: usize = 16 << 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The examples of the page that are small enough, with their bytes as stored modules.
fn examples() -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(root().join("www/examples")).expect("the folder of the examples");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let stored = paths.iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (_, read) = front::read(&fs::read(path).expect("a readable example"));
        (name, encode(&read.module))
    });
    stored.filter(|(_, bytes)| bytes.len() <= MOST_BYTES).collect()
}

#[test]
fn the_layout_of_a_version_stays() {
    let corpus = root().join("core/fuzz/corpus/module");
    let examples = examples();
    assert!(!examples.is_empty());
    for (name, bytes) in examples {
        let path = corpus.join(format!("{name}.vir"));
        if std::env::var_os("BLESS").is_some() {
            fs::create_dir_all(&corpus).expect("the folder of the inputs");
            fs::write(&path, &bytes).expect("a writable input");
        }
        let stored = fs::read(&path).unwrap_or_default();
        assert!(
            stored == bytes,
            "{name}: other bytes than before; if the layout or a table of numbers has changed, raise \
             `codec::VERSION` ({VERSION}) and run this test with `BLESS=1`; if only the example has changed, do the latter"
        );
    }
}

/// The most bytes that decoding held at a time, beyond what was held before.
fn peak(bytes: &[u8]) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    drop(decode(bytes));
    MEMORY.peak_usage().saturating_sub(before)
}

#[test]
fn memory_is_a_small_multiple_of_the_input() {
    for (name, bytes) in examples() {
        assert!(peak(&bytes) <= 20 * bytes.len() + FLOOR, "{name}: {} for {}", peak(&bytes), bytes.len());
        // An empty block is stored in a few bytes, and takes as much memory as any other.
        let damaged = |bytes: &[u8], what: &str, at: usize| {
            let limit = 64 * bytes.len() + FLOOR;
            assert!(peak(bytes) <= limit, "{name} with {what} at {at}: {} for {}", peak(bytes), bytes.len());
        };
        for at in 4..bytes.len() {
            let with = |new: &[u8], rest: &[u8]| [&bytes[..at], new, rest].concat();
            let rest = &bytes[at + 1..];
            // A length, of which nothing must be allocated before it is read.
            damaged(&with(&[255, 255, 255, 127], rest), "a large number", at);
            // As large as a length may be that is not refused at once.
            let length = (bytes.len() - at) as u16;
            damaged(&with(&[length as u8 | 128, (length >> 7) as u8], rest), "a long list", at);
            if at < 400 {
                damaged(&with(&[255, 255, 3], &[0; 65_535]), "a table of the smallest entries", at);
            }
        }
    }
}

//! `.br` and `.gz` files next to compressible files, so that a static server can send them unchanged.
//!
//! The name of a file contains a hash of its content, so an existing side file is up to date and is kept.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::site::Files;

/// Extensions of files worth compressing.
const EXTENSIONS: [&str; 7] = ["html", "css", "js", "wasm", "svg", "ir", "json"];

/// The highest level of brotli, the one of the budget.
const HIGHEST: u32 = 11;
/// The folder of a thousand small pages, and their level: the highest one would take a minute for a tenth of their bytes.
const MANY: &str = "ref/";
const MANY_LEVEL: u32 = 6;

/// Writes the side files that are missing, on all processors.
pub fn write(dist: &Path, files: &Files) -> io::Result<()> {
    let mut waiting: Vec<_> = compressible(files).collect();
    // The largest first: one file decides how long this takes.
    waiting.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((path, bytes)) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (br, gz) = (dist.join(format!("{path}.br")), dist.join(format!("{path}.gz")));
            if !br.exists() {
                let level = if path.starts_with(MANY) { MANY_LEVEL } else { HIGHEST };
                fs::write(br, brotli(bytes, level)?)?;
            }
            if !gz.exists() {
                fs::write(gz, gzip(bytes)?)?;
            }
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Removes the side files: a development build has none.
pub fn remove(dist: &Path, files: &Files) -> io::Result<()> {
    let sides = compressible(files).flat_map(|(path, _)| [format!("{path}.br"), format!("{path}.gz")]);
    for path in sides.map(|side| dist.join(side)).filter(|path| path.exists()) {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn compressible(files: &Files) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    let compresses = |path: &str| path.rsplit_once('.').is_some_and(|(_, kind)| EXTENSIONS.contains(&kind));
    files.iter().filter(move |(path, _)| compresses(path))
}

fn brotli(bytes: &[u8], level: u32) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut out, 4096, level, 22);
    writer.write_all(bytes)?;
    drop(writer);
    Ok(out)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes)?;
    writer.finish()
}

//! `.br` and `.gz` files beside what compresses, so that a static server can send them as they are.
//!
//! A side file is made once for a content: names carry it, so an existing one is right.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::site::Files;

/// Kinds of files worth compressing.
const KINDS: [&str; 7] = ["html", "css", "js", "wasm", "svg", "ir", "json"];

/// Writes the side files that are missing.
pub fn all(dist: &Path, files: &Files) -> io::Result<()> {
    for (path, bytes) in compressible(files) {
        let (br, gz) = (dist.join(format!("{path}.br")), dist.join(format!("{path}.gz")));
        if !br.exists() {
            fs::write(br, brotli(bytes)?)?;
        }
        if !gz.exists() {
            fs::write(gz, gzip(bytes)?)?;
        }
    }
    Ok(())
}

/// Removes the side files: a quick build has none.
pub fn forget(dist: &Path, files: &Files) -> io::Result<()> {
    let sides = compressible(files).flat_map(|(path, _)| [format!("{path}.br"), format!("{path}.gz")]);
    for path in sides.map(|side| dist.join(side)).filter(|path| path.exists()) {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn compressible(files: &Files) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    files.iter().filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, kind)| KINDS.contains(&kind)))
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut out, 4096, 11, 22);
    writer.write_all(bytes)?;
    drop(writer);
    Ok(out)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes)?;
    writer.finish()
}

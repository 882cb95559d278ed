//! Zip archives: the programs in them, in the order of their names; and archives of the files of a report.
//!
//! Refuses encrypted programs, programs that are neither stored nor deflated, and archives that unpack to more than a limit.

use std::cmp::Ordering;
use std::io::{Cursor, Read, Write};
use vitrine_front::Dump;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Extensions of the programs in a folder or an archive.
const EXTENSIONS: [&str; 3] = ["spv", "spvasm", "ir"];
/// The first bytes of an archive.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// Returns true if these bytes begin like a zip archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// Returns true if a file of this name is a program of a folder or an archive.
pub fn is_program(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// The programs of an archive, ordered by [`by_name`]. Errors: the reason why it cannot be unpacked.
pub fn unpack(archive: &[u8], most_bytes: usize) -> Result<Vec<Dump>, String> {
    let mut entries = ZipArchive::new(Cursor::new(archive)).map_err(reason)?;
    let (mut out, mut left) = (Vec::new(), most_bytes as u64);
    for at in 0..entries.len() {
        let Some(name) = entries.name_for_index(at) else { continue };
        let name = name.map_err(reason)?.into_owned();
        if !is_program(&name) {
            continue;
        }
        let named = |why: String| format!("{name}: {why}");
        let method = entries.by_index_raw(at).map_err(|why| named(reason(why)))?.compression();
        if !matches!(method, CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(named(format!("its compression {method} is not read: use deflate")));
        }
        let entry = entries.by_index(at).map_err(|why| named(reason(why)))?;
        let mut bytes = Vec::new();
        // The stated size of an entry may be wrong.
        entry.take(left + 1).read_to_end(&mut bytes).map_err(|why| named(reason(why.into())))?;
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| named("the archive unpacks to too many bytes".to_owned()))?;
        out.push(Dump { name, bytes });
    }
    out.sort_by(|a, b| by_name(&a.name, &b.name));
    Ok(out)
}

/// The order of two names: runs of digits by value, everything else by character.
pub fn by_name(a: &str, b: &str) -> Ordering {
    // A number sorts as its first possible digit, then by its value.
    let key = |name: &str| {
        let mut parts: Vec<(char, String)> = Vec::new();
        for char in name.chars() {
            match (parts.last_mut(), char.is_ascii_digit()) {
                (Some(('0', digits)), true) => digits.push(char),
                (_, true) => parts.push(('0', char.to_string())),
                (_, false) => parts.push((char, String::new())),
            }
        }
        let by_value = |(char, digits): (char, String)| {
            let digits = digits.trim_start_matches('0').to_owned();
            (char, digits.len(), digits)
        };
        parts.into_iter().map(by_value).collect::<Vec<_>>()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

/// The reason why an archive or an entry cannot be read.
fn reason(why: ZipError) -> String {
    match why {
        ZipError::UnsupportedArchive(why) => format!("it is not read: {why}"),
        why => format!("the archive is damaged: {why}"),
    }
}

/// An archive of files with these names, all deflated; the same files give the same bytes. Errors: the reason why they do not
/// fit into an archive.
pub fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    packed(files, CompressionMethod::Deflated)
        .map_err(|why| format!("the files do not fit into an archive: {why}"))
}

/// An archive of files that are compressed by this method.
fn packed(files: &[(String, Vec<u8>)], method: CompressionMethod) -> Result<Vec<u8>, ZipError> {
    // The first day of the format, on every machine.
    let options =
        SimpleFileOptions::default().compression_method(method).last_modified_time(DateTime::default());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(name.as_str(), options)?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let owned: Vec<(String, Vec<u8>)> =
            files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
        packed(&owned, method).expect("small files")
    }

    const FILES: [(&str, &[u8]); 4] = [
        ("b10.spv", b"ten ten ten ten"),
        ("b9.ir", b"nine"),
        ("notes.txt", b"no program"),
        ("dir/a.spvasm", b""),
    ];

    #[test]
    fn programs_are_unpacked_in_the_order_of_their_names() {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let found = unpack(&archive(&FILES, method), 1000).expect("a good archive");
            let found: Vec<(&str, &[u8])> =
                found.iter().map(|dump| (dump.name.as_str(), dump.bytes.as_slice())).collect();
            assert_eq!(
                found,
                [("b9.ir", &b"nine"[..]), ("b10.spv", b"ten ten ten ten"), ("dir/a.spvasm", b"")]
            );
        }
    }

    #[test]
    fn refusals_have_a_reason() {
        let why = |bytes: &[u8], most| unpack(bytes, most).err().unwrap_or_default();
        let good = archive(&FILES, CompressionMethod::Deflated);
        assert!(why(SIGNATURE, 9).contains("damaged"));
        assert!(why(&good, 10).contains("too many bytes"));
        assert!(unpack(&good, 19).is_ok() && unpack(&good, 18).is_err(), "the limit is that of the programs");
        // A field of every entry, in its own header and in the directory: the flags at 0, the method at 2.
        let changed = |field: usize, value: u8| {
            let mut bytes = good.clone();
            for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
                let headers = (0..bytes.len()).filter(|&at| good[at..].starts_with(signature));
                headers.for_each(|header| bytes[header + flags + field] = value);
            }
            why(&bytes, 1000)
        };
        let other = changed(2, 9);
        assert!(other.contains("b10.spv: its compression Deflate64 is not read"), "{other}");
        let encrypted = changed(0, 1);
        assert!(encrypted.contains("b10.spv: it is not read: Password required"), "{encrypted}");
        assert!(!is_archive(b"PK") && is_archive(&good));
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let files: Vec<(String, Vec<u8>)> =
            FILES.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
        assert_eq!(pack(&files), pack(&files));
        assert!(pack(&[("a".repeat(70_000), Vec::new())]).is_err());
    }

    #[test]
    fn a_damaged_archive_is_an_error_or_unpacks_to_the_same() {
        let good = archive(&FILES, CompressionMethod::Deflated);
        let whole = unpack(&good, 1000).expect("a good archive");
        for at in 0..good.len() {
            for bit in [1, 128] {
                let mut damaged = good.clone();
                damaged[at] ^= bit;
                if let Ok(found) = unpack(&damaged, 1000) {
                    let bytes =
                        |dumps: &[Dump]| dumps.iter().map(|dump| dump.bytes.clone()).collect::<Vec<_>>();
                    assert!(
                        bytes(&found).iter().all(|bytes_of| bytes(&whole).contains(bytes_of)),
                        "byte {at}"
                    );
                }
            }
            let _ = unpack(&good[..at], 1000);
        }
    }

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = ["b.spv", "a10.spv", "a2.spv", "a02.spv", "2", "10", "a.spv"];
        names.sort_by(|a, b| by_name(a, b));
        assert_eq!(names, ["2", "10", "a.spv", "a02.spv", "a2.spv", "a10.spv", "b.spv"]);
    }
}

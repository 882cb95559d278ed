//! The budget of the download, in brotli bytes as a visitor's browser receives them.
//!
//! Measured on the `.br` files of `dist/`; a quick build has none and cannot be measured.

use std::fs;
use std::io;

use crate::place::Place;
use crate::say::{Outcome, Trouble};

/// A part of the page: what a visitor loads together, and how large it may be.
struct Part {
    name: &'static str,
    limit_bytes: u64,
    /// Files by the beginning of their names in `dist/`.
    files: &'static [&'static str],
}

// The first picture is drawn when the site is built and needs no script; it is what the goal of 60 KB is about now.
// The page's program was meant to be in that too and is far over it: floats written and read 25 (unpacked, of 417),
// views 80, of them 5 for the map of memory. The compiler is what a visitor waits for before the first result; its goal is 350 KB, and 300 for each part
// that comes later (site/cut): what the pipeline may need, the other passes, everything else, the laboratory.
const PARTS: [Part; 8] = [
    Part {
        name: "first picture",
        limit_bytes: 24 * 1024,
        files: &["index.html", "style-", "theme-", "still-", "icon-"],
    },
    Part { name: "page", limit_bytes: 168 * 1024, files: &["boot-", "page-", "page_bg-"] },
    Part {
        name: "compiler",
        limit_bytes: 350 * 1024,
        files: &["worker-", "program-", "compiler-", "compiler_bg-"],
    },
    Part { name: "its usual part", limit_bytes: 300 * 1024, files: &["compiler_usual-"] },
    Part { name: "its passes", limit_bytes: 300 * 1024, files: &["compiler_passes-"] },
    Part { name: "its other part", limit_bytes: 300 * 1024, files: &["compiler_other-"] },
    Part { name: "lab", limit_bytes: 300 * 1024, files: &["lab-", "compiler_lab-"] },
    Part { name: "editor", limit_bytes: 110 * 1024, files: &["editor-"] },
];

/// Prints the size of each part and refuses one that is too large.
pub fn check(place: &Place) -> Outcome {
    let step = "measuring the download";
    let trouble = |why: String| Trouble::new(step).why(why).fix("run `cargo xtask dist` and try again");
    let sizes = side_files(place).map_err(|error| trouble(error.to_string()))?;
    let mut over = Vec::new();
    for part in &PARTS {
        let mut total = 0;
        for beginning in part.files {
            let found: Vec<_> = sizes.iter().filter(|(name, _)| name.starts_with(beginning)).collect();
            let [(_, size)] = found[..] else {
                return Err(trouble(format!("dist/ holds {} files `{beginning}*.br`, not one", found.len())));
            };
            total += size;
        }
        println!("  {:14} {:7.1} KB of {:3} KB", part.name, total as f64 / 1024.0, part.limit_bytes / 1024);
        if total > part.limit_bytes {
            over.push(format!(
                "{} is {} bytes, {} over its limit",
                part.name,
                total,
                total - part.limit_bytes
            ));
        }
    }
    match over.is_empty() {
        true => Ok(()),
        false => Err(Trouble::new(step)
            .why(over.join("\n"))
            .fix("look for what grew, or argue for another limit in sizes.rs")),
    }
}

/// Names and sizes of the `.br` files in the first folder of `dist/`.
fn side_files(place: &Place) -> io::Result<Vec<(String, u64)>> {
    let entries = fs::read_dir(place.dist())?.collect::<io::Result<Vec<_>>>()?;
    let named = entries
        .iter()
        .map(|entry| Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len())));
    let sizes = named.collect::<io::Result<Vec<_>>>()?;
    Ok(sizes.into_iter().filter(|(name, _)| name.ends_with(".br")).collect())
}

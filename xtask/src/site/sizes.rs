//! The budget of the download, in brotli-compressed bytes as a browser receives them.
//!
//! Measured on the `.br` files of `dist/`; a development build has none and cannot be measured.

use std::fs;
use std::io;

use crate::report::{self, Error, Result};
use crate::workspace::Workspace;

/// Files that a visitor loads together, and their budget.
struct Part {
    name: &'static str,
    limit_kb: u64,
    /// The beginnings of the file names in `dist/`.
    files: &'static [&'static str],
}

/// In load order: the prerendered page needs no script, the compiler is needed for the first result, the
/// editor is loaded after the page, and the debugger's script when it is first opened. The goal of the compiler was 800 KB;
/// it is one module optimized for speed, since no maintained library splits a module at synchronous calls.
const PARTS: [Part; 5] = [
    Part {
        name: "first picture",
        limit_kb: 20,
        files: &["index.html", "style-", "theme-", "prerender-", "icon-"],
    },
    Part { name: "page", limit_kb: 170, files: &["boot-", "page-", "page_bg-"] },
    Part { name: "compiler", limit_kb: 1450, files: &["worker-", "program-", "compiler-", "compiler_bg-"] },
    Part { name: "editor", limit_kb: 110, files: &["editor-"] },
    Part { name: "debugger", limit_kb: 4, files: &["debugger-"] },
];

/// The budget of all parts together.
const TOTAL_KB: u64 = 1900;

/// Prints the size of each part; a part over its budget is an error.
pub fn check(workspace: &Workspace) -> Result {
    let step = "measuring the download";
    let error = |reason: String| Error::new(step).reason(reason).fix("run `cargo xtask dist` and try again");
    let sizes = compressed_files(workspace).map_err(|why| error(why.to_string()))?;
    let mut rows = Vec::new();
    for part in &PARTS {
        let mut bytes = 0;
        for beginning in part.files {
            let found: Vec<_> = sizes.iter().filter(|(name, _)| name.starts_with(beginning)).collect();
            let [(_, size)] = found[..] else {
                return Err(error(format!(
                    "dist/ holds {} files `{beginning}*.br` instead of one",
                    found.len()
                )));
            };
            bytes += size;
        }
        rows.push((part.name, bytes, part.limit_kb));
    }
    rows.push(("together", rows.iter().map(|(_, bytes, _)| bytes).sum(), TOTAL_KB));
    for (name, bytes, limit_kb) in &rows {
        report::line(format_args!("  {name:14} {:7.1} KB of {limit_kb:4} KB", *bytes as f64 / 1024.0));
    }
    let over = rows.iter().filter(|(_, bytes, limit_kb)| *bytes > limit_kb * 1024);
    let over: Vec<_> = over
        .map(|(name, bytes, limit_kb)| format!("{name}: {} bytes over the budget", bytes - limit_kb * 1024))
        .collect();
    match over.is_empty() {
        true => Ok(()),
        false => Err(Error::new(step)
            .reason(over.join("\n"))
            .fix("find the code that grew, or give the reason for another budget in sizes.rs")),
    }
}

/// Names and sizes of the `.br` files in `dist/` itself.
fn compressed_files(workspace: &Workspace) -> io::Result<Vec<(String, u64)>> {
    let entries = fs::read_dir(workspace.dist())?.collect::<io::Result<Vec<_>>>()?;
    let named = entries
        .iter()
        .map(|entry| Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len())));
    let sizes = named.collect::<io::Result<Vec<_>>>()?;
    Ok(sizes.into_iter().filter(|(name, _)| name.ends_with(".br")).collect())
}

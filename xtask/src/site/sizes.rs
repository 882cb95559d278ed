//! The budget of the download, in brotli-compressed bytes as a browser receives them.
//!
//! Measured on the `.br` files and fonts of `dist/`; a development build has no `.br` files and cannot be measured.

use std::fs;
use std::io;

use crate::report::{self, Error, Result};
use crate::site::slang;
use crate::workspace::Workspace;

/// Files that a visitor loads together, and their budget.
struct Part {
    name: &'static str,
    limit_kb: u64,
    /// The beginnings of the file names in `dist/`, with their ends after `|` if files begin alike.
    files: &'static [&'static str],
}

/// In load order: the prerendered page needs no script, the compiler is needed for the first result, the
/// editor is loaded after the page, and the debugger's script when it is first opened. The goal of the compiler is 800 KB,
/// and it misses it: every reader and every target is in its one module, until those are modules that are loaded when they
/// are needed. The front ends of WGSL and GLSL are loaded with the first source in their
/// language, and Slang on request, by a button that states its size; the goal of WGSL was 300 KB. The pages of the course load
/// the parts of lessons, and not the page. The reader of lessons is loaded when a reader opens a lesson; most of it is the
/// parser of Markdown.
const PARTS: &[Part] = &[
    Part {
        name: "first picture",
        limit_kb: 20,
        files: &["index.html", "style-", "theme-", "prerender-", "loading-", "icon-"],
    },
    Part { name: "page", limit_kb: 210, files: &["boot-", "keep-", "page-", "page_bg-"] },
    Part { name: "compiler", limit_kb: 2500, files: &["worker-", "program-", "compiler-", "compiler_bg-"] },
    Part { name: "later styles", limit_kb: 8, files: &["later-"] },
    Part { name: "editor", limit_kb: 110, files: &["editor-"] },
    Part { name: "debugger", limit_kb: 4, files: &["debugger-"] },
    Part { name: "run on the GPU", limit_kb: 12, files: &["gpu-", "device-", "webgl-", "verdicts-"] },
    Part { name: "WGSL", limit_kb: 320, files: &["sources-", "wgsl-", "wgsl_bg-"] },
    Part { name: "GLSL", limit_kb: 245, files: &["glsl-", "frontend-", "glslang-", "glslang_bg-"] },
    Part { name: "recent", limit_kb: 4, files: &["recent-"] },
    Part { name: "options of sources", limit_kb: 2, files: &["options-"] },
    Part { name: "gallery", limit_kb: 5, files: &["gallery-", "examples-"] },
    Part { name: "palette", limit_kb: 5, files: &["palette-"] },
    Part { name: "cards", limit_kb: 8, files: &["card-", "terms-"] },
    Part { name: "overlay", limit_kb: 4, files: &["overlay-"] },
    Part { name: "forms of links", limit_kb: 8, files: &["forms-"] },
    Part { name: "refusals", limit_kb: 2, files: &["refusals-"] },
    Part { name: "report", limit_kb: 4, files: &["report-", "reporter-"] },
    Part { name: "release", limit_kb: 2, files: &["release-"] },
    Part { name: "lessons", limit_kb: 12, files: &["learn-", "course-", "lessons-", "figures-", "tutor-"] },
    Part { name: "editor in lessons", limit_kb: 2, files: &["lesson-editor-"] },
    Part { name: "own lessons", limit_kb: 126, files: &["open-lesson-", "markdown-", "markdown_bg-"] },
    Part { name: "reference", limit_kb: 5, files: &["reference-|.css.br", "reference-|.js.br"] },
    Part { name: "its search", limit_kb: 40, files: &["search."] },
    Part { name: "embedded view", limit_kb: 3, files: &["embed-"] },
    Part { name: "search", limit_kb: 4, files: &["find-", "finder-"] },
    Part {
        name: "fonts",
        limit_kb: 90,
        files: &["code-regular-", "code-semibold-", "text-regular-", "text-semibold-"],
    },
];

/// The budget of all parts together.
const TOTAL_KB: u64 = 3650;

/// The part that a visitor loads only on request; it is not counted in the total, and a page may be built without it.
const ON_REQUEST: Part = Part { name: "Slang", limit_kb: 4300, files: &["slang-", "slangc-", "slangc_bg-"] };

/// Prints the size of each part; a part over its budget is an error.
pub fn check(workspace: &Workspace) -> Result {
    let step = "measuring the download";
    let error = |reason: String| Error::new(step).reason(reason).fix("run `cargo xtask dist` and try again");
    let sizes = compressed_files(workspace).map_err(|why| error(why.to_string()))?;
    let mut rows = Vec::new();
    for part in PARTS {
        rows.push((part.name, size(part, &sizes).map_err(error)?, part.limit_kb));
    }
    rows.push(("together", rows.iter().map(|(_, bytes, _)| bytes).sum(), TOTAL_KB));
    if sizes.iter().any(|(name, _)| name.starts_with("slangc_bg-")) {
        let bytes = size(&ON_REQUEST, &sizes).map_err(error)?;
        let megabytes = format!("{:.1}", bytes as f64 / 1e6);
        if megabytes != slang::MEGABYTES {
            let reason = format!("Slang has {megabytes} MB, and the page states {}", slang::MEGABYTES);
            return Err(Error::new(step).reason(reason).fix("correct MEGABYTES in xtask/src/site/slang.rs"));
        }
        rows.push((ON_REQUEST.name, bytes, ON_REQUEST.limit_kb));
    }
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

/// The size of a part in bytes. Errors: a file that is missing or exists several times.
fn size(part: &Part, sizes: &[(String, u64)]) -> Result<u64, String> {
    let mut bytes = 0;
    for file in part.files {
        let (beginning, end) = file.split_once('|').unwrap_or((file, ""));
        let is_it = |name: &str| name.starts_with(beginning) && name.ends_with(end);
        let found: Vec<_> = sizes.iter().filter(|(name, _)| is_it(name)).collect();
        let [(_, size)] = found[..] else {
            return Err(format!("dist/ holds {} files `{beginning}*{end}` instead of one", found.len()));
        };
        bytes += size;
    }
    Ok(bytes)
}

/// Names and sizes of the `.br` files in `dist/` itself, and of the fonts, whose format is compressed.
fn compressed_files(workspace: &Workspace) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for (folder, extension) in [(workspace.dist(), ".br"), (workspace.dist().join("fonts"), ".woff2")] {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(extension) {
                files.push((name, entry.metadata()?.len()));
            }
        }
    }
    Ok(files)
}

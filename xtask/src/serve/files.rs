//! From the path of a request to a file of the site.
//!
//! Only plain names are accepted: no `..`, no hidden files, no encoded separators, and no link out of the folder.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::serve::Site;

/// The target of a path.
pub enum Found {
    /// A file of the site.
    File(PathBuf),
    /// The site without its last slash; the path with it.
    Redirect(String),
    /// No file of the site.
    Nothing,
}

/// Finds the file of a path.
pub fn find(site: &Site, path: &str) -> Found {
    if format!("{path}/") == site.under {
        return Found::Redirect(site.under.clone());
    }
    let inside = path.strip_prefix(&site.under).and_then(|path| percent_decode_str(path).decode_utf8().ok());
    let file = inside.and_then(|inside| join(&site.folder, &inside));
    let real = file.and_then(|file| file.canonicalize().ok()).filter(|file| file.is_file());
    match (real, site.folder.canonicalize()) {
        (Some(file), Ok(folder)) if file.starts_with(&folder) => Found::File(file),
        _ => Found::Nothing,
    }
}

/// The path below the folder; `index.html` for a folder, whose path ends with a slash.
fn join(folder: &Path, inside: &str) -> Option<PathBuf> {
    if inside.is_empty() {
        return Some(folder.join("index.html"));
    }
    if let Some(inside) = inside.strip_suffix('/') {
        return Some(join(folder, inside).filter(|_| !inside.is_empty())?.join("index.html"));
    }
    let is_plain =
        |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['\\', ':', '\0']);
    inside.split('/').all(is_plain).then(|| folder.join(inside))
}

/// The path with `.suffix` after its extension.
pub fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}.{suffix}", file.display()))
}

/// The media type of a file, by its extension.
pub fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "ir" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

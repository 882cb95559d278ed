//! From the path of a request to a file of the site.
//!
//! Only plain names are accepted: no `..`, no hidden files, no separators in disguise, and nothing that a
//! link leads out of the folder.

use std::path::{Path, PathBuf};

use crate::serve::Site;

/// What a path names.
pub enum Found {
    /// A file of the site.
    File(PathBuf),
    /// The site, without its last slash; the path with it.
    Elsewhere(String),
    /// Nothing that is served.
    Nothing,
}

/// Looks a path up.
pub fn find(site: &Site, path: &str) -> Found {
    if format!("{path}/") == site.under {
        return Found::Elsewhere(site.under.clone());
    }
    let inside = path.strip_prefix(&site.under).and_then(decode);
    let file = inside.as_deref().and_then(|inside| plain(&site.folder, inside));
    let real = file.and_then(|file| file.canonicalize().ok()).filter(|file| file.is_file());
    match (real, site.folder.canonicalize()) {
        (Some(file), Ok(folder)) if file.starts_with(&folder) => Found::File(file),
        _ => Found::Nothing,
    }
}

/// The path below the folder; `index.html` for the folder itself.
fn plain(folder: &Path, inside: &str) -> Option<PathBuf> {
    if inside.is_empty() {
        return Some(folder.join("index.html"));
    }
    let names: Vec<&str> = inside.split('/').collect();
    let strange = |name: &&str| name.is_empty() || name.starts_with('.') || name.contains(['\\', ':', '\0']);
    if names.iter().any(strange) { None } else { Some(folder.join(names.join("/"))) }
}

/// Undoes percent-encoding; nothing for what is not UTF-8.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let (byte, after) = match (first, tail) {
            (b'%', [high, low, after @ ..]) => (hex(*high)? << 4 | hex(*low)?, after),
            (b'%', _) => return None,
            _ => (*first, tail),
        };
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// The path with `.suffix` after its kind.
pub fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}.{suffix}", file.display()))
}

/// What a browser must be told a file is.
pub fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|kind| kind.to_str()).unwrap_or_default() {
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

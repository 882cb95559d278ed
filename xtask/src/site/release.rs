//! `cargo xtask release X.Y.Z`: the site as a release with a permanent address.
//!
//! ```text
//! FOLDER/v/0.1.0/      the site of that release, which never changes
//! FOLDER/v/0.2.0/
//! FOLDER/v/index.json  {"newest": "0.2.0", "releases": ["0.1.0", "0.2.0"]}
//! FOLDER/              the files of the newest release
//! ```
//!
//! Other releases in the folder are unchanged, and an existing release with other content is an error: links and
//! reproductions refer to releases. The page reads the list when it opens a link of another release. A release that is older
//! than the newest one of the folder leaves the root as it is. Refuses a version other than that of the workspace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::report::{self, Error, Result};
use crate::site::{self, Effort, Files, RELEASES};
use crate::workspace::Workspace;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Options of `release`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The version to release, as Cargo.toml has it
    #[arg(value_name = "X.Y.Z")]
    version: Option<String>,
    /// Writes the site into this folder
    #[arg(long, value_name = "FOLDER", default_value = "dist")]
    out: PathBuf,
}

/// Builds the site and writes it into the folder.
pub fn command(workspace: &Workspace, options: &Options) -> Result {
    let step = format!("releasing version {VERSION}");
    if let Some(other) = options.version.as_ref().filter(|version| *version != VERSION) {
        return Err(Error::new(step)
            .reason(format!("the workspace has version {VERSION}, not {other}"))
            .fix(format!("set the version in Cargo.toml to {other}, or release {VERSION}")));
    }
    site::build(workspace, Effort::Release)?;
    site::sizes::check(workspace)?;
    let out = workspace.root.join(&options.out);
    let mut files = Files::new();
    site::read_folder(&workspace.dist(), "", &mut files)
        .and_then(|()| write(&out, VERSION, &site::without_releases(files)))
        .map_err(|error| {
            Error::new(&step)
                .reason(error)
                .fix("raise the version in Cargo.toml, or name another folder with --out")
        })?;
    report::step(format!("{step}: {}", out.display()));
    Ok(())
}

/// Writes the files as this release, as the newest one unless there is a newer one, and the list of releases.
fn write(out: &Path, version: &str, files: &Files) -> io::Result<()> {
    let releases = out.join(RELEASES);
    let folder = releases.join(version);
    let mut present = Files::new();
    if folder.exists() {
        site::read_folder(&folder, "", &mut present)?;
    }
    if !present.is_empty() && present != *files {
        let reason = format!("{} holds this version with other content", folder.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
    }
    write_files(&folder, files)?;
    let listed = list(&releases)?;
    if listed.last().is_some_and(|newest| newest == version) {
        write_files(out, files)?;
    }
    fs::write(releases.join("index.json"), index(&listed))
}

fn write_files(folder: &Path, files: &Files) -> io::Result<()> {
    for (path, bytes) in files {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, bytes)?;
    }
    Ok(())
}

/// The names of the releases in a folder, the newest last.
fn list(releases: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(releases)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if order(&name).is_some() && entry.path().join("index.html").is_file() {
            names.push(name);
        }
    }
    names.sort_by_key(|name| order(name));
    Ok(names)
}

/// The key by which versions are ordered: the three numbers, then prereleases by name, then the release itself.
fn order(version: &str) -> Option<([u64; 3], bool, String)> {
    let (numbers, prerelease) = version.split_once('-').unwrap_or((version, ""));
    let is_plain = prerelease.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let numbers: Vec<u64> = numbers.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let numbers = <[u64; 3]>::try_from(numbers).ok().filter(|_| is_plain)?;
    Some((numbers, !version.contains('-'), prerelease.to_owned()))
}

/// The list of releases as JSON. Names have no characters that JSON escapes, see [`order`].
fn index(releases: &[String]) -> String {
    let newest = releases.last().map_or("", String::as_str);
    let names: Vec<String> = releases.iter().map(|name| format!("\"{name}\"")).collect();
    format!("{{\"newest\": \"{newest}\", \"releases\": [{}]}}\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(text: &str) -> Files {
        Files::from([("index.html".to_owned(), text.as_bytes().to_vec())])
    }

    /// An empty folder; `name` is that of the test.
    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("vitrine-release-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_release_does_not_change_and_all_are_listed() {
        let out = folder("list");
        let read = |path| fs::read_to_string(out.join(path)).unwrap();
        write(&out, "0.9.0", &site("one")).unwrap();
        write(&out, "0.9.0", &site("one")).unwrap();
        assert!(write(&out, "0.9.0", &site("two")).is_err());
        write(&out, "0.10.0", &site("two")).unwrap();
        let pages = ["v/0.9.0/index.html", "v/0.10.0/index.html", "index.html"];
        assert_eq!(pages.map(read), ["one", "two", "two"]);
        assert_eq!(read("v/index.json"), "{\"newest\": \"0.10.0\", \"releases\": [\"0.9.0\", \"0.10.0\"]}\n");
        fs::remove_dir_all(out).unwrap();
    }

    #[test]
    fn a_release_of_an_older_series_is_not_the_newest() {
        let out = folder("older");
        write(&out, "0.10.0", &site("new")).unwrap();
        write(&out, "0.9.1", &site("old")).unwrap();
        assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), "new");
        // Other folders are no releases.
        fs::create_dir_all(out.join("v/next")).unwrap();
        fs::write(out.join("v/next/index.html"), "").unwrap();
        assert_eq!(list(&out.join("v")).unwrap(), ["0.9.1", "0.10.0"]);
        fs::remove_dir_all(out).unwrap();
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let mut names = ["1.0.0", "0.10.0", "1.0.0-beta", "0.9.0"];
        names.sort_by_key(|name| order(name));
        assert_eq!(names, ["0.9.0", "0.10.0", "1.0.0-beta", "1.0.0"]);
        for name in ["next", "1.0", "1.0.0.0", "1.0.0-\"", ""] {
            assert_eq!(order(name), None, "{name}");
        }
    }
}

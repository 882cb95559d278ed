//! `cargo xtask release`: the site as a version with a permanent address.
//!
//! Writes `FOLDER/v/<version>/`, and the same files to `FOLDER` as the newest version. Other versions in the
//! folder are unchanged, and an existing version with other content is an error: links and
//! reproductions refer to versions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::report::{self, Error, Result};
use crate::site::{self, Effort, Files};
use crate::workspace::Workspace;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Options of `release`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Writes the site into this folder
    #[arg(long, value_name = "FOLDER", default_value = "target/release-site")]
    out: PathBuf,
}

/// Builds the site and writes it into the folder.
pub fn command(workspace: &Workspace, options: &Options) -> Result {
    site::build(workspace, Effort::Release)?;
    site::sizes::check(workspace)?;
    let step = format!("releasing version {VERSION}");
    let out = workspace.root.join(&options.out);
    let mut files = Files::new();
    site::read_folder(&workspace.dist(), "", &mut files)
        .and_then(|()| write(&out, VERSION, &files))
        .map_err(|error| {
            Error::new(&step)
                .reason(error)
                .fix("raise the version in Cargo.toml, or name another folder with --out")
        })?;
    report::step(format!("{step}: {}", out.display()));
    Ok(())
}

/// Writes the files as this version, and as the newest one.
fn write(out: &Path, version: &str, files: &Files) -> io::Result<()> {
    let folder = out.join("v").join(version);
    let mut present = Files::new();
    if folder.exists() {
        site::read_folder(&folder, "", &mut present)?;
    }
    if !present.is_empty() && present != *files {
        let reason = format!("{} holds this version with other content", folder.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
    }
    for (path, bytes) in files {
        for file in [folder.join(path), out.join(path)] {
            fs::create_dir_all(file.parent().unwrap_or(out))?;
            fs::write(file, bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_version_does_not_change() {
        let out = std::env::temp_dir().join(format!("vitrine-release-{}", std::process::id()));
        let site = |text: &str| Files::from([("a/index.html".to_owned(), text.as_bytes().to_vec())]);
        write(&out, "1.0.0", &site("one")).unwrap();
        write(&out, "1.0.0", &site("one")).unwrap();
        assert!(write(&out, "1.0.0", &site("two")).is_err());
        write(&out, "1.0.1", &site("two")).unwrap();
        let read = |path| fs::read_to_string(out.join(path)).unwrap();
        assert_eq!(
            ["v/1.0.0/a/index.html", "v/1.0.1/a/index.html", "a/index.html"].map(read),
            ["one", "two", "two"]
        );
        fs::remove_dir_all(out).unwrap();
    }
}

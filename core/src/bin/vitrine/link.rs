//! `vitrine link` and `vitrine open`: from files to a link of the page, and back.
//!
//! ```sh
//! vitrine link shader.spv --pipeline "ingest, O1" --site https://example.org/
//! vitrine link before.spv after.spv
//! vitrine link shader.spv --site https://example.org/ --pin
//! vitrine open 'https://example.org/#1m…' -o folder
//! ```
//!
//! Nothing is sent: a link holds the whole input. Refuses links without any readable input.

use super::dumps;
use super::input;
use super::sources::SourceOptions;
use super::{Stop, input::print};
use std::path::{Path, PathBuf};
use vitrine_core::lab::compare::{Dump, bundle, dumps_of};
use vitrine_core::share::SharedState;

/// This release.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Print a link that opens programs in the page; several are compared
#[derive(clap::Args)]
pub(crate) struct Link {
    /// The program; several, a folder, an archive or a log are a comparison, the original first
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Passes to run on the program, separated by commas; by default those of the page
    #[arg(long, value_name = "PASSES", default_value = "")]
    pipeline: String,
    /// Show this version: 0 is the input
    #[arg(long, value_name = "N")]
    at: Option<u32>,
    /// The address of the page; without it, only the part after `#` is printed
    #[arg(long, value_name = "ADDRESS", default_value = "")]
    site: String,
    /// Open the link in this release of the page, at `v/<version>/` of the site, instead of the newest one
    #[arg(long, requires = "site")]
    pin: bool,
}

impl Link {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let Link { files, pipeline, at, site, pin } = self;
        let mut dumps = dumps::of_files(&files)?;
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = files.first().map_or_else(String::new, |file| name(file));
        let is_single = dumps.len() == 1;
        let (input, name) = match dumps.pop() {
            None => return Err(Stop::Misused("there is no program in these files".to_owned())),
            Some(only) if is_single => (only.bytes, first),
            Some(last) => {
                dumps.push(last);
                dumps.iter_mut().for_each(|dump| dump.name = name(Path::new(&dump.name)));
                (bundle(&dumps), format!("{first} and {} more", dumps.len() - 1))
            }
        };
        let made_by = VERSION.to_owned();
        let link = SharedState { input, name, pipeline, at, made_by, ..SharedState::default() }.link();
        print(&format!("{}#{link}\n", address(&site, pin)));
        Ok(())
    }
}

/// The address of the page without a fragment; if pinned, that of this release.
fn address(site: &str, pinned: bool) -> String {
    let address = site.split('#').next().unwrap_or_default();
    match pinned {
        true => format!("{}/v/{VERSION}/", address.trim_end_matches('/')),
        false => address.to_owned(),
    }
}

/// Write the programs of a link into files, and print the command that runs them
#[derive(clap::Args)]
pub(crate) struct Open {
    /// The link, or a file that holds one
    #[arg(value_name = "LINK")]
    link: PathBuf,
    /// The folder for the files
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,
}

impl Open {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let title = if self.link.exists() { self.link.display().to_string() } else { "the link".to_owned() };
        let given = input::read_bytes(&self.link)?;
        let state = input::linked(&title, &given)?
            .ok_or_else(|| Stop::Misused(format!("{title}: it is no link: a link begins with http or #")))?;
        std::fs::create_dir_all(&self.output)
            .map_err(|error| Stop::Misused(format!("{}: {error}", self.output.display())))?;
        Open::note(&state);
        match dumps_of(&state.input) {
            Some(Ok(dumps)) => self.comparison(&state, &dumps),
            Some(Err(_)) | None => self.single(&state),
        }
    }

    /// A note about the release that made the link, and the difference that it found.
    fn note(state: &SharedState) {
        let found = state.expected.as_ref().map(|expected| format!(", expects: {}", expected.text));
        if found.is_some() || !["", VERSION].contains(&state.made_by.as_str()) {
            let found = found.unwrap_or_default();
            input::complain(&format!("note: made with Vitrine {}{found}\n", state.made_by));
        }
    }

    fn single(&self, state: &SharedState) -> Result<(), Stop> {
        let path = self.output.join(file_name(&state.name, &state.input));
        input::write(&path, &state.input)?;
        let pipeline = match state.pipeline.as_str() {
            "" => vitrine_core::view_model::DEFAULT_PIPELINE,
            pipeline => pipeline,
        };
        let options = SourceOptions::of(state).arguments();
        print(&format!("vitrine check {} --pipeline \"{pipeline}\"{options}\n", quoted(&path)));
        Ok(())
    }

    fn comparison(&self, state: &SharedState, dumps: &[Dump]) -> Result<(), Stop> {
        let wide = dumps.len().saturating_sub(1).to_string().len();
        let mut command = "vitrine compare".to_owned();
        for (at, dump) in dumps.iter().enumerate() {
            let path = self.output.join(format!("{at:0wide$}-{}", file_name(&dump.name, &dump.bytes)));
            input::write(&path, &dump.bytes)?;
            command.push(' ');
            command.push_str(&quoted(&path));
        }
        if let Some([seed, trials]) = state.trials {
            command.push_str(&format!(" --seed {seed} --trials {trials}"));
        }
        print(&(command + "\n"));
        Ok(())
    }
}

/// A plain file name with an extension.
fn file_name(name: &str, bytes: &[u8]) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "._-".contains(char);
    let plain: String = name.chars().map(|char| if is_plain(char) { char } else { '-' }).collect();
    let plain = plain.trim_matches(['.', '-']).to_owned();
    let extension = match bytes {
        [3, 2, 0x23, 7, ..] | [7, 0x23, 2, 3, ..] => "spv",
        _ if String::from_utf8_lossy(bytes).contains("Op") => "spvasm",
        _ => "ir",
    };
    match (plain.is_empty(), Path::new(&plain).extension().is_some()) {
        (true, _) => format!("shader.{extension}"),
        (false, true) => plain,
        (false, false) => format!("{plain}.{extension}"),
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_address_is_that_of_this_release() {
        for site in ["https://a.org", "https://a.org/", "https://a.org/#1mX"] {
            assert_eq!(address(site, true), format!("https://a.org/v/{VERSION}/"));
        }
        assert_eq!(address("https://a.org/x?y#1mX", false), "https://a.org/x?y");
    }

    #[test]
    fn names_of_links_become_plain_file_names() {
        for (name, bytes, wanted) in [
            ("a.spv", &b"x"[..], "a.spv"),
            ("../../etc/passwd", b"func", "etc-passwd.ir"),
            ("merge-return, O1", &[3, 2, 0x23, 7], "merge-return--O1.spv"),
            ("..", b"OpNop", "shader.spvasm"),
        ] {
            assert_eq!(file_name(name, bytes), wanted);
        }
    }
}

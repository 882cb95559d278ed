//! `vitrine lesson FILE.md -o page.html`: one lesson as a page that needs no other file.
//!
//! Programs and tasks are inside of the lesson, or files beside it. Every mistake is reported with its line and a fix, and
//! nothing is written then. Exit status: 0 written, 1 the lesson has mistakes, 2 the command is wrong.

use super::{Stop, input};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vitrine_core::lessons::check;
use vitrine_lessons::{Alone, Lesson, LessonError, alone, fill};

/// The longest file beside a lesson that is read.
const MOST_BYTES: u64 = 1 << 20;

/// Write a lesson as a page that needs no other file
#[derive(clap::Args)]
pub(crate) struct LessonPage {
    /// The lesson in Markdown; its programs and tasks are inside of it or beside it
    #[arg(value_name = "FILE.md")]
    lesson: PathBuf,
    /// The page to write; `-` for standard output
    #[arg(short, long, value_name = "PAGE.html")]
    output: PathBuf,
    /// The address of a Vitrine page, in which figures can be opened
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Leave out solutions; salted hashes of the answers replace them
    #[arg(long)]
    hide_solutions: bool,
}

impl LessonPage {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let title = self.lesson.display().to_string();
        let site = self.site.map(playground).transpose()?;
        let lesson = read(&self.lesson)?;
        let parts = check(&lesson).map_err(|errors| complain(&title, &errors))?;
        let options = Alone { playground: site, hides_solutions: self.hide_solutions };
        let page = alone(&lesson, &options).map_err(|error| complain(&title, &[error]))?;
        let page = fill(&page, &parts).map_err(|why| Stop::Misused(format!("{title}: {why}")))?;
        match self.output.as_os_str() == "-" {
            true => {
                input::print(&page);
                Ok(())
            }
            false => input::write(&self.output, page.as_bytes()),
        }
    }
}

/// The address in links, which ends before the `#`.
fn playground(address: String) -> Result<String, Stop> {
    let is_http = address.starts_with("https://") || address.starts_with("http://");
    match is_http && !address.contains(['#', '"', ' ']) {
        true => Ok(address),
        false => Err(Stop::Misused(format!(
            "--site {address}: expected an address such as https://example.org/vitrine/"
        ))),
    }
}

fn complain(title: &str, errors: &[LessonError]) -> Stop {
    errors.iter().for_each(|error| input::complain(&error.in_file(title)));
    Stop::Diagnosed
}

/// Reads a lesson and the files beside it that are text. Mistakes go to standard error.
pub(super) fn read(file: &Path) -> Result<Lesson, Stop> {
    let title = file.display().to_string();
    let text = String::from_utf8(input::read_bytes(file)?)
        .map_err(|_| Stop::Misused(format!("{title}: a lesson is text in UTF-8")))?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unreadable = |error: std::io::Error| Stop::Misused(format!("{}: {error}", folder.display()));
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let is_small = path.metadata().is_ok_and(|of| of.is_file() && of.len() <= MOST_BYTES);
        // Only files that the lesson names are of interest, and other pages may lie beside it.
        if is_small
            && extension != "md"
            && text.contains(&name) | (extension != "html")
            && let Ok(content) = std::fs::read_to_string(&path)
        {
            files.insert(name, content);
        }
    }
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // Lessons of a course have the same file name, and folders of their own.
    let slug = match stem(file).as_str() {
        "lesson" => std::fs::canonicalize(folder).map(|path| stem(&path)).unwrap_or_default(),
        name => name.to_owned(),
    };
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let slug: String = slug.to_lowercase().chars().map(|c| if is_letter(c) { c } else { '-' }).collect();
    Lesson::read(&slug, &text, files).map_err(|error| complain(&title, &[error]))
}

//! The reference (`ref/KIND/NAME/`), the glossary (`glossary/`) and the search over both and the lessons.
//!
//! ```text
//! core's catalog, filetests ──► an example of vitrine-web ──► records ──► a page for each entry
//! www/reference/glossary.md ──► terms ──► glossary/
//! www/reference/slugs.txt, redirects.txt                    addresses that were released never disappear
//! ```
//!
//! The glossary is a page like a lesson. The pages of the reference are added to a site whose files have their names: one
//! template goes through `pack`, and all pages are made from it, since a thousand pages need no search for names of files.
//! They are not listed for use without a network, and a development build has none of them.

mod records; // start here: the output of the example
mod glossary; // terms
mod links; // names of entries and of terms as links
mod pages; // whole pages
mod search; // the index of the search
mod slugs; // released addresses, and redirects
#[cfg(test)]
mod tests; // rules for the glossary and the addresses

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::site::Files;
use crate::workspace::Workspace;
use vitrine_lessons::Lesson;

pub use glossary::Glossary;

/// The folder of the sources in `www`.
const SOURCES: &str = "reference/";

/// The template of the pages in a site, until they are made from it.
const TEMPLATE: &str = "ref/template/page/index.html";

/// The sources of the glossary and the addresses, taken from the files of the site.
pub struct Sources {
    pub glossary: Glossary,
    slugs: Vec<String>,
    redirects: Vec<(String, String)>,
}

/// Takes the sources from the files of the site.
pub fn take(files: &mut Files) -> Result<Sources> {
    let mut text = |name: &str| {
        let path = format!("{SOURCES}{name}");
        let bytes = files.remove(&path).ok_or_else(|| wrong(format!("www/{path} is missing")))?;
        String::from_utf8(bytes).map_err(|_| wrong(format!("www/{path} is not UTF-8")))
    };
    let (terms, slugs, redirects) = (text("glossary.md")?, text("slugs.txt")?, text("redirects.txt")?);
    // Read by the example that computes the records, and by people.
    text("diagnostics.txt")?;
    text("README.md")?;
    Ok(Sources {
        glossary: Glossary::read(&terms).map_err(wrong)?,
        slugs: slugs::read(&slugs),
        redirects: slugs::redirects(&redirects).map_err(wrong)?,
    })
}

fn wrong(why: String) -> Error {
    Error::new("making the reference").reason(why).fix("compare www/reference with xtask/src/site/reference")
}

/// Adds the glossary, and the template of the other pages.
pub fn add_pages(sources: &Sources, lessons: &[Lesson], files: &mut Files) -> Result {
    let page = glossary::page(&sources.glossary, lessons).map_err(wrong)?;
    files.insert("glossary/index.html".to_owned(), page.into_bytes());
    files.insert(TEMPLATE.to_owned(), pages::template().into_bytes());
    glossary::link_lessons(&sources.glossary, files);
    Ok(())
}

/// The programs of the glossary, in the form of `lessons::jobs`.
pub fn jobs(sources: &Sources) -> String {
    glossary::jobs(&sources.glossary)
}

/// Runs the example that computes the records.
pub fn compute(workspace: &Workspace) -> Result<String> {
    let step = "computing the reference";
    report::step(step);
    Command::new(step, &workspace.cargo, &workspace.root)
        .args(["run", "--quiet", "--package", "vitrine-web", "--example", "reference", "--", "."])
        .fix("read the message above; it names the entry and the reason")
        .capture()
}

/// Adds the pages to a site whose files have their names. `records` are the output of the example; without them only the
/// template is removed, and the search has no entries of the catalog.
pub fn add_packed(
    sources: &Sources,
    lessons: &[Lesson],
    records: Option<&str>,
    named: &mut Files,
) -> Result<()> {
    let template = named.remove(TEMPLATE).ok_or_else(|| wrong("the template is missing".to_owned()))?;
    let template = String::from_utf8_lossy(&template).into_owned();
    let records = match records {
        Some(text) => {
            records::parse(text).ok_or_else(|| wrong("the records have an unknown form".to_owned()))?
        }
        None => Vec::new(),
    };
    if !records.is_empty() {
        let all = pages::all(&records, lessons, &template).map_err(wrong)?;
        named.extend(all);
        named.extend(slugs::pages(&sources.redirects, &template));
        slugs::check(&sources.slugs, &sources.redirects, &records, &sources.glossary).map_err(wrong)?;
    }
    let index = search::index(&records, &sources.glossary, lessons);
    named.insert(search::FILE.to_owned(), index.into_bytes());
    links::check(named).map_err(wrong)
}

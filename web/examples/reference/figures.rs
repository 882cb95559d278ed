//! Programs as HTML: one text, or the texts before and after a step side by side, with a link that opens them in the
//! playground.
//!
//! Drawn by the functions that draw the lessons. Refuses to show a pipeline that fails.

use std::fmt::Write;
use vitrine_core::lessons::styled_html;
use vitrine_core::share::SharedState;
use vitrine_core::view_model::{Session, Shown};
use vitrine_protocol::{Outcome, StyledText};

/// The path from a page of the reference to the site.
const UP: &str = "../../../";

/// The session that runs all programs.
pub(crate) struct Figures {
    pub(crate) session: Session,
}

impl Figures {
    pub(crate) fn new() -> Figures {
        Figures { session: Session::new() }
    }

    /// Runs a pipeline on a program. Errors: a sentence with the first diagnostic, or with a pass that failed.
    pub(crate) fn open(&mut self, input: &str, pipeline: &str) -> Result<(), String> {
        // An empty text would be the default pipeline.
        let pipeline = if pipeline.is_empty() { "fix()" } else { pipeline };
        self.session.open(input.as_bytes(), pipeline);
        if let Some(diag) = self.session.diags().first().or(self.session.pipeline_diags().first()) {
            return Err(format!("line {}: {}", diag.line, diag.message));
        }
        match self
            .session
            .steps()
            .into_iter()
            .find(|step| matches!(step.outcome, Outcome::Failed | Outcome::Invalid))
        {
            Some(bad) => Err(format!("{}: {}", bad.pass, bad.message)),
            None => Ok(()),
        }
    }

    /// The text of a version of the open program. Lines that `before` does not have are marked.
    fn version(&mut self, at: usize, before: Option<&StyledText>) -> Result<(StyledText, String), String> {
        let text = self.session.text(at, Shown::Ir)?;
        let html = styled_html(&text, before);
        Ok((text, html))
    }

    /// The number of lines of a version.
    pub(crate) fn lines(&mut self, at: usize) -> usize {
        self.session.text(at, Shown::Ir).map_or(0, |text| text.text.lines().count())
    }

    /// The open program before and after the step that leads to a version.
    pub(crate) fn pair(
        &mut self,
        input: &str,
        pipeline: &str,
        at: usize,
        caption: &str,
    ) -> Result<String, String> {
        let (before, old) = self.version(at.saturating_sub(1), None)?;
        let (_, new) = self.version(at, Some(&before))?;
        let mut out = "<figure class=\"example pair\">\n".to_owned();
        for (name, html) in [("Before", old), ("After", new)] {
            let _ = writeln!(out, "<div><p class=\"name\">{name}</p>{}</div>", code(&html, name));
        }
        out.push_str(&end(input, pipeline, at as u32, caption));
        Ok(out)
    }

    /// The open program.
    pub(crate) fn single(&mut self, input: &str, caption: &str) -> Result<String, String> {
        let (_, html) = self.version(0, None)?;
        Ok(format!("<figure class=\"example\">\n{}\n{}", code(&html, "Program"), end(input, "", 0, caption)))
    }

    /// A program as it is written, which may be invalid, with its lines marked that another one does not have.
    pub(crate) fn written(
        &self,
        input: &str,
        other: &str,
        pipeline: &str,
        name: &str,
        caption: &str,
    ) -> String {
        let known: Vec<&str> = other.lines().collect();
        let mut html = String::new();
        for line in input.lines() {
            let is_new = !other.is_empty() && !line.trim().is_empty() && !known.contains(&line);
            let class = if is_new { " class=new" } else { "" };
            let _ = writeln!(html, "<span{class}>{}</span>", escape(line));
        }
        format!("<figure class=\"example\">\n{}\n{}", code(&html, name), end(input, pipeline, 0, caption))
    }
}

fn code(html: &str, name: &str) -> String {
    format!("<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\">{html}</pre>")
}

/// The caption, the link and the end of a figure.
fn end(input: &str, pipeline: &str, version: u32, caption: &str) -> String {
    let shared = SharedState {
        input: input.as_bytes().to_vec(),
        name: "example.ir".to_owned(),
        pipeline: if pipeline.is_empty() { "fix()" } else { pipeline }.to_owned(),
        // Side by side, if a pass runs.
        shown: if version > 0 { 3 } else { 0 },
        ..SharedState::default()
    };
    let caption = if caption.is_empty() { String::new() } else { format!("<p>{}</p>", words(caption)) };
    format!(
        "<figcaption>{caption}<p><a class=\"open\" href=\"{UP}#{}\">Open in the playground</a></p></figcaption>\n</figure>",
        shared.link()
    )
}

/// A sentence with `code`.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        let _ = match at % 2 {
            0 => write!(out, "{}", escape(part)),
            _ => write!(out, "<code>{}</code>", escape(part)),
        };
    }
    out
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

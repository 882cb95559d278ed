//! The help of a diagnostic: a sentence that proposes a fix, and the passes that it names.
//!
//! A help is a list of parts, not a string, so that the page can offer the passes. A pass stands in it as in a
//! pipeline, with its options.
//!
//! ```text
//! Help::text("run").pass("lower-tex{projector}").then("first, or").pass("cse")
//! run `lower-tex{projector}` first, or `cse`
//! ```
//!
//! Does not know which passes exist: a test reads the sources and looks up each name.

use std::fmt;

/// A possible fix, as parts joined by one space.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Help {
    parts: Vec<HelpPart>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum HelpPart {
    Text(String),
    /// The use of a pass, as it stands in a pipeline.
    Pass(String),
}

impl Help {
    /// A help that begins with text. It has no parts if the text is empty.
    pub fn text(text: impl Into<String>) -> Help {
        Help::default().then(text)
    }

    /// The help "pass `…` does it", with the use of a pass and its effect.
    pub fn by_pass(pass: impl Into<String>, does: impl Into<String>) -> Help {
        Help::text("pass").pass(pass).then(does)
    }

    /// The help that a pass lowers an operation.
    pub fn lowered_by(pass: impl Into<String>) -> Help {
        Help::by_pass(pass, "lowers it")
    }

    /// Appends the use of a pass, as it stands in a pipeline.
    #[must_use]
    pub fn pass(mut self, pass: impl Into<String>) -> Help {
        self.parts.push(HelpPart::Pass(pass.into()));
        self
    }

    /// Appends text; empty text changes nothing.
    #[must_use]
    pub fn then(mut self, text: impl Into<String>) -> Help {
        let text = text.into();
        if !text.is_empty() {
            self.parts.push(HelpPart::Text(text));
        }
        self
    }

    /// Returns true if the help has no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The passes that the help names, in order, as they stand in a pipeline.
    pub fn passes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            HelpPart::Text(_) => None,
            HelpPart::Pass(pass) => Some(pass.as_str()),
        })
    }
}

impl From<&str> for Help {
    fn from(text: &str) -> Help {
        Help::text(text)
    }
}

impl From<String> for Help {
    fn from(text: String) -> Help {
        Help::text(text)
    }
}

impl fmt::Display for Help {
    /// Writes the sentence, with passes in backticks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.parts.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            match part {
                HelpPart::Text(text) if text.starts_with([',', ';', ':', '?']) => f.write_str(text)?,
                HelpPart::Text(text) => write!(f, "{space}{text}")?,
                HelpPart::Pass(pass) => write!(f, "{space}`{pass}`")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_by_spaces() {
        let help = Help::lowered_by("lower-alu{clamp}").then(", or").pass("cse").then("; see `no-such`");
        assert_eq!(help.to_string(), "pass `lower-alu{clamp}` lowers it, or `cse`; see `no-such`");
        assert!(help.passes().eq(["lower-alu{clamp}", "cse"]));
    }

    #[test]
    fn text_is_kept() {
        assert_eq!(Help::from("run `cse`").to_string(), "run `cse`");
        assert_eq!(Help::from("a".to_owned()).passes().count(), 0);
        assert!(Help::from("").is_empty() && !Help::default().pass("cse").is_empty());
    }
}

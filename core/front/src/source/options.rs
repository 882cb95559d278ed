//! The options of a source: choices that its text leaves open, as text.
//!
//! ```text
//! stage=frag
//! entry=draw
//! define=SAMPLES=4
//! target=1.5
//! ```
//!
//! This text is the form of links, of stored inputs and of messages: one `KEY=VALUE` a line. No option is the empty text. Unknown
//! keys are skipped, so that a link from a newer release opens here as far as possible.

/// Options of a translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// The stage, by any of its names, such as `frag` or `fragment`; by default that of the file's name or of the text.
    pub stage: Option<String>,
    /// The function that is the entry point; by default `main` in GLSL, and all entry points in WGSL.
    pub entry: Option<String>,
    /// Macros, or constants of WGSL that a pipeline overrides: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The version of SPIR-V that the front end writes, such as `1.5`.
    pub target: Option<String>,
}

impl SourceOptions {
    /// The options of a text.
    pub fn read(text: &str) -> SourceOptions {
        let mut options = SourceOptions::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let value = value.trim().to_owned();
            match key {
                _ if value.is_empty() => {}
                "stage" => options.stage = Some(value),
                "entry" => options.entry = Some(value),
                "define" => options.defines.push(value),
                "target" => options.target = Some(value),
                _ => {}
            }
        }
        options
    }

    /// The text of the options; empty if there are none.
    pub fn text(&self) -> String {
        let one =
            |key: &str, value: &Option<String>| value.iter().map(|of| format!("{key}={of}\n")).collect();
        let defines = self.defines.iter().map(|define| format!("define={define}\n")).collect();
        [one("stage", &self.stage), one("entry", &self.entry), defines, one("target", &self.target)]
            .into_iter()
            .collect::<Vec<String>>()
            .concat()
            .trim_end()
            .to_owned()
    }
}

/// Returns true if a macro has a name that a preprocessor accepts; parameters may follow it.
pub(super) fn is_macro(define: &str) -> bool {
    let name = define.split(['=', '(']).next().unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_were_written() {
        let text = "stage=frag\nentry=draw\ndefine=A=2\ndefine=B\ntarget=1.5";
        let options = SourceOptions::read(text);
        assert_eq!((options.defines.len(), options.text().as_str()), (2, text));
        assert_eq!(SourceOptions::default().text(), "");
        assert_eq!(SourceOptions::read("entry=\nmoon=full\n\nnothing\nstage = x"), SourceOptions::default());
    }

    #[test]
    fn macros_have_names() {
        for (define, expected) in
            [("A", true), ("_a1=x y", true), ("F(x)=x", true), ("1A", false), ("", false), ("a-b=1", false)]
        {
            assert_eq!(is_macro(define), expected, "{define}");
        }
    }
}

//! HLSL and Slang, prepared for Slang: the files it includes, macros, the stage and the entry point.
//!
//! A source that marks its entry points, as by `[shader("vertex")]`, is translated with all of them. Any other source has one:
//! `main`, or the function with a semantic or an attribute of the stage, as on the command line.
//!
//! Refuses to guess: a stage or an entry point that neither an option, nor the name of the file, nor the text determines is an
//! error with a suggestion.

use super::entry::{hlsl_entry, marked_entries};
use super::facts::{stage_named, stage_of, unknown_stage};
use super::includes;
use super::options::SourceOptions;
use super::places::{Lines, Place};
use super::problems::Problem;

/// A source for Slang.
pub(super) struct Source {
    /// The stage, as glslang names it; empty if the source states it.
    pub(super) stage: &'static str,
    /// The entry point; empty for several that the source marks.
    pub(super) entry: String,
    /// The text, with its lines.
    pub(super) lines: Lines,
}

/// Prepares a source, see [`super::prepare`].
pub(super) fn prepared(
    text: &str,
    name: &str,
    options: &SourceOptions,
    included: &dyn Fn(&str) -> Option<String>,
) -> Result<Source, Problem> {
    let marked = marked_entries(text);
    let is_marked = !marked.is_empty();
    let entry = match (&options.entry, is_marked) {
        (Some(entry), _) => entry.clone(),
        (None, true) => match &marked[..] {
            [only] => only.clone(),
            _ => String::new(),
        },
        (None, false) => hlsl_entry(text).ok_or_else(unknown_entry)?,
    };
    let stage = match (&options.stage, is_marked) {
        (Some(stage), _) => {
            stage_named(stage).ok_or_else(|| unknown_stage(format!("`{stage}` is not a stage")))?
        }
        (None, true) => "",
        (None, false) => stage_of(name, text)
            .ok_or_else(|| unknown_stage("the stage of this source is not known".to_owned()))?,
    };
    // Debug information names the file.
    let name = if name.is_empty() { "source.hlsl" } else { name };
    let mut lines = includes::joined(text, name, included)?;
    if !options.defines.is_empty() {
        let define = |define: &String| match define.split_once('=') {
            Some((name, value)) => format!("#define {name} {value}\n"),
            None => format!("#define {define} 1\n"),
        };
        lines.text.insert_str(0, &options.defines.iter().map(define).collect::<String>());
        let added = vec![Place::default(); options.defines.len()];
        lines.places.splice(0..0, added);
    }
    Ok(Source { stage, entry, lines })
}

fn unknown_entry() -> Problem {
    let help = "name it `main`, give its result a semantic such as `SV_Target`, mark it with `[shader(\"pixel\")]`, or use \
                `--source-entry`";
    Problem {
        help: help.to_owned(),
        ..Problem::new("the entry point of this source is not known".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::SourceLanguage;
    use crate::front::source::{Prepared, prepare};

    fn of(text: &str, options: &SourceOptions) -> Result<Prepared, Problem> {
        prepare(text, "", SourceLanguage::Hlsl, options, &|_| None)
    }

    const PIXEL: &str = "float4 PS(float2 uv : UV) : SV_Target { return uv.xyxy; }\n";

    #[test]
    fn marked_entry_points_are_all_translated_and_others_need_a_stage_and_a_name() {
        let default = SourceOptions::default();
        for (text, stage, entry) in [
            (PIXEL, "frag", "PS"),
            ("[numthreads(8, 1, 1)] void main() {}", "comp", "main"),
            ("// [shader(\nfloat4 main() : SV_Position { return 0; }", "vert", "main"),
            ("[shader(\"vertex\")] float4 a() : SV_Position { return 0; }", "", "a"),
            ("[shader(\"vertex\")] void a() {} [shader(\"pixel\")] void b() {}", "", ""),
        ] {
            let found = of(text, &default).map(|of| (of.stage, of.entry));
            assert_eq!(found, Ok((stage, entry.to_owned())), "{text}");
        }
        let chosen = SourceOptions { entry: Some("a".to_owned()), ..SourceOptions::default() };
        let marked = of("[shader(\"vertex\")] float4 a() : SV_Position { return 0; }", &chosen);
        assert!(marked.is_ok_and(|of| of.entry == "a" && of.stage.is_empty()));
        assert!(of("void main() {}", &default).is_err_and(|of| of.says.contains("stage")));
        assert!(of("static int SV_Target;", &default).is_err_and(|of| of.says.contains("entry point")));
    }

    #[test]
    fn macros_come_first_and_lines_stay_those_of_the_source() {
        let options =
            SourceOptions { defines: vec!["A".to_owned(), "B=2".to_owned()], ..SourceOptions::default() };
        let source = of(PIXEL, &options).expect("a pixel shader");
        assert_eq!(source.text, format!("#define A 1\n#define B 2\n{PIXEL}"));
        let log = "/user.slang(3): error 30015: undefined identifier 'x'.\n";
        assert_eq!(source.problems(log)[0].line, 1);
    }
}

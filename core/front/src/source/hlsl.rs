//! HLSL and Slang, prepared for Slang: the files it includes, macros, the stage and the entry point.
//!
//! A source that marks its entry points, as by `[shader("vertex")]`, is translated with all of them. Any other source has one at
//! a time: the chosen one, `main`, or a function with a semantic, an attribute or a name of its stage, as on the command line.
//!
//! Refuses to guess: a stage or an entry point that neither an option, nor the name of the file, nor the text determines is an
//! error with a suggestion.

use super::entry::{HlslChoice, hlsl_choice, hlsl_one};
use super::includes;
use super::options::SourceOptions;
use super::places::{Lines, Place};
use super::problems::Problem;
use super::registers;

/// A source for Slang.
pub(super) struct Source {
    /// The stage, as glslang names it; empty if the source states it.
    pub(super) stage: &'static str,
    /// The entry point; empty for several that the source marks.
    pub(super) entry: String,
    /// The text, with its lines.
    pub(super) lines: Lines,
    /// What was added.
    pub(super) notes: Vec<String>,
}

/// A source for a compiler of the command line, which finds included files itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HlslSource {
    /// The text, in whose lines nothing has moved.
    pub text: String,
    /// The entry point and the stage.
    pub choice: HlslChoice,
    /// What was added to the source.
    pub note: Option<String>,
}

/// Prepares a source for a compiler of the command line. Of several entry points that the source marks,
/// one is chosen. Errors: those of [`hlsl_choice`].
pub fn hlsl_source(text: &str, name: &str, options: &SourceOptions) -> Result<HlslSource, Problem> {
    let choice = hlsl_one(text, name, options)?;
    let (text, note) = registers::placed(text);
    Ok(HlslSource { text, choice, note })
}

/// Prepares a source, see [`super::prepare`].
pub(super) fn prepared(
    text: &str,
    name: &str,
    options: &SourceOptions,
    included: &dyn Fn(&str) -> Option<String>,
) -> Result<Source, Problem> {
    // Debug information names the file.
    let file = if name.is_empty() { "source.hlsl" } else { name };
    let mut lines = includes::joined(text, file, included)?;
    let HlslChoice { entry, stage, is_marked, .. } = hlsl_choice(&lines.text, name, options)?;
    let stage = if is_marked { "" } else { stage };
    let (placed, note) = registers::placed(&lines.text);
    lines.text = placed;
    if !options.defines.is_empty() {
        let define = |define: &String| match define.split_once('=') {
            Some((name, value)) => format!("#define {name} {value}\n"),
            None => format!("#define {define} 1\n"),
        };
        lines.text.insert_str(0, &options.defines.iter().map(define).collect::<String>());
        let added = vec![Place::default(); options.defines.len()];
        lines.places.splice(0..0, added);
    }
    Ok(Source { stage, entry, lines, notes: note.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceLanguage;
    use crate::source::{Prepared, prepare};

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

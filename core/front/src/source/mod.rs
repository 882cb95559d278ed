//! Sources in GLSL, HLSL and Slang, prepared for a front end that translates them to SPIR-V, and what that front end returns.
//!
//! ```text
//! text ── includes ──▶ one text ── rewrite ──▶ Prepared ── another program ──▶ words, log
//!                                              Prepared::finish(words) ◀──────────┤
//!                                              Prepared::problems(log) ◀──────────┘
//! ```
//!
//! The SPIR-V words and the log are the only contract. Every line of the prepared text has its place in the source, so that
//! lines of instructions and of errors are those that a person wrote.
//!
//! Refuses to translate, and to parse expressions: declarations at global scope are the only syntax it knows.

mod places; // start here: lines and their places
mod options; // choices that a text leaves open
mod offered; // the same as controls
mod includes; // one text of several files
mod glsl; // what the Vulkan dialect demands and other dialects lack
mod samplers; // structures with samplers
mod declarations; // bindings, locations, uniforms outside of blocks
mod tokens; // words, directives
mod hlsl; // what Slang needs to know about HLSL
mod registers; // bindings of registers
mod names; // names in the SPIR-V of a text that Slang wrote
mod facts; // the stage of a text
mod entry; // entry points of HLSL and their stages
mod lines; // lines in SPIR-V
mod problems; // errors in a log

pub use entry::{HlslChoice, hlsl_choice};
pub use facts::{STAGES, stage_named, stage_of};
pub use hlsl::{HlslSource, hlsl_source};
pub use includes::FILE_MARK;
pub use offered::{OfferedOption, offered};
pub use options::SourceOptions;
use problems::slang_problems;
pub use problems::{Problem, glslang_problem, glslang_problems};

use super::SourceLanguage;
use facts::unknown_stage;
use hlsl::Source;
use places::Lines;

/// A source that a front end can translate.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The text to translate.
    pub text: String,
    /// The stage, as glslang names it: `vert`. Empty for a source in HLSL or Slang that states the stages of its entry points.
    pub stage: &'static str,
    /// The entry point of a source in HLSL or Slang; empty for several that the source marks as such.
    pub entry: String,
    /// What was added to the source, one sentence each.
    pub notes: Vec<String>,
    lines: Lines,
    is_hlsl: bool,
}

/// Prepares a source in GLSL, in that of Shadertoy, or in HLSL or Slang. `name` is the name of its file, or empty; `included`
/// returns the text of a file by the name in an `#include`. Linear in the size of the result. Errors: a file that is missing or
/// includes itself, a stage that is unknown, and an entry point that is.
pub fn prepare(
    text: &str,
    name: &str,
    language: SourceLanguage,
    options: &SourceOptions,
    included: &dyn Fn(&str) -> Option<String>,
) -> Result<Prepared, Problem> {
    if language == SourceLanguage::Hlsl {
        let Source { stage, entry, lines, notes } = hlsl::prepared(text, name, options, included)?;
        return Ok(Prepared { text: lines.text.clone(), stage, entry, notes, lines, is_hlsl: true });
    }
    let is_toy = language == SourceLanguage::Shadertoy;
    let stage = match (&options.stage, is_toy) {
        (Some(stage), _) => {
            stage_named(stage).ok_or_else(|| unknown_stage(format!("`{stage}` is not a stage")))?
        }
        (None, true) => "frag",
        (None, false) => stage_of(name, text)
            .ok_or_else(|| unknown_stage("the stage of this source is not known".to_owned()))?,
    };
    if let Some(define) = options.defines.iter().find(|define| !options::is_macro(define)) {
        let help = "a macro is NAME or NAME=VALUE, and a name has letters, digits and `_`".to_owned();
        return Err(Problem { help, ..Problem::new(format!("`{define}` is not the name of a macro")) });
    }
    // Debug information names the file.
    let name = if name.is_empty() { format!("source.{stage}") } else { name.to_owned() };
    let lines = includes::joined(text, &name, included)?;
    let job = glsl::Job { stage, is_toy, options };
    let (lines, notes) = glsl::rewritten(lines, &job)?;
    Ok(Prepared { text: lines.text.clone(), stage, notes, lines, ..Prepared::default() })
}

impl Prepared {
    /// The SPIR-V binary with the lines and the text of the source. A binary that cannot be split into instructions stays as
    /// it is. Linear.
    pub fn finish(&self, words: &[u8]) -> Vec<u8> {
        let words = lines::with_lines(words, &self.lines).unwrap_or_else(|| words.to_vec());
        if self.is_hlsl { names::of_source(words, &self.entry) } else { words }
    }

    /// The errors in a log of glslang, or of Slang for its languages, with places in the source. Never empty.
    pub fn problems(&self, log: &str) -> Vec<Problem> {
        let mut found = if self.is_hlsl { slang_problems(log, &self.text) } else { glslang_problems(log) };
        for problem in &mut found {
            self.locate(problem);
        }
        found
    }

    /// Replaces the line of the prepared text by the place in the source.
    pub fn locate(&self, problem: &mut Problem) {
        self.lines.locate(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> Prepared {
        prepare(text, "a.frag", SourceLanguage::Glsl, &SourceOptions::default(), &|_| None).expect(text)
    }

    #[test]
    fn errors_are_at_the_lines_of_the_source() {
        let source = prepared("#version 450\n\nuniform float t;\nvoid main() { foo; }\n");
        let log =
            "ERROR: 0:4: 'foo' : undeclared identifier \nERROR: 1 compilation errors.  No code generated.\n";
        let lines: Vec<_> = source.problems(log).into_iter().map(|of| (of.line, of.says)).collect();
        assert_eq!(lines, [(4, "'foo': undeclared identifier".to_owned())]);
        let old = prepared("void main() {\n  gl_FragColor = foo; }\n");
        let at = 1 + old.text.lines().position(|line| line.contains("foo")).unwrap_or_default();
        let log = format!("ERROR: 0:{at}: 'foo' : undeclared identifier \n");
        assert_eq!(old.problems(&log)[0].line, 2);
    }

    #[test]
    fn a_macro_without_a_name_is_an_error() {
        let of = |define: &str| {
            let options = SourceOptions { defines: vec![define.to_owned()], ..SourceOptions::default() };
            prepare("void main() {}", "a.frag", SourceLanguage::Glsl, &options, &|_| None)
        };
        assert!(of("2X=1").is_err_and(|problem| problem.says.contains("`2X=1`")));
        assert!(of("X2=1").is_ok_and(|source| source.text.contains("#define X2 1\n")));
    }

    #[test]
    fn a_stage_that_is_not_known_is_an_error_with_a_suggestion() {
        let of = |name| {
            prepare(
                "float f() { return 1.0; }",
                name,
                SourceLanguage::Glsl,
                &SourceOptions::default(),
                &|_| None,
            )
        };
        assert!(of("a.glsl").is_err_and(|problem| problem.help.contains("shader_stage")));
        assert!(of("a.comp").is_ok_and(|source| source.stage == "comp"));
    }
}

//! A source to translate, the options of its translation, and the reasons that it has no SPIR-V.

use std::path::Path;
use vitrine_core::front::source::Problem;

/// Options of a source.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct SourceOptions {
    /// The stage of a GLSL or HLSL source: vert, frag, comp, tesc, tese, geom, mesh, task, rgen, rint, rahit, rchit, rmiss or
    /// rcall; by default that of the file's name or its text
    #[arg(long, value_name = "STAGE", help_heading = "Sources")]
    pub(crate) stage: Option<String>,
    /// The entry point of a source; by default `main`, or that of an HLSL text
    #[arg(long, value_name = "NAME", help_heading = "Sources")]
    pub(crate) source_entry: Option<String>,
    /// Defines a macro of a GLSL or HLSL source: NAME or NAME=VALUE
    #[arg(short = 'D', long, value_name = "MACRO", help_heading = "Sources")]
    pub(crate) define: Vec<String>,
}

/// A source and the options of its translation.
pub(super) struct Job<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a Path,
    pub(super) options: &'a SourceOptions,
}

impl Job<'_> {
    /// The name of the source without its folder: that of the file if it is a plain one, or else `default`.
    pub(super) fn name<'n>(&'n self, default: &'n str) -> &'n str {
        let is_plain = |name: &&str| {
            name.starts_with(char::is_alphanumeric)
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        };
        self.file.file_name().and_then(|name| name.to_str()).filter(is_plain).unwrap_or(default)
    }
}

/// The reason that there are no words.
pub(super) enum Failure {
    /// The compiler reports problems.
    Problems(Vec<Problem>),
    /// No compiler was run: the reason, and a suggestion.
    NotRun(String, String),
}

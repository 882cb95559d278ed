//! A source to translate, the options of its translation, and the reasons that it has no SPIR-V.

use std::path::Path;
use vitrine_core::front::source::{self, Problem};
use vitrine_core::share::SharedState;

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
    /// Defines a macro of a GLSL or HLSL source, NAME or NAME=VALUE; sets a constant that a WGSL source declares with `override`
    #[arg(short = 'D', long, value_name = "MACRO", help_heading = "Sources")]
    pub(crate) define: Vec<String>,
    /// The version of SPIR-V that the front end of GLSL or WGSL writes, such as 1.3
    #[arg(long, value_name = "VERSION", help_heading = "Sources")]
    pub(crate) source_target: Option<String>,
}

impl SourceOptions {
    /// The options of a link or reproduction.
    pub(crate) fn of(shared: &SharedState) -> SourceOptions {
        let source::SourceOptions { stage, entry, defines, target } =
            source::SourceOptions::read(&shared.source_options);
        SourceOptions { stage, source_entry: entry, define: defines, source_target: target }
    }

    /// These options, and those of a link or reproduction in place of the ones that were not given here.
    pub(crate) fn or(&self, shared: &SharedState) -> SourceOptions {
        let theirs = SourceOptions::of(shared);
        // The name of the input may state the stage; that of the link does not.
        let stage = || theirs.stage.or_else(|| source::stage_of(&shared.name, "").map(str::to_owned));
        SourceOptions {
            stage: self.stage.clone().or_else(stage),
            source_entry: self.source_entry.clone().or(theirs.source_entry),
            define: if self.define.is_empty() { theirs.define } else { self.define.clone() },
            source_target: self.source_target.clone().or(theirs.source_target),
        }
    }

    /// The arguments of a command line with these options, each after a space.
    pub(crate) fn arguments(&self) -> String {
        let quoted = |of: &str| format!("'{}'", of.replace('\'', "'\\''"));
        let one = |option: &str, value: &Option<String>| {
            value.iter().map(|value| format!(" {option} {}", quoted(value))).collect::<String>()
        };
        let defines: String = self.define.iter().map(|of| format!(" -D {}", quoted(of))).collect();
        let (entry, target) = (&self.source_entry, &self.source_target);
        one("--stage", &self.stage)
            + &one("--source-entry", entry)
            + &defines
            + &one("--source-target", target)
    }

    /// The same for the preparation of a source.
    pub(crate) fn prepared(&self) -> source::SourceOptions {
        source::SourceOptions {
            stage: self.stage.clone(),
            entry: self.source_entry.clone(),
            defines: self.define.clone(),
            target: self.source_target.clone(),
        }
    }
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

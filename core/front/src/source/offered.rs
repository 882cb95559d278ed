//! The options that a front end offers for a source, as controls with their values.
//!
//! Does not list others: an entry point of a source with a single one, a macro of a language without a preprocessor.

use super::entry::{Entry, entries, hlsl_choice, stage_label};
use super::facts::stage_of;
use super::options::SourceOptions;
use super::tokens::{Token, TokenKind, tokens};
use crate::SourceLanguage;

/// An option that the front end of a source has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedOption {
    /// Its key in the text.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its effect.
    pub help: &'static str,
    /// Its values with their names; empty for an option with a free text: lines, of which each is a value.
    pub choices: Vec<[String; 2]>,
    /// The value without a choice; empty if it is not known.
    pub preset: String,
    /// The chosen value, or else the preset.
    pub value: String,
}

/// The stages of the front end of GLSL.
const GLSL_STAGES: [[&str; 2]; 3] = [["vert", "Vertex"], ["frag", "Fragment"], ["comp", "Compute"]];
/// The other stages of the front end of HLSL and Slang.
const HLSL_STAGES: &[[&str; 2]] = &[
    ["tesc", "Hull"],
    ["tese", "Domain"],
    ["geom", "Geometry"],
    ["task", "Amplification"],
    ["mesh", "Mesh"],
];
/// The versions of SPIR-V that glslang in the page writes, and the one without a choice.
const GLSL_TARGETS: (&[&str], &str) = (&["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"], "1.3");
/// The same for naga.
const WGSL_TARGETS: (&[&str], &str) = (&["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"], "1.4");

/// The options that the front end of a source has; `name` is that of its file. Linear in the text.
pub fn offered(
    language: SourceLanguage,
    name: &str,
    text: &str,
    options: &SourceOptions,
) -> Vec<OfferedOption> {
    let tokens: Vec<Token<'_>> =
        tokens(text).into_iter().filter(|token| token.kind != TokenKind::Space).collect();
    match language {
        SourceLanguage::Wgsl => wgsl(&tokens, options),
        SourceLanguage::Glsl => glsl(name, text, &tokens, options),
        // Its frame has one stage and one entry point.
        SourceLanguage::Shadertoy => vec![defines(options), target(GLSL_TARGETS, options)],
        SourceLanguage::Hlsl => hlsl(name, text, options),
    }
}

fn glsl(name: &str, text: &str, tokens: &[Token<'_>], options: &SourceOptions) -> Vec<OfferedOption> {
    let stages = GLSL_STAGES.map(|of| of.map(str::to_owned)).to_vec();
    let stage = OfferedOption {
        key: "stage",
        label: "Stage",
        help: "The stage of the pipeline that this source is for",
        ..chosen(stages, stage_of(name, text).unwrap_or_default(), &options.stage)
    };
    let names = void_functions(tokens);
    let main = if names.contains(&"main") { "main" } else { "" };
    let entry = names.iter().any(|name| *name != "main").then(|| entry(&names, main, "", options));
    [Some(stage), entry, Some(defines(options)), Some(target(GLSL_TARGETS, options))]
        .into_iter()
        .flatten()
        .collect()
}

/// A stage that the source states needs no choice, and neither does a single entry point.
fn hlsl(name: &str, text: &str, options: &SourceOptions) -> Vec<OfferedOption> {
    let known = entries(text);
    let is_marked = known.iter().any(|of| of.is_marked);
    let unchosen = SourceOptions { stage: None, ..options.clone() };
    let preset = hlsl_choice(text, name, &unchosen).map_or("", |choice| choice.stage);
    let stages = GLSL_STAGES.iter().chain(HLSL_STAGES).map(|of| of.map(str::to_owned)).collect();
    let stage = (!is_marked).then(|| OfferedOption {
        key: "stage",
        label: "Stage",
        help: "The stage of the pipeline that this source is for",
        ..chosen(stages, preset, &options.stage)
    });
    let entry = (known.len() > 1).then(|| {
        let label = |of: &Entry| match of.stages.first() {
            Some(stage) => format!("{} ({})", of.name, stage_label(stage)),
            None => of.name.clone(),
        };
        let all = is_marked.then(|| [String::new(), "all".to_owned()]);
        let choices = all.into_iter().chain(known.iter().map(|of| [of.name.clone(), label(of)])).collect();
        let unchosen = SourceOptions { entry: None, ..options.clone() };
        let preset = hlsl_choice(text, name, &unchosen).map_or_else(|_| String::new(), |of| of.entry);
        entry_of(choices, &preset, options)
    });
    [stage, entry, Some(defines(options))].into_iter().flatten().collect()
}

fn wgsl(tokens: &[Token<'_>], options: &SourceOptions) -> Vec<OfferedOption> {
    let names = entry_points(tokens);
    let entry = (names.len() > 1).then(|| entry(&names, "", "all", options));
    let has_overrides = tokens.iter().any(|token| token.kind == TokenKind::Word && token.text == "override");
    let overrides = has_overrides.then(|| OfferedOption {
        label: "Overrides",
        help: "Values of constants that are declared with `override`: NAME=VALUE, separated by spaces",
        ..defines(options)
    });
    [entry, overrides, Some(target(WGSL_TARGETS, options))].into_iter().flatten().collect()
}

fn entry(names: &[&str], preset: &str, all: &str, options: &SourceOptions) -> OfferedOption {
    let every = (!all.is_empty()).then(|| [String::new(), all.to_owned()]);
    let names = names.iter().map(|name| [(*name).to_owned(), (*name).to_owned()]);
    entry_of(every.into_iter().chain(names).collect(), preset, options)
}

fn entry_of(choices: Vec<[String; 2]>, preset: &str, options: &SourceOptions) -> OfferedOption {
    OfferedOption {
        key: "entry",
        label: "Entry",
        help: "The function that is the entry point",
        ..chosen(choices, preset, &options.entry)
    }
}

fn defines(options: &SourceOptions) -> OfferedOption {
    OfferedOption {
        key: "define",
        label: "Defines",
        help: "Macros: NAME or NAME=VALUE, separated by spaces",
        value: options.defines.join("\n"),
        ..OfferedOption::default()
    }
}

fn target((versions, preset): (&[&str], &str), options: &SourceOptions) -> OfferedOption {
    let versions = versions.iter().map(|version| [*version, version].map(str::to_owned)).collect();
    OfferedOption {
        key: "target",
        label: "SPIR-V",
        help: "The version of SPIR-V that the front end writes",
        ..chosen(versions, preset, &options.target)
    }
}

/// An option with these choices. A value that is none of them, as of an older text, is one more.
fn chosen(mut choices: Vec<[String; 2]>, preset: &str, value: &Option<String>) -> OfferedOption {
    let value = value.clone().unwrap_or_else(|| preset.to_owned());
    for wanted in [preset, &value] {
        if !wanted.is_empty() && choices.iter().all(|[known, _]| known != wanted) {
            choices.push([wanted, wanted].map(str::to_owned));
        }
    }
    OfferedOption { choices, preset: preset.to_owned(), value, ..OfferedOption::default() }
}

/// The functions of GLSL that could be an entry point: without a result and without parameters, in order.
fn void_functions<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text != "void" || token.kind != TokenKind::Word {
            continue;
        }
        let next = |by: usize| tokens.get(at + by).map_or("", |token| token.text);
        let parameters = if next(3) == "void" { 4 } else { 3 };
        if (next(2), next(parameters), next(parameters + 1)) == ("(", ")", "{") && !names.contains(&next(1)) {
            names.push(next(1));
        }
    }
    names
}

/// The entry points of WGSL, in order.
fn entry_points<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut is_entry = false;
    for pair in tokens.windows(2) {
        match (pair[0].text, pair[1].text) {
            ("@", "vertex" | "fragment" | "compute") => is_entry = true,
            ("fn", name) if std::mem::take(&mut is_entry) => names.push(name),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(language: SourceLanguage, name: &str, text: &str, options: &str) -> Vec<(&'static str, String)> {
        let offered = offered(language, name, text, &SourceOptions::read(options));
        offered.into_iter().map(|of| (of.key, of.value)).collect()
    }

    #[test]
    fn glsl_has_its_stage_and_an_entry_point_if_there_are_several() {
        let one = "void main() {}\nvoid helper(int x) {}\nfloat f() { return 1.0; }";
        let of = |name, text, options| keys(SourceLanguage::Glsl, name, text, options);
        let with = |stage: &str, rest: &[(&'static str, &str)]| {
            let all = [("stage", stage)].into_iter().chain(rest.iter().copied());
            all.map(|(key, value)| (key, value.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(of("a.vert", one, ""), with("vert", &[("define", ""), ("target", "1.3")]));
        assert_eq!(of("", one, ""), with("", &[("define", ""), ("target", "1.3")]), "an unknown stage");
        let two = "void main(void) {}\n/* void no() {} */ void draw() {}\nvoid later();";
        assert_eq!(
            of("a.comp", two, "stage=frag\nentry=gone\ndefine=A=1\ndefine=B"),
            with("frag", &[("entry", "gone"), ("define", "A=1\nB"), ("target", "1.3")])
        );
        let all = offered(SourceLanguage::Glsl, "a.comp", two, &SourceOptions::default());
        let names: Vec<&str> = all[1].choices.iter().map(|[name, _]| name.as_str()).collect();
        assert_eq!((names, all[1].preset.as_str()), (vec!["main", "draw"], "main"));
    }

    #[test]
    fn wgsl_has_entry_points_and_overrides_if_its_text_has_them() {
        let of = |text| keys(SourceLanguage::Wgsl, "", text, "");
        let target = || ("target", "1.4".to_owned());
        assert_eq!(of("@compute @workgroup_size(1) fn main() {}"), [target()]);
        let several = "@vertex fn vs() {}\nfn helper() {}\n@fragment\nfn fs() {}\noverride n: u32 = 4;";
        let empty = |key| (key, String::new());
        assert_eq!(of(several), [empty("entry"), empty("define"), target()]);
        let all = offered(SourceLanguage::Wgsl, "", several, &SourceOptions::read("entry=fs"));
        let names: Vec<&str> = all[0].choices.iter().map(|[_, name]| name.as_str()).collect();
        assert_eq!((names, all[0].value.as_str()), (vec!["all", "vs", "fs"], "fs"));
    }

    #[test]
    fn hlsl_has_a_stage_or_the_entry_points_that_it_marks() {
        let of = |text| keys(SourceLanguage::Hlsl, "", text, "");
        let pixel = "float4 main() : SV_Target { return 0; }";
        assert_eq!(of(pixel), [("stage", "frag".to_owned()), ("define", String::new())]);
        let marked = "[shader(\"vertex\")] void a() {} [shader(\"pixel\")] void b() {}";
        assert_eq!(of(marked), [("entry", String::new()), ("define", String::new())]);
        let both = "float4 VS() : SV_Position { return 0; } float4 PS() : SV_Target { return 0; }";
        let with = |options: &str| {
            let all = offered(SourceLanguage::Hlsl, "", both, &SourceOptions::read(options));
            let choices: Vec<String> = all[1].choices.iter().map(|[_, label]| label.clone()).collect();
            (all[0].value.clone(), all[1].value.clone(), choices.join(", "))
        };
        let choices = || "VS (vertex), PS (fragment)".to_owned();
        assert_eq!(with(""), ("frag".to_owned(), "PS".to_owned(), choices()));
        assert_eq!(with("entry=VS"), ("vert".to_owned(), "VS".to_owned(), choices()));
        assert_eq!(with("stage=vert"), ("vert".to_owned(), "VS".to_owned(), choices()));
    }
}

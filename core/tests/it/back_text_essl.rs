//! GLSL ES: glslang accepts the texts of all modules, and their results are the same.
//!
//! The text is judged as it is. It is run as the same text for Vulkan, where resources have the sets and bindings that the
//! comments state, and inputs and outputs the locations that are part of their names.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{Item, modules};
use crate::testing::glslang::Glslang;
use crate::testing::written::{self, Text};
use vitrine_core::front::InputKind;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Module, Stage};
use vitrine_core::lab::compare::{Comparer, Settings, Verdict};
use vitrine_core::text::parse;
use vitrine_filetests::parallel::each;

/// Modules with more words are compiled, but not run.
const MOST_WORDS: usize = 6_000;

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Outcome {
    OtherStage,
    Refused,
    Rejected,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

/// The text for Vulkan: with the sets, bindings, locations and specialization constants of the program.
fn for_vulkan(text: &str) -> String {
    let mut out = String::new();
    // The comment before the line.
    let mut stated = String::new();
    for line in text.lines() {
        let line = line.replace("#version 300 es", "#version 310 es");
        let line = line.replace("gl_VertexID", "gl_VertexIndex").replace("gl_InstanceID", "gl_InstanceIndex");
        if let Some(comment) = line.strip_prefix("// ") {
            comment.clone_into(&mut stated);
            continue;
        }
        out.push_str(&vulkan_line(&line, &std::mem::take(&mut stated)));
        out.push('\n');
    }
    out
}

fn vulkan_line(line: &str, stated: &str) -> String {
    // A comment of the whole text stands before an empty line.
    if line.is_empty() {
        return String::new();
    }
    // The comment explains the macro that selects an entry point.
    if line.starts_with('#') {
        return line.to_owned();
    }
    let place = |text: &str| text.replace("set ", "set = ").replace("binding ", "binding = ");
    if let Some(id) = stated.strip_prefix("specialization constant ") {
        return format!("layout(constant_id = {id}) {line}");
    }
    if let Some((image, sampler)) = stated.strip_prefix("image: ").and_then(|it| it.split_once("; sampler: "))
    {
        // Separate again; the name of both is a macro.
        let declared = line.split_once("uniform ").map_or("", |(_, rest)| rest).trim_end_matches(';');
        let (ty, name) = declared.split_once(' ').unwrap_or_default();
        let of_image = ty.replace("sampler", "texture").replace("Shadow", "");
        let kind = if ty.ends_with("Shadow") { "samplerShadow" } else { "sampler" };
        return format!(
            "layout({}) uniform highp {of_image} {name}_image;\nlayout({}) uniform highp {kind} {name}_state;\n\
             #define {name} {ty}({name}_image, {name}_state)",
            place(image),
            place(sampler),
        );
    }
    let place = match stated {
        "" => String::new(),
        "push constants" => "push_constant".to_owned(),
        // The size has the default of its constants there, too.
        size if size.starts_with("local_size_") => String::new(),
        _ => place(stated.strip_prefix("image: ").unwrap_or(stated)),
    };
    let location = line.split_once(" location_").filter(|_| line.ends_with(';') && !line.starts_with(' '));
    let location = location.map(|(_, name)| name.trim_end_matches(|c: char| !c.is_ascii_digit()).to_owned());
    let first = match (place.is_empty(), location) {
        (false, _) => place,
        (true, Some(location)) => format!("location = {location}"),
        (true, None) => return line.to_owned(),
    };
    let (layout, rest) =
        line.strip_prefix("layout(").and_then(|rest| rest.split_once(") ")).unwrap_or(("", line));
    let kept = layout.split(", ").filter(|part| !part.is_empty() && !part.starts_with("binding"));
    let parts: Vec<&str> = [first.as_str()].into_iter().chain(kept).collect();
    format!("layout({}) {rest}", parts.join(", "))
}

fn judge(item: &Item, backend: &'static str, glslang: &Glslang) -> (Outcome, String) {
    let module = read(&item.bytes()).module;
    judge_written(
        &module,
        |version| written::text(item, version),
        backend,
        glslang,
        item.words() <= MOST_WORDS,
    )
}

/// Writes, compiles and compares a module.
pub(crate) fn judge_module(
    module: &Module,
    backend: &'static str,
    glslang: &Glslang,
    runs: bool,
) -> (Outcome, String) {
    judge_written(module, |version| written::text_of(module, version), backend, glslang, runs)
}

/// Compiles and compares a module, of which `text` gives the text of a version of the language.
fn judge_written(
    module: &Module,
    text: impl Fn(&'static str) -> Text,
    backend: &'static str,
    glslang: &Glslang,
    runs: bool,
) -> (Outcome, String) {
    let stage = match module.entries.as_slice() {
        [entry] => match stage_name(entry.stage, backend) {
            Some(stage) => stage,
            None => return (Outcome::OtherStage, String::new()),
        },
        _ => return (Outcome::OtherStage, String::new()),
    };
    let written = match text(backend) {
        Ok(written) => written,
        Err(diags) => return (Outcome::Refused, diags.first().map(ToString::to_string).unwrap_or_default()),
    };
    // Version 3.00 has run it.
    let has_run = backend == "essl-310" && stage != "comp" && text("essl").is_ok();
    judge_text(module.clone(), &written, stage, glslang, runs && !has_run)
}

/// The name of a stage in glslang. `None` if a version does not have it.
pub(crate) fn stage_name(stage: Stage, backend: &str) -> Option<&'static str> {
    match stage {
        Stage::Vertex => Some("vert"),
        Stage::Fragment => Some("frag"),
        Stage::Compute if backend == "essl-310" => Some("comp"),
        _ => None,
    }
}

/// Compiles the text of a module with one entry point, and compares the results.
pub(crate) fn judge_text(
    module: Module,
    text: &str,
    stage: &str,
    glslang: &Glslang,
    runs: bool,
) -> (Outcome, String) {
    if let Some(long) = text.lines().find(|line| line.len() > 100) {
        return (Outcome::Rejected, format!("a line is too long: {long}"));
    }
    if !glslang.installed {
        return (Outcome::Accepted, String::new());
    }
    if let Err(message) = glslang.check(text, stage) {
        // Version 12 of glslang has the extension for GLSL only.
        let is_unknown = message.contains("extension not supported: GL_EXT_clip_cull_distance");
        return (if is_unknown { Outcome::Accepted } else { Outcome::Rejected }, message);
    }
    // The elements of an array of images are images of their own there.
    if !runs || text.lines().any(|line| line.starts_with("// image: ") && line.contains(", element ")) {
        return (Outcome::Accepted, String::new());
    }
    let binary = match glslang.compile(&for_vulkan(text), stage) {
        Ok(binary) => binary,
        Err(message) => return (Outcome::Accepted, message),
    };
    let again = read(&binary).module;
    let pair = vec![("input".to_owned(), Ok(module)), ("text".to_owned(), Ok(again))];
    let settings = Settings { trials: 4, ..Settings::default() };
    let mut comparer = Comparer::of_modules(pair, InputKind::Spirv, settings);
    while comparer.step() {}
    match comparer.stages().last().map(|stage| &stage.verdict) {
        Some(Verdict::Same | Verdict::Rounding(_)) => (Outcome::Same, String::new()),
        Some(verdict @ (Verdict::Differs { .. } | Verdict::Invalid(_))) => {
            (Outcome::Differs, verdict.to_string())
        }
        Some(verdict) => (Outcome::Accepted, verdict.to_string()),
        None => (Outcome::Accepted, String::new()),
    }
}

/// Modules whose results differ for a known reason.
const KNOWN: &[(&str, &str)] = &[];

/// Judges all modules.
fn judge_all(backend: &'static str) {
    let glslang = Glslang::new(&format!("back-text-{backend}"));
    let items = modules();
    let mut found = each(&items, |item| {
        let (outcome, why) = judge(item, backend, &glslang);
        (item.file.clone(), outcome, why)
    });
    found.sort();
    let count = |wanted: Outcome| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    for (file, outcome, why) in &found {
        if !matches!(outcome, Outcome::OtherStage | Outcome::Same) {
            println!("{outcome:?} {file}: {}", why.lines().next().unwrap_or(""));
        }
    }
    let wrong: Vec<&(String, Outcome, String)> = found
        .iter()
        .filter(|(file, outcome, _)| {
            matches!(outcome, Outcome::Rejected | Outcome::Differs)
                && !KNOWN.iter().any(|(known, _)| known == file)
        })
        .collect();
    let counts = [Outcome::OtherStage, Outcome::Refused, Outcome::Accepted, Outcome::Same].map(count);
    println!("{} modules: [OtherStage, Refused, Accepted, Same] {counts:?}", found.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The text that is run differs from the one that is judged, but is never refused.
    let unreadable = found.iter().filter(|(_, outcome, why)| {
        *outcome == Outcome::Accepted && why.contains("ERROR") && !why.contains("extension not supported")
    });
    let unreadable: Vec<_> = unreadable.collect();
    assert!(unreadable.is_empty(), "{unreadable:#?}");
    if glslang.installed {
        crate::outcomes::check(backend, &found);
    }
}

#[test]
fn glslang_accepts_every_text_of_version_3_00() {
    judge_all("essl");
}

#[test]
fn glslang_accepts_every_text_of_version_3_10() {
    judge_all("essl-310");
}

#[test]
fn places_of_resources_are_those_of_the_program() {
    let text = "#version 300 es\n// set 1, binding 2\nlayout(std140) uniform B {\n// image: set 0, binding 3; sampler: set 0, binding 4\nuniform sampler2D t_s;\nin vec4 location_5;\n";
    let want = "#version 310 es\nlayout(set = 1, binding = 2, std140) uniform B {\nlayout(set = 0, binding = 3) uniform highp texture2D t_s_image;\nlayout(set = 0, binding = 4) uniform highp sampler t_s_state;\n#define t_s sampler2D(t_s_image, t_s_state)\nlayout(location = 5) in vec4 location_5;\n";
    assert_eq!(for_vulkan(text), want);
}

#[test]
fn an_image_of_an_array_of_arrays_is_combined_with_its_sampler() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n\
         out $0: f32x4 {location 0}\nhandle $1: [[image<2d f32> * 3] * 2] {set 0, binding 0}\n\
         handle $2: sampler {set 0, binding 1}\nin $3: f32x2 {location 0}\n\n\
         entry fragment \"main\" @0 ($0, $3) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n  \
         %0: path = deref.var $1\n  %1: b32 = const 1\n  %2: path = deref.elem %0, %1\n  %3: b32 = const 2\n  \
         %4: path = deref.elem %2, %3\n  %5: handle = load %4\n  %6: path = deref.var $2\n  %7: handle = load %6\n  \
         %8: handle = tex.combine %5, %7\n  %9: path = deref.var $3\n  %10: b32x2 = load %9\n  \
         %11: b32x4 = tex.sample %8, %10 {dim 2d, roles image+coord}\n  %12: path = deref.var $0\n  \
         %13 = store %12, %11\n  return\n}\n",
    );
    let text = written::text_of(&parsed.module, "essl").expect("the language has such a program");
    assert!(text.contains("// image: set 0, binding 0, element 1 2; sampler: set 0, binding 1"), "{text}");
    // The inner array is a structure elsewhere, which holds no images here.
    assert!(!text.contains("Row") && !text.contains(".e"), "{text}");
}

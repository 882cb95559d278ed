//! GLSL of any dialect as GLSL for Vulkan: the version, names of older versions, Shadertoy's frame, macros, the entry point.
//!
//! Tokens are replaced in place, so that every line stays in its place; other lines are added after `#version` and at the end.
//! Everything that is added is listed in a note.
//!
//! Limits: textures of Shadertoy are two-dimensional. Members of the built-in state of OpenGL 2 have no replacement, and are
//! errors of the front end.

use super::declarations;
use super::options::SourceOptions;
use super::places::{Lines, Place};
use super::problems::Problem;
use super::samplers;
use super::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// The facts about a source that its text does not state.
pub(super) struct Job<'a> {
    pub(super) stage: &'static str,
    pub(super) is_toy: bool,
    pub(super) options: &'a SourceOptions,
}

/// Functions of GLSL before 1.30, of GLSL ES 1.00 and its extensions, and their later names.
const OLD_CALLS: &[(&str, &str)] = &[
    ("texture1D", "texture"),
    ("texture2D", "texture"),
    ("texture2DLod", "textureLod"),
    ("texture2DLodEXT", "textureLod"),
    ("texture2DProj", "textureProj"),
    ("texture2DProjLod", "textureProjLod"),
    ("texture2DProjLodEXT", "textureProjLod"),
    ("texture2DGradEXT", "textureGrad"),
    ("texture3D", "texture"),
    ("textureCube", "texture"),
    ("textureCubeLod", "textureLod"),
    ("textureCubeLodEXT", "textureLod"),
    ("textureCubeGradEXT", "textureGrad"),
];

/// Names that became words of the language in later versions: the word, the first version of GLSL and of GLSL ES that has it,
/// and a part of the names of the extensions that have it before.
const LATER_WORDS: &[(&str, u32, u32, &str)] = &[
    ("sample", 400, 320, "gpu_shader5"),
    ("patch", 400, 320, "tessellation_shader"),
    ("precise", 400, 320, "gpu_shader5"),
    ("subroutine", 400, 1000, "shader_subroutine"),
    ("coherent", 420, 310, "shader_image_load_store"),
    ("restrict", 420, 310, "shader_image_load_store"),
    ("readonly", 420, 310, "shader_image_load_store"),
    ("writeonly", 420, 310, "shader_image_load_store"),
    ("buffer", 430, 310, "shader_storage_buffer_object"),
    ("shared", 430, 310, "compute_shader"),
];

/// Extensions that are part of later versions.
const OLD_EXTENSIONS: &[&str] = &[
    "GL_OES_standard_derivatives",
    "GL_EXT_shader_texture_lod",
    "GL_EXT_frag_depth",
    "GL_EXT_draw_buffers",
    "GL_OES_texture_3D",
    "GL_OES_EGL_image_external",
    "GL_ARB_shading_language_include",
    "GL_GOOGLE_include_directive",
    "GL_ARB_gpu_shader5",
    "GL_ARB_shader_texture_lod",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_shading_language_420pack",
];

/// The members of Shadertoy's block of uniforms.
const TOY_UNIFORMS: &str = "layout(set = 0, binding = 0) uniform Shadertoy { vec3 iResolution; float iTime; float iTimeDelta; \
     float iFrameRate; int iFrame; vec4 iMouse; vec4 iDate; float iSampleRate; float iChannelTime[4]; vec3 iChannelResolution[4]; };";

/// The dialect of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Dialect {
    version: u32,
    is_es: bool,
    /// True for the words of GLSL 1.20 and GLSL ES 1.00.
    is_old: bool,
}

/// The text for Vulkan, and the notes about it.
///
/// Errors: a structure with too many samplers.
pub(super) fn rewritten(lines: Lines, job: &Job<'_>) -> Result<(Lines, Vec<String>), Problem> {
    let (split, note) = samplers::split(&lines.text).map_err(|mut problem| {
        lines.locate(&mut problem);
        problem
    })?;
    let all = tokens(&split);
    let dialect = dialect(&all);
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut out: Vec<String> = all.iter().map(|token| token.text.to_owned()).collect();
    let words: BTreeSet<&str> =
        all.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text).collect();
    let mut head = Vec::new();
    let mut version_line = None;
    let version = match dialect {
        Some(Dialect { version, is_es: true, .. }) if version >= 310 => format!("{version} es"),
        Some(Dialect { version: 300, is_es: true, .. }) => "310 es".to_owned(),
        Some(Dialect { version, is_es: false, .. }) if version >= 450 => version.to_string(),
        Some(_) | None => "450".to_owned(),
    };
    directives(&all, &mut out, &version, &mut version_line, &mut notes);
    if version_line.is_none() {
        head.push(format!("#version {version}"));
        if dialect.is_none() {
            notes.push(format!("the version is {version}"));
        }
    }
    head.extend(job.options.defines.iter().map(|define| match define.split_once('=') {
        Some((name, value)) => format!("#define {name} {value}"),
        None => format!("#define {define} 1"),
    }));
    // Drivers take the old names in versions with a compatibility profile, too.
    let is_old = dialect.map_or_else(
        || looks_old(&words),
        |dialect| dialect.is_old || !dialect.is_es && dialect.version < 420 && looks_old(&words),
    );
    let later = match (dialect, is_old || job.is_toy) {
        (Some(dialect), _) => later_words(dialect, &all),
        (None, true) => LATER_WORDS.iter().map(|(word, ..)| *word).collect(),
        (None, false) => Vec::new(),
    };
    names(&all, &mut out, &Names { is_old, later, stage: job.stage, entry: entry(job) });
    if is_old {
        head.extend(old_outputs(&all, &words, job.stage));
        notes.push("names of an older version of GLSL are replaced by those of GLSL 4.50".to_owned());
    }
    let mut taken = 0;
    if job.is_toy {
        head.push("layout(location = 0) out vec4 shadertoy_color;".to_owned());
        head.push(TOY_UNIFORMS.to_owned());
        for (channel, name) in ["iChannel0", "iChannel1", "iChannel2", "iChannel3"].into_iter().enumerate() {
            if words.contains(name) {
                head.push(format!("layout(set = 0, binding = {}) uniform sampler2D {name};", channel + 1));
            }
        }
        notes.push("Shadertoy's uniforms and a `main` that calls `mainImage` are added".to_owned());
        taken = 5;
    }
    declarations::complete(&all, &mut out, job.stage, taken, &mut notes);
    let mut tail = Vec::new();
    if job.is_toy && !calls(&all, "main") {
        // The origin of Shadertoy is at the lower left.
        tail.push(
            "void main() { mainImage(shadertoy_color, vec2(gl_FragCoord.x, iResolution.y - gl_FragCoord.y)); }"
                .to_owned(),
        );
    }
    if let Some(entry) = entry(job) {
        tail.push(format!("void main() {{ {entry}(); }}"));
        notes.push(format!("a `main` that calls `{entry}` is added"));
    }
    drop(words);
    let text = out.concat();
    Ok((assembled(lines, &text, version_line, &head, &tail), notes))
}

fn entry<'a>(job: &Job<'a>) -> Option<&'a str> {
    job.options.entry.as_deref().filter(|entry| !matches!(*entry, "" | "main" | "mainImage"))
}

/// The text with added lines after the line of the version, or else at its beginning, and at its end.
fn assembled(
    lines: Lines,
    text: &str,
    version_line: Option<usize>,
    head: &[String],
    tail: &[String],
) -> Lines {
    let Lines { places, files, .. } = lines;
    let mut out = Lines { files, ..Lines::default() };
    let add = |out: &mut Lines, line: &str, place: Place| {
        out.text.push_str(line);
        out.text.push('\n');
        out.places.push(place);
    };
    let before = version_line.map_or(0, |line| line + 1);
    for (at, line) in text.lines().enumerate() {
        if at == before {
            head.iter().for_each(|line| add(&mut out, line, Place::default()));
        }
        add(&mut out, line, places.get(at).copied().unwrap_or_default());
    }
    if text.lines().count() <= before {
        head.iter().for_each(|line| add(&mut out, line, Place::default()));
    }
    tail.iter().for_each(|line| add(&mut out, line, Place::default()));
    out
}

/// The name and the rest of a directive.
fn directive(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches('#').trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    (&rest[..end], rest[end..].trim())
}

fn dialect(all: &[Token<'_>]) -> Option<Dialect> {
    let version = all.iter().filter(|token| token.kind == TokenKind::Directive).find_map(|token| {
        let (name, rest) = directive(token.text);
        (name == "version").then_some(rest)
    })?;
    let mut parts = version.split_whitespace();
    let version = parts.next().and_then(|number| number.parse().ok()).unwrap_or(450);
    let is_es = parts.next() == Some("es") || version == 100;
    Some(Dialect { version, is_es, is_old: version < 130 })
}

/// The words that are names in a dialect, because it does not have them yet.
fn later_words(dialect: Dialect, all: &[Token<'_>]) -> Vec<&'static str> {
    let directives = all.iter().filter(|token| token.kind == TokenKind::Directive).map(|token| token.text);
    let extensions: Vec<&str> = directives.filter(|text| directive(text).0 == "extension").collect();
    let is_later = |&&(_, core, es, extension): &&(&str, u32, u32, &str)| {
        let first = if dialect.is_es { es } else { core };
        dialect.version < first && !extensions.iter().any(|text| text.contains(extension))
    };
    LATER_WORDS.iter().filter(is_later).map(|(word, ..)| *word).collect()
}

/// True for a text without a version that has words of GLSL 1.20 or GLSL ES 1.00.
fn looks_old(words: &BTreeSet<&str>) -> bool {
    ["attribute", "varying", "gl_FragColor", "gl_FragData", "texture2D", "textureCube"]
        .iter()
        .any(|word| words.contains(word))
}

/// Replaces the version; empties directives that have no meaning any more. Lines are those of the editor, whatever `#line` states.
fn directives(
    all: &[Token<'_>],
    out: &mut [String],
    version: &str,
    version_line: &mut Option<usize>,
    notes: &mut Vec<String>,
) {
    let mut line = 0;
    for (token, out) in all.iter().zip(out) {
        if token.kind == TokenKind::Directive {
            let breaks = "\\\n".repeat(token.text.matches('\n').count());
            match directive(token.text) {
                ("version", stated) if version_line.is_none() => {
                    // In GLSL ES nothing may stand before the version.
                    let is_first = line == 0 || !version.ends_with("es");
                    *version_line = is_first.then(|| line + token.text.matches('\n').count());
                    let stated = stated.split("//").next().unwrap_or("").trim();
                    if stated.trim_end_matches(" core") != version {
                        notes.push(format!("`#version {stated}` is read as `#version {version}`"));
                    }
                    *out = if is_first { format!("#version {version}") } else { "#".to_owned() };
                }
                // An empty directive keeps continued lines.
                ("version" | "line", _) => *out = format!("#{breaks}"),
                ("extension", rest) if OLD_EXTENSIONS.iter().any(|name| rest.starts_with(name)) => {
                    *out = format!("#{breaks}");
                }
                _ => {}
            }
        }
        line += token.text.matches('\n').count();
    }
}

/// The choices of a replacement of names.
struct Names<'a> {
    is_old: bool,
    /// Words of later versions, which are names here.
    later: Vec<&'static str>,
    stage: &'a str,
    entry: Option<&'a str>,
}

fn names(all: &[Token<'_>], out: &mut [String], names: &Names<'_>) {
    let calls: BTreeMap<&str, &str> = OLD_CALLS.iter().copied().collect();
    let next =
        |at: usize| all[at + 1..].iter().find(|token| token.kind != TokenKind::Space).map(|token| token.text);
    let is_member = |at: usize| {
        all[..at]
            .iter()
            .rev()
            .find(|token| token.kind != TokenKind::Space)
            .is_some_and(|token| token.text == ".")
    };
    for (at, token) in all.iter().enumerate() {
        // Old names also stand in macros.
        if token.kind == TokenKind::Directive && names.is_old && directive(token.text).0 == "define" {
            out[at] = macro_of(token.text, &calls);
        }
        if token.kind != TokenKind::Word || is_member(at) {
            continue;
        }
        let name = token.text;
        let new = match name {
            "gl_VertexID" => Some("gl_VertexIndex"),
            "gl_InstanceID" => Some("gl_InstanceIndex"),
            "gl_FragDepthEXT" => Some("gl_FragDepth"),
            "main" if names.entry.is_some() && next(at) == Some("(") => Some("main_of_the_source"),
            "attribute" if names.is_old => Some("in"),
            "varying" if names.is_old => Some(if names.stage == "vert" { "out" } else { "in" }),
            "gl_FragColor" if names.is_old => Some("fragment_color"),
            "gl_FragData" if names.is_old => Some("fragment_data"),
            "texture" if names.is_old && next(at) != Some("(") => Some("texture_"),
            _ => calls.get(name).copied().filter(|_| names.is_old && next(at) == Some("(")),
        };
        if let Some(new) = new {
            out[at] = new.to_owned();
        } else if names.later.contains(&name) {
            out[at] = format!("{name}_");
        }
    }
}

fn macro_of(text: &str, calls: &BTreeMap<&str, &str>) -> String {
    let Some((hash, body)) = text.split_at_checked(1) else { return text.to_owned() };
    let replaced = tokens(body).into_iter().map(|token| match token.text {
        "gl_FragColor" => "fragment_color",
        "gl_FragData" => "fragment_data",
        name => calls.get(name).copied().unwrap_or(name),
    });
    hash.to_owned() + &replaced.collect::<String>()
}

/// Declarations of the outputs that old fragment shaders have without declaring them.
fn old_outputs(all: &[Token<'_>], words: &BTreeSet<&str>, stage: &str) -> Vec<String> {
    let mut out = Vec::new();
    let in_macro =
        |name: &str| all.iter().any(|token| token.kind == TokenKind::Directive && token.text.contains(name));
    if stage == "frag" && (words.contains("gl_FragColor") || in_macro("gl_FragColor")) {
        out.push("layout(location = 0) out vec4 fragment_color;".to_owned());
    }
    if stage == "frag" && (words.contains("gl_FragData") || in_macro("gl_FragData")) {
        let code: Vec<&str> =
            all.iter().filter(|token| token.kind != TokenKind::Space).map(|token| token.text).collect();
        let indices = code
            .windows(3)
            .filter(|of| of[0] == "gl_FragData" && of[1] == "[")
            .filter_map(|of| of[2].parse::<u32>().ok());
        let count = indices.max().map_or(4, |last| last.min(7) + 1);
        out.push(format!("layout(location = 0) out vec4 fragment_data[{count}];"));
    }
    out
}

/// True if a function of this name is declared or called.
fn calls(all: &[Token<'_>], name: &str) -> bool {
    let code: Vec<&Token<'_>> = all.iter().filter(|token| token.kind != TokenKind::Space).collect();
    code.windows(2).any(|of| of[0].text == name && of[1].text == "(")
}

#[cfg(test)]
mod tests {
    use super::super::{SourceOptions, prepare};
    use crate::SourceLanguage;

    fn text(source: &str, name: &str, language: SourceLanguage, options: &SourceOptions) -> String {
        prepare(source, name, language, options, &|_| None).map(|done| done.text).unwrap_or_default()
    }

    #[test]
    fn older_dialects_get_the_version_and_the_names_of_vulkan() {
        let source = "#extension GL_OES_standard_derivatives : enable\nprecision mediump float;\nvarying vec2 uv;\nuniform sampler2D map;\n#define LOOK(p) texture2D(map, p)\nvoid main() { float sample = 1.0; gl_FragColor = LOOK(uv) * sample + texture2D(map, uv); }\n";
        let done = text(source, "a.frag", SourceLanguage::Glsl, &SourceOptions::default());
        for wanted in [
            "#version 450\nlayout(location = 0) out vec4 fragment_color;\n#\nprecision",
            "layout(location = 0) in vec2 uv;",
            "layout(binding = 0) uniform sampler2D map;",
            "texture(map, p)\n",
            "fragment_color = LOOK(uv) * sample_ + texture(map, uv)",
        ] {
            assert!(done.contains(wanted), "{wanted}: {done}");
        }
        let es = "#version 300 es\nin vec3 p;\nvoid main() { gl_Position = vec4(p, float(gl_VertexID)); }\n";
        let done = text(es, "a.vert", SourceLanguage::Glsl, &SourceOptions::default());
        assert!(done.starts_with("#version 310 es\nlayout(location = 0) in vec3 p;\n"), "{done}");
        assert!(done.contains("gl_VertexIndex"));
    }

    #[test]
    fn shadertoy_code_keeps_its_lines_and_gets_the_channels_it_uses() {
        let toy = "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel2, p); }";
        let done = text(toy, "", SourceLanguage::Shadertoy, &SourceOptions::default());
        assert!(
            done.contains("binding = 3) uniform sampler2D iChannel2;") && !done.contains("iChannel0;"),
            "{done}"
        );
        assert!(done.contains("\nvoid mainImage(") && done.contains("\nvoid main() {"), "{done}");
    }

    #[test]
    fn words_of_vulkan_stay_without_a_version() {
        let source = "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer Data { uint sample; };\nshared uint x;\nvoid main() { sample = x; }\n";
        let done = text(source, "a.comp", SourceLanguage::Glsl, &SourceOptions::default());
        assert_eq!(done, format!("#version 450\n{source}"));
    }

    #[test]
    fn macros_and_entry_points_of_options_are_added() {
        let options = SourceOptions {
            entry: Some("draw".to_owned()),
            defines: vec!["A=2".to_owned(), "B".to_owned()],
            ..SourceOptions::default()
        };
        let source = "#version 450\nvoid draw() {}\nvoid main() {}\n";
        let done = text(source, "a.frag", SourceLanguage::Glsl, &options);
        let wanted = "#version 450\n#define A 2\n#define B 1\nvoid draw() {}\nvoid main_of_the_source() {}\nvoid main() { draw(); }\n";
        assert_eq!(done, wanted);
    }
}

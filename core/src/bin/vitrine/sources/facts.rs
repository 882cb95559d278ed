//! Facts about a source that compilers need to be told: its stage and its entry point; and the frame of Shadertoy code.

use std::path::Path;

/// The stages by the names that glslang, its file names and our option use, with the names of HLSL profiles and of Slang.
pub(super) const STAGES: &[(&str, &str, &str)] = &[
    ("vert", "vs", "vertex"),
    ("frag", "ps", "fragment"),
    ("comp", "cs", "compute"),
    ("tesc", "hs", "hull"),
    ("tese", "ds", "domain"),
    ("geom", "gs", "geometry"),
    ("mesh", "ms", "mesh"),
    ("task", "as", "amplification"),
    ("rgen", "lib", "raygeneration"),
    ("rint", "lib", "intersection"),
    ("rahit", "lib", "anyhit"),
    ("rchit", "lib", "closesthit"),
    ("rmiss", "lib", "miss"),
    ("rcall", "lib", "callable"),
];

/// Words of a text that occur in one stage only, in the order in which they are looked for.
const SIGNS: &[(&str, &str)] = &[
    ("mainImage", "frag"),
    ("local_size_x", "comp"),
    ("numthreads", "comp"),
    ("EmitVertex", "geom"),
    ("gl_TessLevelOuter", "tesc"),
    ("gl_TessCoord", "tese"),
    ("SV_Target", "frag"),
    ("SV_Target0", "frag"),
    ("gl_FragCoord", "frag"),
    ("gl_FragColor", "frag"),
    ("gl_FragDepth", "frag"),
    ("discard", "frag"),
    ("dFdx", "frag"),
    ("gl_Position", "vert"),
    ("gl_VertexIndex", "vert"),
    ("gl_VertexID", "vert"),
    ("SV_VertexID", "vert"),
    ("SV_Position", "vert"),
    ("SV_POSITION", "vert"),
];

/// The stage of a source: of the option, of an extension of the file's name, of its pragma, or of its words.
pub(super) fn stage(option: Option<&str>, file: &Path, text: &str) -> Option<&'static str> {
    let named = |name: &str| {
        let is_it = |(glsl, hlsl, slang): &&(&'static str, &str, &str)| {
            [*glsl, *slang].contains(&name) || (*hlsl == name && name != "lib")
        };
        STAGES.iter().find(is_it).map(|(stage, ..)| *stage)
    };
    if let Some(option) = option {
        return named(option);
    }
    let extensions = file.to_str().unwrap_or("").rsplit('.').take(2);
    let pragma = || {
        let line = text.lines().find(|line| line.trim_start().starts_with("#pragma shader_stage("))?;
        named(line.split_once('(')?.1.split(')').next()?.trim())
    };
    let sign =
        || SIGNS.iter().find(|(sign, _)| words(text).any(|word| word == *sign)).map(|(_, stage)| *stage);
    // A fragment shader without any of these words has an output that is a vector.
    let output = || text.contains("out vec4").then_some("frag");
    extensions.filter_map(named).next().or_else(pragma).or_else(sign).or_else(output)
}

/// The entry point of an HLSL source: `main`, or the only function with a semantic or an attribute of the stage.
pub(super) fn hlsl_entry(text: &str) -> Option<String> {
    let code = without_comments(text);
    let functions: Vec<(usize, &str)> = calls(&code).collect();
    if functions.iter().any(|(_, name)| *name == "main") {
        return Some("main".to_owned());
    }
    // `float4 PSMain(V v) : SV_Target`, `[numthreads(8, 8, 1)] void CSMain(`, `[shader("pixel")] float4 f(`
    let mark = ["numthreads", "[shader("].iter().find_map(|mark| code.find(mark));
    if let Some(at) = mark {
        let end = at + code[at..].find(']')?;
        return functions.iter().find(|(start, _)| *start > end).map(|(_, name)| (*name).to_owned());
    }
    let semantic = code.match_indices(')').find(|(at, _)| {
        let rest = code[at + 1..].trim_start();
        rest.strip_prefix(':').is_some_and(|rest| rest.trim_start().to_ascii_uppercase().starts_with("SV_"))
    })?;
    let mut depth = 0;
    let open = code[..=semantic.0].char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth == 0
    })?;
    functions
        .iter()
        .find(|(start, name)| {
            start + name.len() <= open.0 && code[start + name.len()..open.0].trim().is_empty()
        })
        .map(|(_, name)| (*name).to_owned())
}

/// The names before an opening parenthesis.
fn calls(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('(').filter_map(|(at, _)| {
        let before = code[..at].trim_end();
        let name = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        (name < before.len()).then(|| (name, &before[name..]))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// The text with spaces in place of comments, so that positions stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let end = match rest[at..].starts_with("//") {
            true => rest[at..].find('\n'),
            false => rest[at + 2..].find("*/").map(|len| len + 4),
        };
        let comment = &rest[at..at + end.unwrap_or(rest.len() - at)];
        out.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[at + comment.len()..];
    }
    out + rest
}

/// Shadertoy code as a fragment shader: its uniforms as one block, its channels as textures if they are used, and a `main` that
/// calls `mainImage` with the origin at the lower left. Lines keep their numbers.
pub(super) fn shadertoy(text: &str) -> String {
    let mut head = String::from(
        "#version 450\n\
         layout(location = 0) out vec4 shadertoy_color;\n\
         layout(set = 0, binding = 0) uniform Shadertoy { vec3 iResolution; float iTime; float iTimeDelta; float iFrameRate; \
         int iFrame; vec4 iMouse; vec4 iDate; float iSampleRate; float iChannelTime[4]; vec3 iChannelResolution[4]; };\n",
    );
    for channel in 0..4 {
        let name = format!("iChannel{channel}");
        if words(text).any(|word| word == name) {
            head.push_str(&format!("layout(set = 0, binding = {}) uniform sampler2D {name};\n", channel + 1));
        }
    }
    let call = "mainImage(shadertoy_color, vec2(gl_FragCoord.x, iResolution.y - gl_FragCoord.y));";
    format!("{head}#line 1\n{text}\nvoid main() {{ {call} }}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_that_of_the_option_the_name_the_pragma_or_the_words() {
        for (option, file, text, expected) in [
            (Some("comp"), "a.frag", "", Some("comp")),
            (Some("fragment"), "a", "", Some("frag")),
            (Some("nothing"), "a.frag", "", None),
            (None, "a.vert.glsl", "", Some("vert")),
            (None, "a.ps.hlsl", "", Some("frag")),
            (None, "a.glsl", "#pragma shader_stage(compute)\n", Some("comp")),
            (None, "-", "void main() { gl_Position = vec4(0); }", Some("vert")),
            (None, "-", "float4 f(float4 p : SV_Position) : SV_Target0 {}", Some("frag")),
            (None, "-", "layout(location = 0) out vec4 c;", Some("frag")),
            (None, "-", "float f() { return 1; }", None),
        ] {
            assert_eq!(stage(option, Path::new(file), text), expected, "{file} {text}");
        }
    }

    #[test]
    fn the_entry_point_of_hlsl_is_main_or_has_a_semantic_or_an_attribute() {
        for (text, expected) in [
            (
                "float g(float x) { return x; }\nfloat4 main(float2 uv : T) : SV_Target { return g(uv.x); }",
                Some("main"),
            ),
            ("float4 PSMain(V v) : SV_Target0 { return 0; }", Some("PSMain")),
            (
                "float4 helper(float x) { return x; } float4 PS (float2 a : A, float b) : sv_target { return helper(b); }",
                Some("PS"),
            ),
            (
                "// main()\n[numthreads(8, 8, 1)]\nvoid CSMain(uint3 id : SV_DispatchThreadID) {}",
                Some("CSMain"),
            ),
            ("/* ( */ [shader(\"pixel\")] float4 f() : SV_Target { return 0; }", Some("f")),
            ("float g(float x) { return x; }", None),
            (") : SV_Target", None),
            ("\u{2192}(\u{2192}f(", None),
            ("", None),
        ] {
            assert_eq!(hlsl_entry(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn shadertoy_code_keeps_its_lines_and_gets_the_channels_it_uses() {
        let text = shadertoy("void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel2, p); }");
        assert!(text.contains("uniform sampler2D iChannel2;") && !text.contains("iChannel0;"), "{text}");
        assert!(text.contains("#line 1\nvoid mainImage"), "{text}");
    }
}

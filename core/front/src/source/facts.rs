//! The stage of a source: of its file's name, of a pragma, or of its words.

use super::problems::Problem;

/// The stages by the names that glslang and file names use, with the names of HLSL profiles and of Slang.
pub const STAGES: &[(&str, &str, &str)] = &[
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

/// Further extensions of the names of files.
const EXTENSIONS: &[(&str, &str)] = &[
    ("fs", "frag"),
    ("fsh", "frag"),
    ("vsh", "vert"),
    ("gsh", "geom"),
    ("csh", "comp"),
    ("tcs", "tesc"),
    ("tes", "tese"),
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
    ("gl_FragData", "frag"),
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

/// The problem that a stage is not known or not a stage, with a suggestion.
pub(super) fn unknown_stage(says: String) -> Problem {
    let names: Vec<&str> = STAGES.iter().map(|(name, ..)| *name).collect();
    let help = format!(
        "add a line such as `#pragma shader_stage(fragment)`, name the file by its stage, such as `a.frag`, or use `--stage` \
         with one of {}",
        names.join(", ")
    );
    Problem { help, ..Problem::new(says) }
}

/// The stage with this name, as glslang names it.
pub fn stage_named(name: &str) -> Option<&'static str> {
    let is_it = |(glsl, hlsl, slang): &&(&'static str, &str, &str)| {
        [*glsl, *slang].contains(&name) || (*hlsl == name && name != "lib")
    };
    STAGES.iter().find(is_it).map(|(stage, ..)| *stage)
}

/// The stage of a source: of an extension of the file's name, of its pragma, or of its words. Also for HLSL.
pub fn stage_of(file: &str, text: &str) -> Option<&'static str> {
    let extensions = file.rsplit('.').take(2);
    let pragma = || {
        let line = text.lines().find(|line| line.trim_start().starts_with("#pragma shader_stage("))?;
        stage_named(line.split_once('(')?.1.split(')').next()?.trim())
    };
    let words = || text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let sign = || SIGNS.iter().find(|(sign, _)| words().any(|word| word == *sign)).map(|(_, stage)| *stage);
    // A fragment shader without any of these words has an output; other stages have a word for where it goes.
    let output = || {
        let has_output =
            text.contains("out vec4") || text.contains("void main") && words().any(|word| word == "out");
        has_output.then_some("frag")
    };
    let further = |name: &str| EXTENSIONS.iter().find(|(known, _)| *known == name).map(|(_, stage)| *stage);
    let named = |name: &str| stage_named(name).or_else(|| further(name));
    extensions.filter_map(named).next().or_else(pragma).or_else(sign).or_else(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_that_of_the_name_the_pragma_or_the_words() {
        for (file, text, expected) in [
            ("a.vert.glsl", "", Some("vert")),
            ("a.ps.hlsl", "", Some("frag")),
            ("a.glsl", "#pragma shader_stage(compute)\n", Some("comp")),
            ("-", "void main() { gl_Position = vec4(0); }", Some("vert")),
            ("-", "float4 f(float4 p : SV_Position) : SV_Target0 {}", Some("frag")),
            ("-", "layout(location = 0) out vec4 c;", Some("frag")),
            ("a.fs", "", Some("frag")),
            ("-", "layout(location = 1) out vec3 n; void main() { n = vec3(0); }", Some("frag")),
            ("-", "float f() { return 1; }", None),
        ] {
            assert_eq!(stage_of(file, text), expected, "{file} {text}");
        }
        assert_eq!((stage_named("fragment"), stage_named("nothing")), (Some("frag"), None));
    }
}

//! Languages and formats that no front end reads: their signatures, and the command that converts each to SPIR-V.
//!
//! One table for texts and one for binaries. Refuses to parse: a signature is a word or the first bytes.

use vitrine_ir::{Anchor, Diag};

/// A language that no front end reads.
struct Foreign<S: 'static> {
    name: &'static str,
    /// Any of these identifies it. Those of HLSL and of assembly are lower case, and found in any letter case.
    signs: &'static [S],
    case: Case,
    advice: Advice,
    /// True if a front end for it is planned.
    is_planned: bool,
    /// The language for a translator to SPIR-V, if it is one of sources.
    source: Option<SourceLanguage>,
}

/// A language of sources, which another program translates to SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLanguage {
    /// The language of WebGPU.
    Wgsl,
    /// GLSL, also that of OpenGL ES.
    Glsl,
    /// GLSL with a function `mainImage` instead of an entry point.
    Shadertoy,
    /// HLSL or Slang.
    Hlsl,
}

/// Whether the letter case of the signs of a language matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Exact,
    Any,
}

/// A suggestion.
enum Advice {
    /// The command that writes `shader.spv`.
    Command(&'static str),
    /// No common tool converts it; a sentence.
    Sentence(&'static str),
}

const NO_TOOL: Advice =
    Advice::Sentence("no common tool converts it to SPIR-V; open the SPIR-V of its source");
const NO_SHADER: Advice = Advice::Sentence("open a SPIR-V binary, SPIR-V text or IR text");
const GLSLANG: &str = "glslangValidator -V shader.frag -o shader.spv";
const DXC: &str = "dxc -spirv -T ps_6_0 -E main shader.hlsl -Fo shader.spv";

/// Texts. A language whose signature may also appear in another one comes first.
const TEXTS: &[Foreign<&str>] = &[
    // Its first line decides; what it has in common with others comes last.
    Foreign {
        name: "GLSL",
        signs: &["#version "],
        case: Case::Exact,
        advice: Advice::Command(GLSLANG),
        is_planned: true,
        source: Some(SourceLanguage::Glsl),
    },
    Foreign {
        name: "the Metal Shading Language",
        signs: &["metal_stdlib", "using namespace metal"],
        case: Case::Exact,
        advice: NO_TOOL,
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "LLVM IR",
        signs: &[
            "target datalayout",
            "target triple",
            "; ModuleID",
            "define void @",
            "define i32 @",
            "define float @",
            "define spir_kernel",
        ],
        case: Case::Exact,
        advice: Advice::Command("llc -mtriple=spirv64-unknown-unknown -filetype=obj shader.ll -o shader.spv"),
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "Rust for GPUs",
        signs: &["#[spirv("],
        case: Case::Exact,
        advice: Advice::Sentence("build it with `cargo gpu build` and open the .spv file that it writes"),
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "OpenCL C",
        signs: &["__kernel ", "get_global_id("],
        case: Case::Exact,
        advice: Advice::Command("clang --target=spirv64 -c shader.cl -o shader.spv"),
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "CUDA C++",
        signs: &["__global__ ", "blockIdx.x"],
        case: Case::Exact,
        advice: NO_TOOL,
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "HLSL or Slang",
        signs: &["[shader("],
        case: Case::Exact,
        advice: Advice::Command(DXC),
        is_planned: true,
        source: Some(SourceLanguage::Hlsl),
    },
    Foreign {
        name: "HLSL",
        signs: &[
            "sv_target",
            "sv_position",
            "sv_dispatchthreadid",
            "sv_vertexid",
            "[numthreads(",
            "cbuffer ",
            "rwstructuredbuffer<",
        ],
        case: Case::Any,
        advice: Advice::Command(DXC),
        is_planned: true,
        source: Some(SourceLanguage::Hlsl),
    },
    Foreign {
        name: "Direct3D 10 or 11 assembly",
        signs: &[
            "vs_4_0", "vs_4_1", "vs_5_0", "ps_4_0", "ps_4_1", "ps_5_0", "cs_4_0", "cs_5_0", "gs_4_0",
            "gs_5_0", "hs_5_0", "ds_5_0",
        ],
        case: Case::Any,
        advice: NO_TOOL,
        is_planned: true,
        source: None,
    },
    Foreign {
        name: "WGSL",
        signs: &[
            "@fragment",
            "@vertex",
            "@compute",
            "@workgroup_size(",
            "@group(",
            "@binding(",
            "@location(",
            "@builtin(",
            "var<storage",
            "var<uniform",
            "var<private",
            "var<workgroup",
        ],
        case: Case::Exact,
        advice: Advice::Command("naga shader.wgsl shader.spv"),
        is_planned: true,
        source: Some(SourceLanguage::Wgsl),
    },
    Foreign {
        name: "Shadertoy code (GLSL without an entry point)",
        signs: &["void mainImage("],
        case: Case::Exact,
        advice: Advice::Sentence(
            "add `#version 450`, its uniforms and a `main` that calls `mainImage`, and convert it to SPIR-V as GLSL",
        ),
        is_planned: true,
        source: Some(SourceLanguage::Shadertoy),
    },
    Foreign {
        name: "GLSL",
        signs: &["void main(", "gl_Position", "gl_FragCoord", "precision mediump float"],
        case: Case::Exact,
        advice: Advice::Command(GLSLANG),
        is_planned: true,
        source: Some(SourceLanguage::Glsl),
    },
];

/// Binary formats, by their first bytes.
const BINARIES: &[Foreign<&[u8]>] = &[
    Foreign {
        name: "a Direct3D container (DXBC or DXIL)",
        signs: &[b"DXBC"],
        case: Case::Exact,
        advice: Advice::Command("dxil-spirv shader.dxil --output shader.spv"),
        is_planned: true,
        source: None,
    },
    Foreign {
        name: "LLVM bitcode",
        signs: &[b"BC\xc0\xde"],
        case: Case::Exact,
        advice: Advice::Command("llc -mtriple=spirv64-unknown-unknown -filetype=obj shader.bc -o shader.spv"),
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "a WebAssembly module",
        signs: &[b"\0asm"],
        case: Case::Exact,
        advice: NO_SHADER,
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "an ELF file",
        signs: &[b"\x7fELF"],
        case: Case::Exact,
        advice: NO_SHADER,
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "a picture",
        signs: &[b"\x89PNG", b"\xff\xd8\xff"],
        case: Case::Exact,
        advice: NO_SHADER,
        is_planned: false,
        source: None,
    },
    Foreign {
        name: "an archive",
        signs: &[b"PK\x03\x04", b"\x1f\x8b"],
        case: Case::Exact,
        advice: Advice::Sentence("open the files in it"),
        is_planned: false,
        source: None,
    },
];

impl<S> Foreign<S> {
    /// A suggestion, with a command in backticks.
    fn help(&self) -> String {
        let advice = match self.advice {
            Advice::Command(command) => format!("convert it with `{command}` and open shader.spv"),
            Advice::Sentence(sentence) => sentence.to_owned(),
        };
        advice + if self.is_planned { "; a front end for it is planned" } else { "" }
    }
}

/// Returns the error for a text in a known language, and the language if the text is a source that another program translates to
/// SPIR-V; `None` if its language is unknown.
pub(super) fn text(text: &str) -> Option<(Diag, Option<SourceLanguage>)> {
    if let Some(language) = language_of(text) {
        let says = format!("this looks like {}, which is not read yet", language.name);
        let diag = Diag::error("I001", Anchor::Module).says(says).help(language.help());
        return Some((diag, language.source));
    }
    let is_json = text.trim_start().starts_with(['{', '[']) && text.contains('"');
    is_json.then(|| {
        let diag = Diag::error("I001", Anchor::Module)
            .says("this looks like JSON, which is not a shader")
            .help("if a string in it holds the shader, open only the text of that string");
        (diag, None)
    })
}

/// The language of a text that has a signature, in its code: not in a comment or in a string.
fn language_of(text: &str) -> Option<&'static Foreign<&'static str>> {
    let lines = code(text);
    let lowered: Vec<String> = lines.iter().map(|line| line.to_ascii_lowercase()).collect();
    TEXTS.iter().find(|language| {
        let lines = if language.case == Case::Any { &lowered } else { &lines };
        language.signs.iter().any(|sign| lines.iter().any(|line| has_word(line, sign)))
    })
}

/// The lines of a text without strings, and without comments as C has them. Those of assembly, which begin with `;`, stay:
/// they may be a signature.
fn code(text: &str) -> Vec<String> {
    let mut is_comment = false;
    let line = |line: &str| {
        let mut code = String::with_capacity(line.len());
        let mut rest = line;
        loop {
            if is_comment {
                let Some(end) = rest.find("*/") else { return code };
                (rest, is_comment) = (&rest[end + 2..], false);
                code.push(' ');
            }
            let marks = ["//", "/*", "\""].into_iter().filter_map(|mark| Some((rest.find(mark)?, mark)));
            let Some((at, mark)) = marks.min() else { return code + rest };
            code.push_str(&rest[..at]);
            rest = &rest[at + mark.len()..];
            match mark {
                "//" => return code,
                "/*" => is_comment = true,
                _ => {
                    code.push('"');
                    let Some(end) = rest.find('"') else { return code };
                    rest = &rest[end + 1..];
                }
            }
        }
    };
    text.lines().map(line).collect()
}

/// Returns the error for a binary of a known format; `None` if its format is unknown.
pub(super) fn binary(input: &[u8]) -> Option<Diag> {
    let format = BINARIES.iter().find(|format| format.signs.iter().any(|sign| input.starts_with(sign)))?;
    let says = format!("this is {}, which is not read yet", format.name);
    Some(Diag::error("I002", Anchor::Module).says(says).help(format.help()))
}

/// Returns true if a signature is in a line, but not as part of a longer name such as `@fragment_0`. A number may follow,
/// as in `SV_Target0`.
fn has_word(line: &str, sign: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(sign).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + sign.len()..].chars().next();
        let begins = !sign.starts_with(in_name)
            || !before.is_some_and(|c| in_name(c) || matches!(c, '$' | '%' | '@' | '&'));
        // A member of IR text: `gl_Position: f32x4`.
        let ends =
            !sign.ends_with(in_name) || !after.is_some_and(|c| matches!(c, '_' | ':') || c.is_alphabetic());
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_that_are_not_read_are_named_with_their_command() {
        for (source, name, command) in [
            ("#version 450\nvoid main() {}", "GLSL", "glslangValidator"),
            (
                "#version 450\n// @builtin(position) in WGSL /*\nfloat SV_Position;",
                "GLSL",
                "glslangValidator",
            ),
            ("/* void main() \n SV_Target */ @fragment fn f() {}", "WGSL", "naga"),
            ("float4 f() : sv_target { return 0; }", "HLSL", "dxc"),
            ("CBUFFER A { float4 a; }", "HLSL", "dxc"),
            ("// as @builtin(position) and SV_Position\n#version 450\n", "GLSL", "glslangValidator"),
            ("@fragment fn f() {}", "WGSL", "naga"),
            ("struct S {\n  a: b,\n}\n@group(0) @binding(0) var<storage> s: S;\n", "WGSL", "naga"),
            ("float4 f() : SV_Target0 { return 0; }", "HLSL", "dxc"),
            ("#include <metal_stdlib>", "Metal", "no common tool"),
            ("target datalayout = \"e\"", "LLVM IR", "llc"),
            ("define i32 @main() {\n  ret i32 0\n}\n", "LLVM IR", "llc"),
            ("void mainImage(out vec4 c, in vec2 p) { c = vec4(1); }", "Shadertoy", "calls `mainImage`"),
            ("ps_5_0\nmov o0.xyzw, v0.xyzw\n", "Direct3D 10 or 11 assembly", "planned"),
            ("{\"shader\": \"\"}", "JSON", "string"),
        ] {
            let (diag, _) = text(source).expect(source);
            assert!(diag.message().contains(name), "{source}: {}", diag.message());
            let help = diag.help.clone().unwrap_or_default().to_string();
            assert!(help.contains(command), "{source}: {help}");
        }
    }

    #[test]
    fn names_and_strings_of_a_program_are_no_signs() {
        for program in [
            "func @fragment_0() graph {\n^0:\n  return\n}\n",
            "private $gl_Position_0: f32\n",
            "struct #gl_PerVertex_0 {block} {\n  gl_Position: f32x4 {builtin position}\n}\n",
            "private $0 \"void main()\": f32\n",
            "func @group_0(%binding_0: b32) graph {\n^0:\n  return\n}\n",
            "func @ps_5_0() graph {\n^0:\n  return\n}\n",
        ] {
            assert!(text(program).is_none(), "{program}");
        }
    }

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        for (bytes, name) in [(&b"DXBC\0\0"[..], "Direct3D container"), (b"PK\x03\x04", "an archive")] {
            assert!(binary(bytes).expect(name).message().contains(name), "{name}");
        }
        assert!(binary(b"\x01\x02\x03\x04").is_none());
    }
}

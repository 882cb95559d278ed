//! Sources on the command line: WGSL by naga, GLSL and HLSL by installed compilers; results, lines, errors.
#![cfg(feature = "sources")]

use crate::testing::skipped::skipped;
use std::path::PathBuf;
use std::process::Command;
use vitrine_core::share::SharedState;

fn vitrine(args: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
}

/// A file of this test.
fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sources");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Returns true if glslang is installed; a test without it is counted as skipped.
fn has_glslang() -> bool {
    let found = Command::new("glslangValidator").arg("--version").output().is_ok();
    if !found {
        skipped(1, "glslangValidator is not installed");
    }
    found
}

const WGSL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn collatz(start: u32) -> u32 {
    var n = start;
    var steps = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
        steps += 1u;
    }
    return steps;
}

@compute @workgroup_size(1)
fn main() {
    data[0] = collatz(27u);
}
";

const GLSL: &str = "\
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
uint collatz(uint start) {
    uint n = start;
    uint steps = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) n /= 2u; else n = 3u * n + 1u;
        ++steps;
    }
    return steps;
}
void main() { data[0] = collatz(27u); }
";

const HLSL: &str = "\
RWStructuredBuffer<uint> data : register(u0);
[numthreads(1, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID) {
    uint n = 27, steps = 0;
    while (n > 1) {
        if (n % 2 == 0) n /= 2; else n = 3 * n + 1;
        ++steps;
    }
    data[0] = steps;
}
";

/// The first word of the only buffer after a run: 27 takes 111 steps.
fn runs(path: &str) {
    let (code, out, err) = vitrine(&["exec", path]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("\"bytes\": \"6f000000"), "{out}");
    let (code, out, err) = vitrine(&["check", path, "--pipeline", "ingest, O2", "--runs", "4"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_wgsl_source_runs_and_keeps_its_results_through_o2() {
    let path = file("collatz.wgsl", WGSL);
    runs(&path);
    let (code, out, _) = vitrine(&["show", &path]);
    assert!(code == 0 && out.contains("storage $data_"), "names are kept: {out}");
}

#[test]
fn glsl_and_hlsl_sources_compute_as_the_wgsl_source() {
    if !has_glslang() {
        return;
    }
    runs(&file("collatz.comp", GLSL));
    runs(&file("collatz.hlsl", HLSL));
    let (code, out, err) = vitrine(&["compare", &file("same.comp", GLSL), &file("same.glsl", GLSL)]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn instructions_have_the_lines_of_the_source() {
    let path = file("lines.wgsl", WGSL);
    let to = file("lines.spvasm", "");
    let (code, _, err) = vitrine(&["opt", &path, "-o", &to]);
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(&to).expect("it was written");
    assert!(text.contains("OpString \"lines.wgsl\""), "the name is without its folder: {text}");
    // `steps += 1u` is in line 8.
    let before = text.rfind("OpIAdd").map_or("", |at| &text[..at]);
    let line = before.lines().rev().find(|line| line.contains("OpLine"));
    assert!(line.is_some_and(|line| line.contains(" 8 ")), "{line:?}\n{text}");
}

/// Wrong statements of WGSL, each an error in its own line.
const WRONG_WGSL: &[&str] = &[
    "let a = foo;",
    "let a: f32 = 1u;",
    "let a = 1.0 + 1u;",
    "let a = vec2<f32>(1.0, 2.0) * vec3<f32>(1.0);",
    "let a = vec3<f32>(1.0, 2.0, 3.0).xyq;",
    "let a = ;",
    "let = 1;",
    "let a = 1",
    "if (1u) { }",
    "while (1.0) { }",
    "x = 1.0;",
    "let a = sin(1u, 2u);",
    "let a = nothing(1.0);",
    "return 1.0 + 1u;",
    "var a: array<f32, 0u>;",
    "var a: unknown_type;",
    "let a = u;\n    a = 2.0;",
    "let a = vec5<f32>(1.0);",
    "for (var i = 0; i < ; i++) { }",
    "let a = !1.0;",
    "let a = -true;",
    "let a = u[;",
    "let a = u.x.y;",
    "break;",
    "continue;",
    "switch (1.0) { default: { } }",
    "let a = 1u << 1.0;",
    "let a = true && 1u;",
    "let a = 0x;",
    "let a = @;",
];

/// Wrong statements of GLSL.
const WRONG_GLSL: &[&str] = &[
    "float a = foo;",
    "bool a = 1.0;",
    "float a = vec2(1.0);",
    "vec2 a = vec2(1.0) * vec3(1.0);",
    "vec3 a = vec3(1.0).xyq;",
    "float a = ;",
    "float = 1.0;",
    "if (1.0) { }",
    "while (1.0) { }",
    "x = 1.0;",
    "float a = sin(true);",
    "float a = nothing(1.0);",
    "return 1.0;",
    "float a[-1];",
    "unknown_type a;",
    "const float a = 1.0; a = 2.0;",
    "vec5 a = vec5(1.0);",
    "for (int i = 0; i; i++) { }",
    "bool a = !1.0;",
    "bool a = -true;",
    "float a = u[0];",
    "float a = u.x.y.z.w;",
    "break;",
    "continue;",
    "switch (1.0) { default: break; }",
    "int a = 1 << 1.0;",
    "bool a = true && 1.0;",
    "float a = 1.0 % 2.0;",
    "int a = 1; int a = 2;",
    "float a = @;",
];

/// Every wrong statement is reported with the line it stands in, and the line is shown.
fn each_is_reported(name: &str, statements: &[&str], program: fn(&str) -> String) {
    assert_eq!(statements.len(), 30);
    for (number, statement) in statements.iter().enumerate() {
        let text = program(statement);
        let path = file(&format!("{number}-{name}"), &text);
        let (code, _, err) = vitrine(&["show", &path]);
        assert_eq!(code, 1, "{statement}: {err}");
        let wrong = statement.lines().last().unwrap_or(statement).trim();
        let at = 1 + text.lines().position(|line| line.trim() == wrong).expect("it is in the program");
        // Some errors are found at the next token.
        let found = [at, at + 1].iter().any(|line| err.contains(&format!("error[I008] {line}:")));
        assert!(found, "{statement}: line {at}: {err}");
    }
}

#[test]
fn wrong_wgsl_is_reported_with_its_line() {
    each_is_reported("wrong.wgsl", WRONG_WGSL, |statement| {
        format!(
            "@fragment\nfn main(@location(0) u: f32) -> @location(0) vec4<f32> {{\n    let before = u;\n    {statement}\n    return vec4<f32>(before);\n}}\n"
        )
    });
}

#[test]
fn wrong_glsl_is_reported_with_its_line() {
    if !has_glslang() {
        return;
    }
    each_is_reported("wrong.frag", WRONG_GLSL, |statement| {
        format!(
            "#version 450\nlayout(location = 0) in float u;\nlayout(location = 0) out vec4 c;\nvoid main() {{\n    c = vec4(u);\n    {statement}\n}}\n"
        )
    });
}

#[test]
fn without_a_compiler_naga_reads_glsl() {
    let alone = |args: &[&str]| {
        let out =
            Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).env("PATH", "").output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (code, out, err) = alone(&["exec", &file("alone.comp", GLSL)]);
    assert!(code == Some(0) && out.contains("\"bytes\": \"6f000000"), "{out}{err}");
    assert!(err.contains("naga reads this source"), "{err}");
    let wrong = GLSL.replace("++steps", "++stops");
    let (code, _, err) = alone(&["show", &file("alone-wrong.comp", &wrong)]);
    assert!(code == Some(1) && err.contains("error[I008] 9:"), "{err}");
}

#[test]
fn older_dialects_and_includes_have_the_lines_of_their_files() {
    if !has_glslang() {
        return;
    }
    let old = "varying vec2 uv;\nuniform float strength;\nvoid main() {\n  gl_FragColor = vec4(uv, strength, foo);\n}\n";
    let (code, _, err) = vitrine(&["show", &file("old.frag", old)]);
    assert!(code == 1 && err.contains("error[I008] 4:37"), "{err}");
    let (code, out, err) = vitrine(&["show", &file("old-right.frag", &old.replace("foo", "1.0"))]);
    assert!(code == 0 && out.contains("strength") && err.contains("note: "), "{out}{err}");
    file("lines.glsl", "float twice(float x) {\n  return x + x;\n}\n");
    let main = "#version 450\n#include \"lines.glsl\"\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(twice(gl_FragCoord.x)); }\n";
    let to = file("lines-of-files.spvasm", "");
    let (code, _, err) = vitrine(&["opt", &file("lines-of-files.frag", main), "-o", &to]);
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(&to).expect("it was written");
    assert!(
        text.contains("OpString \"lines.glsl\"") && text.contains("OpString \"lines-of-files.frag\""),
        "{text}"
    );
    let before = text.find("OpFAdd").map_or("", |at| &text[..at]);
    let line = before.lines().rev().find(|line| line.contains("OpLine"));
    assert!(line.is_some_and(|line| line.contains(" 2 ")), "{line:?}");
}

#[test]
fn shadertoy_code_gets_its_frame_and_runs() {
    if !has_glslang() {
        return;
    }
    let text = "void mainImage(out vec4 c, in vec2 p) {\n  vec2 uv = p / iResolution.xy;\n  c = vec4(uv, 0.5 + 0.5 * sin(iTime), 1.0);\n}\n";
    let (code, out, err) = vitrine(&["show", &file("toy.glsl", text)]);
    assert!(code == 0 && out.contains("iResolution"), "{out}{err}");
    let wrong = text.replace("iTime", "iTimes");
    let (code, _, err) = vitrine(&["show", &file("wrong-toy.glsl", &wrong)]);
    assert!(code == 1 && err.contains("error[I008] 3:") && err.contains("iTimes"), "{err}");
}

/// Targets lack integers of 8 bits; the functions for bytes in words need none.
#[test]
fn bytes_in_words_are_written_in_every_language() {
    let source = "\
@group(0) @binding(0) var<storage, read_write> data: array<vec4<i32>, 4>;

@compute @workgroup_size(1)
fn main() {
    let word = u32(data[0].x);
    data[1] = unpack4xI8(word) + vec4<i32>(unpack4xU8(word));
    let packed = pack4xI8(data[2]) ^ pack4xU8(vec4<u32>(data[3]));
    let clamped = pack4xI8Clamp(data[2]) + pack4xU8Clamp(vec4<u32>(data[3]));
    data[0] = vec4<i32>(vec4<u32>(packed, clamped, u32(dot4I8Packed(word, packed)), dot4U8Packed(word, packed)));
}
";
    let path = file("bytes.wgsl", source);
    for language in ["glsl", "essl-310", "hlsl", "msl", "wgsl"] {
        let (code, text, errors) = vitrine(&["show", &path, "--emit", language]);
        assert_eq!(code, 0, "{language}: {errors}");
        assert!(text.contains("main"), "{language}: {text}");
    }
}

#[test]
fn options_name_stage_entry_point_and_macros() {
    if !has_glslang() {
        return;
    }
    let path = file(
        "macro.glsl",
        "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(VALUE); }\n",
    );
    let (code, out, err) = vitrine(&["show", &path, "--define", "VALUE=0.25", "--stage", "frag"]);
    assert!(code == 0 && out.contains("0.25"), "{out}{err}");
    let (code, _, err) = vitrine(&["show", &path, "--stage", "pixels"]);
    assert!(code == 1 && err.contains("`pixels` is not a stage"), "{err}");
    let two = "float4 A() : SV_Target { return 1; }\nfloat4 B() : SV_Target { return 2; }\n";
    let (code, out, err) = vitrine(&["show", &file("two.ps.hlsl", two), "--source-entry", "B"]);
    assert!(code == 0 && out.contains("const (2.0"), "{out}{err}");
    let beside = file("part.glsl", "float half_of(float x) { return 0.5 * x; }\n");
    assert!(beside.ends_with("part.glsl"));
    let text = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"part.glsl\"\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(half_of(3.0)); }\n";
    let (code, out, err) = vitrine(&["show", &file("includes.frag", text)]);
    assert!(code == 0 && out.contains("half_of"), "{out}{err}");
}

#[test]
fn hlsl_with_two_shaders_has_both_and_registers_are_distinct_bindings() {
    if !has_glslang() {
        return;
    }
    let text = "cbuffer Scene : register(b0) { float4x4 mvp; float4 tint; };\nTexture2D map : register(t0);\n\
        SamplerState smooth_map : register(s0);\nstruct V { float4 pos : SV_Position; float2 uv : TEXCOORD0; };\n\
        V VS(float3 p : POSITION) { V v; v.pos = mul(mvp, float4(p, 1)); v.uv = p.xy; return v; }\n\
        float4 PS(V v) : SV_Target { return map.Sample(smooth_map, v.uv) * tint; }\n";
    let path = file("both.hlsl", text);
    let show = |options: &[&str]| vitrine(&[&["show", &path], options].concat());
    let (code, out, err) = show(&[]);
    assert!(code == 0 && out.contains("entry fragment \"PS\""), "{out} {err}");
    assert!(err.contains("the entry point is `PS`; `--source-entry` chooses another one: `VS`"), "{err}");
    assert!(err.contains("b0 = 0, t0 = 100, s0 = 200"), "{err}");
    assert!(out.contains("binding 100") && out.contains("binding 200"), "{out}");
    for options in [["--source-entry", "VS"], ["--stage", "vert"]] {
        let (code, out, err) = show(&options);
        assert!(code == 0 && out.contains("entry vertex \"VS\""), "{options:?} {out} {err}");
    }
    let (code, out, err) = show(&["--source-entry", "PS", "--stage", "vert"]);
    assert!(code != 0 && out.is_empty(), "{out}");
    assert!(err.contains("'PS' is an entry point of the stage fragment, not vertex"), "{err}");
}

#[test]
fn glsl_may_have_samplers_in_structures() {
    if !has_glslang() {
        return;
    }
    let text = "#version 330 core\nout vec4 color;\nin vec2 uv;\n\
        struct Tex { sampler2D map; vec2 scale; };\nstruct Material { Tex base; samplerCube sky; float shine; };\n\
        struct Only { sampler2D map[2]; };\nuniform Material materials[2];\nuniform Only only;\n\
        uniform struct Light { vec3 at; sampler2D cookie; } light;\n\
        vec4 lit(Material m, Only o, vec3 n) {\n\
          return texture(m.base.map, uv * m.base.scale) * m.shine + texture(m.sky, n) + texture(o.map[1], uv);\n}\n\
        void main() {\n  color = vec4(light.at, 1.0) + texture(light.cookie, uv);\n\
          color += lit(materials[0], only, vec3(1.0)) + lit(materials[1], only, light.at);\n}\n";
    let (code, out, err) = vitrine(&["show", &file("materials.frag", text)]);
    assert!(code == 0 && err.contains("materials.base.map is materials_base_map"), "{out} {err}");
    for name in ["materials_base_map", "materials_sky", "only_map", "light_cookie"] {
        assert!(out.contains(name), "{name}: {out}");
    }
}

#[test]
fn deep_and_large_sources_end_with_a_message() {
    let deep = format!("@fragment fn f() {{ let a = {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
    let (code, _, err) = vitrine(&["show", &file("deep.wgsl", &deep)]);
    assert!(code == 1 && err.contains("error[I008]"), "{}", &err[..err.len().min(400)]);
    let large = format!("@fragment fn f() {{\n{}}}\n", "  let a = 1.0;\n".repeat(70_000));
    let (code, _, err) = vitrine(&["show", &file("large.wgsl", &large)]);
    assert!(code == 1 && err.contains("error[I008]"), "{}", &err[..err.len().min(400)]);
}

#[test]
fn a_link_brings_the_options_of_its_source() {
    let wgsl = "override limit: u32 = 3u;\n@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n@compute @workgroup_size(1)\nfn one() { data[0] = limit; }\n@compute @workgroup_size(1)\nfn two() { data[0] = 55u; }\n";
    let link = |source_options: &str| {
        let state = SharedState {
            input: wgsl.as_bytes().to_vec(),
            name: "a.wgsl".to_owned(),
            source_options: source_options.to_owned(),
            ..SharedState::default()
        };
        file("options.link", &format!("#{}\n", state.link()))
    };
    let show = |source_options: &str, more: &[&str]| {
        let file = link(source_options);
        let (code, out, errors) = vitrine(&[&["show", &file], more].concat());
        assert_eq!(code, 0, "{errors}");
        ["func @two", "const 41\n", "const 3\n", "version \"1.5\""].map(|words| out.contains(words))
    };
    assert_eq!(show("", &[]), [true, false, true, false]);
    assert_eq!(show("define=limit=41\nentry=one\ntarget=1.5", &[]), [false, true, false, true]);
    assert_eq!(
        show("define=limit=3\nentry=one", &["-D", "limit=41"]),
        [false, true, false, false],
        "the command line decides"
    );
    let (code, _, errors) = vitrine(&["show", &link("entry=gone")]);
    assert!(code != 0 && errors.contains("`gone` is no entry point"), "{errors}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sources").display().to_string();
    let (code, out, errors) = vitrine(&["open", &link("define=limit=41\nentry=one"), "-o", &folder]);
    assert!(code == 0 && out.contains("--source-entry 'one' -D 'limit=41'"), "{out}{errors}");
}

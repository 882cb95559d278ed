//! HLSL: the results of what the DirectX Shader Compiler makes of the text of all modules.
//!
//! A module is written, compiled to SPIR-V, read again, and run on the same generated inputs as the original.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{Item, modules};
use crate::testing::dxc::{Dxc, Failed};
use crate::testing::written::{self, Text};
use vitrine_core::front::InputKind;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Module, Stage};
use vitrine_core::lab::compare::{Comparer, Settings, Verdict};
use vitrine_core::ops::Key;
use vitrine_core::text::parse;
use vitrine_filetests::parallel::each;

/// Modules with more words are compiled, but not run.
const MOST_WORDS: usize = 6_000;

/// Options of the compiler: places as Direct3D has them in memory, and the depth in the position.
const OPTIONS: &[&str] = &["-fspv-target-env=vulkan1.3", "-fvk-use-dx-layout", "-fvk-use-dx-position-w"];

/// The text of a module.
fn hlsl(module: &Module) -> Text {
    written::text_of(module, "hlsl")
}

#[test]
fn a_compute_shader_is_a_function_around_its_body() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 1, binding 2}\n\
         in $id_1: u32x3 {builtin global_invocation_id}\n\n\
         entry compute \"main\" @main_0 ($data_0, $id_1) {local_size 4 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
         %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: path = deref.var $id_1\n  \
         %3: b32x3 = load %2\n  %4: b32 = swizzle %3.x\n  %5: path = deref.elem %1, %4\n  %6: b32 = load %5\n  \
         %7: b32 = const 0xfffffffe\n  %8: b32 = imin %6, %7\n  %9 = store %5, %8\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = hlsl(&parsed.module).expect("it is written");
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let expected = [
        "static uint3 global_invocation_id;",
        "[[vk::binding(2, 1)]] RWStructuredBuffer<uint> data : register(u2, space1);",
        "data[v4] = uint(min(int(data[v4]), -2));",
        "uint3 global_invocation_id : SV_DispatchThreadID;",
        "[numthreads(4, 1, 1)]",
        "void main(Input input) {",
    ];
    for wanted in expected {
        assert!(lines.iter().any(|line| line.trim() == wanted), "{wanted} is missing:\n{text}");
    }
    let dxc = Dxc::new();
    if dxc.installed {
        assert!(dxc.compile(&text, "cs_6_6", OPTIONS).is_ok(), "{text}");
    }
}

/// The text of a fragment shader with these declarations and instructions, which the compiler accepts.
fn fragment(declarations: &str, interface: &str, body: &str) -> String {
    let parsed = parse(&format!(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n{declarations}\
         out $color_9: f32x4 {{location 0}}\n\nentry fragment \"main\" @f_0 ({interface}, $color_9) {{origin_upper_left}}\n\n\
         func @f_0() tree {{\n^0:\n{body}  %90: path = deref.var $color_9\n  %91 = store %90, %80\n  return\n}}\n",
    ));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = hlsl(&parsed.module).unwrap_or_else(|diags| panic!("{diags:?}"));
    let dxc = Dxc::new();
    if dxc.installed {
        let result = dxc.compile_apart(&text, "ps_6_6", OPTIONS);
        assert!(result.is_ok(), "{:?}\n{text}", result.err());
    }
    text
}

#[track_caller]
pub(crate) fn assert_lines(text: &str, expected: &[&str]) {
    for wanted in expected {
        assert!(text.lines().any(|line| line.trim() == *wanted), "{wanted} is missing:\n{text}");
    }
}

#[test]
fn a_combined_image_is_two_parts_of_one() {
    let text = fragment(
        "handle $picture_0: sampled_image<2d f32> {set 0, binding 3}\nin $at_5: f32x2 {location 0}\n",
        "$picture_0, $at_5",
        "  %0: path = deref.var $picture_0\n  %1: path = deref.var $at_5\n  %2: b32x2 = load %1\n  \
         %80: b32x4 = tex.sample %0, %2 {dim 2d, roles image+coord}\n",
    );
    let attributes = "[[vk::combinedImageSampler]] [[vk::binding(3, 0)]]";
    assert_lines(
        &text,
        &[
            &format!("{attributes} Texture2D<float4> picture : register(t3, space0);"),
            &format!("{attributes} SamplerState picture_sampler : register(s3,"),
            "color = picture.Sample(picture_sampler, at);",
        ],
    );
}

#[test]
fn members_of_a_constant_buffer_state_their_places_and_structures_are_filled() {
    let text = fragment(
        "struct #Inner_0 {\n  a: f32 {offset 0}\n  b: f32x3 {offset 16}\n}\n\nstruct #B_1 {block} {\n  \
         first: f32 {offset 4}\n  inner: #Inner_0 {offset 16}\n}\n\nuniform $data_0: #B_1 {set 1, binding 0}\n",
        "$data_0",
        "  %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: b32 = load %1\n  \
         %3: path = deref.field %0.1\n  %4: path = deref.field %3.1\n  %5: b32x3 = load %4\n  \
         %80: b32x4 = vec %2, %5\n",
    );
    assert_lines(
        &text,
        &[
            "[[vk::binding(0, 1)]] cbuffer data : register(b0, space1) {",
            "float first : packoffset(c0.y);",
            "Inner inner : packoffset(c1);",
            "uint gap_0;",
            "float3 b;",
            "color = float4(first, inner.b);",
        ],
    );
}

#[test]
fn a_storage_buffer_whose_places_are_others_is_accessed_by_bytes() {
    let text = fragment(
        "struct #B_1 {block} {\n  data: [f32x3 step 16] {offset 32}\n}\n\nstorage $data_0: #B_1 {set 0, binding 2}\n\
         in $index_1: u32 {location 1, interp flat}\n",
        "$data_0, $index_1",
        "  %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: path = deref.var $index_1\n  \
         %3: b32 = load %2\n  %4: path = deref.elem %1, %3\n  %5: b32x3 = load %4\n  %6: b32 = array_len %1\n  \
         %7: b32 = u2f %6\n  %80: b32x4 = vec %5, %7\n",
    );
    assert_lines(
        &text,
        &[
            "[[vk::binding(2, 0)]] RWByteAddressBuffer data : register(u2, space0);",
            "data.GetDimensions(bytes);",
            "uint data1 = (bytes - 32) / 16;",
            "color = float4(data.Load<float3>(index * 16 + 32), float(data1));",
        ],
    );
}

#[test]
fn what_the_language_does_not_have_is_refused_by_name() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nin $0: i32x2 {builtin frag_size}\n\
         out $1: f32x2 {location 0}\n\nentry fragment \"main\" @f_0 ($0, $1) {origin_upper_left}\n\n\
         func @f_0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32x2 = load %0\n  %2: path = deref.var $1\n  \
         %3 = store %2, %1\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let diags = hlsl(&parsed.module).err().unwrap_or_default();
    assert!(diags.iter().any(|diag| diag.message().contains("`frag_size`")), "{diags:?}");
}

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Not one entry point of a stage that is written.
    OtherStage,
    Refused,
    Rejected,
    /// The compiler ended its process.
    Crashed,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

fn judge(item: &Item, dxc: &Dxc) -> (Outcome, String) {
    let text = |_: &Module| written::text(item, "hlsl");
    judge_written(read(&item.bytes()).module, text, dxc, item.words() <= MOST_WORDS)
}

/// The profile of the compiler for a stage. `None` for stages that are not written.
pub(crate) fn profile(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Vertex => Some("vs_6_6"),
        Stage::Fragment => Some("ps_6_6"),
        Stage::Compute => Some("cs_6_6"),
        Stage::Geometry => Some("gs_6_6"),
        Stage::RayGen
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => Some("lib_6_6"),
        Stage::TessControl
        | Stage::TessEval
        | Stage::Kernel
        | Stage::Task
        | Stage::Mesh
        | Stage::TaskNv
        | Stage::MeshNv => None,
    }
}

/// Writes, compiles and compares a module.
pub(crate) fn judge_module(module: Module, dxc: &Dxc, runs: bool) -> (Outcome, String) {
    judge_written(module, hlsl, dxc, runs)
}

/// The module without the ids of the specialization constants that have their defaults, as the text says.
fn with_stated_defaults(mut module: Module, text: &str) -> Module {
    let id =
        |line: &str| line.strip_prefix("// specialization constant ")?.split(' ').next()?.parse::<u64>().ok();
    let fixed: Vec<u64> =
        text.lines().filter(|line| line.contains(" has its default")).filter_map(id).collect();
    let globals: Vec<_> = module.globals().map(|(global, data)| (global, data.clone())).collect();
    for (global, mut data) in globals {
        if data.attrs.get(Key::SpecId).is_some_and(|id| fixed.contains(&id)) {
            data.attrs = data.attrs.without(Key::SpecId);
            module.set_global(global, data);
        }
    }
    module
}

/// Compiles and compares a module, of which `text` gives the text.
fn judge_written(
    module: Module,
    text: impl FnOnce(&Module) -> Text,
    dxc: &Dxc,
    runs: bool,
) -> (Outcome, String) {
    let profile = match module.entries.as_slice() {
        [entry] => profile(entry.stage),
        _ => None,
    };
    let Some(profile) = profile else { return (Outcome::OtherStage, String::new()) };
    let text = match text(&module) {
        Ok(text) => text,
        Err(diags) => return (Outcome::Refused, diags.first().map(ToString::to_string).unwrap_or_default()),
    };
    if let Some(long) = text.lines().find(|line| line.len() > 100) {
        return (Outcome::Rejected, format!("a line is too long: {long}"));
    }
    if !dxc.installed {
        return (Outcome::Accepted, String::new());
    }
    let binary = match dxc.compile_apart(&text, profile, OPTIONS) {
        Ok(binary) => binary,
        Err(Failed::Rejected(message)) => return (Outcome::Rejected, message),
        Err(Failed::Crashed(status)) => return (Outcome::Crashed, status),
    };
    if !runs {
        return (Outcome::Accepted, String::new());
    }
    let module = with_stated_defaults(module, &text);
    match compared(module.clone(), &binary) {
        // The optimizer multiplies with reciprocals instead of dividing, and adds products in one step, of which a hash makes
        // another number: what the code generator writes before it.
        (Outcome::Differs, why) => {
            let exactly: Vec<&str> = OPTIONS.iter().copied().chain(["-fcgl"]).collect();
            match dxc.compile_apart(&text, profile, &exactly).map(|binary| compared(module, &binary)) {
                Ok((Outcome::Same, _)) => (Outcome::Same, format!("without optimization; with it, {why}")),
                _ => (Outcome::Differs, why),
            }
        }
        outcome => outcome,
    }
}

/// Compares the results of a module with those of the SPIR-V of its text.
fn compared(module: Module, binary: &[u8]) -> (Outcome, String) {
    let pair = vec![("input".to_owned(), Ok(module)), ("text".to_owned(), Ok(read(binary).module))];
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

#[test]
fn dxc_accepts_every_text_and_its_results_are_the_same() {
    let dxc = Dxc::new();
    let items = modules();
    let found = each(&items, |item| {
        let (outcome, why) = judge(item, &dxc);
        (item.file.clone(), outcome, why)
    });
    let count = |wanted: Outcome| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(_, outcome, _)| matches!(outcome, Outcome::Rejected | Outcome::Crashed | Outcome::Differs))
        .map(|(file, outcome, why)| format!("{file}: {outcome:?}: {why}"))
        .collect();
    let all = [Outcome::OtherStage, Outcome::Refused, Outcome::Accepted, Outcome::Same];
    println!("{} modules: {all:?} {:?}", found.len(), all.map(count));
    for (file, outcome, why) in &found {
        if matches!(outcome, Outcome::Refused | Outcome::Accepted) {
            println!("{outcome:?} {file}: {why}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    if dxc.installed {
        crate::outcomes::check("hlsl", &found);
    }
}

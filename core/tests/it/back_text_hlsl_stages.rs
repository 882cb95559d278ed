//! HLSL of other stages than vertex, fragment and compute, and of instructions that the language has no word for: texts of
//! small programs, which the DirectX Shader Compiler accepts.

use crate::back_text_hlsl::{assert_lines, profile};
use crate::testing::corpus::modules;
use crate::testing::dxc::Dxc;
use crate::testing::written;
use std::collections::BTreeSet;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Diag, Module};
use vitrine_core::ops::{Key, Op, SpirvOp};
use vitrine_core::pipeline::write;
use vitrine_core::text::parse;

const OPTIONS: &[&str] = &["-fspv-target-env=vulkan1.3", "-fvk-use-dx-layout", "-fvk-use-dx-position-w"];

fn hlsl(module: &Module) -> Result<String, Vec<Diag>> {
    let backend = named("hlsl").expect("the back end exists");
    let funcs = all_funcs(module);
    write(&Source::new(module, &funcs), backend, false).map(Written::into_text)
}

/// The text of a program with these declarations, this entry point and these instructions, which the compiler accepts.
fn text(declarations: &str, entry: &str, body: &str) -> String {
    let parsed = parse(&format!(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n{declarations}\nentry {entry}\n\n\
         func @f_0() tree {{\n^0:\n{body}  return\n}}\n",
    ));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = hlsl(&parsed.module).unwrap_or_else(|diags| panic!("{diags:?}"));
    let dxc = Dxc::new();
    if dxc.installed {
        let profile = profile(parsed.module.entries[0].stage).expect("the stage is written");
        let result = dxc.compile_apart(&text, profile, OPTIONS);
        assert!(result.is_ok(), "{:?}\n{text}", result.err());
    }
    text
}

#[test]
fn a_payload_is_a_parameter_that_is_copied_and_a_hit_ends_in_the_entry_point() {
    let text = text(
        "payload $color_0: f32x4 {class 5342}\npayload $at_1: f32x2 {class 5339}\n\
         in $t_2: f32 {builtin ray_tmax}\n",
        "anyhit \"main\" @f_0 ($color_0, $at_1, $t_2)",
        "  %0: path = deref.var $color_0\n  %1: path = deref.var $at_1\n  %2: path = deref.var $t_2\n  \
         %3: b32x2 = load %1\n  %4: b32 = load %2\n  %5: b32 = const 1.0\n  %6: b32x4 = vec %3, %4, %5\n  \
         %7 = store %0, %6\n  %8: b1 = flt %4, %5\n  if !0 %8 {\n  ^1:\n    stop ignore_intersection\n  } else {\n  \
         ^2:\n    next\n  }\n^3:\n",
    );
    assert_lines(
        &text,
        &[
            "static colorData color;",
            "color.value = float4(at.value, RayTCurrent(), 1.0f);",
            "hit_end = 1u;",
            "[shader(\"anyhit\")]",
            "void main(inout colorData incoming, in atData hit_attributes) {",
            "color = incoming;",
            "incoming = color;",
            "IgnoreHit();",
        ],
    );
    let copied = text.find("incoming = color;").expect("the payload is returned");
    assert!(text.find("IgnoreHit();").is_some_and(|ended| copied < ended), "{text}");
}

#[test]
fn a_ray_is_made_of_its_four_numbers_and_its_payload_is_a_structure() {
    let text = text(
        "struct #Payload_0 {\n  color: f32x3\n}\n\nhandle $scene_0: accel_struct {set 0, binding 3}\n\
         payload $found_1: #Payload_0 {class 5338}\nhandle $picture_2: image<2d f32 storage rgba8> {set 0, binding 1}\n\
         in $id_3: u32x3 {builtin launch_id}\n",
        "raygen \"main\" @f_0 ($scene_0, $found_1, $picture_2, $id_3)",
        "  %0: path = deref.var $scene_0\n  %1: handle = load %0\n  %2: b32 = const 1\n  %3: b32 = const 255\n  \
         %4: b32 = const 0\n  %5: b32x3 = const (0, 0, 1.0)\n  %6: b32 = const 0.001\n  %7: b32 = const 100.0\n  \
         %8: path = deref.var $found_1\n  \
         %9 = spirv.raw %1, %2, %3, %4, %2, %4, %5, %6, %5, %7, %8 {opcode 4445, words (65537, 0, 65538, 0, 65539, 0, \
         65540, 0, 65541, 0, 65542, 2, 65543, 2, 65544, 2, 65545, 2)}\n  \
         %10: path = deref.field %8.0\n  %11: b32x3 = load %10\n  %12: b32 = const 1.0\n  %13: b32x4 = vec %11, %12\n  \
         %14: path = deref.var $picture_2\n  %15: handle = load %14\n  %16: path = deref.var $id_3\n  \
         %17: b32x3 = load %16\n  %18: b32x2 = swizzle %17.xy\n  \
         %19 = image.write %15, %18, %13 {dim 2d, roles image+coord+texel}\n",
    );
    assert_lines(
        &text,
        &[
            "[[vk::binding(3, 0)]] RaytracingAccelerationStructure scene : register(t3, space0);",
            "static Payload found;",
            "RayDesc make_ray(float3 origin, float least, float3 direction, float most) {",
            "float4 v13 = float4(found.color, 1.0f);",
            "uint2 v18 = DispatchRaysIndex().xy;",
            "[shader(\"raygeneration\")]",
            "void main() {",
        ],
    );
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("TraceRay(scene, 1u, 255u, 0u, 1u, 0u, make_ray(float3("), "{text}");
}

#[test]
fn a_hit_in_another_function_than_the_entry_point_is_refused_with_the_pass_that_helps() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\npayload $color_0: f32x4 {class 5342}\n\n\
         entry anyhit \"main\" @f_0 ($color_0)\n\nfunc @f_0() tree {\n^0:\n  %0 = call @g_1()\n  return\n}\n\n\
         func @g_1() tree {\n^0:\n  stop terminate_ray\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let diags = hlsl(&parsed.module).err().unwrap_or_default();
    let is_wanted = |diag: &Diag| {
        let text = diag.to_string();
        text.contains("`stop terminate_ray`") && text.contains("`inline-functions`")
    };
    assert!(diags.iter().any(is_wanted), "{diags:?}");
}

#[test]
fn instructions_and_modes_without_a_word_are_declared_by_their_numbers() {
    let text = text(
        "in $at_0: f32x2 {builtin point_coord}\nout $color_1: f32x4 {location 0}\n",
        "fragment \"main\" @f_0 ($at_0, $color_1) {origin_upper_left, pixel_interlock_ordered, denorm_preserve 32}",
        "  %0: path = deref.var $at_0\n  %1: b32x2 = load %0\n  %2: b1 = io.is_helper\n  %3: b32 = b2f %2\n  \
         %4 = io.interlock_begin\n  %5: b32x4 = vec %1, %3, %3\n  %6: path = deref.var $color_1\n  \
         %7 = store %6, %5\n  %8 = io.interlock_end\n",
    );
    assert_lines(
        &text,
        &[
            "[[vk::ext_instruction(5381)]] bool is_helper();",
            "[[vk::ext_instruction(5364)]] void begin_interlock();",
            "[[vk::ext_capability(4464)]] [[vk::ext_extension(\"SPV_KHR_float_controls\")]]",
            "begin_interlock();",
            "end_interlock();",
            "[[vk::ext_decorate(11, 16)]] float2 point_coord : BUILTIN_16;",
            "vk::ext_execution_mode(4459, 32);",
            "vk::ext_execution_mode(5366);",
        ],
    );
}

#[test]
fn a_geometry_shader_appends_vertices_to_a_stream() {
    let text = text(
        "struct #Vertex_0 {block} {\n  place: f32x4 {builtin position}\n  size: f32 {builtin point_size}\n}\n\n\
         in $of_vertex_0: [#Vertex_0 * 2]\nin $tint_1: [f32x3 * 2] {location 3}\n\
         out $place_2: f32x4 {builtin position}\nout $color_3: f32x3 {location 0}\n\
         in $number_4: i32 {builtin invocation_id}\n",
        "geometry \"main\" @f_0 ($of_vertex_0, $tint_1, $place_2, $color_3, $number_4) \
         {input_lines, invocations 2, output_line_strip, output_vertices 4}",
        "  %0: path = deref.var $of_vertex_0\n  %1: path = deref.var $tint_1\n  %2: path = deref.var $place_2\n  \
         %3: path = deref.var $color_3\n  %4: path = deref.var $number_4\n  %5: b32 = load %4\n  \
         %6: path = deref.elem %0, %5\n  %7: path = deref.field %6.0\n  %8: b32x4 = load %7\n  %9 = store %2, %8\n  \
         %10: path = deref.elem %1, %5\n  %11: b32x3 = load %10\n  %12 = store %3, %11\n  \
         %13 = io.emit_vertex\n  %14 = io.end_primitive\n",
    );
    assert_lines(
        &text,
        &[
            "static float4 position;",
            "static float4 position1[2];",
            "static float3 tint[2];",
            "void emit(inout LineStream<Output> stream) {",
            "stream.Append(vertex);",
            "void shader(inout LineStream<Output> stream) {",
            "position = position1[invocation_id];",
            "color = tint[invocation_id];",
            "emit(stream);",
            "stream.RestartStrip();",
            "[instance(2)]",
            "[maxvertexcount(4)]",
            "tint[at] = input[at].tint;",
            "shader(stream);",
        ],
    );
}

#[test]
fn a_block_of_each_vertex_without_system_values_is_refused() {
    let parsed = parse(
        "module capability \"Geometry\"\nmodule memory \"GLSL450\"\n\n\
         struct #Vertex_0 {block} {\n  tint: f32x4 {location 0}\n}\n\nin $vertices_0: [#Vertex_0 * 1]\n\
         out $place_1: f32x4 {builtin position}\n\nentry geometry \"main\" @f_0 ($vertices_0, $place_1) \
         {input_points, invocations 1, output_points, output_vertices 1}\n\nfunc @f_0() tree {\n^0:\n  \
         %0: path = deref.var $vertices_0\n  %1: b32 = const 0\n  %2: path = deref.elem %0, %1\n  \
         %3: path = deref.field %2.0\n  %4: b32x4 = load %3\n  %5: path = deref.var $place_1\n  %6 = store %5, %4\n  \
         %7 = io.emit_vertex\n  return\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let diags = hlsl(&parsed.module).err().unwrap_or_default();
    assert!(diags.iter().any(|diag| diag.to_string().contains("without a location")), "{diags:?}");
}

#[test]
fn formatted_text_states_the_kinds_of_its_numbers() {
    let text = text(
        "in $id_0: u32x3 {builtin global_invocation_id}\n",
        "compute \"main\" @f_0 ($id_0) {local_size 1 1 1}",
        "  %0: path = deref.var $id_0\n  %1: b32x3 = load %0\n  %2: b32 = swizzle %1.x\n  %3: b32 = const -1\n  \
         %4 = print %2, %3 {text \"100%% of %u and \\\"%d\\\"\"}\n",
    );
    assert_lines(&text, &["printf(\"100%% of %u and \\\"%d\\\"\", global_invocation_id.x, -1);"]);
}

#[test]
fn an_atomic_of_the_other_signedness_exchanges_until_the_texel_is_the_same() {
    let text = text(
        "handle $numbers_0: image<2d u32 storage r32ui> {set 0, binding 0}\n",
        "compute \"main\" @f_0 ($numbers_0) {local_size 1 1 1}",
        "  %0: path = deref.var $numbers_0\n  %1: b32x2 = const (1, 5)\n  %2: b32 = const 0\n  %3: b32 = const -7\n  \
         %4: ptr = ptr.texel %0, %1, %2\n  %5: b32 = atomic %4, %3 {scope device, atomic imin}\n",
    );
    assert_lines(
        &text,
        &[
            "uint old = 0u;",
            "seen = old;",
            "InterlockedCompareExchange(numbers[int2(1, 5)], seen, uint(min(int(seen), -7)), old);",
            "} while (old != seen);",
        ],
    );
}

/// The instructions of rays in a module; those that name a payload by its location count as the others.
fn ray_instructions(module: &Module) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if data.op == Op::Spirv(SpirvOp::Raw) {
                found.insert(match data.attrs.get(Key::Opcode).unwrap_or(0) {
                    5337 => 4445,
                    5344 => 4446,
                    opcode => opcode,
                });
            }
        });
    }
    // The part of a matrix.
    found.remove(&81);
    found
}

#[test]
fn the_compiled_text_has_the_same_instructions_of_rays_as_the_module() {
    let dxc = Dxc::new();
    if !dxc.installed {
        return;
    }
    let mut judged = 0;
    for item in modules() {
        let module = read(&item.bytes()).module;
        let [entry] = module.entries.as_slice() else { continue };
        let wanted = ray_instructions(&module);
        let (Some(profile), false) = (profile(entry.stage), wanted.is_empty()) else { continue };
        let Ok(text) = written::text(&item, "hlsl") else { continue };
        let binary = dxc.compile_apart(&text, profile, OPTIONS);
        let binary = binary.unwrap_or_else(|error| panic!("{}: {error:?}", item.file));
        assert_eq!(ray_instructions(&read(&binary).module), wanted, "{}", item.file);
        judged += 1;
    }
    assert!(judged >= 3, "{judged} modules with rays are written");
}

//! GLSL that no function of the language expresses: instructions by their number, lookups with residency, critical sections
//! outside of `main`, formatted output, outputs of a patch with initial values. Each text is compiled and run.

use crate::back_text::{Outcome, judge_text, stage_name};
use crate::testing::glslang::Glslang;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::ir::Module;
use vitrine_core::pipeline::write;
use vitrine_core::text::parse;

/// The text of a module, which glslang accepts and which computes the same.
fn accepted(ir: &str, name: &str) -> String {
    let parsed = parse(ir);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let module: Module = parsed.module;
    let funcs = all_funcs(&module);
    let written = write(&Source::new(&module, &funcs), named("glsl").expect("it exists"), false);
    let text = written.map(Written::into_text).expect("it is written");
    let stage = stage_name(module.entries[0].stage).expect("the stage is written");
    let (outcome, why) = judge_text(&module, &text, stage, &Glslang::new(name), true);
    assert!(matches!(outcome, Outcome::Accepted | Outcome::Same), "{outcome:?}: {why}\n{text}");
    text
}

const HEAD: &str = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n";

#[test]
fn a_comparison_with_a_level_or_a_bias_in_layers_is_an_instruction() {
    let text = accepted(
        &format!(
            "{HEAD}in $at_0: f32x4 {{location 0}}\nout $color_1: f32 {{location 0}}\n\
             handle $layers_2: sampled_image<2d f32 arrayed depth> {{set 0, binding 0}}\n\
             handle $cubes_3: sampled_image<cube f32 arrayed depth> {{set 0, binding 1}}\n\n\
             entry fragment \"main\" @main_0 ($at_0, $color_1) {{origin_upper_left}}\n\nfunc @main_0() tree {{\n^0:\n  \
             %0: path = deref.var $at_0\n  %1: b32x4 = load %0\n  %2: b32x3 = swizzle %1.xyz\n  %3: b32 = swizzle %1.w\n  \
             %4: b32 = const 1.0\n  %5: path = deref.var $layers_2\n  %6: path = deref.var $cubes_3\n  \
             %7: b32 = tex.sample_lod %5, %2, %3, %4 {{dim 2d, arrayed, shadow, roles image+coord+compare+lod}}\n  \
             %8: b32 = tex.sample_lod %6, %1, %3, %2, %2 {{dim cube, arrayed, shadow, roles image+coord+compare+ddx+ddy}}\n  \
             %9: b32 = fadd %7, %8\n  \
             %11: b32 = tex.sample %5, %2, %3, %4 {{dim 2d, arrayed, shadow, roles image+coord+compare+bias}}\n  \
             %12: b32 = fadd %9, %11\n  %10: path = deref.var $color_1\n  store %10, %12\n  return\n}}\n"
        ),
        "back-text-compare",
    );
    for word in ["spirv_instruction(id = 89)", "spirv_instruction(id = 90)", "samplerCubeArrayShadow"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn the_members_of_a_structure_that_a_vertex_shader_reads_are_inputs() {
    let text = accepted(
        &format!(
            "{HEAD}struct #S_0 {{\n  a: f32x3\n  b: f32\n}}\n\nin $it_0: #S_0 {{location 1}}\n\
             out $color_1: f32x4 {{location 0}}\n\n\
             entry vertex \"main\" @main_0 ($it_0, $color_1) {{}}\n\nfunc @main_0() tree {{\n^0:\n  \
             %0: path = deref.var $it_0\n  %1: path = deref.field %0.0\n  %2: path = deref.field %0.1\n  \
             %3: b32x3 = load %1\n  %4: b32 = load %2\n  %5: b32x4 = vec %3, %4\n  \
             %6: path = deref.var $color_1\n  store %6, %5\n  return\n}}\n"
        ),
        "back-text-vertex-structure",
    );
    for line in ["layout(location = 1) in vec3 a;", "layout(location = 2) in float b;"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_critical_section_in_a_function_is_an_instruction() {
    let text = accepted(
        &format!(
            "{HEAD}module capability \"FragmentShaderPixelInterlockEXT\"\n\
             module extension \"SPV_EXT_fragment_shader_interlock\"\n\nstruct #B_0 {{block}} {{\n  count: u32 {{offset 0}}\n}}\n\n\
             storage $data_0: #B_0 {{set 0, binding 0}}\n\n\
             entry fragment \"main\" @main_0 () {{origin_upper_left, pixel_interlock_ordered}}\n\n\
             func @main_0() tree {{\n^0:\n  call @add_1()\n  return\n}}\n\n\
             func @add_1() tree {{\n^0:\n  io.interlock_begin\n  %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  \
             %2: b32 = load %1\n  %3: b32 = const 1\n  %4: b32 = iadd %2, %3\n  store %1, %4\n  io.interlock_end\n  return\n}}\n"
        ),
        "back-text-interlock",
    );
    for word in ["5364)", "5365)", "begin_interlock();", "end_interlock();"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn a_lookup_with_residency_stores_its_texel() {
    let text = accepted(
        &format!(
            "{HEAD}module capability \"SparseResidency\"\n\nin $at_0: f32x2 {{location 0}}\nout $color_1: f32x4 {{location 0}}\n\
             handle $image_2: sampled_image<2d f32> {{set 0, binding 0}}\n\n\
             entry fragment \"main\" @main_0 ($at_0, $color_1) {{origin_upper_left}}\n\nfunc @main_0() tree {{\n^0:\n  \
             %0: path = deref.var $at_0\n  %1: b32x2 = load %0\n  %2: path = deref.var $image_2\n  %3: b32 = const 0.5\n  \
             %4: b32x5 = tex.sample %2, %1, %3 {{dim 2d, sparse, roles image+coord+bias}}\n  %5: b32x4 = swizzle %4.xyzw\n  \
             %6: b32 = swizzle %4.a\n  %7: b1 = tex.resident %6\n  %8: b32x4 = const (0, 0, 0, 0)\n  %9: b32x4 = select1 %7, %5, %8\n  \
             %10: path = deref.var $color_1\n  store %10, %9\n  return\n}}\n"
        ),
        "back-text-sparse",
    );
    for word in [
        "GL_ARB_sparse_texture2",
        "sparseTextureARB(image_1, at, texel_1, 0.5)",
        "sparseTexelsResidentARB(residency)",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn formatted_output_has_a_format_and_values() {
    let text = accepted(
        &format!(
            "{HEAD}in $id_0: u32x3 {{builtin global_invocation_id}}\n\n\
             entry compute \"main\" @main_0 ($id_0) {{local_size 1 1 1}}\n\nfunc @main_0() tree {{\n^0:\n  \
             %0: path = deref.var $id_0\n  %1: b32x3 = load %0\n  %2: b32 = swizzle %1.x\n  \
             print %2 {{text \"at \\\"%u\\\"\\n\"}}\n  return\n}}\n"
        ),
        "back-text-print",
    );
    assert!(text.contains("debugPrintfEXT(\"at \\\"%u\\\"\\n\", gl_GlobalInvocationID.x);"), "{text}");
}

#[test]
fn outputs_of_a_patch_are_stored_before_all_else() {
    let text = accepted(
        &format!(
            "{HEAD}module capability \"Tessellation\"\n\nconst &0 = zero [f32x4 * 4]\n\nout $each_0: [f32x4 * 4] = &0 {{location 0}}\n\
             in $id_1: i32 {{builtin invocation_id}}\nout $whole_2: f32 = 2.0 {{location 1, interp patch}}\n\n\
             entry tess_control \"main\" @main_0 ($each_0, $id_1, $whole_2) {{output_vertices 4}}\n\nfunc @main_0() tree {{\n^0:\n  \
             %0: path = deref.var $id_1\n  %1: b32 = load %0\n  %2: path = deref.var $each_0\n  %3: path = deref.elem %2, %1\n  \
             %4: b32x4 = const (1.0, 1.0, 1.0, 1.0)\n  store %3, %4\n  return\n}}\n"
        ),
        "back-text-patch",
    );
    let (_, body) = text.split_once("void main() {").expect("an entry point");
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines[..4],
        [
            "each[gl_InvocationID] = vec4(0.0, 0.0, 0.0, 0.0);",
            "whole = 2.0;",
            "barrier();",
            "each[gl_InvocationID] = vec4(1.0);"
        ]
    );
}

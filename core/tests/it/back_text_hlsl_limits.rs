//! HLSL at the limits of its compiler: texts of small programs that it would reject, crash on or compute otherwise in their
//! plain form, and programs that are refused by name.

use crate::back_text_hlsl::{Outcome, assert_lines, judge_module};
use crate::testing::dxc::Dxc;
use crate::testing::written;
use vitrine_core::ir::Module;
use vitrine_core::text::parse;

/// A module with these declarations, this entry point and this body.
fn module(declarations: &str, entry: &str, body: &str) -> Module {
    let parsed = parse(&format!(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n{declarations}\nentry {entry}\n\n\
         func @f_0() tree {{\n{body}  return\n}}\n",
    ));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    parsed.module
}

/// The text of a module, which computes the same.
#[track_caller]
fn same(module: Module) -> String {
    let text = written::text_of(&module, "hlsl").unwrap_or_else(|diags| panic!("{diags:?}"));
    let dxc = Dxc::new();
    if dxc.installed {
        let (outcome, why) = judge_module(module, &dxc, true);
        assert_eq!(outcome, Outcome::Same, "{why}\n{text}");
    }
    text
}

/// Asserts that a module is refused, with these words.
#[track_caller]
fn refused(module: &Module, wanted: &str) {
    let diags = written::text_of(module, "hlsl").err().unwrap_or_default();
    assert!(diags.iter().any(|diag| diag.message().contains(wanted)), "{diags:?}");
}

const COMPUTE: &str = "compute \"main\" @f_0";
const FRAGMENT: &str = "fragment \"main\" @f_0";

/// A product of the number `at[i]` and the power of two with the exponent `by[i]`.
fn scaled(number: &str, by: &str, width: &str, exponent: &str) -> Module {
    let step = |ty: &str| match &ty[1..] {
        "16" => 2,
        "32" => 4,
        _ => 8,
    };
    let (number_step, exponent_step) = (step(number), step(by));
    module(
        &format!(
            "struct #A_0 {{block}} {{\n  at: [{number} step {number_step}] {{offset 0}}\n}}\n\nstruct #B_1 {{block}} {{\n  \
             by: [{by} step {exponent_step}] {{offset 0}}\n}}\n\nstorage $a_0: #A_0 {{set 0, binding 0}}\n\
             storage $b_1: #B_1 {{set 0, binding 1}}\nin $id_2: u32 {{builtin local_invocation_index}}\n",
        ),
        &format!("{COMPUTE} ($a_0, $b_1, $id_2) {{local_size 16 1 1}}"),
        &format!(
            "^0:\n  %0: path = deref.var $id_2\n  %1: b32 = load %0\n  %2: path = deref.var $a_0\n  \
             %3: path = deref.field %2.0\n  %4: path = deref.elem %3, %1\n  %5: {width} = load %4\n  \
             %6: path = deref.var $b_1\n  %7: path = deref.field %6.0\n  %8: path = deref.elem %7, %1\n  \
             %9: {exponent} = load %8\n  %10: {width} = fldexp %5, %9\n  %11 = store %4, %10\n",
        ),
    )
}

#[test]
fn a_power_of_two_is_split_so_that_it_does_not_overflow() {
    let text = same(scaled("f32", "i32", "b32", "b32"));
    let half = "float half_exponent = floor(exponent * 0.5f);";
    assert_lines(&text, &[half]);
    let text = same(scaled("f64", "i32", "b64", "b32"));
    assert_lines(&text, &["double power = asdouble(0u, uint(third + 1023) << 20);"]);
    same(scaled("f64", "i64", "b64", "b64"));
    let text = same(scaled("f32", "i64", "b32", "b64"));
    assert!(text.contains("clamp(b[local_invocation_index], -4096ll, 4096ll)"), "{text}");
}

#[test]
fn a_constant_power_of_two_is_not_split() {
    for (number, stored, power) in [("f32", "b32", "ldexp(a["), ("f64", "b64", "] *= 8.0L;")] {
        let step = if number == "f32" { 4 } else { 8 };
        let text = same(module(
            &format!(
                "struct #A_0 {{block}} {{\n  at: [{number} step {step}] {{offset 0}}\n}}\n\n\
                 storage $a_0: #A_0 {{set 0, binding 0}}\nin $id_1: u32 {{builtin local_invocation_index}}\n",
            ),
            &format!("{COMPUTE} ($a_0, $id_1) {{local_size 16 1 1}}"),
            &format!(
                "^0:\n  %0: path = deref.var $id_1\n  %1: b32 = load %0\n  %2: path = deref.var $a_0\n  \
                 %3: path = deref.field %2.0\n  %4: path = deref.elem %3, %1\n  %5: {stored} = load %4\n  \
                 %6: b32 = const 3\n  %7: {stored} = fldexp %5, %6\n  %8 = store %4, %7\n",
            ),
        ));
        assert!(text.contains(power) && !text.contains("exponent"), "{text}");
    }
}

#[test]
fn floats_of_a_workgroup_are_exchanged_as_integers() {
    let text = same(module(
        "struct #A_0 {block} {\n  at: [f32 step 4] {offset 0}\n}\n\nstorage $a_0: #A_0 {set 0, binding 0}\n\
         shared $cells_1: [f32 * 4]\nin $id_2: u32 {builtin local_invocation_index}\n",
        &format!("{COMPUTE} ($a_0, $cells_1, $id_2) {{local_size 4 1 1}}"),
        "^0:\n  %0: path = deref.var $id_2\n  %1: b32 = load %0\n  %2: path = deref.var $cells_1\n  \
         %3: path = deref.elem %2, %1\n  %4: b32 = const 1.5\n  %5 = store %3, %4\n  %6: path = deref.var $a_0\n  \
         %7: path = deref.field %6.0\n  %8: path = deref.elem %7, %1\n  %9: b32 = load %8\n  \
         %10: b32 = atomic %3, %9 {scope workgroup, atomic exchange}\n  %11: b32 = load %3\n  \
         %12: b32 = fadd %10, %11\n  %13 = store %8, %12\n",
    ));
    assert_lines(&text, &["groupshared uint cells[4];"]);
}

#[test]
fn a_buffer_whose_floats_are_exchanged_is_accessed_by_bytes() {
    let text = same(module(
        "struct #A_0 {block} {\n  at: [f32 step 4] {offset 0}\n}\n\nstorage $a_0: #A_0 {set 0, binding 0}\n\
         in $id_2: u32 {builtin local_invocation_index}\n",
        &format!("{COMPUTE} ($a_0, $id_2) {{local_size 4 1 1}}"),
        "^0:\n  %0: path = deref.var $id_2\n  %1: b32 = load %0\n  %2: path = deref.var $a_0\n  \
         %3: path = deref.field %2.0\n  %4: path = deref.elem %3, %1\n  %5: b32 = const 1.5\n  \
         %6: b32 = atomic %4, %5 {scope device, atomic exchange}\n  %7: b32 = atomic_load %4 {scope device}\n  \
         %8: b32 = fadd %6, %7\n  %9 = store %4, %8\n",
    ));
    assert!(text.contains("RWByteAddressBuffer a :"), "{text}");
}

#[test]
fn a_matrix_leaves_its_last_row_to_nothing() {
    let text = same(module(
        "struct #A_0 {block} {\n  m: mat<f32x2 * 2 step 16> {offset 0}\n  b: f32 {offset 24}\n}\n\n\
         uniform $a_0: #A_0 {set 0, binding 0}\nout $color_1: f32x2 {location 0}\n",
        &format!("{FRAGMENT} ($a_0, $color_1) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $a_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 1\n  \
         %3: path = deref.elem %1, %2\n  %4: b32x2 = load %3\n  %5: path = deref.field %0.1\n  %6: b32 = load %5\n  \
         %7: b32x2 = splat %6\n  %8: b32x2 = fadd %4, %7\n  %9: path = deref.var $color_1\n  %10 = store %9, %8\n",
    ));
    assert_lines(&text, &["uint4 a_rows[2];"]);
}

#[test]
fn a_flat_input_has_no_other_word() {
    let text = same(module(
        "in $at_0: f32 {location 4, interp flat+centroid}\nout $color_1: f32 {location 0}\n",
        &format!("{FRAGMENT} ($at_0, $color_1) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $at_0\n  %1: b32 = load %0\n  %2: path = deref.var $color_1\n  %3 = store %2, %1\n",
    ));
    assert_lines(&text, &["[[vk::location(4)]] nointerpolation float at : LOCATION4;"]);
}

#[test]
fn a_variable_of_a_specialized_length_has_its_values() {
    let text = same(module(
        "struct #A_0 {block} {\n  at: [f32 step 4] {offset 0}\n}\n\nconst &count_0: b32 = spec 2 {spec_id 0}\n\
         const &1 = zero [f32 * &count_0]\nstorage $a_0: #A_0 {set 0, binding 0}\n\
         private $list_1: [f32 * &count_0] = &1\nin $id_2: u32 {builtin local_invocation_index}\n",
        &format!("{COMPUTE} ($a_0, $list_1, $id_2) {{local_size 2 1 1}}"),
        "^0:\n  %0: path = deref.var $id_2\n  %1: b32 = load %0\n  %2: path = deref.var $list_1\n  \
         %3: path = deref.elem %2, %1\n  %4: b32 = load %3\n  %5: path = deref.var $a_0\n  \
         %6: path = deref.field %5.0\n  %7: path = deref.elem %6, %1\n  %8 = store %7, %4\n",
    ));
    assert_lines(&text, &["static float list[2] = {0.0f, 0.0f};"]);
}

#[test]
fn an_endless_loop_after_a_result_has_a_test() {
    let parsed = parse(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nin $at_0: f32 {location 0}\n\
         out $color_1: f32 {location 0}\n\nentry fragment \"main\" @f_0 ($at_0, $color_1) {origin_upper_left}\n\n\
         func @f_0() tree {\n^0:\n  %0: path = deref.var $color_1\n  %1: b32 = call @g_1()\n  %2 = store %0, %1\n  \
         return\n}\n\nfunc @g_1() -> b32 tree {\n^0:\n  %0: path = deref.var $at_0\n  %1: b32 = load %0\n  \
         %2: b32 = const 0\n  %3: b1 = fge %1, %2\n  if !0 %3 {\n  ^1:\n    return %1\n  } else {\n  ^2:\n    next\n  }\n\
         ^3:\n  loop !1 {\n  ^4:\n    %4: path = deref.var $color_1\n    %5 = store %4, %2\n    next\n  }\n\
         ^5:\n  return %2\n}\n",
    );
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = written::text_of(&parsed.module, "hlsl").unwrap_or_else(|diags| panic!("{diags:?}"));
    assert_lines(&text, &["bool forever = true;", "while (forever) {"]);
    let dxc = Dxc::new();
    if dxc.installed {
        let (outcome, why) = judge_module(parsed.module, &dxc, false);
        assert_eq!(outcome, Outcome::Accepted, "{why}\n{text}");
    }
}

#[test]
fn buffers_at_one_place_are_compared_in_any_order() {
    let text = same(module(
        "struct #A_0 {block} {\n  at: [u32 step 4] {offset 0}\n}\n\nstorage $to_0: #A_0 {set 0, binding 0}\n\
         storage $from_1: #A_0 {set 0, binding 0}\nin $id_2: u32 {builtin local_invocation_index}\n",
        &format!("{COMPUTE} ($to_0, $from_1, $id_2) {{local_size 4 1 1}}"),
        "^0:\n  %0: path = deref.var $id_2\n  %1: b32 = load %0\n  %2: path = deref.var $from_1\n  \
         %3: path = deref.field %2.0\n  %4: path = deref.elem %3, %1\n  %5: b32 = load %4\n  %6: b32 = const 29\n  \
         %7: b32 = udiv %5, %6\n  %8: path = deref.var $to_0\n  %9: path = deref.field %8.0\n  \
         %10: path = deref.elem %9, %1\n  %11 = store %10, %7\n",
    ));
    assert_lines(&text, &["to[local_invocation_index] = from[local_invocation_index] / 29u;"]);
}

#[test]
fn two_variables_at_one_location_are_refused() {
    let program = module(
        "in $a_0: f64x3 {location 1, interp flat}\nin $b_1: f32 {location 2}\nout $color_2: f32 {location 0}\n",
        &format!("{FRAGMENT} ($a_0, $b_1, $color_2) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $b_1\n  %1: b32 = load %0\n  %2: path = deref.var $color_2\n  %3 = store %2, %1\n",
    );
    refused(&program, "$0 and $1 are both inputs at location 2");
}

#[test]
fn a_value_for_each_primitive_is_refused() {
    let program = module(
        "in $a_0: f32 {location 1, interp per_primitive}\nout $color_1: f32 {location 0}\n",
        &format!("{FRAGMENT} ($a_0, $color_1) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $a_0\n  %1: b32 = load %0\n  %2: path = deref.var $color_1\n  %3 = store %2, %1\n",
    );
    refused(&program, "$0 has a value for each primitive");
}

#[test]
fn arrays_of_arrays_of_buffers_become_one_array() {
    let text = same(module(
        "struct #A_0 {block} {\n  at: f32x4 {offset 0}\n}\n\nuniform $list_0: [[#A_0 * 4] * 2] {set 0, binding 0}\n\
         out $color_1: f32x4 {location 0}\n",
        &format!("{FRAGMENT} ($list_0, $color_1) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $list_0\n  %1: b32 = const 1\n  %2: path = deref.elem %0, %1\n  \
         %3: path = deref.elem %2, %1\n  %4: path = deref.field %3.0\n  %5: b32x4 = load %4\n  \
         %6: path = deref.var $color_1\n  %7 = store %6, %5\n",
    ));
    assert_lines(&text, &["color = list[5].at;"]);
}

#[test]
fn arrays_that_its_compiler_does_not_have_are_refused() {
    let program = module(
        "handle $list_0: [image<subpass f32 storage> * 2] {set 0, binding 0, attachment 0}\n\
         out $color_1: f32x4 {location 0}\n",
        &format!("{FRAGMENT} ($list_0, $color_1) {{origin_upper_left}}"),
        "^0:\n  %0: path = deref.var $list_0\n  %1: b32 = const 1\n  %2: path = deref.elem %0, %1\n  \
         %3: handle = load %2\n  %4: b32x2 = const (0, 0)\n  \
         %5: b32x4 = image.read %3, %4 {dim subpass, roles image+coord}\n  %6: path = deref.var $color_1\n  \
         %7 = store %6, %5\n",
    );
    refused(&program, "$0 is an array of input attachments");
}

#[test]
fn derivatives_in_compute_shaders_are_refused() {
    let declarations = "struct #A_0 {block} {\n  at: [f32 step 4] {offset 0}\n}\n\nstorage $a_0: #A_0 {set 0, binding 0}\n\
                        handle $s_1: sampler {set 0, binding 1}\nhandle $t_2: image<2d f32> {set 0, binding 2}\n\
                        in $id_3: u32 {builtin local_invocation_index}\n";
    let entry = &format!("{COMPUTE} ($a_0, $s_1, $t_2, $id_3) {{local_size 2 2 1, derivative_group_quads}}");
    let place = "^0:\n  %0: path = deref.var $id_3\n  %1: b32 = load %0\n  %2: path = deref.var $a_0\n  \
                 %3: path = deref.field %2.0\n  %4: path = deref.elem %3, %1\n  %5: b32 = u2f %1\n";
    let derivative = format!("{place}  %6: b32 = ddx %5\n  %7 = store %4, %6\n");
    let lookup = format!(
        "{place}  %6: b32x2 = vec %5, %5\n  %7: path = deref.var $s_1\n  %8: handle = load %7\n  \
         %9: path = deref.var $t_2\n  %10: handle = load %9\n  %11: handle = tex.combine %10, %8\n  \
         %12: b32x4 = tex.sample %11, %6 {{dim 2d, roles image+coord}}\n  %13: b32 = swizzle %12.x\n  \
         %14 = store %4, %13\n",
    );
    for body in [derivative, lookup] {
        refused(&module(declarations, entry, &body), "derivatives in a compute shader");
    }
}

//! MSL: texts of small programs, with the lines that they must have, and the reasons of refusals.

use crate::back_text_msl::text_of;
use vitrine_core::text::parse;

/// The text of a program.
fn text(program: &str) -> String {
    let parsed = parse(program);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    text_of(&parsed.module).expect("it is written")
}

#[test]
fn a_buffer_that_is_one_array_is_a_pointer_and_every_operation_states_its_signedness() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 1, binding 2}\n\
         in $id_1: u32x3 {builtin global_invocation_id}\n\n\
         entry compute \"main\" @main_0 ($data_0, $id_1) {local_size 4 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
         %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: path = deref.var $id_1\n  \
         %3: b32x3 = load %2\n  %4: b32 = swizzle %3.x\n  %5: path = deref.elem %1, %4\n  %6: b32 = load %5\n  \
         %7: b32 = const 0xfffffffe\n  %8: b32 = imin %6, %7\n  %9 = store %5, %8\n  return\n}\n",
    );
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for wanted in [
        "// buffer 0: data (set 1, binding 2)",
        "// Threads per threadgroup: 4, 1, 1",
        "data[v4] = uint(min(int(data[v4]), -2));",
    ] {
        assert!(lines.contains(&wanted), "{wanted} is missing:\n{text}");
    }
}

#[test]
fn members_are_at_their_offsets_by_packed_vectors_and_gaps() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         close: f32x3 {offset 0}\n  next: f32 {offset 12}\n  far: f32x3 {offset 32}\n  last: f32x2 {offset 60}\n}\n\n\
         storage $data_0: #B_0 {set 0, binding 0}\n\n\
         entry compute \"main\" @main_0 ($data_0) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
         %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: path = deref.field %0.2\n  \
         %3: b32x3 = load %1\n  %4: b32x3 = fadd %3, %3\n  %5 = store %2, %4\n  return\n}\n",
    );
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for wanted in [
        "packed_float3 close;",
        "float next;",
        "char _padding_0[16];",
        "float3 far;",
        "char _padding_1[12];",
        "packed_float2 last;",
    ] {
        assert!(lines.contains(&wanted), "{wanted} is missing:\n{text}");
    }
    assert!(text.contains("float3(data.close)"), "{text}");
}

#[test]
fn functions_get_what_they_use_of_the_module() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\nprivate $count_1: u32\n\n\
         entry compute \"main\" @main_0 ($data_0, $count_1) {local_size 1 1 1}\n\nfunc @main_0() tree {\n^0:\n  \
         %0 = call @next_1()\n  %1 = call @next_1()\n  return\n}\n\nfunc @next_1() tree {\n^0:\n  \
         %0: path = deref.var $count_1\n  %1: b32 = load %0\n  %2: b32 = const 1\n  %3: b32 = iadd %1, %2\n  \
         %4 = store %0, %3\n  %5: path = deref.var $data_0\n  %6: path = deref.field %5.0\n  \
         %7: path = deref.elem %6, %1\n  %8 = store %7, %3\n  return\n}\n",
    );
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for wanted in ["void next(device uint* data, thread uint& count) {", "uint count;", "next(data, count);"]
    {
        assert!(lines.contains(&wanted), "{wanted} is missing:\n{text}");
    }
}

#[test]
fn a_lookup_with_residency_returns_both() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nhandle $picture_0: image<2d f32> {set 0, binding 0}\n\
         handle $smooth_1: sampler {set 0, binding 1}\nin $at_2: f32x2 {location 0}\nout $color_3: f32x4 {location 0}\n\n\
         entry fragment \"main\" @f_0 ($picture_0, $smooth_1, $at_2, $color_3) {origin_upper_left}\n\n\
         func @f_0() tree {\n^0:\n  %0: path = deref.var $picture_0\n  %1: handle = load %0\n  \
         %2: path = deref.var $smooth_1\n  %3: handle = load %2\n  %4: path = deref.var $at_2\n  %5: b32x2 = load %4\n  \
         %6: b32x5 = tex.sample %1, %3, %5 {dim 2d, sparse, roles image+sampler+coord}\n  %7: b32 = swizzle %6.a\n  \
         %8: b32x4 = swizzle %6.xyzw\n  %9: b1 = tex.resident %7\n  %10: b32x4 = const (0, 0, 0, 0)\n  \
         %11: b32x4 = select %9, %8, %10\n  %12: path = deref.var $color_3\n  %13 = store %12, %11\n  return\n}\n",
    );
    assert!(text.contains("sparse_color<float4> texel = picture.sparse_sample(smooth, "), "{text}");
    assert!(text.contains("uint v7 = uint(!texel.resident());"), "{text}");
    assert!(text.contains("out.color = v7 == 0u ? texel.value() : float4(0.0);"), "{text}");
}

#[test]
fn an_atomic_of_the_other_signedness_exchanges_until_the_texel_is_the_same() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\n\
         handle $numbers_0: image<2d u32 storage r32ui> {set 0, binding 0}\n\n\
         entry compute \"main\" @f_0 ($numbers_0) {local_size 1 1 1}\n\nfunc @f_0() tree {\n^0:\n  \
         %0: path = deref.var $numbers_0\n  %1: b32x2 = const (1, 5)\n  %2: b32 = const 0\n  %3: b32 = const -7\n  \
         %4: ptr = ptr.texel %0, %1, %2\n  %5: b32 = atomic %4, %3 {scope device, atomic imin}\n  return\n}\n",
    );
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("uint4 old = numbers.atomic_load(uint2(1u, 5u));"), "{text}");
    let wanted = "do { } while (!numbers.atomic_compare_exchange_weak(uint2(1u, 5u), &old, \
                  uint4(uint(min(int(old.x), -7)))));";
    assert!(joined.contains(wanted), "{text}");
}

#[test]
fn a_ray_query_is_an_object_and_candidates_have_other_numbers() {
    let text = text(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         data: [u32 step 4] {offset 0}\n}\n\nprivate $query_0: ray_query\n\
         handle $scene_1: accel_struct {set 0, binding 0}\nstorage $data_2: #B_0 {set 0, binding 1}\n\n\
         entry compute \"main\" @f_0 ($query_0, $scene_1, $data_2) {local_size 1 1 1}\n\nfunc @f_0() tree {\n^0:\n  \
         %0: path = deref.var $query_0\n  %1: path = deref.var $scene_1\n  %2: handle = load %1\n  \
         %3: b32 = const 4\n  %4: b32 = const 255\n  %5: b32x3 = const (0, 0, 1.0)\n  %6: b32 = const 0.5\n  \
         %7: b32 = const 10.0\n  %8 = spirv.raw %0, %2, %3, %4, %5, %6, %5, %7 {opcode 4473, words (65538, 0, 65539, 0, \
         65540, 2, 65541, 2, 65542, 2, 65543, 2)}\n  %9: b32 = const 0\n  %10: b32 = const 1\n  \
         %11: b32 = spirv.raw %0, %9 {type u32, opcode 4479, words (65537, 1)}\n  \
         %12: b32 = spirv.raw %0, %10 {type u32, opcode 4479, words (65537, 1)}\n  %13: b32 = iadd %11, %12\n  \
         %14: path = deref.var $data_2\n  %15: path = deref.field %14.0\n  %16: path = deref.elem %15, %9\n  \
         %17 = store %16, %13\n  return\n}\n",
    );
    for wanted in [
        "raytracing::intersection_params ray_options(uint flags) {",
        "options.accept_any_intersection(true);",
        "uint(query.get_candidate_intersection_type()) - 1u",
        "uint(query.get_committed_intersection_type())",
        "// buffer 0: scene (set 0, binding 0)",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("query.reset(raytracing::ray("), "{text}");
    assert!(joined.contains(", 0.5, 10.0), scene, 255u, ray_options(4u));"), "{text}");
}

/// The first reason for which a program is not written.
fn refusal(program: &str) -> String {
    let parsed = parse(program);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    text_of(&parsed.module).expect_err("it is refused")[0].to_string()
}

/// A kernel with these parameters and instructions.
fn kernel(params: &str, insts: &str) -> String {
    format!(
        "module capability \"Kernel\"\nmodule capability \"Addresses\"\nmodule addressing \"Physical64\"\n\
         module memory \"OpenCL\"\n\nentry kernel \"main\" @0 () {{local_size 4 1 1}}\n\n\
         func @0({params}) tree {{\n^0:\n{insts}  return\n}}\n"
    )
}

#[test]
fn arguments_of_a_kernel_are_buffers_by_position_and_indices_are_signed() {
    let text = text(&kernel(
        "%to_0: path {type u32, mode physical}, %count_1: b32, %scratch_2: path {type f32, mode shared}",
        "  %3: b32 = const 7\n  %4: path = deref.step %to_0, %count_1\n  %5 = store %4, %3\n  \
         %6: path = deref.step %4, %3\n  %7: b32 = load %scratch_2\n  %8 = store %6, %7\n",
    ));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for wanted in [
        "// buffer 0: to (argument 0)",
        "// buffer 1: count (argument 1)",
        "// threadgroup 0: scratch (argument 2)",
        "// Threads per threadgroup: 4, 1, 1",
    ] {
        assert!(lines.contains(&wanted), "{wanted} is missing:\n{text}");
    }
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = "kernel void main0(device uint* to [[buffer(0)]], constant int& count [[buffer(1)]], \
                threadgroup float* scratch [[threadgroup(0)]]) {";
    assert!(joined.contains(head), "{text}");
    assert!(joined.contains("to[count] = 7u; (&to[count])[7] = as_type<uint>(scratch[0]);"), "{text}");
}

#[test]
fn arguments_of_a_kernel_may_point_at_the_same_buffer() {
    let text = text(&kernel(
        "%a_0: path {type u32, mode physical}, %b_1: path {type u32, mode physical}",
        "  %2: b32 = load %b_1\n  %3: b32 = const 7\n  %4 = store %a_0, %3\n  \
         %5: path = deref.step %a_0, %3\n  %6 = store %5, %2\n",
    ));
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("uint b1 = b[0]; a[0] = 7u; a[7] = b1;"), "{text}");
}

#[test]
fn kernels_with_other_arguments_and_unaligned_accesses_are_refused() {
    let found = refusal(&kernel("%a_0: path {type [u32 * 4], mode physical}", ""));
    assert!(found.contains("the argument %0 is no number and no pointer to numbers of a buffer"), "{found}");
    let found = refusal(&kernel(
        "%a_0: path {type u32x4, mode physical}",
        "  %1: b32x4 = load %a_0 {align 4}\n  %2 = store %a_0, %1 {align 16}\n",
    ));
    assert!(found.contains("the address is less aligned than the type"), "{found}");
}

#[test]
fn a_task_shader_is_an_object_function() {
    let text = text(
        "module capability \"MeshShadingEXT\"\nmodule memory \"GLSL450\"\n\nstruct #Payload_0 {\n  first: u32\n}\n\n\
         payload $payload_0: #Payload_0 {class 5402}\nin $index_1: u32 {builtin local_invocation_index}\n\n\
         entry task \"main\" @f_0 ($payload_0, $index_1) {local_size 8 1 1}\n\nfunc @f_0() tree {\n^0:\n  \
         %0: path = deref.var $index_1\n  %1: b32 = load %0\n  %2: path = deref.var $payload_0\n  \
         %3: path = deref.field %2.0\n  %4 = store %3, %1\n  \
         %5 = barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}\n  %6: b32 = const 1\n  \
         %7: b32 = load %3\n  %8 = spirv.raw %7, %6, %6, %2 {opcode 5294, words (65536, 0, 65537, 0, 65538, 0, 65539, 0)}\n  \
         stop emit_mesh_tasks\n}\n",
    );
    let joined: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let head = "[[object]] void main0(uint local_index [[thread_index_in_threadgroup]], object_data Payload& payload \
                [[payload]], mesh_grid_properties grid) {";
    assert!(joined.contains(head), "{text}");
    assert!(
        joined.contains("threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_object_data);"),
        "{text}"
    );
    assert!(joined.contains("grid.set_threadgroups_per_grid(uint3(payload.first, 1u, 1u)); }"), "{text}");
}

#[test]
fn the_number_of_a_view_is_that_of_the_amplification() {
    let program = |stage: &str| {
        format!(
            "module capability \"MultiView\"\nmodule memory \"GLSL450\"\n\nin $view_0: i32 {{builtin view_index}}\n\
             out $to_1: i32 {{location 0}}\n\nentry {stage} \"main\" @f_0 ($view_0, $to_1)\n\nfunc @f_0() tree {{\n^0:\n  \
             %0: path = deref.var $view_0\n  %1: b32 = load %0\n  %2: path = deref.var $to_1\n  \
             %3 = store %2, %1\n  return\n}}\n"
        )
    };
    let text = text(&program("vertex"));
    assert!(text.contains("uint view [[amplification_id]]"), "{text}");
    assert!(text.contains("out.to = int(view);"), "{text}");
}

#[test]
fn a_pointer_to_an_array_is_one_to_its_first_element() {
    let text = text(
        "module capability \"Shader\"\nmodule capability \"PhysicalStorageBufferAddresses\"\n\
         module addressing \"PhysicalStorageBuffer64\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
         bytes: ptr<physical, [u8 * 12 step 1]> {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\n\n\
         entry compute \"main\" @f_0 ($data_0) {local_size 1 1 1}\n\nfunc @f_0() tree {\n^0:\n  \
         %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: path = load %1\n  %3: b64 = ptr.to_bits %2\n  \
         %4: b64 = const 4\n  %5: b64 = iadd %3, %4\n  %6: path = deref.from_bits %5 {type u32, mode physical}\n  \
         %7: b32 = const 1\n  %8 = store %6, %7 {align 4}\n  return\n}\n",
    );
    // The address of the variable would be that of the pointer itself.
    assert!(text.contains("ulong(") && !text.contains("ulong(&"), "{text}");
}

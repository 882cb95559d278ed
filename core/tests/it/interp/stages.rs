//! Stages with several vertices, meshes and rays: results of small programs, computed by hand, and counts of the corpus.

use super::programs::{module, written};
use crate::testing::corpus;
use std::collections::BTreeMap;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{
    Drawn, Element, Inputs, InvocationOutcome, OutKey, Outcome, Outputs, UbKind, Varying, draw, run, seeded,
};
use vitrine_core::ir::{Module, Stage};
use vitrine_core::ops::Builtin;

/// An input that is `base + dx * x` at vertex or patch `x`.
fn float(base: f32, dx: f32) -> Varying {
    Varying { base: u64::from(base.to_bits()), dx, dy: 0.0, float: true }
}

fn value(outputs: &Outputs, key: OutKey) -> Option<f32> {
    outputs.get(&key).copied().flatten().map(|bits| f32::from_bits(bits as u32))
}

fn first(outcome: &Outcome) -> &InvocationOutcome {
    outcome.invocations.values().next().expect("an invocation")
}

/// The values of location 0 of the elements of an invocation, in order.
fn elements(of: &InvocationOutcome) -> Vec<(Element, Option<f32>)> {
    of.elements.iter().map(|(&at, outputs)| (at, value(outputs, OutKey::Location(0, 0, 0)))).collect()
}

/// Each invocation writes its own vertex; after the barrier it reads the vertex of its neighbor.
const CONTROL: &str = "in $0: [f32 * 32] {location 0}\nin $1: u32 {builtin invocation_id}\nout $2: [f32 * 2] {location 0}\n\
    out $3: [f32 * 2] {location 1}\nout $4: [f32 * 4] {builtin tess_level_outer, interp patch}\n\n\
    entry tess_control \"main\" @0 ($0, $1, $2, $3, $4) {quads, output_vertices 2}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $1\n  %1: b32 = load %0\n  %2: path = deref.var $0\n  \
    %3: path = deref.elem %2, %1\n  %4: b32 = load %3\n  %5: path = deref.var $2\n  %6: path = deref.elem %5, %1\n  \
    %7 = store %6, %4\n  %8 = barrier {scope workgroup, order acq_rel+output_memory, exec workgroup}\n  \
    %9: b32 = const 1\n  %10: b32 = ixor %1, %9\n  %11: path = deref.elem %5, %10\n  %12: b32 = load %11\n  \
    %13: path = deref.var $3\n  %14: path = deref.elem %13, %1\n  %15 = store %14, %12\n  \
    %16: path = deref.var $4\n  %17: b32 = const 0\n  %18: path = deref.elem %16, %17\n  %19: b32 = const 3.0\n  \
    %20 = store %18, %19\n  return\n}\n";

#[test]
fn tessellation_control_shaders_share_the_outputs_of_a_patch() {
    let mut inputs = Inputs { primitives: 2, patch_vertices: 3, ..Inputs::default() };
    inputs.varyings.insert((0, 0), float(10.0, 1.0));
    let outcome = run(&module(CONTROL), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.invocations.len(), 4);
    // The second patch begins with vertex 3; each invocation reads what the other one wrote.
    let patch = &outcome.invocations[&2];
    assert_eq!(patch.at, [1, 0, 0]);
    let level = |of: &InvocationOutcome| {
        value(&of.elements[&Element::Patch], OutKey::BuiltIn(Builtin::TessLevelOuter, 0))
    };
    assert_eq!(level(patch), Some(3.0));
    let both = |number: u32| {
        let outputs = &patch.elements[&Element::Vertex(number)];
        [0, 1].map(|location| value(outputs, OutKey::Location(location, 0, 0)))
    };
    assert_eq!([both(0), both(1)], [[Some(13.0), Some(14.0)], [Some(14.0), Some(13.0)]]);
    // A level that is not written is undefined.
    assert_eq!(value(&patch.elements[&Element::Patch], OutKey::BuiltIn(Builtin::TessLevelOuter, 1)), None);
    assert!(outcome.invocations[&3].elements.is_empty());
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
}

#[test]
fn a_vertex_that_the_patch_does_not_have_is_undefined() {
    let mut inputs = Inputs { primitives: 1, patch_vertices: 1, ..Inputs::default() };
    inputs.varyings.insert((0, 0), float(10.0, 1.0));
    let outcome = run(&module(CONTROL), 0, &inputs).expect("it can be run");
    let second = &first(&outcome).elements[&Element::Vertex(1)];
    assert_eq!(second.get(&OutKey::Location(0, 0, 0)), Some(&None));
    assert!(outcome.reports.find(UbKind::UndefOutput).is_some());
}

#[test]
fn tessellation_evaluation_shaders_interpolate_the_vertices_of_their_patch() {
    let text = "in $0: [f32 * 3] {location 0}\nin $1: f32x3 {builtin tess_coord}\nin $2: f32 {location 4, interp patch}\n\
        in $3: u32 {builtin primitive_id}\nout $4: f32x2 {location 0}\nout $5: u32 {location 1}\n\n\
        entry tess_eval \"main\" @0 ($0, $1, $2, $3, $4, $5) {spacing_equal, triangles}\n\n\
        func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = const 0\n  %2: b32 = const 1\n  %3: b32 = const 2\n  \
        %4: path = deref.elem %0, %1\n  %5: b32 = load %4\n  %6: path = deref.elem %0, %2\n  %7: b32 = load %6\n  \
        %8: path = deref.elem %0, %3\n  %9: b32 = load %8\n  %10: path = deref.var $1\n  %11: b32x3 = load %10\n  \
        %12: b32x3 = vec %5, %7, %9\n  %13: b32 = fdot %11, %12\n  %14: path = deref.var $2\n  %15: b32 = load %14\n  \
        %16: b32x2 = vec %13, %15\n  %17: path = deref.var $4\n  %18 = store %17, %16\n  %19: path = deref.var $3\n  \
        %20: b32 = load %19\n  %21: path = deref.var $5\n  %22 = store %21, %20\n  return\n}\n";
    let mut inputs = Inputs { primitives: 2, ..Inputs::default() };
    inputs.varyings.insert((0, 0), float(0.0, 8.0));
    inputs.varyings.insert((4, 0), float(1.0, 1.0));
    let outcome = run(&module(text), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.invocations.len(), 12);
    // The last point of patch 1 has the weights 1/2, 1/4, 1/4; its vertices have 24, 32 and 40.
    let last = &outcome.invocations[&11];
    assert_eq!(last.at, [1, 5, 0]);
    let words = [0, 1].map(|component| value(&last.outputs, OutKey::Location(0, component, 0)));
    assert_eq!(words, [Some(30.0), Some(2.0)]);
    assert_eq!(last.outputs[&OutKey::Location(1, 0, 0)], Some(1));
}

/// Emits the vertices of the line in reverse, then one more vertex after the end of the strip.
const GEOMETRY: &str = "in $0: [f32 * 2] {location 0}\nin $1: u32 {builtin invocation_id}\nout $2: f32 {location 0}\n\n\
    entry geometry \"main\" @0 ($0, $1, $2) {invocations 2, input_lines, output_vertices 3, output_line_strip}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = const 0\n  %2: b32 = const 1\n  \
    %3: path = deref.elem %0, %2\n  %4: b32 = load %3\n  %5: path = deref.var $2\n  %6 = store %5, %4\n  \
    %7 = io.emit_vertex\n  %8: path = deref.elem %0, %1\n  %9: b32 = load %8\n  %10 = store %5, %9\n  \
    %11 = io.emit_vertex\n  %12 = io.end_primitive\n  %13 = io.end_primitive\n  %14 = io.emit_vertex\n  return\n}\n";

#[test]
fn geometry_shaders_emit_vertices_and_leave_outputs_undefined() {
    let mut inputs = Inputs { primitives: 2, ..Inputs::default() };
    inputs.varyings.insert((0, 0), float(0.5, 1.0));
    let outcome = run(&module(GEOMETRY), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.invocations.len(), 4);
    let last = &outcome.invocations[&3];
    assert_eq!(last.at, [1, 1, 0]);
    let at = |vertex, strip| Element::Emitted { stream: 0, vertex, strip };
    // The second line has vertices 2 and 3. An output is undefined after a vertex; a strip without vertices is none.
    assert_eq!(elements(last), [(at(0, 0), Some(3.5)), (at(1, 0), Some(2.5)), (at(2, 1), None)]);
    assert!(last.outputs.is_empty());
}

#[test]
fn vertices_beyond_the_declared_number_are_dropped_and_differences_are_found() {
    let mut inputs = Inputs { primitives: 1, ..Inputs::default() };
    inputs.varyings.insert((0, 0), float(0.5, 1.0));
    let all = run(&module(GEOMETRY), 0, &inputs).expect("it can be run");
    let two = module(&GEOMETRY.replace("output_vertices 3", "output_vertices 2"));
    let two = run(&two, 0, &inputs).expect("it can be run");
    assert_eq!(first(&two).elements.len(), 2);
    let difference = all.first_difference(&two).expect("a difference").to_string();
    assert_eq!(
        difference,
        "invocation 0 at [0, 0, 0], emitted vertex 2 of strip 1: it is not created any more"
    );
    let streams = GEOMETRY.replace("%7 = io.emit_vertex", "%7 = io.emit_vertex {stream 1}");
    let streams = run(&module(&streams), 0, &inputs).expect("it can be run");
    let stream = Element::Emitted { stream: 1, vertex: 0, strip: 0 };
    // The variable belongs to stream 0.
    assert!(first(&streams).elements[&stream].is_empty());
}

const MESH: &str = "in $0: u32 {builtin local_invocation_index}\nout $1: [f32 * 4] {location 0}\n\
    out $2: [u32x3 * 2] {builtin primitive_triangle_indices}\nout $3: [f32 * 2] {location 1, interp per_primitive}\n\n\
    entry mesh \"main\" @0 ($0, $1, $2, $3) {local_size 4 1 1, output_vertices 4, output_primitives 2, output_triangles}\n\n\
    func @0() tree {\n^0:\n  %0: b32 = const 3\n  %1: b32 = const 1\n  %2 = io.set_mesh_outputs %0, %1\n  \
    %3: path = deref.var $0\n  %4: b32 = load %3\n  %5: path = deref.var $1\n  %6: path = deref.elem %5, %4\n  \
    %7: b32 = u2f %4\n  %8 = store %6, %7\n  %9: b32 = const 0\n  %10: path = deref.var $2\n  \
    %11: path = deref.elem %10, %9\n  %12: b32x3 = const (0, 1, 2)\n  %13 = store %11, %12\n  \
    %14: path = deref.var $3\n  %15: path = deref.elem %14, %9\n  %16: b32 = const 7.0\n  %17 = store %15, %16\n  return\n}\n";

#[test]
fn meshes_have_the_vertices_and_primitives_that_are_set() {
    let outcome = run(&module(MESH), 0, &Inputs::default()).expect("it can be run");
    let mesh = first(&outcome);
    // The fourth invocation writes a vertex beyond the number that is set.
    let vertices: Vec<(Element, Option<f32>)> =
        elements(mesh).into_iter().filter(|(at, _)| matches!(at, Element::Vertex(_))).collect();
    let vertex = |number: u32| (Element::Vertex(number), Some(number as f32));
    assert_eq!(vertices, [vertex(0), vertex(1), vertex(2)]);
    assert_eq!(mesh.elements.len(), 4);
    let triangle = &mesh.elements[&Element::Primitive(0)];
    let corners = [0, 1, 2].map(|at| triangle[&OutKey::BuiltIn(Builtin::PrimitiveTriangleIndices, at)]);
    assert_eq!(corners, [Some(0), Some(1), Some(2)]);
    assert_eq!(value(triangle, OutKey::Location(1, 0, 0)), Some(7.0));
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    // A mesh shader that sets nothing has an empty mesh.
    let silent = MESH.replace("  %2 = io.set_mesh_outputs %0, %1\n", "");
    assert!(first(&run(&module(&silent), 0, &Inputs::default()).expect("it can be run")).elements.is_empty());
}

#[test]
fn tasks_start_workgroups_with_a_payload() {
    // OpEmitMeshTasksEXT is instruction 5294; TaskPayloadWorkgroupEXT is storage class 5402.
    let text = "struct #0 {\n  a: u32 {offset 0}\n  b: f32 {offset 4}\n}\n\nin $0: u32 {builtin local_invocation_index}\n\
        payload $1: #0 {class 5402}\n\nentry task \"main\" @0 ($0, $1) {local_size 2 1 1}\n\n\
        func @0() tree {\n^0:\n  %0: b32 = const 2\n  %1: b32 = const 1\n  %2: path = deref.var $1\n  \
        %3: path = deref.field %2.0\n  %4: b32 = const 5\n  %5 = store %3, %4\n  \
        %6 = spirv.raw %0, %1, %1, %2 {opcode 5294}\n  stop emit_mesh_tasks\n}\n";
    let outcome = run(&module(text), 0, &Inputs::default()).expect("it can be run");
    let task = first(&outcome);
    let expected: BTreeMap<OutKey, Option<u64>> = [
        (OutKey::BuiltIn(Builtin::TaskCount, 0), Some(2)),
        (OutKey::BuiltIn(Builtin::TaskCount, 1), Some(1)),
        (OutKey::BuiltIn(Builtin::TaskCount, 2), Some(1)),
        (OutKey::Payload(0), Some(5)),
    ]
    .into();
    assert_eq!(task.outputs, expected);
    assert!(outcome.invocations[&1].outputs.is_empty());
}

/// A ray generation shader that traces one ray from the origin along `x + y - z`, or away from every triangle; its
/// payload is an integer and a float. OpTraceRayKHR is instruction 4445; RayPayloadKHR is storage class 5338.
fn tracing(direction: &str, more: &str) -> Module {
    module(&format!(
        "struct #0 {{\n  a: u32 {{offset 0}}\n  b: f32 {{offset 4}}\n}}\n\n\
         struct #1 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\n\
         handle $0: accel_struct {{set 0, binding 1}}\nstorage $1: #1 {{set 0, binding 0}}\n\
         payload $2: #0 {{class 5338}}\npayload $3: #0 {{class 5342}}\nin $4: f32 {{builtin ray_tmax}}\n\
         in $5: u32x3 {{builtin launch_id}}\npayload $6: f32x2 {{class 5339}}\nprivate $7: u32\n\n\
         entry raygen \"main\" @0 ($0, $1, $2, $5, $7)\n{}\n\
         func @0() tree {{\n^0:\n  %0: path = deref.var $2\n  %1: path = deref.field %0.0\n  %2: b32 = const 40\n  \
         %3 = store %1, %2\n  %4: path = deref.field %0.1\n  %5: b32 = const 8.0\n  %6 = store %4, %5\n  \
         %7: path = deref.var $0\n  %8: handle = load %7\n  %9: b32 = const 0\n  %10: b32 = const 255\n  \
         %11: b32x3 = const (0, 0, 0)\n  %12: b32 = const 0.001\n  %13: b32x3 = const {direction}\n  \
         %14: b32 = const 100.0\n  %29: path = deref.var $7\n  %30: b32 = const 77\n  %31 = store %29, %30\n  \
         %15 = spirv.raw %8, %9, %10, %9, %9, %9, %11, %12, %13, %14, %0 {{opcode 4445}}\n  \
         %16: path = deref.var $5\n  %17: b32x3 = load %16\n  %18: b32 = swizzle %17.x\n  %19: b32 = const 3\n  \
         %20: b32 = imul %18, %19\n  %21: path = deref.var $1\n  %22: path = deref.field %21.0\n  \
         %23: path = deref.elem %22, %20\n  %24: b32 = load %1\n  %25 = store %23, %24\n  %26: b32 = const 1\n  \
         %27: b32 = iadd %20, %26\n  %28: path = deref.elem %22, %27\n  %32: b32 = load %4\n  %33 = store %28, %32\n  \
         %34: b32 = iadd %27, %26\n  %35: path = deref.elem %22, %34\n  %36: b32 = load %29\n  %37 = store %35, %36\n  \
         return\n}}\n{more}",
        more.lines()
            .filter_map(|line| line.strip_prefix("; "))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    ))
}

/// The integer and the float of the payload after the ray, and the private variable of the shader that traced it.
fn traced(module: &Module) -> (u32, f32, u32) {
    let mut inputs = Inputs { launch: [2, 1, 1], ..Inputs::default() };
    inputs.buffers.insert((0, 0), vec![vec![0; 24]]);
    let outcome = run(module, 0, &inputs).expect("it can be run");
    assert!(outcome.is_complete() && outcome.reports.is_empty(), "{:?}", outcome.reports);
    let words = written(&outcome);
    assert_eq!(words[..3], words[3..], "both invocations trace the same ray");
    (words[0], f32::from_bits(words[1]), words[2])
}

/// Through the center of the first face: the parameter is 5/3.
const HIT: &str = "(1.0, 1.0, -1.0)";
const MISS: &str = "(-9.0, -5.0, -9.0)";

/// A closest-hit shader that doubles the integer, and writes the end of the ray; and a miss shader.
const SHADERS: &str = "; entry closesthit \"hit\" @1 ($3, $4, $6, $7)\n; entry miss \"miss\" @2 ($3)\n\n\
    func @1() tree {\n^0:\n  %0: path = deref.var $3\n  %1: path = deref.field %0.0\n  %2: b32 = load %1\n  \
    %3: b32 = iadd %2, %2\n  %4 = store %1, %3\n  %5: path = deref.field %0.1\n  %6: path = deref.var $4\n  \
    %7: b32 = load %6\n  %8: path = deref.var $6\n  %9: b32x2 = load %8\n  %10: b32 = swizzle %9.x\n  \
    %11: b32 = fadd %7, %10\n  %12 = store %5, %11\n  %13: path = deref.var $7\n  %14 = store %13, %2\n  return\n}\n\n\
    func @2() tree {\n^0:\n  %0: path = deref.var $3\n  %1: path = deref.field %0.0\n  %2: b32 = const 5\n  \
    %3 = store %1, %2\n  return\n}\n";

#[test]
fn rays_invoke_closest_hit_and_miss_shaders_with_their_payload() {
    let module_of = |direction: &str| tracing(direction, SHADERS);
    // 5/3 plus the weight 1/3 of the second corner. Each shader has its own private variable.
    let (integer, float, private) = traced(&module_of(HIT));
    assert_eq!((integer, private), (80, 77));
    assert!((float - 2.0).abs() < 1e-6, "{float}");
    assert_eq!(traced(&module_of(MISS)), (5, 8.0, 77));
}

/// OpTraceNV, instruction 5337, names the payload by its location.
#[test]
fn payloads_are_found_by_location() {
    let text = vitrine_core::text::print_module(&tracing(HIT, SHADERS));
    let by_location = text
        .replace("{class 5338}", "{location 0, class 5338}")
        .replace("spirv.OpTraceRayKHR", "spirv.OpTraceNV")
        .replace("%14, %0\n", "%14, %9\n");
    assert!(by_location.contains("OpTraceNV") && by_location.contains("%14, %9\n"), "{by_location}");
    assert_eq!(traced(&module(&by_location)), traced(&module(&text)));
    let missing = by_location.replace("{location 0, class 5338}", "{location 1, class 5338}");
    let refused = run(&module(&missing), 0, &Inputs::default()).expect_err("there is no such payload");
    assert!(refused.to_string().contains("its payload is neither"), "{refused}");
}

#[test]
fn any_hit_shaders_decide_about_triangles_that_are_not_opaque() {
    // Along z there is only the small triangle, at 1; a face of the tetrahedron is behind it at x + y + z > 5.
    let any_hit = |stop: &str| {
        format!(
            "{SHADERS}\nfunc @3() tree {{\n^0:\n  %0: path = deref.var $3\n  %1: path = deref.field %0.0\n  \
             %2: b32 = const 1\n  %3 = store %1, %2\n  {stop}\n}}\n"
        )
        .replacen("; entry miss", "; entry anyhit \"any\" @3 ($3)\n; entry miss", 1)
    };
    // The integer is 1 after the any-hit shader, and doubled by the closest-hit shader.
    let along_z = "(0.5, 0.25, 1.0)";
    for stop in ["return", "stop terminate_ray"] {
        let (integer, float, _) = traced(&tracing(along_z, &any_hit(stop)));
        assert_eq!(integer, 2, "{stop}");
        assert!(float < 1.6, "{stop}: {float}");
    }
    // Ignored: the face behind it is hit, further away.
    let (integer, float, _) = traced(&tracing(along_z, &any_hit("stop ignore_intersection")));
    assert_eq!(integer, 2);
    assert!(float > 3.0, "{float}");
}

#[test]
fn rays_without_shaders_change_the_payload_by_a_rule() {
    let hit = traced(&tracing(HIT, ""));
    let miss = traced(&tracing(MISS, ""));
    let other = traced(&tracing("(1.0, 1.0, -1.125)", ""));
    assert!(hit.1 != miss.1 && hit.1 != other.1 && (40..47).contains(&hit.0), "{hit:?} {miss:?} {other:?}");
    // Half of 8, a quarter of 5/3, the direction with weights 5/64, 1/64 and 2/64 at offset 4, and tmin with 3/64.
    let expected = 4.0 + 5.0 / 12.0 + (5.0 + 1.0 - 2.0) / 64.0 + 0.001 * 3.0 / 64.0;
    assert!((f64::from(hit.1) - expected).abs() < 1e-5, "{hit:?}, expected {expected}");
    assert_eq!(hit.2, 77);
}

#[test]
fn hit_shaders_alone_get_a_ray_and_a_payload() {
    let module = tracing(HIT, SHADERS);
    let mut inputs = Inputs { launch: [1, 1, 1], ..Inputs::default() };
    inputs.payloads.insert(5342, vec![[21u32.to_le_bytes(), [0; 4]].concat()]);
    inputs.payloads.insert(5339, vec![[0.25f32.to_le_bytes(), [0; 4]].concat()]);
    let outcome = run(&module, 1, &inputs).expect("it can be run");
    let outputs = &first(&outcome).outputs;
    assert_eq!(outputs[&OutKey::Payload(0)], Some(42));
    assert!(value(outputs, OutKey::Payload(4)).is_some_and(|end| end > 0.3));
    // The float of the miss shader is unchanged, so it is no result.
    let outcome = run(&module, 2, &inputs).expect("it can be run");
    assert_eq!(first(&outcome).outputs, [(OutKey::Payload(0), Some(5))].into());
}

#[test]
fn callable_shaders_are_selected_by_number() {
    // OpExecuteCallableKHR is instruction 4446; CallableDataKHR and IncomingCallableDataKHR are 5328 and 5329.
    let text = |number: u32| {
        format!(
            "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\ncallable $0: u32 {{class 5328}}\n\
             callable $1: u32 {{class 5329}}\nstorage $2: #0 {{set 0, binding 0}}\n\nentry raygen \"main\" @0 ($0, $2)\n\
             entry callable \"three\" @1 ($1)\nentry callable \"five\" @2 ($1)\n\n\
             func @0() tree {{\n^0:\n  %0: path = deref.var $0\n  %1: b32 = const 7\n  %2 = store %0, %1\n  \
             %3: b32 = const {number}\n  %4 = spirv.raw %3, %0 {{opcode 4446}}\n  %5: b32 = load %0\n  \
             %6: path = deref.var $2\n  %7: path = deref.field %6.0\n  %8: b32 = const 0\n  \
             %9: path = deref.elem %7, %8\n  %10 = store %9, %5\n  return\n}}\n\n\
             func @1() tree {{\n^0:\n  %0: path = deref.var $1\n  %1: b32 = load %0\n  %2: b32 = const 3\n  \
             %3: b32 = imul %1, %2\n  %4 = store %0, %3\n  return\n}}\n\n\
             func @2() tree {{\n^0:\n  %0: path = deref.var $1\n  %1: b32 = load %0\n  %2: b32 = const 5\n  \
             %3: b32 = imul %1, %2\n  %4 = store %0, %3\n  return\n}}\n"
        )
    };
    let result = |number: u32| {
        let mut inputs = Inputs { launch: [1; 3], ..Inputs::default() };
        inputs.buffers.insert((0, 0), vec![vec![0; 4]]);
        written(&run(&module(&text(number)), 0, &inputs).expect("it can be run"))[0]
    };
    assert_eq!([0, 1, 2].map(result), [21, 35, 21]);
}

#[test]
fn intersection_shaders_report_within_the_ray() {
    // OpReportIntersectionKHR is instruction 5334. The ray ends at 100, and at 7 after the first report.
    let text = "entry intersection \"main\" @0 ()\n\nfunc @0() tree {\n^0:\n  %0: b32 = const 7.0\n  %1: b32 = const 1\n  \
        %2: b1 = spirv.raw %0, %1 {opcode 5334}\n  %3: b32 = const 8.0\n  %4: b32 = const 2\n  \
        %5: b1 = spirv.raw %3, %4 {opcode 5334}\n  return\n}\n";
    let inputs = Inputs { launch: [1; 3], ..Inputs::default() };
    let outcome = run(&module(text), 0, &inputs).expect("it can be run");
    let expected =
        [(OutKey::BuiltIn(Builtin::HitT, 0), 7.0f32.to_bits()), (OutKey::BuiltIn(Builtin::HitKind, 0), 1)];
    assert_eq!(first(&outcome).outputs, expected.map(|(key, bits)| (key, Some(u64::from(bits)))).into());
}

#[test]
fn ray_queries_visit_triangles_and_confirm_them() {
    // Initialize 4473, proceed 4477, confirm 4476, type 4479, parameter 6018, custom index 6019, to world 6031.
    let text = "struct #0 {block} {\n  o: [u32 step 4] {offset 0}\n}\n\nhandle $0: accel_struct {set 0, binding 1}\n\
        storage $1: #0 {set 0, binding 0}\n\nentry compute \"main\" @0 ($0, $1) {local_size 1 1 1}\n\n\
        func @0() tree {\n  local $2: ray_query\n^0:\n  %0: path = deref.var $2\n  %1: path = deref.var $0\n  \
        %2: handle = load %1\n  %3: b32 = const 0\n  %4: b32 = const 255\n  %5: b32x3 = const (0.5, 0.25, 0)\n  \
        %6: b32x3 = const (0, 0, 0.5)\n  %7: b32 = const 0.001\n  %8: b32 = const 100.0\n  %9: b32 = const 1\n  \
        %10 = spirv.raw %0, %2, %3, %4, %5, %7, %6, %8 {opcode 4473}\n  %11: b1 = spirv.raw %0 {opcode 4477}\n  \
        %12: b32 = spirv.raw %0, %3 {opcode 6018}\n  %13: b32 = spirv.raw %0, %9 {opcode 4479}\n  \
        %14 = spirv.raw %0 {opcode 4476}\n  %15: b1 = spirv.raw %0 {opcode 4477}\n  \
        %16: b32 = spirv.raw %0, %9 {opcode 4479}\n  %17: b32 = spirv.raw %0, %9 {opcode 6019}\n  \
        %18: handle = spirv.raw %0, %9 {opcode 6031}\n  %19: b32x3 = spirv.raw %18 {opcode 81, words (1, 3)}\n  \
        %20: b32 = b2i %11\n  %21: b32 = b2i %15\n  %22: b32 = swizzle %19.z\n  %23: path = deref.var $1\n  \
        %24: path = deref.field %23.0\n  %25: path = deref.elem %24, %3\n  %26 = store %25, %20\n  \
        %27: path = deref.elem %24, %9\n  %28 = store %27, %12\n  %29: b32 = const 2\n  \
        %30: path = deref.elem %24, %29\n  %31 = store %30, %13\n  %32: b32 = const 3\n  \
        %33: path = deref.elem %24, %32\n  %34 = store %33, %21\n  %35: b32 = const 4\n  \
        %36: path = deref.elem %24, %35\n  %37 = store %36, %16\n  %38: b32 = const 5\n  \
        %39: path = deref.elem %24, %38\n  %40 = store %39, %17\n  %41: b32 = const 6\n  \
        %42: path = deref.elem %24, %41\n  %43 = store %42, %22\n  return\n}\n";
    let mut inputs = Inputs::default();
    inputs.buffers.insert((0, 0), vec![vec![0; 28]]);
    let outcome = run(&module(text), 0, &inputs).expect("it can be run");
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    // A face is accepted first, since it is opaque. The candidate is the small triangle, at 2; then it is accepted: it
    // belongs to the instance with custom index 11, which is moved by -1 along z.
    assert_eq!(written(&outcome), [1, 2.0f32.to_bits(), 1, 0, 1, 11, (-1.0f32).to_bits()]);
    // A query that is not initialized is reported.
    let line = "  %10 = spirv.raw %0, %2, %3, %4, %5, %7, %6, %8 {opcode 4473}\n";
    let outcome = run(&module(&text.replace(line, "")), 0, &inputs).expect("it can be run");
    assert!(outcome.reports.find(UbKind::UndefAddress).is_some());
}

/// A vertex shader that writes vertex `v` of a triangle over the upper left half of the frame, with `w` = 1, 3, 1 and the
/// value 0, 1, 4; and fragment shaders that read it.
const PAIR: &str = "in $0: u32 {builtin vertex_index}\nout $1: f32x4 {builtin position}\nout $2: f32 {location 0}\n\
    in $3: f32 {location 0}\nin $4: f32x4 {builtin frag_coord}\nout $5: f32x4 {location 0}\n\n\
    entry vertex \"vs\" @0 ($0, $1, $2)\nentry fragment \"fs\" @1 ($3, $4, $5) {origin_upper_left}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = load %0\n  %2: b32 = const 1\n  %3: b1 = ieq %1, %2\n  \
    %4: b32 = const 2\n  %5: b1 = ieq %1, %4\n  %6: b32 = const 1.0\n  %7: b32 = const -1.0\n  \
    %8: b32 = const 3.0\n  %9: b32 = select %3, %8, %7\n  %10: b32 = const -3.0\n  \
    %11: b32 = select %3, %10, %7\n  %12: b32 = select %5, %6, %11\n  %13: b32 = select %3, %8, %6\n  \
    %14: b32 = const 0.25\n  %15: b32x4 = vec %9, %12, %14, %13\n  %16: path = deref.var $1\n  \
    %17 = store %16, %15\n  %18: b32 = const 4.0\n  %19: b32 = const 0.0\n  %20: b32 = select %3, %6, %19\n  \
    %21: b32 = select %5, %18, %20\n  %22: path = deref.var $2\n  %23 = store %22, %21\n  return\n}\n\n\
    func @1() tree {\n^0:\n  %0: path = deref.var $3\n  %1: b32 = load %0\n  %2: path = deref.var $4\n  \
    %3: b32x4 = load %2\n  %4: b32 = swizzle %3.w\n  %5: b32 = ddx %1\n  %6: b32 = swizzle %3.z\n  \
    %7: b32x4 = vec %1, %4, %5, %6\n  %8: path = deref.var $5\n  %9 = store %8, %7\n  return\n}\n";

#[test]
fn fragments_read_what_their_vertices_wrote() {
    let drawn = |interp: &str| {
        let text = PAIR.replace("in $3: f32 {location 0}", &format!("in $3: f32 {{location 0{interp}}}"));
        let pair = module(&text);
        let fragments = Inputs { frame: [4, 4], ..Inputs::default() };
        draw((&pair, 0), (&pair, 1), [&Inputs::default(), &fragments]).expect("it can be drawn")
    };
    let pixel = |drawn: &Drawn, at: [u32; 2]| {
        let fragment = drawn.fragments.invocations.values().find(|fragment| fragment.at == [at[0], at[1], 0]);
        fragment
            .map(|fragment| [0, 1, 2, 3].map(|part| value(&fragment.outputs, OutKey::Location(0, part, 0))))
    };
    let perspective = drawn("");
    // Ten pixel centers are on the left of or on the diagonal.
    assert_eq!((perspective.covered.clone(), perspective.fragments.invocations.len()), (vec![10], 10));
    assert!(perspective.fragments.reports.is_empty(), "{:?}", perspective.fragments.reports);
    assert_eq!(pixel(&perspective, [3, 3]), None);
    // At the center of the first pixel, the weights on the screen are 3/4, 1/8 and 1/8, and 1 / w is 1, 1/3 and 1: the
    // value is (1/8 * 1/3 + 1/8 * 4) / (3/4 + 1/24 + 1/8), and the denominator is 1 / w of the fragment.
    let near = |found: Option<[Option<f32>; 4]>, part: usize, wanted: f64| {
        let found = found.and_then(|parts| parts[part]).map_or(f64::NAN, f64::from);
        assert!((found - wanted).abs() < 1e-6, "{found}, expected {wanted}");
    };
    let (numerator, denominator) = (13.0 / 24.0, 22.0 / 24.0);
    near(pixel(&perspective, [0, 0]), 0, numerator / denominator);
    near(pixel(&perspective, [0, 0]), 1, denominator);
    // The depth is z / w, linear on the screen: 1/4, 1/12 and 1/4.
    near(pixel(&perspective, [0, 0]), 3, 0.25 * denominator);
    // One pixel to the right the weights are 1/2, 3/8 and 1/8.
    let right = (1.0 / 8.0 + 1.0 / 2.0) / (1.0 / 2.0 + 1.0 / 8.0 + 1.0 / 8.0);
    near(pixel(&perspective, [0, 0]), 2, right - numerator / denominator);
    // On the screen: 1/8 * 1 + 1/8 * 4; flat: the first vertex.
    near(pixel(&drawn(", interp noperspective"), [0, 0]), 0, 0.625);
    near(pixel(&drawn(", interp flat"), [2, 1]), 0, 0.0);
    // The stages must be in this order.
    let pair = module(PAIR);
    assert!(draw((&pair, 1), (&pair, 0), [&Inputs::default(), &Inputs::default()]).is_err());
}

/// Modules of the corpora by stage: entry points, and those that run on generated inputs.
fn counts() -> BTreeMap<&'static str, (usize, usize)> {
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for item in corpus::modules() {
        let is_wanted =
            |stage: Stage| !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Kernel);
        let module = read(&item.bytes()).module;
        let entries = module.entries.iter().enumerate().filter(|(_, entry)| is_wanted(entry.stage));
        for (number, entry) in entries {
            let (all, runs) = counts.entry(entry.stage.name()).or_default();
            *all += 1;
            match run(&module, number, &seeded(&module, number, 1)) {
                Ok(outcome) => *runs += usize::from(outcome.is_complete()),
                Err(diag) => println!("{} entry {number}: {diag}", item.file),
            }
        }
    }
    counts
}

/// Entry points of the large corpus that run to their end, at least.
const RUN: &[(&str, usize)] =
    &[("tess_control", 3), ("tess_eval", 1), ("geometry", 3), ("task", 1), ("mesh", 2)];

#[test]
fn shaders_of_every_stage_of_the_corpus_run() {
    let counts = counts();
    println!("entry points and those that run: {counts:?}");
    if corpus::large().is_none() {
        return;
    }
    for &(stage, least) in RUN {
        let runs = counts.get(stage).map_or(0, |counts| counts.1);
        assert!(runs >= least, "{stage}: {runs} run, of {counts:?}");
    }
}

//! Small programs in IR text: their results, and reports of undefined behavior.

use vitrine_core::interp::image::{Dim, Format, Image, Sampler, Wrap};
use vitrine_core::interp::{
    Inputs, InvocationEnd, Machine, OutKey, Outcome, Status, UbKind, Varying, can_run, refusal, run,
};
use vitrine_core::ir::{Func, Module};
use vitrine_core::ops::{Builtin, Op};
use vitrine_core::text::parse;

pub(super) use crate::testing::texts::valid_module as module;

/// A compute shader in which each invocation writes a word into buffer 0.0. `body` is its body,
/// with the invocation index in `%1` and the address of the word in `%5`.
fn compute(invocations: u32, body: &str) -> Module {
    module(&text_of(invocations, body))
}

fn text_of(invocations: u32, body: &str) -> String {
    format!(
        "struct #0 {{block}} {{\n  o: [u32 step 4] {{offset 0}}\n}}\n\n\
         storage $0: #0 {{set 0, binding 0}}\nin $1: u32 {{builtin local_invocation_index}}\nshared $2: [u32 * 64]\n\n\
         entry compute \"main\" @0 ($0, $1, $2) {{local_size {invocations} 1 1}}\n\n\
         func @0() tree {{\n  local $3: u32\n  local $4: [u32 * 4]\n^0:\n  %0: path = deref.var $1\n  %1: b32 = load %0\n  \
         %2: path = deref.var $0\n  %3: path = deref.field %2.0\n  %5: path = deref.elem %3, %1\n{body}\n}}\n"
    )
}

fn words(invocations: u32) -> Inputs {
    let mut inputs = Inputs::default();
    inputs.buffers.insert((0, 0), vec![vec![0; 4 * invocations as usize]]);
    inputs
}

pub(super) fn written(outcome: &Outcome) -> Vec<u32> {
    let bytes = &outcome.buffers[&((0, 0), 0)].bytes;
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn run_words(invocations: u32, body: &str) -> (Vec<u32>, Vec<&'static str>) {
    let outcome = run(&compute(invocations, body), 0, &words(invocations)).expect("it can be run");
    let codes = outcome.reports.list().iter().map(|report| report.ub.code()).collect();
    (written(&outcome), codes)
}

#[test]
fn invocations_of_a_loop_reconverge_after_it() {
    // The trip count of each invocation is its index; after the loop, all of them vote together.
    let body = "  %6: b32 = const 0\n  %7: b32 = const 1\n  loop !0(%6) {\n  ^1(%8: b32):\n    %9: b1 = uge %8, %1\n    \
                if !1 %9 {\n    ^2:\n      break !0\n    } else {\n    ^3:\n      next\n    }\n  ^4:\n    \
                %10: b32 = iadd %8, %7\n    next(%10)\n  }\n^5:\n  %11: b1 = ieq %6, %6\n  \
                %12: b32x4 = ballot %11\n  %13: b32 = swizzle %12.x\n  %14 = store %5, %13\n  return";
    assert_eq!(run_words(4, body), (vec![15; 4], vec![]));
}

#[test]
fn printed_lines_have_their_invocation_and_count_as_no_result() {
    let body = "  %6: b32 = const 2\n  %7: b1 = uge %1, %6\n  if !1 %7 {\n  ^1:\n    %8: b32x2 = const (0.5, 2.0)\n    \
                %9 = print %1, %8 {text \"%d: %1.1v2f\\n\"}\n    next\n  } else {\n  ^2:\n    next\n  }\n^3:\n  \
                %10 = store %5, %1\n  return";
    let outcome = run(&compute(4, body), 0, &words(4)).expect("it can be run");
    let lines: Vec<(u64, &str)> =
        outcome.prints.list().iter().map(|print| (print.invocation, print.text.as_str())).collect();
    assert_eq!(lines, [(2, "2: 0.5, 2.0\n"), (3, "3: 0.5, 2.0\n")]);
    let quiet = run(&compute(4, "  %10 = store %5, %1\n  return"), 0, &words(4)).expect("it can be run");
    assert_eq!(quiet.first_difference(&outcome), None);
}

#[test]
fn subgroups_reduce_scan_and_shuffle() {
    let with = |op: &str| run_words(8, &format!("  {op}\n  %15 = store %5, %14\n  return")).0;
    assert_eq!(with("%14: b32 = reduce %1 {reduce iadd, how all}"), [28; 8]);
    assert_eq!(with("%14: b32 = reduce %1 {reduce iadd, how inclusive}"), [0, 1, 3, 6, 10, 15, 21, 28]);
    assert_eq!(with("%14: b32 = reduce %1 {reduce iadd, how exclusive}"), [0, 0, 1, 3, 6, 10, 15, 21]);
    assert_eq!(
        with("%14: b32 = reduce %1 {reduce umax, how clustered, cluster 4}"),
        [3, 3, 3, 3, 7, 7, 7, 7]
    );
    assert_eq!(
        with("%13: b32 = const 3\n  %14: b32 = subgroup_shuffle_xor %1, %13"),
        [3, 2, 1, 0, 7, 6, 5, 4]
    );
    assert_eq!(with("%14: b32 = quad_swap %1 {axis vertical}"), [2, 3, 0, 1, 6, 7, 4, 5]);
    assert_eq!(with("%14: b32 = broadcast_first %1"), [0; 8]);
}

#[test]
fn shared_memory_passes_values_between_invocations_at_a_barrier() {
    let body = "  %6: path = deref.var $2\n  %7: path = deref.elem %6, %1\n  %8 = store %7, %1\n  \
                %9 = barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}\n  %10: b32 = const 7\n  %11: b32 = isub %10, %1\n  \
                %12: path = deref.elem %6, %11\n  %13: b32 = load %12\n  %14 = store %5, %13\n  return";
    assert_eq!(run_words(8, body), (vec![7, 6, 5, 4, 3, 2, 1, 0], vec![]));
    let racy = body
        .replace("  %9 = barrier {scope workgroup, order acq_rel+workgroup_memory, exec workgroup}\n", "");
    let inputs = Inputs { races: true, ..words(8) };
    let outcome = run(&compute(8, &racy), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.reports.list().iter().map(|report| report.ub).collect::<Vec<_>>(), [UbKind::Race]);
}

#[test]
fn atomics_execute_in_invocation_order() {
    let body = "  %6: path = deref.var $2\n  %7: b32 = const 0\n  %8: path = deref.elem %6, %7\n  %9 = store %8, %7\n  \
                %10: b32 = const 2\n  %11: b32 = atomic %8, %10 {scope workgroup, atomic iadd}\n  %12 = store %5, %11\n  return";
    assert_eq!(run_words(4, body), (vec![0, 2, 4, 6], vec![]));
}

#[test]
fn copies_preserve_padding() {
    let copied = |steps: &str, to: &str, from: &str| {
        let text = format!(
            "struct #0 {{block}} {{\n  a: mat<f32x2 * 2 step 12 rows> {{offset 0}}\n  \
             b: mat<f32x2 * 2 step 12 rows> {{offset 24}}\n}}\n\nstorage $0: #0 {{set 0, binding 0}}\n\n\
             entry compute \"main\" @0 ($0) {{local_size 1 1 1}}\n\nfunc @0() tree {{\n^0:\n  %0: path = deref.var $0\n  \
             %1: path = deref.field %0.0\n  %2: path = deref.field %0.1\n{steps}  copy %{to}, %{from}\n  return\n}}\n"
        );
        let mut inputs = Inputs::default();
        let bytes = (1..=12u32).flat_map(u32::to_le_bytes).collect();
        inputs.buffers.insert((0, 0), vec![bytes]);
        written(&run(&module(&text), 0, &inputs).expect("it can be run"))
    };
    // Row-major columns: components are 12 bytes apart, and every third word is padding.
    let columns = "  %3: path = deref.all %1\n  %4: path = deref.all %2\n";
    let components = format!("{columns}  %5: path = deref.all %3\n  %6: path = deref.all %4\n");
    let expected = [1, 2, 3, 4, 5, 6, 1, 2, 9, 4, 5, 12];
    assert_eq!(copied("", "2", "1"), expected);
    assert_eq!(copied(columns, "4", "3"), expected);
    assert_eq!(copied(&components, "6", "5"), expected);
}

#[test]
fn undefined_behavior_is_reported_with_its_position() {
    let of = |body: &str| run_words(2, body).1;
    let store = "  %15 = store %5, %14\n  return";
    assert_eq!(of(&format!("  %13: b32 = const 0\n  %14: b32 = udiv %1, %13\n{store}")), ["U020"]);
    assert_eq!(of(&format!("  %13: b32 = const 32\n  %14: b32 = ishl %1, %13\n{store}")), ["U021"]);
    assert_eq!(of(&format!("  %14: b32 = undef\n{store}")), ["U002"]);
    assert_eq!(of(&format!("  %13: path = deref.var $3\n  %14: b32 = load %13\n{store}")), ["U002"]);
    let outside = "  %12: path = deref.var $4\n  %11: b32 = const 4\n  %13: path = deref.elem %12, %11\n  %14: b32 = load %13\n";
    assert_eq!(of(&format!("{outside}{store}")), ["U010"]);
    let branch =
        "  %13: b1 = undef\n  if !0 %13 {\n  ^1:\n    next\n  } else {\n  ^2:\n    next\n  }\n^3:\n  return";
    assert_eq!(of(branch), ["U001"]);
    assert_eq!(of("  stop unreachable"), ["U030"]);
    let endless = "  loop !0 {\n  ^1:\n    next\n  }\n^2:\n  return";
    assert_eq!(of(endless), ["U060"]);
    let barrier = format!(
        "  %6: b32 = const 1\n  %7: b1 = ieq %1, %6\n  if !0 %7 {{\n  ^1:\n    %8 = barrier {{exec workgroup}}\n    next\n  }} \
         else {{\n  ^2:\n    next\n  }}\n^3:\n  %14: b32 = const 1\n{store}"
    );
    assert_eq!(of(&barrier), ["U041"]);
    let unbound = run(&compute(2, &format!("  %14: b32 = const 1\n{store}")), 0, &Inputs::default());
    assert!(unbound.expect("it can be run").reports.find(UbKind::Unbound).is_some());
}

const FRAGMENT: &str = "in $0: f32x4 {builtin frag_coord}\nout $1: f32x2 {location 0}\n\
    handle $2: sampled_image<2d f32> {set 0, binding 1}\n\nentry fragment \"main\" @0 ($0, $1) {origin_upper_left}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32x4 = load %0\n  %2: b32 = swizzle %1.x\n  \
    %3: path = deref.var $1\n";

fn fragment(body: &str) -> Module {
    module(&format!("{FRAGMENT}{body}}}\n"))
}

fn pixel(outcome: &Outcome, x: u32, y: u32) -> [f32; 2] {
    let invocation = outcome
        .invocations
        .values()
        .find(|invocation| invocation.at == [x, y, 0])
        .expect("the pixel was run");
    [0, 1].map(|component| {
        let bits = invocation.outputs[&OutKey::Location(0, component, 0)];
        f32::from_bits(bits.expect("a defined output") as u32)
    })
}

#[test]
fn derivatives_use_the_quad_including_helper_invocations() {
    let body = "  %4: b32 = fmul %2, %2\n  %5: b32 = ddx %4\n  %6: b32 = ddy %4\n  %7: b32x2 = vec %5, %6\n  %8 = store %3, %7\n  return\n";
    let inputs = Inputs { rect: [3, 1, 1, 1], ..Inputs::default() };
    let outcome = run(&fragment(body), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.invocations.len(), 1);
    // 3.5² - 2.5²
    assert_eq!(pixel(&outcome, 3, 1), [6.0, 0.0]);
    assert!(outcome.reports.is_empty());
}

#[test]
fn a_discarded_fragment_has_no_output_and_breaks_derivatives() {
    let body = "  %4: b32 = const 1.0\n  %5: b1 = flt %2, %4\n  if !0 %5 {\n  ^1:\n    stop discard\n  } else {\n  ^2:\n    next\n  }\n^3:\n  \
                %6: b32 = ddx %2\n  %7: b32x2 = splat %6\n  %8 = store %3, %7\n  return\n";
    let outcome = run(&fragment(body), 0, &Inputs::default()).expect("it can be run");
    let ends: Vec<InvocationEnd> = outcome.invocations.values().map(|invocation| invocation.end).collect();
    assert_eq!(ends.iter().filter(|end| **end == InvocationEnd::Discarded).count(), 2);
    assert!(outcome.reports.find(UbKind::PartialQuad).is_some());
    // A demoted invocation continues as a helper.
    let demoted = body.replace("    stop discard\n", "    %9 = io.demote\n    next\n");
    let outcome = run(&fragment(&demoted), 0, &Inputs::default()).expect("it can be run");
    assert!(outcome.reports.is_empty());
    assert_eq!(pixel(&outcome, 1, 0), [1.0, 1.0]);
    assert_eq!(
        outcome.invocations.values().filter(|invocation| invocation.end == InvocationEnd::Demoted).count(),
        2
    );
}

#[test]
fn image_samples_are_interpolated() {
    let mut image = Image::new(Format::from_name("r8").expect("a format"), Dim::D2, [2, 1, 1], [1; 3], 64)
        .expect("an image");
    image.bytes = vec![0, 255];
    let sampler = Sampler { wrap: [Wrap::Edge; 3], ..Sampler::default() };
    let mut inputs = Inputs { rect: [0, 0, 4, 1], ..Inputs::default() };
    inputs.images.insert((0, 1), vec![image]);
    inputs.samplers.insert((0, 1), vec![sampler]);
    let body = "  %4: path = deref.var $2\n  %5: handle = load %4\n  %6: b32 = const 0.25\n  %7: b32 = fmul %2, %6\n  %8: b32x2 = splat %7\n  \
                %9: b32 = const 0\n  %10: b32x4 = tex.sample_lod %5, %8, %9 {dim 2d, roles image+coord+lod}\n  \
                %11: b32x2 = swizzle %10.xw\n  %12 = store %3, %11\n  return\n";
    let outcome = run(&fragment(body), 0, &inputs).expect("it can be run");
    let pixels = [0, 1, 2, 3].map(|x| pixel(&outcome, x, 0));
    assert_eq!(pixels, [[0.0, 1.0], [0.25, 1.0], [0.75, 1.0], [1.0, 1.0]]);
    let unbound = run(&fragment(body), 0, &Inputs::default()).expect("it can be run");
    assert!(unbound.reports.find(UbKind::Unbound).is_some());
}

#[test]
fn a_machine_can_be_stepped_and_inspected() {
    let body = "  %6: b32 = const 5\n  %7: b32 = iadd %1, %6\n  %8: b32 = imul %7, %7\n  %9 = store %5, %8\n  return";
    let module = compute(3, body);
    let (func, _) = module.funcs().next().expect("a function");
    let inst = |number: usize| vitrine_core::base::EntityId::from_index(number);
    let mut machine = Machine::new(&module, 0, &words(3)).expect("it can be run");
    machine.begin(&machine.group_at(0));
    assert_eq!(machine.run_to(func, inst(8)), Status::Running);
    assert_eq!(machine.value(0, inst(7), 2), [Some(7)]);
    assert_eq!(machine.stack().len(), 1);
    assert_eq!(
        (machine.stack()[0].inst, machine.stack()[0].invocations.clone()),
        (Some(inst(8)), vec![0, 1, 2])
    );
    assert_eq!(machine.step(), Status::Running);
    assert_eq!(machine.value(0, inst(8), 2), [Some(49)]);
    while machine.step() == Status::Running {}
    let root = machine.root_of(0, vitrine_core::base::EntityId::from_index(0)).expect("the buffer is used");
    assert_eq!(machine.memory().root(root).expect("a root").bytes_of(0)[8..], [49, 0, 0, 0]);
    assert_eq!(machine.end(2), Some(InvocationEnd::Returned));
}

#[test]
fn oversized_inputs_are_rejected_before_the_run() {
    let text = "shared $0: [u32 * 1073741824]\n\nentry compute \"main\" @0 ($0) {local_size 1 1 1}\n\n\
                func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = const 1\n  %2: path = deref.elem %0, %1\n  \
                %3: b32 = load %2\n  return\n}\n";
    let diag = run(&module(text), 0, &Inputs::default()).expect_err("4 GB are too much");
    assert_eq!(diag.code, "X002");
    let wide =
        "entry compute \"main\" @0 () {local_size 1024 1024 1}\n\nfunc @0() tree {\n^0:\n  return\n}\n";
    assert_eq!(run(&module(wide), 0, &Inputs::default()).expect_err("too wide").code, "X002");
    assert_eq!(run(&Module::new(), 0, &Inputs::default()).expect_err("nothing there").code, "X003");
}

/// An entry point without variables, as after `lower-io`.
const INTERFACE: &str = "entry fragment \"main\" @0 () {origin_upper_left}\n\nfunc @0() tree {\n^0:\n  \
    %0: b32x2 = io.input {location 2}\n  %1: b32 = const 1\n  %2: b32 = const 4\n  %3: b32x2 = io.input_at %1 {location 1}\n  \
    %4: b32x4 = io.builtin {builtin frag_coord}\n  %5: b32 = io.builtin_at %1 {builtin frag_coord}\n  \
    %6: b32 = io.push %2 {offset 4}\n  %7: b32 = const 0\n  %8: b32 = io.ubo %7, %2 {set 0, binding 3}\n  \
    %9: b32 = io.ssbo %1, %7 {set 0, binding 4}\n  %10 = io.set_ssbo %8, %7, %2 {set 0, binding 4}\n  \
    %11 = io.output %4 {location 0, mask 3}\n  %12 = io.output_at %3, %1 {location 0}\n  \
    %13: b32 = io.output_read %1 {location 0}\n  %14 = io.set_builtin %13 {builtin frag_depth}\n  \
    %15 = io.set_builtin_at %6, %7 {builtin sample_mask}\n  %16: b32x2 = io.clock {scope subgroup}\n  \
    %17: b32x2 = vec %8, %9\n  %18 = io.output %17 {location 5, component 1}\n  return\n}\n";

#[test]
fn interface_operations_need_no_variables() {
    let mut inputs = Inputs { rect: [2, 1, 1, 1], push: (0..16).collect(), ..Inputs::default() };
    let plane = |base: f32| Varying { base: u64::from(base.to_bits()), dx: 1.0, dy: 10.0, float: true };
    inputs.varyings.insert((2, 0), plane(100.0));
    inputs.varyings.insert((2, 1), plane(200.0));
    inputs.buffers.insert((0, 3), vec![vec![1, 0, 0, 0, 2, 0, 0, 0]]);
    inputs.buffers.insert((0, 4), vec![vec![7; 8], vec![9; 4]]);
    let outcome = run(&module(INTERFACE), 0, &inputs).expect("it can be run");
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    let invocation = outcome.invocations.values().next().expect("a pixel");
    let word = |key: OutKey| invocation.outputs.get(&key).copied().flatten();
    let float = |value: f32| Some(u64::from(value.to_bits()));
    assert_eq!(word(OutKey::Location(0, 0, 0)), float(2.5));
    assert_eq!(word(OutKey::Location(0, 1, 0)), float(1.5));
    assert_eq!(word(OutKey::Location(0, 2, 0)), None);
    assert_eq!(word(OutKey::Location(1, 0, 0)), float(117.5));
    assert_eq!(word(OutKey::Location(1, 1, 0)), float(217.5));
    assert_eq!(word(OutKey::BuiltIn(Builtin::FragDepth, 0)), float(117.5));
    assert_eq!(word(OutKey::BuiltIn(Builtin::SampleMask, 0)), Some(0x0b0a_0908));
    assert_eq!(word(OutKey::Location(5, 1, 0)), Some(2));
    assert_eq!(word(OutKey::Location(5, 2, 0)), Some(0x0909_0909));
    assert_eq!(outcome.buffers[&((0, 4), 0)].bytes, [7, 7, 7, 7, 2, 0, 0, 0]);
}

#[test]
fn float_controls_flush_and_round() {
    let of = |modes: &str, body: &str| {
        let text = text_of(1, body).replace("{local_size 1 1 1}", &format!("{{local_size 1 1 1{modes}}}"));
        written(&run(&module(&text), 0, &words(1)).expect("it can be run"))[0]
    };
    let tiny = "  %6: b32 = const 0x00000003\n  %7: b32 = const 1.0\n  %8: b32 = fmul %6, %7\n  %9 = store %5, %8\n  return";
    assert_eq!(of("", tiny), 3);
    assert_eq!(of(", denorm_flush_to_zero 32", tiny), 0);
    let third = "  %6: b32 = const 2.0\n  %7: b32 = const 3.0\n  %8: b32 = fdiv %6, %7\n  %9 = store %5, %8\n  return";
    assert_eq!(of("", third), 0x3f2a_aaab);
    assert_eq!(of(", rounding_mode_rtz 32", third), 0x3f2a_aaaa);
    assert_eq!(of(", rounding_mode_rtz 16", third), 0x3f2a_aaab);
}

#[test]
fn calls_have_their_own_variables_and_terminate() {
    let calls = |depth: u32, limit: u32| {
        let text = format!(
            "{}\nfunc @1(%0: b32) -> b32 tree {{\n  local $5: u32\n^0:\n  %1: b32 = const 0\n  %2: b1 = ieq %0, %1\n  \
             %3: path = deref.var $5\n  %4 = store %3, %0\n  if !0 %2 {{\n  ^1:\n    next(%1)\n  }} else {{\n  ^2:\n    \
             %5: b32 = const 1\n    %6: b32 = isub %0, %5\n    %7: b32 = call @1(%6)\n    %8: b32 = load %3\n    \
             %9: b32 = iadd %7, %8\n    next(%9)\n  }}\n^3(%10: b32):\n  return %10\n}}\n",
            text_of(
                4,
                &format!(
                    "  %6: b32 = const {depth}\n  %7: b32 = iadd %1, %6\n  %8: b32 = call @1(%7)\n  %9 = store %5, %8\n  return"
                )
            )
        );
        let mut inputs = words(4);
        inputs.limits.calls = limit;
        // SPIR-V forbids recursion, but the interpreter must not hang on it.
        run(&parse(&text).module, 0, &inputs).expect("it can be run")
    };
    let sum = |n: u32| n * (n + 1) / 2;
    assert_eq!(written(&calls(10, 100)), [sum(10), sum(11), sum(12), sum(13)]);
    assert!(calls(10, 5).reports.find(UbKind::DeepCalls).is_some());
}

#[test]
fn pointers_are_passed_as_parameters() {
    let body = "  %6: path = deref.var $4\n  %7: b32 = const 1\n  %8: b32 = const 2\n  %9: path = deref.elem %6, %7\n  \
                %10: path = deref.elem %6, %8\n  %11 = store %9, %7\n  %12 = store %10, %8\n  %13: b32 = const 0\n  \
                %14: b1 = ieq %1, %13\n  %15: path = choose %14, %9, %10\n  %16: b32 = load %15\n  %17 = store %5, %16\n  return";
    assert_eq!(run_words(2, body), (vec![1, 2], vec![]));
}

/// An undefined component does not matter if another one is selected.
#[test]
fn selected_components_stay_defined_or_undefined() {
    let body = "  %6: b32x2 = undef\n  %7: b32 = const 0\n  %8: b32x2 = insert %6, %1, %7\n  %9: b32 = const COMPONENT\n  \
                %10: b32 = extract %8, %9\n  %11 = store %5, %10\n  return";
    assert_eq!(run_words(3, &body.replace("COMPONENT", "0")), (vec![0, 1, 2], vec![]));
    assert_eq!(run_words(3, &body.replace("COMPONENT", "1")).1, ["U002"]);
    assert_eq!(run_words(3, &body.replace("COMPONENT", "2")), (vec![0, 0, 0], vec!["U023"]));
}

/// Operations whose operands are outside of what their sources define: the result is that of the op table, with a report.
#[test]
fn undefined_results_are_reported_with_their_kind() {
    let value = |code: &str, bits: u32| {
        let body = format!(
            "  %6: b32 = const {bits}\n  %7: b32 = const 0\n  %8: b32 = const 1\n  %9: b32 = {code}\n  %10 = store %5, %9\n  return"
        );
        run_words(1, &body)
    };
    let float = |number: f32| number.to_bits();
    let max = i32::MAX.cast_unsigned();
    for (code, bits, result, reports) in [
        ("f2i %6", float(-2_147_483_648.0), 1 << 31, vec![]),
        ("f2i %6", float(2_147_483_648.0), max, vec!["U024"]),
        ("f2i %6", float(f32::NAN), 0, vec!["U024"]),
        ("f2i_sat %6", float(2_147_483_648.0), max, vec![]),
        ("f2u %6", float(-0.5), 0, vec![]),
        ("f2u %6", float(-1.0), 0, vec!["U024"]),
        ("f2u %6", float(4_294_967_296.0), u32::MAX, vec!["U024"]),
        ("f2u_sat %6", float(-1.0), 0, vec![]),
        ("iclamp %6, %7, %8", 5, 1, vec![]),
        ("iclamp %6, %8, %7", 5, 0, vec!["U025"]),
        ("uclamp %6, %7, %8", 5, 1, vec![]),
        ("fclamp %6, %8, %7", 5, 0, vec!["U025"]),
        ("fsmoothstep %7, %7, %6", float(1.0), float(1.0), vec!["U025"]),
        ("fround %6", float(2.5), float(2.0), vec![]),
        ("fround %6", float(1.25), float(1.0), vec![]),
        ("fround_away %6", float(2.5), float(3.0), vec![]),
    ] {
        let (written, found) = value(code, bits);
        if !code.starts_with("fsmoothstep") {
            assert_eq!(written, [result], "{code} of {bits:#x}");
        }
        assert_eq!(found, reports, "{code} of {bits:#x}");
    }
}

/// An index past an array of buffers without a length does not access the buffers of another variable.
#[test]
fn an_index_past_an_array_of_buffers_is_out_of_bounds() {
    let text = "struct #0 {block} {\n  o: [u32 step 4] {offset 0}\n}\n\n\
                storage $0: #0 {set 0, binding 0}\nstorage $1: [#0] {set 0, binding 1}\nstorage $2: #0 {set 0, binding 2}\n\n\
                entry compute \"main\" @0 ($0, $1, $2) {local_size 4 1 1}\n\n\
                func @0() tree {\n^0:\n  %0: b32 = io.builtin {builtin local_invocation_index}\n  %1: b32 = const 0\n  \
                %2: path = deref.var $1\n  %3: path = deref.elem %2, %0\n  %4: path = deref.field %3.0\n  \
                %5: path = deref.elem %4, %1\n  %6: b32 = load %5\n  %7: path = deref.var $0\n  \
                %8: path = deref.field %7.0\n  %9: path = deref.elem %8, %0\n  %10 = store %9, %6\n  \
                %11: path = deref.var $2\n  %12: path = deref.field %11.0\n  %13: path = deref.elem %12, %1\n  \
                %14: b32 = load %13\n  return\n}\n";
    let mut inputs = words(4);
    inputs.buffers.insert((0, 1), vec![vec![1; 4], vec![2; 4]]);
    inputs.buffers.insert((0, 2), vec![vec![3; 4]]);
    let outcome = run(&module(text), 0, &inputs).expect("it can be run");
    assert_eq!(written(&outcome), [0x0101_0101, 0x0202_0202, 0, 0]);
    let report = outcome.reports.list().iter().find(|report| report.ub == UbKind::OutOfBounds);
    assert_eq!(report.map(|report| report.count), Some(2));
}

#[test]
fn vertex_outputs_are_recorded() {
    let text = "in $0: u32 {builtin vertex_index}\nin $1: f32x2 {location 0}\nout $2: f32x4 {builtin position}\n\n\
                entry vertex \"main\" @0 ($0, $1, $2)\n\nfunc @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32 = load %0\n  \
                %2: b32 = u2f %1\n  %3: path = deref.var $1\n  %4: b32x2 = load %3\n  %5: b32x4 = vec %4, %2, %2\n  \
                %6: path = deref.var $2\n  %7 = store %6, %5\n  return\n}\n";
    let mut inputs = Inputs { vertices: [70, 1], ..Inputs::default() };
    for component in 0..2 {
        inputs.varyings.insert((0, component), Varying { base: 0, dx: 2.0, dy: 0.0, float: true });
    }
    let outcome = run(&module(text), 0, &inputs).expect("it can be run");
    assert_eq!(outcome.invocations.len(), 70);
    let invocation = &outcome.invocations[&69];
    let values: Vec<f32> =
        invocation.outputs.values().map(|bits| f32::from_bits(bits.expect("defined") as u32)).collect();
    assert_eq!(values, [138.0, 138.0, 69.0, 69.0]);
}

/// Every operation is executed, or rejected with a reason. The filetests of `ops` use every operation.
#[test]
fn every_operation_is_executed_or_rejected_with_a_reason() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/ops");
    let mut texts = vec![INTERFACE.to_owned()];
    for entry in std::fs::read_dir(folder).expect("the filetests exist").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a filetest is text");
        texts.push(text.split("\n----").next().unwrap_or(&text).to_owned());
    }
    let mut run_ops: std::collections::BTreeSet<Op> = std::collections::BTreeSet::new();
    let mut failures = Vec::new();
    for text in texts {
        let module = parse(&text).module;
        let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
        for func in funcs {
            let Some(body) = module.func(func).filter(|body| body.entry().is_some()) else { continue };
            let mut ops: Vec<Op> = body.params().iter().map(|&param| body.inst(param).op).collect();
            body.for_each_inst(|_, inst| ops.push(body.inst(inst).op));
            match can_run(&module, func) {
                Ok(()) => run_ops.extend(ops),
                Err(_) if ops.iter().any(|&op| refusal(op).is_some()) => {}
                Err(diag) => failures.push(format!("{diag}\n{text}")),
            }
        }
    }
    let refused: Vec<&str> = Op::all().filter(|&op| refusal(op).is_some()).map(Op::name).collect();
    let missing = Op::all().filter(|op| !run_ops.contains(op) && refusal(*op).is_none());
    let missing: Vec<&str> = missing.map(Op::name).collect();
    println!("{} of {} operations are executed; rejected: {refused:?}", run_ops.len(), Op::all().count());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(missing.is_empty(), "neither executed nor rejected: {missing:?}");
    assert!(refused.len() <= 1, "{refused:?}");
}

//! Usage analysis of memory: reports for small programs, and limits on large programs.

use crate::testing::texts::module;
use std::fmt::Write;
use vitrine_core::analysis::{Analyses, Memory, Part, PartKind, Tree, Usage};
use vitrine_core::base::EntityId;
use vitrine_core::ir::{Func, Inst, Var};

/// The usage report on a memory of a program.
fn usage(text: &str, of: Memory) -> String {
    let module = module(text);
    Usage::of(&module, &mut Analyses::new()).text(&module, of)
}

fn var(index: usize) -> Memory {
    Memory::Var(Var::from_index(index))
}

fn value(func: usize, inst: usize) -> Memory {
    Memory::Value(Func::from_index(func), Inst::from_index(inst))
}

const LIGHTS: &str = "
struct #0 {
  pos: f32x3 {offset 0}
  radius: f32 {offset 12}
  color: f32x4 {offset 16}
}
struct #1 {block} {
  count: u32 {offset 0}
  view: mat<f32x4 * 4 step 16> {offset 16}
  lights: [#0 step 32] {offset 80}
}
storage $0: bytes(80 + n * 32) was #1 {set 0, binding 0}
private $1: bytes(64) was [[f32 * 4 step 4] * 4 step 16]
";

/// A function that accesses a buffer of lights: `%3` is its data, `%2` a nested array, `%0` and `%1` are indices.
fn program(does: &str) -> String {
    let head = "func @0(%0: b32, %1: b32) graph {\n^0:\n  %2: ptr = ptr.var $1\n  %4: ptr = ptr.var $0\n";
    format!("{LIGHTS}\n{head}  %3: ptr = ptr.buffer_data %4\n{does}\n  return\n}}\n")
}

/// Accesses, and the expected reports on `$0` and `$1`.
const REPORTS: &[(&str, &str, &str)] = &[
    ("", "unused", "unused"),
    // Members have names; array elements repeat.
    (
        "  %9: ptr = ptr.dyn_offset %3, %0 {stride 32}
  %10: b32 = load %3
  %11: b32x3 = load %9 {offset 80}
  store %9, %10 {offset 92}
  %12: b32 = load %9 {offset 92}",
        "0..4 b32 read \"count\", 80.. * 32 { 0..12 b32x3 read \"lights[].pos\", 12..16 b32 read+write \"lights[].radius\" }",
        "unused",
    ),
    // A constant element belongs to the array, whichever element is accessed first.
    (
        "  %9: ptr = ptr.dyn_offset %3, %0 {stride 32}
  %10: b32 = load %9 {offset 92}
  %11: b32x3 = load %3 {offset 80}
  %12: b32x4 = load %3 {offset 128}",
        "80.. * 32 { 0..12 b32x3 read \"lights[].pos\", 12..16 b32 read \"lights[].radius\", 16..32 b32x4 read \"lights[].color\" }",
        "unused",
    ),
    // Nested arrays with lengths.
    (
        "  %9: ptr = ptr.dyn_offset %2, %0 {stride 16, range 64}
  %10: ptr = ptr.dyn_offset %9, %1 {stride 4, range 16}
  %11: b32 = load %10
  store %2, %11 {offset 20}",
        "unused",
        "0..64 * 16 { 0..16 * 4 { 0..4 b32 read+write \"[][]\" } }",
    ),
    // Neighbors by one index: the next element is an element.
    (
        "  %9: ptr = ptr.dyn_offset %3, %0 {stride 32}
  %10: b32 = load %9 {offset 92}
  %11: b32 = load %9 {offset 124}",
        "80.. * 32 { 12..16 b32 read \"lights[].radius\" }",
        "unused",
    ),
    // A vector and its component are overlapping accesses of different types.
    (
        "  %9: b32x4 = load %3 {offset 16}
  %10: b32 = load %3 {offset 28}
  %11: b32 = load %3 {offset 32}",
        "16..32 union { 0..16 b32x4 read \"view[0]\", 12..16 b32 read \"view[0].w\" }, 32..36 b32 read \"view[1].x\"",
        "unused",
    ),
    // Vectors in an array of scalars overlap between consecutive indices.
    (
        "  %9: ptr = ptr.dyn_offset %2, %0 {stride 4, range 52}
  %10: b32x4 = load %9",
        "unused",
        "0..64 * 4 { 0..16 b32x4 read }",
    ),
    // Arrays with two strides become arrays with their common divisor as stride.
    (
        "  %9: ptr = ptr.dyn_offset %2, %0 {stride 16, range 64}
  %10: b32 = load %9 {offset 4}
  %11: ptr = ptr.dyn_offset %2, %1 {stride 4, range 64}
  %12: b32 = load %11",
        "unused",
        "0..64 * 4 { 0..4 b32 read }",
    ),
    // Atomics, masks, byte copies.
    (
        "  %9: ptr = ptr.offset %3 {offset 4}
  %10: b32 = atomic %9, %0 {scope device, atomic iadd}
  %11: b32x4 = undef
  store %3, %11 {offset 16, mask 11}
  %12: b32 = const 8
  %13: ptr = ptr.offset %3 {offset 32}
  %14: ptr = ptr.offset %3 {offset 48}
  copy_bytes %14, %13, %12",
        "4..8 b32 read+write+atomic, 16..24 b32x2 write, 28..32 b32 write \"view[0].w\", 32..40 bytes read, 48..56 bytes write",
        "unused",
    ),
    // A cast to the declared type.
    (
        "  %9: ptr = ptr.offset %3 {offset 16}
  %10: path = deref.cast %9 {type mat<f32x4 * 4 step 16>, mode storage}
  %11: path = deref.cast %2 {type [[f32 * 4 step 4] * 4 step 16], mode private}
  %12: path = deref.elem %11, %0
  %13: path = deref.elem %12, %1
  %14: b32 = load %13",
        "16..80 typed address \"view\"",
        "0..64 typed read",
    ),
    // A pointer whose bits are used may point anywhere.
    (
        "  %9: b64 = ptr.to_bits %3
  %10: b32 = load %3",
        "anywhere read+write, 0..4 b32 read \"count\"",
        "unused",
    ),
    // A select points at either operand; a copy has the same target.
    (
        "  %9: ptr = ptr.offset %3 {offset 4}
  %10: b1 = ieq %0, %1
  %11: ptr = choose %10, %9, %2
  %12: ptr = mov %11
  %13: b32 = load %12 {offset 8}",
        "12..16 b32 read",
        "8..12 b32 read \"[0][2]\"",
    ),
];

#[test]
fn accesses_are_reported_by_byte() {
    let mut failures = String::new();
    for &(does, buffer, private) in REPORTS {
        let text = program(does);
        for (of, expected) in [(0, buffer), (1, private)] {
            let report = usage(&text, var(of));
            if report != expected {
                let _ = write!(failures, "{does}\n  ${of} {report}\n  not {expected}\n");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_loop_carried_pointer_steps_by_the_divisor_of_its_moves() {
    let text = format!(
        "{LIGHTS}
func @0(%0: b1) graph {{
^0:
  %1: ptr = ptr.var $1
  %2: ptr = ptr.offset %1 {{offset 4}}
  goto ^1(%2)
^1(%3: ptr):
  %4: b32 = load %3
  %5: ptr = ptr.offset %3 {{offset 16}}
  %6: ptr = ptr.offset %3 {{offset 24}}
  branch %0, ^2, ^3
^2:
  goto ^1(%5)
^3:
  branch %0, ^1(%6), ^4
^4:
  return
}}
"
    );
    assert_eq!(usage(&text, var(1)), "4.. * 8 { 0..4 b32 read }");
}

#[test]
fn accesses_through_a_parameter_count_for_callers() {
    let text = format!(
        "{LIGHTS}
func @0(%0: b32, %1: ptr {{type #0, mode storage}}) graph {{
^0:
  %2: b32 = load %1 {{offset 12}}
  call @0 (%0, %1)
  return
}}

func @1(%0: b32) graph {{
^0:
  %1: ptr = ptr.var $0
  %2: ptr = ptr.buffer_data %1
  %3: ptr = ptr.offset %2 {{offset 80}}
  %4: ptr = ptr.dyn_offset %3, %0 {{stride 32}}
  call @0 (%0, %4)
  return
}}
"
    );
    assert_eq!(usage(&text, value(0, 1)), "12..16 b32 read \"radius\"");
    assert_eq!(usage(&text, var(0)), "80.. * 32 { 12..16 b32 read \"lights[].radius\" }");
}

#[test]
fn a_returned_pointer_has_the_targets_of_the_function() {
    let text = format!(
        "{LIGHTS}
func @0(%0: ptr {{type #0, mode private}}) -> ptr {{type f32, mode private}} graph {{
^0:
  %1: ptr = ptr.offset %0 {{offset 8}}
  return %1
}}

func @1() graph {{
^0:
  %0: ptr = ptr.var $1
  %1: ptr = call @0 (%0)
  %2: b32 = load %1 {{offset 4}}
  return
}}
"
    );
    assert_eq!(usage(&text, var(1)), "12..16 b32 read \"[0][3]\"");
}

#[test]
fn reads_and_writes_include_callees() {
    let text = format!(
        "{LIGHTS}
func @0(%0: ptr {{type f32, mode private}}) graph {{
^0:
  %1: b32 = load %0
  return
}}

func @1() graph {{
^0:
  %0: ptr = ptr.var $1
  %1: b32 = const 1
  store %0, %1 {{offset 4}}
  %2: ptr = ptr.offset %0 {{offset 4}}
  call @0 (%2)
  return
}}
"
    );
    let module = module(&text);
    let usage = Usage::of(&module, &mut Analyses::new());
    let tree = usage.tree(&module, var(1));
    let Some(PartKind::Fields(fields)) = tree.part(tree.root()).map(|part| part.kind.clone()) else {
        panic!("{tree:?}")
    };
    assert_eq!(fields.len(), 1);
    let sites: Vec<String> =
        usage.sites(&tree, fields[0].1).iter().map(|(func, inst)| format!("{func} {inst}")).collect();
    // The store has no result, so it has the next free number.
    assert_eq!(sites.len(), 2, "{sites:?}");
    assert_eq!(sites[0], "@0 %1");
    assert!(sites[1].starts_with("@1"));
}

/// The number of parts. Checks that each part occurs only once in the tree.
fn parts(tree: &Tree) -> usize {
    let (mut work, mut seen) = (vec![tree.root()], std::collections::BTreeSet::<Part>::new());
    while let Some(part) = work.pop() {
        assert!(seen.insert(part));
        match &tree.part(part).unwrap().kind {
            PartKind::Fields(parts) | PartKind::Union(parts) => work.extend(parts.iter().map(|part| part.1)),
            PartKind::Repeat { element, .. } => work.push(*element),
            PartKind::Value(..) | PartKind::Bytes(_) | PartKind::Typed(..) | PartKind::Anywhere(_) => {}
        }
    }
    seen.len()
}

#[test]
fn recursive_growth_of_accesses_widens_to_anywhere() {
    // Each level calls the next twice: 2^40 patterns if all were kept separate.
    let levels = 40;
    let mut text = LIGHTS.to_owned();
    for level in 0..levels {
        let _ = writeln!(text, "func @{level}(%0: ptr {{type f32, mode private}}) graph {{\n^0:");
        if level + 1 == levels {
            let _ = writeln!(text, "  %1: b32 = load %0");
        } else {
            let _ = writeln!(text, "  %1: ptr = ptr.offset %0 {{offset {}}}", 1u32 << (level % 24));
            let _ = writeln!(text, "  call @{} (%0)\n  call @{} (%1)", level + 1, level + 1);
        }
        let _ = writeln!(text, "  return\n}}");
    }
    let report = usage(&text, value(0, 0));
    assert!(report.starts_with("anywhere read"), "{report}");
}

#[test]
fn many_strides_over_the_same_bytes_widen_to_anywhere() {
    let mut does = String::new();
    for at in 0..200 {
        let stride = 2 * at + 1001;
        let _ = writeln!(does, "  %{}: ptr = ptr.dyn_offset %2, %0 {{stride {stride}}}", 2 * at + 10);
        let _ = writeln!(does, "  %{}: b32 = load %{}", 2 * at + 11, 2 * at + 10);
    }
    let module = module(&program(&does));
    let tree = Usage::of(&module, &mut Analyses::new()).tree(&module, var(1));
    assert!(parts(&tree) < 100);
    assert!(usage(&program(&does), var(1)).contains("anywhere read"));
}

#[test]
fn long_chains_of_selects_and_calls_need_only_a_small_stack() {
    let mut does = "  %9: b1 = ieq %0, %1\n".to_owned();
    for at in 10..20_000 {
        let from = if at == 10 { 2 } else { at - 1 };
        let _ = writeln!(does, "  %{at}: ptr = choose %9, %2, %{from}");
    }
    does += "  %30000: b32 = load %19999\n";
    assert_eq!(usage(&program(&does), var(1)), "0..4 b32 read \"[0][0]\"");
}

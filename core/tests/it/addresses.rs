//! Address analysis, and lookups whose results differ between invocations, on small programs in text form.

use crate::testing::texts;
use std::fmt::Write;
use vitrine_core::analysis::{Addresses, Analyses, Divergence, Root, Term, path_at};
use vitrine_core::base::EntityId;
use vitrine_core::ir::{Func, Inst, Var};
use vitrine_core::ops::{ValueType, Width};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

const POINTERS: &str = "
storage $lights_0: bytes(16 + n * 32) was f32 {set 0, binding 0}
storage $grids_1: bytes(64) was f32 {set 0, binding 1}

func @0(%0: b32, %1: b1, %2: ptr {type f32, mode storage}) graph {
^0:
  %10: b32 = const 2
  %11: b32 = const 9
  %12: b32 = const -1
  %20: ptr = ptr.var $lights_0
  %21: ptr = ptr.buffer_data %20
  %22: ptr = ptr.dyn_offset %21, %0 {stride 32}
  %23: ptr = ptr.offset %22 {offset 16}
  %24: ptr = ptr.dyn_offset %23, %0 {stride 4, range 16}
  %25: ptr = ptr.offset %24 {offset -4}
  %26: ptr = mov %25
  %27: ptr = ptr.dyn_offset %22, %1 {stride 8}
  %28: ptr = ptr.dyn_offset %24, %10 {stride 4, range 16}
  %29: ptr = ptr.dyn_offset %24, %11 {stride 4, range 16}
  %30: ptr = ptr.dyn_offset %24, %12 {stride 4}
  %31: ptr = choose %1, %25, %2
  %32: ptr = ptr.offset %31 {offset 8}
  %33: ptr = ptr.var $grids_1
  %34: ptr = ptr.handle_index %33, %0 {range 4}
  %35: ptr = ptr.buffer_data %34
  %36: ptr = ptr.offset %35 {offset 4}
  %37: ptr = ptr.offset %2 {offset 12}
  return
}
";

fn describe(found: &Addresses, pointer: usize) -> String {
    let Some(at) = found.get(Inst::from_index(pointer)) else { return "none".to_owned() };
    let mut text = format!("{} {:+}", at.base, at.offset);
    for term in at.terms {
        let range = term.range.map_or(String::new(), |range| format!(" in {range}"));
        let _ = write!(text, " + {} * {}{range}", term.index, term.stride);
    }
    text
}

fn addresses(text: &str) -> Addresses {
    let module = texts::module(text);
    Addresses::of(&module, module.func(Func::from_index(0)).unwrap())
}

#[test]
fn offsets_are_summed_up_to_the_base() {
    let found = addresses(POINTERS);
    for (pointer, expected) in [
        (0, "none"),
        (2, "%2 +0"),
        (20, "%20 +0"),
        (21, "%21 +0"),
        (22, "%21 +0 + %0 * 32"),
        (25, "%21 +12 + %0 * 32 + %0 * 4 in 16"),
        (26, "%21 +12 + %0 * 32 + %0 * 4 in 16"),
        (27, "%21 +0 + %0 * 32 + %1 * 8"),
        (28, "%21 +24 + %0 * 32 + %0 * 4 in 16"),
        (29, "%21 +16 + %0 * 32 + %0 * 4 in 16 + %11 * 4 in 16"),
        (30, "%21 +12 + %0 * 32 + %0 * 4 in 16"),
        (32, "%31 +8"),
        (36, "%35 +4"),
        (37, "%2 +12"),
    ] {
        assert_eq!(describe(&found, pointer), expected, "%{pointer}");
    }
}

#[test]
fn a_base_belongs_to_its_variable() {
    let found = addresses(POINTERS);
    let root = |pointer| found.root(Inst::from_index(pointer));
    assert_eq!(root(26), Some(Root::Var(Var::from_index(0))));
    assert_eq!(root(36), Some(Root::Var(Var::from_index(1))));
    assert_eq!(root(32), Some(Root::Value(Inst::from_index(31))));
    assert_eq!(root(37), Some(Root::Value(Inst::from_index(2))));
    assert!(found.is_base(Inst::from_index(21)) && !found.is_base(Inst::from_index(22)));
}

#[test]
fn a_long_chain_takes_linear_space() {
    let steps = 5000;
    let mut text = "func @0(%0: ptr {type f32, mode storage}, %1: b32) graph {\n^0:\n".to_owned();
    for at in 0..steps {
        let from = if at == 0 { 0 } else { at + 1 };
        let _ = writeln!(text, "  %{}: ptr = ptr.dyn_offset %{from}, %1 {{stride 4}}", at + 2);
    }
    let found = addresses(&(text + "  return\n}\n"));
    let last = found.get(Inst::from_index(steps + 1)).unwrap();
    assert_eq!((last.base, last.terms.len()), (Inst::from_index(0), steps));
}

const MODULE: &str = "struct #Light_0 {\n  pos: f32x3 {offset 0}\n  radius: f32 {offset 12}\n}\n\n\
    struct #1 {block} {\n  count: u32 {offset 0}\n  lights: [#Light_0 step 32] {offset 16}\n}\n\n\
    struct #2 {block} {\n  m: mat<f32x4 * 3 step 16 rows> {offset 0}\n  n: mat<f32x4 * 3 step 16> {offset 64}\n}\n\n\
    storage $0: #1 {set 0, binding 0}\nuniform $1: #2 {set 0, binding 1}\n";

fn path(var: usize, offset: i64, terms: &[(usize, u32)], components: Option<u8>) -> Option<String> {
    let parsed = parse(MODULE);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let term = |&(index, stride): &(usize, u32)| Term {
        index: Inst::from_index(index),
        stride,
        range: None,
        before: 0,
    };
    let terms: Vec<Term> = terms.iter().map(term).collect();
    let ty = parsed.module.var(Var::from_index(var)).unwrap().ty;
    let expected = components.map(|components| ValueType::Bits { width: Width::W32, components });
    path_at(&parsed.module, ty, offset, &terms, expected).map(|(path, _)| path)
}

#[test]
fn paths_use_the_declared_names() {
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(path(0, 0, &[], None), some(""));
    assert_eq!(path(0, 0, &[], Some(1)), some("count"));
    assert_eq!(path(0, 16, &[], None), some("lights"));
    assert_eq!(path(0, 28, &[(3, 32)], Some(1)), some("lights[%3].radius"));
    assert_eq!(path(0, 16 + 64, &[(3, 32)], Some(3)), some("lights[%3 + 2].pos"));
    assert_eq!(path(0, 20, &[(3, 32)], Some(1)), some("lights[%3].pos.y"));
    assert_eq!(path(0, 16, &[(3, 32), (4, 4)], Some(1)), some("lights[%3].pos[%4]"));
    assert_eq!(path(0, 16 + 96, &[], Some(3)), some("lights[3].pos"));
}

#[test]
fn matrices_are_described_by_columns_in_any_layout() {
    assert_eq!(path(1, 64 + 16, &[], Some(4)), Some("n[1]".to_owned()));
    assert_eq!(path(1, 16 + 8, &[], Some(1)), Some("m[2][1]".to_owned()));
    assert_eq!(path(1, 8, &[(3, 16)], Some(1)), Some("m[2][%3]".to_owned()));
}

#[test]
fn unnamed_memory_is_described_in_bytes() {
    assert_eq!(path(0, -4, &[], None), None);
    assert_eq!(path(0, 8, &[], Some(1)), Some("count + 8 bytes".to_owned()));
    assert_eq!(path(0, 0, &[(3, 12)], Some(1)), Some("count + %3 * 12 bytes".to_owned()));
}

const LOOKUPS: &str = r#"
handle $0: sampled_image<2d f32> {set 0, binding 0}
handle $1: image<subpass f32 storage> {set 0, binding 1, attachment 0}

entry fragment "main" @0 ($0, $1) {origin_upper_left}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: path = deref.var $1
  %2: b32x2 = const (0x7f800000, 0x7f800000)
  %3: b32x2 = const (0, 0)
  %4: b32 = const 0
  %5: b32x4 = tex.sample %0, %2 {dim 2d, roles image+coord}
  %6: b32x2 = tex.query_lod %0, %2 {dim 2d, roles image+coord}
  %7: b32x4 = image.read %1, %3 {dim subpass, roles image+coord}
  %8: b32x4 = tex.sample_lod %0, %2, %4 {dim 2d, roles image+coord+lod}
  %9: b32x4 = tex.sample_lod %0, %2, %2, %2 {dim 2d, roles image+coord+ddx+ddy}
  %10: b32x4 = tex.gather %0, %2, %4 {dim 2d, roles image+coord+component}
  %11: b32x2 = tex.query_size %0, %4 {dim 2d, roles image+lod}
  %12: b32x2 = ddx %2
  %13: b32x4 = io.builtin {builtin frag_coord}
  %14: b32x2 = swizzle %13.xy
  %15: b32x4 = tex.sample_lod %0, %14, %4 {dim 2d, roles image+coord+lod}
  return
}
"#;

/// A lookup that depends on neighboring invocations, or on its own pixel, is divergent even with uniform operands.
#[test]
fn lookups_are_uniform_if_they_depend_only_on_operands() {
    let parsed = parse(LOOKUPS);
    assert!(parsed.diags.is_empty(), "{}", parsed.diags[0]);
    let diags = validate(&parsed.module);
    assert!(diags.is_empty(), "{}", diags[0]);
    let found = Analyses::new().get::<Divergence>(&parsed.module, Func::from_index(0));
    let uniform: Vec<usize> = (5..16).filter(|&number| found.is_uniform(Inst::from_index(number))).collect();
    assert_eq!(uniform, [8, 9, 10, 11]);
}

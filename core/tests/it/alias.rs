//! Alias analysis: a table of the expected overlap of pairs of paths.

use vitrine_core::analysis::{Alias, Overlap};
use vitrine_core::ir::{Func, Inst, Module};
use vitrine_core::text::parse;

const PATHS: &str = "
struct #0 {
  a: u32
  b: [u32 * 4]
}
private $0: #0
private $1: #0
storage $2: u32 {set 0, binding 0}
storage $3: u32 {set 0, binding 0}
storage $4: u32 {set 0, binding 1}

func @0(%0: b32, %1: b32, %2: path {type u32, mode private}) tree {
  local $5: #0
^0:
  %3: b32 = const 2
  %10: path = deref.var $0
  %11: path = deref.field %10.0
  %12: path = deref.field %10.1
  %13: path = deref.elem %12, %3
  %14: path = deref.elem %12, %0
  %15: path = deref.elem %12, %1
  %16: path = deref.elem %12, %0
  %17: path = deref.var $1
  %18: path = deref.var $2
  %19: path = deref.var $3
  %20: path = deref.var $4
  %21: path = deref.var $5
  return
}
";

fn alias() -> (Module, Alias) {
    let parsed = parse(PATHS);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let alias = Alias::of(&parsed.module, parsed.module.func(entity::<Func>(0)).unwrap());
    (parsed.module, alias)
}

fn entity<E: vitrine_core::base::EntityId>(index: usize) -> E {
    E::from_index(index)
}

#[test]
fn pairs_of_paths_overlap_as_the_table_states() {
    let (_, alias) = alias();
    for (a, b, expected) in [
        (10, 10, Overlap::Must),
        (14, 16, Overlap::Must),
        (14, 15, Overlap::May),
        (13, 14, Overlap::May),
        (10, 13, Overlap::May),
        (11, 14, Overlap::No),
        (11, 12, Overlap::No),
        (10, 17, Overlap::No),
        (2, 11, Overlap::May),
        (2, 21, Overlap::No),
        (2, 18, Overlap::No),
        (18, 19, Overlap::May),
        (18, 20, Overlap::No),
    ] {
        let [x, y] = [a, b].map(|path| alias.spot(entity::<Inst>(path)).unwrap());
        assert_eq!(alias.overlap(x, y), expected, "%{a} and %{b}");
        assert_eq!(alias.overlap(y, x), expected, "%{b} and %{a}");
    }
}

#[test]
fn an_aggregate_covers_its_parts_and_nothing_else() {
    let (_, alias) = alias();
    let spot = |path| alias.spot(entity::<Inst>(path)).unwrap();
    assert!(alias.covers(spot(10), spot(14)) && alias.covers(spot(12), spot(13)));
    assert!(!alias.covers(spot(14), spot(10)) && !alias.covers(spot(17), spot(11)));
    assert!(alias.is_ours(spot(21)) && !alias.is_ours(spot(10)));
}

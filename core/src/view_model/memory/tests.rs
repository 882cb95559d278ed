//! Maps as text, of typed and untyped versions: both have the same map.

use super::*;
use crate::view_model::Session;

const LIGHTS: &str = "struct #Light_0 {
  pos: f32x3 {offset 0}
  radius: f32 {offset 12}
  flags: u32 {offset 16}
}

struct #1 {block} {
  count: u32 {offset 0}
  lights: [#Light_0 step 32] {offset 16}
}

storage $lights_0: #1 {set 0, binding 0}
private $1: u32

entry compute \"main\" @0 ($lights_0) {local_size 1 1 1}

func @0() tree {
^0:
  %0: b32 = const 3
  %1: path = deref.var $lights_0
  %2: path = deref.field %1.0
  %3: b32 = load %2
  %4: path = deref.field %1.1
  %7: path = deref.elem %4, %3
  %8: path = deref.field %7.1
  %9: b32 = load %8
  store %8, %9
  %10: path = deref.elem %4, %0
  %11: path = deref.field %10.0
  %12: b32x3 = load %11
  return
}
";

fn map_text(map: &MemoryMap) -> String {
    let rows = map.rows.entries().iter().zip(map.text.text.lines());
    let line = |(row, words): (&MemoryEntry, &str)| {
        let MemoryEntry { segment, start, bytes, access, .. } = *row;
        let end = if bytes < 0 { String::new() } else { (start + bytes).to_string() };
        let range = |word: &str| format!("  {word} {start}..{end} {words} ({access})\n");
        match row.kind() {
            MemoryKind::Segment => format!("{segment} {words}\n"),
            MemoryKind::Field => range("is"),
            MemoryKind::Padding => range(""),
            MemoryKind::Used => range("by"),
            MemoryKind::Access => format!("      {words}\n"),
            MemoryKind::Remark => format!("  {words}\n"),
        }
    };
    rows.map(line).collect()
}

fn session(text: &str, pipeline: &str) -> Session {
    let mut session = Session::new();
    session.open(text.as_bytes(), pipeline);
    assert!(session.diags().is_empty() && session.pipeline_diags().is_empty());
    session
}

const WANTED: &str = "0 lights, storage: 16 bytes, and an array of any length
  is 0..4 count: u32 (1)
  by 0..4 b32 read count (1)
      %3: b32 = load %2
   4..16 padding (0)
  is 16.. lights: [#Light_0 step 32] (3)
1 lights[]: every 32 bytes, from byte 16
  is 0..12 lights[].pos: f32x3 (1)
  by 0..12 b32x3 read lights[].pos (1)
      %12: b32x3 = load %11
  is 12..16 lights[].radius: f32 (3)
  by 12..16 b32 read+write lights[].radius (3)
      %9: b32 = load %8
      %13 = store %8, %9
  is 16..20 lights[].flags: u32 (0)
   20..32 padding (0)
";

#[test]
fn a_typed_buffer_is_described_byte_by_byte() {
    let mut session = session(LIGHTS, "qptr-lower");
    let typed = map_text(&session.memory(0, None));
    let sites =
        |text: &str| text.lines().filter(|line| !line.starts_with("      ")).collect::<Vec<_>>().join("\n");
    assert_eq!(sites(&typed), sites(WANTED), "{typed}");
    assert!(typed.contains("%9: b32 = load %8\n") && typed.contains("store %8, %9"), "{typed}");
    let lowered = map_text(&session.memory(1, None));
    assert_eq!(sites(&lowered), sites(WANTED), "{lowered}");
}

#[test]
fn a_pointer_into_memory_selects_its_map() {
    let mut session = session(LIGHTS, "qptr-lower");
    let map = session.memory(0, None);
    let names: Vec<&str> = map.variables.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["lights, storage", "$1, private"]);
    let private = map.variables[1].id;
    let other = session.memory(0, Some(private));
    assert_eq!(other.variable, Some(private));
    assert!(map_text(&other).contains("This version neither reads nor writes it."), "{}", map_text(&other));
    let is_access = |row: &&MemoryEntry| row.kind() == MemoryKind::Access;
    let load = map.rows.entries().iter().find(is_access).map(|row| row.detail as u32 - 1);
    assert_eq!(session.memory(0, load).variable, map.variable);
    assert_eq!(Session::new().memory(0, None), MemoryMap::default());
}

#[test]
fn bytes_accessed_in_several_types_have_tracks() {
    let text = "private $0: bytes(16) was f32x4\n\nfunc @0(%0: b32) graph {\n^0:\n  %1: ptr = ptr.var $0\n  %2: b32x4 = load %1\n  store %1, %0 {offset 4}\n  return\n}\n";
    let map = session(text, "").memory(0, None);
    let is_used = |row: &&MemoryEntry| row.kind() == MemoryKind::Used;
    let tracks: Vec<(i32, i32)> =
        map.rows.entries().iter().filter(is_used).map(|row| (row.start, row.track)).collect();
    assert_eq!(tracks.len(), 2, "{}", map_text(&map));
    assert_ne!(tracks[0].1, tracks[1].1);
}

#[test]
fn pointers_and_accesses_know_their_members() {
    let mut session = session(LIGHTS, "qptr-lower");
    let paths = session.paths(&[0, 1]);
    for wanted in [
        "lights[%3].radius: byte 28 + %3 * 32 of lights",
        "count: byte 0 of lights",
        "lights[3].pos: byte 112 of lights",
        "lights[%3]: byte 0 + %3 * 32 of lights",
    ] {
        assert!(paths.iter().any(|of| of.path == wanted), "{wanted}: {paths:?}");
    }
}

#[test]
fn matrices_arrays_and_what_is_too_large_end() {
    let members: String = (0..5000).map(|at| format!("  m{at}: f32 {{offset {}}}\n", at * 4)).collect();
    let text = format!("struct #0 {{block}} {{\n{members}}}\n\nuniform $0: #0 {{set 0, binding 0}}\n");
    let map = session(&text, "").memory(0, None);
    assert!(map_text(&map).contains("and 1000 more members"));
    let text = "struct #0 {block} {\n  m: mat<f32x4 * 3 step 16 rows> {offset 0}\n  n: [mat<f32x2 * 2 step 16> * 4 step 32] {offset 64}\n}\n\nuniform $0: #0 {set 0, binding 0}\n";
    let map = map_text(&session(text, "").memory(0, None));
    assert!(
        map.contains(
            "m[]: 4 times, every 16 bytes, from byte 0\n  is 0..12 m[]: f32 * 3, a row (0)\n   12..16 padding"
        ),
        "{map}"
    );
    assert!(map.contains("n[][]: 2 times, every 16 bytes"), "{map}");
}

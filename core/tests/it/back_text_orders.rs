//! Orders and scopes of barriers and atomics in texts: a run of one invocation at a time shows no difference if they are missing.

use crate::testing::written::text_of;
use vitrine_core::text::parse;

/// A compute shader with these lines, of which `%1` is the path of an integer in a buffer and `%2` a number.
fn module(lines: &str) -> String {
    format!(
        "module version \"1.4\"\nmodule capability \"Shader\"\nmodule addressing \"Logical\"\nmodule memory \
         \"GLSL450\"\n\nstruct #It_0 {{block}} {{\n  it: u32 {{offset 0}}\n}}\n\nstorage $it_0: #It_0 {{set 0, binding \
         0}}\n\nentry compute \"main\" @0 ($it_0) {{local_size 32 1 1}}\n\nfunc @0() tree {{\n^0:\n  %0: path = \
         deref.var $it_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 1\n{lines}  return\n}}\n"
    )
}

/// The text, or the first reason why there is none.
fn written(lines: &str, language: &str) -> Result<String, String> {
    let text = text_of(&parse(&module(lines)).module, language);
    text.map_err(|diags| diags.first().map(ToString::to_string).unwrap_or_default())
}

#[test]
fn every_direction_of_an_atomic_is_a_barrier_where_the_atomic_has_none() {
    let barriers = [
        ("hlsl", "AllMemoryBarrier()"),
        ("msl", "atomic_thread_fence("),
        ("essl-310", "groupMemoryBarrier()"),
    ];
    for (language, barrier) in barriers {
        for (direction, expected) in [("acquire", 1), ("release", 1), ("acq_rel", 2), ("seq_cst", 2)] {
            let line = format!(
                "  %3: b32 = atomic %1, %2 {{scope workgroup, order {direction}+uniform_memory, atomic iadd}}\n  store %1, %3\n"
            );
            let text = written(&line, language).unwrap_or_else(|why| panic!("{language} {direction}: {why}"));
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let at =
                |what: &str| lines.iter().position(|line| line.contains(what) && !line.starts_with("//"));
            let atomic = at("tomic").filter(|&at| !lines[at].contains(barrier)).or_else(|| at("Interlocked"));
            assert_eq!(text.matches(barrier).count(), expected, "{language} {direction}\n{text}");
            if let (Some(fence), Some(atomic), 1) = (at(barrier), atomic, expected) {
                assert_eq!(fence > atomic, direction == "acquire", "{language} {direction}\n{text}");
            }
        }
    }
}

#[test]
fn no_language_orders_memory_of_several_devices() {
    let order = "scope cross_device, order acq_rel+uniform_memory";
    for language in ["glsl", "essl-310", "hlsl", "msl", "wgsl"] {
        for line in [format!("  barrier {{{order}}}\n"), format!("  barrier {{{order}, exec workgroup}}\n")] {
            let why = written(&line, language);
            assert!(why.is_err(), "{language}: {line}\n{why:?}");
        }
        let atomic = format!("  %3: b32 = atomic %1, %2 {{{order}, atomic iadd}}\n  store %1, %3\n");
        // Atomics of WGSL are relaxed, and its text states so.
        let why = written(&atomic, language);
        assert!(why.is_err() || language == "wgsl", "{language}: {why:?}");
    }
}

#[test]
fn a_barrier_of_a_subgroup_that_orders_a_buffer_is_no_empty_text_in_hlsl() {
    let barrier =
        |order: &str| format!("  barrier {{scope subgroup{order}, exec subgroup}}\n  store %1, %2\n");
    assert!(written(&barrier(", order acq_rel+uniform_memory"), "hlsl").is_err());
    assert!(written(&barrier(", order acquire+workgroup_memory"), "hlsl").is_err());
    // It orders nothing.
    assert!(written(&barrier(""), "hlsl").is_ok());
}

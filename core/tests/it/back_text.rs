//! Languages like C: the text of small programs, and the results of what a compiler makes of the text of all modules.
//!
//! A module is written, compiled by glslangValidator, read again, and run on the same generated inputs as the original.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{Item, modules};
use crate::testing::glslang::Glslang;
use crate::testing::written::{self, Text};
use std::collections::{BTreeMap, BTreeSet};
use vitrine_core::back::text::Language;
use vitrine_core::front::InputKind;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Module, Stage};
use vitrine_core::lab::compare::{Comparer, Settings, Verdict};
use vitrine_core::ops::Op;
use vitrine_core::pipeline::{PRESETS, Pipeline};
use vitrine_core::text::parse;
use vitrine_filetests::parallel::each;

/// Modules with more words are compiled, but not run.
const MOST_WORDS: usize = 6_000;

/// The text of a module.
fn glsl(module: &Module) -> Text {
    written::text_of(module, "glsl")
}

/// The statements of the entry point of a compute shader, without indentation.
fn body_of(ir: &str) -> Vec<String> {
    let head = "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #B_0 {block} {\n  \
        data: [u32 step 4] {offset 0}\n}\n\nstorage $data_0: #B_0 {set 0, binding 0}\nstorage $more_1: #B_0 {set 0, binding 1}\n\n\
        entry compute \"main\" @main_0 ($data_0, $more_1) {local_size 1 1 1}\n\n";
    let parsed = parse(&format!("{head}{ir}"));
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = glsl(&parsed.module).expect("it is written");
    let (_, body) = text.split_once("void main() {\n").expect("an entry point");
    body.trim_end()
        .trim_end_matches('}')
        .lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// A function that has the path of element 0 of the first buffer as `%3` and of the second as `%5`.
fn program(body: &str) -> String {
    format!(
        "func @main_0() tree {{\n^0:\n  %0: path = deref.var $data_0\n  %1: path = deref.field %0.0\n  %2: b32 = const 0\n  \
         %3: path = deref.elem %1, %2\n  %4: path = deref.var $more_1\n  %5: path = deref.field %4.0\n  \
         %6: path = deref.elem %5, %2\n{body}}}\n"
    )
}

#[test]
fn a_value_with_one_use_is_written_there_unless_memory_changes_before() {
    let kept =
        body_of(&program("  %7: b32 = load %3\n  %8: b32 = iadd %7, %7\n  %9 = store %6, %8\n  return\n"));
    assert_eq!(kept, ["uint data1 = data.data[0];", "more.data[0] = data1 + data1;"]);
    let once = body_of(&program("  %7: b32 = load %3\n  %8: b32 = inot %7\n  %9 = store %6, %8\n  return\n"));
    assert_eq!(once, ["more.data[0] = ~data.data[0];"]);
    let changed = body_of(&program(
        "  %7: b32 = load %3\n  %8: b32 = const 5\n  %9 = store %6, %8\n  %10 = store %6, %7\n  return\n",
    ));
    assert_eq!(changed, ["uint data1 = data.data[0];", "more.data[0] = 5u;", "more.data[0] = data1;"]);
}

#[test]
fn operations_read_the_signedness_that_they_state() {
    let signed = body_of(&program(
        "  %7: b32 = load %3\n  %8: b32 = load %6\n  %9: b32 = imin %7, %8\n  %10 = store %3, %9\n  return\n",
    ));
    assert_eq!(signed, ["data.data[0] = uint(min(int(data.data[0]), int(more.data[0])));"]);
    let unsigned = body_of(&program(
        "  %7: b32 = load %3\n  %8: b32 = load %6\n  %9: b32 = umin %7, %8\n  %10 = store %3, %9\n  return\n",
    ));
    assert_eq!(unsigned, ["data.data[0] = min(data.data[0], more.data[0]);"]);
}

#[test]
fn a_loop_that_counts_is_a_for() {
    let text = body_of(&program(
        "  %7: b32 = const 10\n  %8: b32 = const 1\n  loop !0(%2) {\n  ^1(%9: b32):\n    %10: b1 = ult %9, %7\n    \
         if !1 %10 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0\n    }\n  ^4:\n    %11: path = deref.elem %1, %9\n    \
         %12 = store %11, %9\n    %13: b32 = iadd %9, %8\n    next(%13)\n  }\n^5:\n  return\n",
    ));
    assert_eq!(text, ["for (uint i = 0u; i < 10u; i += 1u) {", "data.data[i] = i;", "}"]);
}

/// A loop that counts to ten; the statements of its body follow the test.
fn counting(body: &str, after: &str) -> Vec<String> {
    body_of(&program(&format!(
        "  %7: b32 = const 0\n  %8: b32 = const 1\n  %20: b32 = const 10\n  loop !0(%7) {{\n  ^1(%9: b32):\n    \
         %10: b1 = ult %9, %20\n    {body}\n{after}  return\n",
    )))
}

#[test]
fn a_step_that_others_continue_to_stands_in_the_head() {
    let text = counting(
        "if !1 %10 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0\n    }\n  ^4:\n    \
         %11: b32 = load %3\n    %12: b1 = ieq %11, %9\n    if !2 %12 {\n    ^5:\n      continue !0\n    } else {\n    ^6:\n      \
         next\n    }\n  ^7:\n    %13 = store %6, %9\n    next\n  } continuing {\n  ^8:\n    %14: b32 = iadd %9, %8\n    \
         next(%14)\n  }\n^9:",
        "",
    );
    assert_eq!(
        text,
        [
            "for (uint i = 0u; i < 10u; i += 1u) {",
            "if (data.data[0] == i) {",
            "continue;",
            "}",
            "more.data[0] = i;",
            "}"
        ]
    );
}

#[test]
fn assignments_on_the_way_out_move_out_of_the_loop() {
    // The only way out: after the loop.
    let only = counting(
        "if !1 %10 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0(%20)\n    }\n  ^4:\n    \
         %13 = store %6, %9\n    %14: b32 = iadd %9, %8\n    next(%14)\n  }\n^9(%15: b32):",
        "  %16 = store %3, %15\n",
    );
    assert_eq!(
        only,
        [
            "uint r1;",
            "for (uint i = 0u; i < 10u; i += 1u) {",
            "more.data[0] = i;",
            "}",
            "r1 = 10u;",
            "data.data[0] = r1;"
        ]
    );
    // Two ways out: a value that the loop does not change is assigned before it, another one stays.
    let two = |value: &str| {
        counting(
            &format!(
                "if !1 %10 {{\n    ^2:\n      next\n    }} else {{\n    ^3:\n      break !0({value})\n    }}\n  ^4:\n    \
                 %11: b32 = load %3\n    %12: b1 = ieq %11, %9\n    if !2 %12 {{\n    ^5:\n      break !0(%9)\n    }} else {{\n    \
                 ^6:\n      next\n    }}\n  ^7:\n    %13 = store %6, %9\n    %14: b32 = iadd %9, %8\n    next(%14)\n  }}\n\
                 ^9(%15: b32):"
            ),
            "  %16 = store %6, %15\n",
        )
    };
    assert!(two("%20").iter().any(|line| line.starts_with("for (uint i = 0u; i < 10u")), "{:#?}", two("%20"));
    assert!(two("%9").iter().any(|line| line == "while (true) {"), "{:#?}", two("%9"));
    // A value that the step of the loop changes stays, too.
    let stepped = counting(
        "if !1 %10 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0(%9)\n    }\n  ^4:\n    \
         %11: b32 = load %3\n    %12: b1 = ieq %11, %9\n    if !2 %12 {\n    ^5:\n      continue !0\n    } else {\n    ^6:\n      \
         next\n    }\n  ^7:\n    %17: b1 = ugt %11, %9\n    if !3 %17 {\n    ^10:\n      break !0(%9)\n    } else {\n    \
         ^11:\n      next\n    }\n  ^12:\n    next\n  } continuing {\n  ^8:\n    %14: b32 = iadd %9, %8\n    \
         next(%14)\n  }\n^9(%15: b32):",
        "  %16 = store %6, %15\n",
    );
    assert!(
        stepped.iter().any(|line| line == "for (; ; i += 1u) {" || line == "for (uint i = 0u; ; i += 1u) {"),
        "{stepped:#?}"
    );
}

#[test]
fn what_the_only_way_out_stores_comes_after_the_loop() {
    let text = counting(
        "if !1 %10 {\n    ^2:\n      next\n    } else {\n    ^3:\n      %12 = store %3, %9\n      break !0\n    }\n  ^4:\n    \
         %13 = store %6, %9\n    %14: b32 = iadd %9, %8\n    next(%14)\n  }\n^9:",
        "",
    );
    assert_eq!(
        text,
        ["uint i = 0u;", "for (; i < 10u; i += 1u) {", "more.data[0] = i;", "}", "data.data[0] = i;"]
    );
}

#[test]
fn a_test_at_the_end_sees_what_the_body_declares() {
    let text = body_of(&program(
        "  loop !0 {\n  ^1:\n    %7: b32 = load %3\n    %8 = store %6, %7\n    %9: b1 = ult %7, %2\n    \
         if !1 %9 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0\n    }\n  ^4:\n    next\n  }\n^5:\n  return\n",
    ));
    assert_eq!(
        text,
        ["uint data1;", "do {", "data1 = data.data[0];", "more.data[0] = data1;", "} while (data1 < 0u);"]
    );
}

/// Functions that are called with values: one that only computes, and one that changes a private variable.
const CALLED: &str = "func @twice_1(%0: b32 {type u32}) -> b32 tree {\n^0:\n  %1: b32 = iadd %0, %0\n  return %1\n}\n\n\
    func @next_2(%0: b32 {type u32}) -> b32 tree {\n^0:\n  %1: path = deref.var $count_2\n  %2: b32 = load %1\n  \
    %3: b32 = iadd %2, %0\n  store %1, %3\n  return %3\n}\n";

#[test]
fn a_call_that_only_computes_is_written_at_its_use_and_others_keep_their_order() {
    let calls = "  %7: b32 = load %3\n  %8: b32 = call @twice_1(%7)\n  %9: b32 = call @twice_1(%8)\n  \
        %10: b32 = call @next_2(%9)\n  %11: b32 = call @next_2(%7)\n  store %6, %10\n  store %3, %11\n  return\n";
    let ir = format!("private $count_2: u32\n\n{}\n{CALLED}", program(calls));
    assert_eq!(
        body_of(&ir),
        [
            "uint data1 = data.data[0];",
            "uint next1 = next(twice(twice(data1)));",
            "uint next2 = next(data1);",
            "more.data[0] = next1;",
            "data.data[0] = next2;",
        ]
    );
}

#[test]
fn the_result_of_a_call_is_assigned_to_the_variable_that_the_next_statement_stores_it_to() {
    let calls = "  %7: path = deref.var $sum_3\n  %8: b32 = load %3\n  %9: b32 = call @next_2(%8)\n  store %7, %9\n  \
        %10: b32 = load %7\n  %11: b32 = imul %10, %10\n  store %3, %11\n  store %6, %10\n  return\n";
    let func = program(calls).replace("tree {\n^0:", "tree {\n  local $sum_3: u32\n^0:");
    let ir = format!("private $count_2: u32\n\n{func}\n{CALLED}");
    // The variable is not copied, although it is read three times.
    assert_eq!(
        body_of(&ir),
        ["uint sum = next(data.data[0]);", "data.data[0] = sum * sum;", "more.data[0] = sum;"]
    );
}

#[test]
fn memory_that_a_pointer_of_a_push_constant_leads_to_is_read_before_it_is_written() {
    let ir = "module capability \"Shader\"\nmodule capability \"PhysicalStorageBufferAddresses\"\n\
        module addressing \"PhysicalStorageBuffer64\"\nmodule memory \"GLSL450\"\n\nstruct #Data_0 {block} {\n  \
        n: u32 {offset 0}\n}\n\nstruct #Push_1 {block} {\n  a: ptr<physical, #Data_0> {offset 0}\n}\n\n\
        push $p_0: #Push_1\n\nentry compute \"main\" @main_0 ($p_0) {local_size 1 1 1}\n\n\
        func @main_0() tree {\n^0:\n  %0: path = deref.var $p_0\n  %1: path = deref.field %0.0\n  %2: path = load %1\n  \
        %3: path = deref.field %2.0\n  %4: b32 = load %3 {align 16}\n  %5: b32 = call @next_1(%4)\n  %6: b32 = iadd %4, %5\n  \
        store %3, %6 {align 16}\n  %7: b32 = load %3 {align 16}\n  %8: b32 = const 7\n  store %3, %8 {align 16}\n  \
        %9: b32 = call @next_1(%8)\n  %10: b32 = iadd %7, %9\n  store %3, %10 {align 16}\n  return\n}\n\n\
        func @next_1(%0: b32 {type u32}) -> b32 tree {\n^0:\n  %1: path = deref.var $p_0\n  %2: path = deref.field %1.0\n  \
        %3: path = load %2\n  %4: path = deref.field %3.0\n  store %4, %0 {align 16}\n  return %0\n}\n";
    let parsed = parse(ir);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let text = glsl(&parsed.module).expect("it is written");
    // The second load has one use, after the store and the call, which stores, too.
    let (_, body) = text.split_once("void main() {").expect("an entry point");
    let load = body.match_indices(".n;").nth(1).expect("two loads").0;
    let store = body.find(".n = 7u;").expect("the store");
    assert!(load < store, "{text}");
}

/// A choice of an unnamed variable, a copy to `$copy_3`, and other lines.
fn copied_choice(after: &str) -> Vec<String> {
    let lines = format!(
        "  %7: b32 = load %3\n  %8: b1 = ult %7, %2\n  %9: path = deref.var $4\n  %11: path = deref.var $copy_3\n  \
         if !0 %8 {{\n  ^1:\n    store %9, %2\n    next\n  }} else {{\n  ^2:\n    store %9, %7\n    next\n  }}\n^3:\n  \
         %10: b32 = load %9\n  store %11, %10\n  %12: b32 = load %11\n  store %6, %12\n{after}  return\n"
    );
    body_of(&program(&lines).replace("tree {\n^0:", "tree {\n  local $4: u32\n  local $copy_3: u32\n^0:"))
}

#[test]
fn a_choice_that_is_copied_needs_no_temporary_unless_that_is_stored_to_again() {
    let text = copied_choice("");
    assert!(text.iter().any(|line| line.starts_with("uint copy = ") && line.contains(" ? ")), "{text:#?}");
    let text = copied_choice("  store %9, %2\n");
    assert!(
        text.iter().any(|line| line.starts_with("uint ") && line.contains(" ? ") && !line.contains("copy")),
        "{text:#?}"
    );
}

#[test]
fn parameters_that_swap_are_not_lost() {
    let text = body_of(&program(
        "  %7: b32 = load %3\n  %8: b32 = load %6\n  loop !0(%7, %8) {\n  ^1(%9: b32, %10: b32):\n    %11: b1 = ult %9, %10\n    \
         if !1 %11 {\n    ^2:\n      next\n    } else {\n    ^3:\n      break !0\n    }\n  ^4:\n    next(%10, %9)\n  }\n^5:\n  \
         %12 = store %3, %9\n  return\n",
    ));
    let is_copy = |line: &&str| line.starts_with("data") && line.contains(" = data") && !line.contains('.');
    let copies: Vec<&str> = text.iter().map(String::as_str).filter(is_copy).collect();
    // The first register is copied before it is overwritten.
    assert_eq!(copies, ["data1_1 = data1;", "data1 = data2;", "data2 = data1_1;"], "{text:#?}");
}

#[test]
fn a_program_that_the_language_does_not_have_is_refused_by_name() {
    let parsed = parse("func @0() graph {\n^0:\n  return\n}\n");
    let diags = glsl(&parsed.module).err().unwrap_or_default();
    assert!(diags.iter().any(|diag| diag.code == "W201"), "{diags:?}");
    let text = format!(
        "module capability \"Shader\"\n\nstruct #B_0 {{block}} {{\n  data: [f32 step 4] {{offset 0}}\n}}\n\n\
         storage $0: #B_0 {{set 0, binding 0}}\n\nentry compute \"main\" @0 ($0) {{local_size 1 1 1}}\n\n{}",
        "func @0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: path = deref.field %0.0\n  %2: b32 = const 0\n  \
         %3: path = deref.elem %1, %2\n  %4: b32 = load %3 {access volatile}\n  %5: b32 = fabs %4\n  %6 = store %3, %5\n  return\n}\n"
    );
    let diags = glsl(&parse(&text).module).err().unwrap_or_default();
    assert!(diags.iter().any(|diag| diag.code == "W202" && diag.message().contains("volatile")), "{diags:?}");
}

#[test]
fn every_operation_is_written_lowered_or_refused_with_a_reason() {
    for language in Language::ALL {
        for op in Op::all() {
            if let Some(pass) = language.lowered_by(op) {
                assert!(Pipeline::parse(pass).is_ok(), "{}: {pass}", op.name());
            }
            assert!(language.refusal(op).is_none_or(|reason| reason.len() > 10), "{}", op.name());
        }
    }
}

/// Passes that lower an operation of a language and are not in its preset: no front end makes such an operation, or the pass
/// would also lower operations that the language has.
const NOT_IN_PRESETS: &[(&str, &[&str])] = &[
    ("alu-to-scalar{products}", ALL_PRESETS),
    ("lower-alu{fields}", &["glsl-out", "essl-310-out", "wgsl-out", "msl-out"]),
    ("lower-alu{zero-products}", ALL_PRESETS),
    ("lower-packing", &["wgsl-out"]),
    ("lower-subgroups{quad}", &["wgsl-out", "hlsl-out"]),
    ("lower-subgroups{shuffle}", &["wgsl-out"]),
    ("lower-subgroups{vote}", &["wgsl-out"]),
    ("memcpy", ALL_PRESETS),
];

const ALL_PRESETS: &[&str] = &["glsl-out", "essl-out", "essl-310-out", "wgsl-out", "hlsl-out", "msl-out"];

#[test]
fn presets_run_the_passes_that_lower_operations() {
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for language in Language::ALL {
        let preset = PRESETS.iter().find(|preset| preset.name == language.preset());
        let entries = preset.expect("every language has a preset").entries;
        // A pass without options is as good as its parts.
        let has = |pass: &str| {
            let part = |entry: &str| !pass.contains('{') && entry.split('{').next() == Some(pass);
            entries.iter().any(|(entry, _)| *entry == pass || part(entry))
        };
        for pass in Op::all().filter_map(|op| language.lowered_by(op)) {
            if !has(pass) {
                missing.entry(pass).or_default().insert(language.preset());
            }
        }
    }
    let listed = NOT_IN_PRESETS.iter().map(|&(pass, presets)| (pass, presets.iter().copied().collect()));
    assert_eq!(missing, listed.collect::<BTreeMap<_, BTreeSet<_>>>());
}

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Not one shader: several, or a kernel.
    OtherStage,
    Refused,
    Rejected,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

fn judge(item: &Item, glslang: &Glslang) -> (Outcome, String) {
    let text = || written::text(item, "glsl");
    judge_written(&read(&item.bytes()).module, text, glslang, item.words() <= MOST_WORDS)
}

/// Writes, compiles and compares a module.
pub(crate) fn judge_module(module: &Module, glslang: &Glslang, runs: bool) -> (Outcome, String) {
    judge_written(module, || glsl(module), glslang, runs)
}

/// Compiles and compares a module, of which `text` is the text.
fn judge_written(
    module: &Module,
    text: impl FnOnce() -> Text,
    glslang: &Glslang,
    runs: bool,
) -> (Outcome, String) {
    let stage = match module.entries.as_slice() {
        [entry] => match stage_name(entry.stage) {
            Some(stage) => stage,
            None => return (Outcome::OtherStage, String::new()),
        },
        _ => return (Outcome::OtherStage, String::new()),
    };
    let text = match text() {
        Ok(text) => text,
        Err(diags) => return (Outcome::Refused, diags.first().map(ToString::to_string).unwrap_or_default()),
    };
    judge_text(module, &text, stage, glslang, runs)
}

/// The name of a stage in glslang.
pub(crate) fn stage_name(stage: Stage) -> Option<&'static str> {
    Some(match stage {
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Task => "task",
        Stage::Mesh => "mesh",
        Stage::RayGen => "rgen",
        Stage::Intersection => "rint",
        Stage::AnyHit => "rahit",
        Stage::ClosestHit => "rchit",
        Stage::Miss => "rmiss",
        Stage::Callable => "rcall",
        Stage::Kernel | Stage::TaskNv | Stage::MeshNv => return None,
    })
}

/// Compiles the text of a module with one entry point, and compares the results.
pub(crate) fn judge_text(
    module: &Module,
    text: &str,
    stage: &str,
    glslang: &Glslang,
    runs: bool,
) -> (Outcome, String) {
    if let Some(long) = text.lines().find(|line| line.len() > 100) {
        return (Outcome::Rejected, format!("a line is too long: {long}"));
    }
    if !glslang.installed {
        return (Outcome::Accepted, String::new());
    }
    let binary = match glslang.compile(text, stage) {
        Ok(binary) => binary,
        Err(message) => return (Outcome::Rejected, message),
    };
    if !runs {
        return (Outcome::Accepted, String::new());
    }
    let again = read(&binary).module;
    let pair = vec![("input".to_owned(), Ok(module.clone())), ("text".to_owned(), Ok(again))];
    let settings = Settings { trials: 4, ..Settings::default() };
    let mut comparer = Comparer::of_modules(pair, InputKind::Spirv, settings);
    while comparer.step() {}
    match comparer.stages().last().map(|stage| &stage.verdict) {
        Some(Verdict::Same | Verdict::Rounding(_)) => (Outcome::Same, String::new()),
        Some(verdict @ (Verdict::Differs { .. } | Verdict::Invalid(_))) => {
            (Outcome::Differs, verdict.to_string())
        }
        Some(verdict) => (Outcome::Accepted, verdict.to_string()),
        None => (Outcome::Accepted, String::new()),
    }
}

/// Modules whose results differ for a known reason.
const KNOWN: &[(&str, &str)] = &[];

#[test]
fn glslang_accepts_every_text_and_its_results_are_the_same() {
    let glslang = Glslang::new("back-text");
    let items = modules();
    let found = each(&items, |item| {
        let (outcome, why) = judge(item, &glslang);
        (item.file.clone(), outcome, why)
    });
    let count = |wanted: Outcome| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(file, outcome, _)| {
            matches!(outcome, Outcome::Rejected | Outcome::Differs)
                && !KNOWN.iter().any(|(known, _)| known == file)
        })
        .map(|(file, outcome, why)| format!("{file}: {outcome:?}: {why}"))
        .collect();
    let counts: Vec<String> = [Outcome::OtherStage, Outcome::Refused, Outcome::Accepted, Outcome::Same]
        .iter()
        .map(|&outcome| format!("{outcome:?} {}", count(outcome)))
        .collect();
    println!("{} modules: {}", found.len(), counts.join(", "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if glslang.installed {
        crate::outcomes::check("glsl", &found);
    }
}

//! Agreement of printing and parsing, on hand-written texts. Random ones are in `tests/it/random.rs`.

use super::{parse, print_module};
use vitrine_ir::ops::Key;
use vitrine_ir::ops::attr::ValueKind;

/// Errors of a text, one line each, without their help.
fn errors(text: &str) -> Vec<String> {
    let parsed = parse(text);
    parsed.diags.iter().map(|diag| diag.to_string().split("; ").next().unwrap_or("").to_owned()).collect()
}

fn in_func(lines: &str) -> String {
    format!("func @0() tree {{\n^0:\n{lines}\n}}\n")
}

#[test]
fn the_tour_is_canonical() {
    let tour = include_str!("../../tests/filetests/text/tour.ir");
    let parsed = parse(tour);
    assert_eq!(parsed.diags, []);
    let (_, canonical) = tour.split_once("\n\n").unwrap();
    assert_eq!(print_module(&parsed.module), canonical);
}

#[test]
fn every_error_is_reported_with_its_place() {
    let text =
        "modul x\nfunc @0() tree {\n^0:\n  %1: b32 = fad %0, %0\n  %2: b32 = const 1e99\n  %1x = nop\n}\n}\n";
    assert_eq!(
        errors(text),
        [
            "error[P001] 1:1: expected a declaration, found `modul`",
            "error[P002] 4:13: there is no operation `fad`",
            "error[P006] 5:19: `1e99` is not a number of 32 bits",
            "error[P005] 6:3: `%1x` has no number",
            "error[P001] 8:1: expected a declaration, found `}`",
        ]
    );
}

#[test]
fn instructions_of_spirv_have_one_form() {
    let text = in_func(
        "  %0: b32 = const 1\n  spirv.OpTraceRayKHR %0 as b\n  spirv.OpTraceRayKHR %0 {words (1, 2)}\n  spirv.OpTraceRay %0\n  return",
    );
    assert_eq!(
        errors(&text),
        [
            "error[P011] 4:29: `b` is not how a value is read",
            "error[P007] 5:26: an instruction by name has no `opcode` and no `words`",
            "error[P002] 6:3: there is no operation `spirv.OpTraceRay`",
        ]
    );
    let parsed =
        parse(&in_func("  %0: b32 = const 1\n  %1 = spirv.raw %0 {opcode 4445, words (1, 7)}\n  return"));
    assert_eq!(parsed.diags, []);
    assert!(print_module(&parsed.module).contains("  %1 = spirv.OpTraceRayKHR %0, 7\n"));
}

/// A misspelled word of each key that has words, and the one that is suggested.
const MISSPELLED: &[(&str, &str, &str)] = &[
    ("mode", "privat", "private"),
    ("access", "volatil", "volatile"),
    ("scope", "workgrup", "workgroup"),
    ("exec", "subgrup", "subgroup"),
    ("order", "aquire", "acquire"),
    ("order_else", "relaese", "release"),
    ("atomic", "iad", "iadd"),
    ("builtin", "frag_cord", "frag_coord"),
    ("interp", "centriod", "centroid"),
    ("reduce", "imx", "imax"),
    ("how", "exclusiv", "exclusive"),
    ("derivative", "corse", "coarse"),
    ("axis", "horizontl", "horizontal"),
    ("dim", "cub", "cube"),
    ("extend", "zer", "zero"),
    ("hint", "unrol", "unroll"),
    ("func_hint", "inlin", "inline"),
];

#[test]
fn a_misspelled_word_of_an_attribute_is_an_error() {
    for &(key, word, meant) in MISSPELLED {
        let column = "  %0: b32 = undef {".len() + key.len() + 2;
        let wanted = format!(
            "error[P011] 3:{column}: `{word}` is not a word that is valid here; did you mean `{meant}`?"
        );
        let found: Vec<String> = parse(&in_func(&format!("  %0: b32 = undef {{{key} {word}}}\n  return")))
            .diags
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, [wanted], "{key}");
    }
    // In a set, each word is checked.
    assert_eq!(
        errors(&in_func("  %0: b32 = undef {order acquire+relaese}\n  return")),
        ["error[P011] 3:34: `relaese` is not a word that is valid here"]
    );
}

/// why: a kind of word that is new has its misspelled word in the table.
#[test]
fn every_key_with_words_has_a_misspelled_one() {
    for &key in Key::ALL {
        let has_words = matches!(key.kind(), ValueKind::Word(_) | ValueKind::Words(_));
        let is_listed = MISSPELLED.iter().any(|&(known, ..)| known == key.name());
        assert_eq!(has_words, is_listed, "{}", key.name());
    }
}

#[test]
fn a_misspelled_word_of_a_declaration_is_an_error() {
    for (text, wanted) in [
        (
            "func @0() tree {\n^0:\n  return\n}\nentry fragment \"main\" @0 () {origin_uper_left}\n",
            "error[P011] 5:30: `origin_uper_left` is not an execution mode; did you mean `origin_upper_left`?",
        ),
        (
            "func @0() tree {\n^0:\n  return\n}\nentry fragmnt \"main\" @0 ()\n",
            "error[P011] 5:7: `fragmnt` is not a stage; did you mean `fragment`?",
        ),
        ("handle $0: image<cub f32>\n", "error[P011] 1:18: `cub` is not a dimension; did you mean `cube`?"),
        (
            "in $0: f32 {builtin frag_cord}\n",
            "error[P011] 1:21: `frag_cord` is not a word that is valid here; did you mean `frag_coord`?",
        ),
        (
            "in $0: f32 {interp flatt}\n",
            "error[P011] 1:20: `flatt` is not a word that is valid here; did you mean `flat`?",
        ),
    ] {
        let found: Vec<String> = parse(text).diags.iter().map(ToString::to_string).collect();
        assert_eq!(found, [wanted]);
    }
}

#[test]
fn a_broken_node_keeps_its_place_open() {
    let text = in_func("  if !0 {\n  ^1:\n    next\n  }\n^2:\n  return");
    assert_eq!(errors(&text), ["error[P001] 3:9: expected a value, found `{`"]);
}

#[test]
fn unreferenced_numbers_may_be_omitted() {
    let text = in_func(
        "  %3: b32 = const 1\n  reg.store ~0, %3\n  %x_5 = iadd %3, %3\n  %6: b1 = ieq %3, %3\n  if %6 {\n  ^1:\n    next\n  }\n^2:\n  return",
    );
    let parsed = parse(&text);
    assert_eq!(parsed.diags, []);
    let printed = print_module(&parsed.module);
    assert!(printed.contains("  %7 = reg.store ~0, %3\n"), "{printed}");
    assert!(printed.contains("  %x_5: b32 = iadd %3, %3\n"), "{printed}");
    assert!(
        printed.contains("  if !0 %6 {\n  ^1:\n    next\n  } else {\n  ^3:\n    next\n  }\n"),
        "{printed}"
    );
}

#[test]
fn unclosed_nodes_are_one_error() {
    for text in [
        "func @0() tree {",
        "func @0() tree {\n^0:\n  loop {\n  ^1:\n  block {",
        "func @0() graph {\n^0:\n  return\n",
    ] {
        assert_eq!(errors(text).len(), 1, "{text}: {:?}", errors(text));
    }
    assert_eq!(errors("struct #0 {\n  a: f32\n").len(), 1);
}

#[test]
fn a_broken_first_line_costs_one_error() {
    let text = "func @x() tree {\n^0:\n  return\n}\nfunc @0(%0) tree {\n^0:\n}\nfunc @1()\n";
    let parsed = parse(text);
    assert_eq!(parsed.diags.len(), 2, "{:?}", parsed.diags);
    assert_eq!(parsed.module.funcs().count(), 1);
}

#[test]
fn double_definitions_are_refused() {
    let text = in_func("  %0: b32 = const 1\n  %0: b32 = const 2\n  return");
    assert_eq!(errors(&text), ["error[P003] 4:3: %0 is already defined"]);
    assert_eq!(errors("func @0()\nfunc @0()\n"), ["error[P003] 2:6: @0 is already defined"]);
    let parsed = parse(&text);
    assert!(print_module(&parsed.module).contains("%0: b32 = const 1"));
}

#[test]
fn huge_numbers_are_refused_and_large_ones_are_cheap() {
    assert_eq!(errors("func @99999999999999999999()\n").len(), 1);
    assert_eq!(
        errors("private $16777216: f32\n"),
        ["error[P005] 1:9: the number of `$16777216` is too large"]
    );
    let parsed = parse("private $16777215: f32\n");
    assert_eq!(print_module(&parsed.module), "private $16777215: f32\n");
}

#[test]
fn nesting_of_any_depth_needs_no_stack() {
    let deep = 50_000;
    let ifs = "  block {\n  ^0:\n".repeat(deep);
    let types = format!("private $0: {}f32{}\n", "[".repeat(deep), " * 2]".repeat(deep));
    let run = move || {
        assert_eq!(parse(&types).diags, []);
        assert_eq!(print_module(&parse(&types).module), types);
        let parsed = parse(&in_func(&ifs));
        assert!(!parsed.diags.is_empty());
        print_module(&parsed.module);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

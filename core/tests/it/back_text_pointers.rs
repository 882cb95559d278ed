//! Physical addresses in texts: references to buffers of GLSL, numbers of HLSL, pointers of Metal.

use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::pipeline::write;
use vitrine_core::text::parse;

/// A list of nodes, of which the second is read through the first.
const READS: &str = "module version \"1.5\"\nmodule capability \"Shader\"\nmodule addressing \"Logical\"\n\
    module memory \"GLSL450\"\n\nstruct #Node_0 {block} {\n  value: f32x4 {offset 0}\n  \
    next: ptr<physical, #Node_0> {offset 16}\n}\n\nstruct #Lists_1 {block} {\n  \
    first: ptr<physical, #Node_0> {offset 0}\n  bits: u32x2 {offset 8}\n  sum: f32 {offset 16}\n}\n\n\
    storage $lists_0: #Lists_1 {set 0, binding 0}\n\nentry compute \"main\" @0 ($lists_0) {local_size 1 1 1}\n\n\
    func @0() tree {\n^0:\n  %0: path = deref.var $lists_0\n  %1: path = deref.field %0.0\n  %2: path = load %1\n  \
    %3: path = deref.field %2.1\n  %4: path = load %3 {align 8}\n  %5: path = deref.field %4.0\n  \
    %6: b32x4 = load %5 {align 16}\n  %7: path = deref.field %0.1\n  %8: b32x2 = load %7\n  \
    %9: path = deref.from_bits %8 {type f32, mode physical}\n  %10: b32 = load %9 {align 4}\n  \
    %11: b32 = swizzle %6.y\n  %12: b32 = fadd %10, %11\n  %13: path = deref.field %0.2\n  \
    %14 = store %13, %12\n  return\n}\n";

fn written(program: &str, language: &str) -> Result<String, String> {
    let parsed = parse(program);
    assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
    let funcs = all_funcs(&parsed.module);
    let backend = named(language).expect("the back end exists");
    let text = write(&Source::new(&parsed.module, &funcs), backend, false).map(Written::into_text);
    text.map_err(|diags| diags.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn assert_lines(language: &str, expected: &[&str]) {
    let text = written(READS, language).expect("it is written");
    for wanted in expected {
        assert!(text.lines().any(|line| line.trim() == *wanted), "{wanted} is missing:\n{text}");
    }
}

#[test]
fn a_reference_of_glsl_is_a_block_that_may_refer_to_itself() {
    assert_lines(
        "glsl",
        &[
            "layout(buffer_reference) buffer NodePointer;",
            "layout(buffer_reference, std430) buffer NodePointer {",
            "NodePointer next;",
            "layout(buffer_reference, std430, buffer_reference_align = 4) buffer FloatPointer {",
            "NodePointer first = lists.first;",
            "NodePointer next = first.next;",
            "lists.sum = FloatPointer(packUint2x32(lists.bits)).value + next.value.y;",
        ],
    );
}

#[test]
fn an_address_of_hlsl_is_a_number_whose_memory_is_read_by_words() {
    assert_lines(
        "hlsl",
        &[
            "uint64_t first = lists[0].first;",
            "uint64_t next = uint64_t(vk::RawBufferLoad(first + 20)) << 32 | vk::RawBufferLoad(first + 16);",
        ],
    );
    let stores = READS
        .replace("%13: path = deref.field %0.2\n  %14 = store %13, %12", "%14 = store %5, %6 {align 16}");
    let refused = written(&stores, "hlsl").expect_err("it is refused");
    assert!(refused.contains("stores through an address"), "{refused}");
}

#[test]
fn a_pointer_of_metal_is_one_to_device_memory() {
    assert_lines("msl", &["device Node* first = lists.first;", "device Node* next = (*first).next;"]);
}

#[test]
fn a_language_without_addresses_refuses_them_by_name() {
    for language in ["wgsl", "essl-310"] {
        let refused = written(READS, language).expect_err("it is refused");
        assert!(refused.contains("deref.from_bits") || refused.contains("load"), "{refused}");
    }
}

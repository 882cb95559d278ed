//! `qptr-infer-storage` on random programs, on long call chains, and on programs it must reject.
//!
//! `VITRINE_CASES=6000` runs more random programs.
#![allow(clippy::print_stdout)] // the counts of changes are output

use crate::testing::settings::setting;
use crate::testing::texts;
use std::fmt::Write;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};
use vitrine_core::text::print_module;

/// The declarations of every program. Pointers in memory require physical addresses or variable pointers.
const HEAD: &str = "module version \"1.5\"
module capability \"Shader\"
module capability \"VariablePointers\"
module capability \"VariablePointersStorageBuffer\"
module addressing \"Logical\"
module memory \"GLSL450\"

struct #0 {block} {
  words: [u32 * 8 step 4] {offset 0}
}

storage $0: bytes(32) was #0 {set 0, binding 0}
private $1: bytes(16) was [u32 * 4]
shared $2: bytes(16) was [u32 * 4]
";

/// A function under construction. Each pointer addresses a 32-bit word.
struct Function<'r> {
    random: &'r mut Random,
    text: String,
    next: usize,
    pointers: Vec<usize>,
    values: Vec<usize>,
    /// The next free variable of the module.
    vars: &'r mut usize,
    locals: String,
}

impl Function<'_> {
    fn line(&mut self, ty: &str, definition: &str) -> usize {
        let id = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "  %{id}: {ty} = {definition}");
        id
    }

    fn steps(&mut self, callees: &[usize]) {
        for _ in 0..3 + self.random.below(5) {
            let (pointer, value) = (self.random.pick(&self.pointers), self.random.pick(&self.values));
            match self.random.below(9) {
                0 | 1 => {
                    let read = self.line("b32", &format!("load %{pointer}"));
                    self.values.push(read);
                }
                2 | 3 => {
                    let sum = self.random.pick(&self.values);
                    let sum = self.line("b32", &format!("iadd %{sum}, %{value}"));
                    let _ = writeln!(self.text, "  store %{pointer}, %{sum}");
                }
                4 => self.local("u32", &format!("%{value}"), 4),
                5 => {
                    // A pointer that is stored and loaded again.
                    self.local("ptr<generic, u32>", &format!("%{pointer}"), 8);
                    let Some(from) = self.pointers.pop() else { continue };
                    let read = self.line("ptr", &format!("load %{from} {{type u32, mode generic}}"));
                    self.pointers.push(read);
                }
                _ if callees.is_empty() => {}
                _ => {
                    let callee = self.random.pick(callees);
                    let args: Vec<String> =
                        (0..2).map(|_| format!("%{}", self.random.pick(&self.pointers))).collect();
                    let got = self.line("b32", &format!("call @{callee}({}, %{value})", args.join(", ")));
                    self.values.push(got);
                }
            }
        }
    }

    fn local(&mut self, ty: &str, value: &str, bytes: u32) {
        let var = *self.vars;
        *self.vars += 1;
        let _ = writeln!(self.locals, "  local ${var}: bytes({bytes}) was {ty}");
        let pointer = self.line("ptr", &format!("ptr.var ${var}"));
        let _ = writeln!(self.text, "  store %{pointer}, {value}");
        self.pointers.push(pointer);
    }
}

/// A program whose functions take pointers of any storage class. Callees come first, the entry point last.
fn program(seed: u64) -> Module {
    let mut random = Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let (count, mut vars) = (2 + random.below(4), 3);
    let mut text = format!("{HEAD}\nentry compute \"main\" @{count} ($0, $1, $2) {{local_size 1 1 1}}\n");
    for func in 0..=count {
        let is_entry = func == count;
        let mut made = Function {
            random: &mut random,
            text: String::new(),
            next: if is_entry { 0 } else { 3 },
            pointers: if is_entry { vec![] } else { vec![0, 1] },
            values: if is_entry { vec![] } else { vec![2] },
            vars: &mut vars,
            locals: String::new(),
        };
        if is_entry {
            let buffer = made.line("ptr", "ptr.var $0");
            let data = made.line("ptr", &format!("ptr.buffer_data %{buffer}"));
            let [private, shared] = [1, 2].map(|var| made.line("ptr", &format!("ptr.var ${var}")));
            let first = made.line("b32", &format!("load %{data}"));
            made.values.push(first);
            for at in 0..4 {
                // No undefined memory is read.
                let _ = writeln!(made.text, "  store %{private}, %{first} {{offset {}}}", at * 4);
                let _ = writeln!(made.text, "  store %{shared}, %{first} {{offset {}}}", at * 4);
                for base in [data, private, shared] {
                    let word = made.line("ptr", &format!("ptr.offset %{base} {{offset {}}}", at * 4));
                    made.pointers.push(word);
                }
            }
        }
        let callees: Vec<usize> = (0..func).collect();
        made.steps(&callees);
        if is_entry {
            // The modes of an uncalled function are undetermined.
            for callee in &callees {
                let args: Vec<usize> = (0..2).map(|_| made.random.pick(&made.pointers)).collect();
                let value = made.values[0];
                let got = made.line("b32", &format!("call @{callee}(%{}, %{}, %{value})", args[0], args[1]));
                made.values.push(got);
            }
            made.steps(&callees);
            for at in 0..12 {
                let word = made.line("b32", &format!("load %{}", made.pointers[at]));
                let _ = writeln!(made.text, "  store %1, %{word} {{offset {}}}", 16 + at % 4 * 4);
            }
        }
        let last = made.values.last().copied().unwrap_or(0);
        let (head, exit) = match is_entry {
            true => (format!("func @{func}() tree {{\n"), "  return\n}\n".to_owned()),
            false => (
                format!(
                    "func @{func}(%0: ptr {{type u32, mode generic}}, %1: ptr {{type u32, mode generic}}, %2: b32) -> b32 tree {{\n"
                ),
                format!("  return %{last}\n}}\n"),
            ),
        };
        let _ = write!(text, "\n{head}{}^0:\n{}{exit}", made.locals, made.text);
    }
    texts::module(&text)
}

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

#[test]
fn random_programs_keep_their_results_and_all_modes_are_inferred() {
    let (mut compared, mut copies, mut inconclusive) = (0, 0, 0);
    for seed in 0..cases(300) {
        let module = program(seed);
        let trials = trials(&module, seed, 2);
        let expected: Vec<Expected<'_>> =
            trials.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        inconclusive += trials.len() - expected.len();
        for text in ["qptr-infer-storage", "qptr-infer-storage, qptr-lift", "flatten, qptr-infer-storage"] {
            let trace = Pipeline::parse(text).unwrap().trace(&module, Settings::default());
            for step in &trace.steps {
                match &step.outcome {
                    Outcome::Failed(diag) => panic!("seed {seed}: {text}: {diag}\n{}", print_module(&module)),
                    Outcome::Invalid(diags) => panic!("seed {seed}: {text}: {}", diags[0]),
                    Outcome::Unchanged | Outcome::Changed => {}
                }
            }
            let after = trace.last();
            let printed = print_module(after);
            assert!(!printed.contains("generic"), "seed {seed}: {text}\n{printed}");
            copies += after.funcs().count().saturating_sub(module.funcs().count());
            for expected in &expected {
                compared += 1;
                let difference = expected.differs(after, Tolerance::default());
                assert!(
                    difference.is_none(),
                    "seed {seed}: {text}: {difference:?}\n{}\n=>\n{printed}",
                    print_module(&module)
                );
            }
        }
    }
    println!("{compared} runs compared, {inconclusive} are inconclusive, {copies} copies");
    assert!(compared > 1000 && copies > 100, "{compared} {copies}");
}

/// A program in which each function passes a pointer to the next.
fn chain(length: usize) -> String {
    let mut text = "private $0: bytes(4) was u32\nshared $1: bytes(4) was u32\n\n\
        entry compute \"main\" @0 ($0, $1) {local_size 1 1 1}\n\n\
        func @0() tree {\n^0:\n  %0: ptr = ptr.var $0\n  %1: ptr = ptr.var $1\n  %2: b32 = const 1\n  \
        store %0, %2\n  call @1(%0)\n  call @1(%1)\n  return\n}\n"
        .to_owned();
    for func in 1..=length {
        let definition = match func == length {
            true => "  %1: b32 = const 2\n  store %0, %1\n".to_owned(),
            false => format!("  call @{}(%0)\n", func + 1),
        };
        let _ = write!(
            text,
            "\nfunc @{func}(%0: ptr {{type u32, mode generic}}) tree {{\n^0:\n{definition}  return\n}}\n"
        );
    }
    text
}

#[test]
fn deep_call_chains_are_inferred() {
    let length = 100_000;
    let module = texts::module(&chain(length));
    let after =
        Pipeline::parse("qptr-infer-storage").unwrap().run(&module, None).expect("every mode is known");
    assert_eq!(after.funcs().count(), 2 * length + 1);
    assert!(!print_module(&after).contains("generic"));
}

/// Rejected programs: the code, part of the message, and the body that `refused` completes.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "P113",
        "%9 requires one pointer to refer to both `private` and `shared` memory",
        "
  if !0 %2 {
  ^1:
    next(%0)
  } else {
  ^2:
    next(%1)
  }
^3(%9: ptr {type u32, mode generic}):
  store %9, %3",
    ),
    (
        "P113",
        "%9 requires one pointer to refer to both `private` and `shared` memory",
        "  %9: ptr = choose %2, %0, %1 {type u32, mode generic}\n  store %9, %3",
    ),
    (
        "P113",
        "this requires one pointer to refer to both `private` and `shared` memory",
        "  %9: ptr = ptr.var $2\n  store %9, %0\n  store %9, %1",
    ),
    ("P113", "this requires one pointer to refer to both", "  call @1(%0, %1)"),
    ("P113", "this requires one pointer to refer to both", "  call @2(%1)"),
    ("P112", "$2 holds pointers whose origin is unknown", "  store %0, %3"),
    (
        "P112",
        "is a pointer without an origin",
        "  %8: ptr = ptr.var $2\n  store %8, %0\n  %9: ptr = undef {type u32, mode generic}\n  store %9, %3",
    ),
    (
        "P112",
        "is a pointer without an origin",
        "  %8: ptr = ptr.var $2\n  store %8, %0\n  %9: ptr = undef {type u32, mode generic}\n  call @3(%9)",
    ),
    (
        "P114",
        "@3 is called with 2 sets of pointer modes, which exceeds the limit of 1",
        "  %8: ptr = ptr.var $2\n  store %8, %0\n  call @3(%0)\n  call @3(%1)",
    ),
];

fn refused(body: &str) -> String {
    format!(
        "private $0: bytes(4) was u32\nshared $1: bytes(4) was u32\nprivate $2: bytes(8) was ptr<generic, u32>\n\n\
        entry compute \"main\" @0 ($0, $1, $2) {{local_size 1 1 1}}\n\n\
        func @0() tree {{\n^0:\n  %0: ptr = ptr.var $0\n  %1: ptr = ptr.var $1\n  %3: b32 = const 1\n  \
        %4: b32 = load %1\n  %2: b1 = ieq %3, %4\n{body}\n  return\n}}\n\n\
        func @1(%0: ptr {{type u32, mode generic}}, %1: ptr {{type u32, mode generic}}) tree {{\n^0:\n  \
        %2: b1 = ptr.eq %0, %1\n  return\n}}\n\n\
        func @2(%0: ptr {{type u32, mode generic}}) tree {{\n  local $3: bytes(8) was ptr<private, u32>\n^0:\n  \
        %1: ptr = ptr.var $3\n  store %1, %0\n  return\n}}\n\n\
        func @3(%0: ptr {{type u32, mode generic}}) tree {{\n^0:\n  %1: b32 = const 1\n  store %0, %1\n  return\n}}\n"
    )
}

#[test]
fn undecidable_storage_is_reported_with_its_position() {
    for &(code, message_part, body) in REFUSED {
        let mut text = refused(body);
        // The modes of uncalled functions are undetermined.
        for func in (1..=3).filter(|func| !body.contains(&format!("@{func}("))) {
            let start = text.find(&format!("\nfunc @{func}(")).expect("the function exists");
            let end = start + text[start..].find("\n}\n").expect("it ends") + 3;
            text.replace_range(start..end, "");
        }
        let module = texts::module(&text);
        let trace =
            Pipeline::parse("qptr-infer-storage{max-copies=1}").unwrap().trace(&module, Settings::default());
        let found = trace.steps.iter().find_map(|step| match &step.outcome {
            Outcome::Failed(diag) => Some(diag.clone()),
            Outcome::Invalid(_) | Outcome::Unchanged | Outcome::Changed => None,
        });
        let diag = found.unwrap_or_else(|| panic!("{code}: {message_part}: no diagnostic\n{text}"));
        let message = diag.message();
        assert!(
            diag.code == code && message.contains(message_part),
            "{diag}\nwanted {code}: {message_part}\n{text}"
        );
        assert!(diag.help.is_some(), "{diag}");
    }
}

/// A module as Rust-GPU passes it to its linker: every pointer type is generic, including those of variables.
const RUST_GPU: &str = "
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpCapability GenericPointer
OpCapability Addresses
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpExtension \"SPV_KHR_variable_pointers\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %A ArrayStride 4
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%c4 = OpConstant %uint 4
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%A = OpTypeArray %uint %c4
%S = OpTypeStruct %A
%pgS = OpTypePointer Generic %S
%pgu = OpTypePointer Generic %uint
%fnv = OpTypeFunction %void
%fnt = OpTypeFunction %uint %pgu
%buf = OpVariable %pgS StorageBuffer
%main = OpFunction %void None %fnv
%l = OpLabel
%v = OpVariable %pgu Function
OpStore %v %c4
%p = OpAccessChain %pgu %buf %c0 %c1
%r1 = OpFunctionCall %uint %f %p
%r2 = OpFunctionCall %uint %f %v
OpReturn
OpFunctionEnd
%f = OpFunction %uint None %fnt
%q = OpFunctionParameter %pgu
%fl = OpLabel
%x = OpLoad %uint %q
OpStore %q %x
OpReturnValue %x
OpFunctionEnd
";

#[test]
fn a_module_of_generic_pointer_types_is_written_without_them() {
    let made = assemble(RUST_GPU, &AsmOptions::default());
    assert_eq!(made.diags, []);
    let bytes: Vec<u8> = made.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = read(&bytes).module;
    let pipeline = Pipeline::parse("ingest, qptr-lower, qptr-infer-storage, qptr-lift").unwrap();
    let after = pipeline.run(&module, None).expect("every mode is known");
    let words = write_spirv(&after, SpirvOptions::default()).expect("it can be written");
    let (binary, _) = Binary::from_words(words);
    let text = disassembly(&binary, &DisOptions { friendly: true, ..DisOptions::default() });
    assert!(RUST_GPU.contains("OpTypePointer Generic") && !text.contains("Generic"), "{text}");
    let functions = text.lines().filter(|line| line.contains("= OpFunction ")).count();
    assert_eq!(functions, 3, "{text}");
}

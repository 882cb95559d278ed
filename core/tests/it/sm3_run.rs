//! Programs of shader model 3 compute the same as the modules they were written for: small programs of the project,
//! loops whose trip count is a uniform, and the vertex and fragment shaders of the corpora.
//!
//! The judge itself is tested with programs written by hand: right ones agree, wrong ones are found.
#![allow(clippy::print_stdout)] // the verdicts are output

mod judge; // start here: runs both on the same inputs
mod written; // the program that the back end writes
mod fits; // counts what can be written
mod programs; // small shaders
mod loops; // the same, with loops
mod values; // the same, without

use crate::testing::corpus::modules;
use crate::testing::texts::{examples, valid_module};
use judge::{
    Agreement, Effort, Failure, PlacedConstant, Verdict, WrittenProgram, compare, compare_run, set_word,
};
use loops::LOOPS;
use programs::OWN_PROGRAMS;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use values::VALUES;
use vitrine_core::back::sm3::Model;
use vitrine_core::d3d::sm1::{File, PrintOptions, Program, disassembly};
use vitrine_core::front;
use vitrine_core::interp::{OutKey, run, seeded};
use vitrine_core::pipeline::Pipeline;
use written::judge;

const EFFORT: Effort = Effort { seeds: 8, steps: 1 << 16 };

fn float(offset: u32, register: u16, component: u8) -> PlacedConstant {
    PlacedConstant { slot: Some((0, 0)), offset, file: File::Const, register, component, integer: false }
}

/// A shader with every kind of input, and a program written by hand for it.
const MIXED: &str = "struct #0 {block} {
  scale: f32x2 {offset 0}
  count: i32 {offset 8}
}

uniform $0: #0 {set 0, binding 0}
handle $1: sampled_image<2d f32> {set 0, binding 3}
in $2: f32x2 {location 1}
in $3: i32 {location 4, interp flat}
out $4: f32x4 {location 0}
out $5: f32x2 {location 2}

entry fragment \"main\" @0 ($2, $3, $4, $5) {origin_upper_left}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: path = deref.field %0.0
  %2: b32x2 = load %1
  %3: path = deref.field %0.1
  %4: b32 = load %3
  %5: path = deref.var $2
  %6: b32x2 = load %5
  %7: b32x2 = fmul %6, %2
  %8: path = deref.var $1
  %9: handle = load %8
  %10: b32x4 = tex.sample %9, %7 {dim 2d, roles image+coord}
  %11: path = deref.var $4
  store %11, %10
  %12: path = deref.var $3
  %13: b32 = load %12
  %14: b32 = imul %13, %4
  %15: b32 = i2f %14
  %16: b32 = swizzle %6.y
  %17: b32 = const 0.0
  %18: b1 = flt %16, %17
  if !0 %18 {
  ^1:
    stop discard
  } else {
  ^2:
    next
  }
^3:
  %19: b32x2 = vec %15, %16
  %20: path = deref.var $5
  store %20, %19
  return
}
";

const MIXED_PROGRAM: &str = "ps_3_0
dcl_texcoord1 v0.xy
dcl_texcoord4 v1.x
dcl_2d s3
mul r0.xy, v0, c5.zwzw
texld r1, r0, s3
mov r2, v0.y
texkill r2
mov oC0, r1
mul r0.x, v1.x, c7.y
mov r0.y, v0.y
mov oC2, r0.xyyy
";

fn mixed_program(text: &str) -> WrittenProgram {
    let count = PlacedConstant { integer: true, ..float(8, 7, 1) };
    WrittenProgram {
        bytes: text.as_bytes().to_vec(),
        constants: vec![float(0, 5, 2), float(4, 5, 3), count],
        samplers: vec![((0, 3), (0, 3), 3)],
    }
}

#[test]
fn every_kind_of_input_is_mapped() {
    let module = valid_module(MIXED);
    let verdict = compare(&module, &mixed_program(MIXED_PROGRAM), EFFORT);
    assert!(matches!(verdict, Verdict::Same(all) if all.equal > 100), "{verdict}");
}

#[test]
fn wrong_programs_are_found() {
    let module = valid_module(MIXED);
    for (right, wrong) in [
        ("dcl_texcoord1 v0", "dcl_texcoord2 v0"),
        ("dcl_texcoord4 v1", "dcl_color4 v1"),
        ("texkill r2\n", ""),
        ("c5.zwzw", "c5.zzzz"),
        ("c7.y", "c7.x"),
        ("texld r1, r0, s3", "mov r1, r0.xyyy"),
        ("mov oC2", "mov oC1"),
        ("r0.xyyy", "r0.yxxx"),
        ("mov oC0, r1", "mov oC0"),
    ] {
        let text = MIXED_PROGRAM.replace(right, wrong);
        assert_ne!(text, MIXED_PROGRAM, "{right}");
        let verdict = compare(&module, &mixed_program(&text), EFFORT);
        assert!(matches!(verdict, Verdict::Differs(_)), "{wrong}: {verdict}");
    }
}

#[test]
fn undefined_behavior_of_the_module_is_inconclusive() {
    let text = MIXED.replace("  %20: path", "  %21: b32 = undef\n  %22: b1 = flt %21, %17\n  assume %22\n  if !1 %22 {\n  ^4:\n    next\n  } else {\n  ^5:\n    next\n  }\n^6:\n  %20: path");
    let module = valid_module(&text);
    let verdict = compare(&module, &mixed_program(MIXED_PROGRAM), EFFORT);
    assert!(matches!(verdict, Verdict::NotRun(_)), "{verdict}");
}

/// Every program of the project's own computes the same after it is written.
#[test]
fn own_programs_are_written_and_compute_the_same() {
    let mut failed = Vec::new();
    for program in OWN_PROGRAMS.iter().chain(LOOPS).chain(VALUES) {
        let text = programs::module(program);
        valid_module(&text);
        let verdict = judge(text.as_bytes(), Model::Three, 12);
        println!("{}: {verdict}", program.0);
        let holds = matches!(verdict, Verdict::Same(_) | Verdict::Rounding(_));
        if !holds {
            failed.push(format!("{}: {verdict}\n{}", program.0, listing(text.as_bytes(), Model::Three)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Programs of the project's own that are written for shader model 2 compute the same, and most are.
#[test]
fn own_programs_of_model_2_compute_the_same() {
    let (mut written, mut failed) = (0usize, Vec::new());
    for program in OWN_PROGRAMS.iter().chain(LOOPS).chain(VALUES) {
        let text = programs::module(program);
        let verdict = judge(text.as_bytes(), Model::Two, 12);
        println!("{}: {verdict}", program.0);
        match verdict {
            Verdict::Same(_) | Verdict::Rounding(_) => written += 1,
            Verdict::NotWritten(_) => {}
            Verdict::Differs(_) | Verdict::NotRun(_) => {
                failed.push(format!("{}: {verdict}\n{}", program.0, listing(text.as_bytes(), Model::Two)));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(written >= 20, "only {written} are written");
}

/// The assembly of the program for a module; empty if there is none.
fn listing(module: &[u8], model: Model) -> String {
    let bytes = written::written(&front::read(module).1.module, model).map(|program| program.bytes);
    bytes.map_or(String::new(), |bytes| disassembly(&Program::read(&bytes).0, &PrintOptions::default()))
}

/// The files to judge: those of the corpora and the examples of the page, which are there without the large corpus and fit
/// the profiles, or those of the folder that `VITRINE_JUDGE` names.
fn judged_files() -> Vec<(String, Vec<u8>)> {
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a module"));
    let Some(folder) = std::env::var_os("VITRINE_JUDGE") else {
        let corpora = modules().into_iter().map(|item| (item.file.clone(), item.bytes()));
        return corpora.chain(examples().into_iter().map(read)).collect();
    };
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files.into_iter().map(read).collect()
}

/// Vertex and fragment shaders of the corpora and of the examples. `VITRINE_REPORT` names a file for the table of verdicts.
#[test]
fn shaders_of_the_corpus_compute_the_same() {
    judge_corpus(Model::Three);
}

/// The same for shader model 2.
#[test]
fn shaders_of_the_corpus_compute_the_same_in_model_2() {
    judge_corpus(Model::Two);
}

fn judge_corpus(model: Model) {
    let (mut counts, mut table, mut differing) = (BTreeMap::<&str, usize>::new(), Vec::new(), Vec::new());
    for (file, bytes) in judged_files() {
        if !written::has_program(&front::read(&bytes).1.module) {
            continue;
        }
        let verdict = judge(&bytes, model, 3);
        let class = match &verdict {
            Verdict::Same(_) => "same",
            Verdict::Rounding(_) => "rounding",
            Verdict::Differs(_) => "differs",
            Verdict::NotWritten(_) => "not written",
            Verdict::NotRun(_) => "not run",
        };
        *counts.entry(class).or_default() += 1;
        let line = format!("{file}: {verdict}");
        differing.extend((class == "differs").then(|| format!("{line}\n{}", listing(&bytes, model))));
        table.push(line);
    }
    println!("{}\n{counts:#?}", table.join("\n"));
    if let Some(file) = std::env::var_os("VITRINE_REPORT") {
        fs::write(file, table.join("\n") + "\n").expect("the report can be written");
    }
    assert!(counts.get("same").is_some_and(|&count| count > 0), "{counts:?}");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// An integer that only chooses an arm is a boolean constant.
#[test]
fn a_branch_on_a_uniform_is_static() {
    let text = programs::module(&("uniform-branch", false, values::UNIFORM_BRANCH));
    let assembly = listing(text.as_bytes(), Model::Three);
    let count = |word: &str| assembly.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert_eq!((count("if b0"), count("if_")), (1, 1), "{assembly}");
}

/// Values that only some paths of an iteration write take no register until the next iteration.
#[test]
fn values_end_with_their_iteration() {
    let mut text = String::from(
        "\n  loop !0(%i0, %none) {\n  ^1(%i: b32, %sum_0: b32x4):\n    %in: b1 = ilt %i, %n\n    if !1 %in {\n    ^2:\n      next\n    } \
         else {\n    ^3:\n      break !0(%sum_0)\n    }\n  ^4:\n    %j: b32 = iadd %i, %i1\n    %no: b32x4 = undef\n    %f: b32 = i2f %i\n",
    );
    let mut sum = "%sum_0".to_owned();
    for phase in 0..4 {
        let names: Vec<usize> = (0..14).map(|at| 14 * phase + at).collect();
        for &at in &names {
            // The second condition below implies the first one, but not to the eye of the optimizer.
            let (block, node) = (100 + at * 10, 10 + at);
            text.push_str(&format!(
                "    %c{at}: b32 = const {}\n    %p{at}: b32 = iadd %k, %c{at}\n    %first{at}: b1 = ilt %i, %p{at}\n    \
                 if !{node} %first{at} {{\n    ^{block}:\n      %t{at}: b32x4 = splat %f\n      %x{at}: b32x4 = fmul %t{at}, %v\n      \
                 next(%x{at})\n    }} else {{\n    ^{}:\n      next(%no)\n    }}\n  ^{}(%y{at}: b32x4):\n",
                at + 1, block + 1, block + 2
            ));
        }
        for &at in &names {
            let (block, node) = (1000 + at * 10, 1000 + at);
            text.push_str(&format!(
                "    %d{at}: b32 = const {at}\n    %q{at}: b32 = iadd %k, %d{at}\n    %second{at}: b1 = ilt %i, %q{at}\n    \
                 if !{node} %second{at} {{\n    ^{block}:\n      %z{at}: b32x4 = fadd {sum}, %y{at}\n      next(%z{at})\n    }} else {{\n    \
                 ^{}:\n      next({sum})\n    }}\n  ^{}(%u{at}: b32x4):\n",
                block + 1, block + 2
            ));
            sum = format!("%u{at}");
        }
    }
    text.push_str(&format!("    next(%j, {sum})\n  }}\n^5(%r: b32x4):\n"));
    let text = programs::module(&("values-of-an-iteration", false, text.leak()));
    valid_module(&text);
    let verdict = judge(text.as_bytes(), Model::Three, 4);
    assert!(matches!(verdict, Verdict::Same(_) | Verdict::Rounding(_)), "{verdict}");
}

/// Of the vertex and fragment shaders of the corpora that fit by a count made before, at least 95 % are written.
#[test]
fn shaders_of_the_corpus_that_fit_are_written() {
    let optimize = Pipeline::parse("O2, structurize").expect("a preset and a pass");
    let (mut fitting, mut others, mut refused) = (0usize, 0usize, Vec::new());
    for (file, bytes) in judged_files() {
        let module = front::read(&bytes).1.module;
        if !written::has_program(&module) {
            continue;
        }
        let Ok(module) = optimize.run(&module, None) else { continue };
        let result = match written::written(&module, Model::Three) {
            Err(why @ Verdict::NotWritten(_)) => Err(why),
            Ok(_) | Err(_) => Ok(()),
        };
        match (fits::misfit(&module), &result) {
            (None, Ok(_)) => fitting += 1,
            (None, Err(why)) => {
                fitting += 1;
                refused.push(format!("{file}: {why}"));
            }
            (Some(why), _) => {
                println!(
                    "{file}: does not fit ({why}){}",
                    if result.is_ok() { ", but is written" } else { "" }
                );
                others += usize::from(result.is_ok());
            }
        }
    }
    println!(
        "{}\n{fitting} fit, {} of them refused; {others} others are written",
        refused.join("\n"),
        refused.len()
    );
    assert!(refused.len() * 20 <= fitting, "{}", refused.join("\n"));
}

/// A sum over a loop whose trip count is a uniform, or its square; in the assembly of SPIR-V.
fn sum_of_loop(limit: &str) -> String {
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %Globals Block
OpMemberDecorate %Globals 0 Offset 0
OpDecorate %globals DescriptorSet 0
OpDecorate %globals Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%bool = OpTypeBool
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%Globals = OpTypeStruct %int
%ptr_globals = OpTypePointer Uniform %Globals
%ptr_int = OpTypePointer Uniform %int
%out_vec4 = OpTypePointer Output %vec4
%int_0 = OpConstant %int 0
%int_1 = OpConstant %int 1
%zero = OpConstant %float 0
%nothing = OpConstantComposite %vec4 %zero %zero %zero %zero
%globals = OpVariable %ptr_globals Uniform
%color = OpVariable %out_vec4 Output
%main = OpFunction %void None %void_fn
%entry = OpLabel
%m_at = OpAccessChain %ptr_int %globals %int_0
%m = OpLoad %int %m_at
{limit}
OpBranch %head
%head = OpLabel
%k = OpPhi %int %int_0 %entry %next %more
%sum = OpPhi %vec4 %nothing %entry %added %more
%inside = OpSLessThan %bool %k %n
OpLoopMerge %end %more None
OpBranchConditional %inside %body %end
%body = OpLabel
%value = OpConvertSToF %float %k
%all = OpCompositeConstruct %vec4 %value %value %value %value
%added = OpFAdd %vec4 %sum %all
OpBranch %more
%more = OpLabel
%next = OpIAdd %int %k %int_1
OpBranch %head
%end = OpLabel
OpStore %color %sum
OpReturn
OpFunctionEnd
"
    )
}

/// Compares the sum with the module and, where floats are exact, with `n * (n - 1) / 2`.
fn check_sums(limit: &str, values: &[i32], trips: fn(i32) -> i32) {
    let (_, read) = front::read(sum_of_loop(limit).as_bytes());
    assert!(read.diags.is_empty(), "{:?}", read.diags);
    let program = written::written(&read.module, Model::Three).unwrap_or_else(|verdict| panic!("{verdict}"));
    let [m] = program.constants[..] else { panic!("one constant: {:?}", program.constants) };
    let (_, written) = front::read(&program.bytes);
    for &value in values {
        let mut inputs = seeded(&read.module, 0, 0);
        inputs.rect = [0, 0, 1, 1];
        inputs.limits.steps = 1 << 26;
        set_word(&mut inputs, &m, value.cast_unsigned());
        let mut all = Agreement::default();
        let compared = compare_run(&read.module, &written.module, &program, &inputs, &mut all);
        if let Err(Failure::Wrong(why) | Failure::Inconclusive(why)) = compared {
            panic!("m = {value}: {why}");
        }
        assert_eq!(all, Agreement { equal: 4, ..Agreement::default() }, "m = {value}");
        let n = i64::from(trips(value).max(0));
        let expected = n * (n - 1).max(0) / 2;
        if expected <= 1 << 24 {
            let outcome = run(&read.module, 0, &inputs).expect("it runs");
            let first = outcome.invocations.values().next().expect("an invocation");
            let bits = first.outputs.get(&OutKey::Location(0, 0, 0)).copied().flatten();
            assert_eq!(bits, Some(u64::from((expected as f32).to_bits())), "m = {value}");
        }
    }
}

#[test]
fn a_loop_runs_as_often_as_an_integer_uniform_says() {
    check_sums("%n = OpCopyObject %int %m", &(-2..=300).collect::<Vec<_>>(), |m| m);
}

#[test]
fn a_loop_runs_more_often_than_a_rep_can_count() {
    let values: Vec<i32> = (-2..=40).chain([64, 76, 100, 128, 181, 255, 256, 300]).collect();
    check_sums("%n = OpIMul %int %m %m", &values, |m| m * m);
}

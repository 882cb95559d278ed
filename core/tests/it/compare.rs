//! Comparison of modules: verdicts, findings, interfaces by location, damaged logs.
//!
//! The programs are fragment shaders in SPIR-V assembly, and functions in IR text. Each variant differs from the original in a
//! line or two.

#[cfg(feature = "cli")]
mod command; // the command line

use vitrine_core::interp::OutKey;
use vitrine_core::lab::compare::{Comparer, Dump, Reason, Settings, Spot, Verdict, split_log};

/// A fragment shader with arithmetic only. `%third` is inexact, so that other roundings show.
pub(crate) const SHADER: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %uv %color
               OpExecutionMode %main OriginUpperLeft
               OpName %uv "uv"
               OpName %color "color"
               OpDecorate %uv Location 0
               OpDecorate %color Location 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
      %float = OpTypeFloat 32
       %bool = OpTypeBool
     %vector = OpTypeVector %float 4
      %input = OpTypePointer Input %float
     %output = OpTypePointer Output %vector
         %uv = OpVariable %input Input
      %color = OpVariable %output Output
        %one = OpConstant %float 1
      %three = OpConstant %float 3
      %third = OpConstant %float 0.333333343
      %false = OpConstantFalse %bool
       %main = OpFunction %void None %function
      %start = OpLabel
          %x = OpLoad %float %uv
          %y = OpFMul %float %x %third
          %z = OpFAdd %float %y %one
          %c = OpCompositeConstruct %vector %z %y %x %one
               OpStore %color %c
               OpReturn
               OpFunctionEnd
"#;

/// A fragment shader with a branch.
const BRANCH: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %uv %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %uv Location 0
               OpDecorate %color Location 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
      %float = OpTypeFloat 32
       %bool = OpTypeBool
      %input = OpTypePointer Input %float
     %output = OpTypePointer Output %float
         %uv = OpVariable %input Input
      %color = OpVariable %output Output
        %one = OpConstant %float 1
       %zero = OpConstant %float 0
       %main = OpFunction %void None %function
      %start = OpLabel
          %x = OpLoad %float %uv
       %cond = OpFOrdLessThan %bool %x %zero
               OpSelectionMerge %end None
               OpBranchConditional %cond %then %end
       %then = OpLabel
               OpBranch %end
        %end = OpLabel
          %c = OpPhi %float %zero %start %one %then
               OpStore %color %c
               OpReturn
               OpFunctionEnd
"#;

pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

fn compared_with(programs: &[&str], settings: Settings) -> Comparer {
    let dumps: Vec<Dump> = (0..)
        .zip(programs)
        .map(|(at, text)| Dump { name: format!("p{at}"), bytes: text.as_bytes().to_vec() })
        .collect();
    of_dumps(&dumps, settings)
}

fn of_dumps(dumps: &[Dump], settings: Settings) -> Comparer {
    let mut comparer = Comparer::of_dumps(dumps, settings);
    let mut left = 100_000;
    while comparer.step() {
        left -= 1;
        assert!(left > 0, "it terminates");
    }
    comparer
}

pub(crate) fn compared(programs: &[&str]) -> Comparer {
    compared_with(programs, Settings::default())
}

pub(crate) fn names(comparer: &Comparer) -> Vec<&'static str> {
    comparer.stages().iter().map(|stage| stage.verdict.name()).collect()
}

#[test]
fn programs_with_the_same_results_are_the_same() {
    let swapped = replaced(SHADER, "OpFMul %float %x %third", "OpFMul %float %third %x");
    let comparer = compared(&[SHADER, SHADER, &swapped]);
    assert_eq!(names(&comparer), ["input", "unchanged", "same"]);
    assert!(comparer.finding().is_none());
    assert_eq!(comparer.stages()[2].compared, 8);
}

/// The interface decides, not ids, names and the order of variables.
#[test]
fn variables_are_matched_by_location() {
    let variables = "%uv = OpVariable %input Input\n      %color = OpVariable %output Output";
    let other = replaced(
        SHADER,
        variables,
        "%color = OpVariable %output Output\n      %uv = OpVariable %input Input",
    );
    let other = other
        .replace("%uv", "%a")
        .replace("%color", "%b")
        .replace("\"uv\"", "\"q\"")
        .replace("\"main\"", "\"ps\"");
    let comparer = compared(&[SHADER, &other]);
    assert_eq!(names(&comparer), ["input", "same"]);
    assert_eq!(comparer.stages()[1].interface, [""; 0]);
    let moved = replaced(SHADER, "OpDecorate %color Location 0", "OpDecorate %color Location 1");
    let comparer = compared(&[SHADER, &moved]);
    assert_eq!(names(&comparer), ["input", "differs"]);
    assert_eq!(comparer.stages()[1].interface, ["output location 0 is gone", "output location 1 is new"]);
}

/// A shader that writes `n * 3 + m`, of two specialization constants.
const SPECIALIZED: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %n SpecId 3
               OpDecorate %m SpecId 4
       %void = OpTypeVoid
   %function = OpTypeFunction %void
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
     %output = OpTypePointer Output %int
      %color = OpVariable %output Output
      %three = OpConstant %int 3
       %zero = OpConstant %uint 0
          %n = OpSpecConstant %int 5
          %p = OpSpecConstantOp %int IMul %n %three
          %m = OpSpecConstant %uint 7
          %q = OpSpecConstantOp %int IAdd %m %zero
          %r = OpSpecConstantOp %int IAdd %p %q
       %main = OpFunction %void None %function
      %start = OpLabel
               OpStore %color %r
               OpReturn
               OpFunctionEnd
"#;

#[test]
fn constants_are_specialized_by_their_identity_whatever_their_order_and_sign() {
    let [before, after] = [
        "          %n = OpSpecConstant %int 5\n          %p = OpSpecConstantOp %int IMul %n %three\n          %m = OpSpecConstant %uint 7\n          %q = OpSpecConstantOp %int IAdd %m %zero\n          %r = OpSpecConstantOp %int IAdd %p %q\n",
        "          %m = OpSpecConstant %int 7\n          %n = OpSpecConstant %uint 5\n          %o = OpSpecConstantOp %int IAdd %n %zero\n          %p = OpSpecConstantOp %int IMul %o %three\n          %r = OpSpecConstantOp %int IAdd %p %m\n",
    ];
    let other = replaced(SPECIALIZED, before, after);
    let comparer = compared(&[SPECIALIZED, &other]);
    assert_eq!(comparer.stages()[1].verdict, Verdict::Same);
    let wrong = compared(&[SPECIALIZED, &replaced(&other, "IMul", "IAdd")]);
    assert!(matches!(wrong.stages()[1].verdict, Verdict::Differs { .. }));
}

#[test]
fn another_rounding_is_allowed_unless_operations_are_exact() {
    let divided = replaced(SHADER, "OpFMul %float %x %third", "OpFDiv %float %x %three");
    let comparer = compared(&[SHADER, &divided]);
    let Verdict::Rounding(rounding) = &comparer.stages()[1].verdict else { panic!("{:?}", names(&comparer)) };
    assert!((1..=64).contains(&rounding.ulp) && rounding.epsilon > 0.0, "{rounding}");
    assert_eq!(rounding.reasons, [Reason::Contraction]);
    let exact = |text: &str| {
        let decorations =
            "OpDecorate %y NoContraction\n OpDecorate %z NoContraction\n OpDecorate %uv Location 0";
        replaced(text, "OpDecorate %uv Location 0", decorations)
    };
    let [before, after] = [SHADER, &divided].map(exact);
    assert_eq!(names(&compared(&[&before, &after])), ["input", "differs"]);
    let tolerant = compared_with(&[&before, &after], Settings { ulp: 64, ..Settings::default() });
    let Verdict::Rounding(rounding) = &tolerant.stages()[1].verdict else { panic!("{:?}", names(&tolerant)) };
    assert_eq!(rounding.reasons, [Reason::Tolerance]);
}

#[test]
fn a_wrong_value_is_found_with_its_store() {
    let divided = replaced(SHADER, "OpFMul %float %x %third", "OpFDiv %float %x %three");
    let wrong = replaced(&divided, "OpFAdd %float %y %one", "OpFSub %float %y %one");
    let comparer = compared(&[SHADER, &divided, &wrong, &wrong]);
    assert_eq!(names(&comparer), ["input", "rounding", "differs", "unchanged"]);
    let finding = comparer.finding().expect("a finding");
    assert_eq!((finding.stage, finding.against, finding.confirmed), (2, 1, true));
    assert_eq!(finding.entry, "main");
    let difference = &finding.difference;
    assert!(difference.invocation.is_some());
    assert_eq!(difference.spot, Spot::Output(OutKey::Location(0, 0, 0)));
    assert_eq!(difference.name, "color.x (location 0 component 0)");
    let number = difference.number.expect("a number");
    let [before, after] = number.bits.map(|bits| f32::from_bits(bits.expect("a defined value") as u32));
    assert!((before - after - 2.0).abs() < 1e-5, "{before} {after}");
    assert_eq!(difference.values[1], format!("0x{:08x} ({after:?})", after.to_bits()));
    let parting = finding.parting.as_ref().expect("the store");
    assert!(!parting.is_branch && parting.equal == 3, "{parting:?}");
    let [Some(first), Some(second)] = &parting.sides else { panic!("{parting:?}") };
    assert!(first.text.contains("store") && first.value != second.value, "{parting:?}");
}

#[test]
fn a_wrong_condition_is_found_with_its_branch() {
    let wrong = replaced(BRANCH, "OpFOrdLessThan", "OpFOrdGreaterThanEqual");
    let comparer = compared(&[BRANCH, &wrong]);
    assert_eq!(names(&comparer), ["input", "differs"]);
    let parting = comparer.finding().expect("a finding").parting.clone().expect("the branch");
    assert!(parting.is_branch, "{parting:?}");
    let [Some(first), Some(second)] = &parting.sides else { panic!("{parting:?}") };
    assert!(first.text.starts_with("if ") && first.value != second.value, "{parting:?}");
}

#[test]
fn what_cannot_be_read_is_invalid() {
    let cut = &SHADER[..SHADER.len() - 60];
    let comparer = compared(&[SHADER, cut, "", "#version 450\nvoid main() {}\n", SHADER]);
    assert_eq!(names(&comparer), ["input", "invalid", "invalid", "invalid", "same"]);
    let comparer = compared(&[cut, SHADER]);
    assert_eq!(names(&comparer), ["invalid", "inconclusive"]);
    assert_eq!(names(&compared(&[])), [""; 0]);
}

/// Without a run there is no verdict, but a reason.
#[test]
fn what_cannot_be_run_is_inconclusive() {
    let vertex = replaced(SHADER, "OpEntryPoint Fragment", "OpEntryPoint Vertex");
    let vertex = replaced(&vertex, "               OpExecutionMode %main OriginUpperLeft\n", "");
    let comparer = compared(&[SHADER, &vertex]);
    let reason = |comparer: &Comparer| comparer.stages()[1].verdict.to_string();
    assert_eq!(reason(&comparer), "inconclusive: there is no fragment entry point `main`");
    // The loop does not end.
    let forever = replaced(
        BRANCH,
        "OpSelectionMerge %end None",
        "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %end %then None",
    );
    let forever = replaced(&forever, "OpBranchConditional %cond %then %end", "OpBranch %then");
    let forever =
        replaced(&forever, "OpLabel\n               OpBranch %end", "OpLabel\n               OpBranch %loop");
    let forever =
        replaced(&forever, "%c = OpPhi %float %zero %start %one %then", "%c = OpFAdd %float %one %one");
    let comparer = compared(&[&forever, BRANCH]);
    assert_eq!(names(&comparer), ["input", "inconclusive"]);
    assert!(reason(&comparer).contains("terminate"), "{}", reason(&comparer));
    // A version that no longer ends differs.
    let comparer = compared(&[BRANCH, &forever]);
    assert!(reason(&comparer).contains("step limit"), "{}", reason(&comparer));
    let ray = replaced(SHADER, "OpEntryPoint Fragment", "OpEntryPoint Geometry");
    let ray = replaced(&ray, "OpCapability Shader", "OpCapability Shader\nOpCapability Geometry");
    // Without `OutputVertices` it is not known when to stop.
    let modes = ["InputPoints", "OutputPoints", "Invocations 1"]
        .map(|mode| format!("OpExecutionMode %main {mode}\n"));
    let ray = replaced(&ray, "OpExecutionMode %main OriginUpperLeft\n", &modes.concat());
    let comparer = compared(&[&ray, &replaced(&ray, "OpFAdd", "OpFSub")]);
    assert!(
        reason(&comparer).starts_with("inconclusive") && reason(&comparer).contains("geometry"),
        "{}",
        reason(&comparer)
    );
}

/// A program whose behavior is undefined determines nothing.
#[test]
fn undefined_behavior_of_the_input_is_no_difference() {
    let undefined = replaced(BRANCH, "%cond = OpFOrdLessThan %bool %x %zero", "%cond = OpUndef %bool");
    let comparer = compared(&[&undefined, BRANCH]);
    assert_eq!(names(&comparer), ["input", "undefined"]);
    // Only the second program depends on an undefined value.
    let comparer = compared(&[BRANCH, &undefined]);
    assert_eq!(names(&comparer), ["input", "differs"]);
}

/// The results are equal as long as undefined bits are zeros.
#[test]
fn a_new_dependence_on_an_undefined_value_is_found() {
    let never = replaced(
        BRANCH,
        "%cond = OpFOrdLessThan %bool %x %zero",
        "%cond = OpFUnordNotEqual %bool %zero %zero",
    );
    let undefined = replaced(BRANCH, "%cond = OpFOrdLessThan %bool %x %zero", "%cond = OpUndef %bool");
    let comparer = compared(&[&never, &undefined]);
    let Verdict::Differs { difference, .. } = &comparer.stages()[1].verdict else {
        panic!("{:?}", names(&comparer))
    };
    assert!(difference.name.contains("depends on an undefined value"), "{difference}");
}

const FUNCTION: &str =
    "func @0(%0: b32, %1: b32) -> b32 graph {\n^0:\n  %2: b32 = iadd %0, %1\n  return %2\n}\n";

#[test]
fn functions_without_an_entry_point_are_called() {
    let swapped = replaced(FUNCTION, "iadd %0, %1", "iadd %1, %0");
    let wrong = replaced(FUNCTION, "iadd", "isub");
    let comparer = compared(&[FUNCTION, &swapped, &wrong]);
    assert_eq!(names(&comparer), ["input", "same", "differs"]);
    let finding = comparer.finding().expect("a finding");
    assert!(finding.difference.name.starts_with("buffer 7.1[0]"), "{}", finding.difference.name);
    assert!(finding.parting.is_ok(), "{:?}", finding.parting);
    let pointers = "func @0(%0: ptr) graph {\n^0:\n  return\n}\n";
    let comparer = compared(&[pointers, &replaced(pointers, "return", "stop discard")]);
    assert_eq!(names(&comparer), ["input", "inconclusive"]);
}

pub(crate) fn log() -> String {
    let wrong = replaced(SHADER, "OpFAdd %float %y %one", "OpFSub %float %y %one");
    format!(
        "note: x\n; IR before pass wrap\n{SHADER}; IR before pass merge\n{SHADER}; IR before pass merge\n{SHADER}; IR before pass licm\n{SHADER}; IR after last pass\n{wrong}"
    )
}

#[test]
fn a_log_is_compared_pass_by_pass() {
    let dumps = split_log(&log(), Some((1, 0)));
    let comparer = of_dumps(&dumps, Settings::default());
    let found: Vec<_> = comparer.stages().iter().map(|stage| (&*stage.name, stage.verdict.name())).collect();
    let expected = [
        ("input", "input"),
        ("wrap", "unchanged"),
        ("merge", "unchanged"),
        ("merge", "unchanged"),
        ("licm", "differs"),
    ];
    assert_eq!(found, expected);
    let finding = comparer.finding().expect("a finding");
    assert_eq!((finding.stage, finding.confirmed), (4, true));
}

/// A log is cut at every line, and in the middle of some: whatever is left is compared, and the cut program is invalid.
#[test]
fn damaged_logs_are_compared_as_far_as_they_go() {
    let whole = log();
    let settings = Settings { trials: 1, ..Settings::default() };
    let mut invalid = 0;
    for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)).step_by(97) {
        let dumps = split_log(&whole[..end], None);
        let comparer = of_dumps(&dumps, settings.clone());
        invalid += names(&comparer).iter().filter(|name| **name == "invalid").count();
        let later = names(&comparer);
        assert!(
            later.len() < 2 || later[..later.len() - 1].iter().all(|name| *name != "invalid"),
            "{later:?}"
        );
    }
    assert!(invalid > 20, "{invalid}");
    let empty = split_log("; IR before pass a\n; IR before pass a\n; IR after last pass\n", None);
    assert_eq!(names(&of_dumps(&empty, settings)), ["invalid", "unchanged", "unchanged"]);
}

#[test]
fn one_entry_point_can_be_chosen() {
    let settings = Settings { entry: Some("other".to_owned()), ..Settings::default() };
    let comparer = compared_with(&[SHADER, &replaced(SHADER, "OpFAdd", "OpFSub")], settings);
    assert_eq!(names(&comparer), ["input", "inconclusive"]);
    assert!(comparer.trials().is_empty());
}

//! `vitrine report`: a finding as Markdown, with a reduced program that shows it again.

use std::path::PathBuf;
use std::process::Command;

/// Exit code, standard output and standard error of the command.
fn vitrine(args: &[&str]) -> (i32, String, String) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).current_dir(root).output();
    let output = output.expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("the process exits normally"), text(&output.stdout), text(&output.stderr))
}

fn path(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

/// Products of large integers, which floats do not represent.
const LARGE: &str = "\
func @mix_0(%a_0: b32, %b_1: b32) -> b32 tree {
^0:
  %c_2: b32 = const 30001
  %unused_3: b32 = isub %a_0, %c_2
  %d_4: b32 = iadd %a_0, %c_2
  %e_5: b32 = imul %d_4, %d_4
  %f_6: b32 = ixor %e_5, %b_1
  %g_7: b32 = iand %unused_3, %b_1
  %h_8: b32 = iadd %g_7, %f_6
  return %h_8
}
";

#[test]
fn two_programs_give_a_report_with_everything_that_is_known() {
    let [before, after] = ["", "-wrong"].map(|end| format!("www/examples/hoisted-load{end}.spvasm"));
    let file = path("report.md");
    let command = "spirv-opt --loop-invariant-code-motion";
    let (code, _, errors) = vitrine(&[
        "report",
        &before,
        &after,
        "--command",
        command,
        "--tool",
        "SPIRV-Tools=2023.1",
        "-o",
        &file,
    ]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let report = std::fs::read_to_string(&file).expect("the report");
    for wanted in [
        "# www/examples/hoisted-load.spvasm: the result differs after",
        "total.words[0] (byte 0) is 0x00000003 (3)",
        "```sh\nspirv-opt --loop-invariant-code-motion\n```",
        "the two part at a store",
        "\n-  goto ^1\n",
        "The IR is valid.",
        "* SPIRV-Tools: 2023.1",
        "`vitrine reduce --while command`",
        "OpEntryPoint GLCompute %main",
    ] {
        assert!(report.contains(wanted), "{wanted}\n{report}");
    }
    assert!(report.chars().count() < 60_000);
}

#[test]
fn a_pipeline_gives_a_report_with_a_reduced_program_that_shows_it_again() {
    let (input, pipeline) = (path("large.ir"), "cse, int-to-float{all}, dce");
    std::fs::write(&input, LARGE).expect("a file");
    let (code, report, errors) = vitrine(&["report", &input, "--pipeline", pipeline]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(report.contains("the result differs after `int-to-float{all}`"), "{report}");
    let (_, rest) =
        report.split_once("The smallest program with the same finding").expect("a reduced program");
    let text = rest.split("```").nth(1).expect("a program");
    let small = path("small.ir");
    std::fs::write(&small, text.trim_start()).expect("a file");
    let (code, found, errors) = vitrine(&["check", &small, "--pipeline", pipeline]);
    assert_eq!(code, 1, "{text}\n{found}{errors}");
    assert!(found.contains("`int-to-float{all}`, is the first wrong one"), "{found}{errors}");
}

#[test]
fn no_report_is_written_if_nothing_differs() {
    let (code, report, errors) = vitrine(&["report", "www/examples/loop.ir", "--pipeline", "ingest, O1"]);
    assert_eq!((code, report.as_str()), (2, ""));
    assert!(errors.contains("nothing differs"), "{errors}");
    let (code, _, errors) = vitrine(&["report", "www/examples/loop.ir", "--pipeline", "O1", "--tool", "dxc"]);
    assert_eq!(code, 2);
    assert!(errors.contains("write NAME=VERSION"), "{errors}");
}

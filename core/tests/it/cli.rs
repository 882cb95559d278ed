//! `vitrine check`, `vitrine reduce` and `vitrine bisect` as commands: their output and exit codes.
//!
//! The incorrect pass of these tests makes a dispatch loop around a barrier, so that the invocations do not reconverge.

use std::path::{Path, PathBuf};
use std::process::Command;
use vitrine_core::share::SharedState;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Exit code, standard output, standard error.
fn vitrine(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).current_dir(root()).output();
    let output = output.expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("the process exits normally"), text(&output.stdout), text(&output.stderr))
}

/// The path of a temporary file of this test.
fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    folder.join(name).display().to_string()
}

#[test]
fn correct_passes_exit_with_success() {
    let (code, out, _) = vitrine(&["check", "www/examples/loop.ir", "--pipeline", "ingest, O1"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the results are the same") && out.contains("same       "), "{out}");
    let (code, out, _) =
        vitrine(&["check", "www/examples/loop.ir", "--pipeline", "structurize", "--runs", "2"]);
    assert_eq!(code, 0);
    assert!(out.contains("2 of 2 trials, 0 runs: no pass changed anything"), "{out}");
}

/// Inputs are changed by their names; a wrong name is an error of use, with the nearest one.
#[test]
fn inputs_are_set_by_name() {
    let exec = |set: &str| vitrine(&["exec", "www/examples/particles.spvasm", "--seed", "2", "--set", set]);
    let (code, one, _) = exec("scene.step = 0.5");
    assert_eq!(code, 0, "{one}");
    let (_, two, _) = exec("step = 0.25");
    let (_, same, _) = exec("step = 0x3f000000");
    assert_ne!(one, two);
    assert_eq!(one, same, "a member of the only block, by its bits");
    let (code, _, why) = exec("scene.stop = 1");
    assert!(code == 2 && why.contains("there is no member `stop`; did you mean `step`?"), "{code} {why}");
}

/// A case with inputs and results by name: registers of a Direct3D 9 program.
#[test]
fn a_case_by_name_is_run_and_compared() {
    let program = "ps_3_0\ndcl_texcoord v0.xy\nmov r0, v0.xyxy\nrep i0\n  add r0, r0, c1\nendrep\nif b0\n  add r0, r0, c1\nendif\nmov oC0, r0\n";
    let asm = file("by-name.asm");
    std::fs::write(&asm, program).expect("the program can be written");
    let word = |value: f32| format!("{:#010x}", value.to_bits());
    let results: Vec<_> = (0..8u8)
        .map(|invocation| [f32::from(invocation % 4) + 0.5, f32::from(invocation / 4) + 0.5])
        .map(|[x, y]| [word(x + 4.0), word(y + 8.0), word(x), word(y + 2.0)])
        .collect();
    let exec = |trips: i32| {
        let case = serde_json::json!({
            "module": "by-name.asm", "kind": "d3dbc", "profile": "ps_3_0", "agreed_by": ["hand"],
            "runs": [{
                "inputs": { "v0": { "type": "f32", "components": "xy", "plane": [[0, 1, 0], [0, 0, 1]] } },
                "constants": { "c1": [1, 2, 0, 0.5], "i0": [trips, 0, 0, 0], "b0": 1 },
                "expect": { "outputs": { "oC0": { "type": "f32", "components": "xyzw", "values": results } } },
            }],
        });
        let json = file(&format!("by-name-{trips}.json"));
        std::fs::write(&json, case.to_string()).expect("the case can be written");
        let (code, out, errors) = vitrine(&["exec", &asm, "--case", &json]);
        let value: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{errors}"));
        (code, value)
    };
    let (code, value) = exec(3);
    assert_eq!((code, &value["pass"], &value["checked"]), (0, &true.into(), &2.into()), "{value:#}");
    assert_eq!(value["runs"][0]["invocations"], 8);
    let (code, value) = exec(2);
    assert_eq!((code, &value["pass"]), (1, &false.into()));
    assert_eq!(value["wrong"][0], "run 0: oC0.x of invocation 0 is 3.5 (0x40600000), not 4.5 (0x40900000)");
}

/// Expected numbers of buffers: decimals stand for the nearest value of the type, integers are exact, matrices have
/// columns, and a buffer that the shader does not use keeps its bytes.
#[test]
fn buffers_of_a_case_are_compared_by_type() {
    let program = "module capability \"Shader\"\n\nstruct #0 {block} {\n  m: mat<f32x3 * 2 step 16> {offset 0}\n  f: f32 {offset 32}\n  \
                   l: i64 {offset 40}\n}\n\nstorage $0: #0 {set 0, binding 0}\nstorage $1: #0 {set 0, binding 1}\n\nentry \
                   compute \"main\" @0 ($0, $1) {local_size 1 1 1}\n\nfunc @0() tree {\n^0:\n  %0: path = deref.var \
                   $0\n  %1: path = deref.field %0.1\n  %2: b32 = const 0.1\n  store %1, %2\n  return\n}\n";
    let module = file("buffers.ir");
    std::fs::write(&module, program).expect("the program can be written");
    let mut bytes = Vec::new();
    for value in [1.0f32, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(9_007_199_254_740_993i64.to_le_bytes());
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let exec = |name: &str, expect: serde_json::Value| {
        let buffer = |binding: u32| serde_json::json!({ "kind": "storage", "set": 0, "binding": binding, "bytes": hex });
        let case = serde_json::json!({
            "stage": "comp", "groups": [1, 1, 1], "inputs": [buffer(0), buffer(1)], "expect": [expect],
        });
        let json = file(name);
        std::fs::write(&json, case.to_string()).expect("the case can be written");
        let (code, out, errors) = vitrine(&["exec", &module, "--case", &json]);
        assert!(!out.is_empty(), "{errors}");
        code
    };
    let expect = |binding: u32, offset: u32, kind: &str, values: serde_json::Value| {
        serde_json::json!({
            "kind": "buffer", "set": 0, "binding": binding, "offset": offset, "stride": 32, "type": kind, "values": values,
        })
    };
    assert_eq!(exec("decimal.json", expect(0, 32, "float", serde_json::json!([0.1]))), 0);
    assert_eq!(exec("off.json", expect(0, 32, "float", serde_json::json!([0.100_001]))), 1);
    assert_eq!(exec("exact.json", expect(0, 40, "int64", serde_json::json!([9_007_199_254_740_993i64]))), 0);
    assert_eq!(exec("near.json", expect(0, 40, "int64", serde_json::json!([9_007_199_254_740_992i64]))), 1);
    let columns = || serde_json::json!([1, 2, 3, 4, 5, 6]);
    assert_eq!(exec("matrix.json", expect(0, 0, "mat2x3<float>", columns())), 0);
    assert_eq!(exec("unused.json", expect(1, 0, "mat2x3<float>[]", columns())), 0);
    assert_eq!(exec("vectors.json", expect(1, 0, "vec3<float>", columns())), 1);
}

/// A function without an entry point is called with arguments by name.
#[test]
fn a_function_is_called_with_arguments() {
    let call = |name: &str, set: &str| {
        vitrine(&["exec", "www/examples/switch.ir", "--function", name, "--set", set])
    };
    let (code, one, why) = call("color_0", "index = 1");
    assert!(code == 0 && one.contains("\"result\"") && !one.contains("null"), "{one}{why}");
    let (_, two, _) = call("color_1", "index = 1");
    let results = |out: &str| out.split("\"result\"").nth(1).map(str::to_owned);
    assert_eq!(results(&one), results(&two), "the same function as a tree and as a graph");
    let (code, _, why) = call("colour", "index = 1");
    assert!(code == 2 && why.contains("there are color_0, color_1"), "{code} {why}");
    let (code, _, why) = vitrine(&["exec", "www/examples/switch.ir"]);
    assert!(code == 2 && why.contains("--function"), "{code} {why}");
}

#[test]
fn the_table_is_available_as_json() {
    let args =
        ["check", "www/examples/particles.spvasm", "--pipeline", "structurize, cse, dce", "--runs", "3"];
    let (code, out, _) = vitrine(&[&args[..], &["--json"]].concat());
    assert_eq!(code, 0);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["same"], true);
    assert_eq!(value["steps"].as_array().map(Vec::len), Some(3));
    assert_eq!(value["steps"][0]["verdict"], "same");
    assert_eq!((&value["trials"], &value["inconclusive"]), (&3.into(), &serde_json::json!([])));
}

/// A program that cannot be run: a pointer cannot be generated.
fn pointer_function(test: &str) -> String {
    let file = file(&format!("pointer-{test}.ir"));
    let text = "func @0(%0: b32, %1: ptr) graph {\n^0:\n  %2: b1 = ieq %0, %0\n  branch %2, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
    std::fs::write(&file, text).expect("a file");
    file
}

/// An inconclusive check is not a success.
#[test]
fn an_inconclusive_check_exits_with_an_error() {
    let (code, out, _) = vitrine(&["check", &pointer_function("check"), "--pipeline", "structurize"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("no entry point can be run: the results cannot be compared"), "{out}");
    // Functions of numbers are called.
    let (code, out, _) = vitrine(&["check", "www/examples/switch.ir", "--pipeline", "structurize"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the results are the same"), "{out}");
}

#[test]
fn a_pass_that_fails_is_named() {
    let (code, out, _) = vitrine(&["check", "www/examples/irreducible.ir", "--pipeline", "dce, lower-exits"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("step 2, `lower-exits`, is the first wrong one: it fails: error["), "{out}");
}

#[test]
fn a_link_of_the_page_is_an_input_with_its_pipeline() {
    let state = SharedState {
        input: std::fs::read(root().join("www/examples/loop.ir")).expect("the example"),
        pipeline: "structurize, dce".to_owned(),
        ..SharedState::default()
    };
    let path = file("link.txt");
    std::fs::write(&path, format!("https://example.org/vitrine/#{}\n", state.link())).expect("a file");
    let (code, linked, err) = vitrine(&["show", &path]);
    assert_eq!(code, 0, "{err}");
    let (_, direct, _) = vitrine(&["show", "www/examples/loop.ir", "--pipeline", "structurize, dce"]);
    assert_eq!(linked, direct);
    std::fs::write(&path, "https://example.org/vitrine/#1mnothing").expect("a file");
    let (code, _, err) = vitrine(&["show", &path]);
    assert!(code == 1 && err.contains("this link is damaged"), "{code} {err}");
}

#[test]
fn an_empty_file_and_an_unsupported_extension_are_called_by_their_names() {
    let path = file("empty.spv");
    std::fs::write(&path, "").expect("a file");
    let (code, _, err) = vitrine(&["show", &path]);
    assert!(code == 1 && err.contains("the file is empty"), "{code} {err}");
    let path = file("function-pointers.spvasm");
    let text = "OpCapability Shader\nOpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\"\n\
                OpMemoryModel Logical GLSL450\n%uint = OpTypeInt 32 0\n\
                %ptr = OpTypePointer Private %uint\n%f = OpConstantFunctionPointerINTEL %ptr %uint\n";
    std::fs::write(&path, text).expect("a file");
    let (code, _, err) = vitrine(&["show", &path]);
    assert!(code == 1 && err.contains("SPV_INTEL_function_pointers is not supported"), "{code} {err}");
}

#[test]
fn chosen_versions_stand_side_by_side() {
    let args = ["show", "www/examples/loop.ir", "--pipeline", "ingest, O1", "--emit", "columns", "--steps"];
    let (code, out, err) = vitrine(&[&args[..], &["0,1"]].concat());
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.matches("<th>").count(), 2);
    assert!(out.contains("<th>input</th><th>structurize{imported}</th>"), "{out}");
    let as_svg = ["show", "www/examples/loop.ir", "--pipeline", "ingest, O1", "--emit", "columns-svg"];
    let (code, out, err) = vitrine(&[&as_svg[..], &["--steps", "0,1"]].concat());
    assert!(
        code == 0 && out.starts_with("<svg") && out.matches("class=\"head\"").count() == 2,
        "{out} {err}"
    );
    let (code, _, err) = vitrine(&[&args[..], &["0,99"]].concat());
    assert!(code == 2 && err.contains("--steps 99: the pipeline ran"), "{err}");
}

#[test]
fn wrong_usage_is_reported() {
    for (args, message) in [
        (&["check", "www/examples/loop.ir"][..], "use --pipeline"),
        (&["check", "www/examples/loop.ir", "--pipeline", "dce", "--entry", "moon"], "no entry point `moon`"),
        (&["check", "www/examples/loop.ir", "--pipeline", "moon"], "no pass `moon`"),
        (
            &["check", "www/examples/loop.ir", "--pipeline", "dce", "--case", "a", "--seed", "1"],
            "cannot be used",
        ),
        (&["reduce", "www/examples/loop.ir", "--pipeline", "dce", "-o", "a.png"], "use the extension .ir"),
        (
            &["reduce", "www/examples/loop.ir", "--pipeline", "O1", "-o", "a.ir"],
            "no trial shows a difference",
        ),
        (
            &["reduce", "www/examples/loop.ir", "--pipeline", "O1", "--while", "panics", "-o", "a.ir"],
            "nothing panics",
        ),
        (&["reduce", "www/examples/loop.ir", "--while", "command", "-o", "a.ir"], "--command"),
    ] {
        let (code, _, err) = vitrine(args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(message), "{args:?}: {err}");
    }
}

#[test]
fn a_failing_program_is_reduced() {
    let small = file("fails.ir");
    let args =
        ["reduce", "www/examples/irreducible.ir", "--pipeline", "dce, lower-exits", "--while", "fails"];
    let (code, _, err) = vitrine(&[&args[..], &["-o", &small]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("`lower-exits` fails") && err.contains("reproduce with: vitrine check"), "{err}");
    let text = std::fs::read_to_string(&small).expect("the result");
    assert!(text.contains("graph") && text.lines().count() < 8, "{text}");
    let (code, out, _) = vitrine(&["check", &small, "--pipeline", "dce, lower-exits"]);
    assert_eq!(code, 1, "{out}");
}

/// A command that searches for a word in a file of either format.
#[test]
fn a_command_decides_which_parts_are_kept() {
    for (form, small, word) in [("ir", "reduced.ir", "fadd"), ("spvasm", "reduced.spvasm", "OpFAdd")] {
        let (small, command) = (file(small), format!("grep -q {word}"));
        let args = ["reduce", "www/examples/loop.ir", "--while", "command", "--form", form];
        let (code, _, err) = vitrine(&[&args[..], &["--command", &command, "-o", &small]].concat());
        assert_eq!(code, 0, "{err}");
        let text = std::fs::read_to_string(&small).expect("the result");
        assert!(text.contains(word) && !text.contains("OpLoopMerge") && !text.contains("loop"), "{text}");
        assert!(err.contains(&format!("reproduce with: {command} {small}")), "{err}");
    }
}

/// From the difference to the command that reproduces it.
#[test]
fn a_difference_is_found_and_reduced() {
    let name = "www/examples/barrier.spvasm";
    let pipeline = ["--pipeline", "dce, structurize{switch-loop}, dce"];
    let (code, out, _) = vitrine(&[&["check", name][..], &pipeline].concat());
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("`structurize{switch-loop}`, is the first wrong one: "), "{out}");
    let small = file("differs.ir");
    let (code, _, err) = vitrine(&[&["reduce", name, "-o", &small][..], &pipeline].concat());
    assert_eq!(code, 0, "{err}");
    let again = err
        .lines()
        .find_map(|line| line.split_once("--seed "))
        .expect("a command that reproduces the difference")
        .1;
    let seed = again.split_whitespace().next().expect("a seed");
    let (code, out, _) =
        vitrine(&[&["check", &small, "--seed", seed, "--runs", "1"][..], &pipeline].concat());
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("`structurize{switch-loop}`, is the first wrong one: "), "{out}");
}

/// `bisect` checks the last version first, and stops if it is correct.
#[test]
fn bisect_reports_that_the_last_version_is_correct() {
    let (code, out, _) = vitrine(&["bisect", "www/examples/particles.spvasm", "--pipeline", "ingest, O1"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains(": same\n") && out.contains("the last version has the same results"), "{out}");
}

#[test]
fn bisect_names_the_pass_that_fails_and_the_one_that_differs() {
    let args = ["bisect", "www/examples/irreducible.ir", "--pipeline", "dce, lower-exits", "--json"];
    let (code, out, _) = vitrine(&args);
    assert_eq!(code, 1, "{out}");
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["found"]["pass"], "lower-exits");
    assert_eq!(value["found"]["rewrite"], serde_json::Value::Null);
    // The dispatch loop keeps invocations from reconverging at the barrier.
    let args = ["bisect", "www/examples/barrier.spvasm", "--pipeline", "dce, structurize{switch-loop}, dce"];
    let (code, out, _) = vitrine(&args);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("`structurize{switch-loop}`, rewrite 1 of 1, is the first wrong one"), "{out}");
}

/// A program that cannot run makes the bisection inconclusive.
#[test]
fn an_inconclusive_bisection_is_reported() {
    let (code, out, _) = vitrine(&["bisect", &pointer_function("bisect"), "--pipeline", "structurize"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("the results cannot be compared"), "{out}");
}

/// A vertex and a fragment shader of one program are drawn as a pair, into a picture, too.
#[test]
fn a_vertex_and_a_fragment_shader_are_drawn_as_a_pair() {
    let text = "in $0: u32 {builtin vertex_index}\nout $1: f32x4 {builtin position}\nout $2: f32x4 {location 0}\n\
        in $3: f32x4 {location 0}\nout $4: f32x4 {location 0}\n\nentry vertex \"vs\" @0 ($0, $1, $2)\n\
        entry fragment \"fs\" @1 ($3, $4) {origin_upper_left}\n\nfunc @0() tree {\n^0:\n  %0: path = deref.var $0\n  \
        %1: b32 = load %0\n  %2: b32 = u2f %1\n  %3: b32 = const 2.0\n  %4: b32 = fmul %2, %3\n  \
        %5: b32 = const 1.0\n  %6: b32 = fsub %4, %5\n  %7: b32 = fmul %2, %2\n  %8: b32 = fsub %7, %5\n  \
        %9: b32 = const 0.5\n  %10: b32x4 = vec %6, %8, %9, %5\n  %11: path = deref.var $1\n  \
        %12 = store %11, %10\n  %13: path = deref.var $2\n  %14: b32x4 = vec %9, %9, %9, %5\n  \
        %15 = store %13, %14\n  return\n}\n\nfunc @1() tree {\n^0:\n  %0: path = deref.var $3\n  \
        %1: b32x4 = load %0\n  %2: path = deref.var $4\n  %3 = store %2, %1\n  return\n}\n";
    let (program, picture) = (file("pair.ir"), file("pair.png"));
    std::fs::write(&program, text).expect("the program can be written");
    // The corners are (-1, -1), (1, 0) and (3, 3).
    let (code, out, errors) = vitrine(&["exec", &program, "--link"]);
    assert_eq!(code, 0, "{errors}");
    let drawn: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let covered = drawn["covered"][0].as_u64().expect("a number");
    assert!(covered > 8, "{covered} pixels");
    assert_eq!(drawn["fragments"]["invocations"], covered);
    assert_eq!(drawn["fragments"]["outcomes"][0]["outputs"]["location 0 component 0"], "0x3f000000");
    let arguments = ["exec", &program, "--link", &program, "--image", &picture, "--size", "8"];
    let (code, _, errors) = vitrine(&arguments);
    assert_eq!(code, 0, "{errors}");
    assert!(std::fs::read(&picture).expect("a picture").starts_with(b"\x89PNG"));
    // A fragment shader alone is no pair.
    let (code, _, why) = vitrine(&["exec", "www/examples/texture.spvasm", "--link"]);
    assert!(code == 2 && why.contains("there is no vertex shader"), "{code} {why}");
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let (_, help, _) = vitrine(&["--help"]);
    let list =
        help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = list.lines().filter(is_name).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let commands = commands();
    assert!(commands.len() > 15 && commands.iter().any(|name| name == "compare"), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, why) = vitrine(&["completions", shell]);
        assert_eq!(code, 0, "{why}");
        let missing: Vec<_> = commands.iter().filter(|name| !script.contains(name.as_str())).collect();
        assert!(missing.is_empty() && script.contains("pipeline"), "{shell}: {missing:?}");
    }
    assert_eq!(vitrine(&["completions", "cmd"]).0, 2);
    let folder = file("man");
    let (code, _, why) = vitrine(&["man", &folder]);
    assert_eq!(code, 0, "{why}");
    for name in &commands {
        let page = Path::new(&folder).join(format!("vitrine-{name}.1"));
        let text =
            std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(text.contains(".SH SYNOPSIS"), "{name}");
    }
    let page = std::fs::read_to_string(Path::new(&folder).join("vitrine-check.1")).expect("a page");
    assert!(page.contains("pipeline") && page.contains("Run every version of a program"), "{page}");
    // A file in the place of the folder.
    let (code, _, why) = vitrine(&["man", "README.md"]);
    assert!(code == 2 && why.contains("README.md: "), "{code} {why}");
}

//! `vitrine report`: a finding as Markdown, with a reduced program that shows it again.

use crate::testing::corpus::of_sets;
use std::path::PathBuf;
use std::process::Command;
use vitrine_core::front::{self, InputKind};
use vitrine_core::ir::Module;
use vitrine_core::lab::compare::{Comparer, Dump, Settings, unpack};
use vitrine_core::report::{Anonymizer, MOST_CHARS, binary_of, program_of};
use vitrine_core::share::{Repro, SharedState};
use vitrine_core::view_model::report::{Programs, Report, Request, report};

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
        "```sh\nspirv-opt --loop-invariant-code-motion\nvitrine compare finding.repro --seed 0 --trials 8",
        "the two part at a store",
        "\n-  goto ^1\n",
        "The IR is valid.",
        "* SPIRV-Tools: 2023.1",
        "`vitrine reduce --while command`",
        "OpEntryPoint GLCompute %main",
    ] {
        assert!(report.contains(wanted), "{wanted}\n{report}");
    }
    assert!(report.chars().count() < MOST_CHARS);
}

/// The two examples of which the second one is wrong.
fn of_examples_request(is_anonymous: bool) -> Request {
    let dump = |end: &str| {
        let name = format!("hoisted-load{end}.spvasm");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../www/examples").join(&name);
        Dump { name, bytes: std::fs::read(path).expect("an example") }
    };
    Request {
        name: "hoisted-load.spvasm".to_owned(),
        programs: Programs::Several { dumps: vec![dump(""), dump("-wrong")], are_passes: false },
        settings: Settings::default(),
        is_anonymous,
        is_whole: false,
        address: "https://example.org/".to_owned(),
        commands: Vec::new(),
        environment: Vec::new(),
        gpu: None,
    }
}

fn of_examples(is_anonymous: bool) -> Report {
    report(&of_examples_request(is_anonymous), &mut |_, _| None).expect("a finding")
}

/// Writes the files of a report, and returns their paths by name.
fn written(report: &Report, folder: &str) -> impl Fn(&str) -> String {
    let folder = PathBuf::from(path(folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in &report.files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    move |name| folder.join(name).display().to_string()
}

#[test]
fn the_case_and_the_reproduction_of_a_report_show_the_finding_again() {
    for (is_anonymous, folder) in [(false, "named"), (true, "anonymous")] {
        let made = of_examples(is_anonymous);
        let file = written(&made, folder);
        let extension = if is_anonymous { "spv" } else { "spvasm" };
        for (name, wanted) in [("before", 0), ("after", 1)] {
            let program = file(&format!("{name}.{extension}"));
            let (code, out, errors) = vitrine(&["exec", &program, "--case", &file("case.json")]);
            assert_eq!(code, wanted, "{name}: {out}{errors}");
        }
        let (code, out, errors) = vitrine(&["compare", &file("finding.repro")]);
        assert_eq!((code, out.contains("total.words[0]")), (1, !is_anonymous), "{out}{errors}");
        for (name, bytes) in &made.files {
            let has_names = String::from_utf8_lossy(bytes).contains("total");
            assert_eq!(
                has_names,
                !is_anonymous
                    && ["report.md", "input.spvasm", "before.spvasm", "after.spvasm", "finding.amber"]
                        .contains(&&**name),
                "{name}"
            );
        }
    }
}

/// The programs of an Amber script as `spirv-as` reads them: version and text.
fn shaders(script: &str) -> Vec<(&str, &str)> {
    let parts = script.split("SPIRV-ASM TARGET_ENV spv").skip(1);
    parts.filter_map(|part| part.split_once("\nEND\n")?.0.split_once('\n')).collect()
}

#[test]
fn an_amber_script_has_both_programs_their_inputs_and_the_results_of_the_original() {
    let script = of_examples(false).amber.expect("a script");
    assert!(script.starts_with("#!amber\n# hoisted-load.spvasm: the result differs after"), "{script}");
    for name in ["before", "after"] {
        for wanted in [
            format!("SHADER compute {name}_shader SPIRV-ASM TARGET_ENV spv1."),
            format!("PIPELINE compute {name}\n  ATTACH {name}_shader ENTRY_POINT main\n"),
            format!("BUFFER {name}_0_0 DATA_TYPE uint32 DATA\n  0x"),
            format!("BIND BUFFER {name}_0_0 AS storage DESCRIPTOR_SET 0 BINDING 0\n"),
            format!("\nRUN {name} 2 1 1\nEXPECT {name}_0_0 IDX 0 EQ 0x"),
        ] {
            assert!(script.contains(&wanted), "{wanted}\n{script}");
        }
    }
    assert_eq!(shaders(&script).len(), 2);
    if Command::new("spirv-as").arg("--version").output().is_err() {
        return crate::testing::skipped::skipped(1, "spirv-as is not installed");
    }
    for (at, (version, text)) in shaders(&script).into_iter().enumerate() {
        let [source, binary] = ["spvasm", "spv"].map(|extension| path(&format!("amber-{at}.{extension}")));
        std::fs::write(&source, text).expect("a file");
        let environment = format!("spv{version}");
        let run =
            Command::new("spirv-as").args(["--target-env", &environment, &source, "-o", &binary]).output();
        let run = run.expect("spirv-as runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let run = Command::new("spirv-val").args(["--target-env", &environment, &binary]).output();
        let run = run.expect("spirv-val runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

/// A fragment shader whose color depends on the position of the pixel.
const RAMP: &str = "\
in $0: f32x4 {builtin frag_coord}
out $1: f32x4 {location 0}

entry fragment \"main\" @0 ($0, $1) {origin_upper_left}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32x4 = load %0
  %2: b32 = swizzle %1.x
  %3: b32 = const 0.125
  %4: b32 = fmul %2, %3
  %5: b32 = const 1.0
  %6: b32x4 = vec %4, %3, %5, %5
  %7: path = deref.var $1
  %8 = store %7, %6
  return
}
";

#[test]
fn an_amber_script_of_a_fragment_shader_compares_pixels_if_they_show_the_difference() {
    let script = |after: String| {
        let dumps = [("ramp.ir", RAMP.to_owned()), ("after.ir", after)];
        let dumps = dumps.map(|(name, text)| Dump { name: name.to_owned(), bytes: text.into_bytes() });
        let programs = Programs::Several { dumps: dumps.to_vec(), are_passes: false };
        let request = Request { name: "ramp.ir".to_owned(), programs, ..of_examples_request(false) };
        report(&request, &mut |_, _| None).expect("a finding").amber
    };
    let seen = script(RAMP.replace("fmul", "fadd")).expect("a script");
    for wanted in [
        "SHADER vertex before_vertex PASSTHROUGH\nBUFFER before_frame FORMAT B8G8R8A8_UNORM\n",
        "  FRAMEBUFFER_SIZE 8 8\n  BIND BUFFER after_frame AS color LOCATION 0\n",
        "RUN before DRAW_RECT POS 0 0 SIZE 8 8\nEXPECT before_frame IDX 0 0 SIZE 1 1 EQ_RGBA 16 32 255 255\n",
        "EXPECT after_frame IDX 7 7 SIZE 1 1 EQ_RGBA 239 32 255 255\n",
    ] {
        assert!(seen.contains(wanted), "{wanted}\n{seen}");
    }
    assert_eq!(seen.matches("EXPECT").count(), 128);
    let why = script(RAMP.replace("0.125", "0.12500001")).expect_err("a refusal");
    assert!(why.contains("pixels of a frame of 8 bits are equal"), "{why}");
}

#[test]
fn the_command_writes_an_archive_a_script_and_the_address_of_an_issue_form() {
    let [before, after] = ["", "-wrong"].map(|end| format!("www/examples/hoisted-load{end}.spvasm"));
    let [report, zip, amber] = ["r.md", "r.zip", "r.amber"].map(path);
    let files = ["-o", &report, "--zip", &zip, "--amber", &amber];
    let options = ["--site", "https://example.org", "--tracker", "spirv-tools"];
    let (code, out, errors) = vitrine(&[&["report", &before, &after][..], &files, &options].concat());
    assert_eq!((code, errors.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].contains("the result differs after"), "{out}");
    assert!(lines[2].starts_with("https://github.com/KhronosGroup/SPIRV-Tools/issues/new?title="), "{out}");
    assert!(lines[2].len() <= 8_000 && lines.len() == 3, "{out}");
    let written = std::fs::read_to_string(&report).expect("the report");
    let pinned = format!("(https://example.org/v/{}/#1s", env!("CARGO_PKG_VERSION"));
    assert!(written.contains(&pinned), "{written}");
    assert!(std::fs::read_to_string(&amber).expect("the script").starts_with("#!amber\n"));
    let programs = unpack(&std::fs::read(&zip).expect("the archive"), 1 << 20).expect("a good archive");
    let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names, ["after.spvasm", "before.spvasm", "input.spvasm"]);
    let (code, _, errors) = vitrine(&["report", &before, &after, "--tracker", "moon"]);
    assert!(code == 2 && errors.contains("--tracker moon: name one of SPIRV-Tools, "), "{errors}");
}

#[test]
fn a_script_that_cannot_express_the_finding_is_refused_by_name() {
    let input = path("varying.ir");
    let text = LARGE
        .replace("func @mix_0(%a_0: b32, %b_1: b32) -> b32 tree {\n^0:\n", VARYING)
        .replace("  return %h_8\n", "  %o_9: path = deref.var $o_1\n  %10 = store %o_9, %h_8\n  return\n");
    std::fs::write(&input, text).expect("a file");
    let pipeline = "cse, int-to-float{all}, dce";
    let amber = path("varying.amber");
    let (code, out, errors) = vitrine(&["report", &input, "--pipeline", pipeline, "--amber", &amber]);
    assert_eq!((code, out.as_str()), (2, ""), "{errors}");
    assert!(
        errors.contains("cannot express the input at location 0, which an earlier stage computes"),
        "{errors}"
    );
}

/// The beginning of a fragment shader with two integer inputs, in place of the head of [`LARGE`].
const VARYING: &str = "\
in $a_0: u32x2 {location 0, interp flat}
out $o_1: u32 {location 0}

entry fragment \"main\" @mix_0 ($a_0, $o_1) {origin_upper_left}

func @mix_0() tree {
^0:
  %p_11: path = deref.var $a_0
  %v_12: b32x2 = load %p_11
  %a_0: b32 = swizzle %v_12.x
  %b_1: b32 = swizzle %v_12.y
";

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
fn a_reproduction_is_reported_with_its_own_pipeline_and_inputs() {
    let state = SharedState {
        input: LARGE.as_bytes().to_vec(),
        name: "large.ir".to_owned(),
        pipeline: "cse, int-to-float{all}, dce".to_owned(),
        trials: Some([5, 4]),
        ..SharedState::default()
    };
    let file = path("large.repro");
    std::fs::write(&file, Repro::of(state.clone(), Vec::new()).text()).expect("a file");
    for given in [file, format!("#{}", state.link())] {
        let (code, report, errors) = vitrine(&["report", &given, "--whole"]);
        assert_eq!((code, errors.as_str()), (0, ""));
        assert!(report.starts_with("# large.ir: the result differs after `int-to-float{all}`"), "{report}");
        assert!(report.contains("--seed 5 --runs 4\n"), "{report}");
    }
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

/// Returns true if a part of a module that the IR names has a name.
fn has_names(module: &Module) -> bool {
    module.vars().any(|(_, var)| var.name.is_some())
        || module.globals().any(|(_, global)| global.name.is_some())
        || module.funcs().any(|(_, func)| func.name().is_some())
        || module
            .structs()
            .any(|(_, data)| data.name.is_some() || data.members.iter().any(|member| member.name.is_some()))
}

#[test]
fn programs_without_names_are_valid_and_do_the_same() {
    let mut named = 0;
    for item in of_sets(&["teaching"]) {
        let (_, read) = front::read(&item.bytes());
        if !read.is_sound() {
            continue;
        }
        named += usize::from(has_names(&read.module));
        let anonymous = Anonymizer::default().apply(&read.module);
        let bytes = binary_of(&anonymous).unwrap_or_else(|| program_of(&anonymous).text.into_bytes());
        let (_, again) = front::read(&bytes);
        assert!(again.is_sound(), "{}: {:?}", item.file, again.diags);
        assert!(!has_names(&again.module), "{}", item.file);
        let entries = again.module.entries.iter().map(|entry| again.module.text_of(entry.name));
        assert!(entries.clone().all(|name| name.starts_with("main")), "{}", item.file);
        let modules = [("named", &read.module), ("anonymous", &again.module)];
        let modules = modules.map(|(name, module)| (name.to_owned(), Ok(module.clone())));
        let settings = Settings { trials: 2, ..Settings::default() };
        let mut comparer = Comparer::of_modules(modules.to_vec(), InputKind::Ir, settings);
        while comparer.step() {}
        let verdict = &comparer.stages()[1].verdict;
        assert!(!verdict.is_wrong(), "{}: {verdict}", item.file);
    }
    assert!(named > 3, "{named}");
}

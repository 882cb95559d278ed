//! `vitrine compare`: files, folders, archives, logs and pipelines; output and exit codes.

use super::{SHADER, log, replaced};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Exit code, standard output and standard error of the command, with this standard input.
fn vitrine(args: &[&str], input: &str) -> (i32, String, String) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_vitrine"));
    command.arg("compare").args(args).current_dir(root);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the command runs");
    // A command that fails early does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("the process exits normally"), text(&output.stdout), text(&output.stderr))
}

/// A new folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("compare-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn wrong() -> String {
    replaced(SHADER, "OpFAdd %float %y %one", "OpFSub %float %y %one")
}

#[test]
fn files_are_compared_with_the_first() {
    let folder = folder("files");
    let file = |name: &str, text: &str| {
        let path = folder.join(name).display().to_string();
        std::fs::write(&path, text).expect("a file");
        path
    };
    let [one, two, bad] =
        [("1.spvasm", SHADER.to_owned()), ("2.spvasm", wrong()), ("3.spvasm", "OpNop x".to_owned())]
            .map(|(name, text)| file(name, &text));
    let (code, out, err) = vitrine(&[&one, &one], "");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("unchanged") && out.contains("1 stage after the first: 1 unchanged"), "{out}");
    let (code, out, _) = vitrine(&[&one, &two], "");
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("the first that differs is stage 1")
            && out.contains("color.x (location 0 component 0): 0x"),
        "{out}"
    );
    assert!(out.contains("the two part at a store"), "{out}");
    let (code, out, _) = vitrine(&[&one, &one, &bad], "");
    assert!(code == 1 && out.contains("invalid: error["), "{code} {out}");
    let (code, out, _) = vitrine(&[&one, &two, "--json", "--trials", "2", "--seed", "5"], "");
    assert_eq!(code, 1);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["stages"][1]["verdict"], "differs");
    assert_eq!((&value["found"]["stage"], &value["trials"]), (&1.into(), &2.into()));
    assert_eq!(value["found"]["trial"], "main, seed 5");
}

/// Ten comes after two, and other files are ignored.
#[test]
fn the_example_of_a_hoisted_load_differs_at_its_store() {
    let [before, after] = ["", "-wrong"].map(|end| format!("www/examples/hoisted-load{end}.spvasm"));
    let (code, found, errors) = vitrine(&[&before, &after], "");
    assert_eq!((code, errors.as_str()), (1, ""));
    for wanted in ["total.words[0] (byte 0)", "the two part at a store", "1 stage after the first: 1 differs"]
    {
        assert!(found.contains(wanted), "{wanted}\n{found}");
    }
    let (code, found, _) = vitrine(&[&before, "--pipeline", "ingest, O2"], "");
    assert_eq!(code, 0, "{found}");
}

#[test]
fn folders_and_archives_are_read_in_the_order_of_names() {
    let folder = folder("order");
    let archive = folder.join("all.zip");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&archive).expect("an archive"));
    let options = [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated];
    let files = [("10.spvasm", wrong()), ("2.spvasm", SHADER.to_owned()), ("readme.txt", "text".to_owned())];
    for ((name, text), method) in files.iter().zip(options.into_iter().cycle()) {
        std::fs::write(folder.join(name), text).expect("a file");
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(text.as_bytes()).expect("an entry");
    }
    writer.finish().expect("an archive");
    for path in [&folder, &archive] {
        let (code, out, err) = vitrine(&[&path.display().to_string()], "");
        assert_eq!(code, 1, "{out}{err}");
        assert!(out.starts_with("0  2.spvasm   input\n1  10.spvasm  differs"), "{out}");
    }
    let bytes = std::fs::read(&archive).expect("an archive");
    std::fs::write(&archive, &bytes[..bytes.len() / 2]).expect("an archive");
    let (code, _, err) = vitrine(&[&archive.display().to_string()], "");
    assert!(code == 2 && err.contains("all.zip"), "{code} {err}");
}

#[test]
fn a_log_is_read_from_a_file_or_from_standard_input() {
    let (code, out, err) = vitrine(&["--log", "-"], &log());
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("the first that differs is stage 4, `licm`"), "{out}");
    let folder = folder("log");
    let [file, original] = ["log.txt", "original.spvasm"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&file, log().replace("FSub", "FAdd")).expect("a file");
    std::fs::write(&original, SHADER).expect("a file");
    let (code, out, _) = vitrine(&["--log", &file, &original], "");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("original.spvasm") && out.contains("5 unchanged"), "{out}");
}

#[test]
fn pipelines_are_compared_on_one_program() {
    let file = "www/examples/loop.ir";
    let (code, out, err) = vitrine(&[file, "--pipeline", "ingest, O1", "--pipeline", "ingest, O2"], "");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.matches("  same\n").count() == 2, "{out}");
    let barrier = "www/examples/barrier.spvasm";
    let (code, out, _) =
        vitrine(&[barrier, "--pipeline", "dce", "--pipeline", "dce, structurize{switch-loop}"], "");
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("the first that differs is stage 2"), "{out}");
}

/// An inconclusive comparison is reported, and no failure.
#[test]
fn an_inconclusive_comparison_is_reported() {
    let folder = folder("inconclusive");
    let [one, two] = ["1.ir", "2.ir"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&one, "func @0(%0: ptr) graph {\n^0:\n  return\n}\n").expect("a file");
    std::fs::write(&two, "func @0(%0: ptr) graph {\n^0:\n  stop discard\n}\n").expect("a file");
    let (code, out, _) = vitrine(&[&one, &two], "");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("1 inconclusive"), "{out}");
}

#[test]
fn wrong_usage_is_reported() {
    let file = "www/examples/loop.ir";
    for (args, message) in [
        (&[][..], "there is nothing to compare"),
        (&[file], "there is nothing to compare"),
        (&["no-such-file", file], "no-such-file"),
        (&[file, file, "--pipeline", "dce"], "--pipeline takes one file"),
        (&[file, file, "--log", "-"], "--log takes one file"),
        (&["--log", "-"], "the log has no programs"),
        (&[file, "--pipeline", "moon"], "no pass `moon`"),
        (&[file, file, "--entry", "moon"], "there is no entry point `moon`"),
        (&[file, file, "--ulp", "x"], "invalid value"),
    ] {
        let (code, _, err) = vitrine(args, "");
        assert_eq!(code, 2, "{args:?}: {err}");
        assert!(err.contains(message), "{args:?}: {err}");
    }
}

/// The output of a command that succeeds.
fn succeeds(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_vitrine")).args(args).output().expect("the command runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

#[test]
fn a_link_of_a_comparison_is_a_comparison_and_opens_as_its_files() {
    let folder = folder("link");
    let [before, after] =
        ["before.spvasm", "after.spvasm"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&before, SHADER).expect("a file");
    std::fs::write(&after, wrong()).expect("a file");
    let link = succeeds(&["link", &before, &after, "--site", "https://example.org/page/#old"]);
    assert!(link.starts_with("https://example.org/page/#1s"), "{link}");
    let (code, out, err) = vitrine(&[&link], "");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.starts_with("0  before.spvasm  input\n1  after.spvasm   differs"), "{out}");
    let out = folder.join("out").display().to_string();
    let command = succeeds(&["open", &link, "-o", &out]);
    assert!(command.starts_with("vitrine compare '") && command.contains("1-after.spvasm'"), "{command}");
    let written = std::fs::read_to_string(folder.join("out/1-after.spvasm")).expect("a file");
    assert_eq!(written, wrong());
    let single = succeeds(&["link", &before, "--pipeline", "dce"]);
    assert!(single.starts_with("#1m"), "{single}");
    assert!(succeeds(&["open", &single, "-o", &out]).ends_with("before.spvasm' --pipeline \"dce\""));
}

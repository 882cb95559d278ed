//! Programs of shader models 1 to 3 from the large corpus: bytes, words and text, both ways, and the native listings.
//!
//! The corpus is beside the large one, in `../corpus-d3d`, and not in the repository; without it the tests count as skipped.

use crate::testing::corpus;
use crate::testing::skipped::skipped;
use std::fs;
use std::path::{Path, PathBuf};
use vitrine_core::d3d::sm1::{AssembleOptions, PrintOptions, Program, assemble, assemble_with, disassembly};

#[track_caller]
fn folder() -> Option<PathBuf> {
    let folder = corpus::large()?.join("../corpus-d3d");
    if !folder.is_dir() {
        skipped(1, "the corpus of Direct3D is missing");
        return None;
    }
    Some(folder)
}

/// Files of a folder with an extension, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn modules(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = ["d3dbc", "ours/bin", "ours/native"].map(|sub| files(&folder.join(sub), "d3dbc"));
    folders
        .concat()
        .into_iter()
        .map(|path| (path.clone(), fs::read(&path).expect("a readable file")))
        .collect()
}

#[test]
fn bytes_and_text_are_the_same_program() {
    let Some(folder) = folder() else { return };
    let modules = modules(&folder);
    assert!(modules.len() > 272, "{} modules", modules.len());
    for (path, bytes) in modules {
        let (program, diags) = Program::read(&bytes);
        assert!(diags.is_empty(), "{}: {diags:?}", name(&path));
        assert_eq!(program.bytes(), bytes, "{}", name(&path));
        let text = disassembly(&program, &PrintOptions::default());
        assert!(!text.contains(".word"), "{}: {text}", name(&path));
        let made = assemble(&text);
        assert!(made.diags.is_empty(), "{}: {:?}\n{text}", name(&path), made.diags);
        assert_eq!(made.words, program.words(), "{}\n{text}", name(&path));
    }
}

/// The lines of a listing that say something, in one form: no remarks, single spaces, numbers by value.
fn normalized(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ").replace('\0', "")
    });
    let lines =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with(".comment"));
    lines.map(|line| numbers(&line)).collect()
}

/// The numbers of a definition, rounded as the native listing rounds them: six significant digits.
fn numbers(line: &str) -> String {
    if !line.starts_with("def ") {
        return line.to_owned();
    }
    let words = line.split(", ").map(|word| match word.parse::<f64>() {
        Ok(number) if number == 0.0 => "0".to_owned(),
        Ok(number) => format!("{number:.5e}"),
        Err(_) => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[test]
fn listings_are_those_of_the_native_disassembler() {
    let Some(folder) = folder() else { return };
    let (mut same, mut all, mut other) = (0, 0, Vec::new());
    for (path, bytes) in modules(&folder) {
        let beside = path.with_extension("d3dbc.txt");
        let native = folder.join("native").join(format!("{}.asm", name(&path)));
        let Some(native) = [native, beside].into_iter().find(|file| file.is_file()) else { continue };
        let native = String::from_utf8_lossy(&fs::read(native).expect("a listing")).into_owned();
        let ours = disassembly(&Program::read(&bytes).0, &PrintOptions { comments: false });
        let (native, ours) = (normalized(&native), normalized(&ours));
        all += native.len().max(ours.len());
        same += native.iter().zip(&ours).filter(|(native, ours)| native == ours).count();
        if let Some((native, ours)) = native.iter().zip(&ours).find(|(native, ours)| native != ours) {
            other.push(format!("{}: native `{native}`, ours `{ours}`", name(&path)));
        } else if native.len() != ours.len() {
            other.push(format!("{}: {} lines, ours {}", name(&path), native.len(), ours.len()));
        }
    }
    assert!(all > 5_000, "{all} lines");
    assert!(same * 1000 >= all * 990, "{same} of {all} lines\n{}", other.join("\n"));
}

#[test]
fn assembly_is_that_of_the_native_assembler() {
    let Some(folder) = folder() else { return };
    let sources = files(&folder.join("ours/src"), "asm");
    assert_eq!(sources.len(), 19);
    for path in sources {
        let text = fs::read_to_string(&path).expect("a source");
        let golden = folder.join("ours/bin").join(path.with_extension("d3dbc").file_name().expect("a name"));
        let golden = fs::read(&golden).expect("the golden bytes");
        let made = [false, true].map(|sub_as_add| assemble_with(&text, AssembleOptions { sub_as_add }));
        let is_golden = made.iter().any(|made| {
            let bytes: Vec<u8> = made.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            made.diags.is_empty() && bytes == golden
        });
        assert!(
            is_golden,
            "{}: {:?}\n{}",
            name(&path),
            made[0].diags,
            disassembly(&Program::read(&golden).0, &PrintOptions::default())
        );
    }
}

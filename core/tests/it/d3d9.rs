//! Programs of shader models 1 to 3 from the large corpus: bytes, words and text, both ways, and the native listings.
//!
//! The corpus is beside the large one, in `../corpus-d3d`, and not in the repository; without it the tests count as skipped.
#![allow(clippy::print_stdout)]

use crate::testing::corpus;
use crate::testing::skipped::skipped;
use std::fs;
use std::path::{Path, PathBuf};
use vitrine_core::d3d::sm1::{
    AssembleOptions, ItemKind, Op, PrintOptions, Program, assemble, assemble_with, disassembly, slots,
};

/// The folder of the corpus. Reports its absence for the calling test.
#[track_caller]
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = corpus::large()?.join("../corpus-d3d");
    if !folder.is_dir() {
        skipped(1, "the corpus of Direct3D is missing");
        return None;
    }
    Some(folder)
}

/// Files of a folder with an extension, in order.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .collect();
    files.sort();
    files
}

/// The file name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The modules of shader models 1 to 3, with their bytes.
pub(crate) fn modules(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
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

/// The lines of a listing that say something, in one form: single spaces, floats by their bits. Remarks count before the
/// program, where they are the table of constants; the native tool has others, and lines that begin with `#`, from the
/// debug information of the compiler.
fn normalized(text: &str) -> Vec<String> {
    let is_program = |line: &str| !line.starts_with("//");
    let mut is_header = true;
    let mut lines = Vec::new();
    for line in text.replace('\0', "").lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        is_header &= line.is_empty() || !is_program(&line);
        let line = if is_header { &line } else { line.split("//").next().unwrap_or("").trim_end() };
        if !["", "//"].contains(&line) && !line.starts_with('#') {
            lines.push(numbers(line));
        }
    }
    lines
}

/// The floats of a definition as bits.
fn numbers(line: &str) -> String {
    if !line.starts_with("def ") {
        return line.to_owned();
    }
    let words = line.split(", ").map(|word| match word.parse::<f32>() {
        Ok(number) => format!("{:#010x}", number.to_bits()),
        Err(_) => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// A native listing of a module, if there is one.
fn native(folder: &Path, module: &Path) -> Option<String> {
    let beside = module.with_extension("d3dbc.txt");
    let native = folder.join("native").join(format!("{}.asm", name(module)));
    let file = [native, beside].into_iter().find(|file| file.is_file())?;
    Some(String::from_utf8_lossy(&fs::read(file).expect("a listing")).into_owned())
}

#[test]
fn listings_are_those_of_the_native_disassembler() {
    let Some(folder) = folder() else { return };
    let (mut listings, mut same, mut all, mut other) = (0, 0, 0, Vec::new());
    for (path, bytes) in modules(&folder) {
        let Some(native) = native(&folder, &path) else { continue };
        listings += 1;
        let ours = disassembly(&Program::read(&bytes).0, &PrintOptions { comments: false });
        let (native, ours) = (normalized(&native), normalized(&ours));
        all += native.len().max(ours.len());
        same += native.iter().zip(&ours).filter(|(native, ours)| native == ours).count();
        for (native, ours) in native.iter().zip(&ours).filter(|(native, ours)| native != ours) {
            other.push(format!("{}: native `{native}`, ours `{ours}`", name(&path)));
        }
        if native.len() != ours.len() {
            other.push(format!("{}: {} lines, ours {}", name(&path), native.len(), ours.len()));
        }
    }
    assert!(listings >= 272 && all > 5_000, "{listings} listings, {all} lines");
    println!("{same} of {all} lines of {listings} listings\n{}", other.join("\n"));
    assert!(other.is_empty(), "{same} of {all} lines\n{}", other.join("\n"));
}

/// The slots of a program as the native tool counts them: it counts one for some instructions that take more by the
/// vendor's documentation, which [`Program::slots`] follows.
fn native_slots(program: &Program) -> u32 {
    let Some(version) = program.version else { return 0 };
    let one = |op| matches!(op, Op::Lrp | Op::TexKill | Op::TexLd);
    program.insts().map(|(_, inst)| if one(inst.op) { 1 } else { slots(inst, version) }).sum()
}

#[test]
fn slots_are_those_that_the_native_disassembler_counts() {
    let Some(folder) = folder() else { return };
    let (mut counted, mut other) = (0, Vec::new());
    for (path, bytes) in modules(&folder) {
        let Some(native) = native(&folder, &path) else { continue };
        let Some((_, count)) = native.split_once("// approximately ") else { continue };
        let count: u32 = count.split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
        let (program, _) = Program::read(&bytes);
        counted += 1;
        let ours = native_slots(&program);
        assert!(ours <= program.slots().0);
        if ours != count {
            let version = program.version.map_or("", |version| version.name());
            other.push(format!("{} ({version}): native {count}, ours {ours}", name(&path)));
        }
    }
    assert!(counted >= 272, "{counted} counts");
    assert!(other.is_empty(), "{} of {counted} differ\n{}", other.len(), other.join("\n"));
}

#[test]
fn tables_of_constants_are_written_as_they_were_read() {
    let Some(folder) = folder() else { return };
    let (mut tables, mut constants) = (0, 0);
    for (path, bytes) in modules(&folder) {
        let (mut program, _) = Program::read(&bytes);
        let Some((table, diags)) = program.constants() else { continue };
        assert!(diags.is_empty(), "{}: {diags:?}", name(&path));
        assert_eq!(
            table.version,
            program.version.map_or(0, vitrine_core::d3d::sm1::Version::token),
            "{}",
            name(&path)
        );
        let profile = program.version.map_or("", |version| &version.name()[..4]);
        assert!(table.target.is_empty() || table.target.starts_with(profile), "{}", name(&path));
        // The written comment replaces the one of the module.
        let written = table.comment().expect("the table fits into a comment");
        let comment = program.items.iter_mut().find(|item| matches!(item.kind, ItemKind::Comment(_)));
        comment.expect("the module has a comment").kind = ItemKind::Comment(written);
        let (again, diags) = Program::read(&program.bytes());
        assert!(diags.is_empty(), "{}: {diags:?}", name(&path));
        assert_eq!(again.constants(), Some((table.clone(), Vec::new())), "{}", name(&path));
        tables += 1;
        constants += table.constants.len();
    }
    assert!(tables > 200 && constants > 500, "{tables} tables with {constants} constants");
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

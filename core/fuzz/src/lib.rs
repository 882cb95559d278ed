//! Fuzz targets: a function for each format that Vitrine reads, which any bytes may be given to.
//!
//! A target reads the bytes and, if they are read without an error, takes the result through its next steps: it is printed and
//! parsed again, written, or read from what was written. A panic, a hang or a stack overflow is a fault. `cargo xtask fuzz
//! TARGET` runs libFuzzer on one; `tests/replay.rs` runs every input of `corpus/`.

use std::collections::BTreeMap;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::source::{SourceOptions, prepare};
use vitrine_core::front::{Choices, FRONTENDS, Read, SourceLanguage, read};
use vitrine_core::ir::codec::{decode, encode};
use vitrine_core::judge::{Check, Task};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::share::{Repro, SharedState};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;
use vitrine_lessons::{Lesson, lesson};

/// A format.
#[derive(Debug)]
pub struct Target {
    /// The name on the command line, and the folder of its corpus.
    pub name: &'static str,
    /// The format in a few words.
    pub summary: &'static str,
    /// Folders with further inputs, relative to the root of the repository.
    pub seeds: &'static [&'static str],
    /// Reads the bytes.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "spirv",
        summary: "SPIR-V binaries",
        seeds: &["core/tests/corpus/control", "core/tests/corpus/memory", "core/tests/corpus/bad"],
        run: |bytes| through(0, bytes),
    },
    Target {
        name: "spirv-text",
        summary: "the assembly of SPIR-V",
        seeds: &["www/examples", "core/tests/strangers", "core/tests/corpus/opencl"],
        run: |bytes| through(3, bytes),
    },
    Target {
        name: "ir-text",
        summary: "the text of the IR",
        seeds: &["core/tests/filetests/text", "core/tests/filetests/ops", "core/tests/filetests/validate"],
        run: |bytes| through(5, bytes),
    },
    Target { name: "d3d9", summary: "bytecode of Direct3D 9", seeds: &[], run: |bytes| through(1, bytes) },
    Target {
        name: "d3d9-container",
        summary: "containers of Direct3D",
        seeds: &[],
        run: |bytes| through(2, bytes),
    },
    Target {
        name: "d3d9-text",
        summary: "the assembly of Direct3D 9",
        seeds: &["www/examples"],
        run: |bytes| through(4, bytes),
    },
    Target {
        name: "any",
        summary: "inputs in the form of text: hex dumps, C arrays, base64, links",
        seeds: &["www/examples"],
        run: |bytes| drop(read(bytes)),
    },
    Target {
        name: "source",
        summary: "sources in GLSL, HLSL and that of Shadertoy, before their compiler",
        seeds: &["core/tests/corpus/control", "core/tests/corpus/stages", "core/tests/lines"],
        run: sources,
    },
    Target {
        name: "link",
        summary: "links of the page and reproductions",
        seeds: &["core/tests/repro"],
        run: links,
    },
    Target { name: "pipeline", summary: "the text of pipelines", seeds: &[], run: pipelines },
    Target {
        name: "task",
        summary: "tasks of lessons and their checks",
        seeds: &["www/learn/dominance"],
        run: tasks,
    },
    Target { name: "lesson", summary: "lessons in Markdown", seeds: &["www/learn/dominance"], run: lessons },
    Target { name: "module", summary: "stored modules", seeds: &[], run: modules },
];

/// The target of this name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Reads bytes with a front end by its number, and takes a module without errors further.
fn through(frontend: usize, bytes: &[u8]) {
    let Some(frontend) = FRONTENDS.get(frontend) else { return };
    let read = frontend.read(bytes, Choices::default());
    module(&read);
}

/// Prints, parses and writes a module.
fn module(read: &Read) {
    let text = print_module(&read.module);
    if !read.is_sound() {
        return;
    }
    let again = parse(&text);
    assert!(
        again.diags.is_empty(),
        "the text of a valid module is not read: {:?}\n{text}",
        again.diags.first()
    );
    let _ = write_spirv(&read.module, SpirvOptions::default());
}

fn sources(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for (name, language) in [
        ("a.frag", SourceLanguage::Glsl),
        ("a.vert", SourceLanguage::Glsl),
        ("a.glsl", SourceLanguage::Shadertoy),
        ("a.hlsl", SourceLanguage::Hlsl),
    ] {
        let prepared = prepare(text, name, language, &SourceOptions::default(), &|_| None);
        if let Ok(prepared) = prepared {
            let _ = prepared.problems(text);
        }
    }
}

fn links(bytes: &[u8]) {
    let _ = Repro::read(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (state, problem) = SharedState::read(text);
    if problem.is_none() {
        let (_, problem) = SharedState::read(&state.link());
        assert!(problem.is_none(), "the link of a state that was read is not read: {problem:?}");
    }
}

fn pipelines(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Pipeline::parse(text);
}

fn tasks(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Task::parse(text);
    for line in text.lines().take(64) {
        let _ = Check::parse(line);
    }
}

fn lessons(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(read) = Lesson::read("fuzzed", text, BTreeMap::new()) {
        let _ = lesson(std::slice::from_ref(&read), &read);
    }
}

/// Decodes a module, which every walk survives, and which comes back from its bytes.
fn modules(bytes: &[u8]) {
    let Ok(module) = decode(bytes) else { return };
    let text = print_module(&module);
    let stored = encode(&module);
    let again = decode(&stored).expect("a module that was decoded is stored and decoded");
    assert!(encode(&again) == stored, "another module comes back");
    assert_eq!(print_module(&again), text);
    if validate(&module).is_empty() {
        let _ = write_spirv(&module, SpirvOptions::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_front_ends_exist() {
        for target in TARGETS {
            assert_eq!(
                TARGETS.iter().filter(|other| other.name == target.name).count(),
                1,
                "{}",
                target.name
            );
        }
        assert_eq!(FRONTENDS.len(), 6, "a new front end has a target");
    }
}

//! Descriptions of entities, in which every sentence links to its entity.
//!
//! Every instruction of the corpora is inspected.
#![allow(clippy::print_stdout)]

use crate::testing::corpus;
use crate::testing::texts::examples;

use std::collections::BTreeSet;
use vitrine_core::view_model::{Session, Shown};
use vitrine_protocol::layout::{InspectAction as Action, InspectSection as Section, SpanEntry, link_kinds};
use vitrine_protocol::{Inspected, StyledText};

const PIPELINE: &str = "ingest, O1, lower-exits{spirv}";
const SHADER: &str = include_str!("../../../www/examples/variables.spvasm");

fn opened(input: &[u8], pipeline: &str) -> Session {
    let mut session = Session::new();
    session.open(input, pipeline);
    session
}

/// The number of the entity with this name at its definition.
fn number(text: &StyledText, name: &str) -> u32 {
    let spelled = |span: &&SpanEntry| span.is_definition() && text.text.get(span.range()) == Some(name);
    let found = text.spans.entries().iter().find(spelled);
    found.unwrap_or_else(|| panic!("no {name} in\n{}", &*text.text)).id
}

/// The entities that a text defines, by number.
fn defined(text: &StyledText) -> BTreeSet<u32> {
    text.spans.entries().iter().filter(|span| span.is_definition()).map(|span| span.id).collect()
}

/// The lines of a section, each with the action of a click.
fn section(inspected: &Inspected, section: Section) -> Vec<(&str, Action)> {
    let rows = inspected.text.text.lines().zip(inspected.rows.entries());
    rows.filter(|(_, row)| row.section() == Some(section)).map(|(line, row)| (line, row.action())).collect()
}

const FUNC: &str = "func @0(%0: b32) -> b32 graph {\n^0:\n  %1: b32 = const 8\n  %2: b32 = imul %0, %1\n  goto ^1\n^1:\n  %3: b32 = isub %2, %2\n  %4: b32 = iadd %2, %3\n  return %4\n}\n";

#[test]
fn a_value_is_described_with_facts_uses_and_history() {
    let mut session = opened(FUNC.as_bytes(), "algebraic, dce");
    let text = session.text(0, Shown::Ir).unwrap();
    let inspection = session.inspect(0, number(&text, "%2"));
    assert_eq!(section(&inspection, Section::Definition)[0].0, "%2: b32 = imul %0, %1");
    let facts: Vec<&str> = section(&inspection, Section::Facts).iter().map(|row| row.0).collect();
    assert!(facts[0].starts_with("type i32: 32 bits, read as integers"), "{facts:?}");
    for expected in [
        "position ^0, instruction 2 of 2",
        "loops none",
        "range multiple of 8",
        "uniformity divergent: may differ between invocations",
        "live over 2 instructions in 2 blocks",
    ] {
        assert!(facts.contains(&expected), "{expected} of {facts:?}");
    }
    let uses = section(&inspection, Section::Uses);
    assert_eq!(uses[0], ("^1  %3: b32 = isub %2, %2", Action::Use(0)));
    assert_eq!(uses[1], ("^1  %4: b32 = iadd %2, %3", Action::Use(2)), "its third occurrence");
    assert_eq!(section(&inspection, Section::Origin)[0].0, "read from the input");
    let future = section(&inspection, Section::Later);
    assert!(
        future.iter().any(|row| row.0.contains("algebraic") && row.0.contains("imul_pow2")),
        "{future:?}"
    );
    let gone = session.inspect(2, number(&text, "%4"));
    assert_eq!(section(&gone, Section::Definition)[0].0, "%4 is not in this version");
    assert!(section(&gone, Section::Facts).is_empty() && section(&gone, Section::Uses).is_empty());
}

#[test]
fn history_links_to_words_and_lines_of_the_input() {
    let mut session = opened(SHADER.as_bytes(), PIPELINE);
    let last = session.versions() - 1;
    let text = session.text(last, Shown::Ir).unwrap();
    let mut found = 0;
    for number in defined(&text) {
        let inspection = session.inspect(last, number);
        for (line, action) in section(&inspection, Section::Origin) {
            if let Action::Input(start, len) = action {
                found += 1;
                let excerpt = SHADER.get(start as usize..(start + len) as usize).unwrap();
                assert!(excerpt.contains("Op"), "{line}: {excerpt}");
            }
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn lines_of_the_source_are_described() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%f = OpString \"a.frag\"\n%v = OpTypeVoid\n%i = OpTypeInt 32 0\n%c = OpConstant %i 3\n%t = OpTypeFunction %i %i\n%m = OpFunction %i None %t\n%p = OpFunctionParameter %i\n%l = OpLabel\nOpLine %f 14 3\n%s = OpIAdd %i %p %c\nOpReturnValue %s\nOpFunctionEnd\n";
    let mut session = opened(text.as_bytes(), PIPELINE);
    assert!(session.diags().is_empty(), "{:?}", session.diags());
    let ir = session.text(0, Shown::Ir).unwrap();
    let sum = ir.text.lines().find(|line| line.contains("iadd")).unwrap().trim();
    let inspection = session.inspect(0, number(&ir, sum.split(':').next().unwrap()));
    let past = section(&inspection, Section::Origin);
    assert!(past.iter().any(|row| row.0 == "source a.frag:14:3"), "{past:?}");
    let read = past.iter().find(|row| row.0.starts_with("read from words")).unwrap();
    let Action::Input(start, len) = read.1 else { panic!("{read:?}") };
    assert_eq!(text.get(start as usize..(start + len) as usize), Some("%s = OpIAdd %i %p %c"));
}

#[test]
fn links_map_the_input_to_entities() {
    for (input, expected) in [(SHADER, "OpVariable"), (FUNC, "%2")] {
        let mut session = opened(input.as_bytes(), PIPELINE);
        let defined = defined(&session.text(0, Shown::Ir).unwrap());
        let ties = session.ties(0);
        let places: Vec<(u32, &str)> = ties
            .entries()
            .iter()
            .map(|tie| (tie.id, input.get(tie.start as usize..(tie.start + tie.len) as usize).unwrap()))
            .collect();
        assert!(places.iter().all(|(number, _)| defined.contains(number)), "{places:?}");
        assert!(places.iter().any(|(_, excerpt)| excerpt.contains(expected)), "{places:?}");
        assert!(ties.entries().iter().map(|tie| tie.start).is_sorted());
    }
}

#[test]
fn written_text_links_to_the_same_entities() {
    let mut session = opened(SHADER.as_bytes(), PIPELINE);
    let last = session.versions() - 1;
    let ir = defined(&session.text(last, Shown::Ir).unwrap());
    let target = defined(&session.text(last, Shown::Spirv).unwrap());
    assert!(target.intersection(&ir).count() > 8, "{} of {}", target.intersection(&ir).count(), target.len());
}

/// For every entity, each link targets a version that has the entity, or a position in the input.
fn check(input: &[u8], most: usize) -> usize {
    let mut session = opened(input, PIPELINE);
    let source = session
        .source()
        .map_or_else(|| String::from_utf8_lossy(input).into_owned(), |text| text.text.0.clone());
    let last = session.versions() - 1;
    let texts: Vec<BTreeSet<u32>> =
        (0..=last).map(|at| defined(&session.text(at, Shown::Ir).unwrap())).collect();
    let mut lines = 0;
    for at in [0, last / 2, last] {
        let uses = session.text(at, Shown::Ir).unwrap();
        let step = texts[at].len() / most + 1;
        for &number in texts[at].iter().step_by(step) {
            let inspection = session.inspect(at, number);
            let rows = inspection.rows.entries();
            assert_eq!(inspection.text.text.lines().count(), rows.len());
            lines += rows.len();
            let is_use = |span: &&SpanEntry| span.link == link_kinds::USE && span.id == number;
            let times = uses.spans.entries().iter().filter(is_use).count();
            for (line, row) in inspection.text.text.lines().zip(rows) {
                match row.action() {
                    Action::Nothing => assert_eq!(row.action, 0, "{line}"),
                    Action::Use(nth) => assert!((nth as usize) < times, "{line}"),
                    Action::Version(to, id) => {
                        let id = id.expect("an entity");
                        assert!(texts[to as usize].contains(&id), "version {at}: {line}");
                    }
                    Action::Input(start, len) => {
                        assert!(source.get(start as usize..(start + len) as usize).is_some(), "{line}");
                    }
                    // An entity, or a variable with a memory map.
                    Action::Select(id) | Action::Memory(id) => assert!(texts[at].contains(&id), "{line}"),
                }
            }
        }
    }
    lines
}

#[test]
fn every_link_of_the_examples_has_a_target() {
    for file in examples() {
        assert!(check(&std::fs::read(&file).unwrap(), usize::MAX) > 100, "{}", file.display());
    }
}

#[test]
fn every_link_of_the_corpus_has_a_target() {
    let modules = corpus::small_modules(3000);
    let lines: usize = modules.iter().map(|bytes| check(bytes, 12)).sum();
    assert!(lines > 10_000, "{lines} lines");
}

#[test]
fn unknown_entities_have_no_description() {
    let mut session = Session::new();
    assert_eq!(session.inspect(3, 99), Inspected::default());
    assert!(session.ties(3).entries().is_empty());
}

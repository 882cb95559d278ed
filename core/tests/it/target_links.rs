//! Texts of target languages are linked to the version that they were written from: the page lights both.

use crate::testing::corpus;
use std::collections::BTreeSet;
use vitrine_core::back::BACKENDS;
use vitrine_core::view_model::{Session, Shown};
use vitrine_protocol::StyledText;
use vitrine_protocol::layout::SpanEntry;

/// The linked numbers of a text.
fn links(text: &StyledText) -> BTreeSet<u32> {
    linked(text).map(|span| span.id).collect()
}

fn linked(text: &StyledText) -> impl Iterator<Item = &SpanEntry> {
    text.spans.entries().iter().filter(|span| span.link != 0)
}

/// The languages like C.
const LANGUAGES: [&str; 6] = ["glsl", "essl", "essl-310", "wgsl", "hlsl", "msl"];

/// Tokens, those that the IR has, too, statements and members, and those with such a token.
#[derive(Debug, Default)]
struct Counts {
    tokens: usize,
    known: usize,
    statements: usize,
    linked: usize,
}

impl Counts {
    fn add(&mut self, ir: &StyledText, text: &StyledText) {
        let known = links(ir);
        let mut starts: Vec<usize> = Vec::new();
        for span in linked(text) {
            self.tokens += 1;
            if known.contains(&span.id) {
                self.known += 1;
                starts.push(span.start as usize);
            }
        }
        let mut start = 0;
        for line in text.text.lines() {
            let range = start..start + line.len();
            start = range.end + 1;
            if line.starts_with("  ") && line.ends_with(';') {
                self.statements += 1;
                let first = starts.partition_point(|at| *at < range.start);
                self.linked += usize::from(starts.get(first).is_some_and(|at| range.contains(at)));
            }
        }
    }
}

/// The project's own modules suffice: links do not depend on the size.
#[test]
fn tokens_of_every_language_are_linked_to_the_ir() {
    let mut reports = Vec::new();
    for backend in BACKENDS.iter().filter(|of| LANGUAGES.contains(&of.name())) {
        let mut counts = Counts::default();
        for item in corpus::table(&corpus::own(), "corpus.tsv") {
            let mut session = Session::default();
            session.open(&item.bytes(), "ingest");
            let at = session.versions() - 1;
            let Ok(ir) = session.text(at, Shown::Ir) else { continue };
            let Ok(text) = session.target_text(at, *backend) else { continue };
            counts.add(&ir, &text);
        }
        let Counts { tokens, known, statements, linked } = counts;
        let is_good = tokens > 50 && known * 100 >= tokens * 90 && linked * 100 >= statements * 65;
        reports.push((is_good, format!("{}: {counts:?}", backend.name())));
    }
    assert_eq!(reports.len(), LANGUAGES.len());
    assert!(reports.iter().all(|(is_good, _)| *is_good), "{reports:#?}");
}

#[test]
fn every_refusal_has_its_thing_and_the_passes_that_help() {
    let bytes = std::fs::read(corpus::own().join("images/query.spv")).expect("a module of the corpus");
    let mut session = Session::default();
    session.open(&bytes, "ingest");
    let essl = BACKENDS.iter().find(|of| of.name() == "essl").expect("a back end");
    let refusals =
        session.target_text(session.versions() - 1, *essl).expect_err("it has queries that GLSL ES lacks");
    assert!(refusals.len() >= 6, "{refusals:?}");
    let of = |word: &str| refusals.iter().find(|of| of.sentence.contains(word)).expect(word);
    let query = of("tex.query_lod");
    let place = query.place.as_ref().expect("an instruction");
    assert!(place.name.starts_with('%') && query.passes.is_empty() && !query.is_invalid, "{query:?}");
    let ir = session.text(session.versions() - 1, Shown::Ir).expect("IR");
    assert!(links(&ir).contains(&place.id));
    let bytes =
        std::fs::read(corpus::own().join("groups/subgroup-arithmetic.spv")).expect("a module of the corpus");
    session.open(&bytes, "ingest");
    let wgsl = BACKENDS.iter().find(|of| of.name() == "wgsl").expect("a back end");
    let refusals =
        session.target_text(session.versions() - 1, *wgsl).expect_err("it has reductions that WGSL lacks");
    let reduction = refusals.iter().find(|of| of.sentence.contains("`reduce`")).expect("a reduction");
    assert_eq!(reduction.passes, ["lower-subgroups{loops}"]);
}

//! Times of versions side by side, and of memory maps. Budget: 50 ms to the first rows of five columns of a 150 KB shader,
//! and the same for untyped pointers of the largest module.
//!
//! Reads the large modules of the available corpus (`vitrine_bench::Corpus`).

use divan::Bencher;
use std::path::PathBuf;
use vitrine_bench::Corpus;
use vitrine_core::view_model::Session;
use vitrine_protocol::{ColumnsRequest, Outcome};

fn main() {
    divan::main();
}

/// The modules of the corpus, by path.
fn files() -> Vec<PathBuf> {
    Corpus::find().of_sets(&["large", "samples"])
}

fn size(file: &PathBuf) -> u64 {
    std::fs::metadata(file).map_or(0, |data| data.len())
}

/// A trace of a module, and five of its changed versions.
fn trace(file: &PathBuf, pipeline: &str) -> Option<(Session, Vec<u32>)> {
    let mut session = Session::new();
    session.open(&std::fs::read(file).ok()?, pipeline);
    let steps = session.steps();
    let changed = (1..).zip(&steps).filter(|(_, step)| step.outcome == Outcome::Changed).map(|(at, _)| at);
    let changed: Vec<u32> = [0].into_iter().chain(changed).collect();
    let five = (0..5).filter_map(|at| changed.get(at * (changed.len() - 1) / 4).copied()).collect();
    Some((session, five))
}

/// The module of the corpus whose size is nearest to 150 KB, with its trace.
fn session() -> Option<(Session, Vec<u32>)> {
    let file = files().into_iter().min_by_key(|file| size(file).abs_diff(150_000))?;
    trace(&file, "ingest, O1, lower-exits{spirv}")
}

/// The largest module: before, lowered, analyzed, lifted and cleaned up.
fn pointers() -> Option<(Session, Vec<u32>)> {
    let file = files().into_iter().max_by_key(size)?;
    let (session, _) = trace(&file, "ingest, qptr")?;
    let steps = session.steps();
    let is_one = |step: &str| matches!(step, "qptr-lower" | "qptr-analyze" | "qptr-lift");
    let made = (1..).zip(&steps).filter(|(_, step)| is_one(&step.pass)).map(|(at, _)| at);
    let made: Vec<u32> = made.collect();
    let given = made.first().map(|at| at - 1);
    Some((session, given.into_iter().chain(made).chain([steps.len() as u32]).collect()))
}

/// Columns of untyped pointers, side by side, uncached.
#[divan::bench(sample_count = 20)]
fn five_columns_of_pointers_first_rows(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = pointers() else { return };
    let query = ColumnsRequest { versions, fold: true, last: 80, ..ColumnsRequest::default() };
    bencher.bench_local(|| {
        session.columns(&ColumnsRequest::default());
        session.columns(&query)
    });
}

/// The memory map of a buffer in a fresh version, which is lowered and analyzed first.
#[divan::bench(sample_count = 20)]
fn first_map_of_memory(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = pointers() else { return };
    let mut at = 0;
    bencher.bench_local(|| {
        at = 1 - at;
        session.memory(versions.get(at).copied().unwrap_or(0) as usize, None)
    });
}

/// The targets of all pointers of a version.
#[divan::bench(sample_count = 20)]
fn paths_of_pointers(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = pointers() else { return };
    let lowered: Vec<u32> = versions.get(1).copied().into_iter().collect();
    bencher.bench_local(|| session.paths(&lowered));
}

/// The first window of five versions, uncached.
#[divan::bench(sample_count = 20)]
fn five_columns_first_rows(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let query = ColumnsRequest { versions, fold: true, last: 80, ..ColumnsRequest::default() };
    bencher.bench_local(|| {
        session.columns(&ColumnsRequest::default());
        session.columns(&query)
    });
}

/// Another window of the same versions.
#[divan::bench]
fn five_columns_further_rows(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let query = ColumnsRequest { versions, first: 500, last: 580, ..ColumnsRequest::default() };
    session.columns(&query);
    bencher.bench_local(|| session.columns(&query));
}

/// An additional column.
#[divan::bench(sample_count = 20)]
fn one_column_more(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let most = ColumnsRequest { versions: versions[..4].to_vec(), last: 80, ..ColumnsRequest::default() };
    let all = ColumnsRequest { versions, last: 80, ..ColumnsRequest::default() };
    bencher.bench_local(|| {
        session.columns(&most);
        session.columns(&all)
    });
}

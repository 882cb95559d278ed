//! Times of versions side by side. Budget: five columns of a shader of 150 KB in 50 ms to the first rows.
//!
//! Reads the large modules of the corpus beside the repository, and measures nothing where that is missing.

use divan::Bencher;
use std::path::PathBuf;
use vitrine_core::playground::{Ask, Session};

fn main() {
    divan::main();
}

/// The module of the corpus whose size is nearest to 150 KB, with its trace.
fn session() -> Option<(Session, Vec<usize>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let files = ["large", "samples"].into_iter().flat_map(|set| std::fs::read_dir(folder.join(set)));
    let mut files: Vec<PathBuf> = files.flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "spv"));
    files.sort();
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |data| data.len());
    let file = files.into_iter().min_by_key(|file| size(file).abs_diff(150_000))?;
    let mut session = Session::new();
    session.open(&std::fs::read(&file).ok()?, "ingest, O1, lower-exits{spirv}");
    let steps = session.steps();
    let changed = (1..).zip(&steps).filter(|(_, step)| step.outcome == "changed").map(|(at, _)| at);
    let changed: Vec<usize> = [0].into_iter().chain(changed).collect();
    let five = (0..5).filter_map(|at| changed.get(at * (changed.len() - 1) / 4).copied()).collect();
    Some((session, five))
}

/// The first window of a choice of five versions that was never asked for.
#[divan::bench(sample_count = 20)]
fn five_columns_first_rows(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let ask = Ask { versions, fold: true, last: 80, ..Ask::default() };
    bencher.bench_local(|| {
        session.columns(&Ask::default());
        session.columns(&ask)
    });
}

/// Another window of the same.
#[divan::bench]
fn five_columns_further_rows(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let ask = Ask { versions, first: 500, last: 580, ..Ask::default() };
    session.columns(&ask);
    bencher.bench_local(|| session.columns(&ask));
}

/// A column more.
#[divan::bench(sample_count = 20)]
fn one_column_more(bencher: Bencher<'_, '_>) {
    let Some((mut session, versions)) = session() else { return };
    let most = Ask { versions: versions[..4].to_vec(), last: 80, ..Ask::default() };
    let all = Ask { versions, last: 80, ..Ask::default() };
    bencher.bench_local(|| {
        session.columns(&most);
        session.columns(&all)
    });
}

//! Speed of the text targets: the visible preparation and the printing of modules, as `vitrine opt -o x.glsl` does after reading.
//!
//! Throughput counts the bytes of SPIR-V of the modules that the language can express. The goal is 20 MB/s; SPIRV-Cross has 8 to 17 and
//! naga 43 to 57 on what it takes.

use divan::Bencher;
use divan::counter::BytesCount;
use vitrine_bench::Corpus;
use vitrine_core::back::{Source, all_funcs, named};
use vitrine_core::front::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::write;

fn main() {
    divan::main();
}

/// The modules of one entry point, with their sizes in bytes.
fn modules() -> Vec<(Module, usize)> {
    let files = Corpus::find().of_sets(&["large", "samples", "cross"]);
    let module = |file: &std::path::PathBuf| {
        let bytes = std::fs::read(file).expect("a module of the corpus");
        let (_, read) = read(&bytes);
        (read.is_sound() && read.module.entries.len() == 1).then_some((read.module, bytes.len()))
    };
    files.iter().filter_map(module).collect()
}

/// The length of the text; none if the language cannot express the module.
fn written(module: &Module, language: &str) -> Option<usize> {
    let funcs = all_funcs(module);
    let backend = named(language).expect("the back end exists");
    write(&Source::new(module, &funcs), backend, false).ok().map(|written| written.into_text().len())
}

#[divan::bench(args = ["glsl", "essl-310", "wgsl", "hlsl", "msl"], sample_count = 5, sample_size = 1)]
fn write_texts(bencher: Bencher<'_, '_>, language: &str) {
    let mut modules = modules();
    modules.retain(|(module, _)| written(module, language).is_some());
    let bytes: usize = modules.iter().map(|(_, bytes)| bytes).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        modules.iter().map(|(module, _)| written(module, language).unwrap_or(0)).sum::<usize>()
    });
}

//! Graphs with this project's times, one JSON object per line, as input for the other layout libraries of
//! `core/bench/peers/run.mjs`.
//!
//! Loops are marked, since one of the libraries requires that.

use super::{early_exits, nest, structured, wild};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use vitrine_core::analysis::{Analyses, Cfg, Loops};
use vitrine_core::base::EntityId;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Block, Func, Module};
use vitrine_core::layout::{Input, input_of, layout};

/// Runs per graph; the median counts.
const RUNS: usize = 5;

/// Writes all graphs into a file.
pub(super) fn write(file: &Path) {
    let mut out = String::new();
    for count in super::SIZES {
        let families: [(&str, Vec<Vec<usize>>); 7] = [
            ("chain", chain(count)),
            ("diamonds", diamonds(count)),
            ("structured", structured(count)),
            ("early exits", early_exits(count)),
            ("nest", nest(count / 4)),
            ("one switch", one_switch(count)),
            ("wild", wild(count)),
        ];
        for (name, successors) in families {
            let mut module = Module::new();
            let func = module.add_func(super::body_of(&successors));
            line(&mut out, &format!("{name} {count}"), "synthetic", &module, func);
        }
    }
    let files = corpus();
    if files.is_empty() {
        println!("the corpus is missing: only synthetic graphs are laid out");
    }
    for path in files {
        let module = read(&std::fs::read(&path).unwrap_or_default()).module;
        let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
        for func in funcs {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            line(&mut out, &format!("{name} {func}"), "corpus", &module, func);
        }
    }
    let count = out.lines().count();
    match std::fs::write(file, out) {
        Ok(()) => println!("{count} graphs laid out, written to {}", file.display()),
        Err(error) => println!("{}: {error}", file.display()),
    }
}

fn corpus() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "spv") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn chain(count: usize) -> Vec<Vec<usize>> {
    (0..count).map(|at| if at + 1 == count { vec![] } else { vec![at + 1] }).collect()
}

fn diamonds(count: usize) -> Vec<Vec<usize>> {
    let targets = |at: usize| match at % 3 {
        _ if at + 3 >= count => vec![],
        0 => vec![at + 1, at + 2],
        1 => vec![at + 2],
        _ => vec![at + 1],
    };
    (0..count).map(targets).collect()
}

fn one_switch(count: usize) -> Vec<Vec<usize>> {
    let mut successors = vec![(1..=count).collect::<Vec<usize>>()];
    successors.extend((1..=count).map(|_| vec![count + 1]));
    successors.push(vec![]);
    successors
}

fn line(out: &mut String, name: &str, kind: &str, module: &Module, func: Func) {
    let mut analyses = Analyses::new();
    let size =
        |block: Block| (60 + (block.index() * 37 % 11) as i32 * 20, 30 + (block.index() % 7) as i32 * 17);
    let input = input_of(module, func, &mut analyses, size);
    if input.nodes.is_empty() {
        return;
    }
    let (micros, extent) = ours(&input);
    let loops = analyses.get::<Loops>(module, func);
    let cfg = analyses.get::<Cfg>(module, func);
    let nodes: Vec<String> = input
        .nodes
        .iter()
        .map(|node| {
            let header = loops.headed_by(node.block).is_some();
            let depth = loops.block_depth(node.block);
            format!("[{},{},{depth},{}]", node.width, node.height, u8::from(header))
        })
        .collect();
    let mut back: Vec<bool> = vec![false; input.edges.len()];
    for of in loops.all() {
        for edge in loops.back_edges(of).filter(|edge| edge.index() < cfg.edge_count()) {
            back[edge.index()] = true;
        }
    }
    let edges: Vec<String> = input
        .edges
        .iter()
        .zip(&back)
        .map(|(edge, back)| format!("[{},{},{}]", edge.from, edge.to, u8::from(*back)))
        .collect();
    let name = name.replace(['"', '\\'], "'");
    let _ = writeln!(
        out,
        "{{\"name\":\"{name}\",\"kind\":\"{kind}\",\"ours\":{micros},\"width\":{},\"height\":{},\"nodes\":[{}],\"edges\":[{}]}}",
        extent[0],
        extent[1],
        nodes.join(","),
        edges.join(",")
    );
}

/// The median time in µs, and the size of the layout.
fn ours(input: &Input) -> (f64, [i32; 2]) {
    let mut times = Vec::new();
    let mut extent = [0; 2];
    for _ in 0..RUNS {
        let start = Instant::now();
        let picture = layout(input);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        extent = [picture.extent.width, picture.extent.height];
    }
    times.sort_by(f64::total_cmp);
    (times[RUNS / 2], extent)
}

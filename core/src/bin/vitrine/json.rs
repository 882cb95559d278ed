//! A program as JSON, for tools that do not parse its text.

use super::input::Program;
use serde_json::{Value, json};
use vitrine_core::analysis::{Analyses, Cfg, Loops};
use vitrine_core::back::LineSource;
use vitrine_core::ir::{Anchor, Diag, Func, FuncBody, Module, Nesting, Shape};
use vitrine_core::text::{Options, Plain, Printer};

/// Functions with their blocks, edges and texts; entry points; diagnostics.
pub(crate) fn module(program: &Program, funcs: &[Func]) -> String {
    let module = &program.module;
    let mut analyses = Analyses::new();
    let funcs: Vec<Value> = funcs
        .iter()
        .filter_map(|&func| module.func(func).map(|body| function(module, func, body, &mut analyses)))
        .collect();
    let entries: Vec<Value> = module
        .entries
        .iter()
        .map(|entry| {
            json!({
                "name": module.text_of(entry.name),
                "stage": entry.stage.name(),
                "function": entry.func.to_string(),
                "modes": entry.modes.iter().map(|mode| mode.mode.name()).collect::<Vec<_>>(),
            })
        })
        .collect();
    pretty(&json!({ "entries": entries, "functions": funcs, "diagnostics": diagnostics(&program.diags) }))
}

/// Lines of a text with the instructions they were written for, and their positions in the source.
pub(crate) fn lines(module: &Module, lines: &[LineSource]) -> String {
    let value = |source: &LineSource| {
        let (func, entity) = match source.anchor {
            Anchor::Inst(func, inst) | Anchor::Arg(func, inst, _) => (func.to_string(), inst.to_string()),
            Anchor::Terminator(func, block) | Anchor::TerminatorArg(func, block, _) => {
                (func.to_string(), block.to_string())
            }
            Anchor::Node(func, node) => (func.to_string(), node.to_string()),
            _ => (String::new(), String::new()),
        };
        let known = source.origin.line > 0;
        json!({
            "line": source.line,
            "function": func,
            "entity": entity,
            "source": known.then(|| json!({
                "file": source.origin.file.map(|file| module.text_of(file)),
                "line": source.origin.line,
                "column": source.origin.column,
                "scope": frames(module, source),
            })),
        })
    };
    pretty(&json!({ "lines": lines.iter().map(value).collect::<Vec<_>>() }))
}

/// Functions and lines of the source, innermost first: that of the line, then those of the calls that it was inlined by.
fn frames(module: &Module, source: &LineSource) -> Vec<Value> {
    let frames = module.frames(source.origin);
    let name = |name: vitrine_core::ir::Text| module.text_of(name);
    frames.iter().map(|frame| json!({ "function": frame.function.map(name), "line": frame.line })).collect()
}

/// Diagnostics with their positions.
pub(crate) fn diagnostics(diags: &[Diag]) -> Vec<Value> {
    let value = |diag: &Diag| {
        json!({
            "level": diag.level.name(),
            "code": diag.code,
            "message": diag.message(),
            "help": diag.help.as_ref().map(ToString::to_string),
            "line": diag.place.map(|place| place.line),
            "column": diag.place.map(|place| place.column),
        })
    };
    diags.iter().map(value).collect()
}

/// Indented JSON that ends with a line break.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn function(module: &Module, func: Func, body: &FuncBody, analyses: &mut Analyses) -> Value {
    let cfg = analyses.get::<Cfg>(module, func);
    let loops = analyses.get::<Loops>(module, func);
    let shape = match body.shape() {
        Shape::Declaration => "declaration",
        Shape::Graph(_) => "graph",
        Shape::Tree(_) => "tree",
    };
    let nesting = Nesting::of(body);
    let blocks: Vec<Value> = cfg
        .blocks()
        .iter()
        .map(|&block| {
            let mut text = Plain::new();
            Printer::new(module, Options::default(), &mut text).one_block(func, block, &nesting);
            json!({
                "block": block.to_string(),
                "reachable": cfg.is_reachable(block),
                "loop_depth": loops.block_depth(block),
                "text": text.finish(),
            })
        })
        .collect();
    let edges: Vec<Value> = cfg
        .edges()
        .map(|edge| {
            let args: Vec<String> = cfg.args(body, edge).iter().map(ToString::to_string).collect();
            let edge = cfg.edge(edge);
            let kind = format!("{:?}", edge.kind).to_lowercase();
            json!({ "from": edge.from.to_string(), "to": edge.to.to_string(), "kind": kind, "args": args })
        })
        .collect();
    json!({
        "function": func.to_string(),
        "name": body.name().map(|name| module.text_of(name)),
        "shape": shape,
        "blocks": blocks,
        "edges": edges,
    })
}

//! Control-flow graphs in Graphviz's DOT: one cluster per function, one box per block with the text of the block.
//!
//! Refuses to lay out: Graphviz does; `svg` has the layout of the page.

use crate::analysis::{Analyses, Cfg, EdgeKind};
use crate::back::{Backend, Output, Source};
use crate::base::EntityId;
use crate::ir::{Anchor, Block, Diag, Func, Module, Nesting};
use crate::text::{Options, Plain, Printer};
use std::fmt::Write;

/// Control-flow graphs for Graphviz.
pub struct Dot;

impl Backend for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn doc(&self) -> &'static str {
        "Control-flow graphs for Graphviz."
    }

    fn label(&self) -> &'static str {
        "Graph as DOT"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["dot", "gv"]
    }

    fn media(&self) -> &'static str {
        "text/vnd.graphviz"
    }

    fn draws(&self) -> bool {
        true
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        write_dot(source.module, source.funcs, out);
        Ok(())
    }
}

/// The control-flow graphs of `funcs`, in that order; functions without a body are left out.
fn write_dot(module: &Module, funcs: &[Func], out: &mut Output<'_>) {
    out.push_str("digraph vitrine {\n  node [shape=box, fontname=monospace, fontsize=10];\n");
    out.push_str("  edge [fontname=monospace, fontsize=9];\n");
    let mut analyses = Analyses::new();
    for &func in funcs {
        let cfg = analyses.get::<Cfg>(module, func);
        let start = out.position();
        write_func(out, module, func, &cfg);
        out.place(start, Anchor::Func(func));
    }
    out.push_str("}\n");
}

fn write_func(out: &mut Output<'_>, module: &Module, func: Func, cfg: &Cfg) {
    let Some(body) = module.func(func) else { return };
    let name = body.name().map_or(String::new(), |name| format!(" {}", module.text_of(name)));
    let _ = writeln!(out, "  subgraph cluster_{} {{", func.index());
    let _ = writeln!(out, "    label=\"{}\";", escape(&format!("{func}{name}"), "\\n"));
    let nesting = Nesting::of(body);
    for &block in cfg.blocks() {
        let mut text = Plain::new();
        Printer::to_any(module, Options::default(), &mut text).one_block(func, block, &nesting);
        let style = if cfg.is_reachable(block) { "" } else { ", style=dashed" };
        let start = out.position();
        let _ =
            writeln!(out, "    {} [label=\"{}\"{style}];", id(func, block), escape(&text.finish(), "\\l"));
        out.place(start, Anchor::Block(func, block));
    }
    for edge in cfg.edges() {
        let edge = cfg.edge(edge);
        let label = label(edge.kind);
        let _ = writeln!(out, "    {} -> {}{label};", id(func, edge.from), id(func, edge.to));
    }
    out.push_str("  }\n");
}

fn id(func: Func, block: Block) -> String {
    format!("f{}b{}", func.index(), block.index())
}

fn label(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Then => " [label=\"T\"]",
        EdgeKind::Else => " [label=\"F\"]",
        EdgeKind::Default => " [label=\"default\"]",
        EdgeKind::Repeat => " [style=bold]",
        EdgeKind::Goto
        | EdgeKind::Case
        | EdgeKind::Enter
        | EdgeKind::Leave
        | EdgeKind::Break
        | EdgeKind::Continue
        | EdgeKind::Rest => "",
    }
}

/// A DOT string; line breaks become `line_break`.
fn escape(text: &str, line_break: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str(line_break),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_two_labelled_edges() {
        let text = "func @f_0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^1\n^1:\n  return\n}\n";
        let module = crate::text::parse(text).module;
        let mut out = Output::new();
        write_dot(&module, &[Func::from_index(0)], &mut out);
        let dot = out.finish().into_text();
        assert!(dot.contains("label=\"@0 f\""), "{dot}");
        assert!(dot.contains("f0b0 [label=\"^0:\\l  branch %0, ^1, ^1\\l\"]"), "{dot}");
        assert_eq!(dot.matches("f0b0 -> f0b1").count(), 2);
        assert!(dot.contains("[label=\"T\"]") && dot.contains("[label=\"F\"]"));
    }
}

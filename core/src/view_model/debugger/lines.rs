//! Maps instructions to lines of the IR text of a version, and back.
//!
//! Each version is printed once, into a sink that keeps no text.

use crate::analysis::{Cfg, Loops};
use crate::ir::{Anchor, Block, Func, FuncBody, Inst, Module};
use crate::text::{Class, Link, Options, Printer, Sink};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The next thing to execute: an instruction of a function, or the terminator of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Spot {
    /// An instruction.
    Inst(Func, Inst),
    /// The terminator of a block.
    Exit(Func, Block),
}

/// Lines of the text, from 0.
#[derive(Debug, Default)]
pub(super) struct Lines {
    of: FxHashMap<Spot, u32>,
    spots: FxHashMap<u32, Spot>,
    funcs: FxHashMap<Func, u32>,
}

/// Counts lines and records the definitions on each.
struct Counter {
    line: u32,
    defined: Vec<(u32, Anchor)>,
}

impl Sink for Counter {
    fn put(&mut self, _: Class, _: &str, link: Link) {
        if let Link::Def(anchor) = link {
            self.defined.push((self.line, anchor));
        }
    }

    fn open_line(&mut self, _: usize) {}

    fn close_line(&mut self) {
        self.line += 1;
    }
}

impl Lines {
    /// Lines of a version. Linear in its text.
    pub(super) fn of(module: &Module) -> Lines {
        let mut counter = Counter { line: 0, defined: Vec::new() };
        Printer::new(module, Options::default(), &mut counter).module();
        let mut lines = Lines::default();
        for (line, anchor) in counter.defined {
            match anchor {
                Anchor::Inst(func, inst) => lines.put(line, Spot::Inst(func, inst)),
                Anchor::Func(func) => drop(lines.funcs.insert(func, line)),
                Anchor::Block(func, block) => {
                    let Some(body) = module.func(func) else { continue };
                    let data = body.block(block);
                    // Header, instructions, hint, terminator: or the head of the node after the block.
                    let above = 1 + data.insts.len() as u32 + u32::from(data.merge.is_some());
                    lines.put(line + above, Spot::Exit(func, block));
                }
                Anchor::Module
                | Anchor::Struct(_)
                | Anchor::Member(..)
                | Anchor::Global(_)
                | Anchor::Var(_)
                | Anchor::Entry(_)
                | Anchor::Reg(..)
                | Anchor::Arg(..)
                | Anchor::Terminator(..)
                | Anchor::TerminatorArg(..)
                | Anchor::Node(..)
                | Anchor::Span(..)
                | Anchor::Word(_) => {}
            }
        }
        lines
    }

    fn put(&mut self, line: u32, spot: Spot) {
        self.of.insert(spot, line);
        // Parameters share the line of their block: the first one represents it.
        self.spots.entry(line).or_insert(spot);
    }

    /// The line of the first function.
    pub(super) fn first_function(&self) -> Option<u32> {
        self.funcs.values().copied().min()
    }

    /// The line of an instruction or terminator.
    pub(super) fn line(&self, spot: Spot) -> Option<u32> {
        self.of.get(&spot).copied()
    }

    /// The line of a report's or diagnostic's anchor; that of the function if there is no closer one.
    pub(super) fn line_of(&self, anchor: Anchor) -> Option<u32> {
        match anchor {
            Anchor::Inst(func, inst) | Anchor::Arg(func, inst, _) => {
                self.line(Spot::Inst(func, inst)).or(self.funcs.get(&func).copied())
            }
            Anchor::Terminator(func, block)
            | Anchor::TerminatorArg(func, block, _)
            | Anchor::Block(func, block) => {
                self.line(Spot::Exit(func, block)).or(self.funcs.get(&func).copied())
            }
            Anchor::Func(func) | Anchor::Reg(func, _) | Anchor::Node(func, _) => {
                self.funcs.get(&func).copied()
            }
            Anchor::Module
            | Anchor::Struct(_)
            | Anchor::Member(..)
            | Anchor::Global(_)
            | Anchor::Var(_)
            | Anchor::Entry(_)
            | Anchor::Span(..)
            | Anchor::Word(_) => None,
        }
    }

    /// The innermost loop around a report's anchor: ` in the loop ^2 of @0, line 9`; empty outside of loops.
    pub(super) fn loop_of(&self, module: &Module, anchor: Anchor) -> String {
        let (func, block) = match anchor {
            Anchor::Terminator(func, block) | Anchor::Block(func, block) => (func, Some(block)),
            Anchor::Inst(func, inst) | Anchor::Arg(func, inst, _) => {
                let holds = |body: &FuncBody, of: &Block| body.block(*of).insts.contains(&inst);
                (
                    func,
                    module
                        .func(func)
                        .and_then(|body| body.blocks_in_order().into_iter().find(|of| holds(body, of))),
                )
            }
            _ => return String::new(),
        };
        let (Some(body), Some(block)) = (module.func(func), block) else { return String::new() };
        let loops = Loops::of(body, &Rc::new(Cfg::of(body)));
        let Some(header) = loops.innermost(block).map(|of| loops.header(of)) else { return String::new() };
        let line =
            self.line(Spot::Exit(func, header)).map_or(String::new(), |line| format!(", line {}", line + 1));
        format!(" in the loop {header} of {func}{line}")
    }

    /// The instruction or terminator on a line.
    pub(super) fn spot(&self, line: u32) -> Option<Spot> {
        self.spots.get(&line).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print_module};

    #[test]
    fn every_instruction_and_every_exit_has_its_line() {
        for text in [
            include_str!("../../../../www/examples/loop.ir"),
            include_str!("../../../../www/examples/irreducible.ir"),
            include_str!("../../../../www/examples/switch.ir"),
        ] {
            let module = parse(text).module;
            let printed = print_module(&module);
            let line = |at: u32| printed.lines().nth(at as usize).unwrap_or_default().trim();
            let lines = Lines::of(&module);
            for (func, body) in module.funcs() {
                for block in body.blocks_in_order() {
                    for &inst in body.block(block).insts.iter() {
                        let at = lines.line(Spot::Inst(func, inst)).unwrap();
                        assert!(line(at).contains(" = "), "{}", line(at));
                        assert_eq!(lines.spot(at), Some(Spot::Inst(func, inst)));
                    }
                    let at = lines.line(Spot::Exit(func, block)).unwrap();
                    let ends =
                        ["goto ", "branch ", "switch ", "return", "stop ", "next", "break ", "continue "];
                    let heads = ["if ", "loop ", "switch ", "block "];
                    let words = line(at);
                    assert!(
                        ends.iter().chain(&heads).any(|end| words.starts_with(end)),
                        "{at}: {words}\n{printed}"
                    );
                }
            }
        }
    }
}

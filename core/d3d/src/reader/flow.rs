//! Control flow: blocks, loops and subroutines become regions of a tree.
//!
//! A region is open until its end is read. Instructions after a `break` or `ret` up to the end of the region cannot
//! be reached, and are skipped.

use super::Reader;
use super::storage::Storage;
use crate::sm1::{File, Inst as Sm1, Op, Register, Src};
use std::rc::Rc;
use vitrine_ir::ops::{IntBuild, ValueType};
use vitrine_ir::{Args, Attrs, Block, Inst, Node, NodeData, NodeKind, Region, RegionData, Terminator};

/// A region that is not complete.
pub(super) struct Open {
    head: Block,
    rest: Vec<(Node, Block)>,
    kind: Kind,
    /// The first word of the instruction that began it.
    word: u32,
}

enum Kind {
    /// A function.
    Root,
    /// The first part of an `if`.
    Then { node: Node, cond: Inst },
    /// The second part.
    Else { node: Node, cond: Inst, then: Region },
    /// A loop.
    Loop { node: Node, counter: Storage, repeats: Option<Repeats> },
}

/// The register `aL` of a `loop`.
struct Repeats {
    /// Its value outside of the loop.
    saved: Storage,
    /// The integer constant of the loop.
    constant: Src,
}

/// The region that is read, and those around it.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) open: Vec<Open>,
    /// True if the current block has ended.
    pub(super) ended: bool,
    /// The number of blocks that began in code that cannot be reached.
    skipped: u32,
}

impl Reader<'_> {
    /// Begins the first region of a function at the cursor.
    pub(super) fn begin_function(&mut self) {
        let head = self.cursor.block;
        self.flow = Flow::default();
        self.flow.open.push(Open { head, rest: Vec::new(), kind: Kind::Root, word: self.cursor.word });
    }

    /// Reports and ends the regions that are open at the end of a function.
    pub(super) fn close_all(&mut self) {
        while let Some(open) = self.flow.open.last().filter(|open| !matches!(open.kind, Kind::Root)) {
            let word = open.word;
            self.error_at(word, "D131", "the block that begins here has no end".to_owned());
            self.close();
        }
    }

    /// The region of a whole function.
    pub(super) fn root(&mut self) -> Region {
        let root = self.flow.open.pop();
        let data = root.map(|root| RegionData { head: root.head, rest: Rc::new(root.rest) });
        self.cursor.asm.add_region(data.unwrap_or_else(|| RegionData::new(self.cursor.block)))
    }

    /// Reads an instruction of control flow. Returns false if it is another one, or skips it.
    pub(super) fn control(&mut self, inst: &Sm1) -> bool {
        if self.flow.ended && !self.is_end(inst.op) {
            return true;
        }
        let [a, b, ..] = &inst.sources;
        match inst.op {
            Op::If => {
                let cond = self.condition(a);
                self.begin_if(cond);
            }
            Op::IfC => {
                let cond = self.comparison(inst);
                self.begin_if(cond);
            }
            Op::Else => self.begin_else(),
            Op::EndIf | Op::EndLoop | Op::EndRep => self.end(inst.op),
            Op::Rep => self.begin_loop(a, false),
            Op::Loop => self.begin_loop(b, true),
            Op::Break => self.leave(None),
            Op::BreakC => {
                let cond = self.comparison(inst);
                self.leave(Some(cond));
            }
            Op::BreakP => {
                let cond = self.condition(a);
                self.leave(Some(cond));
            }
            Op::Call => self.call(a),
            Op::CallNz => {
                let cond = self.condition(b);
                self.begin_if(cond);
                self.call(a);
                self.close();
            }
            Op::Ret => self.finish_path(),
            _ => return false,
        }
        true
    }

    /// Returns true for the end of a region that has ended already; counts regions that begin and end in code that
    /// cannot be reached.
    fn is_end(&mut self, op: Op) -> bool {
        match op {
            Op::If | Op::IfC | Op::Rep | Op::Loop => self.flow.skipped += 1,
            Op::EndIf | Op::EndLoop | Op::EndRep if self.flow.skipped > 0 => self.flow.skipped -= 1,
            Op::EndIf | Op::EndLoop | Op::EndRep => return true,
            Op::Else => return self.flow.skipped == 0,
            _ => {}
        }
        false
    }

    fn comparison(&mut self, inst: &Sm1) -> Inst {
        let [a, b, ..] = &inst.sources;
        let [x, y] = [a, b].map(|src| self.scalar(src));
        self.compared(inst.control, x, y)
    }

    fn push(&mut self, kind: Kind) {
        let head = self.cursor.add_block(Terminator::next());
        self.flow.open.push(Open { head, rest: Vec::new(), kind, word: self.cursor.word });
        self.cursor.block = head;
        self.flow.ended = false;
    }

    /// Ends the current block and region; returns its parts.
    fn pop(&mut self) -> Option<(Region, Kind)> {
        if !self.flow.ended {
            self.cursor.terminate(Terminator::next());
        }
        let open = self.flow.open.pop()?;
        let region = self.cursor.asm.add_region(RegionData { head: open.head, rest: Rc::new(open.rest) });
        Some((region, open.kind))
    }

    /// Puts a node into the region that is open now, and continues after it.
    fn put(&mut self, node: Node, kind: NodeKind) {
        self.cursor.asm.put_node(node, NodeData { kind, attrs: Attrs::None });
        let after = self.cursor.add_block(Terminator::next());
        if let Some(open) = self.flow.open.last_mut() {
            open.rest.push((node, after));
        }
        self.cursor.block = after;
        self.flow.ended = false;
    }

    fn begin_if(&mut self, cond: Inst) {
        self.cursor.terminate(Terminator::next());
        let node = self.cursor.asm.add_node(NodeData::default());
        self.push(Kind::Then { node, cond });
    }

    fn begin_else(&mut self) {
        if !matches!(self.flow.open.last(), Some(Open { kind: Kind::Then { .. }, .. })) {
            self.error("D131", "`else` without `if`".to_owned());
            return;
        }
        if let Some((then, Kind::Then { node, cond })) = self.pop() {
            self.push(Kind::Else { node, cond, then });
        }
    }

    fn end(&mut self, op: Op) {
        let fits = match self.flow.open.last().map(|open| &open.kind) {
            Some(Kind::Then { .. } | Kind::Else { .. }) => op == Op::EndIf,
            Some(Kind::Loop { repeats, .. }) => {
                op == if repeats.is_some() { Op::EndLoop } else { Op::EndRep }
            }
            Some(Kind::Root) | None => false,
        };
        if fits {
            self.close();
        } else {
            self.error("D131", format!("`{}` does not end the block that is open", op.info().name));
        }
    }

    /// Ends the innermost region.
    fn close(&mut self) {
        match self.pop() {
            Some((then, Kind::Then { node, cond })) => {
                let empty = self.cursor.add_block(Terminator::next());
                let els = self.cursor.asm.add_region(RegionData::new(empty));
                self.put(node, NodeKind::If { cond, then, els });
            }
            Some((els, Kind::Else { node, cond, then })) => self.put(node, NodeKind::If { cond, then, els }),
            Some((body, Kind::Loop { node, counter, repeats })) => {
                self.end_loop(body, node, counter, repeats);
            }
            Some((_, Kind::Root)) | None => {}
        }
    }

    /// Begins a loop that is executed as often as the first component of an integer constant states.
    fn begin_loop(&mut self, constant: &Src, has_counter: bool) {
        if constant.register.file != File::ConstInt {
            self.error("D132", "a loop needs an integer constant".to_owned());
        }
        let count = self.scalar(constant);
        let name = format!("trips{}", self.cursor.regs);
        let counter = self.cursor.add_reg(&name, ValueType::B32, 0);
        self.cursor.write(counter.place(), count, 1);
        let repeats = has_counter.then(|| self.begin_counter(constant)).flatten();
        self.cursor.terminate(Terminator::next());
        let node = self.cursor.asm.add_node(NodeData::default());
        self.push(Kind::Loop { node, counter, repeats });
        let left = self.cursor.read(counter.place());
        let zero = self.cursor.int(0);
        let is_done = self.cursor.ile(left, zero);
        self.leave(Some(is_done));
    }

    /// Saves `aL` and gives it its first value.
    fn begin_counter(&mut self, constant: &Src) -> Option<Repeats> {
        let &counter = self.interface.single.get(&Register::new(File::Loop, 0))?;
        let name = format!("saved{}", self.cursor.regs);
        let saved = self.cursor.add_reg(&name, ValueType::B32, 0);
        let old = self.cursor.read(counter.place());
        self.cursor.write(saved.place(), old, 1);
        let first = self.source(constant, &[1]);
        self.cursor.write(counter.place(), first, 1);
        Some(Repeats { saved, constant: *constant })
    }

    fn end_loop(&mut self, body: Region, node: Node, counter: Storage, repeats: Option<Repeats>) {
        let block = self.cursor.add_block(Terminator::next());
        self.cursor.block = block;
        let left = self.cursor.read(counter.place());
        let minus_one = self.cursor.int(-1);
        let left = self.cursor.iadd(left, minus_one);
        self.cursor.write(counter.place(), left, 1);
        let register = self.interface.single.get(&Register::new(File::Loop, 0)).copied();
        if let (Some(repeats), Some(register)) = (&repeats, register) {
            let now = self.cursor.read(register.place());
            let step = self.source(&repeats.constant, &[2]);
            let next = self.cursor.iadd(now, step);
            self.cursor.write(register.place(), next, 1);
        }
        let continuing = Some(self.cursor.asm.add_region(RegionData::new(block)));
        self.put(node, NodeKind::Loop { body, continuing });
        if let (Some(repeats), Some(register)) = (repeats, register) {
            let old = self.cursor.read(repeats.saved.place());
            self.cursor.write(register.place(), old, 1);
        }
    }

    /// Leaves the innermost loop, or leaves it if a condition holds.
    fn leave(&mut self, cond: Option<Inst>) {
        let inner = self.flow.open.iter().rev().find_map(|open| match open.kind {
            Kind::Loop { node, .. } => Some(node),
            Kind::Root | Kind::Then { .. } | Kind::Else { .. } => None,
        });
        let Some(inner) = inner else {
            self.error("D131", "there is no loop to leave".to_owned());
            return;
        };
        let exit = Terminator::Break(inner, Args::default());
        let Some(cond) = cond else {
            self.cursor.terminate(exit);
            self.flow.ended = true;
            return;
        };
        self.begin_if(cond);
        self.cursor.terminate(exit);
        self.flow.ended = true;
        self.close();
    }

    fn call(&mut self, label: &Src) {
        let number = label.register.number;
        match self.functions.get(&number).copied() {
            // Calls go forward only, so that there is no recursion.
            Some((order, func)) if order > self.order => self.cursor.call(func),
            Some(_) => self.error("D136", format!("`l{number}` is not after the call")),
            None => self.error("D136", format!("there is no label `l{number}`")),
        }
    }

    /// Ends the function here.
    pub(super) fn finish_path(&mut self) {
        if self.order == 0 {
            self.interface.epilogue(&mut self.cursor);
        }
        self.cursor.terminate(Terminator::Return(None));
        self.flow.ended = true;
    }
}

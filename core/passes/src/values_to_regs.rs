//! `values-to-regs`: converts block parameters to registers.
//!
//! ```text
//! ^1: next(%a, %b)   ^2(%p, %q): …     =>     ^1: ~0 = %a  ~1 = %b   ^2: %p = reg.load ~0  %q = reg.load ~1
//! ```
//!
//! An edge passes its values simultaneously, whereas stores are sequential. This is safe: a block loads its
//! registers before any other instruction, and the stored operands are values, not registers. So swapped
//! parameters, a parameter that is still used after the next iteration has begun, and a condition that is
//! itself a parameter are all handled correctly. An edge of a branch is split, so that its stores are not
//! executed on the path to another target.
//!
//! A path to memory with a physical address is kept as its bits. Other paths and handles cannot be kept in registers; their
//! parameters are unchanged.

use super::pass::{PassInfo, RunFn, nothing};
use crate::util::open::has_params;
use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt, became};
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::Editor;
use vitrine_ir::Journal;
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, Op, PtrOp, RegOp, ValueType, Width};
use vitrine_ir::{
    Anchor, Args, Assembler, Block, Case, CowVec, Diag, Edge, Event, Func, FuncBody, Inst, InstData, Mode,
    Module, Origin, Reg, RegData, Shape, Terminator,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts block parameters to registers.",
    reason,
    ..PassInfo::new(
        "values-to-regs",
        opening!("values_to_regs.rs"),
        RunFn::Rebuilds(|module, func, cx| nothing(converted(module, func, cx.analyses))),
    )
};

/// Converts the block parameters of a function to registers; returns their number. Works on both shapes.
///
/// Error: `P101` no such function.
pub fn values_to_regs(module: &mut Module, func: Func) -> Result<u32, Diag> {
    converted(module, func, &mut Analyses::new())
}

/// Does the same with a cache of analyses.
fn converted(module: &mut Module, func: Func, analyses: &mut Analyses) -> Result<u32, Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    if !has_params(body) {
        return Ok(0);
    }
    let body = body.clone();
    let mut converter = Converter { asm: rebuild::copy(&body), regs: SideTable::new(), count: 0 };
    converter.declare(&body);
    if converter.count > 0 {
        let count = converter.count;
        let cfg = analyses.get::<Cfg>(module, func);
        Editor::replace_body(module, func, converter.convert(&body, &cfg), Journal::new());
        return Ok(count);
    }
    Ok(0)
}

/// The reason for a difference between the versions.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    const ADDRESS_BITS: &str = "a register holds an address as its bits";
    Some(match rebuilt.change(event)? {
        Change::ChangedInst(old, new) if became(old, new, RegOp::Load) => {
            "a parameter of a block is a register, and the block loads it"
        }
        Change::ChangedInst(old, new) if became(old, new, DerefOp::FromBits) => ADDRESS_BITS,
        Change::NewInst(data) if data.op == RegOp::Store.into() => {
            "the value that an edge passed is stored to the register of the parameter"
        }
        Change::NewInst(_) => ADDRESS_BITS,
        Change::NewBlock => "the stores for one edge must not run on the other edges of the branch",
        Change::ChangedBlock(old, new) if old.params != new.params => "its parameters are registers",
        Change::ChangedBlock(..) => "its edges pass these values in registers",
        Change::ChangedInst(..)
        | Change::GoneInst(_)
        | Change::MovedInst
        | Change::GoneBlock
        | Change::MovedBlock
        | Change::NewNode(_)
        | Change::GoneNode(_)
        | Change::ChangedNode
        | Change::MovedNode => return None,
    })
}

/// An address as a number.
const ADDRESS: ValueType = ValueType::bits(Width::W64, 1);

/// Returns true for a path to memory with a physical address.
fn is_address(body: &FuncBody, value: Inst) -> bool {
    let mode = body.inst(value).attrs.word::<Mode>();
    body.ty(value) == ValueType::Path && mode == Some(Mode::Physical)
}

/// The source line at which an edge passes a value to a parameter: that of the value; of a constant, that of the terminator or,
/// if there is none, the line at which the variable of the parameter was first set.
fn line_of_edge(body: &FuncBody, from: Block, value: Inst, param: Inst) -> Origin {
    let lines = [body.origin(value), body.end_origin(from), body.origin(param)].map(Origin::line_only);
    lines.into_iter().find(|origin| origin.line > 0).unwrap_or_default()
}

struct Converter {
    asm: Assembler,
    /// The register of each converted parameter.
    regs: SideTable<Inst, Option<Reg>>,
    count: u32,
}

impl Converter {
    fn declare(&mut self, body: &FuncBody) {
        let first = body.tables().regs.len();
        for block in body.blocks_in_order() {
            for &param in body.block(block).params.iter() {
                let is_address = is_address(body, param);
                let ty = if is_address { ADDRESS } else { body.ty(param) };
                let Some(width) = ty.width() else { continue };
                let reg = Reg::from_index(first + self.count as usize);
                let name = body.inst_name(param);
                self.asm.put_reg(reg, RegData { name, width, components: ty.components(), len: 0 });
                self.regs[param] = Some(reg);
                self.count += 1;
            }
        }
    }

    fn convert(mut self, body: &FuncBody, cfg: &Cfg) -> FuncBody {
        let order = body.blocks_in_order();
        let mut all = Vec::with_capacity(order.len());
        for &block in &order {
            all.push(block);
            let terminator = body.terminator(block);
            if terminator.is_tree_only() {
                // Of the successors of a terminator, at most one has parameters.
                if let Some(to) = cfg.succs(block).find(|&to| !body.block(to).params.is_empty()) {
                    self.tree_terminator(body, block, to);
                }
            } else {
                self.graph_terminator(body, block, &mut all);
            }
        }
        for &block in &order {
            self.load_params(body, block);
        }
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(_) => self.asm.graph(all),
            Shape::Tree(root) => self.asm.tree(*root),
        }
        self.asm.finish()
    }

    /// Parameters become loads at the start of the block, with the same ids.
    fn load_params(&mut self, body: &FuncBody, block: Block) {
        let params = &body.block(block).params;
        let (loads, stay): (Vec<Inst>, Vec<Inst>) =
            params.iter().partition(|&&param| self.regs[param].is_some());
        let mut first = Vec::with_capacity(loads.len());
        let mut paths = Vec::new();
        for &param in &loads {
            let Some(reg) = self.regs[param] else { continue };
            let ty = if is_address(body, param) { ADDRESS } else { body.ty(param) };
            let load = InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64);
            if ty == body.ty(param) {
                *self.asm.inst_mut(param) = load;
                first.push(param);
                continue;
            }
            let bits = self.asm.add_inst(load);
            let attrs = body.inst(param).attrs.clone();
            *self.asm.inst_mut(param) =
                InstData { attrs, ..InstData::new(DerefOp::FromBits, ValueType::Path, &[bits]) };
            first.push(bits);
            paths.push(param);
        }
        if !loads.is_empty() {
            self.asm.block_mut(block).params = CowVec::new(stay);
            first.extend(paths);
            rebuild::prepend(&mut self.asm, block, first);
        }
    }

    /// Stores the arguments of converted parameters; returns the remaining arguments.
    fn split(&mut self, body: &FuncBody, from: Block, to: Block, args: &Args) -> (Vec<Inst>, Args) {
        let (mut stores, mut passed) = (Vec::new(), Vec::new());
        for (&param, &arg) in body.block(to).params.iter().zip(args.iter()) {
            match self.regs[param] {
                // Any address will do.
                Some(_) if is_address(body, param) && body.inst(arg).op == Op::Basic(BasicOp::Undef) => {}
                Some(reg) => {
                    let arg = match is_address(body, param) {
                        true => {
                            let bits = self.asm.add_inst(InstData::new(PtrOp::ToBits, ADDRESS, &[arg]));
                            self.asm.origin(bits, line_of_edge(body, from, arg, param));
                            stores.push(bits);
                            bits
                        }
                        false => arg,
                    };
                    let data = InstData::new(RegOp::Store, ValueType::Void, &[arg]);
                    let store = self.asm.add_inst(data.with(Key::Reg, reg.index() as u64));
                    self.asm.origin(store, line_of_edge(body, from, arg, param));
                    stores.push(store);
                }
                None => passed.push(arg),
            }
        }
        (stores, Args::new(&passed))
    }

    fn tree_terminator(&mut self, body: &FuncBody, block: Block, to: Block) {
        let terminator = body.terminator(block);
        let (Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args)) =
            terminator
        else {
            return;
        };
        let (stores, passed) = self.split(body, block, to, args);
        rebuild::append(&mut self.asm, block, &stores);
        self.asm.block_mut(block).terminator = match terminator {
            Terminator::Break(node, _) => Terminator::Break(*node, passed),
            Terminator::Continue(node, _) => Terminator::Continue(*node, passed),
            Terminator::Next(_)
            | Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => Terminator::Next(passed),
        };
    }

    fn graph_terminator(&mut self, body: &FuncBody, block: Block, all: &mut Vec<Block>) {
        let terminator = match body.terminator(block) {
            Terminator::Goto(edge) => {
                let (stores, args) = self.split(body, block, edge.to, &edge.args);
                rebuild::append(&mut self.asm, block, &stores);
                Terminator::Goto(Edge { to: edge.to, args })
            }
            Terminator::Branch { cond, then, els } => Terminator::Branch {
                cond: *cond,
                then: self.split_edge(body, block, then, all),
                els: self.split_edge(body, block, els, all),
            },
            Terminator::Switch { on, cases, default } => {
                let mut own = |edge: &Edge| self.split_edge(body, block, edge, all);
                let mut case = |case: &Case| Case { values: case.values.clone(), edge: own(&case.edge) };
                let cases = cases.iter().map(&mut case).collect();
                Terminator::Switch { on: *on, cases, default: own(default) }
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => return,
        };
        self.asm.block_mut(block).terminator = terminator;
    }

    /// Splits an edge with a block for its stores.
    fn split_edge(&mut self, body: &FuncBody, from: Block, edge: &Edge, all: &mut Vec<Block>) -> Edge {
        let (stores, args) = self.split(body, from, edge.to, &edge.args);
        if stores.is_empty() {
            return edge.clone();
        }
        let split = rebuild::empty_block(&mut self.asm, Terminator::Goto(Edge { to: edge.to, args }));
        rebuild::append(&mut self.asm, split, &stores);
        all.push(split);
        Edge { to: split, args: Args::default() }
    }
}

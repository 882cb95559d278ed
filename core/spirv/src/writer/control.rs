//! Writes the tree as branches, merges and phis.
//!
//! ```text
//! loop !0 { ^1 … }             ^1: phis, OpLoopMerge ^4 ^back, branch ^2     the header contains nothing else
//! ^4                           ^2: the instructions of the first block …
//!                              ^back: branch ^1                              unless the loop has a continuing region
//! ```
//!
//! An arm that only jumps has no block: the branch goes to its target directly. The end of a continuing region,
//! `if %c { next } else { break }`, is the branch back to the header.

use super::diagnostics::SHAPE;
use super::function::FunctionWriter;
use super::module::Writer;
use super::shared::{LoopLabels, Scalar, Slot};
use super::words::Words;
use crate::spec::Op as S;
use crate::{BRANCH_HINTS, LOOP_HINTS};
use vitrine_analysis::exits::OneTrip;
use vitrine_ir::ops::{BasicOp, Hints, Key, Op, ValueType, Width};
use vitrine_ir::{
    Anchor, Args, Arm, Attrs, Block, Diag, Inst, Node, NodeKind, Region, Stop, Terminator, TreeStep, TreeWalk,
};

/// The target of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum JumpTarget {
    Block(Block),
    /// The back edge of a loop without a continuing region.
    BackEdge(Node),
}

impl<'a> FunctionWriter<'_, 'a> {
    /// Writes every block of the tree.
    pub(super) fn blocks(&mut self) -> Result<(), Diag> {
        let body = self.body;
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Block(block) if self.skipped.contains(&block) => {}
                TreeStep::Block(block) => self.block(block)?,
                TreeStep::Leave(node) => self.close_loop(node)?,
                TreeStep::Enter(_) | TreeStep::Open(..) => {}
            }
        }
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), Diag> {
        let label = self.label(block);
        self.begin(label);
        if self.body.entry() == Some(block) {
            self.phis.vars_at = self.code.len();
        }
        self.params(block)?;
        if let Some(node) = self.loop_headed_by(block) {
            self.loop_header(node, label)?;
        }
        self.insts(block)?;
        self.terminator(block)
    }

    /// The loop that begins with a block.
    fn loop_headed_by(&self, block: Block) -> Option<Node> {
        let place = self.nesting.block(block).filter(|place| place.at == 0)?;
        let owner = self.nesting.owner(place.region)?;
        matches!(self.body.node(owner).kind, NodeKind::Loop { body, .. } if body == place.region)
            .then_some(owner)
    }

    /// Gives the parameters of a block their ids.
    fn params(&mut self, block: Block) -> Result<(), Diag> {
        let params = self.body.block(block).params.clone();
        if params.is_empty() {
            return Ok(());
        }
        let mut phis = Vec::with_capacity(params.len());
        for &param in params.iter() {
            let (ty, scalar) = self.param_type(param)?;
            let id = self.writer.fresh();
            self.describe_result(param, id);
            self.define_param(param, id, ty, scalar)?;
            phis.push((id, ty));
        }
        self.phis.places.push((self.code.len(), block, phis));
        params.iter().for_each(|&param| self.debug_values(param));
        Ok(())
    }

    fn param_type(&mut self, param: Inst) -> Result<(u32, Scalar), Diag> {
        match self.body.ty(param) {
            ty @ ValueType::Bits { .. } => {
                let scalar = self.scalar_hint(param);
                Ok((self.number(scalar, ty, param)?, scalar))
            }
            _ => Ok((self.opaque_type(param)?, Scalar::Uint)),
        }
    }

    fn loop_header(&mut self, node: Node, label: u32) -> Result<(), Diag> {
        let merge = self.block_after(node)?;
        let merge = self.label(merge);
        let NodeKind::Loop { continuing, .. } = self.body.node(node).kind else { return Ok(()) };
        let back = match continuing {
            Some(region) => self.label(self.body.region(region).head),
            None => {
                let back = self.writer.fresh();
                self.loop_labels.insert(node, LoopLabels { header: label, back, incoming: Vec::new() });
                back
            }
        };
        let (control, numbers) = self.loop_control(&self.body.node(node).attrs);
        self.code.parts(S::LoopMerge, &[&[merge, back, control], &numbers]);
        let first = self.writer.fresh();
        self.code.inst(S::Branch, &[first]);
        self.begin(first);
        Ok(())
    }

    fn loop_control(&self, attrs: &Attrs) -> (u32, Vec<u32>) {
        let hints = attrs.words::<Hints>();
        let control = LOOP_HINTS
            .iter()
            .filter(|(_, hint, _)| hints.has(*hint))
            .fold(0, |control, (bit, ..)| control | bit);
        let numbers = attrs.get(Key::HintArgs).map_or(&[][..], |blob| {
            self.writer.module.blob_of(vitrine_ir::base::EntityId::from_index(blob as usize))
        });
        (control, numbers.to_vec())
    }

    /// The back-edge block of a loop, once all of its predecessors are known.
    fn close_loop(&mut self, node: Node) -> Result<(), Diag> {
        let Some(labels) = self.loop_labels.remove(&node) else { return Ok(()) };
        self.begin(labels.back);
        if let NodeKind::Loop { body, .. } = self.body.node(node).kind {
            let header = self.body.region(body).head;
            let mut ids = Vec::new();
            for (at, &param) in self.body.block(header).params.iter().enumerate() {
                let (ty, _) = self.param_type(param)?;
                let given: Vec<(u32, u32)> =
                    labels.incoming.iter().filter_map(|(from, ids)| Some((*ids.get(at)?, *from))).collect();
                ids.push(match given[..] {
                    [] => self.writer.typed(S::Undef, ty, &[]),
                    [(first, _), ref rest @ ..] if rest.iter().all(|&(id, _)| id == first) => first,
                    _ => {
                        let words: Vec<u32> = given.iter().flat_map(|&(id, from)| [id, from]).collect();
                        self.emit(S::Phi, ty, &words)
                    }
                });
            }
            self.phis.incoming.entry(header).or_default().push((labels.back, ids));
        }
        self.code.inst(S::Branch, &[labels.header]);
        Ok(())
    }

    fn block_after(&self, node: Node) -> Result<Block, Diag> {
        self.nesting.after(self.body, node).ok_or_else(|| {
            let at = Anchor::Node(self.func, node);
            Diag::error(SHAPE, at).names(node, at).says("is not in the tree").help("validate the module")
        })
    }

    /// The node after a block.
    fn node_after(&self, block: Block) -> Option<Node> {
        self.nesting.node_after(self.body, block)
    }

    /// The target of `continue`.
    fn continue_target(&self, node: Node) -> JumpTarget {
        match self.body.node(node).kind {
            NodeKind::Loop { continuing: Some(region), .. } => {
                JumpTarget::Block(self.body.region(region).head)
            }
            _ => JumpTarget::BackEdge(node),
        }
    }

    /// The target of the last block of a region.
    fn region_exit(&self, block: Block) -> Result<JumpTarget, Diag> {
        let at = Anchor::Block(self.func, block);
        let lost =
            || Diag::error(SHAPE, at).names(block, at).says("has no successor").help("validate the module");
        let region = self.nesting.block(block).ok_or_else(lost)?.region;
        let owner = self.nesting.owner(region).ok_or_else(lost)?;
        match self.body.node(owner).kind {
            NodeKind::Loop { body, .. } if body == region => Ok(self.continue_target(owner)),
            NodeKind::Loop { body, .. } => Ok(JumpTarget::Block(self.body.region(body).head)),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                Ok(JumpTarget::Block(self.block_after(owner)?))
            }
        }
    }

    /// The target of a terminator that is a plain jump, with its arguments.
    fn jump(&self, block: Block) -> Result<Option<(JumpTarget, &'a Args)>, Diag> {
        Ok(match self.body.terminator(block) {
            Terminator::Next(args) if self.node_after(block).is_none() => {
                Some((self.region_exit(block)?, args))
            }
            Terminator::Break(node, args) => Some((JumpTarget::Block(self.block_after(*node)?), args)),
            Terminator::Continue(node, args) => Some((self.continue_target(*node), args)),
            Terminator::Next(_)
            | Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        })
    }

    /// Records an edge from the current block. Returns the label of its target. Casts are written before the
    /// branch.
    fn edge(&mut self, to: JumpTarget, args: &[Inst]) -> Result<u32, Diag> {
        let target = match to {
            JumpTarget::Block(block) => block,
            JumpTarget::BackEdge(node) => match self.body.node(node).kind {
                NodeKind::Loop { body, .. } => self.body.region(body).head,
                _ => return Ok(0),
            },
        };
        let mut ids = Vec::with_capacity(args.len());
        let params = self.body.block(target).params.clone();
        for (&arg, &param) in args.iter().zip(params.iter()) {
            ids.push(match self.body.ty(param) {
                ValueType::Bits { .. } => {
                    let scalar = self.scalar_hint(param);
                    self.id_as(arg, scalar)?
                }
                _ => self.whole(arg)?.0,
            });
        }
        let here = self.here;
        match to {
            JumpTarget::Block(block) => {
                if !params.is_empty() {
                    self.phis.incoming.entry(block).or_default().push((here, ids));
                }
                Ok(self.label(block))
            }
            JumpTarget::BackEdge(node) => match self.loop_labels.get_mut(&node) {
                Some(labels) => {
                    labels.incoming.push((here, ids));
                    Ok(labels.back)
                }
                None => Ok(0),
            },
        }
    }

    fn terminator(&mut self, block: Block) -> Result<(), Diag> {
        if *self.body.terminator(block) != Terminator::Stop(Stop::EmitMeshTasks) {
            self.end_line(block);
        }
        if let Some((to, args)) = self.jump(block)? {
            let label = self.edge(to, args)?;
            self.code.inst(S::Branch, &[label]);
            return Ok(());
        }
        match self.body.terminator(block) {
            Terminator::Next(args) => match self.node_after(block) {
                Some(node) => self.enter(block, node, args)?,
                None => self.code.inst(S::Unreachable, &[]),
            },
            Terminator::Return(value) => self.return_words(*value)?,
            Terminator::Stop(stop) => match stop {
                Stop::Discard => self.code.inst(S::Kill, &[]),
                Stop::Terminate => self.code.inst(S::TerminateInvocation, &[]),
                Stop::Unreachable => self.code.inst(S::Unreachable, &[]),
                Stop::IgnoreIntersection => self.code.inst(S::IgnoreIntersectionKHR, &[]),
                Stop::TerminateRay => self.code.inst(S::TerminateRayKHR, &[]),
                // The previous instruction already terminates the block.
                Stop::EmitMeshTasks => {}
            },
            Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => {}
        }
        Ok(())
    }

    fn enter(&mut self, block: Block, node: Node, args: &Args) -> Result<(), Diag> {
        let data = self.body.node(node);
        match &data.kind {
            NodeKind::If { cond, then, els } => self.selection(block, node, *cond, [*then, *els]),
            NodeKind::Switch { on, arms } => self.switch(node, *on, arms),
            NodeKind::Loop { body, .. } => {
                let header = self.body.region(*body).head;
                let label = self.edge(JumpTarget::Block(header), args)?;
                self.code.inst(S::Branch, &[label]);
                Ok(())
            }
            NodeKind::Block { body } => self.labeled_block(node, *body),
        }
    }

    /// The target of an arm that is a single empty block.
    fn empty_arm(&self, region: Region) -> Result<Option<(JumpTarget, &'a Args)>, Diag> {
        let data = self.body.region(region);
        match data.rest.is_empty()
            && self.body.block(data.head).params.is_empty()
            && self.is_silent(data.head)
        {
            true => self.jump(data.head),
            false => Ok(None),
        }
    }

    /// Returns true if no instruction of a block is written here: constants are written at module scope.
    fn is_silent(&self, block: Block) -> bool {
        let silent = |&inst: &Inst| {
            let data = self.body.inst(inst);
            matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef))
                && data.ty != ValueType::Path
        };
        self.body.block(block).insts.iter().all(silent)
    }

    /// Skips an empty block.
    fn skip(&mut self, block: Block) -> Result<(), Diag> {
        self.skipped.insert(block);
        self.insts(block)
    }

    fn selection(&mut self, block: Block, node: Node, cond: Inst, arms: [Region; 2]) -> Result<(), Diag> {
        let cond = self.id_as(cond, Scalar::Bool)?;
        if self.branch_back(block, node, cond, arms)? {
            return Ok(());
        }
        let [mut then, els] = [self.empty_arm(arms[0])?, self.empty_arm(arms[1])?];
        if let (Some((a, _)), Some((b, _))) = (then, els)
            && a == b
        {
            then = None;
        }
        let merge = self.block_after(node)?;
        let merge = self.label(merge);
        let mut labels = [0; 2];
        for (at, (region, bare)) in arms.into_iter().zip([then, els]).enumerate() {
            let head = self.body.region(region).head;
            labels[at] = match bare {
                Some((to, args)) => {
                    self.skip(head)?;
                    self.edge(to, args)?
                }
                None => self.label(head),
            };
        }
        let control = branch_control(&self.body.node(node).attrs);
        self.code.inst(S::SelectionMerge, &[merge, control]);
        self.code.inst(S::BranchConditional, &[cond, labels[0], labels[1]]);
        Ok(())
    }

    /// The end of a continuing region: the next iteration, or the exit of the loop.
    fn branch_back(&mut self, block: Block, node: Node, cond: u32, arms: [Region; 2]) -> Result<bool, Diag> {
        let Some(place) = self.nesting.block(block) else { return Ok(false) };
        let Some(owner) = self.nesting.owner(place.region) else { return Ok(false) };
        let NodeKind::Loop { body, continuing } = self.body.node(owner).kind else { return Ok(false) };
        let after = self.block_after(node)?;
        let is_last = self.body.region(place.region).last() == after;
        if continuing != Some(place.region) || !is_last || !self.is_silent(after) {
            return Ok(false);
        }
        let Terminator::Next(back) = self.body.terminator(after) else { return Ok(false) };
        let (header, merge) =
            (JumpTarget::Block(self.body.region(body).head), JumpTarget::Block(self.block_after(owner)?));
        let mut targets = Vec::new();
        for region in arms {
            match self.empty_arm(region)? {
                Some((to, args)) if to == JumpTarget::Block(after) => {
                    // The arguments of the block after the node, with its own parameters replaced.
                    let params = self.body.block(after).params.clone();
                    let given = |arg: Inst| match params.iter().position(|&param| param == arg) {
                        Some(at) => args.get(at).copied().unwrap_or(arg),
                        None => arg,
                    };
                    targets.push((header, back.map(given)));
                }
                Some((to, args)) if to == merge => targets.push((merge, args.clone())),
                _ => return Ok(false),
            }
        }
        let [(first, first_args), (second, second_args)] = &targets[..] else { return Ok(false) };
        if first == second {
            return Ok(false);
        }
        for block in arms.map(|region| self.body.region(region).head).into_iter().chain([after]) {
            self.skip(block)?;
        }
        let labels = [self.edge(*first, first_args)?, self.edge(*second, second_args)?];
        self.code.inst(S::BranchConditional, &[cond, labels[0], labels[1]]);
        Ok(true)
    }

    fn switch(&mut self, node: Node, on: Inst, arms: &[Arm]) -> Result<(), Diag> {
        let selector = self.int_id(on)?;
        let width = self.body.ty(on).width().unwrap_or_default();
        let mut words = vec![selector, 0];
        let after = self.block_after(node)?;
        let merge = self.label(after);
        for arm in arms {
            let head = self.body.region(arm.body).head;
            // A case that exits another construct needs a separate block.
            let bare = match arm.default && arm.values.is_empty() {
                true => self.empty_arm(arm.body)?.filter(|&(to, _)| to == JumpTarget::Block(after)),
                false => None,
            };
            let label = match bare {
                Some((to, args)) => {
                    self.skip(head)?;
                    self.edge(to, args)?
                }
                None => self.label(head),
            };
            if arm.default {
                words[1] = label;
            }
            // As `int_id` writes the selector.
            let signed = match self.slot(on) {
                Slot::Const(_) | Slot::Undef => true,
                Slot::Bits { scalar, .. } => scalar == Scalar::Int,
                Slot::Global(global) => self.writer.global(global)?.scalar == Some(Scalar::Int),
                _ => self.scalar_hint(on) == Scalar::Int,
            };
            for &value in &arm.values {
                match width {
                    Width::W64 => words.extend([value as u32, (value >> 32) as u32]),
                    Width::W8 if signed => words.push(value as u8 as i8 as u32),
                    Width::W16 if signed => words.push(value as u16 as i16 as u32),
                    Width::W1 | Width::W8 | Width::W16 | Width::W32 => words.push(value as u32),
                }
                words.push(label);
            }
        }
        let control = branch_control(&self.body.node(node).attrs);
        self.code.inst(S::SelectionMerge, &[merge, control]);
        self.code.inst(S::Switch, &words);
        Ok(())
    }

    /// A labeled block: a switch of one arm, or a loop of one iteration if a break comes from inside a
    /// switch.
    fn labeled_block(&mut self, node: Node, body: Region) -> Result<(), Diag> {
        let zero = (!self.is_one_trip_loop(node)).then(|| self.writer.int(0));
        let merge = self.block_after(node)?;
        let merge = self.label(merge);
        let first = self.label(self.body.region(body).head);
        if let Some(zero) = zero {
            self.code.inst(S::SelectionMerge, &[merge, 0]);
            self.code.inst(S::Switch, &[zero, first]);
            return Ok(());
        }
        let (header, back) = (self.writer.fresh(), self.writer.fresh());
        self.code.inst(S::Branch, &[header]);
        self.begin(header);
        self.code.inst(S::LoopMerge, &[merge, back, 0]);
        self.code.inst(S::Branch, &[first]);
        self.loop_labels.insert(node, LoopLabels { header, back, incoming: Vec::new() });
        Ok(())
    }

    /// Returns true if a labeled block is written as a loop of one iteration: a break out of it is inside a
    /// switch.
    fn is_one_trip_loop(&self, node: Node) -> bool {
        self.one_trips.of_node(node) == OneTrip::Loop
    }

    /// Inserts variables and phis at their positions, after the start of the function.
    pub(super) fn splice(&mut self, head: &mut Words) -> Result<(), Diag> {
        head.too_long |= self.code.too_long | self.vars.too_long | self.debug_head.too_long;
        let vars_at = self.phis.vars_at;
        let (func, before) = (self.func, self.writer.functions.len());
        let mut steps = std::mem::take(&mut self.steps).into_iter().peekable();
        let mut record = |w: &mut Writer<'_>, from: usize, to: usize, head: usize| {
            while let Some((at, inst)) = steps.next_if(|&(at, _)| at < to) {
                let word = before + head + at - from;
                w.trail.words.push((word as u32, Anchor::Inst(func, inst)));
            }
        };
        record(self.writer, 0, vars_at, head.len());
        head.words.extend_from_slice(&self.code.words[..vars_at]);
        head.words.extend_from_slice(&self.vars.words);
        head.words.extend_from_slice(&self.debug_head.words);
        let mut from = vars_at;
        for (at, block, phis) in std::mem::take(&mut self.phis.places) {
            record(self.writer, from, at, head.len());
            head.words.extend_from_slice(&self.code.words[from..at]);
            from = at;
            let incoming = self.phis.incoming.remove(&block).unwrap_or_default();
            for (number, (id, ty)) in phis.into_iter().enumerate() {
                let pairs = incoming.iter().filter_map(|(label, ids)| Some([*ids.get(number)?, *label]));
                let words: Vec<u32> = [ty, id].into_iter().chain(pairs.flatten()).collect();
                head.inst(S::Phi, &words);
            }
        }
        record(self.writer, from, usize::MAX, head.len());
        head.words.extend_from_slice(&self.code.words[from..]);
        Ok(())
    }
}

/// The controls of a selection.
fn branch_control(attrs: &Attrs) -> u32 {
    let hints = attrs.words::<Hints>();
    BRANCH_HINTS.iter().filter(|(_, hint)| hints.has(*hint)).fold(0, |control, (bit, _)| control | bit)
}

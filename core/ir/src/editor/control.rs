//! Edits of terminators and edges, in both shapes.
//!
//! The arguments of an edge are data; its target is control.

use super::edges::with_edge_args;
use super::{DefSite, Editor, Incoming, Refusal, body, refuse};
use crate::base::EntityId;
use crate::ops::{BasicOp, ValueType};
use crate::uses::Use;
use crate::{Args, Block, BlockData, CowVec, Event, Inst, InstData, Origin, Reason, Terminator};

/// Instructions and terminator cut off a block.
pub(crate) struct Tail {
    pub(crate) insts: Vec<Inst>,
    pub(crate) terminator: Terminator,
    /// Source location of the terminator.
    pub(crate) end: Origin,
}

impl Editor<'_> {
    /// Replaces the terminator of a block.
    ///
    /// Refuses a terminator that does not belong to the function's shape, names a node that does not enclose
    /// the block, uses something that is not a value, or passes arguments that do not fit the target's
    /// parameters.
    pub fn set_terminator(
        &mut self,
        block: Block,
        terminator: Terminator,
        why: Reason,
    ) -> Result<(), Refusal> {
        self.expect_block(block)?;
        self.expect_terminator(block, &terminator)?;
        if *self.func().terminator(block) == terminator {
            return Ok(());
        }
        self.change_terminator(block, terminator, why);
        Ok(())
    }

    /// Adds a parameter to a block, at the end. The edges into the block have no argument for it yet: see
    /// `set_edge_args`, or `add_param_with`.
    ///
    /// Refused for the entry of the function and the heads of arms, whose edges pass no values.
    pub fn add_param(&mut self, block: Block, ty: ValueType, why: Reason) -> Result<Inst, Refusal> {
        self.expect_block(block)?;
        if !self.takes_params(block) {
            refuse!("edges into {block} pass no values");
        }
        if ty == ValueType::Void {
            refuse!("a parameter of {block} must be a value");
        }
        let body = self.data_mut();
        let param = body.insts.push(InstData::new(BasicOp::Param, ty, &[]));
        CowVec::make_mut(&mut body.blocks[block].params).push(param);
        self.places.set_home(param, DefSite::Param(block));
        self.created(param, why);
        self.record(Event::Control(block.into()), why);
        Ok(param)
    }

    /// Adds a parameter to a block; `bring` returns the argument of each edge.
    pub fn add_param_with(
        &mut self,
        block: Block,
        ty: ValueType,
        mut bring: impl FnMut(Incoming) -> Inst,
        why: Reason,
    ) -> Result<Inst, Refusal> {
        self.expect_block(block)?;
        let edges: Vec<(Incoming, Inst)> =
            self.incoming(block).into_iter().map(|edge| (edge, bring(edge))).collect();
        for &(edge, value) in &edges {
            let given = self.expect_value(value)?;
            if given != ty {
                refuse!("{} passes {value} of type `{given}` for a parameter of type `{ty}`", edge.from);
            }
        }
        let param = self.add_param(block, ty, why)?;
        for (edge, value) in edges {
            self.change_edge_args(edge, |args| args.iter().copied().chain([value]).collect(), why);
        }
        Ok(param)
    }

    /// Removes parameter `index` of a block, and its arguments on all edges.
    ///
    /// Refused while it is used, other than by an edge that passes it to itself.
    pub fn remove_param(&mut self, block: Block, index: usize, why: Reason) -> Result<(), Refusal> {
        self.expect_block(block)?;
        let Some(&param) = self.func().block(block).params.get(index) else {
            refuse!("{block} has no parameter {index}");
        };
        let edges = self.incoming(block);
        let brought = edges
            .iter()
            .filter(|&&edge| self.edge_args(edge).and_then(|args| args.get(index)) == Some(&param));
        if brought.count() < self.use_count(param) {
            let reader = self.uses(param).map(Use::site).next();
            refuse!("{param} is used by {}", reader.map_or(String::new(), |site| site.to_string()));
        }
        let others = |args: &Args| {
            let kept = args.iter().enumerate().filter(|&(at, _)| at != index);
            kept.map(|(_, &arg)| arg).collect()
        };
        for edge in edges {
            self.change_edge_args(edge, others, why);
        }
        CowVec::make_mut(&mut self.data_mut().blocks[block].params).remove(index);
        self.places.set_home(param, DefSite::Nowhere);
        self.record(Event::Erase(param.into()), why);
        self.record(Event::Control(block.into()), why);
        Ok(())
    }

    /// Sets the arguments of an edge: one value for each parameter of its target.
    pub fn set_edge_args(&mut self, edge: Incoming, args: &[Inst], why: Reason) -> Result<(), Refusal> {
        if self.edge_args(edge).is_none() {
            refuse!("{} has no edge {}", edge.from, edge.edge);
        }
        let terminator = with_edge_args(self.func().terminator(edge.from), edge.edge, |_| Args::new(args));
        self.expect_uses(&terminator)?;
        let reached = self.reached(edge.from, &terminator)?;
        let all_edges = self.is_tree();
        for (at, (to, args)) in reached.into_iter().enumerate() {
            if all_edges || at == edge.edge as usize {
                self.expect_args(to, args)?;
            }
        }
        self.change_terminator(edge.from, terminator, why);
        Ok(())
    }
}

impl Editor<'_> {
    /// Returns true if the edges into a block pass values to its parameters.
    fn takes_params(&self, block: Block) -> bool {
        let Some(place) = self.places.block(block) else {
            return self.func().entry() != Some(block);
        };
        let is_loop = |node| matches!(self.func().node(node).kind, crate::NodeKind::Loop { .. });
        place.at > 0 || self.places.owner(place.region).is_some_and(is_loop)
    }

    fn expect_uses(&self, terminator: &Terminator) -> Result<(), Refusal> {
        let mut values = Vec::new();
        terminator.for_each_use(|value| values.push(value));
        values.into_iter().try_for_each(|value| self.expect_value(value).map(drop))
    }

    fn expect_terminator(&self, block: Block, terminator: &Terminator) -> Result<(), Refusal> {
        self.expect_uses(terminator)?;
        match terminator {
            Terminator::Branch { cond, .. } if self.func().ty(*cond) != ValueType::BOOL => {
                refuse!("{cond} is not a scalar boolean to branch on")
            }
            Terminator::Return(value) => {
                let [want, given] =
                    [self.func().result(), value.map_or(ValueType::Void, |v| self.func().ty(v))];
                if want != given {
                    refuse!("the function returns `{want}`, not `{given}`");
                }
            }
            Terminator::Switch { on, .. } if self.func().ty(*on).components() != 1 => {
                refuse!("{on} is not a scalar integer to switch on")
            }
            Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Stop(_)
            | Terminator::Goto(_) => {}
        }
        for (to, args) in self.reached(block, terminator)? {
            self.expect_block(to)?;
            self.expect_args(to, args)?;
        }
        Ok(())
    }

    fn change_edge_args(&mut self, edge: Incoming, f: impl FnOnce(&Args) -> Args, why: Reason) {
        let terminator = with_edge_args(self.func().terminator(edge.from), edge.edge, f);
        self.change_terminator(edge.from, terminator, why);
    }

    /// Sets a terminator that has been checked.
    pub(crate) fn change_terminator(&mut self, block: Block, terminator: Terminator, why: Reason) {
        let control = leads(self.func().terminator(block)) != leads(&terminator);
        self.uses.unlink_terminator(block);
        let body = if control { self.control_mut() } else { self.data_mut() };
        body.blocks[block].terminator = terminator;
        self.uses.link_terminator(body!(self), block);
        let event = if control { Event::Control(block.into()) } else { Event::Operands(block.into()) };
        self.record(event, why);
    }

    /// A new block of the program without incoming edges; the caller adds it to the shape.
    pub(crate) fn new_block(&mut self, why: Reason) -> Block {
        let block = self.control_mut().blocks.push(BlockData::default());
        self.places.add_block(body!(self), block);
        self.created(block, why);
        block
    }

    /// Cuts the instructions from `index` on and the terminator off a block, which is left without a
    /// terminator.
    pub(crate) fn lift(&mut self, block: Block, index: usize) -> Tail {
        self.uses.unlink_terminator(block);
        let end = self.func().end_origin(block);
        let data = &mut self.control_mut().blocks[block];
        let terminator = std::mem::take(&mut data.terminator);
        let insts = if index >= data.insts.len() {
            Vec::new()
        } else {
            CowVec::make_mut(&mut data.insts).split_off(index)
        };
        Tail { insts, terminator, end }
    }

    /// Appends instructions and a terminator to a block.
    pub(crate) fn put(&mut self, block: Block, tail: Tail, why: Reason) {
        self.uses.unlink_terminator(block);
        let body = self.control_mut();
        body.set_end_origin(block, tail.end);
        let data = &mut body.blocks[block];
        let start = data.insts.len();
        data.terminator = tail.terminator;
        if !tail.insts.is_empty() {
            CowVec::make_mut(&mut data.insts).extend_from_slice(&tail.insts);
        }
        self.uses.link_terminator(body!(self), block);
        for (at, inst) in tail.insts.into_iter().enumerate() {
            self.places.hint(inst, start + at);
            if self.places.home(inst) != DefSite::Body(block) {
                self.places.set_home(inst, DefSite::Body(block));
                self.record(Event::Move(inst.into()), why);
            }
        }
        self.record(Event::Control(block.into()), why);
    }
}

/// A terminator without the values it uses.
fn leads(terminator: &Terminator) -> Terminator {
    terminator.map_uses(|_| Inst::from_index(0))
}

//! Edits of exits and of what they bring: both shapes.
//!
//! Which values an edge brings is data; where it leads is control.

use super::edges::with_edge_args;
use super::{DefSite, Editor, Incoming, Refusal, body, refuse};
use crate::base::EntityId;
use crate::ir::uses::Use;
use crate::ir::{Args, Block, BlockData, CowVec, Event, Inst, InstData, Reason, Terminator};
use crate::ops::{BasicOp, ValueType};

/// Instructions and exit cut off a block.
pub(in crate::ir) struct Tail {
    pub(in crate::ir) insts: Vec<Inst>,
    pub(in crate::ir) exit: Terminator,
}

impl Editor<'_> {
    /// Leaves a block in another way.
    ///
    /// Refused where an exit is not of the function's shape, names what is not around the block, reads what
    /// is no value, or brings what the parameters it reaches do not take.
    pub fn set_exit(&mut self, block: Block, exit: Terminator, why: Reason) -> Result<(), Refusal> {
        self.expect_block(block)?;
        self.expect_exit(block, &exit)?;
        if *self.func().exit(block) == exit {
            return Ok(());
        }
        self.change_exit(block, exit, why);
        Ok(())
    }

    /// Adds a parameter to a block, at the end. The edges into the block bring nothing for it yet:
    /// see `set_edge_args`, or `add_param_with`.
    ///
    /// Refused for the entry of the function and the heads of arms, which nobody brings anything.
    pub fn add_param(&mut self, block: Block, ty: ValueType, why: Reason) -> Result<Inst, Refusal> {
        self.expect_block(block)?;
        if !self.takes_params(block) {
            refuse!("{block} is entered without values");
        }
        if ty == ValueType::Void {
            refuse!("a parameter of {block} must be a value");
        }
        let body = self.data_mut();
        let param = body.insts.push(InstData::new(BasicOp::Param, ty, &[]));
        CowVec::make_mut(&mut body.blocks[block].params).push(param);
        self.places.set_home(param, DefSite::Param(block));
        self.created(param, why);
        self.say(Event::Control(block.into()), why);
        Ok(param)
    }

    /// Adds a parameter to a block; `bring` says what each edge brings for it.
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
                refuse!("{} brings {value}, a `{given}`, for a `{ty}`", edge.from);
            }
        }
        let param = self.add_param(block, ty, why)?;
        for (edge, value) in edges {
            self.change_edge_args(edge, |args| args.iter().copied().chain([value]).collect(), why);
        }
        Ok(param)
    }

    /// Removes parameter `index` of a block, and what all edges bring for it.
    ///
    /// Refused while somebody reads it, other than an edge that brings it to itself.
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
            refuse!("{param} is read by {}", reader.map_or(String::new(), |site| site.to_string()));
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
        self.say(Event::Erase(param.into()), why);
        self.say(Event::Control(block.into()), why);
        Ok(())
    }

    /// Sets what an edge brings: one value for each parameter of the block it reaches.
    pub fn set_edge_args(&mut self, edge: Incoming, args: &[Inst], why: Reason) -> Result<(), Refusal> {
        if self.edge_args(edge).is_none() {
            refuse!("{} has no edge {}", edge.from, edge.edge);
        }
        let exit = with_edge_args(self.func().exit(edge.from), edge.edge, |_| Args::new(args));
        self.expect_uses(&exit)?;
        let reached = self.reached(edge.from, &exit)?;
        let all_edges = self.is_tree();
        for (at, (to, args)) in reached.into_iter().enumerate() {
            if all_edges || at == edge.edge as usize {
                self.expect_args(to, args)?;
            }
        }
        self.change_exit(edge.from, exit, why);
        Ok(())
    }
}

impl Editor<'_> {
    /// Whether anybody brings values to the parameters of a block.
    fn takes_params(&self, block: Block) -> bool {
        let Some(place) = self.places.block(block) else {
            return self.func().entry() != Some(block);
        };
        let is_loop = |node| matches!(self.func().node(node).kind, crate::ir::NodeKind::Loop { .. });
        place.at > 0 || self.places.owner(place.region).is_some_and(is_loop)
    }

    fn expect_uses(&self, exit: &Terminator) -> Result<(), Refusal> {
        let mut values = Vec::new();
        exit.for_each_use(|value| values.push(value));
        values.into_iter().try_for_each(|value| self.expect_value(value).map(drop))
    }

    fn expect_exit(&self, block: Block, exit: &Terminator) -> Result<(), Refusal> {
        self.expect_uses(exit)?;
        match exit {
            Terminator::Branch { cond, .. } if self.func().ty(*cond) != ValueType::BOOL => {
                refuse!("{cond} is no truth value to branch on")
            }
            Terminator::Return(value) => {
                let [want, given] =
                    [self.func().result(), value.map_or(ValueType::Void, |v| self.func().ty(v))];
                if want != given {
                    refuse!("the function returns a `{want}`, not a `{given}`");
                }
            }
            Terminator::Switch { on, .. } if self.func().ty(*on).components() != 1 => {
                refuse!("{on} is no integer to switch on")
            }
            Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Stop(_)
            | Terminator::Goto(_) => {}
        }
        for (to, args) in self.reached(block, exit)? {
            self.expect_block(to)?;
            self.expect_args(to, args)?;
        }
        Ok(())
    }

    fn change_edge_args(&mut self, edge: Incoming, f: impl FnOnce(&Args) -> Args, why: Reason) {
        let exit = with_edge_args(self.func().exit(edge.from), edge.edge, f);
        self.change_exit(edge.from, exit, why);
    }

    /// Sets an exit that was checked.
    pub(in crate::ir) fn change_exit(&mut self, block: Block, exit: Terminator, why: Reason) {
        let control = leads(self.func().exit(block)) != leads(&exit);
        self.uses.unlink_exit(block);
        let body = if control { self.control_mut() } else { self.data_mut() };
        body.blocks[block].terminator = exit;
        self.uses.link_exit(body!(self), block);
        let event = if control { Event::Control(block.into()) } else { Event::Operands(block.into()) };
        self.say(event, why);
    }

    /// A new block of the program that nobody enters yet; the caller puts it into the shape.
    pub(in crate::ir) fn new_block(&mut self, why: Reason) -> Block {
        let block = self.control_mut().blocks.push(BlockData::default());
        self.places.add_block(body!(self), block);
        self.created(block, why);
        block
    }

    /// Cuts the instructions from `index` on and the exit off a block, which is left without a way on.
    pub(in crate::ir) fn lift(&mut self, block: Block, index: usize) -> Tail {
        self.uses.unlink_exit(block);
        let data = &mut self.control_mut().blocks[block];
        let exit = std::mem::take(&mut data.terminator);
        let insts = if index >= data.insts.len() {
            Vec::new()
        } else {
            CowVec::make_mut(&mut data.insts).split_off(index)
        };
        Tail { insts, exit }
    }

    /// Puts instructions and an exit behind what a block has.
    pub(in crate::ir) fn put(&mut self, block: Block, tail: Tail, why: Reason) {
        self.uses.unlink_exit(block);
        let data = &mut self.control_mut().blocks[block];
        let start = data.insts.len();
        data.terminator = tail.exit;
        if !tail.insts.is_empty() {
            CowVec::make_mut(&mut data.insts).extend_from_slice(&tail.insts);
        }
        self.uses.link_exit(body!(self), block);
        for (at, inst) in tail.insts.into_iter().enumerate() {
            self.places.hint(inst, start + at);
            if self.places.home(inst) != DefSite::Body(block) {
                self.places.set_home(inst, DefSite::Body(block));
                self.say(Event::Move(inst.into()), why);
            }
        }
        self.say(Event::Control(block.into()), why);
    }
}

/// An exit without the values it reads.
fn leads(exit: &Terminator) -> Terminator {
    exit.map_uses(|_| Inst::from_index(0))
}

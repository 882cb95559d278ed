//! Edits of values: what is computed, and who reads what.

use super::{DefSite, Editor, InsertPoint, Refusal, body, refuse};
use crate::ir::uses::Use;
use crate::ir::{CowVec, Event, Inst, InstData, Node, Reason, Site};
use crate::ops::{BasicOp, Op, ValueType};

fn is_param(op: Op) -> bool {
    op == Op::Basic(BasicOp::Param)
}

impl Editor<'_> {
    /// Creates an instruction.
    ///
    /// Refused for parameters (see `add_param`) and for operands that are no values of the program.
    pub fn insert(&mut self, at: InsertPoint, data: InstData, why: Reason) -> Result<Inst, Refusal> {
        self.expect_data(&data)?;
        let (block, index) = self.resolve(at)?;
        let body = self.data_mut();
        let inst = body.insts.push(data);
        CowVec::make_mut(&mut body.blocks[block].insts).insert(index, inst);
        self.places.set_home(inst, DefSite::Body(block));
        self.places.hint(inst, index);
        self.uses.link_inst(body!(self), inst);
        self.created(inst, why);
        Ok(inst)
    }

    /// Computes the same value in another way: the instruction keeps its id, its place and its readers.
    ///
    /// Refused where the result type would change, and for parameters.
    pub fn rewrite(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        self.expect_data(&data)?;
        let old = self.func().ty(inst);
        if data.ty != old {
            refuse!("{inst} is a `{old}` and cannot become a `{}`", data.ty);
        }
        self.put_inst(inst, data, why)
    }

    /// Names the same address in another form: a path becomes an untyped pointer, or the other way. Parameters too, which
    /// stay parameters. The instruction keeps its id, its place and its readers, which have to take either form.
    ///
    /// Refused for what is no address, before or after, and where a parameter would not be one any more.
    pub fn readdress(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        let old = self.expect_value(inst)?;
        let is_address = |ty| matches!(ty, ValueType::Path | ValueType::Ptr);
        if !is_address(old) || !is_address(data.ty) {
            refuse!("{inst} is a `{old}` and cannot become a `{}`", data.ty);
        }
        if is_param(self.func().inst(inst).op) != is_param(data.op) {
            refuse!("{inst} cannot become a parameter, nor stop being one");
        }
        data.args.iter().try_for_each(|&arg| self.expect_value(arg).map(drop))?;
        self.put_inst(inst, data, why)
    }

    /// Puts checked data in the place of an instruction's.
    fn put_inst(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        if data.args.contains(&inst) {
            refuse!("{inst} cannot be computed from itself");
        }
        if *self.func().inst(inst) == data {
            return Ok(());
        }
        self.change_inst(inst, |old| *old = data);
        self.say(Event::Rewrite(inst), why);
        Ok(())
    }

    /// Lets everyone who reads `old` read `new`, and erases `old` where that has no effect and is no parameter.
    ///
    /// Refused where the types differ or `new` itself reads `old` (see `replace_uses_where`).
    pub fn replace(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.replace_uses(old, new, why)?;
        let gone = matches!(self.places.home(old), DefSite::Body(_));
        if gone && self.func().inst(old).op.props().removable() {
            self.erase(old, why)?;
        }
        Ok(())
    }

    /// Lets everyone who reads `old` read `new`.
    pub fn replace_uses(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_swap(old, new)?;
        if self.places.home(new) != DefSite::Nowhere && self.func().inst(new).args.contains(&old) {
            refuse!("{new} reads {old}, whose place it would take");
        }
        self.swap_uses(old, new, |_| true, why);
        Ok(())
    }

    /// Lets those who read `old` read `new` that `which` picks. How many they were.
    pub fn replace_uses_where(
        &mut self,
        old: Inst,
        new: Inst,
        which: impl FnMut(Use) -> bool,
        why: Reason,
    ) -> Result<usize, Refusal> {
        self.expect_swap(old, new)?;
        Ok(self.swap_uses(old, new, which, why))
    }

    /// Lets one place read another value of the same type.
    pub fn replace_use(&mut self, place: Use, value: Inst, why: Reason) -> Result<(), Refusal> {
        let Some(old) = self.read_by(place) else {
            refuse!("{} does not read a value there", place.site());
        };
        self.expect_swap(old, value)?;
        self.swap_uses(old, value, |other| other == place, why);
        Ok(())
    }

    /// Sets operand `index` of an instruction. The type may change where the operation allows it.
    pub fn set_arg(&mut self, inst: Inst, index: usize, value: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        let ty = self.expect_value(value)?;
        let data = self.func().inst(inst);
        let Some(&old) = data.args.get(index) else {
            refuse!("{inst} has no operand {index}");
        };
        if old == value {
            return Ok(());
        }
        if value == inst {
            refuse!("{inst} cannot be computed from itself");
        }
        if self.func().ty(old) != ty {
            self.expect_fit(data, index, ty)?;
        }
        let mut at = 0..;
        self.change_inst(inst, |data| {
            data.args = data.args.map(|arg| if at.next() == Some(index) { value } else { arg });
        });
        self.say(Event::Operands(inst.into()), why);
        Ok(())
    }

    /// Sets the condition or selector of a node, to a value of the same type.
    pub fn set_node_operand(&mut self, node: Node, value: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let Some(old) = self.func().node(node).kind.operand() else {
            refuse!("{node} reads no value");
        };
        self.expect_swap(old, value)?;
        self.swap_uses(old, value, |other| other == Use::Node(node), why);
        Ok(())
    }

    /// Takes an instruction out of the program. Refused while somebody reads it, and for parameters.
    pub fn erase(&mut self, inst: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        if let Some(user) = self.uses(inst).next() {
            refuse!("{inst} is read by {}", user.site());
        }
        self.unplace(inst);
        self.uses.unlink_inst(inst);
        self.say(Event::Erase(inst.into()), why);
        Ok(())
    }

    /// Puts an instruction elsewhere.
    pub fn move_to(&mut self, inst: Inst, at: InsertPoint, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        if matches!(at, InsertPoint::Before(other) | InsertPoint::After(other) if other == inst) {
            return Ok(());
        }
        self.resolve(at)?;
        self.unplace(inst);
        let (block, index) = self.resolve(at)?;
        CowVec::make_mut(&mut self.data_mut().blocks[block].insts).insert(index, inst);
        self.places.set_home(inst, DefSite::Body(block));
        self.places.hint(inst, index);
        self.say(Event::Move(inst.into()), why);
        Ok(())
    }

    /// The value a place reads.
    pub fn read_by(&self, place: Use) -> Option<Inst> {
        match place {
            Use::Arg(inst, at) if self.is_placed(inst) => {
                self.func().inst(inst).args.get(at as usize).copied()
            }
            Use::Terminator(block, at) if self.has_block(block) => {
                let mut left = at;
                let mut found = None;
                self.func().exit(block).for_each_use(|value| {
                    if left == 0 && found.is_none() {
                        found = Some(value);
                    }
                    left = left.saturating_sub(1);
                });
                found
            }
            Use::Node(node) if self.has_node(node) => self.func().node(node).kind.operand(),
            Use::Arg(..) | Use::Terminator(..) | Use::Node(_) => None,
        }
    }
}

impl Editor<'_> {
    fn expect_data(&self, data: &InstData) -> Result<(), Refusal> {
        if is_param(data.op) {
            refuse!("a parameter is added to a block, not inserted");
        }
        data.args.iter().try_for_each(|&arg| self.expect_value(arg).map(drop))
    }

    /// An instruction in a block, not a parameter.
    fn expect_body(&self, inst: Inst) -> Result<(), Refusal> {
        match self.places.home(inst) {
            DefSite::Body(_) => Ok(()),
            DefSite::Func | DefSite::Param(_) => refuse!("{inst} is a parameter"),
            DefSite::Nowhere => refuse!("{inst} is not part of the program"),
        }
    }

    fn expect_swap(&self, old: Inst, new: Inst) -> Result<(), Refusal> {
        let [was, is] = [self.expect_value(old)?, self.expect_value(new)?];
        if old == new {
            refuse!("{old} cannot take its own place");
        }
        if was != is {
            refuse!("{old} is a `{was}` and {new} is a `{is}`");
        }
        Ok(())
    }

    /// Whether an operand of another type would suit the row of the operation.
    fn expect_fit(&self, data: &InstData, index: usize, ty: ValueType) -> Result<(), Refusal> {
        let mut types: Vec<ValueType> = data.args.iter().map(|&arg| self.func().ty(arg)).collect();
        types[index] = ty;
        if data.op.info().check(data.ty, &types).is_err() {
            refuse!("operand {index} of {} cannot be a `{ty}`", data.op.name());
        }
        Ok(())
    }

    /// Takes an instruction out of its block; its own operands stay in the lists.
    fn unplace(&mut self, inst: Inst) {
        let DefSite::Body(block) = self.places.home(inst) else { return };
        let Some(index) = self.index_of(inst) else { return };
        CowVec::make_mut(&mut self.data_mut().blocks[block].insts).remove(index);
        self.places.set_home(inst, DefSite::Nowhere);
    }

    pub(in crate::ir) fn change_inst(&mut self, inst: Inst, change: impl FnOnce(&mut InstData)) {
        self.uses.unlink_inst(inst);
        change(&mut self.data_mut().insts[inst]);
        self.uses.link_inst(body!(self), inst);
    }

    /// Lets readers of `old` read `new`; each reader is visited once, however often it reads.
    pub(in crate::ir) fn swap_uses(
        &mut self,
        old: Inst,
        new: Inst,
        mut which: impl FnMut(Use) -> bool,
        why: Reason,
    ) -> usize {
        let mut uses: Vec<Use> = self.uses(old).filter(|&place| which(place)).collect();
        if uses.is_empty() {
            return 0;
        }
        uses.sort_unstable();
        self.say(Event::Replace { old, new }, why);
        for group in uses.chunk_by(|a, b| a.site() == b.site()) {
            self.swap_in(group, new, why);
        }
        uses.len()
    }

    /// Sets the places of one reader, sorted, to a value.
    fn swap_in(&mut self, group: &[Use], new: Inst, why: Reason) {
        let site = group[0].site();
        let mut places = group.iter().map(|place| match *place {
            Use::Arg(_, at) | Use::Terminator(_, at) => at,
            Use::Node(_) => 0,
        });
        let mut wanted = places.next();
        let mut at = 0;
        let mut swap = |value: Inst| {
            let hit = wanted == Some(at);
            at += 1;
            if hit {
                wanted = places.next();
            }
            if hit { new } else { value }
        };
        match site {
            Site::Inst(inst) => self.change_inst(inst, |data| data.args = data.args.map(&mut swap)),
            Site::Block(block) => {
                self.uses.unlink_exit(block);
                let data = &mut self.data_mut().blocks[block];
                data.terminator = data.terminator.map_uses(&mut swap);
                self.uses.link_exit(body!(self), block);
            }
            Site::Node(node) => {
                self.uses.unlink_node(node);
                let kind = &mut self.data_mut().nodes[node].kind;
                *kind = kind.with_operand(new);
                self.uses.link_node(body!(self), node);
            }
        }
        self.say(Event::Operands(site), why);
    }
}

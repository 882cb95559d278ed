//! Edits of values: computations and their uses.

use super::{DefSite, Editor, InsertPoint, Refusal, body, refuse};
use crate::ops::{BasicOp, Op, ValueType};
use crate::uses::Use;
use crate::{CowVec, Event, Inst, InstData, Node, Reason, Site};

fn is_param(op: Op) -> bool {
    op == Op::Basic(BasicOp::Param)
}

impl Editor<'_> {
    /// Creates an instruction.
    ///
    /// Its source line is that of its neighbors, until it replaces a value. Refuses parameters (see `add_param`) and operands
    /// that are not values of the program.
    pub fn insert(&mut self, at: InsertPoint, data: InstData, why: Reason) -> Result<Inst, Refusal> {
        self.expect_data(&data)?;
        let (block, index) = self.resolve(at)?;
        let body = self.data_mut();
        let near = body.line_near(&body.blocks[block].insts, index);
        let inst = body.insts.push(data);
        body.set_origin(inst, near);
        CowVec::make_mut(&mut body.blocks[block].insts).insert(index, inst);
        self.places.set_home(inst, DefSite::Body(block));
        self.places.hint(inst, index);
        self.near.insert(inst);
        self.uses.link_inst(body!(self), inst);
        self.created(inst, why);
        Ok(inst)
    }

    /// Replaces the computation of a value: the instruction keeps its id, its position and its uses.
    ///
    /// Refuses a change of the result type, and parameters.
    pub fn rewrite(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        self.expect_data(&data)?;
        let old = self.func().ty(inst);
        if data.ty != old {
            refuse!("{inst} has type `{old}` and cannot change to `{}`", data.ty);
        }
        self.put_inst(inst, data, why)
    }

    /// Expresses the same address in another form: a path becomes an untyped pointer, or the reverse. Applies
    /// to parameters too, which remain parameters. The instruction keeps its id, its position and its uses,
    /// which must accept either form.
    ///
    /// Refused if the old or the new form is not an address, and if a parameter would become another
    /// instruction.
    pub fn readdress(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        let old = self.expect_value(inst)?;
        let is_address = |ty| matches!(ty, ValueType::Path | ValueType::Ptr);
        if !is_address(old) || !is_address(data.ty) {
            refuse!("{inst} has type `{old}` and cannot change to `{}`", data.ty);
        }
        if is_param(self.func().inst(inst).op) != is_param(data.op) {
            refuse!("{inst} cannot change to or from a parameter");
        }
        data.args.iter().try_for_each(|&arg| self.expect_value(arg).map(drop))?;
        self.put_inst(inst, data, why)
    }

    /// Replaces the data of an instruction by checked data.
    fn put_inst(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        if data.args.contains(&inst) {
            refuse!("{inst} cannot be its own operand");
        }
        if *self.func().inst(inst) == data {
            return Ok(());
        }
        self.change_inst(inst, |old| *old = data);
        self.record(Event::Rewrite(inst), why);
        Ok(())
    }

    /// Replaces all uses of `old` by `new`, and erases `old` unless it has effects or is a parameter.
    ///
    /// Refused if the types differ or `new` itself uses `old` (see `replace_uses_where`).
    pub fn replace(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.replace_uses(old, new, why)?;
        let gone = matches!(self.places.home(old), DefSite::Body(_));
        if gone && self.func().inst(old).op.props().removable() {
            self.erase(old, why)?;
        }
        Ok(())
    }

    /// Replaces all uses of `old` by `new`.
    pub fn replace_uses(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_swap(old, new)?;
        if self.places.home(new) != DefSite::Nowhere && self.func().inst(new).args.contains(&old) {
            refuse!("{new} uses {old}, which it would replace");
        }
        self.swap_uses(old, new, |_| true, why);
        Ok(())
    }

    /// Replaces those uses of `old` by `new` that `which` selects. Returns their number.
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

    /// Replaces a single use by another value of the same type.
    pub fn replace_use(&mut self, place: Use, value: Inst, why: Reason) -> Result<(), Refusal> {
        let Some(old) = self.read_by(place) else {
            refuse!("{} does not use a value there", place.site());
        };
        self.expect_swap(old, value)?;
        self.swap_uses(old, value, |other| other == place, why);
        Ok(())
    }

    /// Sets operand `index` of an instruction. The type may change if the operation allows it.
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
            refuse!("{inst} cannot be its own operand");
        }
        if self.func().ty(old) != ty {
            self.expect_fit(data, index, ty)?;
        }
        let mut at = 0..;
        self.change_inst(inst, |data| {
            data.args = data.args.map(|arg| if at.next() == Some(index) { value } else { arg });
        });
        self.record(Event::Operands(inst.into()), why);
        Ok(())
    }

    /// Sets the condition or selector of a node, to a value of the same type.
    pub fn set_node_operand(&mut self, node: Node, value: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let Some(old) = self.func().node(node).kind.operand() else {
            refuse!("{node} has no operand");
        };
        self.expect_swap(old, value)?;
        self.swap_uses(old, value, |other| other == Use::Node(node), why);
        Ok(())
    }

    /// Erases an instruction. Refused while it is used, and for parameters.
    pub fn erase(&mut self, inst: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        if let Some(user) = self.uses(inst).next() {
            refuse!("{inst} is used by {}", user.site());
        }
        self.unplace(inst);
        self.uses.unlink_inst(inst);
        self.record(Event::Erase(inst.into()), why);
        Ok(())
    }

    /// Moves an instruction.
    pub fn move_to(&mut self, inst: Inst, at: InsertPoint, why: Reason) -> Result<(), Refusal> {
        self.expect_body(inst)?;
        if matches!(at, InsertPoint::Before(other) | InsertPoint::After(other) if other == inst) {
            return Ok(());
        }
        self.resolve(at)?;
        self.unplace(inst);
        let (block, index) = self.resolve(at)?;
        let body = self.data_mut();
        CowVec::make_mut(&mut body.blocks[block].insts).insert(index, inst);
        // A binding of a value holds from its definition on, which is another place now.
        body.unbind_value(inst);
        self.places.set_home(inst, DefSite::Body(block));
        self.places.hint(inst, index);
        self.record(Event::Move(inst.into()), why);
        Ok(())
    }

    /// The value of a use.
    pub fn read_by(&self, place: Use) -> Option<Inst> {
        match place {
            Use::Arg(inst, at) if self.is_placed(inst) => {
                self.func().inst(inst).args.get(at as usize).copied()
            }
            Use::Terminator(block, at) if self.has_block(block) => {
                let mut left = at;
                let mut found = None;
                self.func().terminator(block).for_each_use(|value| {
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
            refuse!("a parameter cannot be inserted; add it to a block");
        }
        data.args.iter().try_for_each(|&arg| self.expect_value(arg).map(drop))
    }

    /// Refuses anything but an instruction in a block.
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
            refuse!("{old} cannot replace itself");
        }
        if was != is {
            refuse!("{old} has type `{was}`, but {new} has type `{is}`");
        }
        Ok(())
    }

    /// Refuses an operand of a type that the operation does not accept.
    fn expect_fit(&self, data: &InstData, index: usize, ty: ValueType) -> Result<(), Refusal> {
        let mut types: Vec<ValueType> = data.args.iter().map(|&arg| self.func().ty(arg)).collect();
        types[index] = ty;
        if data.op.info().check(data.ty, &types).is_err() {
            refuse!("operand {index} of {} cannot be a `{ty}`", data.op.name());
        }
        Ok(())
    }

    /// Removes an instruction from its block; its own operands stay in the use lists.
    fn unplace(&mut self, inst: Inst) {
        let DefSite::Body(block) = self.places.home(inst) else { return };
        let Some(index) = self.index_of(inst) else { return };
        CowVec::make_mut(&mut self.data_mut().blocks[block].insts).remove(index);
        self.places.set_home(inst, DefSite::Nowhere);
    }

    pub(crate) fn change_inst(&mut self, inst: Inst, change: impl FnOnce(&mut InstData)) {
        self.uses.unlink_inst(inst);
        change(&mut self.data_mut().insts[inst]);
        self.uses.link_inst(body!(self), inst);
    }

    /// Replaces uses of `old` by `new`; each user is visited once, even if it has several uses.
    pub(crate) fn swap_uses(
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
        self.record(Event::Replace { old, new }, why);
        self.inherit_origin(old, new);
        for group in uses.chunk_by(|a, b| a.site() == b.site()) {
            self.swap_in(group, new, why);
        }
        uses.len()
    }

    /// Sets the uses of one user, sorted, to a value.
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
                self.uses.unlink_terminator(block);
                let data = &mut self.data_mut().blocks[block];
                data.terminator = data.terminator.map_uses(&mut swap);
                self.uses.link_terminator(body!(self), block);
            }
            Site::Node(node) => {
                self.uses.unlink_node(node);
                let kind = &mut self.data_mut().nodes[node].kind;
                *kind = kind.with_operand(new);
                self.uses.link_node(body!(self), node);
            }
        }
        self.record(Event::Operands(site), why);
    }
}

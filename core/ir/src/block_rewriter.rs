//! A single pass over a function, for passes that visit each instruction once and in order.
//!
//! ```text
//! rewriter.enter(block);
//! while let Some(inst) = rewriter.step() {   instructions inserted `Before(inst)` precede it,
//!     …                                      `inst` itself is rewritten, replaced or erased
//! }
//! ```
//!
//! The instruction list of a block is rebuilt during the traversal, so that the cost of an insertion does not
//! depend on the length of the block. An [`Editor`](super::Editor) maintains all uses at every step; a
//! rewriter records the operands of instructions as it steps past them, so that unused
//! [watched](BlockRewriter::watch) instructions can be erased at the end, and replaces uses of replaced
//! values when it is finished. Until then the module contains the unchanged function: an abandoned rewriter
//! has changed nothing but tables of constants and types.
//!
//! Values only: control flow, names and declarations require an editor. Refuses the same edits as an editor,
//! as far as types determine them: an operand that was erased before the rewriter was created is not
//! detected.

use super::editor::{refuse, with_edge_args};
use super::{
    Args, Block, CowVec, Edited, Editor, Event, Fuel, Func, FuncBody, Incoming, InsertPoint, Inst, InstData,
    Journal, Module, Node, Origin, Reason, Refusal, Site, TreeStep, TreeWalk, Type, TypeData,
};
use crate::base::{EntityId, EntitySet, SideTable};
use crate::ops::{BasicOp, Bits, Key, Op, ValueType};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A single pass over a function that rewrites it.
pub struct BlockRewriter<'m> {
    module: &'m mut Module,
    func: Func,
    body: FuncBody,
    journal: Journal,
    changed: bool,
    /// The current block with its original list, the read position, and its new list.
    block: Option<Block>,
    old: CowVec<Inst>,
    at: usize,
    new: Vec<Inst>,
    /// The current instruction, unless it was erased.
    current: Option<Inst>,
    /// Finished blocks with their new lists.
    finished: Vec<(Block, Vec<Inst>)>,
    /// Instructions to be inserted directly after others, in lists that are already finished.
    after: Vec<(Inst, Inst)>,
    /// Instructions to be erased if unused.
    watched: EntitySet<Inst>,
    /// Created instructions with the source line of their neighbors, which is that of what they replace if they do.
    near: EntitySet<Inst>,
    /// Values that other instructions use; complete for addresses only.
    used: EntitySet<Inst>,
    /// Instructions erased after the traversal stepped past them.
    erased: EntitySet<Inst>,
    /// Replacement of a value.
    replacements: SideTable<Inst, Option<Inst>>,
    /// Reason of the last replacement, if there was one.
    replaced: Option<Reason>,
}

impl<'m> BlockRewriter<'m> {
    /// Starts a rewriter; `None` if the function is not in the module. Copies a few spines of pointers.
    pub fn new(module: &'m mut Module, func: Func) -> Option<BlockRewriter<'m>> {
        let body = module.func(func)?.clone();
        let insts = body.insts.len();
        Some(BlockRewriter {
            module,
            func,
            body,
            journal: Journal::new(),
            changed: false,
            block: None,
            old: CowVec::default(),
            at: 0,
            new: Vec::new(),
            current: None,
            finished: Vec::new(),
            after: Vec::new(),
            watched: EntitySet::sized(insts),
            near: EntitySet::new(),
            used: EntitySet::sized(insts + insts / 4),
            erased: EntitySet::new(),
            replacements: SideTable::with_default(None),
            replaced: None,
        })
    }

    /// The function as it is now, except for the lists of its blocks, which are unchanged.
    pub fn func(&self) -> &FuncBody {
        &self.body
    }

    /// The id of the function.
    pub fn id(&self) -> Func {
        self.func
    }

    /// The module with the unchanged function.
    pub fn module(&self) -> &Module {
        self.module
    }

    /// The id of a full type.
    pub fn full_type(&mut self, ty: TypeData) -> Type {
        self.module.ty(ty)
    }

    /// A `const` of these bits, to insert or to rewrite with.
    pub fn const_bits(&mut self, bits: Bits) -> InstData {
        let id = self.module.bits(bits);
        InstData::new(BasicOp::Const, bits.ty(), &[]).with(Key::Const, id.index() as u64)
    }

    /// The constant bits of a value, if it is a `const`.
    pub fn bits_of(&self, value: Inst) -> Option<Bits> {
        Some(self.module.bits_of(self.body.const_of(value)?))
    }

    /// Enters a block, whose instructions [`BlockRewriter::step`] returns. Each block may be entered once.
    pub fn enter(&mut self, block: Block) {
        self.leave();
        self.old = self.body.block(block).insts.clone();
        self.new = Vec::with_capacity(self.old.len() + self.old.len() / 4);
        (self.block, self.at) = (Some(block), 0);
    }

    /// The next instruction of the block. Inserted ones are not returned. After the last one, the block
    /// remains open.
    pub fn step(&mut self) -> Option<Inst> {
        self.keep();
        self.current = self.old.get(self.at).copied();
        self.at += usize::from(self.current.is_some());
        self.current
    }

    /// Steps past the current instruction.
    fn keep(&mut self) {
        let Some(inst) = self.current.take() else { return };
        self.new.push(inst);
        if !self.watched.contains(inst) {
            self.reads(inst);
        }
    }

    fn reads(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        // Only addresses are watched, and arithmetic has no address operands.
        if matches!(data.op, Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_)) {
            return;
        }
        for &arg in data.args.iter() {
            self.used.insert(arg);
        }
    }

    /// Closes the open block.
    fn leave(&mut self) {
        while self.block.is_some() && self.step().is_some() {}
        let Some(block) = self.block.take() else { return };
        let BlockRewriter { body, used, .. } = self;
        body.terminator(block).for_each_use(|value| {
            used.insert(value);
        });
        self.old = CowVec::default();
        let list = std::mem::take(&mut self.new);
        self.finished.push((block, list));
    }

    /// Creates an instruction: before the current one, at the end of the open block after all of them, or
    /// directly after any instruction or parameter, if all its uses come later.
    ///
    /// Refuses other positions, parameters, and operands that are not values.
    pub fn insert(&mut self, at: InsertPoint, data: InstData, why: Reason) -> Result<Inst, Refusal> {
        self.expect_data(&data)?;
        match at {
            InsertPoint::Before(inst) if self.current != Some(inst) => {
                refuse!("{inst} is not the current instruction");
            }
            InsertPoint::End(block) if self.block != Some(block) || self.current.is_some() => {
                refuse!("{block} is not the current block, at its end");
            }
            InsertPoint::Start(block) => refuse!("a block rewriter cannot insert at the start of {block}"),
            InsertPoint::Before(_) | InsertPoint::End(_) | InsertPoint::After(_) => {}
        }
        let near = match (at, self.current) {
            (InsertPoint::After(other), _) | (_, Some(other)) => {
                let origin = self.body.origin(other);
                if origin.line > 0 { origin } else { self.body.line_near(&self.old, self.at) }
            }
            (InsertPoint::Before(_) | InsertPoint::Start(_) | InsertPoint::End(_), None) => {
                self.body.line_near(&self.old, self.at)
            }
        };
        let inst = self.body.insts.push(data);
        self.body.set_origin(inst, near.line_only());
        self.near.insert(inst);
        self.reads(inst);
        match at {
            // A finished list is not rewritten for each late insertion.
            InsertPoint::After(other) if self.new.last() != Some(&other) => self.after.push((other, inst)),
            InsertPoint::After(_) | InsertPoint::Before(_) | InsertPoint::End(_) | InsertPoint::Start(_) => {
                self.new.push(inst);
            }
        }
        self.record(Event::Create(inst.into()), why);
        Ok(inst)
    }

    /// Replaces the computation of a value. Refuses a change of type, and parameters.
    pub fn rewrite(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        self.expect_data(&data)?;
        let old = self.body.ty(inst);
        if data.ty != old {
            refuse!("{inst} has type `{old}` and cannot change to `{}`", data.ty);
        }
        self.put(inst, data, Event::Rewrite(inst), why)
    }

    /// Expresses the same address in another form; like [`Editor::readdress`](super::Editor::readdress).
    pub fn readdress(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        let old = self.body.ty(inst);
        let is_address = |ty| matches!(ty, ValueType::Path | ValueType::Ptr);
        if !is_address(old) || !is_address(data.ty) {
            refuse!("{inst} has type `{old}` and cannot change to `{}`", data.ty);
        }
        if is_param(self.body.inst(inst).op) != is_param(data.op) {
            refuse!("{inst} cannot change to or from a parameter");
        }
        self.expect_values(&data.args)?;
        self.put(inst, data, Event::Rewrite(inst), why)
    }

    /// Sets operand `index` of an instruction. The type may change if the operation allows it.
    pub fn set_arg(&mut self, inst: Inst, index: usize, value: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_values(&[value])?;
        let data = self.body.inst(inst);
        let Some(&old) = data.args.get(index) else {
            refuse!("{inst} has no operand {index}");
        };
        let ty = self.body.ty(value);
        if self.body.ty(old) != ty {
            let mut types: Vec<ValueType> = data.args.iter().map(|&arg| self.body.ty(arg)).collect();
            types[index] = ty;
            if data.op.info().check(data.ty, &types).is_err() {
                refuse!("operand {index} of {} cannot be a `{ty}`", data.op.name());
            }
        }
        let data = InstData { args: data.args.with(index, value), ..data.clone() };
        self.put(inst, data, Event::Operands(inst.into()), why)
    }

    /// Sets the arguments of an edge of the open block: the form of addresses may change, other arguments must
    /// stay the same.
    pub fn set_edge_args(&mut self, edge: Incoming, args: &[Inst], why: Reason) -> Result<(), Refusal> {
        self.expect_values(args)?;
        let terminator = self.body.terminator(edge.from);
        let terminator = with_edge_args(terminator, edge.edge, |_| Args::new(args));
        if *self.body.terminator(edge.from) != terminator {
            self.body.blocks[edge.from].terminator = terminator;
            self.record(Event::Control(edge.from.into()), why);
        }
        Ok(())
    }

    /// Replaces all uses of `old` by `new` when the rewriter finishes, and erases `old` unless it has effects
    /// or is a parameter.
    ///
    /// Refuses different types, and a cycle of replacements.
    pub fn replace(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_values(&[old, new])?;
        let new = self.settled(new);
        let [was, is] = [old, new].map(|value| self.body.ty(value));
        if was != is {
            refuse!("{old} has type `{was}`, but {new} has type `{is}`");
        }
        if old == new || self.replacements[old].is_some() || self.body.inst(new).args.contains(&old) {
            refuse!("{new} cannot replace {old}");
        }
        let origin = self.body.origin(old);
        if origin != Origin::default() && self.near.remove(new) {
            self.body.set_origin(new, origin);
        }
        self.replacements[old] = Some(new);
        self.replaced = Some(why);
        // Uses of the old value become uses of this one.
        self.used.insert(new);
        self.record(Event::Replace { old, new }, why);
        if !is_param(self.body.inst(old).op) && self.body.inst(old).op.props().removable() {
            self.drop(old, why);
        }
        Ok(())
    }

    /// Marks the current instruction, an address, to be erased at the end if only other watched instructions
    /// use it; its own operands do not count as used.
    pub fn watch(&mut self, inst: Inst) {
        if matches!(self.body.ty(inst), ValueType::Path | ValueType::Ptr) {
            self.watched.insert(inst);
        }
    }

    /// Returns true if anything but watched instructions uses an address; for other values, and in blocks
    /// that were not entered, uses are unknown. Closes the open block.
    pub fn is_read(&mut self, value: Inst) -> bool {
        self.leave();
        self.used.contains(value)
    }

    /// Erases an instruction: the current one, if it yields no value, and at the end any watched one that is
    /// [unused](BlockRewriter::is_read).
    pub fn erase(&mut self, inst: Inst, why: Reason) -> Result<(), Refusal> {
        let yields_nothing = self.current == Some(inst) && self.body.ty(inst) == ValueType::Void;
        if !yields_nothing && (!self.watched.contains(inst) || self.is_read(inst)) {
            refuse!("{inst} is used, or may be");
        }
        self.drop(inst, why);
        Ok(())
    }

    /// Stores the changed function in the module.
    pub fn finish(mut self) -> Edited {
        self.leave();
        self.write_lists();
        if let Some(why) = self.replaced {
            self.replace_uses(why);
        }
        if self.changed {
            self.body.touch_data();
            self.journal = Editor::replace_body(self.module, self.func, self.body, self.journal);
        }
        Edited { journal: self.journal, changed: self.changed, fuel: Fuel::UNLIMITED }
    }
}

impl BlockRewriter<'_> {
    fn record(&mut self, event: Event, why: Reason) {
        self.changed = true;
        self.journal.push(event, why);
    }

    fn expect_values(&self, values: &[Inst]) -> Result<(), Refusal> {
        for &value in values {
            if self.body.ty(value) == ValueType::Void {
                refuse!("{value} yields no value");
            }
        }
        Ok(())
    }

    fn expect_data(&self, data: &InstData) -> Result<(), Refusal> {
        if is_param(data.op) {
            refuse!("a parameter cannot be inserted; add it to a block");
        }
        self.expect_values(&data.args)
    }

    fn put(&mut self, inst: Inst, data: InstData, event: Event, why: Reason) -> Result<(), Refusal> {
        if data.args.contains(&inst) {
            refuse!("{inst} cannot be its own operand");
        }
        if *self.body.inst(inst) == data {
            return Ok(());
        }
        self.body.insts[inst] = data;
        self.record(event, why);
        Ok(())
    }

    fn drop(&mut self, inst: Inst, why: Reason) {
        match self.current == Some(inst) {
            true => self.current = None,
            false => drop(self.erased.insert(inst)),
        }
        self.record(Event::Erase(inst.into()), why);
    }

    /// The final replacement of a value.
    fn settled(&self, mut value: Inst) -> Inst {
        while let Some(other) = self.replacements[value] {
            value = other;
        }
        value
    }

    /// Writes the instruction lists, with late insertions and without erased instructions.
    fn write_lists(&mut self) {
        let mut after: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        // The instruction inserted last comes first.
        for (anchor, inst) in self.after.drain(..).rev() {
            after.entry(anchor).or_default().push(inst);
        }
        let erased = std::mem::take(&mut self.erased);
        for (block, mut list) in std::mem::take(&mut self.finished) {
            if !erased.is_empty() {
                list.retain(|&inst| !erased.contains(inst));
            }
            if !after.is_empty() {
                list = self.with_followers(block, &list, &after);
            }
            if list != **self.body.block(block).insts {
                self.body.blocks[block].insts = Rc::new(list);
            }
        }
    }

    /// Extends a list with the instructions to be inserted after its members, and after parameters: at its
    /// start.
    fn with_followers(&self, block: Block, list: &[Inst], after: &FxHashMap<Inst, Vec<Inst>>) -> Vec<Inst> {
        let own = self.body.params().iter().filter(|_| self.body.entry() == Some(block));
        let params = own.chain(self.body.block(block).params.iter());
        let mut out: Vec<Inst> = params.filter_map(|param| after.get(param)).flatten().copied().collect();
        // The same order as single insertions.
        out.sort_unstable_by(|a, b| b.cmp(a));
        out.reserve(list.len());
        for &inst in list {
            out.push(inst);
            out.extend(after.get(&inst).into_iter().flatten());
        }
        out
    }

    /// Replaces the uses of replaced values.
    fn replace_uses(&mut self, why: Reason) {
        let (blocks, nodes) = placed(&self.body);
        let is_other = |value: Inst| self.replacements[value].is_some();
        let mut sites: Vec<Site> = Vec::new();
        for block in blocks {
            let data = self.body.block(block);
            let others =
                data.insts.iter().filter(|&&inst| self.body.inst(inst).args.iter().any(|&arg| is_other(arg)));
            sites.extend(others.map(|&inst| Site::from(inst)));
            let mut reads = false;
            data.terminator.for_each_use(|value| reads |= is_other(value));
            sites.extend(reads.then_some(Site::Block(block)));
        }
        let reads = |&&node: &&Node| self.body.node(node).kind.operand().is_some_and(is_other);
        sites.extend(nodes.iter().filter(reads).map(|&node| Site::Node(node)));
        for site in sites {
            match site {
                Site::Inst(inst) => {
                    let args = self.body.inst(inst).args.map(|arg| self.settled(arg));
                    self.body.insts[inst].args = args;
                }
                Site::Block(block) => {
                    let terminator = self.body.terminator(block).map_uses(|value| self.settled(value));
                    self.body.blocks[block].terminator = terminator;
                }
                Site::Node(node) => {
                    let kind = &self.body.node(node).kind;
                    let kind = kind.operand().map(|value| kind.with_operand(self.settled(value)));
                    if let Some(kind) = kind {
                        self.body.nodes[node].kind = kind;
                    }
                }
            }
            self.record(Event::Operands(site), why);
        }
    }
}

fn is_param(op: Op) -> bool {
    op == Op::Basic(BasicOp::Param)
}

/// The blocks and nodes of a function, in order.
fn placed(body: &FuncBody) -> (Vec<Block>, Vec<Node>) {
    if matches!(body.shape(), super::Shape::Graph(_) | super::Shape::Declaration) {
        return (body.blocks_in_order(), Vec::new());
    }
    let mut blocks = Vec::with_capacity(body.blocks.len());
    let mut nodes = Vec::with_capacity(body.nodes.len());
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Block(block) => blocks.push(block),
            TreeStep::Enter(node) => nodes.push(node),
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    (blocks, nodes)
}

#[cfg(test)]
#[path = "block_rewriter_tests.rs"]
mod tests;

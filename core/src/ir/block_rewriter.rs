//! One way through a function, for passes that look at each instruction once and in order.
//!
//! ```text
//! sweep.enter(block);
//! while let Some(inst) = sweep.step() {      what is inserted `Before(inst)` stands in front of it,
//!     …                                      `inst` itself is rewritten, replaced or erased
//! }
//! ```
//!
//! The list of a block is written anew while it is gone through, so that an insertion costs the same however long the
//! block is. An [`Editor`] knows at every step who reads what; a sweep notes what instructions read
//! when it steps behind them, so that what was only [watched](BlockRewriter::watch) can go in the end, and lets those who
//! read replaced values read the new ones when it is finished. The module has the function as it was until then: a
//! sweep that is given up has changed nothing but tables of constants and types.
//!
//! Values only: control flow, names and declarations are for an editor. Refuses what an editor does, as far as types
//! say it: an operand that was erased before the sweep began is not noticed.

use super::editor::{refuse, with_edge_args};
use super::{
    Args, Block, CowVec, Edited, Editor, Event, Fuel, Func, FuncBody, Incoming, InsertPoint, Inst, InstData,
    Journal, Module, Node, Reason, Refusal, Site, TreeStep, TreeWalk, Type, TypeData,
};
use crate::base::{EntityId, EntitySet, SideTable};
use crate::ops::{BasicOp, Bits, Key, Op, ValueType};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A function that is gone through.
pub struct BlockRewriter<'m> {
    module: &'m mut Module,
    func: Func,
    body: FuncBody,
    journal: Journal,
    changed: bool,
    /// The block that is open, as it was; how far it was read; as it will be.
    block: Option<Block>,
    old: CowVec<Inst>,
    at: usize,
    new: Vec<Inst>,
    /// The instruction that is looked at, unless it was erased.
    current: Option<Inst>,
    /// Blocks that were gone through, as they will be.
    written: Vec<(Block, Vec<Inst>)>,
    /// Instructions that are to stand right behind others, of which the lists are written already.
    behind: Vec<(Inst, Inst)>,
    /// Instructions that go where nobody reads them.
    watched: EntitySet<Inst>,
    /// What is read by others than those; addresses at least.
    read: EntitySet<Inst>,
    /// Erased after they were stepped behind.
    gone: EntitySet<Inst>,
    /// What is read instead of a value.
    instead: SideTable<Inst, Option<Inst>>,
    /// Why values were replaced, the last of them; none if none was.
    replaced: Option<Reason>,
}

impl<'m> BlockRewriter<'m> {
    /// Begins; none if the function is not in the module. Copies a few spines of pointers.
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
            written: Vec::new(),
            behind: Vec::new(),
            watched: EntitySet::sized(insts),
            read: EntitySet::sized(insts + insts / 4),
            gone: EntitySet::new(),
            instead: SideTable::with_default(None),
            replaced: None,
        })
    }

    /// The function as it is now, but for the lists of its blocks: they are as they were.
    pub fn func(&self) -> &FuncBody {
        &self.body
    }

    /// The id of the function.
    pub fn id(&self) -> Func {
        self.func
    }

    /// The module, with the function as it was.
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

    /// The constant bits a value is, if it is a `const`.
    pub fn bits_of(&self, value: Inst) -> Option<Bits> {
        Some(self.module.bits_of(self.body.const_of(value)?))
    }

    /// Goes to a block, whose instructions [`BlockRewriter::step`] hands out. Each block is to be entered once.
    pub fn enter(&mut self, block: Block) {
        self.leave();
        self.old = self.body.block(block).insts.clone();
        self.new = Vec::with_capacity(self.old.len() + self.old.len() / 4);
        (self.block, self.at) = (Some(block), 0);
    }

    /// The next instruction of the block. Inserted ones are not handed out. After the last one the block is open still.
    pub fn step(&mut self) -> Option<Inst> {
        self.keep();
        self.current = self.old.get(self.at).copied();
        self.at += usize::from(self.current.is_some());
        self.current
    }

    /// Steps behind the instruction that is looked at.
    fn keep(&mut self) {
        let Some(inst) = self.current.take() else { return };
        self.new.push(inst);
        if !self.watched.contains(inst) {
            self.reads(inst);
        }
    }

    fn reads(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        // Only addresses are watched, and none goes into arithmetic.
        if matches!(data.op, Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_)) {
            return;
        }
        for &arg in data.args.iter() {
            self.read.insert(arg);
        }
    }

    /// Ends the block that is open.
    fn leave(&mut self) {
        while self.block.is_some() && self.step().is_some() {}
        let Some(block) = self.block.take() else { return };
        let BlockRewriter { body, read, .. } = self;
        body.exit(block).for_each_use(|value| {
            read.insert(value);
        });
        self.old = CowVec::default();
        let list = std::mem::take(&mut self.new);
        self.written.push((block, list));
    }

    /// Creates an instruction: in front of the one that is looked at, at the end of the open block behind all of them,
    /// or right behind any instruction or parameter, where its reader cannot stand in front of it.
    ///
    /// Refused elsewhere, for parameters, and for operands that are no values.
    pub fn insert(&mut self, at: InsertPoint, data: InstData, why: Reason) -> Result<Inst, Refusal> {
        self.expect_data(&data)?;
        match at {
            InsertPoint::Before(inst) if self.current != Some(inst) => {
                refuse!("{inst} is not the instruction that is looked at");
            }
            InsertPoint::End(block) if self.block != Some(block) || self.current.is_some() => {
                refuse!("{block} is not the block that ends here");
            }
            InsertPoint::Start(block) => refuse!("nothing is put at the start of {block} by a sweep"),
            InsertPoint::Before(_) | InsertPoint::End(_) | InsertPoint::After(_) => {}
        }
        let inst = self.body.insts.push(data);
        self.reads(inst);
        match at {
            // The list of a block that is written already is not written again for each.
            InsertPoint::After(other) if self.new.last() != Some(&other) => self.behind.push((other, inst)),
            InsertPoint::After(_) | InsertPoint::Before(_) | InsertPoint::End(_) | InsertPoint::Start(_) => {
                self.new.push(inst)
            }
        }
        self.say(Event::Create(inst.into()), why);
        Ok(inst)
    }

    /// Computes the same value in another way. Refused where the type would change, and for parameters.
    pub fn rewrite(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        self.expect_data(&data)?;
        let old = self.body.ty(inst);
        if data.ty != old {
            refuse!("{inst} is a `{old}` and cannot become a `{}`", data.ty);
        }
        self.put(inst, data, Event::Rewrite(inst), why)
    }

    /// Names the same address in another form; as [`Editor::readdress`](super::Editor::readdress).
    pub fn readdress(&mut self, inst: Inst, data: InstData, why: Reason) -> Result<(), Refusal> {
        let old = self.body.ty(inst);
        let is_address = |ty| matches!(ty, ValueType::Path | ValueType::Ptr);
        if !is_address(old) || !is_address(data.ty) {
            refuse!("{inst} is a `{old}` and cannot become a `{}`", data.ty);
        }
        if is_param(self.body.inst(inst).op) != is_param(data.op) {
            refuse!("{inst} cannot become a parameter, nor stop being one");
        }
        self.expect_values(&data.args)?;
        self.put(inst, data, Event::Rewrite(inst), why)
    }

    /// Sets operand `index` of an instruction. The type may change where the operation allows it.
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

    /// Sets what an edge of the open block brings: addresses in another form, other values as they were.
    pub fn set_edge_args(&mut self, edge: Incoming, args: &[Inst], why: Reason) -> Result<(), Refusal> {
        self.expect_values(args)?;
        let exit = self.body.exit(edge.from);
        let exit = with_edge_args(exit, edge.edge, |_| Args::new(args));
        if *self.body.exit(edge.from) != exit {
            self.body.blocks[edge.from].terminator = exit;
            self.say(Event::Control(edge.from.into()), why);
        }
        Ok(())
    }

    /// Lets everyone who reads `old` read `new` in the end, and erases `old` where that has no effect and is no
    /// parameter.
    ///
    /// Refused where the types differ, or where `new` would be read instead of itself.
    pub fn replace(&mut self, old: Inst, new: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_values(&[old, new])?;
        let new = self.settled(new);
        let [was, is] = [old, new].map(|value| self.body.ty(value));
        if was != is {
            refuse!("{old} is a `{was}` and {new} is a `{is}`");
        }
        if old == new || self.instead[old].is_some() || self.body.inst(new).args.contains(&old) {
            refuse!("{new} cannot take the place of {old}");
        }
        self.instead[old] = Some(new);
        self.replaced = Some(why);
        // Who reads the old one will read this.
        self.read.insert(new);
        self.say(Event::Replace { old, new }, why);
        if !is_param(self.body.inst(old).op) && self.body.inst(old).op.props().removable() {
            self.drop(old, why);
        }
        Ok(())
    }

    /// The instruction that is looked at is an address that goes in the end, if nobody reads it but others that go:
    /// what it reads does not count.
    pub fn watch(&mut self, inst: Inst) {
        if matches!(self.body.ty(inst), ValueType::Path | ValueType::Ptr) {
            self.watched.insert(inst);
        }
    }

    /// Whether anything but what is watched reads an address; of other values nothing is known, nor of blocks that
    /// nobody entered. Ends the open block.
    pub fn is_read(&mut self, value: Inst) -> bool {
        self.leave();
        self.read.contains(value)
    }

    /// Takes an instruction out of the program: the one that is looked at, if it yields no value, and in the end any
    /// that was watched, where [nobody reads it](BlockRewriter::is_read).
    pub fn erase(&mut self, inst: Inst, why: Reason) -> Result<(), Refusal> {
        let yields_nothing = self.current == Some(inst) && self.body.ty(inst) == ValueType::Void;
        if !yields_nothing && (!self.watched.contains(inst) || self.is_read(inst)) {
            refuse!("{inst} is read, or may be");
        }
        self.drop(inst, why);
        Ok(())
    }

    /// Puts the function back, changed.
    pub fn finish(mut self) -> Edited {
        self.leave();
        self.write_lists();
        if let Some(why) = self.replaced {
            self.read_others(why);
        }
        if self.changed {
            self.body.touch_data();
            self.journal = Editor::replace_body(self.module, self.func, self.body, self.journal);
        }
        Edited { journal: self.journal, changed: self.changed, fuel: Fuel::UNLIMITED }
    }
}

impl BlockRewriter<'_> {
    fn say(&mut self, event: Event, why: Reason) {
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
            refuse!("a parameter is added to a block, not inserted");
        }
        self.expect_values(&data.args)
    }

    fn put(&mut self, inst: Inst, data: InstData, event: Event, why: Reason) -> Result<(), Refusal> {
        if data.args.contains(&inst) {
            refuse!("{inst} cannot be computed from itself");
        }
        if *self.body.inst(inst) == data {
            return Ok(());
        }
        self.body.insts[inst] = data;
        self.say(event, why);
        Ok(())
    }

    fn drop(&mut self, inst: Inst, why: Reason) {
        match self.current == Some(inst) {
            true => self.current = None,
            false => drop(self.gone.insert(inst)),
        }
        self.say(Event::Erase(inst.into()), why);
    }

    /// What is read in the end instead of a value.
    fn settled(&self, mut value: Inst) -> Inst {
        while let Some(other) = self.instead[value] {
            value = other;
        }
        value
    }

    /// Writes the lists, with what is to stand behind others and without what was erased.
    fn write_lists(&mut self) {
        let mut behind: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        // The last one put behind something is the first to stand there.
        for (anchor, inst) in self.behind.drain(..).rev() {
            behind.entry(anchor).or_default().push(inst);
        }
        let gone = std::mem::take(&mut self.gone);
        for (block, mut list) in std::mem::take(&mut self.written) {
            if !gone.is_empty() {
                list.retain(|&inst| !gone.contains(inst));
            }
            if !behind.is_empty() {
                list = self.with_followers(block, &list, &behind);
            }
            if list != **self.body.block(block).insts {
                self.body.blocks[block].insts = Rc::new(list);
            }
        }
    }

    /// A list with what is to stand behind instructions in it, and behind parameters: at its start.
    fn with_followers(&self, block: Block, list: &[Inst], behind: &FxHashMap<Inst, Vec<Inst>>) -> Vec<Inst> {
        let own = self.body.params().iter().filter(|_| self.body.entry() == Some(block));
        let params = own.chain(self.body.block(block).params.iter());
        let mut out: Vec<Inst> = params.filter_map(|param| behind.get(param)).flatten().copied().collect();
        // As if each had been put there by itself.
        out.sort_unstable_by(|a, b| b.cmp(a));
        out.reserve(list.len());
        for &inst in list {
            out.push(inst);
            out.extend(behind.get(&inst).into_iter().flatten());
        }
        out
    }

    /// Lets those who read replaced values read the others.
    fn read_others(&mut self, why: Reason) {
        let (blocks, nodes) = placed(&self.body);
        let is_other = |value: Inst| self.instead[value].is_some();
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
                    let exit = self.body.exit(block).map_uses(|value| self.settled(value));
                    self.body.blocks[block].terminator = exit;
                }
                Site::Node(node) => {
                    let kind = &self.body.node(node).kind;
                    let kind = kind.operand().map(|value| kind.with_operand(self.settled(value)));
                    if let Some(kind) = kind {
                        self.body.nodes[node].kind = kind;
                    }
                }
            }
            self.say(Event::Operands(site), why);
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
#[path = "sweep_tests.rs"]
mod tests;

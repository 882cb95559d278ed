//! The door to change a function that is in a module; `sweep` is a narrower one for one way through it.
//!
//! An editor knows, as long as it is open, who reads what and where everything lies; it writes a journal
//! of what it did and why. Values are for `data`, edges and blocks for `control`, the tree for `tree_edit`, whole
//! bodies for `replace`.
//!
//! The function must hold together (`validate` says whether it does). Ids that a caller gives may be
//! anything: what cannot be done is refused, and then nothing has changed. Dominance is not looked after
//! by the operations on single values; tree_edit looks after it.

mod control;
mod data;
mod edges;
mod graph;
mod places;
mod refusal;
mod replace; // a whole body at once

#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

pub use edges::Incoming;
pub use refusal::Refusal;

pub(super) use edges::with_edge_args;
pub(super) use places::{DefSite, Places};
pub(super) use refusal::refuse;

use super::uses::{Use, UseLists};
use super::{
    Attrs, Block, Const, Event, Fuel, Func, FuncBody, Inst, InstData, Journal, Mode, Module, Node, Operand,
    Origin, Reason, Reg, RegData, Shape, Site, Text, Type, TypeData, Var, VarData, func::Epoch,
};
use crate::base::EntityId;
use crate::ops::{BasicOp, Bits, Key, Scalar, ValueType, Width};

/// Where to put an instruction, or where to cut a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InsertPoint {
    /// In front of an instruction.
    Before(Inst),
    /// Behind an instruction; behind a parameter is the start of its block.
    After(Inst),
    /// In front of all instructions of a block.
    Start(Block),
    /// Behind all instructions of a block.
    End(Block),
}

/// What an editor leaves behind.
#[derive(Clone, Debug)]
pub struct Edited {
    /// What happened and why.
    pub journal: Journal,
    /// Whether anything did, names and declarations included.
    pub changed: bool,
    /// What is left of the fuel it was given.
    pub fuel: Fuel,
}

/// Who reads what and where everything lies, kept for the next editor of the same version of a function: a pass that
/// changes nothing leaves it behind.
pub struct Opened {
    func: Func,
    version: Epoch,
    uses: UseLists,
    places: Places,
}

/// An open function.
pub struct Editor<'m> {
    pub(super) module: &'m mut Module,
    pub(super) func: Func,
    pub(super) uses: UseLists,
    pub(super) places: Places,
    pub(super) journal: Journal,
    /// Tells this editor's detached pieces from those of others.
    pub(super) serial: Epoch,
    changed: bool,
    fuel: Fuel,
}

/// The open function, borrowing the module only.
macro_rules! body {
    ($editor:expr) => {
        $editor.module.open_body($editor.func)
    };
}
pub(super) use body;

impl Module {
    /// The body of the function an editor has open.
    pub(super) fn open_body(&self, func: Func) -> &FuncBody {
        self.func(func).expect("an open function stays in its module")
    }

    fn open_body_mut(&mut self, func: Func) -> &mut FuncBody {
        self.body_mut(func).expect("an open function stays in its module")
    }
}

impl Opened {
    fn of(func: Func, body: &FuncBody) -> Opened {
        let mut uses = UseLists::sized(body);
        let places = Places::of(body);
        for block in body.blocks_in_order() {
            body.block(block).insts.iter().for_each(|&inst| uses.link_inst(body, inst));
            uses.link_exit(body, block);
        }
        for node in body.tables().nodes.keys().filter(|&node| places.node(node).is_some()) {
            uses.link_node(body, node);
        }
        Opened { func, version: body.data_epoch(), uses, places }
    }
}

impl<'m> Editor<'m> {
    /// Opens a function; none if it is not in the module. `O(instructions)`; nothing is copied yet.
    pub fn new(module: &'m mut Module, func: Func) -> Option<Editor<'m>> {
        Editor::reopen(module, func, None)
    }

    /// The same with what an earlier editor left behind, which makes it constant time where the function has not
    /// changed since.
    pub fn reopen(module: &'m mut Module, func: Func, opened: Option<Opened>) -> Option<Editor<'m>> {
        let body = module.func(func)?;
        let current = |opened: &Opened| opened.func == func && opened.version == body.data_epoch();
        let Opened { uses, places, .. } = opened.filter(current).unwrap_or_else(|| Opened::of(func, body));
        let journal = Journal::new();
        let (serial, fuel) = (Epoch::fresh(), Fuel::UNLIMITED);
        Some(Editor { module, func, uses, places, journal, serial, changed: false, fuel })
    }

    /// The function as it is now.
    pub fn func(&self) -> &FuncBody {
        body!(self)
    }

    /// The id of the function.
    pub fn id(&self) -> Func {
        self.func
    }

    /// The module as it is now.
    pub fn module(&self) -> &Module {
        self.module
    }

    /// The journal so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Closes the function.
    pub fn finish(self) -> Edited {
        self.finish_opened().0
    }

    /// Closes the function; with what the next editor can begin with, if nothing was changed.
    pub fn finish_opened(self) -> (Edited, Option<Opened>) {
        let version = body!(self).data_epoch();
        let Editor { func, uses, places, journal, changed, fuel, .. } = self;
        let opened = (!changed).then_some(Opened { func, version, uses, places });
        (Edited { journal, changed, fuel }, opened)
    }

    /// Limits what passes may do to the function.
    #[must_use]
    pub fn fueled(mut self, fuel: Fuel) -> Self {
        self.fuel = fuel;
        self
    }

    /// Whether one more rewrite may be done, which is then counted. A pass asks before each rewrite that leaves
    /// a program meaning the same by itself, and leaves the rest as it is where the answer is no.
    pub fn consume_fuel(&mut self) -> bool {
        self.fuel.take()
    }

    /// Every place that reads a value, in order of when it began to.
    pub fn uses(&self, value: Inst) -> impl Iterator<Item = Use> + '_ {
        self.uses.of(value)
    }

    /// How many places read a value.
    pub fn use_count(&self, value: Inst) -> usize {
        self.uses.count(value)
    }

    /// The block an instruction or a parameter is in.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        match self.places.home(inst) {
            DefSite::Nowhere | DefSite::Func => None,
            DefSite::Param(block) | DefSite::Body(block) => Some(block),
        }
    }

    /// Whether an instruction is part of the program: in a block, or a parameter of a block or the function.
    pub fn is_placed(&self, inst: Inst) -> bool {
        self.places.home(inst) != DefSite::Nowhere
    }

    /// Whether a block is part of the program.
    pub fn has_block(&self, block: Block) -> bool {
        self.places.has_block(block)
    }

    /// Whether a node is part of the program.
    pub fn has_node(&self, node: Node) -> bool {
        self.places.node(node).is_some()
    }

    /// Place of an instruction in its block, from 0; none for parameters and what is not in a block.
    pub fn index_of(&mut self, inst: Inst) -> Option<usize> {
        match self.places.home(inst) {
            DefSite::Body(block) => self.places.index_of(body!(self), block, inst),
            DefSite::Nowhere | DefSite::Func | DefSite::Param(_) => None,
        }
    }

    /// Names a value, or takes its name away. Refused for an id that was never given out.
    pub fn set_name(&mut self, inst: Inst, name: Option<Text>) -> Result<(), Refusal> {
        self.expect_id(inst)?;
        if self.func().inst_name(inst) != name {
            self.data_mut().set_name(inst, name);
        }
        Ok(())
    }

    /// Says where an instruction came from. Refused for an id that was never given out.
    pub fn set_origin(&mut self, inst: Inst, origin: Origin) -> Result<(), Refusal> {
        self.expect_id(inst)?;
        if self.func().origin(inst) != origin {
            self.data_mut().set_origin(inst, origin);
        }
        Ok(())
    }

    /// Adds a register.
    pub fn add_reg(&mut self, reg: RegData) -> Reg {
        self.data_mut().regs.push(Some(reg))
    }

    /// Takes a register out. Its id stays taken; that nobody names it is for the caller to see to.
    pub fn remove_reg(&mut self, reg: Reg) -> Result<(), Refusal> {
        if self.func().reg(reg).is_none() {
            refuse!("there is no register {reg}");
        }
        self.data_mut().regs[reg] = None;
        Ok(())
    }

    /// Adds a local variable.
    pub fn add_local(&mut self, name: Option<Text>, ty: Type, init: Option<Operand>, attrs: Attrs) -> Var {
        self.changed = true;
        self.module.add_var(VarData { name, ty, mode: Mode::Local, owner: Some(self.func), init, attrs })
    }

    /// The id of a text.
    pub fn text(&mut self, text: &str) -> Text {
        self.module.text(text)
    }

    /// The id of a full type.
    pub fn full_type(&mut self, ty: TypeData) -> Type {
        self.module.ty(ty)
    }

    /// The id of constant bits.
    pub fn intern(&mut self, bits: Bits) -> Const {
        self.module.bits(bits)
    }

    /// A `const` of these bits, to insert or to rewrite with.
    pub fn const_bits(&mut self, bits: Bits) -> InstData {
        let id = self.intern(bits);
        InstData::new(BasicOp::Const, bits.ty(), &[]).with(Key::Const, id.index() as u64)
    }

    /// A `const` of one float.
    pub fn float(&mut self, width: Width, value: f64) -> InstData {
        self.const_bits(Bits::scalar(Scalar::float(width, value)))
    }

    /// A `const` of one integer, cut to the width.
    pub fn int(&mut self, width: Width, value: i64) -> InstData {
        self.const_bits(Bits::scalar(Scalar::i(width, value)))
    }

    /// A `const` of one truth value.
    pub fn bool(&mut self, value: bool) -> InstData {
        self.const_bits(Bits::scalar(Scalar::bool(value)))
    }

    /// The constant bits a value is, if it is a `const`.
    pub fn bits_of(&self, value: Inst) -> Option<Bits> {
        Some(self.module.bits_of(self.func().const_of(value)?))
    }
}

impl Editor<'_> {
    /// For an edit of values.
    pub(super) fn data_mut(&mut self) -> &mut FuncBody {
        self.changed = true;
        let body = self.module.open_body_mut(self.func);
        body.touch_data();
        body
    }

    /// For an edit of blocks, nodes, regions or edges.
    pub(super) fn control_mut(&mut self) -> &mut FuncBody {
        self.changed = true;
        let body = self.module.open_body_mut(self.func);
        body.touch_control();
        body
    }

    pub(super) fn say(&mut self, event: Event, why: Reason) {
        self.journal.push(event, why);
    }

    pub(super) fn is_tree(&self) -> bool {
        matches!(self.func().shape(), Shape::Tree(_))
    }

    fn expect_id(&self, inst: Inst) -> Result<(), Refusal> {
        if !self.func().tables().insts.contains(inst) {
            refuse!("there is no instruction {inst}");
        }
        Ok(())
    }

    /// Something of the program that yields a value: its type.
    pub(super) fn expect_value(&self, value: Inst) -> Result<ValueType, Refusal> {
        if !self.is_placed(value) {
            refuse!("{value} is not part of the program");
        }
        match self.func().ty(value) {
            ValueType::Void => refuse!("{value} yields no value"),
            ty => Ok(ty),
        }
    }

    pub(super) fn expect_block(&self, block: Block) -> Result<(), Refusal> {
        if !self.has_block(block) {
            refuse!("{block} is not part of the program");
        }
        Ok(())
    }

    pub(super) fn expect_node(&self, node: Node) -> Result<(), Refusal> {
        if !self.has_node(node) {
            refuse!("{node} is not part of the program");
        }
        Ok(())
    }

    /// The block and the index meant.
    pub(super) fn resolve(&mut self, at: InsertPoint) -> Result<(Block, usize), Refusal> {
        match at {
            InsertPoint::Start(block) => {
                self.expect_block(block)?;
                Ok((block, 0))
            }
            InsertPoint::End(block) => {
                self.expect_block(block)?;
                Ok((block, self.func().block(block).insts.len()))
            }
            InsertPoint::Before(inst) | InsertPoint::After(inst) => {
                let behind = matches!(at, InsertPoint::After(_));
                match (self.places.home(inst), self.func().entry()) {
                    (DefSite::Body(block), _) => match self.index_of(inst) {
                        Some(index) => Ok((block, index + usize::from(behind))),
                        None => refuse!("{inst} is not in {block}"),
                    },
                    (DefSite::Param(block), _) | (DefSite::Func, Some(block)) if behind => Ok((block, 0)),
                    (DefSite::Param(_) | DefSite::Func, _) => {
                        refuse!("nothing can stand in front of a parameter")
                    }
                    (DefSite::Nowhere, _) => refuse!("{inst} is not part of the program"),
                }
            }
        }
    }

    /// A new event about one thing.
    pub(super) fn created(&mut self, site: impl Into<Site>, why: Reason) {
        self.say(Event::Create(site.into()), why);
    }
}

//! The interface for changing a function of a module; `block_rewriter` is a narrower one for a single pass
//! over a function.
//!
//! While it is open, an editor maintains all uses and positions; it writes a journal of its edits and their
//! reasons. `data` edits values, `control` edges and blocks, `tree_edit` the tree, `replace` whole bodies.
//!
//! The function must be consistent (`validate` checks that). Ids from a caller may be arbitrary: an
//! impossible edit is refused, and then nothing has changed. Edits of single values do not preserve
//! dominance; tree_edit does.

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
use crate::base::{EntityId, EntitySet};
use crate::ops::{BasicOp, Bits, Key, Scalar, ValueType, Width};

/// The position of an insertion or a cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InsertPoint {
    /// Before an instruction.
    Before(Inst),
    /// After an instruction; after a parameter is the start of its block.
    After(Inst),
    /// Before all instructions of a block.
    Start(Block),
    /// After all instructions of a block.
    End(Block),
}

/// The result of an editor.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The edits and their reasons.
    pub journal: Journal,
    /// True if anything changed, including names and declarations.
    pub changed: bool,
    /// The remaining fuel.
    pub fuel: Fuel,
}

/// Uses and positions, kept for the next editor of the same version of a function: available after a pass
/// that changed nothing.
pub struct Opened {
    func: Func,
    version: Epoch,
    uses: UseLists,
    places: Places,
}

/// An open function.
///
/// Its methods refuse what would make the function invalid. A pass that opens a valid function never causes a refusal; it
/// returns one as it is, and the pipeline reports it.
pub struct Editor<'m> {
    pub(super) module: &'m mut Module,
    pub(super) func: Func,
    pub(super) uses: UseLists,
    pub(super) places: Places,
    pub(super) journal: Journal,
    /// Distinguishes this editor's detached pieces from those of others.
    pub(super) serial: Epoch,
    changed: bool,
    fuel: Fuel,
    /// Created instructions with the source line of their neighbors, which is that of what they replace if they do.
    near: EntitySet<Inst>,
}

/// The open function, borrowing only the module.
macro_rules! body {
    ($editor:expr) => {
        $editor.module.open_body($editor.func)
    };
}
pub(super) use body;

impl Module {
    /// The body of the function that an editor has open.
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
            uses.link_terminator(body, block);
        }
        for node in body.tables().nodes.keys().filter(|&node| places.node(node).is_some()) {
            uses.link_node(body, node);
        }
        Opened { func, version: body.data_epoch(), uses, places }
    }
}

impl<'m> Editor<'m> {
    /// Opens a function; `None` if it is not in the module. `O(instructions)`; nothing is copied yet.
    pub fn new(module: &'m mut Module, func: Func) -> Option<Editor<'m>> {
        Editor::reopen(module, func, None)
    }

    /// Opens a function with the tables of an earlier editor, in constant time if the function has not
    /// changed since.
    pub fn reopen(module: &'m mut Module, func: Func, opened: Option<Opened>) -> Option<Editor<'m>> {
        let body = module.func(func)?;
        let current = |opened: &Opened| opened.func == func && opened.version == body.data_epoch();
        let Opened { uses, places, .. } = opened.filter(current).unwrap_or_else(|| Opened::of(func, body));
        let journal = Journal::new();
        let (serial, fuel) = (Epoch::fresh(), Fuel::UNLIMITED);
        Some(Editor {
            module,
            func,
            uses,
            places,
            journal,
            serial,
            changed: false,
            fuel,
            near: EntitySet::new(),
        })
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

    /// Closes the function; if nothing changed, also returns the tables for the next editor.
    pub fn finish_opened(self) -> (Edited, Option<Opened>) {
        let version = body!(self).data_epoch();
        let Editor { func, uses, places, journal, changed, fuel, .. } = self;
        let opened = (!changed).then_some(Opened { func, version, uses, places });
        (Edited { journal, changed, fuel }, opened)
    }

    /// Limits the number of rewrites of the function.
    #[must_use]
    pub fn fueled(mut self, fuel: Fuel) -> Self {
        self.fuel = fuel;
        self
    }

    /// Consumes a unit of fuel; returns false if there was none. A pass calls this before each rewrite that
    /// is correct on its own, and skips the rewrite if the result is false.
    pub fn consume_fuel(&mut self) -> bool {
        self.fuel.take()
    }

    /// Every use of a value, oldest first.
    pub fn uses(&self, value: Inst) -> impl Iterator<Item = Use> + '_ {
        self.uses.of(value)
    }

    /// Number of uses of a value.
    pub fn use_count(&self, value: Inst) -> usize {
        self.uses.count(value)
    }

    /// The block that contains an instruction or has it as a parameter.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        match self.places.home(inst) {
            DefSite::Nowhere | DefSite::Func => None,
            DefSite::Param(block) | DefSite::Body(block) => Some(block),
        }
    }

    /// Returns true if an instruction is part of the program: in a block, or a parameter of a block or the
    /// function.
    pub fn is_placed(&self, inst: Inst) -> bool {
        self.places.home(inst) != DefSite::Nowhere
    }

    /// Returns true if a block is part of the program.
    pub fn has_block(&self, block: Block) -> bool {
        self.places.has_block(block)
    }

    /// Returns true if a node is part of the program.
    pub fn has_node(&self, node: Node) -> bool {
        self.places.node(node).is_some()
    }

    /// Index of an instruction in its block; `None` for parameters and instructions outside of blocks.
    pub fn index_of(&mut self, inst: Inst) -> Option<usize> {
        match self.places.home(inst) {
            DefSite::Body(block) => self.places.index_of(body!(self), block, inst),
            DefSite::Nowhere | DefSite::Func | DefSite::Param(_) => None,
        }
    }

    /// Sets or removes the name of a value. Refused for an id that was never issued.
    pub fn set_name(&mut self, inst: Inst, name: Option<Text>) -> Result<(), Refusal> {
        self.expect_id(inst)?;
        if self.func().inst_name(inst) != name {
            self.data_mut().set_name(inst, name);
        }
        Ok(())
    }

    /// Sets the source location of an instruction. Refused for an id that was never issued.
    pub fn set_origin(&mut self, inst: Inst, origin: Origin) -> Result<(), Refusal> {
        self.expect_id(inst)?;
        self.near.remove(inst);
        if self.func().origin(inst) != origin {
            self.data_mut().set_origin(inst, origin);
        }
        Ok(())
    }

    /// A replacement has the source line of what it replaces, unless the caller gave it another one.
    pub(super) fn inherit_origin(&mut self, old: Inst, new: Inst) {
        let origin = self.func().origin(old);
        if origin != Origin::default() && self.near.remove(new) {
            self.data_mut().set_origin(new, origin);
        }
    }

    /// Sets the source location of the terminator of a block. Refused for a block that is not part of the program.
    pub fn set_end_origin(&mut self, block: Block, origin: Origin) -> Result<(), Refusal> {
        self.expect_block(block)?;
        if self.func().end_origin(block) != origin {
            self.data_mut().set_end_origin(block, origin);
        }
        Ok(())
    }

    /// Adds a register.
    pub fn add_reg(&mut self, reg: RegData) -> Reg {
        self.data_mut().regs.push(Some(reg))
    }

    /// Removes a register. Its id is not reused; the caller guarantees that the register is unused.
    pub fn remove_reg(&mut self, reg: Reg) -> Result<(), Refusal> {
        if self.func().reg(reg).is_none() {
            refuse!("register {reg} does not exist");
        }
        self.data_mut().regs[reg] = None;
        Ok(())
    }

    /// Adds a local variable.
    pub fn add_local(&mut self, name: Option<Text>, ty: Type, init: Option<Operand>, attrs: Attrs) -> Var {
        self.changed = true;
        self.module.add_var(VarData { name, ty, mode: Mode::Local, owner: Some(self.func), init, attrs })
    }

    /// Removes a local variable of this function. Its id is not reused; the caller guarantees that it is unused.
    pub fn remove_local(&mut self, var: Var) -> Result<(), Refusal> {
        if self.module.var(var).is_none_or(|data| data.owner != Some(self.func)) {
            refuse!("{var} is not a local variable of this function");
        }
        self.changed = true;
        self.module.remove_var(var);
        Ok(())
    }

    /// Interns a text.
    pub fn text(&mut self, text: &str) -> Text {
        self.module.text(text)
    }

    /// Interns a full type.
    pub fn full_type(&mut self, ty: TypeData) -> Type {
        self.module.ty(ty)
    }

    /// Interns constant bits.
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

    /// A `const` of one integer, truncated to the width.
    pub fn int(&mut self, width: Width, value: i64) -> InstData {
        self.const_bits(Bits::scalar(Scalar::i(width, value)))
    }

    /// A boolean `const`.
    pub fn bool(&mut self, value: bool) -> InstData {
        self.const_bits(Bits::scalar(Scalar::bool(value)))
    }

    /// The constant bits of a value, if it is a `const`.
    pub fn bits_of(&self, value: Inst) -> Option<Bits> {
        Some(self.module.bits_of(self.func().const_of(value)?))
    }
}

impl Editor<'_> {
    /// The body for an edit of values.
    pub(super) fn data_mut(&mut self) -> &mut FuncBody {
        self.changed = true;
        let body = self.module.open_body_mut(self.func);
        body.touch_data();
        body
    }

    /// The body for an edit of blocks, nodes, regions or edges.
    pub(super) fn control_mut(&mut self) -> &mut FuncBody {
        self.changed = true;
        let body = self.module.open_body_mut(self.func);
        body.touch_control();
        body
    }

    pub(super) fn record(&mut self, event: Event, why: Reason) {
        self.journal.push(event, why);
    }

    pub(super) fn is_tree(&self) -> bool {
        matches!(self.func().shape(), Shape::Tree(_))
    }

    fn expect_id(&self, inst: Inst) -> Result<(), Refusal> {
        if !self.func().tables().insts.contains(inst) {
            refuse!("instruction {inst} does not exist");
        }
        Ok(())
    }

    /// The type of a value of the program; refuses anything else.
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

    /// Resolves a position to a block and an index.
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
                let after = matches!(at, InsertPoint::After(_));
                match (self.places.home(inst), self.func().entry()) {
                    (DefSite::Body(block), _) => match self.index_of(inst) {
                        Some(index) => Ok((block, index + usize::from(after))),
                        None => refuse!("{inst} is not in {block}"),
                    },
                    (DefSite::Param(block), _) | (DefSite::Func, Some(block)) if after => Ok((block, 0)),
                    (DefSite::Param(_) | DefSite::Func, _) => {
                        refuse!("nothing can be inserted before a parameter")
                    }
                    (DefSite::Nowhere, _) => refuse!("{inst} is not part of the program"),
                }
            }
        }
    }

    /// Records the creation of an entity.
    pub(super) fn created(&mut self, site: impl Into<Site>, why: Reason) {
        self.record(Event::Create(site.into()), why);
    }
}

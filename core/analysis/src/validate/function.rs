//! All checks of one function, in text order, with the state they share.

use super::diagnostics::Here;
use super::paged::Paged;
use super::reach::{Reaches, stated};
use super::shape::{self, Layout, Slot, Then};
use super::types::Types;
use super::whole::Whole;
use super::*;
use crate::{Cfg, Dom};
use std::rc::Rc;
use vitrine_ir::ops::{Key, ValueType};
use vitrine_ir::{Attrs, Diag, FuncBody, Inst, Shape};

/// State of the checks of one function.
pub(super) struct Checker<'a, 'd> {
    pub(super) here: Here<'a>,
    pub(super) types: &'d mut Types<'a>,
    pub(super) whole: &'d mut Whole,
    pub(super) diags: &'d mut Diags,
    pub(super) layout: Layout,
    /// Position of each instruction.
    pub(super) slots: Paged<Inst, Slot>,
    /// The type that each path points at.
    pub(super) reach: Reaches,
    /// The dominator tree; `None` if the structure is invalid.
    pub(super) dom: Option<Dom>,
    /// Operand types of the current instruction.
    pub(super) arg_types: Vec<ValueType>,
}

/// Checks one function.
pub(super) fn check<'a>(
    module: &'a Module,
    func: Func,
    body: &'a FuncBody,
    types: &mut Types<'a>,
    whole: &mut Whole,
    diags: &mut Diags,
) {
    let here = Here { module, func, body };
    let mut layout = Layout::of(here, diags);
    let mut slots = Paged::new(body.tables().insts.len());
    shape::place(here, &mut layout, &mut slots, diags);
    let dom = (!layout.broken && !layout.order.is_empty()).then(|| Dom::of(&Rc::new(Cfg::of(body))));
    let reach = Reaches::new(body.tables().insts.len());
    let mut checker = Checker { here, types, whole, diags, layout, slots, reach, dom, arg_types: Vec::new() };
    checker.resolve_paths();
    checker.signature();
    for at in 0..checker.layout.order.len() {
        checker.block(at);
    }
    if checker.layout.broken {
        checker.diags.push(shape::not_checked(here));
    }
}

impl Checker<'_, '_> {
    pub(super) fn push(&mut self, diag: Diag) {
        self.diags.push(diag);
    }

    /// An error about an instruction.
    pub(super) fn error_at(&self, code: &'static str, inst: Inst) -> Diag {
        Diag::error(code, Anchor::Inst(self.here.func, inst))
    }

    /// An error about an operand.
    pub(super) fn error_in(&self, code: &'static str, inst: Inst, arg: usize) -> Diag {
        Diag::error(code, Anchor::Arg(self.here.func, inst, arg as u32))
    }

    fn signature(&mut self) {
        let (body, func) = (self.here.body, self.here.func);
        let anchor = Anchor::Func(func);
        self.components(body.result(), anchor);
        self.free_attrs(body.attrs(), &[Key::FuncHint, Key::Type, Key::Mode], anchor);
        if let Some(at) = stated(body.attrs()) {
            self.types.check(at.ty, anchor, self.diags);
        }
        if body.result() == ValueType::Path && stated(body.attrs()).is_none() {
            let diag = Diag::error(PATH_TYPE_STATED, anchor)
                .says("the path that this function returns does not state");
            self.push(diag.says("what it points at").help("give the function `type` and `mode`"));
        }
        self.params(body.params());
        for &param in body.params() {
            self.instruction(param);
        }
        for (reg, data) in body.regs() {
            self.components(ValueType::bits(data.width, data.components), Anchor::Reg(func, reg));
        }
    }

    fn block(&mut self, at: usize) {
        let (body, block) = (self.here.body, self.layout.order[at]);
        let data = body.block(block);
        self.params(&data.params);
        for &param in data.params.iter() {
            self.instruction(param);
        }
        if at == 0 && *body.shape() != Shape::Declaration {
            self.head(block);
        }
        for &inst in data.insts.iter() {
            self.placed_instruction(inst);
        }
        self.stage_of_terminator(block);
        self.condition(block);
        if self.layout.broken {
            return;
        }
        if let Some(hint) = &data.merge {
            self.layout.check_hint(self.here, block, self.diags);
            self.hint_attrs(&hint.attrs, Anchor::Block(self.here.func, block));
        }
        if self.layout.check_terminator(self.here, block, self.diags) {
            self.edges(block);
        }
        self.terminator_scope(block);
        if let Then::Node(node) = self.layout.then(block) {
            self.layout.check_node(self.here, node, self.diags);
            self.hint_attrs(&body.node(node).attrs, Anchor::Node(self.here.func, node));
            self.node_scope(block, node);
            self.heads(node);
        }
    }

    /// Checks attributes outside instructions: their values, and that only these keys occur.
    pub(super) fn free_attrs(&mut self, attrs: &Attrs, allowed: &[Key], anchor: Anchor) {
        attrs::check_values(self.here.module, Some(self.here.body), attrs, anchor, self.diags);
        attrs::check_allowed(attrs, allowed, anchor, self.diags);
    }

    fn hint_attrs(&mut self, attrs: &Attrs, anchor: Anchor) {
        self.free_attrs(attrs, &[Key::Hint, Key::HintArgs], anchor);
        attrs::check_hint_args(self.here.module, attrs, anchor, self.diags);
    }
}

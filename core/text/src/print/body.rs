//! Prints functions: signature, locals, blocks, instructions, terminators, and the nodes of a tree.

use super::Printer;
use super::phis::Incoming;
use crate::raw::{self, Operand};
use crate::sink::{Class, Fold, Link, Sink};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::{EntityKind, ValueKind};
use vitrine_ir::ops::{Flags, Key, Op, ValueType};
use vitrine_ir::{
    Anchor, Args, Arm, Block, Edge, Func, FuncBody, Inst, InstData, Node, NodeKind, Reg, Shape, Terminator,
    TreeStep, TreeWalk,
};

impl<'a, S: Sink + ?Sized> Printer<'a, S> {
    /// A whole function.
    pub fn function(&mut self, id: Func, body: &'a FuncBody) {
        self.func = Some((id, body));
        self.signature(id, body);
        if *body.shape() == Shape::Declaration {
            self.out.close_line();
            self.func = None;
            return;
        }
        self.punct(" {");
        self.out.close_line();
        self.out.fold(Fold::Open);
        self.locals(id, body);
        let incoming = self.options.phis.then(|| Incoming::of(body));
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => {
                for &block in order.iter() {
                    self.block(block, 0, true, incoming.as_ref());
                }
            }
            Shape::Tree(_) => self.tree(body, incoming.as_ref()),
        }
        self.out.fold(Fold::Close);
        self.out.open_line(0);
        self.punct("}");
        self.out.close_line();
        self.func = None;
    }

    fn signature(&mut self, id: Func, body: &FuncBody) {
        self.out.open_line(0);
        self.keyword("func ");
        self.define('@', id.index(), body.name(), Class::Name, Anchor::Func(id));
        self.punct("(");
        self.params(body.params());
        self.punct(")");
        if body.result() != ValueType::Void {
            self.punct(" -> ");
            self.value_type(body.result());
        }
        self.attrs(body.attrs(), &[]);
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(_) => self.keyword(" graph"),
            Shape::Tree(_) => self.keyword(" tree"),
        }
    }

    fn locals(&mut self, id: Func, body: &FuncBody) {
        for (var, data) in self.module.vars().filter(|(_, data)| data.owner == Some(id)) {
            self.variable(1, var, data);
        }
        for (reg, data) in body.regs() {
            self.out.open_line(1);
            self.keyword("reg ");
            self.define('~', reg.index(), data.name, Class::Name, Anchor::Reg(id, reg));
            self.punct(": ");
            self.value_type(ValueType::bits(data.width, data.components));
            if data.len > 0 {
                self.punct(" [");
                self.number(u64::from(data.len));
                self.punct("]");
            }
            self.out.close_line();
        }
    }

    /// Parameters, comma-separated, without parentheses.
    fn params(&mut self, params: &[Inst]) {
        for (at, &param) in params.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.value_def(param);
            self.punct(": ");
            if let Some((_, body)) = self.func {
                self.value_type(body.ty(param));
                if let Some(data) = body.tables().insts.get(param) {
                    self.attrs(&data.attrs, &[]);
                }
            }
        }
    }

    fn tree(&mut self, body: &FuncBody, incoming: Option<&Incoming>) {
        // A block before a node falls into it without a terminator line; the walk reports the node one step
        // later.
        let mut walk = TreeWalk::new(body).peekable();
        let mut depth = 0;
        while let Some(step) = walk.next() {
            match step {
                TreeStep::Block(block) => {
                    let followed = match walk.peek() {
                        Some(&TreeStep::Enter(node)) => Some(node),
                        Some(TreeStep::Block(_) | TreeStep::Open(..) | TreeStep::Leave(_)) | None => None,
                    };
                    let falls_in =
                        followed.is_some() && matches!(body.block(block).terminator, Terminator::Next(_));
                    self.block(block, depth, !falls_in, incoming);
                    if let Some(node) = followed {
                        let args = match &body.block(block).terminator {
                            Terminator::Next(args) => args.clone(),
                            _ => Args::default(),
                        };
                        self.node_head(body, node, &args, depth + 1);
                    }
                }
                TreeStep::Enter(node) => depth += levels(&body.node(node).kind),
                TreeStep::Open(node, at, _) => self.region_head(body, node, at, depth),
                TreeStep::Leave(node) => {
                    self.last_arm(&body.node(node).kind, depth);
                    depth -= levels(&body.node(node).kind);
                    self.out.fold(Fold::Close);
                    self.close(depth + 1);
                }
            }
        }
    }

    /// The first line of a node, up to the beginning of its first region.
    fn node_head(&mut self, body: &FuncBody, node: Node, args: &Args, depth: usize) {
        let data = body.node(node);
        self.out.open_line(depth);
        self.keyword(node_keyword(&data.kind));
        self.node_ref(node, Link::Def);
        self.edge_args(args);
        if let Some(operand) = data.kind.operand() {
            self.plain(" ");
            self.value_use(operand);
        }
        self.attrs(&data.attrs, &[]);
        self.punct(" {");
        self.out.close_line();
        self.out.fold(Fold::Open);
    }

    /// The line between two regions of a node, or before an arm of a switch.
    fn region_head(&mut self, body: &FuncBody, node: Node, at: u32, depth: usize) {
        match &body.node(node).kind {
            NodeKind::If { .. } if at == 1 => self.middle(depth, "else"),
            NodeKind::Loop { .. } if at == 1 => self.middle(depth, "continuing"),
            NodeKind::Switch { arms, .. } => {
                if at > 0 {
                    self.close(depth);
                }
                self.arm(&arms[at as usize], depth);
            }
            NodeKind::If { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => {}
        }
    }

    fn arm(&mut self, arm: &Arm, depth: usize) {
        self.out.open_line(depth);
        if !arm.values.is_empty() || !arm.default {
            self.keyword("case ");
        }
        for (at, &value) in arm.values.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.number(value);
        }
        self.punct(if arm.default && !arm.values.is_empty() { ", " } else { "" });
        if arm.default {
            self.keyword("default");
        }
        self.punct(" {");
        self.out.close_line();
    }

    fn last_arm(&mut self, kind: &NodeKind, depth: usize) {
        if let NodeKind::Switch { arms, .. } = kind
            && !arms.is_empty()
        {
            self.close(depth);
        }
    }

    fn middle(&mut self, depth: usize, word: &str) {
        self.out.open_line(depth);
        self.punct("} ");
        self.keyword(word);
        self.punct(" {");
        self.out.close_line();
    }

    fn close(&mut self, depth: usize) {
        self.out.open_line(depth);
        self.punct("}");
        self.out.close_line();
    }

    pub(super) fn block(
        &mut self,
        block: Block,
        depth: usize,
        with_terminator: bool,
        incoming: Option<&Incoming>,
    ) {
        let Some((func, body)) = self.func else { return };
        let data = body.block(block);
        self.out.open_line(depth);
        self.out.put(
            Class::Block,
            spell(&mut self.scratch, '^', block.index()),
            Link::Def(Anchor::Block(func, block)),
        );
        if !data.params.is_empty() && incoming.is_none() {
            self.punct("(");
            self.params(&data.params);
            self.punct(")");
        }
        self.punct(":");
        self.out.close_line();
        if let Some(incoming) = incoming {
            self.phis(incoming, block, depth + 1);
        }
        for &inst in data.insts.iter() {
            if !self.inlines(inst) {
                self.instruction(inst, depth + 1);
            }
        }
        if let Some(hint) = &data.merge {
            self.out.open_line(depth + 1);
            self.keyword("hint ");
            self.block_use(hint.merge);
            if let Some(cont) = hint.cont {
                self.punct(", ");
                self.block_use(cont);
            }
            self.attrs(&hint.attrs, &[]);
            self.out.close_line();
        }
        if with_terminator {
            self.terminator(&data.terminator, depth + 1);
        }
    }

    /// Parameters of a block as phis: the incoming values by predecessor.
    fn phis(&mut self, incoming: &Incoming, block: Block, depth: usize) {
        let Some((_, body)) = self.func else { return };
        for (at, &param) in body.block(block).params.iter().enumerate() {
            self.out.open_line(depth);
            self.value_def(param);
            self.punct(": ");
            self.value_type(body.ty(param));
            self.punct(" = ");
            self.out.put(Class::Op, "phi", Link::None);
            for (number, (from, args)) in incoming.of_block(block).iter().enumerate() {
                self.punct(if number > 0 { ", " } else { " " });
                self.block_use(*from);
                self.punct(": ");
                match args.get(at) {
                    Some(&arg) => self.value_use(arg),
                    None => self.out.put(Class::Error, "?", Link::None),
                }
            }
            self.out.close_line();
        }
    }

    /// An instruction, on a line of its own.
    pub(super) fn instruction(&mut self, inst: Inst, depth: usize) {
        let Some((_, body)) = self.func else { return };
        let data = body.inst(inst);
        self.out.open_line(depth);
        self.value_def(inst);
        if data.has_result() {
            self.punct(": ");
            self.value_type(data.ty);
        }
        self.punct(" = ");
        self.operation(inst);
        self.out.close_line();
    }

    /// The operation of an instruction with its flags, operands and attributes.
    pub(super) fn operation(&mut self, inst: Inst) {
        let Some((_, body)) = self.func else { return };
        let data = body.inst(inst);
        let info = data.op.info();
        if let Some((name, operands)) = raw::by_name(self.module, data) {
            self.out.put(op_class(data.op), &name, Link::None);
            self.flags(data.flags);
            self.raw_operands(data, &operands);
            return self.rest_attrs(inst, &[Key::Opcode, Key::Words]);
        }
        self.out.put(op_class(data.op), info.name, Link::None);
        self.flags(data.flags);
        let called = self.lead(inst, info.lead);
        self.arguments(inst, called);
        self.rest_attrs(inst, info.lead);
    }

    fn flags(&mut self, flags: Flags) {
        for flag in flags.names() {
            self.plain(" ");
            self.out.put(Class::Flag, flag, Link::None);
        }
    }

    /// The operands of a SPIR-V instruction that is written by name.
    fn raw_operands(&mut self, data: &InstData, operands: &[Operand]) {
        for (at, operand) in operands.iter().enumerate() {
            match at {
                0 => self.plain(" "),
                _ => self.punct(", "),
            }
            match *operand {
                Operand::Literal(word) => self.number(u64::from(word)),
                Operand::Value(index, reading) => {
                    self.value_use(data.args[index]);
                    if let Some(reading) = reading {
                        self.plain(" ");
                        self.keyword("as");
                        self.plain(" ");
                        self.keyword(raw::READINGS[reading]);
                    }
                }
            }
        }
    }

    /// The attributes after the name; returns whether the operation was a call.
    fn lead(&mut self, inst: Inst, lead: &[Key]) -> LeadKind {
        let Some((_, body)) = self.func else { return LeadKind::None };
        let data = body.inst(inst);
        let mut found = LeadKind::None;
        for &key in lead {
            let Some(value) = data.attrs.get(key) else { continue };
            self.plain(" ");
            match key.kind() {
                ValueKind::Entity(EntityKind::Const) => {
                    let bits = self.module.bits_of(vitrine_ir::Const::from_index(value as usize));
                    self.literal(&bits);
                }
                _ => self.attr_value(vitrine_ir::ops::Attr::new(key, value), 0),
            }
            found = if key == Key::Func { LeadKind::Call } else { LeadKind::Some };
        }
        found
    }

    fn arguments(&mut self, inst: Inst, lead: LeadKind) {
        let Some((_, body)) = self.func else { return };
        let data = body.inst(inst);
        let (open, close) = match lead {
            LeadKind::Call => ("(", ")"),
            LeadKind::Some if !data.args.is_empty() => (", ", ""),
            LeadKind::None if !data.args.is_empty() => (" ", ""),
            LeadKind::Some | LeadKind::None => ("", ""),
        };
        match open {
            " " => self.plain(open),
            _ => self.punct(open),
        }
        for (at, &arg) in data.args.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.value_use(arg);
            if at == 0 {
                self.suffix(inst);
            }
        }
        self.punct(close);
    }

    /// `.xyz` or `.2` after the operand of an operation that selects a part of it.
    fn suffix(&mut self, inst: Inst) {
        let Some((_, body)) = self.func else { return };
        let data = body.inst(inst);
        let Some(key) = suffix_key(data.op) else { return };
        let Some(value) = data.attrs.get(key) else { return };
        self.punct(".");
        match key {
            Key::Components => self.components(value, data.ty.components()),
            _ => self.number(value),
        }
    }

    fn rest_attrs(&mut self, inst: Inst, lead: &[Key]) {
        let Some((_, body)) = self.func else { return };
        let data = body.inst(inst);
        let suffix = suffix_key(data.op);
        let mut opened = false;
        for attr in data.attrs.iter().filter(|attr| !lead.contains(&attr.key) && suffix != Some(attr.key)) {
            self.punct(if opened { ", " } else { " {" });
            opened = true;
            self.attr(attr, data.ty.components());
        }
        self.punct(if opened { "}" } else { "" });
    }

    fn terminator(&mut self, terminator: &Terminator, depth: usize) {
        self.out.open_line(depth);
        match terminator {
            Terminator::Next(args) => self.jump("next", None, args),
            Terminator::Break(node, args) => self.jump("break", Some(*node), args),
            Terminator::Continue(node, args) => self.jump("continue", Some(*node), args),
            Terminator::Return(value) => {
                self.keyword("return");
                if let Some(value) = value {
                    self.plain(" ");
                    self.value_use(*value);
                }
            }
            Terminator::Stop(stop) => {
                self.keyword("stop ");
                self.keyword(stop.name());
            }
            Terminator::Goto(edge) => {
                self.keyword("goto ");
                self.edge(edge);
            }
            Terminator::Branch { cond, then, els } => {
                self.keyword("branch ");
                self.value_use(*cond);
                for edge in [then, els] {
                    self.punct(", ");
                    self.edge(edge);
                }
            }
            Terminator::Switch { on, cases, default } => {
                self.keyword("switch ");
                self.value_use(*on);
                self.punct(" {");
                for case in cases.iter() {
                    for (at, &value) in case.values.iter().enumerate() {
                        self.punct(if at > 0 { ", " } else { "" });
                        self.number(value);
                    }
                    self.punct(": ");
                    self.edge(&case.edge);
                    self.punct(", ");
                }
                self.keyword("default");
                self.punct(": ");
                self.edge(default);
                self.punct("}");
            }
        }
        self.out.close_line();
    }

    fn jump(&mut self, word: &str, to: Option<Node>, args: &Args) {
        self.keyword(word);
        if let Some(node) = to {
            self.plain(" ");
            self.node_ref(node, Link::Use);
        }
        self.edge_args(args);
    }

    fn edge(&mut self, edge: &Edge) {
        self.block_use(edge.to);
        self.edge_args(&edge.args);
    }

    pub(super) fn edge_args(&mut self, args: &Args) {
        if args.is_empty() || self.options.phis {
            return;
        }
        self.punct("(");
        for (at, &arg) in args.iter().enumerate() {
            self.punct(if at > 0 { ", " } else { "" });
            self.value_use(arg);
        }
        self.punct(")");
    }

    /// A use of a value: its id, or the operation of an inlined instruction.
    pub(super) fn value_use(&mut self, inst: Inst) {
        let Some((func, body)) = self.func else { return };
        if self.inlines(inst) {
            return self.inlined(inst);
        }
        self.entity(
            '%',
            inst.index(),
            body.inst_name(inst),
            Class::Value,
            Link::Use(Anchor::Inst(func, inst)),
        );
    }

    fn value_def(&mut self, inst: Inst) {
        let Some((func, body)) = self.func else { return };
        self.define('%', inst.index(), body.inst_name(inst), Class::Value, Anchor::Inst(func, inst));
    }

    fn block_use(&mut self, block: Block) {
        let Some((func, _)) = self.func else { return };
        self.entity('^', block.index(), None, Class::Block, Link::Use(Anchor::Block(func, block)));
    }

    pub(super) fn node_ref(&mut self, node: Node, link: fn(Anchor) -> Link) {
        let Some((func, _)) = self.func else { return };
        self.entity('!', node.index(), None, Class::Node, link(Anchor::Node(func, node)));
    }

    pub(super) fn reg_use(&mut self, reg: Reg) {
        let Some((func, body)) = self.func else { return };
        let name = body.reg(reg).and_then(|data| data.name);
        self.entity('~', reg.index(), name, Class::Name, Link::Use(Anchor::Reg(func, reg)));
    }
}

/// The kind of attributes between the name of an operation and its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadKind {
    None,
    Some,
    Call,
}

/// The attribute that is written after the first operand, for operations that select a part of it.
pub(crate) fn suffix_key(op: Op) -> Option<Key> {
    let info = op.info();
    let one_operand = info.operands.len() == 1 && info.rest.is_none();
    info.need
        .iter()
        .copied()
        .find(|key| one_operand && matches!(key.kind(), ValueKind::Components | ValueKind::Member))
}

fn op_class(op: Op) -> Class {
    match op {
        Op::Ptr(_) => Class::Qptr,
        Op::Spirv(_) => Class::Raw,
        Op::Basic(_)
        | Op::Float(_)
        | Op::Int(_)
        | Op::Convert(_)
        | Op::Vector(_)
        | Op::Memory(_)
        | Op::Deref(_)
        | Op::Io(_)
        | Op::Group(_)
        | Op::Tex(_)
        | Op::Reg(_) => Class::Op,
    }
}

/// Indentation levels of a node's regions relative to the enclosing region.
fn levels(kind: &NodeKind) -> usize {
    match kind {
        NodeKind::Switch { .. } => 2,
        NodeKind::If { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => 1,
    }
}

fn spell(scratch: &mut String, sigil: char, index: usize) -> &str {
    scratch.clear();
    scratch.push(sigil);
    crate::consts::push_decimal(scratch, index as u64);
    scratch
}

/// The keyword with the space after it.
pub(super) fn node_keyword(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::If { .. } => "if ",
        NodeKind::Switch { .. } => "switch ",
        NodeKind::Loop { .. } => "loop ",
        NodeKind::Block { .. } => "block ",
    }
}

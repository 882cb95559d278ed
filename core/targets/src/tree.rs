//! The tree of a function as statements.
//!
//! The walk goes over the steps of the tree with a stack of the open nodes.

use super::declaration_sites::Named;
use super::dialect::{Argument, EntryHead};
use super::expr::{Expr, Token, punct, space};
use super::func::{FuncWriter, Role, Slot};
use super::loops::{LoopRules, RawLoop};
use super::module::{ModuleWriter, NO_TYPE, SHAPE, Signature};
use super::number::{Kind, NumberType};
use super::paths::PathText;
use super::print::{Line, lines};
use super::stmt::{List, Stmt};
use std::rc::Rc;
use vitrine_analysis::exits::exits_fit;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Anchor, Block, Func, Help, Inst, Mode, Nesting, Node, NodeKind, Shape, Stop, Terminator, TreeStep,
    TreeWalk, Type, TypeData,
};
use vitrine_text::{Class, Fold, Link};

/// An open node.
struct Open {
    node: Node,
    /// The condition or the selector.
    operand: Option<Expr>,
    regions: Vec<List>,
    /// Number of `continue` of this loop.
    continues: usize,
    /// Number of `break` out of this node.
    breaks: usize,
}

impl ModuleWriter<'_> {
    /// The lines of a function.
    pub(super) fn function(&mut self, func: Func, is_entry: bool) -> Vec<Line> {
        let Some(body) = self.module.func(func) else { return Vec::new() };
        let anchor = Anchor::Func(func);
        if !matches!(body.shape(), Shape::Tree(_)) {
            let says = format!("{func} is no tree of statements");
            self.refuse(
                SHAPE,
                anchor,
                says,
                Help::by_pass("structurize", "makes it one; a function without a body cannot be written"),
            );
            return Vec::new();
        }
        if let Err(diag) = exits_fit(self.module, func, self.dialect.target()) {
            self.diags.push(diag);
            return Vec::new();
        }
        let signature = self.signature(func);
        let name = self.func_name(func);
        let dialect = self.dialect;
        let of_entry = match is_entry {
            true => dialect.entry_head(self, func, name.clone(), anchor),
            false => None,
        };
        let mut writer = FuncWriter::new(self, func, body);
        let EntryHead { before, head, first } = of_entry.unwrap_or_else(|| EntryHead {
            before: Vec::new(),
            head: writer.head(name, &signature, is_entry),
            first: Vec::new(),
        });
        if is_entry {
            dialect.first_statements(&mut writer);
        }
        writer.tree();
        dialect.last_statements(&mut writer);
        let list = writer.lists.pop().unwrap_or_default();
        let mut out = before;
        out.push(Line::new(0, head).folds(Fold::Open));
        out.extend(first);
        out.extend(lines(writer.w.dialect, &writer.arena, &list, 1));
        out.push(Line::new(0, vec![punct("}")]).folds(Fold::Close));
        out
    }
}

impl FuncWriter<'_, '_> {
    /// The head of a function: its result, its name, its parameters.
    fn head(&mut self, name: Rc<str>, signature: &Signature, is_entry: bool) -> Vec<Token> {
        let anchor = Anchor::Func(self.func);
        let result = signature.result.map(|ty| Token::new(Class::Type, self.w.number_name(ty, anchor)));
        let mut params = Vec::new();
        if !is_entry {
            for (at, &param) in self.body.params().iter().enumerate() {
                let kind = signature.params.get(at).copied().unwrap_or(Kind::Uint);
                params.push(self.param(param, kind));
            }
        }
        let dialect = self.w.dialect;
        params.extend(dialect.further_params(self));
        let name = Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) };
        dialect.function_head(name, result, params)
    }
}

impl FuncWriter<'_, '_> {
    /// The declaration of a parameter.
    fn param(&mut self, param: Inst, kind: Kind) -> Vec<Token> {
        let data = self.body.inst(param);
        let name = self.fresh_name(param);
        let link = Link::Def(self.anchor(param));
        self.slots[param] = Slot::Name(name.clone(), NumberType::scalar(kind));
        let number = NumberType::of(data.ty, kind);
        if let Some(ty) = number {
            self.slots[param] = Slot::Name(name.clone(), ty);
            return self.declaration((&name, link), Role::Param, ty, param, false, None);
        }
        self.w.dialect.memory_param(self, (&name, link), param).unwrap_or_else(|| {
            let says = format!("the parameter {param} has no type in a text");
            let help = Help::by_pass("inline-functions", "removes it");
            self.w.refuse(NO_TYPE, self.anchor(param), says, help);
            Vec::new()
        })
    }

    /// A parameter that is memory or a resource, as a declaration without qualifiers. `None` if its type cannot be written.
    pub(super) fn declared_param(
        &mut self,
        (name, link): (&Rc<str>, Link),
        param: Inst,
    ) -> Option<Vec<Token>> {
        let (ty, anchor) = (self.body.inst(param).entity::<Type>(Key::Type)?, self.anchor(param));
        self.w.var_declaration(name, link, ty, anchor)
    }

    /// Returns true for a parameter that is a resource.
    pub(super) fn is_resource_param(&self, param: Inst) -> bool {
        let data = self.body.inst(param);
        data.attrs.word() == Some(Mode::Handle) || data.ty == ValueType::Handle
    }

    /// Writes the body.
    fn tree(&mut self) {
        for named in self.declaration_sites.top().to_vec() {
            self.declare_ahead(named);
        }
        let body = self.body;
        let nesting = Nesting::of(body);
        let mut open: Vec<Open> = Vec::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Block(block) => {
                    self.insts(block);
                    if nesting.node_after(body, block).is_none() {
                        self.terminator(block, &mut open);
                    }
                }
                TreeStep::Enter(node) => {
                    let kind = &body.node(node).kind;
                    let operand = kind.operand().map(|operand| match kind {
                        NodeKind::If { .. } => self.value_as(operand, Kind::Bool),
                        _ => self.selector(operand),
                    });
                    for named in self.declaration_sites.before(node).to_vec() {
                        self.declare_ahead(named);
                    }
                    open.push(Open { node, operand, regions: Vec::new(), continues: 0, breaks: 0 });
                }
                TreeStep::Open(_, at, _) => {
                    self.close_region(at > 0, &mut open);
                    self.lists.push(List::new());
                }
                TreeStep::Leave(node) => {
                    self.close_region(true, &mut open);
                    if let Some(done) = open.pop() {
                        self.leave(node, done);
                    }
                }
            }
        }
    }

    /// Moves the statements of the region that ends to its node.
    fn close_region(&mut self, ends: bool, open: &mut [Open]) {
        if let Some(open) = open.last_mut().filter(|_| ends)
            && let Some(list) = self.lists.pop()
        {
            open.regions.push(list);
        }
    }

    /// The selector of a switch.
    fn selector(&mut self, operand: Inst) -> Expr {
        let dialect = self.w.dialect;
        let expr = dialect.switch_selector(self, operand);
        if !dialect.has_switch_over(expr.ty.width) {
            let says =
                format!("a switch over {} bits is no switch of {}", expr.ty.width.bits(), dialect.name());
            let anchor = self.anchor(operand);
            self.w.refuse(SHAPE, anchor, says, Help::by_pass("lower-switch", "makes it branches"));
        }
        expr
    }

    /// Makes the statement of a node.
    fn leave(&mut self, node: Node, done: Open) {
        let anchor = Anchor::Node(self.func, node);
        let mut regions = done.regions.into_iter();
        let mut next = || regions.next().unwrap_or_default();
        match &self.body.node(node).kind {
            NodeKind::If { .. } => {
                let (then, els) = (next(), next());
                let Some(cond) = done.operand else { return };
                if then.is_empty() && els.is_empty() {
                    return;
                }
                let (arena, dialect) = (&mut self.arena, self.w.dialect);
                let choice = self
                    .lists
                    .last_mut()
                    .and_then(|list| arena.choice(dialect, &cond, (&then, &els), anchor, list));
                self.push(choice.unwrap_or(Stmt::If { cond, then, els, anchor }));
            }
            NodeKind::Switch { arms, .. } => {
                let Some(on) = done.operand else { return };
                let mut out = Vec::new();
                for arm in arms.iter() {
                    let labels =
                        self.w.dialect.switch_labels(self, arm.values.as_slice(), arm.default, on.ty);
                    let mut body = next();
                    self.end_arm(&mut body, anchor);
                    out.push((labels, body));
                }
                if self.w.dialect.demands_default() && !arms.iter().any(|arm| arm.default) {
                    out.push((default_label(), Vec::new()));
                }
                self.push(Stmt::Switch { on: on.tokens, arms: out, anchor });
            }
            NodeKind::Loop { .. } => {
                let (body, continuing) = (next(), next());
                self.add_loop(node, RawLoop { body, continuing, continues: done.continues, anchor });
            }
            NodeKind::Block { .. } => {
                let mut body = next();
                if done.breaks == 0 {
                    if let Some(list) = self.lists.last_mut() {
                        list.append(&mut body);
                    }
                    return;
                }
                let dialect = self.w.dialect;
                if dialect.falls_through() {
                    self.end_with_break(&mut body, anchor);
                }
                let on = Token::new(Class::Number, dialect.block_selector());
                self.push(Stmt::Switch { on: vec![on], arms: vec![(default_label(), body)], anchor });
            }
        }
    }

    /// Makes the statement of a loop.
    fn add_loop(&mut self, node: Node, raw: RawLoop) {
        let anchor = raw.anchor;
        let (sites, named) = (&self.declaration_sites, &self.named);
        let may_count =
            |name: &str| named.get(name).is_some_and(|&named: &Named| sites.ends_within(named, node));
        let (slots, dialect) = (&self.slots, self.w.dialect);
        let declare = |token: &Token| {
            let Link::Def(Anchor::Inst(_, inst)) = token.link else { return None };
            let Slot::Name(_, ty) = &slots[inst] else { return None };
            dialect.declare_before_loop(token, *ty)
        };
        let rules = LoopRules { has_continuing: dialect.has_continuing_block(), declare: &declare };
        let Some(list) = self.lists.last_mut() else { return };
        let made = self.arena.add_loop(rules, raw, list, may_count);
        if self.arena.is_forever(made) {
            dialect.endless_loop(self, made, anchor);
        }
    }

    /// Ends an arm of a switch that does not go on in the next one.
    fn end_arm(&mut self, body: &mut List, anchor: Anchor) {
        if self.w.dialect.falls_through() {
            return self.end_with_break(body, anchor);
        }
        // It ends without a word.
        if matches!(body.last(), Some(&last) if matches!(self.arena.get(last), Stmt::Break(_))) {
            body.pop();
        }
    }

    /// Appends a break to statements after which something else would be executed.
    fn end_with_break(&mut self, body: &mut List, anchor: Anchor) {
        if !self.ends_in_exit(body) {
            let id = self.arena.add(Stmt::Break(anchor));
            body.push(id);
        }
    }

    fn ends_in_exit(&self, body: &[super::stmt::StmtId]) -> bool {
        body.last().is_some_and(|&last| {
            matches!(self.arena.get(last), Stmt::Break(_) | Stmt::Continue(_) | Stmt::Exit(_))
        })
    }

    fn terminator(&mut self, block: Block, open: &mut [Open]) {
        let anchor = Anchor::Terminator(self.func, block);
        match self.body.terminator(block).clone() {
            Terminator::Next(args) => self.no_args(args.len(), anchor),
            Terminator::Break(node, args) => {
                self.no_args(args.len(), anchor);
                if let Some(target) = open.iter_mut().rev().find(|open| open.node == node) {
                    target.breaks += 1;
                }
                self.push(Stmt::Break(anchor));
            }
            Terminator::Continue(node, args) => {
                self.no_args(args.len(), anchor);
                if let Some(target) = open.iter_mut().rev().find(|open| open.node == node) {
                    target.continues += 1;
                }
                self.push(Stmt::Continue(anchor));
            }
            Terminator::Return(value) => {
                let mut tokens = vec![Token::linked(Class::Keyword, "return", anchor)];
                if let Some(value) = value {
                    let signature = self.w.signature(self.func);
                    let kind = signature.result.map_or(Kind::Uint, |ty| ty.kind);
                    let value = self.value_as(value, kind);
                    tokens.push(space());
                    tokens.extend(value.tokens);
                } else if let Some(outputs) = self.entry_result().filter(|outputs| !outputs.is_empty()) {
                    tokens.push(space());
                    tokens.extend(outputs);
                } else if open.is_empty() {
                    // The end of the function.
                    return;
                }
                self.push(Stmt::Exit(tokens));
            }
            Terminator::Stop(stop) => self.w.dialect.stop(self, stop, open.is_empty(), anchor),
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                self.w.refuse(
                    SHAPE,
                    anchor,
                    "a branch of a graph is no statement",
                    Help::by_pass("structurize", "makes a tree"),
                );
            }
        }
    }

    /// The outputs that a return of the entry point returns. `None` if it returns none, and for other functions.
    pub(super) fn entry_result(&self) -> Option<Vec<Token>> {
        self.w.dialect.entry_result(self.w, self.func)
    }

    /// Refuses a terminator that belongs to other stages.
    pub(super) fn refuse_stop(&mut self, stop: Stop, anchor: Anchor) {
        let says = format!("`stop {}` belongs to stages that this writer does not have", stop.name());
        self.w.refuse(SHAPE, anchor, says, "");
    }

    fn no_args(&mut self, count: usize, anchor: Anchor) {
        if count > 0 {
            let help = Help::by_pass("values-to-regs", "makes numbers registers;")
                .pass("copy-prop")
                .then("may remove paths");
            self.w.refuse(SHAPE, anchor, "an edge passes values to a block", help);
        }
    }

    /// Writes the instructions of a block.
    fn insts(&mut self, block: Block) {
        let insts = self.body.block(block).insts.clone();
        self.block = Some(block);
        for &inst in insts.iter() {
            let data = self.body.inst(inst);
            if self.plan.emission(inst) == super::plan::Emission::Dead && data.op.props().removable() {
                continue;
            }
            if self.w.dialect.refuses_instruction(self, inst) || self.matrix_product(inst) {
                continue;
            }
            match data.op {
                Op::Basic(op) => self.basic(inst, op),
                Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) => self.arithmetic(inst),
                Op::Memory(op) => self.memory(inst, op),
                Op::Reg(op) => self.register(inst, op),
                Op::Group(op) => self.group(inst, op),
                Op::Io(op) => self.interface(inst, op),
                Op::Tex(op) => self.image(inst, op),
                // Written at their uses.
                Op::Deref(_) | Op::Ptr(vitrine_ir::ops::PtrOp::Texel) => {}
                Op::Ptr(_) if self.pointer_bits(inst) => {}
                Op::Ptr(_) => match self.w.dialect.refusal(data.op) {
                    Some(reason) => self.refuse(inst, reason, ""),
                    None => self.lowered(inst, "qptr-lift"),
                },
                Op::Spirv(_) => self.w.dialect.spirv(self, inst),
            }
        }
        self.join_elements();
    }

    fn join_elements(&mut self) {
        if let Some(mut list) = self.lists.pop() {
            self.arena.join_elements(&mut list);
            self.lists.push(list);
        }
    }

    fn basic(&mut self, inst: Inst, op: BasicOp) {
        let data = self.body.inst(inst);
        match op {
            BasicOp::Param | BasicOp::Const | BasicOp::Global | BasicOp::Undef => {}
            BasicOp::Copy => {
                if let (Some(&from), false) = (data.args.first(), data.ty.is_opaque()) {
                    let expr = self.value(from);
                    self.define(inst, expr);
                }
            }
            BasicOp::Call if self.w.stopping.contains(&(self.func, inst)) => {
                let says = "the callee may end the invocation, which goes on in a loop here";
                self.refuse(inst, says, Help::by_pass("inline-functions{stops}", "removes the call"));
            }
            BasicOp::Call => self.function_call(inst),
            BasicOp::Choose => self.refuse(inst, "addresses and resources are no values", ""),
            BasicOp::Assume => self.refuse(inst, "assumptions cannot be stated", ""),
            BasicOp::Print if self.w.dialect.formatted_output(self, inst) => {}
            BasicOp::Print => self.refuse(inst, "it has no formatted output", ""),
        }
    }

    /// Refuses an instruction of SPIR-V that the IR has no operation for.
    pub(super) fn no_spirv(&mut self, inst: Inst) {
        self.refuse(inst, "it is an instruction of SPIR-V that the IR has no operation for", "");
    }

    /// A call of a function of the program.
    fn function_call(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(callee) = data.entity::<Func>(Key::Func) else { return };
        if data.ty.is_opaque() {
            return self.refuse(
                inst,
                "it returns an address",
                Help::by_pass("inline-functions", "removes it"),
            );
        }
        let dialect = self.w.dialect;
        if dialect.refuses_call(self, inst, callee) {
            return;
        }
        let signature = self.w.signature(callee);
        let Some(args) = self.arguments(inst, callee, &signature) else { return };
        let args = dialect.complete_arguments(self, callee, args);
        let name = self.w.func_name(callee);
        let ty = signature.result.unwrap_or(NumberType::scalar(Kind::Uint));
        let token = Token::linked(Class::Name, name, self.anchor(inst));
        let expr = super::expr::call(token, args, ty);
        match data.ty {
            ValueType::Void => self.statement(expr.tokens),
            _ => self.define(inst, expr),
        }
    }

    /// The arguments of a call that the program has. `None` if one was refused.
    fn arguments(&mut self, call: Inst, callee: Func, signature: &Signature) -> Option<Vec<Expr>> {
        let (mut args, mut roots) = (Vec::new(), Vec::new());
        for (at, &value) in self.body.inst(call).args.iter().enumerate() {
            if !self.body.ty(value).is_opaque() {
                let kind = signature.params.get(at).copied().unwrap_or(Kind::Uint);
                args.push(self.value_as(value, kind));
                continue;
            }
            let mut path = value;
            while let Op::Memory(MemoryOp::Load) = self.body.inst(path).op {
                path = *self.body.inst(path).args.first()?;
            }
            let argument = Argument { call, callee, at, value, path };
            let (text, dialect) = (self.path(path)?, self.w.dialect);
            let text = dialect.passed_path(self, argument, text)?;
            if let Some(root) = text.root.filter(|_| text.mode == Mode::Local && !dialect.params_may_alias())
            {
                if roots.contains(&root) {
                    let says = "two arguments refer to the same variable; parameters are copies here";
                    self.refuse(call, says, Help::by_pass("inline-functions", "removes the call"));
                    return None;
                }
                roots.push(root);
            }
            args.push(dialect.memory_argument(self, argument, text)?);
        }
        Some(args)
    }

    /// A path to a resource, or to a local variable that can be copied. `None` if it was refused. `is_address` is true for a
    /// variable that holds an address.
    pub(super) fn copyable_path(&mut self, call: Inst, text: PathText, is_address: bool) -> Option<PathText> {
        let is_number = self.w.number_type(text.ty).is_some()
            || matches!(
                self.w.module.type_of(text.ty),
                TypeData::Array { .. } | TypeData::Struct(_) | TypeData::Matrix { .. }
            );
        let is_copyable = text.mode == Mode::Local && (is_number || is_address) && text.root.is_some();
        if text.mode != Mode::Handle && !is_copyable {
            self.refuse(
                call,
                "it passes the address of memory that the callee may access otherwise",
                Help::by_pass("inline-functions", "removes the call"),
            );
            return None;
        }
        Some(text)
    }
}

/// The label of the arm for all other values.
fn default_label() -> Vec<Token> {
    vec![Token::new(Class::Keyword, "default"), punct(":")]
}

//! The tree of a function as statements.
//!
//! The walk goes over the steps of the tree with a stack of the open nodes.

use super::expr::{Expr, Token, punct, space};
use super::func::{FuncWriter, Role, Slot};
use super::hlsl::literals::{is_untyped, typed};
use super::homes::Named;
use super::language::{Language, Version};
use super::loops::{LoopRules, RawLoop};
use super::module::{ModuleWriter, NO_TYPE, SHAPE, Signature};
use super::number::{Kind, NumberType};
use super::print::{Line, lines};
use super::stmt::{List, Stmt};
use crate::analysis::exits::exits_fit;
use crate::ir::{
    Anchor, Block, Func, Help, Inst, Mode, Nesting, Node, NodeKind, Shape, Stop, Terminator, TreeStep,
    TreeWalk, Type, TypeData,
};
use crate::ops::{BasicOp, Key, Op, ValueType, Width};
use crate::text::{Class, Fold, Link};
use std::rc::Rc;

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
        let language = self.language;
        let (before, entry_head, first) = match (is_entry, language) {
            (true, Language::Wgsl) => self.wgsl_entry(name.clone(), anchor),
            (true, Language::Msl) => self.msl_entry(func, name.clone(), anchor),
            _ => Default::default(),
        };
        let mut writer = FuncWriter::new(self, func, body);
        let head = match entry_head.is_empty() {
            true => writer.head(name, &signature, is_entry),
            false => entry_head,
        };
        if is_entry {
            writer.es_fill_inputs();
            writer.glsl_initialize_outputs();
            writer.name_kernel_arguments();
        }
        writer.tree();
        writer.glsl_last_return();
        let list = writer.lists.pop().unwrap_or_default();
        let mut out = before;
        out.push(Line::new(0, head).folds(Fold::Open));
        out.extend(first);
        out.extend(lines(language, &writer.arena, &list, 1));
        out.push(Line::new(0, vec![punct("}")]).folds(Fold::Close));
        out
    }
}

impl FuncWriter<'_, '_> {
    /// The head of a function: its result, its name, its parameters.
    fn head(&mut self, name: Rc<str>, signature: &Signature, is_entry: bool) -> Vec<Token> {
        let anchor = Anchor::Func(self.func);
        let result = signature.result.map(|ty| Token::new(Class::Type, self.w.number_name(ty, anchor)));
        let (mut head, result) = match self.w.language {
            Language::Glsl(_) | Language::Msl | Language::Hlsl => {
                (vec![result.unwrap_or(Token::new(Class::Type, "void")), space()], None)
            }
            Language::Wgsl => (vec![Token::new(Class::Keyword, "fn"), space()], result),
        };
        head.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        head.push(punct("("));
        if !is_entry {
            for (at, &param) in self.body.params().iter().enumerate() {
                if at > 0 {
                    head.extend([punct(","), space()]);
                }
                let kind = signature.params.get(at).copied().unwrap_or(Kind::Uint);
                head.extend(self.param(param, kind));
            }
        }
        if let (Language::Hlsl, Some(stream)) = (self.w.language, self.w.hlsl_stream_param(self.func)) {
            if !is_entry && !self.body.params().is_empty() {
                head.extend([punct(","), space()]);
            }
            head.extend(stream);
        }
        if self.w.language == Language::Msl {
            let is_first = self.body.params().is_empty();
            for (at, tokens) in self.w.msl_parameters(self.func).into_iter().enumerate() {
                if at > 0 || !is_first {
                    head.extend([punct(","), space()]);
                }
                head.extend(tokens);
            }
        }
        head.extend([punct(")"), space()]);
        if let Some(result) = result {
            head.extend([punct("->"), space(), result, space()]);
        }
        head.push(punct("{"));
        head
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
        let (ty, mode) = (data.entity::<Type>(Key::Type), data.attrs.word::<Mode>());
        let anchor = self.anchor(param);
        if let (Language::Msl, Some(ty), Some(mode)) = (self.w.language, ty, mode) {
            return self.msl_param((&name, link), ty, mode, param);
        }
        let declared = ty.and_then(|ty| self.w.var_declaration(&name, link, ty, anchor));
        let Some(declared) = declared else {
            self.w.refuse(
                NO_TYPE,
                anchor,
                format!("the parameter {param} has no type in a text"),
                Help::by_pass("inline-functions", "removes it"),
            );
            return Vec::new();
        };
        let is_resource = mode == Some(Mode::Handle) || data.ty == ValueType::Handle;
        if is_resource && self.w.language.is_glsl() {
            return self.glsl_image_param(param, declared);
        }
        if is_resource && self.w.language == Language::Wgsl {
            self.w.refuse(
                NO_TYPE,
                anchor,
                format!("the parameter {param} is a resource"),
                Help::by_pass("inline-functions", "removes it"),
            );
            return declared;
        }
        if is_resource {
            return declared;
        }
        if self.w.language == Language::Wgsl {
            let [name, colon, gap, of] = &declared[..] else { return declared };
            let mut tokens = vec![name.clone(), colon.clone(), gap.clone(), Token::new(Class::Type, "ptr")];
            tokens.extend([punct("<"), Token::new(Class::Keyword, "function"), punct(","), space()]);
            tokens.extend([of.clone(), punct(">")]);
            return tokens;
        }
        let mut tokens = vec![Token::new(Class::Keyword, "inout"), space()];
        tokens.extend(declared);
        tokens
    }

    /// Writes the body.
    fn tree(&mut self) {
        for named in self.homes.top().to_vec() {
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
                    for named in self.homes.before(node).to_vec() {
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
        let mut expr = self.count(operand);
        if self.w.language == Language::Hlsl && expr.ty.kind == Kind::Int && expr.tokens.len() == 1 {
            // A literal without a suffix has 64 bits.
            let is_literal = expr.tokens.first().is_some_and(|token| token.class == Class::Number);
            expr = if is_literal { self.value_as(operand, Kind::Uint) } else { expr };
        }
        let has_wide = self.w.language == Language::Msl && expr.ty.width == Width::W64;
        if expr.ty.width != Width::W32 && !has_wide {
            let says = format!(
                "a switch over {} bits is no switch of {}",
                expr.ty.width.bits(),
                self.w.dialect.name()
            );
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
                let (arena, language) = (&mut self.arena, self.w.language);
                let choice = self
                    .lists
                    .last_mut()
                    .and_then(|list| arena.choice(language, &cond, (&then, &els), anchor, list));
                self.push(choice.unwrap_or(Stmt::If { cond, then, els, anchor }));
            }
            NodeKind::Switch { arms, .. } => {
                let Some(mut on) = done.operand else { return };
                if self.w.language == Language::Hlsl && is_untyped(&on) {
                    on = typed(on);
                }
                let arms = arms.clone();
                let mut out = Vec::new();
                for arm in arms.iter() {
                    let mut body = next();
                    let labels = self.labels(arm.values.as_slice(), arm.default, on.ty);
                    if self.w.language == Language::Wgsl {
                        // An arm ends without a word.
                        if matches!(body.last(), Some(&last) if matches!(self.arena.get(last), Stmt::Break(_)))
                        {
                            body.pop();
                        }
                    } else if !self.ends_in_exit(&body) {
                        let id = self.arena.add(Stmt::Break(anchor));
                        body.push(id);
                    }
                    out.push((labels, body));
                }
                if self.w.language == Language::Wgsl && !arms.iter().any(|arm| arm.default) {
                    out.push((vec![Token::new(Class::Keyword, "default"), punct(":")], Vec::new()));
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
                if self.w.language != Language::Wgsl && !self.ends_in_exit(&body) {
                    let id = self.arena.add(Stmt::Break(anchor));
                    body.push(id);
                }
                // A literal of HLSL without a suffix has 64 bits.
                let zero = if self.w.language == Language::Hlsl { "0u" } else { "0" };
                let zero = Token::new(Class::Number, zero);
                let labels = vec![Token::new(Class::Keyword, "default"), punct(":")];
                self.push(Stmt::Switch { on: vec![zero], arms: vec![(labels, body)], anchor });
            }
        }
    }

    /// Makes the statement of a loop.
    fn add_loop(&mut self, node: Node, raw: RawLoop) {
        let anchor = raw.anchor;
        let (homes, named) = (&self.homes, &self.named);
        let may_count =
            |name: &str| named.get(name).is_some_and(|&named: &Named| homes.ends_within(named, node));
        let (slots, dialect, language) = (&self.slots, self.w.dialect, self.w.language);
        let declare = |token: &Token| match (language, token.link) {
            (Language::Wgsl, Link::Def(Anchor::Inst(_, inst))) => {
                let Slot::Name(_, ty) = &slots[inst] else { return None };
                let mut tokens = vec![Token::new(Class::Keyword, "var"), space(), token.clone()];
                tokens.extend([punct(":"), space(), Token::new(Class::Type, dialect.number(*ty)?)]);
                Some(tokens)
            }
            _ => None,
        };
        let rules = LoopRules { has_continuing: language == Language::Wgsl, declare: &declare };
        let Some(list) = self.lists.last_mut() else { return };
        let made = self.arena.add_loop(rules, raw, list, may_count);
        let demands_exit = matches!(language, Language::Wgsl | Language::Glsl(Version::Es300));
        if demands_exit && self.arena.is_forever(made) {
            // WGSL demands a way out, and browsers reject loops of GLSL ES that have none.
            let cond = Expr::atom(Token::new(Class::Number, "false"), NumberType::BOOL);
            let then = vec![self.arena.add(Stmt::Break(anchor))];
            let test = self.arena.add(Stmt::If { cond, then, els: Vec::new(), anchor });
            self.arena.begin_loop(made, test);
        }
        let has_result = self.w.signature(self.func).result.is_some();
        if language == Language::Hlsl && has_result && self.arena.is_forever(made) {
            self.hlsl_hide_endless(made, anchor);
        }
    }

    fn ends_in_exit(&self, body: &[super::stmt::StmtId]) -> bool {
        body.last().is_some_and(|&last| {
            matches!(self.arena.get(last), Stmt::Break(_) | Stmt::Continue(_) | Stmt::Exit(_))
        })
    }

    /// The labels of an arm.
    fn labels(&mut self, values: &[u64], is_default: bool, ty: NumberType) -> Vec<Token> {
        let (kind, width) = (ty.kind, ty.width);
        if self.w.language == Language::Wgsl {
            return self.shared_labels(values, is_default, kind);
        }
        let mut tokens = Vec::new();
        for &value in values {
            if !tokens.is_empty() {
                tokens.push(space());
            }
            let literal = self.w.dialect.literal(kind, width, value & width.mask());
            tokens.extend([
                Token::new(Class::Keyword, "case"),
                space(),
                Token::new(Class::Number, literal),
                punct(":"),
            ]);
        }
        if is_default {
            if !tokens.is_empty() {
                tokens.push(space());
            }
            tokens.extend([Token::new(Class::Keyword, "default"), punct(":")]);
        }
        tokens
    }

    /// `case 1, 2, default:`.
    fn shared_labels(&self, values: &[u64], is_default: bool, kind: Kind) -> Vec<Token> {
        let mut tokens = Vec::new();
        if !values.is_empty() {
            tokens.extend([Token::new(Class::Keyword, "case"), space()]);
        }
        for (at, &value) in values.iter().enumerate() {
            if at > 0 {
                tokens.extend([punct(","), space()]);
            }
            let literal = self.w.dialect.literal(kind, Width::W32, value & 0xffff_ffff);
            tokens.push(Token::new(Class::Number, literal));
        }
        if is_default {
            if !values.is_empty() {
                tokens.extend([punct(","), space()]);
            }
            tokens.push(Token::new(Class::Keyword, "default"));
        }
        tokens.push(punct(":"));
        tokens
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
            Terminator::Stop(Stop::Unreachable) if self.w.language == Language::Wgsl => {
                // Every end of a function that returns a value is a return.
                let tokens = self.wgsl_return(anchor);
                self.push(Stmt::Exit(tokens));
            }
            Terminator::Stop(Stop::Unreachable) if self.w.language == Language::Hlsl => {
                if self.w.signature(self.func).result.is_some() {
                    let tokens = self.hlsl_return(anchor);
                    self.push(Stmt::Exit(tokens));
                }
            }
            Terminator::Stop(Stop::Unreachable) => {}
            // The end of an object function.
            Terminator::Stop(Stop::EmitMeshTasks) if self.w.language == Language::Msl && open.is_empty() => {}
            Terminator::Stop(stop) => self.stop(stop, anchor),
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

    /// The outputs that a return of the entry point returns.
    pub(super) fn entry_result(&self) -> Option<Vec<Token>> {
        match self.w.language {
            Language::Msl => self.w.msl_result(self.func),
            Language::Glsl(_) | Language::Wgsl | Language::Hlsl => self.w.wgsl_result(self.func),
        }
    }

    fn stop(&mut self, stop: Stop, anchor: Anchor) {
        let (word, extension) = match stop {
            Stop::Discard => ("discard", None),
            Stop::Terminate if self.w.language.is_es() => ("discard", None),
            Stop::Terminate => ("terminateInvocation", Some("GL_EXT_terminate_invocation")),
            Stop::IgnoreIntersection if self.w.language.is_glsl() => ("ignoreIntersectionEXT", None),
            Stop::TerminateRay if self.w.language.is_glsl() => ("terminateRayEXT", None),
            Stop::IgnoreIntersection | Stop::TerminateRay if self.w.language == Language::Hlsl => {
                return self.hlsl_end_hit(stop, anchor);
            }
            // The instruction before it starts them and ends the invocation.
            Stop::EmitMeshTasks if self.w.language.is_glsl() => return,
            Stop::EmitMeshTasks if self.w.language == Language::Msl => {
                return self.push(Stmt::Exit(vec![Token::linked(Class::Keyword, "return", anchor)]));
            }
            Stop::Unreachable | Stop::IgnoreIntersection | Stop::TerminateRay | Stop::EmitMeshTasks => {
                let says = format!("`stop {}` belongs to stages that this writer does not have", stop.name());
                return self.w.refuse(SHAPE, anchor, says, "");
            }
        };
        if !self.w.language.is_glsl() {
            // The language goes on as a helper, which must not be seen.
            let tokens = match self.w.language {
                Language::Msl => self.msl_discard(anchor),
                Language::Glsl(_) | Language::Wgsl | Language::Hlsl => {
                    vec![Token::linked(Class::Keyword, "discard", anchor)]
                }
            };
            self.push(Stmt::Simple { tokens, declares: None, assigns: None });
            let tokens = match self.w.language {
                Language::Hlsl => self.hlsl_return(anchor),
                _ => self.wgsl_return(anchor),
            };
            return self.push(Stmt::Exit(tokens));
        }
        self.w.extensions.extend(extension);
        self.push(Stmt::Exit(vec![Token::linked(Class::Keyword, word, anchor)]));
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
            if self.plan.way(inst) == super::plan::Way::Dead && data.op.props().removable() {
                continue;
            }
            if self.w.language.is_es() && self.es_refused(inst) || self.matrix_product(inst) {
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
                Op::Deref(_) | Op::Ptr(crate::ops::PtrOp::Texel) => {}
                Op::Ptr(_) if self.pointer_bits(inst) => {}
                Op::Ptr(_) => match self.w.dialect.refusal(data.op) {
                    Some(reason) => self.refuse(inst, reason, ""),
                    None => self.lowered(inst, "qptr-lift"),
                },
                Op::Spirv(_) if self.w.language == Language::Hlsl => self.hlsl_spirv(inst),
                Op::Spirv(_) if self.w.language == Language::Msl => self.msl_spirv(inst),
                Op::Spirv(_) => self.spirv(inst),
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
            BasicOp::Print if self.w.language == Language::Hlsl => self.hlsl_print(inst),
            BasicOp::Print if self.w.language == Language::Glsl(Version::Vulkan) => self.glsl_print(inst),
            BasicOp::Print => self.refuse(inst, "it has no formatted output", ""),
        }
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
        if self.w.language == Language::Wgsl && self.wgsl_refuses_call(inst, callee) {
            return;
        }
        let signature = self.w.signature(callee);
        let is_msl = self.w.language == Language::Msl;
        let mut args = Vec::new();
        let mut roots: Vec<crate::ir::Var> = Vec::new();
        for (at, &arg) in data.args.iter().enumerate() {
            if !self.body.ty(arg).is_opaque() {
                let kind = signature.params.get(at).copied().unwrap_or(Kind::Uint);
                args.push(self.value_as(arg, kind));
                continue;
            }
            let Some(mut text) = self.argument(inst, arg) else { return };
            let mixed = text.root.filter(|&var| {
                let param = self.w.module.func(callee).and_then(|body| body.params().get(at).copied());
                let compares = param.is_some_and(|param| self.w.uses.of_param(callee, param).compare);
                compares && self.w.uses.of_var(var).are_mixed()
            });
            if let (Some(var), Some(name)) = (mixed, text.tokens.first_mut()) {
                name.text = self.w.glsl_shadow_name(var).into();
            }
            if let Some(root) = text.root.filter(|_| text.mode == Mode::Local && !is_msl) {
                if roots.contains(&root) {
                    let says = "two arguments refer to the same variable; parameters are copies here";
                    return self.refuse(inst, says, Help::by_pass("inline-functions", "removes the call"));
                }
                roots.push(root);
            }
            let ty = NumberType::scalar(Kind::Uint);
            let memory = Expr::new(text.tokens, super::expr::Prec::Postfix, ty);
            args.push(match self.w.language {
                Language::Glsl(_) | Language::Msl | Language::Hlsl => memory,
                Language::Wgsl if text.whole.is_none() || text.atomic.is_some() => {
                    let says = "it passes the address of a part of a variable";
                    return self.refuse(inst, says, Help::by_pass("inline-functions", "removes the call"));
                }
                Language::Wgsl => super::expr::prefix(Token::new(Class::Op, "&"), memory, ty),
            });
        }
        if is_msl {
            args.extend(self.msl_arguments(callee));
        }
        args.extend(self.w.hlsl_stream(callee));
        if self.w.language == Language::Wgsl {
            args = super::wgsl::values::apart_from_templates(args);
        }
        let name = self.w.func_name(callee);
        let ty = signature.result.unwrap_or(NumberType::scalar(Kind::Uint));
        let token = Token::linked(Class::Name, name, self.anchor(inst));
        let expr = super::expr::call(token, args, ty);
        match data.ty {
            ValueType::Void => self.statement(expr.tokens),
            _ => self.define(inst, expr),
        }
    }

    /// A path or a resource as an argument.
    fn argument(&mut self, call: Inst, arg: Inst) -> Option<super::paths::PathText> {
        let mut at = arg;
        while let Op::Memory(crate::ops::MemoryOp::Load) = self.body.inst(at).op {
            at = *self.body.inst(at).args.first()?;
        }
        let text = self.path(at)?;
        if self.w.language == Language::Msl {
            return self.msl_argument(call, at, text);
        }
        let is_number = self.w.number_type(text.ty).is_some()
            || matches!(
                self.w.module.type_of(text.ty),
                TypeData::Array { .. } | TypeData::Struct(_) | TypeData::Matrix { .. }
            );
        // A variable that holds an address, not the memory at this address.
        let is_address = at == arg && self.w.language.is_glsl() && self.w.pointee(text.ty).is_some();
        let is_number = is_number || is_address;
        let is_copyable = matches!(text.mode, Mode::Local) && is_number && text.root.is_some();
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

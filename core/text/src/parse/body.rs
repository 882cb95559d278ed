//! Parses functions: signature, locals, blocks and terminators. The nodes of a tree are in `tree`.
//!
//! An invalid line loses only that line; if it opened a node, a placeholder keeps the following lines in
//! their place.

use super::{Parser, Reported, Res};
use crate::lex::{Token, TokenKind};
use std::rc::Rc;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::{BasicOp, ValueType};
use vitrine_ir::{
    Anchor, Args, Assembler, Attrs, Block, BlockData, Case, CowVec, Edge, Func, Inst, InstData, MergeInfo,
    Mode, Node, Reg, RegData, Region, Stop, Terminator,
};

/// State of a function during parsing.
pub(super) struct Body {
    pub(super) func: Func,
    pub(super) assembler: Assembler,
    pub(super) insts: EntitySet<Inst>,
    pub(super) blocks: EntitySet<Block>,
    pub(super) nodes: EntitySet<Node>,
    pub(super) regs: EntitySet<Reg>,
    pub(super) tree: bool,
    /// The current block.
    pub(super) current: Option<Reading>,
    /// Blocks of a graph, in order.
    pub(super) order: Vec<Block>,
    /// Open regions and nodes of a tree; the root region is the first.
    pub(super) open: Vec<Open>,
    /// Token of the function's first line, and the next unused numbers, once they were requested.
    pub(super) first: usize,
    pub(super) free: Option<[usize; 3]>,
}

/// A region or a node that has begun.
pub(super) enum Open {
    Region(OpenRegion),
    Node(OpenNode),
}

#[derive(Default)]
pub(super) struct OpenRegion {
    pub(super) head: Option<Block>,
    pub(super) rest: Vec<(Node, Block)>,
    /// A node that has ended and waits for the block after it.
    pub(super) pending: Option<Node>,
}

pub(super) struct OpenNode {
    pub(super) id: Node,
    pub(super) word: NodeWord,
    pub(super) operand: Inst,
    pub(super) attrs: Attrs,
    pub(super) regions: Vec<Region>,
    pub(super) arms: Vec<(Vec<u64>, bool)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeWord {
    If,
    Switch,
    Loop,
    Block,
}

pub(super) struct Reading {
    pub(super) id: Block,
    pub(super) data: BlockData,
    pub(super) terminator: Option<Terminator>,
}

impl Body {
    fn new(func: Func, first: usize) -> Body {
        Body {
            func,
            assembler: Assembler::new(),
            insts: EntitySet::new(),
            blocks: EntitySet::new(),
            nodes: EntitySet::new(),
            regs: EntitySet::new(),
            tree: false,
            current: None,
            order: Vec::new(),
            open: Vec::new(),
            first,
            free: None,
        }
    }

    pub(super) fn put(&mut self, id: Inst, data: InstData) {
        self.assembler.put_inst(id, data);
    }

    /// Type of a value that is already defined; `Void` for any other.
    pub(super) fn ty(&self, inst: Inst) -> ValueType {
        if self.insts.contains(inst) { self.assembler.body().ty(inst) } else { ValueType::Void }
    }

    pub(super) fn fresh_inst(&mut self, parser: &Parser<'_>) -> Inst {
        self.fresh(parser, 0)
    }

    /// A number that this function does not use, found by scanning its text once.
    pub(super) fn fresh<K: EntityId>(&mut self, parser: &Parser<'_>, which: usize) -> K {
        let first = self.first;
        let free = self.free.get_or_insert_with(|| parser.free_numbers(first));
        let index = free[which];
        free[which] += 1;
        K::from_index(index)
    }
}

/// The sigils whose numbers may be omitted, in the order of `Body::free`.
const FRESH_SIGILS: [u8; 3] = *b"%^!";

impl Parser<'_> {
    /// For values, blocks and nodes, the first number above all that the function at token `first` mentions.
    fn free_numbers(&self, first: usize) -> [usize; 3] {
        let mut free = [0; 3];
        let mut line_start = false;
        for &token in &self.tokens[first..] {
            if line_start && token.kind == TokenKind::Word && self.slice(token) == "func" {
                break;
            }
            line_start = token.kind == TokenKind::Newline;
            if token.kind != TokenKind::Entity {
                continue;
            }
            let text = self.slice(token);
            let Some(which) = FRESH_SIGILS.iter().position(|&sigil| text.as_bytes()[0] == sigil) else {
                continue;
            };
            let number = super::split_id(text).1.parse::<usize>().unwrap_or(0);
            if number <= Inst::MAX_INDEX {
                free[which] = free[which].max(number + 1);
            }
        }
        free
    }

    /// A function; `func` is already consumed. Invalid lines are reported and skipped.
    pub(super) fn function(&mut self) -> Res<()> {
        let first = self.at - 1;
        let token = self.peek();
        let (id, name) = self.definition::<Func>().inspect_err(|_| self.skip_function_later())?;
        self.map.define(Anchor::Func(id), token);
        let mut body = Body::new(id, first);
        body.assembler.name(name);
        let has_body = match self.signature(&mut body) {
            Ok(has_body) => has_body,
            Err(Reported) => {
                self.skip_function_later();
                return Err(Reported);
            }
        };
        let known = self.declare_func(id, token);
        if has_body {
            self.lines(&mut body);
            self.finish_shape(&mut body);
        }
        known?;
        self.module.define_func(id, body.assembler.finish());
        Ok(())
    }

    /// After an invalid first line: advances to the next line that can begin a declaration, so that the body
    /// does not cause further errors.
    fn skip_function_later(&mut self) {
        const STARTS: [&str; 6] = ["module", "struct", "const", "entry", "decorate", "func"];
        loop {
            self.skip_line();
            let word = self.word_text(self.peek());
            let starts = STARTS.contains(&word) || Mode::parse(word).is_some_and(|mode| mode != Mode::Local);
            if starts || self.peek().kind == TokenKind::End {
                // The caller skips one line after an error.
                self.at = self.at.saturating_sub(1);
                return;
            }
        }
    }

    fn signature(&mut self, body: &mut Body) -> Res<bool> {
        let params = self.params(body)?;
        body.assembler.params(params);
        if self.eat(TokenKind::Arrow) {
            let result = self.value_type()?;
            body.assembler.result(result);
        }
        let attrs = self.braced_struct_attrs()?;
        body.assembler.attrs(attrs);
        if matches!(self.peek().kind, TokenKind::Newline | TokenKind::End) {
            self.end_of_line()?;
            return Ok(false);
        }
        body.tree = match self.word_text(self.peek()) {
            "tree" => true,
            "graph" => false,
            _ => {
                return Err(self.unexpected(
                    "`tree` or `graph`",
                    "give the shape of the body, or end the line for a declaration",
                ));
            }
        };
        self.at += 1;
        self.punct(b'{')?;
        self.end_of_line()?;
        if body.tree {
            body.open.push(Open::Region(OpenRegion::default()));
        }
        Ok(true)
    }

    /// Parameters in parentheses.
    fn params(&mut self, body: &mut Body) -> Res<Vec<Inst>> {
        let mut params = Vec::new();
        self.punct(b'(')?;
        self.list(b')', |parser| {
            let at = parser.peek();
            let (id, name) = parser.definition::<Inst>()?;
            parser.punct(b':')?;
            let ty = parser.value_type()?;
            let attrs = parser.attrs()?;
            parser.define_inst(body, id, name, at)?;
            parser.map.define(Anchor::Inst(body.func, id), at);
            body.put(id, InstData { attrs, ..InstData::new(BasicOp::Param, ty, &[]) });
            params.push(id);
            Ok(())
        })?;
        Ok(params)
    }

    fn lines(&mut self, body: &mut Body) {
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.peek().kind == TokenKind::End
                || (self.word_text(self.peek()) == "func" && self.at_line_start())
            {
                self.unexpected("`}`", "the function is not closed");
                return;
            }
            let line = self.at;
            match self.line(body) {
                Ok(Line::Go) => {}
                Ok(Line::End) => return,
                Err(Reported) => {
                    self.at = self.at.max(line);
                    self.recover(body, line);
                }
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.tokens[self.at - 1].kind == TokenKind::Newline
    }

    /// Skips an invalid line; if it opened a node, opens a placeholder so that the following lines keep their
    /// place.
    fn recover(&mut self, body: &mut Body, line: usize) {
        if self.at > line && self.tokens[self.at - 1].kind == TokenKind::Newline {
            return;
        }
        self.skip_line();
        let last = self.tokens[line..self.at].iter().rev().find(|token| token.kind != TokenKind::Newline);
        let opens = last.is_some_and(|token| token.kind == TokenKind::Punct(b'{'));
        let closes = self.tokens[line].kind == TokenKind::Punct(b'}');
        if opens && !closes && body.tree {
            let id = body.fresh(self, 2);
            let word = match self.word_text(self.tokens[line]) {
                "if" => NodeWord::If,
                "loop" => NodeWord::Loop,
                "switch" => NodeWord::Switch,
                _ => NodeWord::Block,
            };
            self.open_node(body, OpenNode::new(id, word, Inst::from_index(0), Attrs::None), Args::default());
        }
    }

    fn line(&mut self, body: &mut Body) -> Res<Line> {
        let token = self.peek();
        match token.kind {
            TokenKind::Punct(b'}') => return self.close(body),
            TokenKind::Entity if self.slice(token).starts_with('^') => self.block_line(body)?,
            TokenKind::Word => return self.word_line(body),
            _ => self.instruction_line(body)?,
        }
        Ok(Line::Go)
    }

    fn word_line(&mut self, body: &mut Body) -> Res<Line> {
        let token = self.peek();
        let word = self.slice(token);
        match word {
            "local" => {
                self.variable(Mode::Local, Some(body.func))?;
                self.end_of_line()?;
            }
            "reg" => self.register(body)?,
            "hint" => self.hint(body)?,
            "if" | "loop" | "block" => self.node_line(body)?,
            "switch" if body.tree => self.node_line(body)?,
            "case" | "default" => self.arm_line(body)?,
            "next" | "break" | "continue" | "return" | "stop" | "goto" | "branch" | "switch" => {
                self.terminator_line(body)?;
            }
            _ => self.instruction_line(body)?,
        }
        Ok(Line::Go)
    }

    fn instruction_line(&mut self, body: &mut Body) -> Res<()> {
        let token = self.peek();
        if body.current.is_none() {
            return Err(self.error(
                "P010",
                token,
                "this line is outside of any block",
                "begin a block with a label such as `^0:`",
            ));
        }
        let inst = self.instruction(body)?;
        let Some(current) = &mut body.current else { return Ok(()) };
        if current.terminator.is_some() {
            return Err(self.error(
                "P010",
                token,
                "this line is after the terminator of its block",
                "move the terminator to the end of the block",
            ));
        }
        Rc::make_mut(&mut current.data.insts).push(inst);
        Ok(())
    }

    fn register(&mut self, body: &mut Body) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        let (id, name) = self.definition::<Reg>()?;
        self.punct(b':')?;
        let type_token = self.peek();
        let ValueType::Bits { width, components } = self.value_type()? else {
            return Err(self.error(
                "P007",
                type_token,
                "the type of a register must be bits",
                "such as `b32x4`",
            ));
        };
        let mut len = 0;
        if self.eat(TokenKind::Punct(b'[')) {
            len = self.number_u32()?;
            self.punct(b']')?;
        }
        self.end_of_line()?;
        self.once(token, |_| body.regs.insert(id))?;
        self.map.define(Anchor::Reg(body.func, id), token);
        body.assembler.put_reg(id, RegData { name, width, components, len });
        Ok(())
    }

    // Blocks and terminators.

    fn block_line(&mut self, body: &mut Body) -> Res<()> {
        let token = self.peek();
        let id = self.entity::<Block>()?;
        let params = if self.peek().kind == TokenKind::Punct(b'(') { self.params(body)? } else { Vec::new() };
        self.punct(b':')?;
        self.end_of_line()?;
        self.once(token, |_| body.blocks.insert(id))?;
        self.map.define(Anchor::Block(body.func, id), token);
        self.flush(body, token);
        self.begin_block(body, id, params, token)
    }

    pub(super) fn begin_block(
        &mut self,
        body: &mut Body,
        id: Block,
        params: Vec<Inst>,
        token: Token,
    ) -> Res<()> {
        if body.tree {
            let Some(Open::Region(region)) = body.open.last_mut() else {
                return Err(self.error(
                    "P010",
                    token,
                    "this block is between the arms of a switch",
                    "move it into an arm",
                ));
            };
            if let Some(node) = region.pending.take() {
                region.rest.push((node, id));
            } else if region.head.is_none() {
                region.head = Some(id);
            } else {
                let help = "in a tree, a block must be followed by a node or by the end of its region";
                return Err(self.error("P010", token, "two blocks follow each other", help));
            }
        } else {
            body.order.push(id);
        }
        let data = BlockData { params: CowVec::new(params), ..BlockData::default() };
        body.current = Some(Reading { id, data, terminator: None });
        Ok(())
    }

    /// Ends the current block. In a tree, a block without a terminator falls through; in a graph, it needs
    /// one.
    pub(super) fn flush(&mut self, body: &mut Body, at: Token) {
        let Some(Reading { id, mut data, terminator }) = body.current.take() else { return };
        data.terminator = match terminator {
            Some(terminator) => terminator,
            None if body.tree => Terminator::next(),
            None => {
                let says = format!("{id} has no terminator");
                self.error("P010", at, &says, "end it with `goto`, `branch`, `switch`, `return` or `stop`");
                Terminator::default()
            }
        };
        body.assembler.put_block(id, data);
    }

    fn hint(&mut self, body: &mut Body) -> Res<()> {
        let token = self.next();
        let merge = self.entity::<Block>()?;
        let cont = if self.eat(TokenKind::Punct(b',')) { Some(self.entity()?) } else { None };
        let attrs = self.attrs()?;
        self.end_of_line()?;
        match &mut body.current {
            Some(current) => current.data.merge = Some(Rc::new(MergeInfo { merge, cont, attrs })),
            None => return Err(self.error("P010", token, "this hint is outside of any block", "")),
        }
        Ok(())
    }

    fn terminator_line(&mut self, body: &mut Body) -> Res<()> {
        let token = self.next();
        let terminator = match self.slice(token) {
            "next" => Terminator::Next(self.edge_args()?),
            "break" => Terminator::Break(self.entity()?, self.edge_args()?),
            "continue" => Terminator::Continue(self.entity()?, self.edge_args()?),
            "return" if matches!(self.peek().kind, TokenKind::Newline | TokenKind::End) => {
                Terminator::Return(None)
            }
            "return" => Terminator::Return(Some(self.entity()?)),
            "stop" => Terminator::Stop(self.stop()?),
            "goto" => Terminator::Goto(self.edge()?),
            "branch" => self.branch()?,
            _ => self.switch_terminator()?,
        };
        self.end_of_line()?;
        match &mut body.current {
            None => Err(self.error(
                "P010",
                token,
                "this terminator is outside of any block",
                "begin a block with a label such as `^0:`",
            )),
            Some(Reading { terminator: Some(_), .. }) => {
                Err(self.error("P010", token, "the block already has a terminator", "remove one of them"))
            }
            Some(current) => {
                current.terminator = Some(terminator);
                self.map.define(Anchor::Terminator(body.func, current.id), token);
                Ok(())
            }
        }
    }

    fn stop(&mut self) -> Res<Stop> {
        let word = self.expect(TokenKind::Word, "a kind of `stop`")?;
        let known = Stop::ALL.map(Stop::name);
        let found = Stop::ALL.into_iter().find(|stop| stop.name() == self.slice(word));
        found.ok_or_else(|| self.unknown_word(word, "a kind of `stop`", &known))
    }

    fn branch(&mut self) -> Res<Terminator> {
        let cond = self.entity()?;
        self.punct(b',')?;
        let then = self.edge()?;
        self.punct(b',')?;
        let els = self.edge()?;
        Ok(Terminator::Branch { cond, then, els })
    }

    /// `switch %2 {0, 1: ^3, default: ^4}`
    fn switch_terminator(&mut self) -> Res<Terminator> {
        let on = self.entity()?;
        let open = self.peek();
        let mut cases = Vec::new();
        let mut values = Vec::new();
        let mut default = None;
        self.punct(b'{')?;
        self.list(b'}', |parser| {
            if parser.eat_word("default") {
                parser.punct(b':')?;
                default = Some(parser.edge()?);
                return Ok(());
            }
            values.push(parser.case_value()?);
            if parser.eat(TokenKind::Punct(b':')) {
                cases.push(Case { values: std::mem::take(&mut values), edge: parser.edge()? });
            }
            Ok(())
        })?;
        match default {
            Some(default) if values.is_empty() => Ok(Terminator::Switch { on, cases: cases.into(), default }),
            Some(_) => Err(self.error(
                "P010",
                open,
                "the last values of this switch have no target",
                "write `1: ^2`",
            )),
            None => Err(self.error("P010", open, "this switch has no default", "write `default: ^2`")),
        }
    }

    pub(super) fn case_value(&mut self) -> Res<u64> {
        let token = self.expect(TokenKind::Number, "a value")?;
        let text = self.slice(token);
        let value = match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        value.ok_or_else(|| {
            let says = format!("{} is not a number from 0 to 2^64 - 1", self.show(token));
            self.error("P004", token, &says, "write a negative value as its bits")
        })
    }

    fn edge(&mut self) -> Res<Edge> {
        Ok(Edge { to: self.entity()?, args: self.edge_args()? })
    }

    pub(super) fn edge_args(&mut self) -> Res<Args> {
        let mut args = Vec::new();
        if self.eat(TokenKind::Punct(b'(')) {
            self.list(b')', |parser| {
                args.push(parser.entity()?);
                Ok(())
            })?;
        }
        Ok(Args::new(&args))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Go,
    End,
}

//! Facts about an anchor, from the analyses of its version: type, operation, position, loop depth, live
//! range.

use super::super::memory::paths;
use super::super::overlay::Notes;
use super::Action;
use super::{Report, Section};
use crate::analysis::{Analyses, Cfg, Cost, Divergence, Dom, Live, Loops, Range, Root, TypeHint, Types};
use crate::base::{EntityId, sort_by_number};
use crate::ir::{Anchor, Block, Func, FuncBody, Inst, Mode, Module, Node, NodeKind, Shape, Var};
use crate::ops::{BasicOp, Op, ValueType};
use crate::text::spell;

/// The largest number of blocks that are named in a list.
const MOST_NAMED: usize = 8;

/// Describes an anchor that is in the version.
pub(super) fn facts(report: &mut Report<'_>, module: &Module, anchor: Anchor) {
    match anchor {
        Anchor::Inst(func, inst) => Facts::of(report, module, func, |facts| facts.value(inst)),
        Anchor::Block(func, block) => Facts::of(report, module, func, |facts| facts.block(block)),
        Anchor::Node(func, node) => Facts::of(report, module, func, |facts| facts.node(node)),
        Anchor::Func(func) => Facts::of(report, module, func, Facts::function),
        Anchor::Var(var) => variable(report, module, var),
        Anchor::Struct(id) => {
            let count = module.structure(id).map_or(0, |data| data.members.len());
            report.fact("structure", &counted(count, "member"));
        }
        Anchor::Entry(at) => {
            if let Some(entry) = module.entries.get(at as usize) {
                report.fact("stage", entry.stage.name());
            }
        }
        Anchor::Reg(func, reg) => {
            if module.func(func).and_then(|body| body.reg(reg)).is_some() {
                report.fact("register", "storage of its function without an address");
            }
        }
        Anchor::Global(_) => report.fact("constant", "of the module"),
        Anchor::Module | Anchor::Member(..) | Anchor::Arg(..) | Anchor::Terminator(..) => {}
        Anchor::TerminatorArg(..) | Anchor::Span(..) | Anchor::Word(_) => {}
    }
}

fn variable(report: &mut Report<'_>, module: &Module, var: Var) {
    let Some(data) = module.var(var) else { return };
    report.fact("storage", data.mode.name());
    if let Some(owner) = data.owner {
        report.labeled(Section::Facts, Action::Nothing, "local to");
        report.name(Anchor::Func(owner));
        report.close();
    }
    if let Some(ty) = module.value_type(data.ty) {
        report.fact("holds", &bits_in_words(ty));
    }
    if data.mode != Mode::Handle {
        report.labeled(Section::Facts, Action::Memory(Anchor::Var(var)), "memory");
        report.plain("its bytes, and their readers and writers");
        report.close();
    }
}

/// A function and its analyses.
struct Facts<'t, 'n, 'm> {
    report: &'t mut Report<'n>,
    module: &'m Module,
    func: Func,
    body: &'m FuncBody,
    cx: Analyses,
}

impl<'t, 'n, 'm> Facts<'t, 'n, 'm> {
    fn of(report: &'t mut Report<'n>, module: &'m Module, func: Func, describe: impl FnOnce(&mut Self)) {
        if let Some(body) = module.func(func) {
            describe(&mut Facts { report, module, func, body, cx: Analyses::new() });
        }
    }

    fn value(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        if data.has_result() {
            let types = self.cx.get::<Types>(self.module, self.func);
            let hint = match types.hint(inst) {
                TypeHint::Float => ", read as float",
                TypeHint::Int => ", read as integers",
                TypeHint::Uint => ", read as unsigned integers",
                TypeHint::Bool => ", a boolean",
                TypeHint::Any => ", used both as float and as integer",
                TypeHint::Unknown => "",
            };
            self.report.labeled(Section::Facts, Action::Nothing, "type");
            self.report.put(crate::text::Class::Type, &types.spell(inst));
            self.report.plain(&format!(": {}{hint}", bits_in_words(data.ty)));
            self.report.close();
        }
        if let Some(bits) = self.body.const_of(inst) {
            let mut spelled = String::new();
            spell(&mut spelled, &self.module.bits_of(bits));
            self.report.fact("constant", &format!("{spelled}, independent of the inputs"));
        }
        let info = data.op.info();
        self.report.fact(info.name, &sentence(data.op.doc()));
        self.address(inst);
        let props: Vec<String> = info.props.names().map(in_words).collect();
        if !props.is_empty() {
            self.report.fact("effects", &props.join(", "));
        }
        let is_param = data.op == Op::from(BasicOp::Param) && self.body.params().contains(&inst);
        match self.home(inst) {
            _ if is_param => self.report.fact("position", "a parameter of the function"),
            Some((block, at, count)) => {
                self.report.labeled(
                    Section::Facts,
                    Action::Select(Anchor::Block(self.func, block)),
                    "position",
                );
                self.report.name(Anchor::Block(self.func, block));
                self.report.plain(&match at {
                    0 => ", a parameter of it".to_owned(),
                    at => format!(", instruction {at} of {count}"),
                });
                self.report.close();
                self.depths(block);
            }
            None => {}
        }
        if data.has_result() {
            self.range(inst);
            self.invocations(inst);
            self.lifetime(inst);
        }
    }

    /// The address of an untyped pointer, or of an access through one: root, byte offset, member path.
    fn address(&mut self, inst: Inst) {
        let pointers = paths::Pointers::of(self.module, self.body);
        let Some(place) = paths::place(self.module, self.func, self.body, &pointers, inst) else { return };
        let (root, action) = match place.root {
            Root::Var(var) => (Anchor::Var(var), Action::Memory(Anchor::Var(var))),
            Root::Value(value) => {
                (Anchor::Inst(self.func, value), Action::Select(Anchor::Inst(self.func, value)))
            }
        };
        self.report.labeled(Section::Facts, action, "address");
        self.report.plain(&format!("byte {} ", place.offset));
        for term in place.terms {
            self.report.plain("+ ");
            self.report.name(Anchor::Inst(self.func, term.index));
            self.report.plain(&format!(" * {} ", term.stride));
        }
        self.report.plain("of ");
        self.report.name(root);
        self.report.close();
        if !place.path.is_empty() {
            self.report.fact("member", &place.path);
        }
    }

    /// The range of the value, if it is known.
    fn range(&mut self, inst: Inst) {
        if self.body.const_of(inst).is_some() {
            return;
        }
        let hint = self.cx.get::<Types>(self.module, self.func).hint(inst);
        let range = self.cx.get::<Range>(self.module, self.func);
        let words: Vec<String> = range.facts(inst).iter().map(|fact| fact.spell(hint)).collect();
        match words.as_slice() {
            [first, rest @ ..] if rest.iter().all(|word| word == first) => {
                if !first.is_empty() {
                    self.report.fact("range", first);
                }
            }
            invocations => {
                let named = invocations.iter().enumerate().filter(|(_, words)| !words.is_empty());
                let parts: Vec<String> =
                    named.map(|(at, words)| format!("component {at}: {words}")).collect();
                if !parts.is_empty() {
                    self.report.fact("range", &parts.join("; "));
                }
            }
        }
    }

    /// Uniformity across a subgroup.
    fn invocations(&mut self, inst: Inst) {
        let divergence = self.cx.get::<Divergence>(self.module, self.func);
        self.report.fact(
            "uniformity",
            match divergence.is_uniform(inst) {
                true => "uniform: one value for a subgroup",
                false => "divergent: may differ between invocations",
            },
        );
    }

    /// The block of a value, its index from 1 (0 for a parameter), and the number of instructions of the
    /// block.
    fn home(&self, inst: Inst) -> Option<(Block, usize, usize)> {
        self.body.blocks_in_order().into_iter().find_map(|block| {
            let data = self.body.block(block);
            let at = match data.params.contains(&inst) {
                true => 0,
                false => data.insts.iter().position(|&other| other == inst)? + 1,
            };
            Some((block, at, data.insts.len()))
        })
    }

    /// Loops and dominators around a block.
    fn depths(&mut self, block: Block) {
        let cfg = self.cx.get::<Cfg>(self.module, self.func);
        if !cfg.is_reachable(block) {
            return self.report.fact("reachable", "no: there is no path from the entry");
        }
        let (dom, loops) =
            (self.cx.get::<Dom>(self.module, self.func), self.cx.get::<Loops>(self.module, self.func));
        let depth = loops.block_depth(block);
        match loops.innermost(block) {
            Some(inner) => {
                let header = Anchor::Block(self.func, loops.header(inner));
                self.report.labeled(Section::Facts, Action::Select(header), "loops");
                self.report.plain(&format!("{depth} deep; the innermost begins at "));
                self.report.name(header);
                self.report.close();
            }
            None => self.report.fact("loops", "none"),
        }
        let notes = Notes::of(self.module, self.func, &mut self.cx);
        for of in loops.all().filter(|&of| loops.header(of) == block) {
            for line in notes.loop_lines(of) {
                self.report.fact("loop", line.trim_start_matches("loop: "));
            }
        }
        self.report.fact(
            "cost",
            &format!("{}, in additions of one invocation", notes.cost(block).trim_start_matches("cost ")),
        );
        match dom.idom(block) {
            Some(idom) => {
                let idom = Anchor::Block(self.func, idom);
                self.report.labeled(Section::Facts, Action::Select(idom), "dominated");
                let above = counted(dom.depth(block) as usize, "block");
                self.report.plain(&format!("by {above}, immediately by "));
                self.report.name(idom);
                self.report.close();
            }
            None => self.report.fact("dominated", "by no other block: this is the entry"),
        }
    }

    /// The number of instructions at which a value is live.
    fn lifetime(&mut self, inst: Inst) {
        let live = self.cx.get::<Live>(self.module, self.func);
        if live.everywhere().contains(&inst) {
            return;
        }
        let home = self.home(inst);
        let is_read = |(block, ..): (Block, usize, usize)| {
            live.is_live_after(inst, inst) || live.is_live_out(block, inst)
        };
        if home.is_some_and(|home| !is_read(home)) {
            return self.report.fact("live", "nowhere: the value is unused");
        }
        let (mut insts, mut blocks) = (0, 0);
        for block in self.body.blocks_in_order() {
            let comes_in = live.is_live_in(block, inst);
            let from = match home {
                Some((at_home, at, _)) if at_home == block => at,
                Some(_) | None if comes_in => 0,
                Some(_) | None => continue,
            };
            let list = self.body.block(block).insts.iter().skip(from);
            let here = match live.is_live_out(block, inst) {
                true => list.len(),
                // The last use is counted too.
                false => list.take_while(|&&at| live.is_live_after(at, inst)).count() + 1,
            };
            insts += here;
            blocks += 1;
        }
        if insts > 0 {
            let words = format!("over {} in {}", counted(insts, "instruction"), counted(blocks, "block"));
            self.report.fact("live", &words);
        }
    }

    fn block(&mut self, block: Block) {
        let data = self.body.block(block);
        let (insts, params) = (data.insts.len(), data.params.len());
        let takes = if params > 0 { format!(", takes {}", counted(params, "value")) } else { String::new() };
        self.report.fact("block", &(counted(insts, "instruction") + &takes));
        let cfg = self.cx.get::<Cfg>(self.module, self.func);
        self.blocks("predecessors", cfg.preds(block).collect());
        self.blocks("successors", cfg.succs(block).collect());
        if self.cx.get::<Divergence>(self.module, self.func).is_partial(block) {
            self.report.fact("invocations", "control flow is divergent here");
        }
        self.depths(block);
    }

    /// Lists blocks without repetition.
    fn blocks(&mut self, label: &str, mut blocks: Vec<Block>) {
        sort_by_number(&mut blocks, |block| block.index() as u64);
        blocks.dedup();
        if blocks.is_empty() {
            return;
        }
        self.report.labeled(Section::Facts, Action::Nothing, label);
        for (at, &block) in blocks.iter().take(MOST_NAMED).enumerate() {
            self.report.plain(if at > 0 { ", " } else { "" });
            self.report.name(Anchor::Block(self.func, block));
        }
        if blocks.len() > MOST_NAMED {
            self.report.plain(&format!(" and {} more", blocks.len() - MOST_NAMED));
        }
        self.report.close();
    }

    fn node(&mut self, node: Node) {
        let kind = &self.body.node(node).kind;
        let words = match kind {
            NodeKind::If { .. } => "executes one of two regions".to_owned(),
            NodeKind::Switch { arms, .. } => format!("executes one of {}", counted(arms.len(), "region")),
            NodeKind::Loop { .. } if kind.regions().len() > 1 => "a loop with a continuing region".to_owned(),
            NodeKind::Loop { .. } => "a loop".to_owned(),
            NodeKind::Block { .. } => "a labeled block: a break leaves it".to_owned(),
        };
        self.report.fact("node", &words);
        if let Some(operand) = kind.operand() {
            let anchor = Anchor::Inst(self.func, operand);
            self.report.labeled(Section::Facts, Action::Select(anchor), "condition");
            self.report.name(anchor);
            self.report.close();
        }
    }

    fn function(&mut self) {
        let shape = match self.body.shape() {
            Shape::Declaration => return self.report.fact("function", "declared, without a body"),
            Shape::Graph(_) => "a graph",
            Shape::Tree(_) => "a tree",
        };
        let loops = self.cx.get::<Loops>(self.module, self.func).len();
        let parts = [
            counted(self.body.inst_count(), "instruction"),
            counted(self.body.blocks_in_order().len(), "block"),
            counted(loops, "loop"),
        ];
        self.report.fact("function", &format!("{shape} of {}", parts.join(", ")));
        let peak = self.cx.get::<Live>(self.module, self.func).peak_pressure();
        let cost = self.cx.get::<Cost>(self.module, self.func).total();
        self.report.fact("cost", &format!("{cost}, in additions of one invocation"));
        self.report.fact("pressure", &format!("at most {peak} bits live at once"));
        let entries = self.module.entries.iter().filter(|entry| entry.func == self.func);
        for entry in entries {
            let name = self.module.text_of(entry.name);
            self.report.fact("entry", &format!("of the {} stage, named {name}", entry.stage.name()));
        }
    }
}

/// `f32x4` in words: `4 components of 32 bits`.
fn bits_in_words(ty: ValueType) -> String {
    match ty {
        ValueType::Bits { width, components: 1 } => counted(width.bits() as usize, "bit"),
        ValueType::Bits { width, components } => {
            format!("{components} components of {}", counted(width.bits() as usize, "bit"))
        }
        ValueType::Path => "a path into a variable".to_owned(),
        ValueType::Ptr => "an address".to_owned(),
        ValueType::Handle => "an image, a sampler or another resource".to_owned(),
        ValueType::Void => "nothing".to_owned(),
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// The first sentence of a doc comment, in one line.
pub(super) fn sentence(doc: &str) -> String {
    let words: Vec<&str> = doc.split_whitespace().collect();
    words.join(" ")
}

/// `NEARLY_ASSOCIATIVE` in words.
fn in_words(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', " ")
}

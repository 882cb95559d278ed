//! What a thing is, by the analyses of its version: type, operation, place, depth, how long it lives.

use super::super::memory::paths;
use super::super::overlay::Notes;
use super::Action;
use super::{Section, Told};
use crate::analysis::{Analyses, Cfg, Cost, Divergence, Dom, Live, Loops, Range, Root, TypeHint, Types};
use crate::base::{EntityId, sort_by_number};
use crate::ir::{Anchor, Block, Func, FuncBody, Inst, Mode, Module, Node, NodeKind, Shape, Var};
use crate::ops::{BasicOp, Op, ValueType};
use crate::text::spell;

/// Blocks that are named of a longer list.
const MOST_NAMED: usize = 8;

/// Tells what is known of a thing that is in the version.
pub(super) fn facts(told: &mut Told<'_>, module: &Module, anchor: Anchor) {
    match anchor {
        Anchor::Inst(func, inst) => Facts::of(told, module, func, |facts| facts.value(inst)),
        Anchor::Block(func, block) => Facts::of(told, module, func, |facts| facts.block(block)),
        Anchor::Node(func, node) => Facts::of(told, module, func, |facts| facts.node(node)),
        Anchor::Func(func) => Facts::of(told, module, func, Facts::function),
        Anchor::Var(var) => variable(told, module, var),
        Anchor::Struct(id) => {
            let count = module.structure(id).map_or(0, |data| data.members.len());
            told.fact("structure", &counted(count, "member"));
        }
        Anchor::Entry(at) => {
            if let Some(entry) = module.entries.get(at as usize) {
                told.fact("stage", entry.stage.name());
            }
        }
        Anchor::Reg(func, reg) => {
            if module.func(func).and_then(|body| body.reg(reg)).is_some() {
                told.fact("register", "storage of its function without an address");
            }
        }
        Anchor::Global(_) => told.fact("constant", "of the module"),
        Anchor::Module | Anchor::Member(..) | Anchor::Arg(..) | Anchor::Terminator(..) => {}
        Anchor::TerminatorArg(..) | Anchor::Span(..) | Anchor::Word(_) => {}
    }
}

fn variable(told: &mut Told<'_>, module: &Module, var: Var) {
    let Some(data) = module.var(var) else { return };
    told.fact("storage", data.mode.name());
    if let Some(owner) = data.owner {
        told.labelled(Section::Facts, Action::Nothing, "local to");
        told.name(Anchor::Func(owner));
        told.close();
    }
    if let Some(ty) = module.value_type(data.ty) {
        told.fact("holds", &bits_in_words(ty));
    }
    if data.mode != Mode::Handle {
        told.labelled(Section::Facts, Action::Memory(Anchor::Var(var)), "memory");
        told.say("its bytes, and who reads and writes them");
        told.close();
    }
}

/// A function and its analyses.
struct Facts<'t, 'n, 'm> {
    told: &'t mut Told<'n>,
    module: &'m Module,
    func: Func,
    body: &'m FuncBody,
    cx: Analyses,
}

impl<'t, 'n, 'm> Facts<'t, 'n, 'm> {
    fn of(told: &'t mut Told<'n>, module: &'m Module, func: Func, tell: impl FnOnce(&mut Self)) {
        if let Some(body) = module.func(func) {
            tell(&mut Facts { told, module, func, body, cx: Analyses::new() });
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
                TypeHint::Bool => ", a truth value",
                TypeHint::Any => ", read as float here and as integer there",
                TypeHint::Unknown => "",
            };
            self.told.labelled(Section::Facts, Action::Nothing, "type");
            self.told.put(crate::text::Class::Type, &types.spell(inst));
            self.told.say(&format!(": {}{hint}", bits_in_words(data.ty)));
            self.told.close();
        }
        if let Some(bits) = self.body.const_of(inst) {
            let mut spelled = String::new();
            spell(&mut spelled, &self.module.bits_of(bits));
            self.told.fact("constant", &format!("{spelled}, the same in every run"));
        }
        let info = data.op.info();
        self.told.fact(info.name, &sentence(data.op.doc()));
        self.address(inst);
        let props: Vec<String> = info.props.names().map(in_words).collect();
        if !props.is_empty() {
            self.told.fact("effects", &props.join(", "));
        }
        let is_param = data.op == Op::from(BasicOp::Param) && self.body.params().contains(&inst);
        match self.home(inst) {
            _ if is_param => self.told.fact("stands in", "the parameters of the function"),
            Some((block, at, count)) => {
                self.told.labelled(
                    Section::Facts,
                    Action::Thing(Anchor::Block(self.func, block)),
                    "stands in",
                );
                self.told.name(Anchor::Block(self.func, block));
                self.told.say(&match at {
                    0 => ", a parameter of it".to_owned(),
                    at => format!(", instruction {at} of {count}"),
                });
                self.told.close();
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

    /// Where an untyped pointer leads, or an access through one: root, bytes, the path of members.
    fn address(&mut self, inst: Inst) {
        let pointers = paths::Pointers::of(self.module, self.body);
        let Some(place) = paths::place(self.module, self.func, self.body, &pointers, inst) else { return };
        let (root, action) = match place.root {
            Root::Var(var) => (Anchor::Var(var), Action::Memory(Anchor::Var(var))),
            Root::Value(value) => {
                (Anchor::Inst(self.func, value), Action::Thing(Anchor::Inst(self.func, value)))
            }
        };
        self.told.labelled(Section::Facts, action, "leads to");
        self.told.say(&format!("byte {} ", place.offset));
        for term in place.terms {
            self.told.say("+ ");
            self.told.name(Anchor::Inst(self.func, term.index));
            self.told.say(&format!(" * {} ", term.stride));
        }
        self.told.say("of ");
        self.told.name(root);
        self.told.close();
        if !place.path.is_empty() {
            self.told.fact("that is", &place.path);
        }
    }

    /// What may be there, where anything is known.
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
                    self.told.fact("range", first);
                }
            }
            invocations => {
                let named = invocations.iter().enumerate().filter(|(_, words)| !words.is_empty());
                let parts: Vec<String> =
                    named.map(|(at, words)| format!("component {at}: {words}")).collect();
                if !parts.is_empty() {
                    self.told.fact("range", &parts.join("; "));
                }
            }
        }
    }

    /// Whether all components of a subgroup have the same.
    fn invocations(&mut self, inst: Inst) {
        let divergence = self.cx.get::<Divergence>(self.module, self.func);
        self.told.fact(
            "invocations",
            match divergence.is_uniform(inst) {
                true => "uniform: one value for a subgroup",
                false => "divergent: each invocation may have its own",
            },
        );
    }

    /// The block of a value, its place from 1 (0 for a parameter), and how many instructions are there.
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
            return self.told.fact("reached", "never: no way leads here from the entry");
        }
        let (dom, loops) =
            (self.cx.get::<Dom>(self.module, self.func), self.cx.get::<Loops>(self.module, self.func));
        let depth = loops.block_depth(block);
        match loops.innermost(block) {
            Some(inner) => {
                let header = Anchor::Block(self.func, loops.header(inner));
                self.told.labelled(Section::Facts, Action::Thing(header), "loops");
                self.told.say(&format!("{depth} deep; the innermost begins at "));
                self.told.name(header);
                self.told.close();
            }
            None => self.told.fact("loops", "in none"),
        }
        let notes = Notes::of(self.module, self.func, &mut self.cx);
        for of in loops.all().filter(|&of| loops.header(of) == block) {
            for line in notes.loop_lines(of) {
                self.told.fact("rounds", &line);
            }
        }
        self.told.fact(
            "cost",
            &format!("{}, in additions of one invocation", notes.cost(block).trim_start_matches("cost ")),
        );
        match dom.idom(block) {
            Some(idom) => {
                let idom = Anchor::Block(self.func, idom);
                self.told.labelled(Section::Facts, Action::Thing(idom), "dominated");
                let above = counted(dom.depth(block) as usize, "block");
                self.told.say(&format!("by {above}, at last by "));
                self.told.name(idom);
                self.told.close();
            }
            None => self.told.fact("dominated", "by no block: this is the entry"),
        }
    }

    /// At how many instructions a value is still wanted.
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
            return self.told.fact("lives", "not at all: nobody reads it");
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
                // The one that reads it last is counted too.
                false => list.take_while(|&&at| live.is_live_after(at, inst)).count() + 1,
            };
            insts += here;
            blocks += 1;
        }
        if insts > 0 {
            let words = format!("over {} in {}", counted(insts, "instruction"), counted(blocks, "block"));
            self.told.fact("lives", &words);
        }
    }

    fn block(&mut self, block: Block) {
        let data = self.body.block(block);
        let (insts, params) = (data.insts.len(), data.params.len());
        let takes = if params > 0 { format!(", takes {}", counted(params, "value")) } else { String::new() };
        self.told.fact("block", &(counted(insts, "instruction") + &takes));
        let cfg = self.cx.get::<Cfg>(self.module, self.func);
        self.blocks("comes from", cfg.preds(block).collect());
        self.blocks("leads to", cfg.succs(block).collect());
        if self.cx.get::<Divergence>(self.module, self.func).is_partial(block) {
            self.told.fact("invocations", "some of a subgroup may be elsewhere");
        }
        self.depths(block);
    }

    /// Names blocks, each once.
    fn blocks(&mut self, label: &str, mut blocks: Vec<Block>) {
        sort_by_number(&mut blocks, |block| block.index() as u64);
        blocks.dedup();
        if blocks.is_empty() {
            return;
        }
        self.told.labelled(Section::Facts, Action::Nothing, label);
        for (at, &block) in blocks.iter().take(MOST_NAMED).enumerate() {
            self.told.say(if at > 0 { ", " } else { "" });
            self.told.name(Anchor::Block(self.func, block));
        }
        if blocks.len() > MOST_NAMED {
            self.told.say(&format!(" and {} more", blocks.len() - MOST_NAMED));
        }
        self.told.close();
    }

    fn node(&mut self, node: Node) {
        let kind = &self.body.node(node).kind;
        let words = match kind {
            NodeKind::If { .. } => "one of two regions runs".to_owned(),
            NodeKind::Switch { arms, .. } => format!("one of {} runs", counted(arms.len(), "region")),
            NodeKind::Loop { .. } if kind.regions().len() > 1 => {
                "runs again and again, with a continuing region".to_owned()
            }
            NodeKind::Loop { .. } => "runs again and again".to_owned(),
            NodeKind::Block { .. } => "runs once; a break leaves it".to_owned(),
        };
        self.told.fact("node", &words);
        if let Some(operand) = kind.operand() {
            let anchor = Anchor::Inst(self.func, operand);
            self.told.labelled(Section::Facts, Action::Thing(anchor), "decides by");
            self.told.name(anchor);
            self.told.close();
        }
    }

    fn function(&mut self) {
        let shape = match self.body.shape() {
            Shape::Declaration => return self.told.fact("function", "defined elsewhere"),
            Shape::Graph(_) => "a graph",
            Shape::Tree(_) => "a tree",
        };
        let loops = self.cx.get::<Loops>(self.module, self.func).len();
        let parts = [
            counted(self.body.inst_count(), "instruction"),
            counted(self.body.blocks_in_order().len(), "block"),
            counted(loops, "loop"),
        ];
        self.told.fact("function", &format!("{shape} of {}", parts.join(", ")));
        let peak = self.cx.get::<Live>(self.module, self.func).peak_pressure();
        let cost = self.cx.get::<Cost>(self.module, self.func).total();
        self.told.fact("cost", &format!("{cost}, in additions of one invocation"));
        self.told.fact("pressure", &format!("at most {peak} bits live at once"));
        let entries = self.module.entries.iter().filter(|entry| entry.func == self.func);
        for entry in entries {
            let name = self.module.text_of(entry.name);
            self.told.fact("entry", &format!("of the {} stage, called {name}", entry.stage.name()));
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
        ValueType::Path => "where in a variable something is".to_owned(),
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

//! Values that pass between blocks: parameters, arguments and return values.

use super::diagnostics::Naming;
use super::function::Checker;
use super::shape::{RegionKind, Then};
use super::*;
use vitrine_ir::ops::{BasicOp, Op, ValueType};
use vitrine_ir::{Block, Diag, Inst, Node, NodeKind, Terminator};

impl Checker<'_, '_> {
    /// Checks that the parameters of the function and of a block are `param` instructions.
    pub(super) fn params(&mut self, params: &[Inst]) {
        for &param in params {
            let Some(data) = self.here.body.tables().insts.get(param) else { continue };
            if data.op != Op::from(BasicOp::Param) {
                let diag = self.error_at(PARAM_IS_PARAM, param).name(self.here.inst(param));
                let says = format!("is in a parameter list but is a `{}`", data.op.name());
                self.push(diag.says(says).help("use a `param` instruction"));
            }
        }
    }

    /// Checks that a block with a single predecessor that passes no values has no parameters.
    pub(super) fn head(&mut self, block: Block) {
        if self.here.body.block(block).params.is_empty() {
            return;
        }
        let diag = Diag::error(HEAD_WITHOUT_PARAMS, Anchor::Block(self.here.func, block));
        let diag =
            diag.name(self.here.block(block)).says("has parameters, but no edge can pass values to it");
        self.push(diag.help("use the values directly: this block has a single predecessor"));
    }

    /// Checks the first blocks of a node's regions.
    pub(super) fn heads(&mut self, node: Node) {
        let body = self.here.body;
        let head = |region| body.region(region).head;
        match &body.node(node).kind {
            NodeKind::If { then, els, .. } => [*then, *els].into_iter().for_each(|arm| self.head(head(arm))),
            NodeKind::Switch { arms, .. } => arms.iter().for_each(|arm| self.head(head(arm.body))),
            NodeKind::Block { body } => self.head(head(*body)),
            NodeKind::Loop { .. } => {}
        }
    }

    /// Checks the values that the terminator of a block passes on.
    pub(super) fn edges(&mut self, block: Block) {
        let body = self.here.body;
        match body.terminator(block) {
            Terminator::Next(args) => match self.layout.then(block) {
                Then::Node(node) => match body.node(node).kind {
                    NodeKind::Loop { body: region, .. } => {
                        self.edge(block, 0, args, Some(body.region(region).head));
                    }
                    NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                        self.before_node(block, args, node);
                    }
                },
                Then::EndOf(node, RegionKind::Arm) => self.edge(block, 0, args, self.layout.after(node)),
                Then::EndOf(node, RegionKind::Body) => self.edge(block, 0, args, self.iteration_target(node)),
                Then::EndOf(node, RegionKind::Continuing) => self.edge(block, 0, args, self.first(node)),
                Then::Root | Then::Graph => {}
            },
            Terminator::Break(node, args) => self.edge(block, 0, args, self.layout.after(*node)),
            Terminator::Continue(node, args) => self.edge(block, 0, args, self.iteration_target(*node)),
            Terminator::Return(value) => self.returned(block, *value),
            Terminator::Stop(_) => {}
            Terminator::Goto(edge) => self.edge(block, 0, &edge.args, Some(edge.to)),
            Terminator::Branch { then, els, .. } => {
                self.edge(block, 1, &then.args, Some(then.to));
                self.edge(block, 1 + then.args.len(), &els.args, Some(els.to));
            }
            Terminator::Switch { cases, default, .. } => {
                let mut first = 1;
                for edge in cases.iter().map(|case| &case.edge).chain([default]) {
                    self.edge(block, first, &edge.args, Some(edge.to));
                    first += edge.args.len();
                }
            }
        }
    }

    /// The block that a loop continues at after its body.
    fn iteration_target(&self, node: Node) -> Option<Block> {
        let body = self.here.body;
        match body.tables().nodes.get(node)?.kind {
            NodeKind::Loop { body: first, continuing } => Some(body.region(continuing.unwrap_or(first)).head),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
        }
    }

    /// The first block of a loop.
    fn first(&self, node: Node) -> Option<Block> {
        match self.here.body.node(node).kind {
            NodeKind::Loop { body: first, .. } => Some(self.here.body.region(first).head),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
        }
    }

    fn before_node(&mut self, block: Block, args: &[Inst], node: Node) {
        if args.is_empty() {
            return;
        }
        let diag = Diag::error(EDGE_COUNT, Anchor::Terminator(self.here.func, block));
        let diag = diag.says(format!("this edge passes {}, but", diagnostics::count(args.len(), "value")));
        let diag = diag.name(self.here.node(node)).says("takes none");
        self.push(diag.help("only loops take values; use the values directly in the regions of other nodes"));
    }

    /// Checks one edge; its values are those of the terminator starting at number `first`. An edge without a
    /// target was already reported with the structure.
    fn edge(&mut self, block: Block, first: usize, args: &[Inst], to: Option<Block>) {
        let Some(to) = to.filter(|&to| self.layout.has(to)) else { return };
        let here = self.here;
        let params = &here.body.block(to).params;
        if args.is_empty() && params.is_empty() {
            return;
        }
        if args.len() != params.len() {
            let diag = Diag::error(EDGE_COUNT, Anchor::Terminator(self.here.func, block));
            let diag =
                diag.says(format!("this edge passes {}, but", diagnostics::count(args.len(), "value")));
            let diag = diag.name(self.here.block(to)).says(format!("takes {}", params.len()));
            return self.push(diag.help("pass one value for each parameter"));
        }
        for (at, (&arg, &param)) in args.iter().zip(params.iter()).enumerate() {
            let (given, wanted) = (self.here.body.ty(arg), self.here.body.ty(param));
            let anchor = Anchor::TerminatorArg(self.here.func, block, (first + at) as u32);
            if given == wanted {
                self.passed_on(arg, self.reach.at(param), anchor, || here.inst(param));
            } else if given != ValueType::Void && wanted != ValueType::Void {
                let diag = Diag::error(EDGE_TYPE, anchor).name(self.here.inst(arg));
                let diag =
                    diag.says(format!("is {}, but", diagnostics::value(given))).name(self.here.inst(param));
                self.push(
                    diag.says(format!("is {}", diagnostics::value(wanted)))
                        .help("convert the value before the edge"),
                );
            }
        }
    }

    fn returned(&mut self, block: Block, value: Option<Inst>) {
        let (body, func) = (self.here.body, self.here.func);
        let wanted = body.result();
        let given = value.map_or(ValueType::Void, |value| body.ty(value));
        let anchor = match value {
            Some(_) => Anchor::TerminatorArg(func, block, 0),
            None => Anchor::Terminator(func, block),
        };
        if let (Some(value), true) = (value, given == wanted) {
            let (here, wanted) = (self.here, reach::stated(body.attrs()));
            return self.passed_on(value, wanted, anchor, || here.itself());
        }
        let without_value = value.is_some() && given == ValueType::Void;
        if given == wanted || without_value {
            return;
        }
        let diag = match value {
            Some(value) => {
                let diag = Diag::error(RETURN_FITS, anchor).name(self.here.inst(value));
                diag.says(format!("is {}, but", diagnostics::value(given)))
            }
            None => Diag::error(RETURN_FITS, anchor).says("this returns no value, but"),
        };
        self.push(diag.name(self.here.itself()).says(format!("returns {}", diagnostics::value(wanted))));
    }
}

//! Successors of a block in either shape, given the outcome of its decision.

use vitrine_ir::base::SideTable;
use vitrine_ir::{Args, Block, FuncBody, Inst, Node, NodeKind, Region, Shape, Terminator};

/// The outcome of a condition or a selector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pick {
    /// A condition.
    Bool(bool),
    /// A selector; none is a value without a case. As a condition, 0 and none are false.
    Value(Option<u64>),
}

impl Pick {
    fn holds(self) -> bool {
        match self {
            Pick::Bool(holds) => holds,
            Pick::Value(value) => value.is_some_and(|value| value != 0),
        }
    }

    fn value(self) -> Option<u64> {
        match self {
            Pick::Bool(holds) => Some(u64::from(holds)),
            Pick::Value(value) => value,
        }
    }
}

/// The continuation after a block of a tree.
#[derive(Clone, Copy, Default)]
enum Continuation {
    #[default]
    Nothing,
    Into(Node),
    /// Out of a region of a node, to this block.
    Out(Option<Block>),
}

/// The control flow of a function, to be followed step by step.
pub(super) struct Steps<'a> {
    body: &'a FuncBody,
    then: SideTable<Block, Continuation>,
    after: SideTable<Node, Option<Block>>,
    /// The target of `continue`.
    continue_target: SideTable<Node, Option<Block>>,
}

impl<'a> Steps<'a> {
    pub(super) fn of(body: &'a FuncBody) -> Steps<'a> {
        let (then, after, continue_target) = (SideTable::new(), SideTable::new(), SideTable::new());
        let mut steps = Steps { body, then, after, continue_target };
        if let Shape::Tree(root) = body.shape() {
            let mut work: Vec<(Region, Option<Block>)> = vec![(*root, None)];
            while let Some((region, out)) = work.pop() {
                steps.region(region, out, &mut work);
            }
        }
        steps
    }

    fn region(&mut self, region: Region, out: Option<Block>, work: &mut Vec<(Region, Option<Block>)>) {
        let data = self.body.region(region);
        let mut before = data.head;
        for &(node, after) in data.rest.iter() {
            self.then[before] = Continuation::Into(node);
            self.after[node] = Some(after);
            before = after;
            let head = |region: Region| Some(self.body.region(region).head);
            match &self.body.node(node).kind {
                NodeKind::Loop { body, continuing } => {
                    let continue_target = continuing.map_or(head(*body), head);
                    self.continue_target[node] = continue_target;
                    work.push((*body, continue_target));
                    work.extend(continuing.map(|region| (region, head(*body))));
                }
                kind => work.extend(kind.regions().into_iter().map(|region| (region, Some(after)))),
            }
        }
        self.then[before] = Continuation::Out(out);
    }

    /// The successor of a block and the arguments that are passed; none if the function ends. `pick` returns
    /// the outcome of a decision, given the values of its cases; none for a condition.
    pub(super) fn leave(
        &self,
        block: Block,
        mut pick: impl FnMut(Inst, Option<&dyn Fn() -> Vec<u64>>) -> Pick,
    ) -> Option<(Block, &'a Args)> {
        match self.body.terminator(block) {
            Terminator::Next(args) => match self.then[block] {
                Continuation::Nothing => None,
                Continuation::Out(to) => Some((to?, args)),
                Continuation::Into(node) => Some((self.enter(node, pick)?, args)),
            },
            Terminator::Break(node, args) => Some((self.after[*node]?, args)),
            Terminator::Continue(node, args) => Some((self.continue_target[*node]?, args)),
            Terminator::Return(_) | Terminator::Stop(_) => None,
            Terminator::Goto(edge) => Some((edge.to, &edge.args)),
            Terminator::Branch { cond, then, els } => {
                let edge = if pick(*cond, None).holds() { then } else { els };
                Some((edge.to, &edge.args))
            }
            Terminator::Switch { on, cases, default } => {
                let all = || cases.iter().flat_map(|case| case.values.iter().copied()).collect();
                let value = pick(*on, Some(&all)).value();
                let case = cases.iter().find(|case| value.is_some_and(|value| case.values.contains(&value)));
                let edge = case.map_or(default, |case| &case.edge);
                Some((edge.to, &edge.args))
            }
        }
    }

    fn enter(
        &self,
        node: Node,
        mut pick: impl FnMut(Inst, Option<&dyn Fn() -> Vec<u64>>) -> Pick,
    ) -> Option<Block> {
        let region = match &self.body.node(node).kind {
            NodeKind::If { cond, then, els } => {
                if pick(*cond, None).holds() {
                    *then
                } else {
                    *els
                }
            }
            NodeKind::Switch { on, arms } => {
                let all = || arms.iter().flat_map(|arm| arm.values.iter().copied()).collect();
                let value = pick(*on, Some(&all)).value();
                let arm = arms.iter().find(|arm| value.is_some_and(|value| arm.values.contains(&value)));
                arm.or_else(|| arms.iter().find(|arm| arm.default))?.body
            }
            NodeKind::Loop { body, .. } | NodeKind::Block { body } => *body,
        };
        Some(self.body.region(region).head)
    }
}

//! Enclosing breakable constructs: the rule that makes a labeled block a switch or a loop of one iteration,
//! and the innermost construct that captures an exit.
//!
//! Requires a tree and depends on nothing else, so that back ends and the lowering agree.

use super::caps::{Caps, Label};
use vitrine_ir::base::SideTable;
use vitrine_ir::{Block, FuncBody, Nesting, Node, NodeKind, Terminator, TreeStep, TreeWalk};

/// The form of a labeled block in SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OneTrip {
    /// An `OpSwitch` with only a default: exits of enclosing loops may cross it.
    #[default]
    Switch,
    /// An `OpLoopMerge` whose loop runs once: exits to its end may cross switches inside.
    Loop,
}

/// The form of every labeled block of a tree.
#[derive(Clone, Debug, Default)]
pub struct OneTrips(SideTable<Node, OneTrip>);

impl OneTrips {
    /// The form of a labeled block; `Switch` for every other node.
    pub fn of_node(&self, node: Node) -> OneTrip {
        self.0[node]
    }

    /// Sets the form of a labeled block.
    pub fn set(&mut self, node: Node, form: OneTrip) {
        self.0[node] = form;
    }
}

/// Decides the forms: a labeled block is a switch with only a default, unless a `break` to it crosses a
/// switch or another labeled block; then it is a loop of one iteration.
///
/// After `lower-exits{spirv}` no exit is captured by another construct in these forms. Linear; empty for a
/// graph.
pub fn one_trip_form(body: &FuncBody) -> OneTrips {
    let nesting = Nesting::of(body);
    let mut inner: SideTable<Node, Option<Node>> = SideTable::new();
    let mut around: Vec<Node> = Vec::new();
    let mut forms = OneTrips::default();
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(node) => {
                inner[node] = match body.node(node).kind {
                    NodeKind::Switch { .. } | NodeKind::Block { .. } => Some(node),
                    NodeKind::If { .. } | NodeKind::Loop { .. } => around.last().and_then(|&up| inner[up]),
                };
                around.push(node);
            }
            TreeStep::Leave(_) => {
                around.pop();
            }
            TreeStep::Open(..) => {}
            TreeStep::Block(block) => {
                let Terminator::Break(to, _) = body.terminator(block) else { continue };
                let crossed = around.last().and_then(|&up| inner[up]);
                let crosses = crossed.is_some_and(|crossed| nesting.depth(crossed) > nesting.depth(*to));
                if crosses && matches!(body.node(*to).kind, NodeKind::Block { .. }) {
                    forms.0[*to] = OneTrip::Loop;
                }
            }
        }
    }
    forms
}

/// An exit that leaves constructs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Jump {
    /// To the block after a node.
    Break(Node),
    /// To the next iteration of a loop.
    Continue(Node),
    /// Out of the function.
    Return,
}

impl Jump {
    /// The jump of a terminator.
    pub fn of(terminator: &Terminator) -> Option<Jump> {
        match terminator {
            Terminator::Break(node, _) => Some(Jump::Break(*node)),
            Terminator::Continue(node, _) => Some(Jump::Continue(*node)),
            Terminator::Return(_) => Some(Jump::Return),
            Terminator::Next(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        }
    }
}

/// The kind of breakable construct that a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Not breakable; no exit targets it.
    Clear,
    /// A `switch`.
    Switch,
    /// A loop.
    Loop,
}

/// The innermost enclosing breakable constructs of every node.
pub struct Breakables {
    caps: &'static Caps,
    /// The nodes around each node and block.
    pub nesting: Nesting,
    form: SideTable<Node, Option<Form>>,
    /// The node itself or the innermost enclosing one that is breakable in any form; that is breakable as a
    /// loop.
    any: SideTable<Node, Option<Node>>,
    loops: SideTable<Node, Option<Node>>,
}

impl Breakables {
    /// Computes them for a tree with these forms of labeled blocks.
    pub fn of(body: &FuncBody, caps: &'static Caps, forms: &OneTrips) -> Breakables {
        let mut breakables = Breakables {
            caps,
            nesting: Nesting::of(body),
            form: SideTable::new(),
            any: SideTable::new(),
            loops: SideTable::new(),
        };
        for step in TreeWalk::new(body) {
            let TreeStep::Enter(node) = step else { continue };
            let up = breakables.parent(node);
            let form = form(caps, &body.node(node).kind, forms.of_node(node));
            breakables.form[node] = Some(form);
            let above = |table: &SideTable<Node, Option<Node>>| up.and_then(|up| table[up]);
            let (any, loops) = (above(&breakables.any), above(&breakables.loops));
            breakables.any[node] = if form == Form::Clear { any } else { Some(node) };
            breakables.loops[node] = if form == Form::Loop { Some(node) } else { loops };
        }
        breakables
    }

    /// The form of a node; `Clear` for one that is not in the tree.
    pub fn form(&self, node: Node) -> Form {
        self.form[node].unwrap_or(Form::Clear)
    }

    /// The node that encloses a node.
    pub fn parent(&self, node: Node) -> Option<Node> {
        self.nesting.owner(self.nesting.node(node)?.region)
    }

    /// The node that encloses a block.
    pub fn owner(&self, block: Block) -> Option<Node> {
        self.nesting.owner(self.nesting.block(block)?.region)
    }

    /// The innermost loop, or loop of one iteration, that encloses a block or node with this owner.
    pub fn loop_around(&self, owner: Option<Node>) -> Option<Node> {
        owner.and_then(|owner| self.loops[owner])
    }

    /// The innermost construct that captures a jump from a position in `owner`; `None` if the target can
    /// express the jump. The captured jump then reaches the wrong construct.
    pub fn enclosing_breakable(&self, owner: Option<Node>, jump: Jump) -> Option<Node> {
        let (to, through) = match jump {
            Jump::Return => return None,
            Jump::Continue(to) => (to, true),
            Jump::Break(to) => (to, self.form(to) == Form::Loop && !self.caps.switch_captures),
        };
        let (any, loops) = owner.map_or((None, None), |owner| (self.any[owner], self.loops[owner]));
        let near = if through { loops } else { any }?;
        let captured = self.nesting.depth(near) > self.nesting.depth(to);
        // Outside of the loop that captures it, it is an ordinary `break`.
        captured.then_some(if self.caps.switch_captures { any.unwrap_or(near) } else { near })
    }
}

fn form(caps: &Caps, kind: &NodeKind, form: OneTrip) -> Form {
    match (kind, caps.label, form) {
        (NodeKind::Loop { .. }, ..) => Form::Loop,
        (NodeKind::If { .. }, ..) | (_, Label::Flags, _) => Form::Clear,
        (NodeKind::Block { .. }, Label::SwitchOrLoop, OneTrip::Loop) => Form::Loop,
        (NodeKind::Switch { .. } | NodeKind::Block { .. }, Label::SwitchOrLoop | Label::Switch, _) => {
            Form::Switch
        }
    }
}

//! Control flow: blocks, how they are left, and the nodes of the tree.
//!
//! Exits pass arguments to the parameters of the block they reach. In a tree, targets are implied by
//! the tree or name a node; in a graph they name blocks. `validate::shape` says what may stand where.

use super::{Args, Attrs, Block, Inst, Node, Region};
use crate::base::EntityId;
use std::rc::Rc;

/// A list that is cheap to clone and copied on write.
pub type CowVec<T> = Rc<Vec<T>>;

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockData {
    /// Parameters (`param` instructions); every edge into the block brings one argument for each.
    pub params: CowVec<Inst>,
    /// Instructions in order, parameters not among them.
    pub insts: CowVec<Inst>,
    /// How the block is left.
    pub terminator: Terminator,
    /// What the importer said about the construct that begins here. Graph shape only.
    pub merge: Option<Rc<MergeInfo>>,
}

/// A graph edge: a block and the arguments for its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The block reached.
    pub to: Block,
    /// One argument for each of its parameters.
    pub args: Args,
}

/// Values of a switch that take one edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// Selector values, cut to the width of the selector; at least one.
    pub values: Vec<u64>,
    /// Where they lead.
    pub edge: Edge,
}

/// How a block is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Tree: into the node that follows (arguments go to a loop's first block), or out of the region the
    /// way the region's owner says (arguments go to the block after the node, or round the loop).
    Next(Args),
    /// Tree: to the block after the enclosing node.
    Break(Node, Args),
    /// Tree: to the continuing region of the enclosing loop, or to its first block where there is none.
    Continue(Node, Args),
    /// Back to the caller.
    Return(Option<Inst>),
    /// Ends the lane.
    Stop(Stop),
    /// Graph: to a block.
    Goto(Edge),
    /// Graph: to one of two blocks.
    Branch {
        /// One boolean.
        cond: Inst,
        /// Taken where it holds.
        then: Edge,
        /// Taken where it does not.
        els: Edge,
    },
    /// Graph: to one of many blocks.
    Switch {
        /// One integer.
        on: Inst,
        /// Cases; no value twice.
        cases: Rc<[Case]>,
        /// Taken for all other values.
        default: Edge,
    },
}

impl Default for Terminator {
    fn default() -> Self {
        Terminator::Stop(Stop::Unreachable)
    }
}

/// Ways for a lane to end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// Discards the fragment (OpKill); may go on as a helper.
    Discard,
    /// Ends the lane for good (OpTerminateInvocation).
    Terminate,
    /// Never reached; reaching it is undefined.
    Unreachable,
    /// Ignores a ray's hit (OpIgnoreIntersectionKHR).
    IgnoreIntersection,
    /// Ends a ray (OpTerminateRayKHR).
    TerminateRay,
    /// Starts the mesh workgroups that the block's last instruction counts (OpEmitMeshTasksEXT).
    EmitMeshTasks,
}

impl Stop {
    /// Every way, in order of the text table.
    pub const ALL: [Stop; 6] = [
        Stop::Discard,
        Stop::Terminate,
        Stop::Unreachable,
        Stop::IgnoreIntersection,
        Stop::TerminateRay,
        Stop::EmitMeshTasks,
    ];

    /// The spelling behind `stop`.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Discard => "discard",
            Stop::Terminate => "terminate",
            Stop::Unreachable => "unreachable",
            Stop::IgnoreIntersection => "ignore_intersection",
            Stop::TerminateRay => "terminate_ray",
            Stop::EmitMeshTasks => "emit_mesh_tasks",
        }
    }
}

impl Terminator {
    /// Leaves by going on, with no arguments.
    pub fn next() -> Terminator {
        Terminator::Next(Args::default())
    }

    /// Graph: to a block with no arguments.
    pub fn goto(to: Block) -> Terminator {
        Terminator::Goto(Edge { to, args: Args::default() })
    }

    /// The graph edges of the exit in order: then before else, cases before default. Empty for tree exits.
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => Vec::new(),
            Terminator::Goto(edge) => vec![edge],
            Terminator::Branch { then, els, .. } => vec![then, els],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|case| &case.edge).chain([default]).collect()
            }
        }
    }

    /// Calls `f` with every value the exit reads: condition or selector, then arguments in edge order.
    pub fn for_each_use(&self, mut f: impl FnMut(Inst)) {
        match self {
            Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args) => {
                args.iter().copied().for_each(f);
            }
            Terminator::Return(value) => value.iter().copied().for_each(f),
            Terminator::Stop(_) => {}
            Terminator::Goto(edge) => edge.args.iter().copied().for_each(f),
            Terminator::Branch { cond, then, els } => {
                f(*cond);
                then.args.iter().chain(els.args.iter()).copied().for_each(f);
            }
            Terminator::Switch { on, cases, default } => {
                f(*on);
                let args = cases.iter().flat_map(|case| case.edge.args.iter()).chain(default.args.iter());
                args.copied().for_each(f);
            }
        }
    }

    /// The same with every value passed through `f`.
    #[must_use]
    pub fn map_uses(&self, mut f: impl FnMut(Inst) -> Inst) -> Terminator {
        fn edge(edge: &Edge, f: &mut impl FnMut(Inst) -> Inst) -> Edge {
            Edge { to: edge.to, args: edge.args.map(f) }
        }
        match self {
            Terminator::Next(args) => Terminator::Next(args.map(f)),
            Terminator::Break(node, args) => Terminator::Break(*node, args.map(f)),
            Terminator::Continue(node, args) => Terminator::Continue(*node, args.map(f)),
            Terminator::Return(value) => Terminator::Return(value.map(f)),
            Terminator::Stop(stop) => Terminator::Stop(*stop),
            Terminator::Goto(to) => Terminator::Goto(edge(to, &mut f)),
            Terminator::Branch { cond, then, els } => {
                Terminator::Branch { cond: f(*cond), then: edge(then, &mut f), els: edge(els, &mut f) }
            }
            Terminator::Switch { on, cases, default } => {
                let on = f(*on);
                let cases = cases
                    .iter()
                    .map(|case| Case { values: case.values.clone(), edge: edge(&case.edge, &mut f) })
                    .collect();
                Terminator::Switch { on, cases, default: edge(default, &mut f) }
            }
        }
    }

    /// Whether this exit belongs to the graph shape only.
    pub fn is_graph_only(&self) -> bool {
        match self {
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => true,
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => false,
        }
    }

    /// Whether this exit belongs to the tree shape only.
    pub fn is_tree_only(&self) -> bool {
        matches!(self, Terminator::Next(_) | Terminator::Break(..) | Terminator::Continue(..))
    }
}

/// What SPIR-V's merge instructions said about the construct a block begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeInfo {
    /// The block where the construct's ways meet.
    pub merge: Block,
    /// The continue target, for a loop.
    pub cont: Option<Block>,
    /// What the author asked for: unrolling, flattening.
    pub attrs: Attrs,
}

/// A list of blocks and nodes: `block (node block)*`. The type leaves no other order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionData {
    /// The first block.
    pub head: Block,
    /// Further nodes, each with the block behind it.
    pub rest: CowVec<(Node, Block)>,
}

impl Default for RegionData {
    fn default() -> Self {
        RegionData::new(Block::from_index(0))
    }
}

impl RegionData {
    /// A region of one block.
    pub fn new(head: Block) -> RegionData {
        RegionData { head, rest: CowVec::default() }
    }

    /// The last block: the one whose exit leaves the region.
    pub fn last(&self) -> Block {
        self.rest.last().map_or(self.head, |&(_, block)| block)
    }

    /// The blocks directly in the region.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        std::iter::once(self.head).chain(self.rest.iter().map(|&(_, block)| block))
    }
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeData {
    /// What it is.
    pub kind: NodeKind,
    /// What the author asked for: unrolling, flattening.
    pub attrs: Attrs,
}

impl Default for NodeData {
    fn default() -> Self {
        NodeData { kind: NodeKind::Block { body: Region::from_index(0) }, attrs: Attrs::None }
    }
}

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// One of two regions.
    If {
        /// One boolean.
        cond: Inst,
        /// Where it holds.
        then: Region,
        /// Where it does not.
        els: Region,
    },
    /// One of many regions; arms do not fall through.
    Switch {
        /// One integer.
        on: Inst,
        /// Exactly one arm is the default.
        arms: Rc<[Arm]>,
    },
    /// Again and again, until an exit leaves.
    Loop {
        /// Entered first, and again after each round.
        body: Region,
        /// What every round ends with; `continue` leads here. Without it, straight back to `body`.
        continuing: Option<Region>,
    },
    /// Once; a label to break out of.
    Block {
        /// The region.
        body: Region,
    },
}

/// An arm of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    /// Selector values, cut to the width of the selector.
    pub values: Vec<u64>,
    /// Also taken for values that no arm has.
    pub default: bool,
    /// What it does.
    pub body: Region,
}

impl NodeKind {
    /// The regions of the node in text order.
    pub fn regions(&self) -> Vec<Region> {
        match self {
            NodeKind::If { then, els, .. } => vec![*then, *els],
            NodeKind::Switch { arms, .. } => arms.iter().map(|arm| arm.body).collect(),
            NodeKind::Loop { body, continuing } => [Some(*body), *continuing].into_iter().flatten().collect(),
            NodeKind::Block { body } => vec![*body],
        }
    }

    /// The value the node reads: a condition or a selector.
    pub fn operand(&self) -> Option<Inst> {
        match self {
            NodeKind::If { cond, .. } => Some(*cond),
            NodeKind::Switch { on, .. } => Some(*on),
            NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
        }
    }

    /// The same reading another value.
    #[must_use]
    pub fn with_operand(&self, value: Inst) -> NodeKind {
        match self {
            NodeKind::If { then, els, .. } => NodeKind::If { cond: value, then: *then, els: *els },
            NodeKind::Switch { arms, .. } => NodeKind::Switch { on: value, arms: arms.clone() },
            NodeKind::Loop { .. } | NodeKind::Block { .. } => self.clone(),
        }
    }
}

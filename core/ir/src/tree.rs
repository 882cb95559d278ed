//! Control flow: blocks, their terminators, and the nodes of the tree.
//!
//! Terminators pass arguments to the parameters of their target block. In a tree, targets are implied by the
//! structure or name a node; in a graph they name blocks. `validate::shape` defines which terminators are
//! valid where.

use super::{Args, Attrs, Block, Inst, Node, Region};
use crate::base::EntityId;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A copy-on-write list that is cheap to clone.
pub type CowVec<T> = Rc<Vec<T>>;

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BlockData {
    /// Parameters (`param` instructions); every edge into the block passes one argument for each.
    pub params: CowVec<Inst>,
    /// Instructions in order, without the parameters.
    pub insts: CowVec<Inst>,
    /// The terminator.
    pub terminator: Terminator,
    /// Merge information from the source about the construct that begins here. Graph shape only.
    pub merge: Option<Rc<MergeInfo>>,
}

/// A graph edge: a block and the arguments for its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// The target block.
    pub to: Block,
    /// One argument for each of its parameters.
    pub args: Args,
}

/// Values of a switch that share one edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Case {
    /// Selector values, truncated to the width of the selector; at least one.
    pub values: Vec<u64>,
    /// Their edge.
    pub edge: Edge,
}

/// The last instruction of a block, which determines its successors.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Terminator {
    /// Tree: into the node that follows (arguments go to a loop's first block), or out of the region as its
    /// owner defines (arguments go to the block after the node, or to the next iteration of the loop).
    Next(Args),
    /// Tree: to the block after the enclosing node.
    Break(Node, Args),
    /// Tree: to the continuing region of the enclosing loop, or to its first block if there is none.
    Continue(Node, Args),
    /// Returns to the caller.
    Return(Option<Inst>),
    /// Ends the invocation.
    Stop(Stop),
    /// Graph: to a block.
    Goto(Edge),
    /// Graph: to one of two blocks.
    Branch {
        /// One boolean.
        cond: Inst,
        /// Target if the condition is true.
        then: Edge,
        /// Target if the condition is false.
        els: Edge,
    },
    /// Graph: to one of many blocks.
    Switch {
        /// One integer.
        on: Inst,
        /// Cases; their values are distinct.
        cases: Rc<[Case]>,
        /// Target for all other values.
        default: Edge,
    },
}

impl Default for Terminator {
    fn default() -> Self {
        Terminator::Stop(Stop::Unreachable)
    }
}

/// The ways to end an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Stop {
    /// Discards the fragment (OpKill); the invocation may continue as a helper invocation.
    Discard,
    /// Terminates the invocation (OpTerminateInvocation).
    Terminate,
    /// Unreachable; reaching it is undefined behavior.
    Unreachable,
    /// Ignores a ray's hit (OpIgnoreIntersectionKHR).
    IgnoreIntersection,
    /// Terminates a ray (OpTerminateRayKHR).
    TerminateRay,
    /// Starts the mesh workgroups that the block's last instruction specifies (OpEmitMeshTasksEXT).
    EmitMeshTasks,
}

impl Stop {
    /// Every variant, in order of the text table.
    pub const ALL: [Stop; 6] = [
        Stop::Discard,
        Stop::Terminate,
        Stop::Unreachable,
        Stop::IgnoreIntersection,
        Stop::TerminateRay,
        Stop::EmitMeshTasks,
    ];

    /// The spelling after `stop`.
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
    /// `next` without arguments.
    pub fn next() -> Terminator {
        Terminator::Next(Args::default())
    }

    /// Graph: to a block without arguments.
    pub fn goto(to: Block) -> Terminator {
        Terminator::Goto(Edge { to, args: Args::default() })
    }

    /// The graph edges of the terminator in order: then before else, cases before default. Empty for tree
    /// terminators.
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

    /// Calls `f` with every value that the terminator uses: condition or selector, then arguments in edge
    /// order.
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

    /// The same terminator, with every value mapped by `f`.
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

    /// Returns true if this terminator belongs to the graph shape only.
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

    /// Returns true if this terminator belongs to the tree shape only.
    pub fn is_tree_only(&self) -> bool {
        matches!(self, Terminator::Next(_) | Terminator::Break(..) | Terminator::Continue(..))
    }
}

/// Information from SPIR-V's merge instructions about the construct that a block begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MergeInfo {
    /// The merge block of the construct.
    pub merge: Block,
    /// The continue target, for a loop.
    pub cont: Option<Block>,
    /// Hints from the source, such as unrolling or flattening.
    pub attrs: Attrs,
}

/// A list of blocks and nodes: `block (node block)*`. The type permits no other order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegionData {
    /// The first block.
    pub head: Block,
    /// Further nodes, each with the block after it.
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

    /// The last block, whose terminator exits the region.
    pub fn last(&self) -> Block {
        self.rest.last().map_or(self.head, |&(_, block)| block)
    }

    /// The blocks directly in the region.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        std::iter::once(self.head).chain(self.rest.iter().map(|&(_, block)| block))
    }
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeData {
    /// Its kind.
    pub kind: NodeKind,
    /// Hints from the source, such as unrolling or flattening.
    pub attrs: Attrs,
}

impl Default for NodeData {
    fn default() -> Self {
        NodeData { kind: NodeKind::Block { body: Region::from_index(0) }, attrs: Attrs::None }
    }
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum NodeKind {
    /// One of two regions.
    If {
        /// One boolean.
        cond: Inst,
        /// Executed if the condition is true.
        then: Region,
        /// Executed if the condition is false.
        els: Region,
    },
    /// One of many regions; arms do not fall through.
    Switch {
        /// One integer.
        on: Inst,
        /// Exactly one arm is the default.
        arms: Rc<[Arm]>,
    },
    /// A loop, repeated until a terminator exits it.
    Loop {
        /// Executed first, and again after each iteration.
        body: Region,
        /// Executed at the end of every iteration; the target of `continue`. Without it, the next iteration
        /// begins directly.
        continuing: Option<Region>,
    },
    /// A labeled block: executed a single time, with a label to break out of.
    Block {
        /// The region.
        body: Region,
    },
}

/// An arm of a switch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Arm {
    /// Selector values, cut to the width of the selector.
    pub values: Vec<u64>,
    /// Also executed for values that no arm has.
    pub default: bool,
    /// Its code.
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

    /// The value that the node uses: a condition or a selector.
    pub fn operand(&self) -> Option<Inst> {
        match self {
            NodeKind::If { cond, .. } => Some(*cond),
            NodeKind::Switch { on, .. } => Some(*on),
            NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
        }
    }

    /// The same node with another operand.
    #[must_use]
    pub fn with_operand(&self, value: Inst) -> NodeKind {
        match self {
            NodeKind::If { then, els, .. } => NodeKind::If { cond: value, then: *then, els: *els },
            NodeKind::Switch { arms, .. } => NodeKind::Switch { on: value, arms: arms.clone() },
            NodeKind::Loop { .. } | NodeKind::Block { .. } => self.clone(),
        }
    }
}

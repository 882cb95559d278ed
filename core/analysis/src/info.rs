//! Statistics of functions, stages and modules, for display and for `vitrine stat`.
//!
//! ```text
//! a fragment shader: 2 inputs, 1 output, samples images, terminates invocations
//! ```
//!
//! Plain data without interpretation.

use super::{Analyses, Analysis, Cfg, Loops, Reads};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::{BasicOp, GroupOp, IoOp, Key, MemoryOp, Op, TexOp, ValueType};
use vitrine_ir::{Func, FuncBody, Inst, Mode, Module, NodeKind, Stage, Stop, Terminator, TreeStep, TreeWalk};

/// Number of occurrences, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The name.
    pub name: &'static str,
    /// The number of occurrences; never 0.
    pub count: u64,
}

/// Number of values by bits of a component; opaque values are counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Widths {
    /// Booleans.
    pub b1: u64,
    /// 8-bit components.
    pub b8: u64,
    /// 16-bit components.
    pub b16: u64,
    /// 32-bit components.
    pub b32: u64,
    /// 64-bit components.
    pub b64: u64,
    /// Paths, pointers and handles.
    pub opaque: u64,
}

/// Number of uses of features that targets and stages may lack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Terminated or demoted invocations: `stop discard`, `stop terminate`, `io.discard_if` and its variants.
    pub discards: u64,
    /// `ddx`, `ddy`, `fwidth`.
    pub derivatives: u64,
    /// Operations that need helper invocations, including derivatives and implicit levels of detail.
    pub helper_invocations: u64,
    /// Barriers.
    pub barriers: u64,
    /// Atomics on memory.
    pub atomics: u64,
    /// Sampling, fetching, gathering and queries.
    pub textures: u64,
    /// Reads and writes of storage images.
    pub images: u64,
    /// Votes, ballots, shuffles and reductions.
    pub subgroup: u64,
    /// Calls.
    pub calls: u64,
    /// Raw instructions.
    pub raw: u64,
}

/// Statistics of a function. Everything in it counts, including unreachable blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FuncInfo {
    /// Instructions in blocks, not counting parameters.
    pub insts: u64,
    /// Parameters of blocks.
    pub block_params: u64,
    /// Blocks.
    pub blocks: u64,
    /// Blocks not reachable from the entry.
    pub unreachable_blocks: u64,
    /// Edges between blocks.
    pub edges: u64,
    /// Nodes of the tree; 0 for a graph.
    pub nodes: u64,
    /// Nodes by kind: `if`, `switch`, `loop`, `block`.
    pub node_kinds: Vec<Tally>,
    /// Maximum nesting depth of nodes.
    pub max_depth: u64,
    /// Loops of the control-flow graph, in either shape.
    pub loops: u64,
    /// Loops with more than one entry.
    pub irreducible_loops: u64,
    /// Maximum nesting depth of loops.
    pub max_loop_depth: u64,
    /// Instructions by family, in order of the families.
    pub families: Vec<Tally>,
    /// Instructions by operation, in order of the tables.
    pub ops: Vec<Tally>,
    /// Results and parameters by width.
    pub widths: Widths,
    /// Registers declared.
    pub regs: u64,
    /// Uses of features.
    pub features: Features,
    /// Functions called, each once, in id order.
    pub callees: Vec<Func>,
}

/// Statistics of an entry point: its function and all functions it calls, each counted once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageInfo {
    /// Name of the entry point.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// The functions reachable by calls, in id order.
    pub funcs: Vec<Func>,
    /// Their instructions.
    pub insts: u64,
    /// Their blocks.
    pub blocks: u64,
    /// Their loops.
    pub loops: u64,
    /// Their uses of features.
    pub features: Features,
}

/// Statistics of a module: the output of `vitrine stat`.
#[derive(Clone, Debug)]
pub struct ModuleInfo {
    /// Each function with its name, in id order.
    pub funcs: Vec<(Func, String, Rc<FuncInfo>)>,
    /// Each entry point, in order of declaration.
    pub stages: Vec<StageInfo>,
    /// Variables by mode, in order of the modes.
    pub vars: Vec<Tally>,
    /// Structures declared.
    pub structs: u64,
    /// Module constants declared.
    pub globals: u64,
    /// Instructions of all functions.
    pub insts: u64,
    /// Instructions of all functions by family, in order of the families.
    pub families: Vec<Tally>,
    /// Uses of features in all functions.
    pub features: Features,
}

impl Analysis for FuncInfo {
    const NAME: &'static str = "info";
    const READS: Reads = Reads::Data;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> FuncInfo {
        FuncInfo::of(body, &cx.get::<Cfg>(module, func), &cx.get::<Loops>(module, func))
    }
}

impl FuncInfo {
    /// Computes the counts. Linear in the function.
    pub fn of(body: &FuncBody, cfg: &Cfg, loops: &Loops) -> FuncInfo {
        let mut info = FuncInfo {
            blocks: cfg.len() as u64,
            unreachable_blocks: cfg.unreachable().len() as u64,
            edges: cfg.edge_count() as u64,
            loops: loops.len() as u64,
            irreducible_loops: loops.all().filter(|&of| loops.is_irreducible(of)).count() as u64,
            max_loop_depth: loops.all().map(|of| u64::from(loops.depth(of))).max().unwrap_or(0),
            regs: body.regs().count() as u64,
            ..FuncInfo::default()
        };
        body.params().iter().for_each(|&param| info.widths.count(body.ty(param)));
        let mut ops = BTreeMap::new();
        let mut callees = EntitySet::new();
        for &block in cfg.blocks() {
            let data = body.block(block);
            info.block_params += data.params.len() as u64;
            info.insts += data.insts.len() as u64;
            data.params.iter().for_each(|&param| info.widths.count(body.ty(param)));
            data.insts.iter().for_each(|&inst| info.inst(body, inst, &mut ops, &mut callees));
            info.features.terminator(&data.terminator);
        }
        info.callees = callees.iter().collect();
        info.families = tally(&Op::FAMILIES.iter().map(|family| family.0).collect::<Vec<_>>(), |name| {
            ops.iter().filter(|(op, _)| op.family() == name).map(|(_, count)| count).sum()
        });
        info.ops = ops.iter().map(|(op, &count)| Tally { name: op.name(), count }).collect();
        if !cfg.is_empty() && cfg.broken().is_empty() {
            info.tree(body);
        }
        info
    }

    fn inst(
        &mut self,
        body: &FuncBody,
        inst: Inst,
        ops: &mut BTreeMap<Op, u64>,
        callees: &mut EntitySet<Func>,
    ) {
        let Some(data) = body.tables().insts.get(inst) else { return };
        *ops.entry(data.op).or_default() += 1;
        self.widths.count(data.ty);
        self.features.inst(data.op);
        let callee = data.entity::<Func>(Key::Func).filter(|callee| callee.index() < Func::MAX_INDEX);
        if let Some(callee) = callee {
            callees.insert(callee);
        }
    }

    fn tree(&mut self, body: &FuncBody) {
        let mut kinds = [0; 4];
        let mut depth = 0;
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => {
                    depth += 1;
                    self.max_depth = self.max_depth.max(depth);
                    self.nodes += 1;
                    kinds[match body.node(node).kind {
                        NodeKind::If { .. } => 0,
                        NodeKind::Switch { .. } => 1,
                        NodeKind::Loop { .. } => 2,
                        NodeKind::Block { .. } => 3,
                    }] += 1;
                }
                TreeStep::Leave(_) => depth -= 1,
                TreeStep::Open(..) | TreeStep::Block(_) => {}
            }
        }
        let names = ["if", "switch", "loop", "block"];
        self.node_kinds = tally(&names, |name| kinds[names.iter().position(|&n| n == name).unwrap_or(0)]);
    }
}

impl Widths {
    fn count(&mut self, ty: ValueType) {
        let slot = match ty {
            ValueType::Void => return,
            ValueType::Bits { width, .. } => match width.bits() {
                1 => &mut self.b1,
                8 => &mut self.b8,
                16 => &mut self.b16,
                32 => &mut self.b32,
                _ => &mut self.b64,
            },
            ValueType::Path | ValueType::Ptr | ValueType::Handle => &mut self.opaque,
        };
        *slot += 1;
    }
}

impl Features {
    fn terminator(&mut self, terminator: &Terminator) {
        let ends = matches!(terminator, Terminator::Stop(Stop::Discard | Stop::Terminate));
        self.discards += u64::from(ends);
    }

    fn inst(&mut self, op: Op) {
        use vitrine_ir::ops::Props;
        self.helper_invocations += u64::from(op.props().has(Props::NEEDS_HELPERS));
        let slot = match op {
            Op::Io(IoOp::DiscardIf | IoOp::TerminateIf | IoOp::Demote | IoOp::DemoteIf) => &mut self.discards,
            Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => &mut self.derivatives,
            Op::Group(GroupOp::Barrier) => &mut self.barriers,
            Op::Group(_) => &mut self.subgroup,
            Op::Memory(
                MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas,
            ) => &mut self.atomics,
            Op::Tex(TexOp::Read | TexOp::Write) => &mut self.images,
            Op::Tex(TexOp::Combine | TexOp::ImageOf | TexOp::Resident) => return,
            Op::Tex(_) => &mut self.textures,
            Op::Basic(BasicOp::Call) => &mut self.calls,
            Op::Spirv(_) => &mut self.raw,
            Op::Basic(_)
            | Op::Float(_)
            | Op::Int(_)
            | Op::Convert(_)
            | Op::Vector(_)
            | Op::Memory(_)
            | Op::Deref(_)
            | Op::Ptr(_)
            | Op::Io(_)
            | Op::Reg(_) => return,
        };
        *slot += 1;
    }

    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Features) -> Features {
        Features {
            discards: self.discards + other.discards,
            derivatives: self.derivatives + other.derivatives,
            helper_invocations: self.helper_invocations + other.helper_invocations,
            barriers: self.barriers + other.barriers,
            atomics: self.atomics + other.atomics,
            textures: self.textures + other.textures,
            images: self.images + other.images,
            subgroup: self.subgroup + other.subgroup,
            calls: self.calls + other.calls,
            raw: self.raw + other.raw,
        }
    }
}

impl ModuleInfo {
    /// Counts a whole module; reuses the results in `cx` for functions that did not change.
    pub fn of(module: &Module, cx: &mut Analyses) -> ModuleInfo {
        let named = |(func, body): (Func, &FuncBody)| {
            (func, body.name().map_or_else(String::new, |name| module.text_of(name).to_owned()))
        };
        let funcs: Vec<_> = module
            .funcs()
            .map(named)
            .map(|(func, name)| (func, name, cx.get::<FuncInfo>(module, func)))
            .collect();
        let infos: BTreeMap<Func, Rc<FuncInfo>> =
            funcs.iter().map(|(func, _, info)| (*func, info.clone())).collect();
        let stage = |entry: &vitrine_ir::EntryPoint| {
            let funcs = reached(entry.func, &infos);
            let sum = |of: fn(&FuncInfo) -> u64| funcs.iter().map(|func| of(&infos[func])).sum();
            StageInfo {
                name: module.text_of(entry.name).to_owned(),
                stage: entry.stage,
                insts: sum(|info| info.insts),
                blocks: sum(|info| info.blocks),
                loops: sum(|info| info.loops),
                features: funcs.iter().fold(Features::default(), |all, func| all.and(infos[func].features)),
                funcs,
            }
        };
        let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        let families: Vec<&str> = Op::FAMILIES.iter().map(|family| family.0).collect();
        let of_family = |info: &FuncInfo, name: &str| {
            info.families.iter().find(|tally| tally.name == name).map_or(0, |tally| tally.count)
        };
        ModuleInfo {
            stages: module.entries.iter().map(stage).collect(),
            vars: tally(&modes, |name| {
                module.vars().filter(|(_, var)| var.mode.name() == name).count() as u64
            }),
            structs: module.structs().count() as u64,
            globals: module.globals().count() as u64,
            insts: infos.values().map(|info| info.insts).sum(),
            families: tally(&families, |name| infos.values().map(|info| of_family(info, name)).sum()),
            features: infos.values().fold(Features::default(), |all, info| all.and(info.features)),
            funcs,
        }
    }
}

/// The functions reachable from a function by calls, including itself.
fn reached(func: Func, infos: &BTreeMap<Func, Rc<FuncInfo>>) -> Vec<Func> {
    let mut seen = EntitySet::new();
    let mut work = vec![func];
    while let Some(func) = work.pop() {
        if let Some(info) = infos.get(&func)
            && seen.insert(func)
        {
            work.extend(&info.callees);
        }
    }
    seen.iter().collect()
}

fn tally(names: &[&'static str], count: impl Fn(&str) -> u64) -> Vec<Tally> {
    let all = names.iter().map(|&name| Tally { name, count: count(name) });
    all.filter(|tally| tally.count != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TreeBuilder, nested_ifs, nested_loops};
    use vitrine_ir::ops::{IntOp, RegOp};
    use vitrine_ir::{EntryPoint, InstData};

    #[test]
    fn a_tree_is_counted() {
        let mut module = Module::new();
        let func = module.add_func(nested_loops(3));
        let info = Analyses::new().get::<FuncInfo>(&module, func);
        assert_eq!((info.loops, info.max_loop_depth, info.nodes, info.max_depth), (3, 3, 6, 4));
        assert_eq!(info.node_kinds, [Tally { name: "if", count: 3 }, Tally { name: "loop", count: 3 }]);
        let func = module.add_func(nested_ifs(50));
        let info = Analyses::new().get::<FuncInfo>(&module, func);
        assert_eq!((info.blocks, info.max_depth, info.loops), (151, 50, 0));
    }

    #[test]
    fn a_stage_counts_what_it_calls_once() {
        let mut module = Module::new();
        let mut leaf = TreeBuilder::new();
        let cond = leaf.cond;
        let inst = leaf.asm.add_inst(InstData::new(IntOp::INot, ValueType::BOOL, &[cond]));
        let store = leaf.asm.add_inst(InstData::new(RegOp::Store, ValueType::Void, &[inst]));
        let root = leaf.leaf(Terminator::Stop(Stop::Discard));
        let head = leaf.asm.body().region(root).head;
        leaf.asm.block_mut(head).insts = vec![inst, store].into();
        let callee = module.add_func(leaf.finish(root));
        let mut main = TreeBuilder::new();
        let calls: Vec<Inst> = (0..2)
            .map(|_| {
                let call = InstData::new(BasicOp::Call, ValueType::Void, &[]);
                main.asm.add_inst(call.with(Key::Func, callee.index() as u64))
            })
            .collect();
        let root = main.leaf(Terminator::Return(None));
        let head = main.asm.body().region(root).head;
        main.asm.block_mut(head).insts = calls.into();
        let func = module.add_func(main.finish(root));
        let name = module.text("main");
        let entry = EntryPoint { name, stage: Stage::Fragment, func, interface: vec![], modes: vec![] };
        module.entries = vec![entry].into();
        let info = ModuleInfo::of(&module, &mut Analyses::new());
        let stage = &info.stages[0];
        assert_eq!((stage.insts, stage.features.discards, stage.features.calls), (4, 1, 2));
        assert_eq!(stage.funcs, [callee, func]);
        assert_eq!(info.families.iter().map(|tally| tally.name).collect::<Vec<_>>(), ["Basic", "Int", "Reg"]);
    }
}

//! Declares names: at the definition if all uses are in the same region of the tree or inside of it, otherwise
//! before the outermost node that contains the definition but not all of the uses.
//!
//! Registers and local variables are declared at their first store, if it comes before every other access of the same
//! region. Otherwise they are declared before the node that contains all accesses, and outside of all loops around it,
//! because a variable keeps its value from one iteration to the next.

use super::operands::{self, PathRoot};
use super::plan::{Emission, Plan};
use rustc_hash::FxHashMap;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, RegOp, ValueType};
use vitrine_ir::{
    Block, FuncBody, Inst, InstData, Mode, Module, Nesting, Node, NodeKind, Reg, Region, Shape, Terminator,
    TreeStep, TreeWalk, Var,
};

/// A part of a function that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Named {
    Value(Inst),
    Reg(Reg),
    Var(Var),
}

/// The places of declarations.
#[derive(Debug, Default)]
pub(super) struct DeclarationSites {
    /// Declared before a node.
    before: FxHashMap<Node, Vec<Named>>,
    /// Declared at the start of the function.
    top: Vec<Named>,
    /// Values that are declared before their definition.
    hoisted: SideTable<Inst, bool>,
    /// Stores that declare what they store to.
    declaring: SideTable<Inst, bool>,
    /// The last access of each register and variable, by number of the block.
    last: FxHashMap<Named, u32>,
    ends: SideTable<Node, u32>,
}

/// The accesses of a register or a variable.
struct Accesses {
    region: Region,
    first_region: Region,
    /// The first access, if it is a store of the whole.
    declaring: Option<Inst>,
    /// The number of the block of the last access.
    last: u32,
}

/// The accesses and the uses, as far as they were found.
struct Found<'a> {
    order: &'a Order,
    storage: Vec<(Named, Accesses)>,
    known: FxHashMap<Named, usize>,
    /// The region of the definition, and the one that contains all uses.
    values: SideTable<Inst, Option<(Region, Region)>>,
}

impl Found<'_> {
    fn used(&mut self, body: &FuncBody, plan: &Plan, value: Inst, block: Block, region: Region) {
        if let Some((own, common)) = self.values[value] {
            self.values[value] = Some((own, self.order.common(common, self.order.numbers[block])));
        }
        if plan.emission(value) == Emission::Register
            && let Some(reg) = body.inst(value).entity::<Reg>(Key::Reg)
        {
            self.access(Named::Reg(reg), block, region, None);
        }
    }

    fn access(&mut self, named: Named, block: Block, region: Region, declaring: Option<Inst>) {
        let number = self.order.numbers[block];
        match self.known.get(&named) {
            Some(&at) => {
                let found = &mut self.storage[at].1;
                found.region = self.order.common(found.region, number);
                found.last = found.last.max(number);
            }
            None => {
                self.known.insert(named, self.storage.len());
                self.storage
                    .push((named, Accesses { region, first_region: region, declaring, last: number }));
            }
        }
    }
}

/// Positions of the tree.
struct Order {
    nesting: Nesting,
    /// The blocks of a region: the first number, and the one after the last.
    ranges: SideTable<Region, (u32, u32)>,
    numbers: SideTable<Block, u32>,
    loops: SideTable<Region, Option<Node>>,
    ends: SideTable<Node, u32>,
}

impl Order {
    fn of(body: &FuncBody) -> Order {
        let mut order = Order {
            nesting: Nesting::of(body),
            ranges: SideTable::new(),
            numbers: SideTable::new(),
            loops: SideTable::new(),
            ends: SideTable::new(),
        };
        let mut next = 0u32;
        let mut open: Vec<Vec<Region>> = Vec::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(_) => open.push(Vec::new()),
                TreeStep::Open(node, _, region) => {
                    order.end_region(open.last(), next);
                    let outer = order.nesting.node(node).and_then(|place| order.loops[place.region]);
                    let is_loop = matches!(body.node(node).kind, NodeKind::Loop { .. });
                    order.loops[region] = outer.or_else(|| is_loop.then_some(node));
                    order.ranges[region] = (next, u32::MAX);
                    if let Some(regions) = open.last_mut() {
                        regions.push(region);
                    }
                }
                TreeStep::Block(block) => {
                    order.numbers[block] = next;
                    next += 1;
                }
                TreeStep::Leave(node) => {
                    order.end_region(open.pop().as_ref(), next);
                    order.ends[node] = next;
                }
            }
        }
        if let Shape::Tree(root) = body.shape() {
            order.ranges[*root] = (0, next);
        }
        order
    }

    /// Ends the last region that was opened.
    fn end_region(&mut self, regions: Option<&Vec<Region>>, next: u32) {
        if let Some(&region) = regions.and_then(|regions| regions.last()) {
            self.ranges[region].1 = next;
        }
    }

    fn contains(&self, region: Region, number: u32) -> bool {
        let (start, end) = self.ranges[region];
        (start..end).contains(&number)
    }

    fn region(&self, block: Block) -> Option<Region> {
        self.nesting.block(block).map(|place| place.region)
    }

    /// The region around a region.
    fn outer(&self, region: Region) -> Option<Region> {
        Some(self.nesting.node(self.nesting.owner(region)?)?.region)
    }

    /// The innermost region around `region` that contains a block.
    fn common(&self, mut region: Region, number: u32) -> Region {
        while !self.contains(region, number) {
            let Some(outer) = self.outer(region) else { break };
            region = outer;
        }
        region
    }

    /// The node directly in `region` that contains `inner`; `None` if they are the same.
    fn node_towards(&self, region: Region, mut inner: Region) -> Option<Node> {
        let mut found = None;
        while inner != region {
            let node = self.nesting.owner(inner)?;
            found = Some(node);
            inner = self.nesting.node(node)?.region;
        }
        found
    }
}

impl DeclarationSites {
    /// Computes it. Near linear; hoisting a declaration takes time proportional to the depth of nesting.
    pub(super) fn of(module: &Module, body: &FuncBody, plan: &Plan) -> DeclarationSites {
        let order = Order::of(body);
        let size = body.tables().insts.len();
        let mut sites = DeclarationSites {
            hoisted: SideTable::sized(false, size),
            declaring: SideTable::sized(false, size),
            ..DeclarationSites::default()
        };
        let mut found = Found {
            order: &order,
            storage: Vec::new(),
            known: FxHashMap::default(),
            values: SideTable::sized(None, size),
        };
        let mut defined: Vec<Inst> = Vec::new();
        for block in body.blocks_in_order() {
            let Some(region) = order.region(block) else { continue };
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if operands::is_written_at_use(data) && data.op != Op::Basic(BasicOp::Call) {
                    continue;
                }
                for &value in plan.numbers(inst) {
                    found.used(body, plan, value, block, region);
                }
                for_each_access(module, body, data, plan.emission(inst), |named, is_whole| {
                    let is_whole = is_whole && plan.partial_store(inst).is_none();
                    found.access(named, block, region, is_whole.then_some(inst));
                });
                if let Some(product) = plan.product(inst).filter(|_| plan.emission(inst) != Emission::Dead) {
                    product.for_each_path(&mut |path| {
                        let var = operands::root(body, path).and_then(|root| local_of(module, root));
                        var.into_iter().for_each(|var| found.access(Named::Var(var), block, region, None));
                    });
                }
                if data.has_result() && plan.emission(inst) == Emission::Named {
                    found.values[inst] = Some((region, region));
                    defined.push(inst);
                }
            }
            if let Terminator::Return(Some(value)) = body.terminator(block) {
                found.used(body, plan, *value, block, region);
            }
            let node = order.nesting.node_after(body, block);
            if let Some(operand) = node.and_then(|node| body.node(node).kind.operand()) {
                found.used(body, plan, operand, block, region);
            }
        }
        let Found { storage, values, .. } = found;
        for inst in defined {
            if let Some((own, common)) = values[inst]
                && own != common
                && let Some(node) = order.node_towards(common, own)
            {
                sites.hoisted[inst] = true;
                sites.before.entry(node).or_default().push(Named::Value(inst));
            }
        }
        for (named, found) in storage {
            sites.last.insert(named, found.last);
            sites.place(&order, named, &found);
        }
        sites.ends = order.ends;
        sites
    }

    fn place(&mut self, order: &Order, named: Named, found: &Accesses) {
        match found.declaring {
            Some(store) if found.first_region == found.region => self.declaring[store] = true,
            _ => {
                let node = match order.loops[found.region] {
                    Some(outer) => Some(outer),
                    None => order.node_towards(found.region, found.first_region),
                };
                match node {
                    Some(node) => self.before.entry(node).or_default().push(named),
                    None => self.top.push(named),
                }
            }
        }
    }

    /// The declarations before a node.
    pub(super) fn before(&self, node: Node) -> &[Named] {
        self.before.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The declarations at the start of the function.
    pub(super) fn top(&self) -> &[Named] {
        &self.top
    }

    /// Returns true if a value is declared before its definition.
    pub(super) fn is_hoisted(&self, value: Inst) -> bool {
        self.hoisted[value]
    }

    /// Returns true if a store declares the variable that it stores to.
    pub(super) fn declares(&self, store: Inst) -> bool {
        self.declaring[store]
    }

    /// Returns true if a register or variable is not accessed after a node.
    pub(super) fn ends_within(&self, named: Named, node: Node) -> bool {
        self.last.get(&named).is_none_or(|&last| last < self.ends[node])
    }
}

/// Calls `f` with the registers and local variables that an instruction accesses; true for a store of the whole.
fn for_each_access(
    module: &Module,
    body: &FuncBody,
    data: &InstData,
    emission: Emission,
    mut f: impl FnMut(Named, bool),
) {
    if emission == Emission::Dead {
        return;
    }
    if let Op::Reg(op) = data.op {
        let len = |reg: Reg| body.reg(reg).map_or(0, |info| info.len);
        let Some(reg) = data.entity::<Reg>(Key::Reg) else { return };
        return f(Named::Reg(reg), op == RegOp::Store && !is_masked(data) && len(reg) == 0);
    }
    if operands::is_written_at_use(data) && data.op != Op::Basic(BasicOp::Call) {
        return;
    }
    for (at, &arg) in data.args.iter().enumerate() {
        if body.ty(arg) != ValueType::Path {
            continue;
        }
        let Some(var) = operands::root(body, arg).and_then(|root| local_of(module, root)) else { continue };
        let Some(info) = module.var(var) else { continue };
        let is_var = body.inst(arg).entity::<Var>(Key::Var) == Some(var);
        let is_store = data.op == Op::Memory(MemoryOp::Store) && at == 0 && !is_masked(data);
        f(Named::Var(var), is_var && is_store && info.init.is_none());
    }
}

/// The local variable that a path begins with.
fn local_of(module: &Module, root: PathRoot) -> Option<Var> {
    let PathRoot::Var(var) = root else { return None };
    module.var(var).filter(|info| info.mode == Mode::Local).map(|_| var)
}

/// Returns true if a store writes some components only.
fn is_masked(data: &InstData) -> bool {
    data.attrs.has(Key::Mask)
}

//! What a module must have so that walks over it end: references to what exists, types and debug entries that refer to
//! earlier ones, and trees in which everything has one place.
//!
//! An error is the sentence about what is missing; which entity it is about is of no use to who stored the module.

use crate::base::{EntityId, EntityMap};
use crate::{
    Block, BlockData, Edge, FuncBody, Inst, Module, Node, Region, Shape, Terminator, Type, TypeData,
};

type Checked = Result<(), &'static str>;

/// Checks a module. Linear in its size.
pub(super) fn check(module: &Module) -> Checked {
    for (ty, data) in module.types.iter() {
        require(parts(data).all(|part| part < ty), "a type refers to a later one")?;
    }
    module.debug.refers_back()?;
    module.funcs().try_for_each(|(_, body)| Checker::new(body).check())
}

/// The types that a type is made of, without those of its members.
fn parts(data: &TypeData) -> impl Iterator<Item = Type> {
    match *data {
        TypeData::Vector { of, .. } | TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => {
            Some(of)
        }
        TypeData::Matrix { column, .. } => Some(column),
        TypeData::Pointer { to, .. } => Some(to),
        TypeData::Image(image) | TypeData::SampledImage(image) => Some(image.sampled),
        TypeData::Void
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Struct(_)
        | TypeData::Sampler
        | TypeData::AccelStruct
        | TypeData::RayQuery
        | TypeData::Opaque(_) => None,
    }
    .into_iter()
}

fn require(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}

/// The entities of a table that have a place in the program.
struct Placed<K> {
    has: Vec<bool>,
    key: std::marker::PhantomData<K>,
}

impl<K: EntityId> Placed<K> {
    fn none_of<V: Clone + Default>(table: &EntityMap<K, V>) -> Placed<K> {
        Placed { has: vec![false; table.len()], key: std::marker::PhantomData }
    }

    /// Gives an entity its place.
    ///
    /// Errors: it does not exist, or has one.
    fn place(&mut self, entity: K, what: &'static str) -> Checked {
        match self.has.get_mut(entity.index()) {
            Some(has) if !*has => *has = true,
            Some(_) | None => return Err(what),
        }
        Ok(())
    }
}

struct Checker<'f> {
    body: &'f FuncBody,
    insts: Placed<Inst>,
    blocks: Placed<Block>,
    nodes: Placed<Node>,
    regions: Placed<Region>,
}

impl<'f> Checker<'f> {
    fn new(body: &'f FuncBody) -> Checker<'f> {
        Checker {
            body,
            insts: Placed::none_of(&body.insts),
            blocks: Placed::none_of(&body.blocks),
            nodes: Placed::none_of(&body.nodes),
            regions: Placed::none_of(&body.regions),
        }
    }

    fn check(mut self) -> Checked {
        let body = self.body;
        for (_, data) in body.insts.iter() {
            self.has_all(&data.args)?;
        }
        for (_, data) in body.blocks.iter() {
            self.block(data)?;
        }
        for (_, data) in body.nodes.iter() {
            require(
                data.kind.operand().is_none_or(|inst| body.insts.contains(inst)),
                "a node refers to no value",
            )?;
        }
        self.place_values(&body.params)?;
        match &body.shape {
            Shape::Declaration => Ok(()),
            Shape::Graph(order) => order.iter().try_for_each(|&block| self.place_block(block)),
            Shape::Tree(root) => self.tree(*root),
        }
    }

    fn has_all(&self, values: &[Inst]) -> Checked {
        require(values.iter().all(|&value| self.body.insts.contains(value)), "an operand refers to no value")
    }

    /// References of a block, whether or not it is part of the program.
    fn block(&self, data: &BlockData) -> Checked {
        self.has_all(&data.params)?;
        self.has_all(&data.insts)?;
        let mut exist = true;
        data.terminator.for_each_use(|value| exist &= self.body.insts.contains(value));
        require(exist, "a terminator refers to no value")?;
        let has = |edge: &&Edge| self.body.blocks.contains(edge.to);
        require(data.terminator.edges().iter().all(has), "an edge leads to no block")?;
        if let Terminator::Break(node, _) | Terminator::Continue(node, _) = data.terminator {
            require(self.body.nodes.contains(node), "an exit leaves no node")?;
        }
        let Some(merge) = &data.merge else { return Ok(()) };
        let mut blocks = [Some(merge.merge), merge.cont].into_iter().flatten();
        require(blocks.all(|block| self.body.blocks.contains(block)), "a header names no block")
    }

    fn place_block(&mut self, block: Block) -> Checked {
        self.blocks.place(block, "a block does not exist, or has two places")?;
        let data = &self.body.blocks[block];
        self.place_values(&data.params)?;
        self.place_values(&data.insts)
    }

    fn place_values(&mut self, values: &[Inst]) -> Checked {
        values
            .iter()
            .try_for_each(|&value| self.insts.place(value, "a value does not exist, or has two places"))
    }

    fn tree(&mut self, root: Region) -> Checked {
        let mut open = vec![root];
        while let Some(region) = open.pop() {
            self.regions.place(region, "a region does not exist, or has two places")?;
            let data = &self.body.regions[region];
            self.place_block(data.head)?;
            for &(node, block) in data.rest.iter() {
                self.nodes.place(node, "a node does not exist, or has two places")?;
                self.place_block(block)?;
                open.extend(self.body.nodes[node].kind.regions());
            }
        }
        Ok(())
    }
}

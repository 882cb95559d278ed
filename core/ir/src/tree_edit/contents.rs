//! The contents of a piece of a tree: its definitions, and everything in it that may use values.

use super::Cut;
use crate::editor::{Editor, Refusal, body, refuse};
use crate::{Block, Event, FuncBody, Inst, Node, Reason, Region, Site, TreeStep, TreeWalk};
use rustc_hash::FxHashSet;

/// The contents of a piece of a tree.
#[derive(Default)]
pub(super) struct Contents {
    /// Its definitions, including parameters.
    pub(super) defs: Vec<Inst>,
    /// Everything in it that may use a value: instructions, terminators, nodes.
    pub(super) sites: FxHashSet<Site>,
}

impl Contents {
    /// Adds everything in a region.
    pub(super) fn add_region(&mut self, func: &FuncBody, region: Region) {
        for step in TreeWalk::of_region(func, region) {
            match step {
                TreeStep::Block(block) => self.add_block(func, block),
                TreeStep::Enter(node) => {
                    self.sites.insert(node.into());
                }
                TreeStep::Open(..) | TreeStep::Leave(_) => {}
            }
        }
    }

    /// Adds a node and everything in it.
    pub(super) fn add_node(&mut self, func: &FuncBody, node: Node) {
        self.sites.insert(node.into());
        for region in func.node(node).kind.regions() {
            self.add_region(func, region);
        }
    }

    /// Adds a block with its parameters and terminator.
    pub(super) fn add_block(&mut self, func: &FuncBody, block: Block) {
        let data = func.block(block);
        self.defs.extend_from_slice(&data.params);
        self.add_insts(&data.insts);
        self.sites.insert(block.into());
    }

    fn add_insts(&mut self, insts: &[Inst]) {
        self.defs.extend_from_slice(insts);
        self.sites.extend(insts.iter().map(|&inst| Site::Inst(inst)));
    }
}

impl Editor<'_> {
    pub(super) fn contents_of_cut(&self, cut: &Cut) -> Contents {
        let func = body!(self);
        let mut contents = Contents::default();
        if cut.first == cut.last {
            contents.add_insts(&func.block(cut.first).insts[cut.from..cut.to]);
            return contents;
        }
        contents.add_insts(&func.block(cut.first).insts[cut.from..]);
        contents.sites.insert(cut.first.into());
        for &(node, block) in &func.region(cut.region).rest[cut.first_at..cut.last_at] {
            contents.add_node(func, node);
            if block != cut.last {
                contents.add_block(func, block);
            }
        }
        contents.defs.extend_from_slice(&func.block(cut.last).params);
        contents.add_insts(&func.block(cut.last).insts[..cut.to]);
        contents
    }

    /// Refuses definitions of the contents that are used outside of them.
    pub(super) fn expect_closed(&self, contents: &Contents, place: &str) -> Result<(), Refusal> {
        for &value in &contents.defs {
            if let Some(reader) = self.uses(value).find(|place| !contents.sites.contains(&place.site())) {
                refuse!("{value} is used by {} {place}", reader.site());
            }
        }
        Ok(())
    }

    /// Removes a region with its contents from the program, recording `event` for each entity.
    pub(super) fn detach(&mut self, region: Region, event: fn(Site) -> Event, why: Reason) {
        let steps: Vec<TreeStep> = TreeWalk::of_region(body!(self), region).collect();
        for step in steps {
            match step {
                TreeStep::Enter(node) => {
                    self.uses.unlink_node(node);
                    self.places.remove_node(body!(self), node);
                    self.record(event(node.into()), why);
                }
                TreeStep::Block(block) => self.detach_block(block, event, why),
                TreeStep::Open(..) | TreeStep::Leave(_) => {}
            }
        }
    }

    fn detach_block(&mut self, block: Block, event: fn(Site) -> Event, why: Reason) {
        let data = body!(self).block(block).clone();
        self.uses.unlink_terminator(block);
        data.insts.iter().for_each(|&inst| self.uses.unlink_inst(inst));
        self.places.remove_block(body!(self), block);
        self.record(event(block.into()), why);
        for &inst in data.params.iter().chain(data.insts.iter()) {
            self.record(event(inst.into()), why);
        }
    }

    /// Makes a node with its contents part of the program; its region must already be indexed.
    pub(super) fn attach_node(&mut self, node: Node) {
        let func = body!(self);
        self.places.set_owner(node, &func.node(node).kind);
        self.uses.link_node(func, node);
        for region in func.node(node).kind.regions() {
            self.places.add_region(func, region);
            for step in TreeWalk::of_region(func, region) {
                match step {
                    TreeStep::Enter(inner) => self.uses.link_node(func, inner),
                    TreeStep::Block(block) => {
                        func.block(block).insts.iter().for_each(|&inst| self.uses.link_inst(func, inst));
                        self.uses.link_terminator(func, block);
                    }
                    TreeStep::Open(..) | TreeStep::Leave(_) => {}
                }
            }
        }
    }
}

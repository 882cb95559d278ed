//! What a piece of a tree holds: what it defines, and everything in it that reads.

use super::Cut;
use crate::ir::editor::{Editor, Refusal, body, refuse};
use crate::ir::{Block, Event, FuncBody, Inst, Node, Reason, Region, Site, TreeStep, TreeWalk};
use rustc_hash::FxHashSet;

/// What a piece of a tree holds.
#[derive(Default)]
pub(super) struct Contents {
    /// What it defines, parameters among it.
    pub(super) defs: Vec<Inst>,
    /// Everything in it that may read a value: instructions, exits, nodes.
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

    /// Adds a block with its parameters and exit.
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

    /// That nobody outside reads what a piece defines.
    pub(super) fn expect_closed(&self, contents: &Contents, place: &str) -> Result<(), Refusal> {
        for &value in &contents.defs {
            if let Some(reader) = self.uses(value).find(|place| !contents.sites.contains(&place.site())) {
                refuse!("{value} is read by {} {place}", reader.site());
            }
        }
        Ok(())
    }

    /// A region with everything in it leaves the program; `event` says so for each thing.
    pub(super) fn detach(&mut self, region: Region, event: fn(Site) -> Event, why: Reason) {
        let steps: Vec<TreeStep> = TreeWalk::of_region(body!(self), region).collect();
        for step in steps {
            match step {
                TreeStep::Enter(node) => {
                    self.uses.unlink_node(node);
                    self.places.remove_node(body!(self), node);
                    self.say(event(node.into()), why);
                }
                TreeStep::Block(block) => self.detach_block(block, event, why),
                TreeStep::Open(..) | TreeStep::Leave(_) => {}
            }
        }
    }

    fn detach_block(&mut self, block: Block, event: fn(Site) -> Event, why: Reason) {
        let data = body!(self).block(block).clone();
        self.uses.unlink_exit(block);
        data.insts.iter().for_each(|&inst| self.uses.unlink_inst(inst));
        self.places.remove_block(body!(self), block);
        self.say(event(block.into()), why);
        for &inst in data.params.iter().chain(data.insts.iter()) {
            self.say(event(inst.into()), why);
        }
    }

    /// A node with everything in it becomes part of the program; it stands in a region that is indexed.
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
                        self.uses.link_exit(func, block);
                    }
                    TreeStep::Open(..) | TreeStep::Leave(_) => {}
                }
            }
        }
    }
}

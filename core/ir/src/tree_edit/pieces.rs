//! Pieces of a tree that are taken out and inserted again, at another position or as a copy.

use super::InstRange;
use super::contents::Contents;
use crate::editor::{DefSite, Editor, InsertPoint, Refusal, body, refuse};
use crate::func::Epoch;
use crate::{Block, CowVec, Event, Inst, Node, Reason, Region, Site, Terminator, TreeStep, TreeWalk};
use rustc_hash::{FxHashMap, FxHashSet};

/// A piece of a tree that is not part of the program: taken out of it, or a copy that is not inserted yet.
/// Dropping it erases the piece.
#[derive(Debug)]
#[must_use = "a piece that is not spliced is erased"]
pub struct Detached {
    pub(super) region: Region,
    pub(super) serial: Epoch,
}

impl Detached {
    /// The region of the piece, for inspection.
    pub fn region(&self) -> Region {
        self.region
    }
}

impl Editor<'_> {
    /// Takes code out of the program, connecting the code before it with the code after it.
    ///
    /// Refused if a value computed in the code is used outside.
    pub fn take(&mut self, run: InstRange, why: Reason) -> Result<Detached, Refusal> {
        let cut = self.cut(run)?;
        self.expect_closed(&self.contents_of_cut(&cut), "outside the code that would be taken")?;
        let tail = self.lift(cut.last, cut.to);
        let region = self.carve(&cut, why);
        self.put(cut.first, tail, why);
        self.detach(region, Event::Move, why);
        let rest = &mut self.control_mut().regions[cut.region].rest;
        CowVec::make_mut(rest).drain(cut.first_at..cut.last_at);
        self.places.index_region(body!(self), cut.region, cut.first_at + 1);
        Ok(Detached { region, serial: self.serial })
    }

    /// Inserts a piece into the program. `args` replace the parameters of its first block; returns the values
    /// that its last block passes on with `next`.
    ///
    /// Refused if the last block does not end with `next`, if a value that the piece uses is not computed,
    /// and if one of its terminators would break out of or continue a node that does not enclose it.
    pub fn splice(
        &mut self,
        piece: Detached,
        at: InsertPoint,
        args: &[Inst],
        why: Reason,
    ) -> Result<Vec<Inst>, Refused> {
        match self.expect_splice(&piece, at, args) {
            Ok((block, index)) => Ok(self.put_piece(&piece, block, index, args, why)),
            Err(refusal) => Err(Refused { refusal, piece }),
        }
    }

    /// Passes the terminators of a piece to `f`, which may return a replacement: this is how a copy of a
    /// loop's body gets a `break` for each `continue`. `splice` checks if the terminators are valid.
    ///
    /// Refused, with nothing changed, for terminators other than `break`, `continue` or `return`, and for
    /// replacements other than `break` or `continue`.
    pub fn retarget(
        &mut self,
        piece: &mut Detached,
        mut f: impl FnMut(Block, &Terminator) -> Option<Terminator>,
        why: Reason,
    ) -> Result<(), Refusal> {
        self.expect_own(piece)?;
        let mut new = Vec::new();
        for block in blocks_of(self, piece.region) {
            let old = self.func().terminator(block);
            let Some(terminator) = f(block, old) else { continue };
            if matches!(old, Terminator::Next(_) | Terminator::Stop(_))
                || !matches!(terminator, Terminator::Break(..) | Terminator::Continue(..))
            {
                refuse!("the terminator of {block} cannot be replaced by this one");
            }
            new.push((block, terminator));
        }
        for (block, terminator) in new {
            self.control_mut().blocks[block].terminator = terminator;
            self.record(Event::Control(block.into()), why);
        }
        Ok(())
    }
}

/// A refused splice, with the piece.
#[derive(Debug)]
pub struct Refused {
    /// The reason.
    pub refusal: Refusal,
    /// The piece, for another attempt.
    pub piece: Detached,
}

fn blocks_of(editor: &Editor, region: Region) -> Vec<Block> {
    let steps = TreeWalk::of_region(editor.func(), region);
    steps.filter_map(|step| if let TreeStep::Block(block) = step { Some(block) } else { None }).collect()
}

/// The enclosing nodes that a terminator may name, with the region of each that contains it.
type Labels = FxHashMap<Node, Region>;

impl Editor<'_> {
    fn expect_own(&self, piece: &Detached) -> Result<(), Refusal> {
        if piece.serial != self.serial {
            refuse!("the piece belongs to another editor");
        }
        Ok(())
    }

    fn expect_splice(
        &mut self,
        piece: &Detached,
        at: InsertPoint,
        args: &[Inst],
    ) -> Result<(Block, usize), Refusal> {
        self.expect_own(piece)?;
        let (block, index) = self.resolve(at)?;
        let Some(place) = self.places.block(block) else {
            refuse!("the function is not a tree");
        };
        for &arg in args {
            self.expect_visible(arg, block, index)?;
        }
        let region = self.func().region(piece.region);
        self.expect_args(region.head, args)?;
        if !matches!(self.func().terminator(region.last()), Terminator::Next(_)) {
            refuse!("the piece does not continue to the code after it");
        }
        self.expect_reads(piece.region, block, index)?;
        self.expect_terminators(piece.region, place.region)?;
        Ok((block, index))
    }

    fn expect_visible(&mut self, value: Inst, block: Block, index: usize) -> Result<(), Refusal> {
        self.expect_value(value)?;
        if !self.visible(value, block, index) {
            refuse!("{value} is not computed at its use");
        }
        Ok(())
    }

    /// Refuses a piece with outside operands that are not computed at a position.
    fn expect_reads(&mut self, region: Region, block: Block, index: usize) -> Result<(), Refusal> {
        let mut contents = Contents::default();
        contents.add_region(body!(self), region);
        let mut known: FxHashSet<Inst> = contents.defs.iter().copied().collect();
        let mut outside = Vec::new();
        let mut read = |value| {
            if known.insert(value) {
                outside.push(value);
            }
        };
        let func = body!(self);
        for step in TreeWalk::of_region(func, region) {
            match step {
                TreeStep::Enter(node) => func.node(node).kind.operand().into_iter().for_each(&mut read),
                TreeStep::Block(block) => {
                    let insts = func.block(block).insts.iter();
                    insts.flat_map(|&inst| func.inst(inst).args.iter()).copied().for_each(&mut read);
                    func.terminator(block).for_each_use(&mut read);
                }
                TreeStep::Open(..) | TreeStep::Leave(_) => {}
            }
        }
        outside.into_iter().try_for_each(|value| self.expect_visible(value, block, index))
    }

    /// Refuses a piece with a terminator that has no target if the piece is in region `within`.
    fn expect_terminators(&self, piece: Region, within: Region) -> Result<(), Refusal> {
        let func = body!(self);
        let mut labels = self.labels_around(within);
        let mut after: FxHashMap<Node, Block> = func.region(piece).rest.iter().copied().collect();
        for step in TreeWalk::of_region(func, piece) {
            match step {
                TreeStep::Open(node, _, region) => {
                    labels.insert(node, region);
                    after.extend(func.region(region).rest.iter().copied());
                }
                TreeStep::Leave(node) => {
                    labels.remove(&node);
                }
                TreeStep::Block(block) => self.expect_label(block, &labels, &after)?,
                TreeStep::Enter(_) => {}
            }
        }
        Ok(())
    }

    fn labels_around(&self, within: Region) -> Labels {
        let mut labels = Labels::default();
        let mut region = within;
        while let Some(owner) = self.places.owner(region) {
            labels.insert(owner, region);
            let Some(place) = self.places.node(owner) else { break };
            region = place.region;
        }
        labels
    }

    fn expect_label(
        &self,
        block: Block,
        labels: &Labels,
        after: &FxHashMap<Node, Block>,
    ) -> Result<(), Refusal> {
        let (Terminator::Break(node, args) | Terminator::Continue(node, args)) =
            self.func().terminator(block)
        else {
            return Ok(());
        };
        let Some(&region) = labels.get(node) else {
            refuse!("{block} would not be inside {node}, which its terminator names");
        };
        let to = match self.func().terminator(block) {
            Terminator::Continue(..) => Some(self.continue_target(*node, region)?),
            _ => after.get(node).copied().or_else(|| self.block_after(*node)),
        };
        match to {
            Some(to) => self.expect_args(to, args),
            None => refuse!("{node} has no target"),
        }
    }

    fn put_piece(
        &mut self,
        piece: &Detached,
        block: Block,
        index: usize,
        args: &[Inst],
        why: Reason,
    ) -> Vec<Inst> {
        self.bind_piece(piece.region, args, why);
        let data = self.func().region(piece.region).clone();
        let (head, last) = (data.head, data.last());
        let results = match self.func().terminator(last) {
            Terminator::Next(results) => results.to_vec(),
            _ => Vec::new(),
        };
        let start = self.func().block(head).clone();
        let tail = self.lift(block, index);
        self.join_head(block, &start.insts, why);
        self.record(Event::Erase(head.into()), why);
        let place = self.places.block(block).map_or(0, |place| place.at);
        if data.rest.is_empty() {
            self.put(block, tail, why);
            return results;
        }
        self.change_terminator(block, start.terminator, why);
        let region = self.places.block(block).map_or(piece.region, |place| place.region);
        let rest = CowVec::make_mut(&mut self.control_mut().regions[region].rest);
        rest.splice(place..place, data.rest.iter().copied());
        self.places.index_region(body!(self), region, place + 1);
        for &(node, after) in data.rest.iter() {
            self.attach_node(node);
            self.attach_block(after);
        }
        self.say_moved(&data.rest, why);
        self.put(last, tail, why);
        results
    }

    /// Appends the instructions of a piece to a block.
    fn join_head(&mut self, block: Block, insts: &[Inst], why: Reason) {
        if insts.is_empty() {
            return;
        }
        let list = CowVec::make_mut(&mut self.control_mut().blocks[block].insts);
        let start = list.len();
        list.extend_from_slice(insts);
        for (at, &inst) in insts.iter().enumerate() {
            self.places.set_home(inst, DefSite::Body(block));
            self.places.hint(inst, start + at);
            self.uses.link_inst(body!(self), inst);
            self.record(Event::Move(inst.into()), why);
        }
    }

    fn attach_block(&mut self, block: Block) {
        let func = body!(self);
        self.places.add_block(func, block);
        func.block(block).insts.iter().for_each(|&inst| self.uses.link_inst(func, inst));
        self.uses.link_terminator(func, block);
    }

    /// Replaces the parameters of a piece's first block by `args` in a piece that is not part of the program.
    fn bind_piece(&mut self, region: Region, args: &[Inst], why: Reason) {
        let head = self.func().region(region).head;
        let params = self.func().block(head).params.clone();
        if params.is_empty() {
            return;
        }
        let bound: FxHashMap<Inst, Inst> = params.iter().copied().zip(args.iter().copied()).collect();
        for (&old, &new) in params.iter().zip(args) {
            self.record(Event::Replace { old, new }, why);
            self.record(Event::Erase(old.into()), why);
        }
        self.map_piece(region, |value| bound.get(&value).copied().unwrap_or(value), why);
        self.control_mut().blocks[head].params = CowVec::default();
    }

    /// Maps every value that a piece uses by `f`.
    fn map_piece(&mut self, region: Region, f: impl Fn(Inst) -> Inst, why: Reason) {
        let mut contents = Contents::default();
        contents.add_region(body!(self), region);
        let mut sites: Vec<Site> = contents.sites.into_iter().collect();
        sites.sort_unstable();
        for site in sites {
            let body = self.control_mut();
            let changed = match site {
                Site::Inst(inst) => {
                    let new = body.insts[inst].args.map(&f);
                    let changed = body.inst(inst).args != new;
                    if changed {
                        body.insts[inst].args = new;
                    }
                    changed
                }
                Site::Block(block) => {
                    let new = body.terminator(block).map_uses(&f);
                    let changed = *body.terminator(block) != new;
                    if changed {
                        body.blocks[block].terminator = new;
                    }
                    changed
                }
                Site::Node(node) => {
                    let old = body.node(node).kind.operand();
                    let new = old.map(&f);
                    if let Some(value) = new.filter(|_| new != old) {
                        body.nodes[node].kind = body.node(node).kind.with_operand(value);
                    }
                    new != old
                }
            };
            if changed {
                self.record(Event::Operands(site), why);
            }
        }
    }
}

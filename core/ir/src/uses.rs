//! Uses of values, labels and blocks: lists that exist as long as an editor.
//!
//! Entries of all lists share one table of slots, threaded twice: by the used entity, for enumeration, and by
//! the user, for removing all of a user's entries at once. Every step takes constant time per entry.

use super::{Block, FuncBody, Inst, Node, Site, Terminator};
use crate::base::{EntityId, SideTable};

/// A use of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Use {
    /// Operand of an instruction, from 0.
    Arg(Inst, u32),
    /// A value that the terminator of a block uses, in order of `Terminator::for_each_use`, from 0.
    Terminator(Block, u32),
    /// Condition or selector of a node.
    Node(Node),
}

impl Use {
    /// The user.
    pub fn site(self) -> Site {
        match self {
            Use::Arg(inst, _) => inst.into(),
            Use::Terminator(block, _) => block.into(),
            Use::Node(node) => node.into(),
        }
    }
}

const NIL: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct UseSlot<K, U> {
    key: K,
    user: U,
    prev: u32,
    next: u32,
    /// Next entry of the same user; next free slot if the slot is free.
    sibling: u32,
}

#[derive(Clone, Copy)]
struct Ends {
    first: u32,
    last: u32,
    count: u32,
}

const EMPTY: Ends = Ends { first: NIL, last: NIL, count: 0 };

/// For every `K`, the list of its users, oldest first.
struct Lists<K, U> {
    ends: SideTable<K, Ends>,
    slots: Vec<UseSlot<K, U>>,
    free: u32,
}

impl<K: EntityId, U: Copy> Lists<K, U> {
    fn sized(keys: usize, slots: usize) -> Self {
        Lists { ends: SideTable::sized(EMPTY, keys), slots: Vec::with_capacity(slots), free: NIL }
    }

    fn users(&self, key: K) -> impl Iterator<Item = U> + '_ {
        let mut at = self.ends[key].first;
        std::iter::from_fn(move || {
            let slot = self.slots.get(at as usize)?;
            at = slot.next;
            Some(slot.user)
        })
    }

    fn count(&self, key: K) -> usize {
        self.ends[key].count as usize
    }

    /// Adds an entry; `chain` holds the entries of the user.
    fn link(&mut self, key: K, user: U, chain: &mut u32) {
        let last = self.ends[key].last;
        let at = self.slot(UseSlot { key, user, prev: last, next: NIL, sibling: *chain });
        *chain = at;
        match self.slots.get_mut(last as usize) {
            Some(before) => before.next = at,
            None => self.ends[key].first = at,
        }
        let ends = &mut self.ends[key];
        ends.last = at;
        ends.count += 1;
    }

    #[inline(always)]
    fn slot(&mut self, slot: UseSlot<K, U>) -> u32 {
        let at = self.free;
        match self.slots.get_mut(at as usize) {
            Some(vacant) => {
                self.free = vacant.sibling;
                *vacant = slot;
                at
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        }
    }

    /// Removes all entries of a user.
    fn unlink(&mut self, chain: &mut u32) {
        while let Some(&UseSlot { key, prev, next, sibling, .. }) = self.slots.get(*chain as usize) {
            match self.slots.get_mut(prev as usize) {
                Some(before) => before.next = next,
                None => self.ends[key].first = next,
            }
            match self.slots.get_mut(next as usize) {
                Some(after) => after.prev = prev,
                None => self.ends[key].last = prev,
            }
            self.ends[key].count -= 1;
            self.slots[*chain as usize].sibling = self.free;
            self.free = *chain;
            *chain = sibling;
        }
    }
}

/// All lists of a function.
pub(super) struct UseLists {
    values: Lists<Inst, Use>,
    labels: Lists<Node, Block>,
    targets: Lists<Block, Block>,
    of_inst: SideTable<Inst, u32>,
    of_node: SideTable<Node, u32>,
    of_terminator: SideTable<Block, u32>,
    label_of: SideTable<Block, u32>,
    targets_of: SideTable<Block, u32>,
}

impl UseLists {
    /// Empty lists with room for a function.
    pub(super) fn sized(func: &FuncBody) -> UseLists {
        let tables = func.tables();
        let [insts, blocks] = [tables.insts.len(), tables.blocks.len()];
        UseLists {
            values: Lists::sized(insts, insts * 2),
            labels: Lists::sized(tables.nodes.len(), 0),
            targets: Lists::sized(blocks, 0),
            of_inst: SideTable::sized(NIL, insts),
            of_node: SideTable::sized(NIL, tables.nodes.len()),
            of_terminator: SideTable::sized(NIL, blocks),
            label_of: SideTable::sized(NIL, blocks),
            targets_of: SideTable::sized(NIL, blocks),
        }
    }

    /// Uses of a value, oldest first.
    pub(super) fn of(&self, value: Inst) -> impl Iterator<Item = Use> + '_ {
        self.values.users(value)
    }

    /// Number of uses of a value.
    pub(super) fn count(&self, value: Inst) -> usize {
        self.values.count(value)
    }

    /// Blocks whose terminator names a node.
    pub(super) fn terminators_naming(&self, node: Node) -> impl Iterator<Item = Block> + '_ {
        self.labels.users(node)
    }

    /// Blocks whose terminator has a graph edge to a block, repeated for each edge.
    pub(super) fn terminators_to(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.targets.users(block)
    }

    /// Adds the operands of an instruction.
    pub(super) fn link_inst(&mut self, func: &FuncBody, inst: Inst) {
        // An operand that is not an instruction, which only an invalid program has, is in no list.
        let known = |arg: &Inst| func.tables().insts.contains(*arg);
        for (at, &arg) in func.inst(inst).args.iter().enumerate().filter(|(_, arg)| known(arg)) {
            self.values.link(arg, Use::Arg(inst, at as u32), &mut self.of_inst[inst]);
        }
    }

    /// Removes the operands of an instruction.
    pub(super) fn unlink_inst(&mut self, inst: Inst) {
        self.values.unlink(&mut self.of_inst[inst]);
    }

    /// Adds the values and entities that a terminator refers to.
    pub(super) fn link_terminator(&mut self, func: &FuncBody, block: Block) {
        let terminator = func.terminator(block);
        let mut at = 0;
        terminator.for_each_use(|value| {
            self.values.link(value, Use::Terminator(block, at), &mut self.of_terminator[block]);
            at += 1;
        });
        match terminator {
            Terminator::Break(node, _) | Terminator::Continue(node, _) => {
                self.labels.link(*node, block, &mut self.label_of[block]);
            }
            Terminator::Next(_) | Terminator::Return(_) | Terminator::Stop(_) => {}
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                for edge in terminator.edges() {
                    self.targets.link(edge.to, block, &mut self.targets_of[block]);
                }
            }
        }
    }

    /// Removes the values and entities that a terminator refers to.
    pub(super) fn unlink_terminator(&mut self, block: Block) {
        self.values.unlink(&mut self.of_terminator[block]);
        self.labels.unlink(&mut self.label_of[block]);
        self.targets.unlink(&mut self.targets_of[block]);
    }

    /// Adds the operand of a node.
    pub(super) fn link_node(&mut self, func: &FuncBody, node: Node) {
        if let Some(value) = func.node(node).kind.operand() {
            self.values.link(value, Use::Node(node), &mut self.of_node[node]);
        }
    }

    /// Removes the operand of a node.
    pub(super) fn unlink_node(&mut self, node: Node) {
        self.values.unlink(&mut self.of_node[node]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_in_order_of_linking_and_forgets_a_whole_user() {
        let [a, b] = [0, 1].map(Inst::from_index);
        let mut lists: Lists<Inst, u32> = Lists::sized(0, 0);
        let mut chains = [NIL; 3];
        for (reader, chain) in chains.iter_mut().enumerate() {
            lists.link(a, reader as u32 * 10, chain);
            lists.link(b, reader as u32 * 10 + 1, chain);
            lists.link(a, reader as u32 * 10 + 2, chain);
        }
        assert_eq!(lists.users(a).collect::<Vec<_>>(), [0, 2, 10, 12, 20, 22]);
        lists.unlink(&mut chains[1]);
        assert_eq!(lists.users(a).collect::<Vec<_>>(), [0, 2, 20, 22]);
        lists.unlink(&mut chains[2]);
        lists.link(a, 99, &mut chains[1]);
        assert_eq!(lists.users(a).collect::<Vec<_>>(), [0, 2, 99]);
        assert_eq!((lists.count(a), lists.count(b)), (3, 1));
        assert_eq!(lists.slots.len(), 9);
    }
}

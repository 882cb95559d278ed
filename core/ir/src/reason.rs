//! The journal of an editor: small events that explain a version but never define one.
//!
//! State does not depend on events. They guarantee that everything that differs between the previous and the
//! next version is named by some event ([`Journal::names`]). Changes to the instruction list of a block are
//! reported by the events of those instructions; events of the block itself concern its parameters and
//! terminator.

use super::{Block, Inst, Node};
use crate::base::EntitySet;
use std::fmt;

/// An editable entity of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// An instruction.
    Inst(Inst),
    /// A block.
    Block(Block),
    /// A node.
    Node(Node),
}

impl From<Inst> for Site {
    fn from(inst: Inst) -> Site {
        Site::Inst(inst)
    }
}

impl From<Block> for Site {
    fn from(block: Block) -> Site {
        Site::Block(block)
    }
}

impl From<Node> for Site {
    fn from(node: Node) -> Site {
        Site::Node(node)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Inst(inst) => inst.fmt(f),
            Site::Block(block) => block.fmt(f),
            Site::Node(node) => node.fmt(f),
        }
    }
}

/// A change of a function. Ids are the function's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// It was created.
    Create(Site),
    /// It computes the same value in another way.
    Rewrite(Inst),
    /// A value replaced another one in all its uses.
    Replace {
        /// The old value.
        old: Inst,
        /// The new value.
        new: Inst,
    },
    /// Its operands changed, and nothing else.
    Operands(Site),
    /// It was moved.
    Move(Site),
    /// It is no longer part of the program.
    Erase(Site),
    /// It was copied from another entity.
    Copy {
        /// The original.
        of: Site,
        /// The copy.
        new: Site,
    },
    /// Its terminator, entry or nesting changed.
    Control(Site),
}

impl Event {
    /// The entities that the event names: one or two.
    pub fn sites(self) -> [Option<Site>; 2] {
        match self {
            Event::Create(site)
            | Event::Operands(site)
            | Event::Move(site)
            | Event::Erase(site)
            | Event::Control(site) => [Some(site), None],
            Event::Rewrite(inst) => [Some(inst.into()), None],
            Event::Replace { old, new } => [Some(old.into()), Some(new.into())],
            Event::Copy { of, new } => [Some(of), Some(new)],
        }
    }
}

/// The reason for a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// An algebraic rule, by number.
    Rule(u32),
    /// The purpose of the pass.
    Pass,
    /// An explanation.
    Note(&'static str),
}

/// Events in order, each with its reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Journal {
    events: Vec<(Event, Reason)>,
}

impl Journal {
    /// An empty journal.
    pub fn new() -> Journal {
        Journal::default()
    }

    /// Adds an event at the end.
    pub fn push(&mut self, event: Event, why: Reason) {
        if self.events.is_empty() {
            // A journal with one event usually has many.
            self.events.reserve(32);
        }
        self.events.push((event, why));
    }

    /// The events in order.
    pub fn events(&self) -> &[(Event, Reason)] {
        &self.events
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns true if nothing happened.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// All entities that the events name.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        for site in self.events.iter().flat_map(|(event, _)| event.sites()).flatten() {
            names.add(site);
        }
        names
    }
}

/// The entities that a journal names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Instructions.
    pub insts: EntitySet<Inst>,
    /// Blocks.
    pub blocks: EntitySet<Block>,
    /// Nodes.
    pub nodes: EntitySet<Node>,
}

impl Names {
    fn add(&mut self, site: Site) {
        match site {
            Site::Inst(inst) => self.insts.insert(inst),
            Site::Block(block) => self.blocks.insert(block),
            Site::Node(node) => self.nodes.insert(node),
        };
    }

    /// Returns true if an entity is named.
    pub fn has(&self, site: impl Into<Site>) -> bool {
        match site.into() {
            Site::Inst(inst) => self.insts.contains(inst),
            Site::Block(block) => self.blocks.contains(block),
            Site::Node(node) => self.nodes.contains(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;

    #[test]
    fn names_are_the_sites_of_the_events() {
        let [a, b] = [3, 5].map(Inst::from_index);
        let node = Node::from_index(1);
        let mut journal = Journal::new();
        journal.push(Event::Replace { old: a, new: b }, Reason::Rule(7));
        journal.push(Event::Control(node.into()), Reason::Note("the condition is known"));
        let names = journal.names();
        assert!(names.has(a) && names.has(b) && names.has(node));
        assert!(!names.has(Block::from_index(1)));
        assert_eq!(journal.len(), 2);
    }
}

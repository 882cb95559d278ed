//! What an editor did and why: small events that explain a version and never make one.
//!
//! State does not depend on them. What they promise: whatever differs between the version before and the
//! version after is named by some event ([`Journal::names`]). That a block has other instructions than
//! before is said by the events of those instructions; its own events speak of its parameters and exit.

use super::{Block, Inst, Node};
use crate::base::EntitySet;
use std::fmt;

/// Something of a function that can be edited.
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

/// Something that happened to a function. Ids are the function's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// It is new.
    Create(Site),
    /// The same value is computed in another way.
    Rewrite(Inst),
    /// A value took the place of another, wherever that was read.
    Replace {
        /// What was read.
        old: Inst,
        /// What is read now.
        new: Inst,
    },
    /// It reads other values than before, and is the same otherwise.
    Operands(Site),
    /// It is somewhere else now.
    Move(Site),
    /// It is no longer part of the program.
    Erase(Site),
    /// It was made after another.
    Copy {
        /// The model.
        of: Site,
        /// What was made.
        new: Site,
    },
    /// It is left, entered or nested in another way.
    Control(Site),
}

impl Event {
    /// What the event names: one thing, or two.
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

/// Why something happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// A rule of the algebra, by number.
    Rule(u32),
    /// It is what the pass is for.
    Pass,
    /// A sentence about it.
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
            // Most that have one have many.
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

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Everything the events name.
    pub fn names(&self) -> Names {
        let mut names = Names::default();
        for site in self.events.iter().flat_map(|(event, _)| event.sites()).flatten() {
            names.add(site);
        }
        names
    }
}

/// What a journal names.
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

    /// Whether something is named.
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
    fn names_are_what_the_events_speak_of() {
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

//! Classes of pointers that lie in one mode, by union-find.
//!
//! A node stands for a pointer. What the memory behind it holds, if that is pointers again, is one more node: all
//! pointers in one object are one class. Joining two joins what lies behind them. Knows nothing of programs.

use crate::ir::Mode;

/// A class of pointers, or what became part of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Node(u32);

/// Two modes for what can only have one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash(pub(super) Mode, pub(super) Mode);

#[derive(Clone, Copy, Debug)]
struct Data {
    up: Node,
    mode: Option<Mode>,
    inside: Option<Node>,
    shared: bool,
}

/// All classes of a module.
#[derive(Default)]
pub(super) struct Nodes {
    all: Vec<Data>,
}

impl Nodes {
    /// A class of its own. `shared` is one that every function sees: what module variables hold.
    pub(super) fn fresh(&mut self, mode: Option<Mode>, shared: bool) -> Node {
        let node = Node(self.all.len() as u32);
        self.all.push(Data { up: node, mode: concrete(mode), inside: None, shared });
        node
    }

    /// The node that stands for a class.
    pub(super) fn root(&mut self, mut node: Node) -> Node {
        loop {
            let up = self.data(node).up;
            if up == node {
                return node;
            }
            let higher = self.data(up).up;
            self.data_mut(node).up = higher;
            node = higher;
        }
    }

    /// The mode of a class, where one is known.
    pub(super) fn mode(&mut self, node: Node) -> Option<Mode> {
        let root = self.root(node);
        self.data(root).mode
    }

    /// Whether every function sees the same class.
    pub(super) fn is_shared(&mut self, node: Node) -> bool {
        let root = self.root(node);
        self.data(root).shared
    }

    /// The class of the pointers behind one, where somebody asked for it before.
    pub(super) fn known_inside(&mut self, node: Node) -> Option<Node> {
        let root = self.root(node);
        let inside = self.data(root).inside?;
        Some(self.root(inside))
    }

    /// The class of the pointers behind one.
    pub(super) fn inside(&mut self, node: Node) -> Node {
        let root = self.root(node);
        match self.data(root).inside {
            Some(inside) => self.root(inside),
            None => {
                let inside = self.fresh(None, self.data(root).shared);
                self.data_mut(root).inside = Some(inside);
                inside
            }
        }
    }

    /// Says the mode of a class; `generic` says nothing.
    pub(super) fn say(&mut self, node: Node, mode: Option<Mode>) -> Result<(), Clash> {
        let root = self.root(node);
        match (self.data(root).mode, concrete(mode)) {
            (Some(known), Some(said)) if known != said => Err(Clash(known, said)),
            (None, Some(said)) => {
                self.data_mut(root).mode = Some(said);
                Ok(())
            }
            (_, _) => Ok(()),
        }
    }

    /// Makes one class of two, and of what lies behind them.
    pub(super) fn join(&mut self, a: Node, b: Node) -> Result<(), Clash> {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                continue;
            }
            let (to, from) = (self.data(a.min(b)), self.data(a.max(b)));
            if let (Some(a), Some(b)) = (to.mode, from.mode)
                && a != b
            {
                return Err(Clash(a, b));
            }
            self.data_mut(from.up).up = to.up;
            let root = self.data_mut(to.up);
            root.mode = to.mode.or(from.mode);
            root.inside = to.inside.or(from.inside);
            root.shared |= from.shared;
            if let (Some(a), Some(b)) = (to.inside, from.inside) {
                work.push((a, b));
            }
            if to.shared != from.shared {
                self.share(to.up);
            }
        }
        Ok(())
    }

    /// What lies behind a shared class is shared.
    fn share(&mut self, mut node: Node) {
        while let Some(inside) = self.known_inside(node) {
            if self.data(inside).shared {
                return;
            }
            self.data_mut(inside).shared = true;
            node = inside;
        }
    }

    fn data(&self, node: Node) -> Data {
        let nothing = Data { up: node, mode: None, inside: None, shared: false };
        self.all.get(node.0 as usize).copied().unwrap_or(nothing)
    }

    fn data_mut(&mut self, node: Node) -> &mut Data {
        &mut self.all[node.0 as usize]
    }
}

fn concrete(mode: Option<Mode>) -> Option<Mode> {
    mode.filter(|&mode| mode != Mode::Generic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_joins_what_lies_behind_and_shares_it() {
        let mut nodes = Nodes::default();
        let (a, b) = (nodes.fresh(None, false), nodes.fresh(Some(Mode::Generic), true));
        let (in_a, in_b) = (nodes.inside(a), nodes.inside(b));
        assert!(nodes.is_shared(in_b) && !nodes.is_shared(in_a));
        nodes.say(in_a, Some(Mode::Shared)).expect("it had no mode");
        nodes.join(a, b).expect("neither has a mode");
        assert_eq!(nodes.mode(in_b), Some(Mode::Shared));
        assert!(nodes.is_shared(in_a));
        assert!(nodes.say(in_b, Some(Mode::Private)).is_err());
    }

    #[test]
    fn a_list_of_pointers_to_itself_ends() {
        let mut nodes = Nodes::default();
        let (a, b) = (nodes.fresh(None, false), nodes.fresh(Some(Mode::Private), true));
        let next = nodes.inside(a);
        nodes.join(next, a).expect("neither has a mode");
        nodes.join(a, b).expect("only one has a mode");
        let next = nodes.inside(a);
        assert_eq!(nodes.root(next), nodes.root(b));
        assert!(nodes.is_shared(next));
    }
}

//! Classes of pointers with one mode, by union-find.
//!
//! A node stands for a pointer. If the memory it points to holds pointers, these have another node: all
//! pointers in one object form one class. Joining two nodes joins the nodes inside them. Independent of the
//! program.

use vitrine_ir::Mode;

/// A class of pointers, or a former class that was merged into one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Node(u32);

/// Two modes for a class that can only have one.
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
    /// A new class. `shared` is set for a class that is common to all functions: the content of module
    /// variables.
    pub(super) fn fresh(&mut self, mode: Option<Mode>, shared: bool) -> Node {
        let node = Node(self.all.len() as u32);
        self.all.push(Data { up: node, mode: concrete(mode), inside: None, shared });
        node
    }

    /// The representative of a class.
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

    /// The mode of a class, if known.
    pub(super) fn mode(&mut self, node: Node) -> Option<Mode> {
        let root = self.root(node);
        self.data(root).mode
    }

    /// Returns true if the class is common to all functions.
    pub(super) fn is_shared(&mut self, node: Node) -> bool {
        let root = self.root(node);
        self.data(root).shared
    }

    /// The class of the pointers that a pointer's memory holds, if it exists.
    pub(super) fn known_inside(&mut self, node: Node) -> Option<Node> {
        let root = self.root(node);
        let inside = self.data(root).inside?;
        Some(self.root(inside))
    }

    /// The class of the pointers that a pointer's memory holds.
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

    /// Sets the mode of a class; `generic` has no effect.
    pub(super) fn set_mode(&mut self, node: Node, mode: Option<Mode>) -> Result<(), Clash> {
        let root = self.root(node);
        match (self.data(root).mode, concrete(mode)) {
            (Some(known), Some(new)) if known != new => Err(Clash(known, new)),
            (None, Some(new)) => {
                self.data_mut(root).mode = Some(new);
                Ok(())
            }
            (_, _) => Ok(()),
        }
    }

    /// Merges two classes, and the classes inside them.
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

    /// The classes inside a shared class are shared.
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
    fn joining_joins_and_shares_inner_classes() {
        let mut nodes = Nodes::default();
        let (a, b) = (nodes.fresh(None, false), nodes.fresh(Some(Mode::Generic), true));
        let (in_a, in_b) = (nodes.inside(a), nodes.inside(b));
        assert!(nodes.is_shared(in_b) && !nodes.is_shared(in_a));
        nodes.set_mode(in_a, Some(Mode::Shared)).expect("the class has no mode");
        nodes.join(a, b).expect("neither has a mode");
        assert_eq!(nodes.mode(in_b), Some(Mode::Shared));
        assert!(nodes.is_shared(in_a));
        assert!(nodes.set_mode(in_b, Some(Mode::Private)).is_err());
    }

    #[test]
    fn a_cyclic_list_of_pointers_terminates() {
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

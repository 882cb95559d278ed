//! How the person wants the graph, beside where it is looked at from: folds, pins, the search, the minimap.
//!
//! The compiler decides what can be folded in a version: the page only stores the answer, and sends it back
//! with every question.

use vitrine_protocol::GraphToggle;

use crate::state::outline::{Outline, TreeStep};

/// The settings of the graph.
#[derive(Debug)]
pub struct Scene {
    /// See `Opened::folds`.
    pub folds: Vec<[u32; 2]>,
    /// Long blocks that are shown whole.
    pub opened: Vec<u32>,
    /// See `Opened::pins`.
    pub pins: Vec<[i32; 3]>,
    /// True if a pin was set or released since the last request.
    pub touched: bool,
    /// A change that the next request makes.
    pub toggle: Option<GraphToggle>,
    /// True if the next request is about the graph alone.
    pub only: bool,
    /// The change and the kind of the question that is on its way.
    pub sending: (Option<GraphToggle>, bool),
    /// True if the minimap is wanted.
    pub map: bool,
    /// True if overlays are shown: results of analyses in blocks, such as trip counts and costs.
    pub overlays: bool,
    /// The search.
    pub find: Find,
    /// The graph as a tree, for those who hear the page.
    pub outline: Outline,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            folds: Vec::new(),
            opened: Vec::new(),
            pins: Vec::new(),
            touched: false,
            toggle: None,
            only: false,
            sending: (None, false),
            map: true,
            overlays: false,
            find: Find::default(),
            outline: Outline::default(),
        }
    }
}

/// A search in the graph.
#[derive(Debug, Default)]
pub struct Find {
    /// True if its bar is open.
    pub open: bool,
    /// The query.
    pub query: String,
    /// The results: block, and thing that the line defines. Of the shown version and function.
    pub found: Vec<[u32; 2]>,
    /// The one that is looked at.
    pub at: Option<usize>,
    /// True if an answer is due.
    pub asked: bool,
}

impl Find {
    /// The thing that is looked at.
    pub fn current(&self) -> Option<[u32; 2]> {
        self.found.get(self.at?).copied()
    }

    /// How far one is, in words.
    pub fn told(&self) -> String {
        match (self.query.trim().is_empty(), self.found.len(), self.at) {
            (true, _, _) => String::new(),
            (false, 0, _) if self.asked => "…".to_owned(),
            (false, 0, _) => "not found".to_owned(),
            (false, count, None) => count.to_string(),
            (false, count, Some(at)) => {
                let mut out = (at + 1).to_string();
                out.push_str(" of ");
                out.push_str(&count.to_string());
                out
            }
        }
    }
}

/// An event of the graph's pane, other than camera moves.
#[derive(Debug)]
pub enum GraphEvent {
    /// The chosen block is folded, with what it heads or is in, or opened.
    Fold,
    /// The loop a block heads is folded, or opened.
    FoldLoop(u32),
    /// Everything is folded, or opened.
    FoldAll,
    /// A folded block is opened, or one is shown whole or cut: the chosen one where none is named.
    Open(Option<u32>),
    /// The chosen block is pinned, or released.
    Pin,
    /// The minimap is shown, or hidden.
    Map,
    /// Overlays are shown, or hidden.
    Overlays,
    /// A place of the graph comes to the middle.
    At([i32; 2]),
    /// Two fingers moved: their middle before and now, and how much further apart they are, in per mille.
    Pinch([i32; 2], [i32; 2], i32),
    /// The search is opened, or closed.
    FindBar(bool),
    /// Something is searched for.
    Find(String),
    /// The next place, or the one before.
    FindNext(bool),
    /// A key in the tree.
    Tree(TreeStep),
    /// A click on a row of the tree.
    TreeAt(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_says_how_far_one_is() {
        let mut find = Find { query: " ".to_owned(), ..Find::default() };
        assert_eq!((find.told(), find.current()), (String::new(), None));
        find.query = "iadd".to_owned();
        find.asked = true;
        assert_eq!(find.told(), "…");
        find.asked = false;
        assert_eq!(find.told(), "not found");
        find.found = vec![[1, 2], [3, 4]];
        assert_eq!(find.told(), "2");
        find.at = Some(1);
        assert_eq!((find.told().as_str(), find.current()), ("2 of 2", Some([3, 4])));
    }
}

//! How the person wants the graph, beside where it is looked at from: folds, pins, the search, the small map.
//!
//! What folding means in a version is the compiler's to say: the page only keeps the answer, and gives it back
//! with every question.

use crate::state::outline::{Outline, TreeStep};

/// What the person made of the graph.
#[derive(Debug)]
pub struct Scene {
    /// Two numbers a fold: kind and first block, as the compiler gave them.
    pub folds: Vec<u32>,
    /// Long blocks that are shown whole.
    pub opened: Vec<u32>,
    /// Three numbers a pin: block, left, upper edge.
    pub pins: Vec<i32>,
    /// Whether a pin was set or let go since the last question.
    pub touched: bool,
    /// A change that waits to be asked for: see `view_model::Toggle`.
    pub toggle: [u32; 2],
    /// Whether the next question is about the graph alone.
    pub only: bool,
    /// The change and the kind of the question that is on its way.
    pub sending: ([u32; 2], bool),
    /// Whether the small map is wanted.
    pub map: bool,
    /// Whether what analyses know of blocks stands in them: rounds of loops, costs.
    pub facts: bool,
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
            toggle: [0; 2],
            only: false,
            sending: ([0; 2], false),
            map: true,
            facts: false,
            find: Find::default(),
            outline: Outline::default(),
        }
    }
}

/// A search in the graph.
#[derive(Debug, Default)]
pub struct Find {
    /// Whether its bar is open.
    pub open: bool,
    /// What is looked for.
    pub query: String,
    /// Where it stands: block, and what the line defines. Of the version and function that are shown.
    pub found: Vec<[u32; 2]>,
    /// The one that is looked at.
    pub at: Option<usize>,
    /// Whether an answer is due.
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

/// What can happen in the graph's pane, beside looking at it otherwise.
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
    /// The chosen block is pinned, or let go.
    Pin,
    /// The small map is shown, or hidden.
    Map,
    /// What analyses know of blocks is shown in them, or not.
    Facts,
    /// A place of the graph comes to the middle.
    At([i32; 2]),
    /// Two fingers moved: their middle before and now, and how much further apart they are, in per mille.
    Pinch([i32; 2], [i32; 2], i32),
    /// The search is opened, or closed.
    FindBar(bool),
    /// Something is looked for.
    Find(String),
    /// Where it stands: the query, version and function that were asked for, and pairs of numbers.
    Found(String, usize, u32, Vec<u32>),
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

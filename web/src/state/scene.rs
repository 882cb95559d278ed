//! Settings of the graph other than the camera: folds, pins, the search, the minimap.
//!
//! The compiler decides which constructs can be folded in a version: the page only stores the answer, and sends it
//! with every request.

use vitrine_protocol::{GraphToggle, OverlayKind, Parts};

use crate::state::outline::{Outline, TreeStep};
use crate::state::{Fold, Subject};

/// The settings of the graph.
#[derive(Debug)]
pub struct Scene {
    /// See `Opened::folds`.
    pub folds: Vec<(Fold, u32)>,
    /// Long blocks that are shown in full.
    pub opened: Vec<u32>,
    /// See `Opened::pins`.
    pub pins: Vec<[i32; 3]>,
    /// True if a pin was set or released since the last request.
    pub touched: bool,
    /// A change that the next request makes.
    pub toggle: Option<GraphToggle>,
    /// The parts that the next request asks for.
    pub parts: Parts,
    /// The change and the parts of the request that is being answered.
    pub sending: (Option<GraphToggle>, Parts),
    /// True if the minimap is shown.
    pub map: bool,
    /// True if the chosen overlay is shown.
    pub overlays: bool,
    /// The chosen overlay.
    pub overlay: OverlayKind,
    /// What its marks were last requested for, and the number of that request.
    pub marked: (Option<Subject>, u32),
    /// Counts the graphs of the compiler.
    pub graphs: u32,
    /// True if constants and addresses with a single use are shown at their use.
    pub inline: bool,
    /// True if the legend is shown.
    pub legend: bool,
    /// The search.
    pub find: Find,
    /// The graph as a tree, for screen readers.
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
            parts: Parts::All,
            sending: (None, Parts::All),
            map: true,
            overlays: false,
            overlay: OverlayKind::Loops,
            marked: (None, 0),
            graphs: 0,
            inline: true,
            legend: false,
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
    /// The results in the shown version and function: a block, and the thing defined on the line.
    pub found: Vec<[u32; 2]>,
    /// The index of the current result.
    pub at: Option<usize>,
    /// True if a request is due.
    pub requested: bool,
}

impl Find {
    /// The current result.
    pub fn current(&self) -> Option<[u32; 2]> {
        self.found.get(self.at?).copied()
    }

    /// The position among the results, for display.
    pub fn label(&self) -> String {
        match (self.query.trim().is_empty(), self.found.len(), self.at) {
            (true, _, _) => String::new(),
            (false, 0, _) if self.requested => "…".to_owned(),
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
    /// Folds the construct that the chosen block heads or lies in, or unfolds it.
    Fold,
    /// Folds the loop that a block heads, or unfolds it.
    FoldLoop(u32),
    /// Folds everything, or unfolds everything.
    FoldAll,
    /// Unfolds a block, or shows it in full or shortened; by default the chosen one.
    Open(Option<u32>),
    /// Pins or releases the chosen block.
    Pin,
    /// Shows or hides the minimap.
    Map,
    /// Shows or hides the chosen overlay.
    Overlays,
    /// Shows an overlay.
    Overlay(OverlayKind),
    /// Shows constants and addresses with a single use at their use, or on lines of their own.
    Inline,
    /// Shows or hides the legend.
    Legend,
    /// Lays the graph out anew.
    Layout,
    /// Centers a point of the graph.
    At([i32; 2]),
    /// Two fingers moved: their midpoint before and now, and the change of their distance, in thousandths.
    Pinch([i32; 2], [i32; 2], i32),
    /// Opens or closes the search.
    FindBar(bool),
    /// Searches.
    Find(String),
    /// Moves to the next result, or the previous one.
    FindNext(bool),
    /// A key in the tree.
    Tree(TreeStep),
    /// A click on a row of the tree.
    TreeAt(usize),
}

impl Scene {
    /// Twice the number of the chosen overlay, and 1 more if it is shown: for links and sessions.
    pub fn overlay_code(&self) -> u32 {
        self.overlay as u32 * 2 + u32::from(self.overlays)
    }

    /// Chooses an overlay by its code.
    pub fn show_overlay(&mut self, code: u32) {
        self.overlays = code % 2 == 1;
        self.overlay = OverlayKind::ALL.get(code as usize / 2).copied().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_has_a_label_with_the_current_result() {
        let mut find = Find { query: " ".to_owned(), ..Find::default() };
        assert_eq!((find.label(), find.current()), (String::new(), None));
        find.query = "iadd".to_owned();
        find.requested = true;
        assert_eq!(find.label(), "…");
        find.requested = false;
        assert_eq!(find.label(), "not found");
        find.found = vec![[1, 2], [3, 4]];
        assert_eq!(find.label(), "2");
        find.at = Some(1);
        assert_eq!((find.label().as_str(), find.current()), ("2 of 2", Some([3, 4])));
    }
}

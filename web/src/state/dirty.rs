//! What must be redrawn after a message: a small set.

use std::ops::{BitOr, BitOrAssign};

/// Parts of the page, and orders to the worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dirty(u64);

impl Dirty {
    /// Nothing.
    pub const NONE: Dirty = Dirty(0);
    /// The text in the editor is not the one of the state.
    pub const INPUT: Dirty = Dirty(1);
    /// Another document is shown.
    pub const OUTPUT: Dirty = Dirty(1 << 1);
    /// Another value is lit.
    pub const LINKS: Dirty = Dirty(1 << 2);
    /// The chosen value must be in sight.
    pub const REVEAL: Dirty = Dirty(1 << 3);
    /// The list of problems.
    pub const PROBLEMS: Dirty = Dirty(1 << 4);
    /// The status line and the notice in it.
    pub const STATUS: Dirty = Dirty(1 << 5);
    /// A place in the editor is to be selected.
    pub const SELECTION: Dirty = Dirty(1 << 6);
    /// The theme.
    pub const THEME: Dirty = Dirty(1 << 7);
    /// The pane of small screens, and the outline of a drop.
    pub const FRAME: Dirty = Dirty(1 << 8);
    /// The compiler is to be given the input.
    pub const REQUEST: Dirty = Dirty(1 << 9);
    /// The worker is to be ended and another started.
    pub const RESTART: Dirty = Dirty(1 << 10);
    /// The document was scrolled: other lines are in sight.
    pub const SCROLL: Dirty = Dirty(1 << 11);
    /// The editor was scrolled: other numbers are in sight.
    pub const NUMBERS: Dirty = Dirty(1 << 12);
    /// Another graph is shown.
    pub const GRAPH: Dirty = Dirty(1 << 13);
    /// The graph is looked at from elsewhere.
    pub const CAMERA: Dirty = Dirty(1 << 14);
    /// The steps, or which of them is shown.
    pub const TIMELINE: Dirty = Dirty(1 << 15);
    /// The text of the pipeline is not the one of the state.
    pub const PIPELINE: Dirty = Dirty(1 << 16);
    /// A file is to be written.
    pub const SAVE: Dirty = Dirty(1 << 17);
    /// A link to what is shown is to be made.
    pub const SHARE: Dirty = Dirty(1 << 18);
    /// A link is to be read.
    pub const UNLINK: Dirty = Dirty(1 << 19);
    /// The list of passes, or the reasons of a step.
    pub const PASSES: Dirty = Dirty(1 << 20);
    /// The catalogue is to be asked for.
    pub const CATALOG: Dirty = Dirty(1 << 21);
    /// Where the panes are.
    pub const LAYOUT: Dirty = Dirty(1 << 22);

    /// Versions side by side.
    pub const COLUMNS: Dirty = Dirty(1 << 23);
    /// Rows of them are to be asked for.
    pub const COLUMNS_ASK: Dirty = Dirty(1 << 24);
    /// What is told of the chosen thing.
    pub const INSPECT: Dirty = Dirty(1 << 25);
    /// The compiler is to tell of a thing.
    pub const INSPECT_ASK: Dirty = Dirty(1 << 26);
    /// The places of the input are to be asked for.
    pub const TIES_ASK: Dirty = Dirty(1 << 27);

    /// What is drawn for the first time. What the compiler says is still as the page came with it.
    /// The graph is to be searched.
    pub const FIND: Dirty = Dirty(1 << 28);
    /// The camera glides to where it is.
    pub const GLIDE: Dirty = Dirty(1 << 29);
    /// What lies over the graph: search, small map, tree.
    pub const OVERLAY: Dirty = Dirty(1 << 30);

    /// The compiler is to be asked when the person rests.
    pub const REST: Dirty = Dirty(1 << 31);
    /// The editor has arrived, or the words it colours.
    pub const EDITOR: Dirty = Dirty(1 << 32);

    /// What is shown of the laboratory.
    pub const LAB: Dirty = Dirty(1 << 33);
    /// The laboratory is to begin a task.
    pub const LAB_BEGIN: Dirty = Dirty(1 << 34);
    /// It is to stop.
    pub const LAB_STOP: Dirty = Dirty(1 << 35);
    /// Its worker is to be ended.
    pub const LAB_END: Dirty = Dirty(1 << 36);

    /// Another picture of a run.
    pub const LAB_PICTURE: Dirty = Dirty(1 << 37);
    /// Stepping stands elsewhere.
    pub const LAB_STEP: Dirty = Dirty(1 << 38);
    /// The laboratory is to be asked about a pixel, a table, a lane.
    pub const LAB_POINT: Dirty = Dirty(1 << 39);
    /// See `LAB_POINT`.
    pub const LAB_LOOK: Dirty = Dirty(1 << 40);
    /// See `LAB_POINT`.
    pub const LAB_LANE: Dirty = Dirty(1 << 41);

    /// It is to be asked for the smallest program.
    pub const LAB_SMALL: Dirty = Dirty(1 << 42);

    /// The map of some memory.
    pub const MEMORY: Dirty = Dirty(1 << 43);
    /// It is to be asked for.
    pub const MEMORY_ASK: Dirty = Dirty(1 << 44);
    /// Where pointers lead is to be asked for.
    pub const PATHS_ASK: Dirty = Dirty(1 << 45);

    /// Everything that can be drawn, for the first time.
    pub fn whole_page() -> Dirty {
        Dirty::STATUS | Dirty::THEME | Dirty::FRAME | Dirty::LAYOUT | Dirty::COLUMNS | Dirty::INSPECT
    }

    /// Whether any part of `other` is in the set.
    pub fn has(self, other: Dirty) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Dirty {
    type Output = Dirty;

    fn bitor(self, other: Dirty) -> Dirty {
        Dirty(self.0 | other.0)
    }
}

impl BitOrAssign for Dirty {
    fn bitor_assign(&mut self, other: Dirty) {
        *self = *self | other;
    }
}

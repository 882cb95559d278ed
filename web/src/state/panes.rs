//! `panes!`: messages, flags, and calls of `update` and `follow`, generated from the list of panes.
//!
//! The list itself is in `state/mod.rs`. A pane is a module with a type `Event`, a function `update`, which changes the
//! state by an event, and a function `follow`, which is called after every message and updates the pane. Both
//! return what must be redrawn.

/// Generates [`Dirty`](crate::state::Dirty) and [`PaneMsg`](crate::state::PaneMsg) from the list of panes.
macro_rules! panes {
    ($($(#[$($doc:tt)*])* $module:ident: $variant:ident, $flag:ident;)*) => {
        bitflags::bitflags! {
            /// Parts of the page that must be redrawn.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct Dirty: u64 {
                /// The text in the editor differs from the state's.
                const INPUT = 1;
                /// Another text is shown.
                const OUTPUT = 1 << 1;
                /// Another thing is highlighted.
                const LINKS = 1 << 2;
                /// The chosen thing must be scrolled into view.
                const REVEAL = 1 << 3;
                /// The list of diagnostics.
                const PROBLEMS = 1 << 4;
                /// The status line and its notice.
                const STATUS = 1 << 5;
                /// A range in the editor must be selected.
                const SELECTION = 1 << 6;
                /// The theme.
                const THEME = 1 << 7;
                /// The pane of small screens, and the outline of a drop.
                const FRAME = 1 << 8;
                /// The text was scrolled.
                const SCROLL = 1 << 9;
                /// The editor was scrolled.
                const NUMBERS = 1 << 10;
                /// Another graph is shown.
                const GRAPH = 1 << 11;
                /// The camera of the graph moved.
                const CAMERA = 1 << 12;
                /// The camera glides to its position.
                const GLIDE = 1 << 13;
                /// The overlay of the graph: search, map, tree.
                const OVERLAY = 1 << 14;
                /// The steps, or the shown one.
                const TIMELINE = 1 << 15;
                /// The text of the pipeline differs from the state's.
                const PIPELINE = 1 << 16;
                /// The editor or the words of its languages were loaded.
                const EDITOR = 1 << 17;
                /// The picture of a run.
                const PICTURE = 1 << 18;
                /// The line of the current step.
                const STEP = 1 << 19;
                $($(#[$($doc)*])* const $flag = 1 << (32 + PaneNumber::$variant as u32);)*
            }
        }

        /// The panes, by their index in the list.
        #[derive(Clone, Copy)]
        enum PaneNumber {
            $($variant,)*
        }

        /// An event of a pane.
        #[derive(Debug)]
        pub enum PaneMsg {
            $($(#[$($doc)*])* $variant($module::Event),)*
        }

        $(impl From<$module::Event> for Msg {
            fn from(event: $module::Event) -> Msg {
                Msg::Pane(PaneMsg::$variant(event))
            }
        })*

        /// Changes the state by an event of a pane.
        fn update_pane(state: &mut State, msg: PaneMsg) -> Dirty {
            match msg {
                $(PaneMsg::$variant(event) => $module::update(state, event),)*
            }
        }

        /// Updates every pane after a message.
        fn follow_panes(state: &mut State) -> Dirty {
            let mut dirty = Dirty::empty();
            $(dirty |= $module::follow(state);)*
            dirty
        }
    };
}

pub(super) use panes;

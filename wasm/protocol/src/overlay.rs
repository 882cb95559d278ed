//! Overlays: results of an analysis, or execution counts, marked on the graph and the text.
//!
//! A new overlay is a row of the table below and a painter in `core/src/view_model/overlay`; the menu of the page, the palette
//! and the options of embedded views take it from here.

use serde::{Deserialize, Serialize};

use crate::layout::{ExecutionEntry, OverlayEntry};
use crate::{Table, Utf8};

/// Returns true for `chosen`: the marks depend on the chosen thing. Those of the `whole` function do not.
macro_rules! has_subject {
    (chosen) => {
        true
    };
    (whole) => {
        false
    };
}

/// Declares [`OverlayKind`] from its table.
macro_rules! overlays {
    ($($(#[$doc:meta])* $variant:ident: $name:literal, $label:literal, $subject:ident;)*) => {
        /// An overlay.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum OverlayKind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl OverlayKind {
            /// All overlays, in the order of the page's menu.
            pub const ALL: &[OverlayKind] = &[$(OverlayKind::$variant),*];

            /// The name in markup, in scripts and in the options of an embedded view.
            pub fn name(self) -> &'static str {
                match self {
                    $(OverlayKind::$variant => $name,)*
                }
            }

            /// The label in the page's menu.
            pub fn label(self) -> &'static str {
                match self {
                    $(OverlayKind::$variant => $label,)*
                }
            }

            /// Returns true if the marks depend on the chosen thing.
            pub fn has_subject(self) -> bool {
                match self {
                    $(OverlayKind::$variant => has_subject!($subject),)*
                }
            }
        }
    };
}

// Stored views and links have the indices: a new overlay comes last.
overlays! {
    /// Loops with trip counts and induction variables, and costs of blocks.
    #[default]
    Loops: "loops", "Loops and cost", whole;
    /// Dominators, dominated blocks and frontier of the chosen block.
    Dominators: "dominators", "Dominators", chosen;
    /// Divergent blocks and values.
    Divergence: "divergence", "Divergence", whole;
    /// The blocks and lines at which the chosen value is live.
    Liveness: "liveness", "Liveness", chosen;
    /// Register pressure by block.
    Pressure: "pressure", "Register pressure", whole;
    /// Ranges of values.
    Ranges: "ranges", "Ranges", whole;
    /// Memory operations by alias class.
    Alias: "alias", "Alias sets", whole;
    /// Execution counts of the last run.
    Counts: "counts", "Execution counts", whole;
}

impl OverlayKind {
    /// The overlay with this name.
    pub fn named(name: &str) -> Option<OverlayKind> {
        OverlayKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// See [`Request::Overlay`](crate::Request::Overlay).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayRequest {
    /// Returned with the answer.
    pub serial: u32,
    /// The version.
    pub version: u32,
    /// The function.
    pub function: u32,
    /// The overlay.
    pub kind: OverlayKind,
    /// The chosen thing, by id.
    pub chosen: Option<u32>,
    /// The execution counts of the last run of the version, as `RunReport::executions` has them; empty without one.
    pub executions: Table<ExecutionEntry>,
}

/// The marks of an overlay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// The serial number of the request.
    pub serial: u32,
    /// The marks.
    pub marks: Table<OverlayEntry>,
    /// The words of marks, one on each line; the first line is empty.
    pub words: Utf8,
    /// The legend: on each line the number of a [`MarkStyle`](crate::layout::MarkStyle), a tab, and its meaning; with the plain
    /// style a sentence about the whole.
    pub legend: Utf8,
}

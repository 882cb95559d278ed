//! The overlays of the graph.

use vitrine_protocol::{Overlay, OverlayKind, OverlayRequest, Table, Utf8};

use crate::{Compiler, model};

impl Compiler {
    pub(crate) fn overlay(&mut self, request: OverlayRequest) -> Overlay {
        let OverlayRequest { serial, version, function, kind, chosen, executions } = request;
        let counts = model::Counts::of(executions.words());
        let found = self.session.overlay(version as usize, function, overlay_kind(kind), chosen, &counts);
        Overlay {
            serial,
            marks: Table::from_words(found.marks),
            words: Utf8(found.words),
            legend: Utf8(found.legend),
        }
    }
}

/// An overlay in the compiler's type.
pub(crate) fn overlay_kind(kind: OverlayKind) -> model::OverlayKind {
    match kind {
        OverlayKind::Loops => model::OverlayKind::Loops,
        OverlayKind::Dominators => model::OverlayKind::Dominators,
        OverlayKind::Divergence => model::OverlayKind::Divergence,
        OverlayKind::Liveness => model::OverlayKind::Liveness,
        OverlayKind::Pressure => model::OverlayKind::Pressure,
        OverlayKind::Ranges => model::OverlayKind::Ranges,
        OverlayKind::Alias => model::OverlayKind::Alias,
        OverlayKind::Counts => model::OverlayKind::Counts,
    }
}

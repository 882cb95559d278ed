//! Changes of the choice and of the camera.

use crate::state::keep;
use crate::state::{Arrow, CameraMove, CursorMove, Dirty, LIFE, Link, State};

pub(super) fn move_camera(state: &mut State, camera_move: CameraMove) -> Dirty {
    let before = state.camera;
    let camera = &mut state.camera;
    let middle = [camera.pane[0] / 2, camera.pane[1] / 2];
    match camera_move {
        CameraMove::Pane(size) => {
            camera.pane = size;
            // A view that nobody moved is the first view of every size.
            state.fresh |= state.first_view == Some(before);
            // The graph of an input that was just opened is looked at when it arrives, not the one before.
            let is_own = if state.shown.any { is_of_input(state) } else { state.prerendered };
            if state.fresh && is_own {
                state.fresh = !look_at_first(state);
            }
        }
        CameraMove::Pan([x, y]) => {
            camera.x += x;
            camera.y += y;
        }
        CameraMove::Zoom(per_mille, at) => camera.zoom_by(per_mille, at.unwrap_or(middle)),
        CameraMove::Full => camera.zoom_to(LIFE, middle),
        CameraMove::Fit => camera.fit(state.shown.graph.extent),
        CameraMove::Center => {
            let block = state.chosen.and_then(|id| state.shown.graph.block_of(id));
            camera.center(block.map_or(state.shown.graph.extent, |block| block.rect));
        }
    }
    let glides = match camera_move {
        CameraMove::Full | CameraMove::Fit | CameraMove::Center => Dirty::GLIDE,
        CameraMove::Pane(_) | CameraMove::Pan(_) | CameraMove::Zoom(..) => Dirty::empty(),
    };
    if state.camera == before { Dirty::empty() } else { Dirty::CAMERA | glides }
}

/// Returns true if the shown graph is that of the current input.
fn is_of_input(state: &State) -> bool {
    state.shown.input == state.input.revision
}

/// Shows a graph for the first time, if the size of the pane is known.
pub(super) fn look_at_first(state: &mut State) -> bool {
    let known = state.camera.pane[0] > 0;
    if known {
        let pane = state.camera.pane;
        match keep::take_camera(state) {
            Some(camera) => state.camera = camera.in_pane(pane),
            None => {
                let graph = &state.shown.graph;
                state.camera.first_look(graph.extent, graph.entry);
                state.first_view = Some(state.camera);
            }
        }
    }
    known
}

/// Chooses a thing in all panes.
pub(in crate::state) fn choose_id(state: &mut State, id: Option<u32>) -> Dirty {
    state.chosen = id;
    super::graph::follow(state);
    let document = &state.shown.document;
    state.cursor = id.and_then(|id| document.definition(id).or_else(|| document.uses(id).next()));
    let reveal = if state.cursor.is_some() { Dirty::REVEAL } else { Dirty::empty() };
    Dirty::LINKS | Dirty::STATUS | Dirty::OVERLAY | reveal
}

pub(super) fn walk(state: &mut State, arrow: Arrow) -> Dirty {
    let graph = &state.shown.graph;
    let here = state.chosen.and_then(|id| graph.block_of(id)).map(|block| block.id);
    let to = match here {
        Some(id) => graph.beside(id, arrow),
        None => graph.blocks.iter().find(|block| block.entry).or(graph.blocks.first()).map(|block| block.id),
    };
    let Some(id) = to else { return Dirty::empty() };
    state.hover = None;
    choose_id(state, Some(id)) | show_block(state, id)
}

/// Moves the graph so that a thing's block is in view.
pub(in crate::state) fn show_block(state: &mut State, id: u32) -> Dirty {
    match state.shown.graph.block_of(id).map(|block| block.rect) {
        Some(rect) => {
            state.camera.reveal(rect);
            Dirty::CAMERA | Dirty::GLIDE
        }
        None => Dirty::empty(),
    }
}

pub(super) fn choose(state: &mut State, span: Option<usize>, more: Dirty) -> Dirty {
    let linked = span.filter(|span| state.shown.document.span(*span).link != Link::None);
    let id = linked.and_then(|span| state.shown.document.span(span).link.id());
    if linked == state.cursor && id == state.chosen {
        return more;
    }
    state.cursor = linked;
    state.chosen = id;
    super::graph::follow(state);
    let seen = id.map_or(Dirty::empty(), |id| show_block(state, id));
    Dirty::LINKS | Dirty::STATUS | Dirty::OVERLAY | seen | more
}

pub(super) fn moved(state: &mut State, step: CursorMove) -> Dirty {
    let document = &state.shown.document;
    let here = state.cursor;
    let id = here.and_then(|span| document.span(span).link.id());
    let to = match step {
        CursorMove::Next => document.linked_beside(here, true),
        CursorMove::Previous => document.linked_beside(here, false),
        CursorMove::Down | CursorMove::Up => match here {
            Some(span) => document.linked_across(span, step == CursorMove::Down),
            None => document.linked_beside(None, true),
        },
        CursorMove::Definition => id.and_then(|id| document.definition(id)),
        CursorMove::Use => id.and_then(|id| {
            let after = document.uses(id).find(|span| here.is_none_or(|here| *span > here));
            after.or_else(|| document.uses(id).next())
        }),
    };
    match to {
        Some(span) => {
            state.hover = None;
            choose(state, Some(span), Dirty::LINKS | Dirty::REVEAL)
        }
        None => Dirty::empty(),
    }
}

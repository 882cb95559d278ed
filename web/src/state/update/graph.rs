//! Folds, pins and the search: the effects of events of the graph's pane.

use super::choice::{choose_id, move_camera, show_block};
use super::engine::{is_settled, send_request};
use super::notify;
use crate::state::{
    CameraMove, CompilerCommand, Dirty, Graph, GraphEvent, Notice, Opened, Row, State, TreeStep, rows,
};
use vitrine_protocol::{FindRequest, Found, GraphToggle, Parts};

pub(super) fn happened(state: &mut State, event: GraphEvent) -> Dirty {
    let here = state.chosen.and_then(|id| state.shown.graph.block(id)).map(|block| block.id);
    match event {
        GraphEvent::Fold => match here {
            Some(id) => toggle(state, GraphToggle::Fold(id)),
            None => hint(state, "Choose a block first: z folds the loop or branch that it heads or lies in."),
        },
        GraphEvent::FoldLoop(id) => toggle(state, GraphToggle::Loop(id)),
        GraphEvent::FoldAll => toggle(state, GraphToggle::All),
        GraphEvent::Open(id) => match id.or(here).and_then(|id| state.shown.graph.block(id)) {
            Some(block) if block.fold.is_some() => toggle(state, GraphToggle::Fold(block.id)),
            Some(block) if block.cut.is_some() => toggle(state, GraphToggle::Lines(block.id)),
            Some(_) | None => Dirty::empty(),
        },
        GraphEvent::Pin => match here {
            Some(id) => pin(state, id),
            None => hint(state, "Choose a block first: p keeps it in its place."),
        },
        GraphEvent::Map => {
            state.scene.map = !state.scene.map;
            Dirty::OVERLAY
        }
        GraphEvent::Overlays => {
            state.scene.overlays = !state.scene.overlays;
            redrawn(state) | Dirty::OVERLAY
        }
        GraphEvent::Overlay(kind) => {
            state.scene.overlay = kind;
            state.scene.overlays = true;
            redrawn(state) | Dirty::OVERLAY
        }
        GraphEvent::Inline => {
            state.scene.inline = !state.scene.inline;
            redrawn(state) | Dirty::OVERLAY
        }
        GraphEvent::Layout => toggle(state, GraphToggle::Layout),
        GraphEvent::Legend => {
            state.scene.legend = !state.scene.legend;
            Dirty::OVERLAY
        }
        GraphEvent::At([x, y]) => {
            state.camera.center([x, y, 0, 0]);
            Dirty::CAMERA
        }
        GraphEvent::Pinch(before, now, per_mille) => {
            let by = [now[0] - before[0], now[1] - before[1]];
            move_camera(state, CameraMove::Zoom(per_mille, Some(before)))
                | move_camera(state, CameraMove::Pan(by))
        }
        GraphEvent::FindBar(open) => {
            state.scene.find.open = open;
            if open { find_again(state) | Dirty::OVERLAY } else { found(state, Vec::new()) }
        }
        GraphEvent::Find(query) if query == state.scene.find.query => Dirty::empty(),
        GraphEvent::Find(query) => {
            state.scene.find.query = query;
            state.scene.find.at = None;
            find_again(state) | Dirty::OVERLAY
        }
        GraphEvent::FindNext(forward) => find_next(state, forward),
        GraphEvent::Tree(step) => tree(state, step),
        GraphEvent::TreeAt(at) => {
            let row = rows(&state.shown.graph, &state.scene.outline).get(at).map(|item| item.row);
            state.scene.outline.active = row;
            tree(state, TreeStep::Take)
        }
    }
}

/// Takes the results of a search, unless the query has changed.
pub(super) fn answered(state: &mut State, answer: &Found) -> Dirty {
    let find = &state.scene.find;
    let FindRequest { version, function, query } = &answer.request;
    let is_due = find.open && find.query == *query;
    if !is_due || *version as usize != state.shown_at() || Some(*function) != state.shown.func {
        return Dirty::empty();
    }
    found(state, answer.places.entries().iter().map(|place| [place.block, place.id]).collect())
}

fn hint(state: &mut State, words: &str) -> Dirty {
    notify(state, Notice { text: words.to_owned(), action: None, bad: false })
}

/// Requests the graph alone with a change; with everything else if another request is due.
fn toggle(state: &mut State, change: GraphToggle) -> Dirty {
    state.scene.toggle = Some(change);
    redrawn(state)
}

/// Requests the graph alone; with everything else if another request is due.
fn redrawn(state: &mut State) -> Dirty {
    state.scene.parts = if is_settled(state) { Parts::Graph } else { Parts::All };
    state.revision += 1;
    send_request(state)
}

/// A request is sent: its parts are no longer due.
pub(super) fn request_sent(state: &mut State) {
    let scene = &mut state.scene;
    scene.sending = (std::mem::take(&mut scene.toggle), std::mem::take(&mut scene.parts));
    scene.touched = false;
}

/// Takes the folds and pins of an answer.
pub(super) fn drawn(state: &mut State, opened: &Opened) -> Dirty {
    let scene = &mut state.scene;
    scene.graphs += 1;
    let folds =
        matches!(scene.sending.0, Some(GraphToggle::Fold(_) | GraphToggle::Loop(_) | GraphToggle::All));
    let nothing = folds && scene.folds == opened.folds;
    scene.sending.0 = None;
    scene.folds.clone_from(&opened.folds);
    scene.opened.clone_from(&opened.opened_blocks);
    // Pins that were changed after the request are kept.
    if !scene.touched {
        scene.pins.clone_from(&opened.pins);
    }
    let notified = if nothing { hint(state, "There is nothing to fold here.") } else { Dirty::empty() };
    notified
        | if opened.parts == Parts::Graph {
            Dirty::GRAPH | Dirty::LINKS | Dirty::OVERLAY
        } else {
            Dirty::OVERLAY
        }
}

/// The block that a change of folds is about.
pub(super) fn folded(state: &State) -> Option<u32> {
    match state.scene.sending.0 {
        Some(GraphToggle::Fold(id) | GraphToggle::Loop(id)) => Some(id),
        Some(GraphToggle::All | GraphToggle::Lines(_) | GraphToggle::Layout) | None => None,
    }
}

/// Shows another picture of the function. The block `about` keeps its place on the screen; without one the camera stays.
pub(super) fn redraw(state: &mut State, graph: Graph, about: Option<u32>) {
    let before = std::mem::replace(&mut state.shown.graph, graph);
    let graph = &state.shown.graph;
    let Some(new) = about.and_then(|id| graph.block_of(id)) else { return };
    let Some(old) = before.block_of(new.id).map(|block| block.rect) else { return };
    let (camera, new) = (&mut state.camera, new.rect);
    camera.x += camera.px(old[0]) - camera.px(new[0]);
    camera.y += camera.px(old[1]) - camera.px(new[1]);
    camera.reveal(new);
}

/// Clears folds and pins for another input.
pub(in crate::state) fn forget(state: &mut State) {
    let scene = &mut state.scene;
    scene.folds.clear();
    scene.opened.clear();
    scene.pins.clear();
    scene.toggle = None;
    scene.outline = Default::default();
}

/// A pin needs no new layout: the block keeps its position.
fn pin(state: &mut State, id: u32) -> Dirty {
    let Some(block) = state.shown.graph.blocks.iter_mut().find(|block| block.id == id) else {
        return Dirty::empty();
    };
    state.scene.touched = true;
    let pins = &mut state.scene.pins;
    let known = pins.iter().position(|pin| pin[0] == id as i32);
    block.pinned = known.is_none();
    block.displaced = false;
    match known {
        Some(at) => drop(pins.remove(at)),
        None => pins.push([id as i32, block.rect[0], block.rect[1]]),
    }
    Dirty::GRAPH | Dirty::LINKS | Dirty::OVERLAY
}

/// Searches the shown version, if the search is open.
pub(super) fn find_again(state: &mut State) -> Dirty {
    let find = &mut state.scene.find;
    if !find.open {
        return Dirty::empty();
    }
    if find.query.trim().is_empty() {
        return found(state, Vec::new());
    }
    find.requested = true;
    state.queue(CompilerCommand::Find);
    Dirty::empty()
}

fn found(state: &mut State, found: Vec<[u32; 2]>) -> Dirty {
    let find = &mut state.scene.find;
    find.requested = false;
    let before = find.current();
    find.found = found;
    // The current result remains current, at its new index in the list.
    find.at = before.and_then(|before| find.found.iter().position(|place| *place == before));
    let first = find.at.is_none() && !find.found.is_empty();
    let seen = if first { find_next(state, true) } else { Dirty::empty() };
    seen | Dirty::OVERLAY | Dirty::LINKS
}

fn find_next(state: &mut State, forward: bool) -> Dirty {
    let find = &mut state.scene.find;
    let count = find.found.len();
    if count == 0 {
        return Dirty::empty();
    }
    let next = match (find.at, forward) {
        (None, true) => 0,
        (None, false) => count - 1,
        (Some(at), true) => (at + 1) % count,
        (Some(at), false) => (at + count - 1) % count,
    };
    find.at = Some(next);
    let [block, thing] = find.found[next];
    show_match(state, block, thing) | Dirty::OVERLAY | Dirty::LINKS
}

/// Shows a result of the search at a legible zoom: its line, or its block if the line is hidden.
fn show_match(state: &mut State, block: u32, thing: u32) -> Dirty {
    let graph = &state.shown.graph;
    let Some(block) = graph.block_of(block) else { return Dirty::empty() };
    state.camera.read(block.rect);
    if let Some(line) = graph.line_rect(block, thing) {
        state.camera.reveal(line);
    }
    Dirty::CAMERA | Dirty::GLIDE
}

fn tree(state: &mut State, step: TreeStep) -> Dirty {
    let chosen = state.scene.outline.step(&state.shown.graph, step);
    let seen = match chosen {
        Some(id) if state.chosen != Some(id) => {
            state.hover = None;
            choose_id(state, Some(id)) | show_block(state, id)
        }
        Some(_) | None => Dirty::empty(),
    };
    seen | Dirty::OVERLAY
}

/// Moves the active row of the tree to the chosen block, and opens the loops around it.
pub(super) fn follow(state: &mut State) {
    let graph = &state.shown.graph;
    let Some(block) = state.chosen.and_then(|id| graph.block(id)) else { return };
    let outline = &mut state.scene.outline;
    match outline.active {
        Some(Row::Loop(id) | Row::Block(id) | Row::Edge(id, _)) if id == block.id => return,
        Some(_) | None => outline.active = Some(Row::Block(block.id)),
    }
    let mut around = block.band;
    while let Some(band) = around.and_then(|at| graph.bands.get(at)) {
        outline.closed.retain(|header| *header != band.header);
        around = band.parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::graph::tests::looped;
    use crate::state::update::does;
    use crate::state::{Answer, Camera, Command, Engine, Fold, LIFE, Msg, update};
    use vitrine_protocol::Table;

    fn shown() -> State {
        let mut state = State { engine: Engine::Idle, ..State::default() };
        state.shown.graph = looped();
        state.shown.func = Some(0);
        state.shown.any = true;
        state
    }

    fn send(state: &mut State, event: GraphEvent) -> (Dirty, Vec<Command>) {
        update(state, Msg::Graph(event))
    }

    fn answer(state: &State, folds: &[(Fold, u32)], parts: Parts) -> Msg {
        Msg::Answer(Answer::Opened(Box::new(Opened {
            revision: state.revision,
            parts,
            folds: folds.to_vec(),
            pins: state.scene.pins.clone(),
            function: Some(0),
            ..Opened::default()
        })))
    }

    fn found(query: &str, version: u32, places: &[u32]) -> Msg {
        let request = FindRequest { version, function: 0, query: query.to_owned() };
        Msg::Answer(Answer::Found(Found { request, places: Table::from_words(places.to_vec()) }))
    }

    #[test]
    fn a_fold_requests_the_graph_alone_and_a_single_time() {
        let mut state = shown();
        assert!(
            !send(&mut state, GraphEvent::Fold).1.contains(&CompilerCommand::Open.into()),
            "nothing is chosen"
        );
        state.chosen = Some(11);
        assert!(send(&mut state, GraphEvent::Fold).1.contains(&CompilerCommand::Open.into()));
        assert_eq!(state.scene.sending, (Some(GraphToggle::Fold(11)), Parts::Graph));
        assert_eq!((state.scene.toggle, state.scene.parts), (None, Parts::All));
        state.shown.kind = "kept".to_owned();
        let msg = answer(&state, &[(Fold::Loop, 11)], Parts::Graph);
        assert!(update(&mut state, msg).0.intersects(Dirty::GRAPH));
        assert_eq!(
            (state.scene.folds.as_slice(), state.shown.kind.as_str()),
            (&[(Fold::Loop, 11)][..], "kept")
        );
        assert_eq!(state.engine, Engine::Idle);
    }

    #[test]
    fn overlays_request_the_graph_and_keep_a_waiting_fold() {
        let mut state = shown();
        let (dirty, commands) = send(&mut state, GraphEvent::Overlays);
        assert!(state.scene.overlays && dirty.intersects(Dirty::OVERLAY));
        assert!(commands.contains(&CompilerCommand::Open.into()));
        assert_eq!(state.scene.sending, (None, Parts::Graph));
        state.chosen = Some(11);
        send(&mut state, GraphEvent::Fold);
        send(&mut state, GraphEvent::Overlays);
        assert_eq!((state.scene.toggle, state.scene.overlays), (Some(GraphToggle::Fold(11)), false));
    }

    #[test]
    fn a_fold_while_the_compiler_is_busy_waits_and_requests_everything() {
        let mut state = shown();
        update(&mut state, Msg::Edited("x".to_owned()));
        assert!(!send(&mut state, GraphEvent::FoldAll).1.contains(&CompilerCommand::Open.into()));
        let msg = Msg::Answer(Answer::Opened(Box::new(Opened {
            revision: state.revision - 1,
            ..Opened::default()
        })));
        assert!(does(&mut state, msg, CompilerCommand::Open));
        assert_eq!(state.scene.sending, (Some(GraphToggle::All), Parts::All));
    }

    #[test]
    fn a_fold_while_an_edit_rests_requests_everything() {
        let mut state = shown();
        state.resting = true;
        state.chosen = Some(11);
        assert!(
            !send(&mut state, GraphEvent::Fold).1.contains(&CompilerCommand::Open.into()),
            "the edit waits"
        );
        let revision = state.revision;
        assert!(does(&mut state, Msg::Rested(revision), CompilerCommand::Open));
        assert_eq!(state.scene.sending, (Some(GraphToggle::Fold(11)), Parts::All));
    }

    #[test]
    fn a_fold_of_nothing_is_reported() {
        let mut state = shown();
        send(&mut state, GraphEvent::FoldLoop(13));
        let msg = answer(&state, &[], Parts::Graph);
        update(&mut state, msg);
        assert!(state.notice.is_some_and(|notice| notice.text.contains("nothing to fold")));
    }

    #[test]
    fn a_pin_is_set_at_the_position_of_the_block_and_released() {
        let mut state = shown();
        send(&mut state, GraphEvent::Pin);
        assert!(state.scene.pins.is_empty());
        state.chosen = Some(12);
        send(&mut state, GraphEvent::Pin);
        assert_eq!(state.scene.pins, [[12, 20, 100]]);
        assert!(state.shown.graph.block(12).is_some_and(|block| block.pinned));
        send(&mut state, GraphEvent::Pin);
        assert!(state.scene.pins.is_empty());
        send(&mut state, GraphEvent::Pin);
        update(&mut state, Msg::Replaced { name: String::new(), text: "other".to_owned() });
        assert!(state.scene.pins.is_empty(), "another input has no pins");
    }

    #[test]
    fn a_pin_that_is_set_during_a_request_is_kept() {
        let mut state = shown();
        state.chosen = Some(12);
        send(&mut state, GraphEvent::FoldAll);
        let msg = answer(&state, &[], Parts::Graph);
        send(&mut state, GraphEvent::Pin);
        update(&mut state, msg);
        assert_eq!(state.scene.pins.len(), 1);
    }

    #[test]
    fn a_search_is_cyclic_and_ignores_late_answers() {
        let mut state = shown();
        send(&mut state, GraphEvent::FindBar(true));
        assert!(
            send(&mut state, GraphEvent::Find("add".to_owned())).1.contains(&CompilerCommand::Find.into())
        );
        update(&mut state, found("ad", 0, &[10, 1]));
        update(&mut state, found("add", 3, &[10, 1]));
        assert!(state.scene.find.found.is_empty(), "of another word or version");
        update(&mut state, found("add", 0, &[10, 1, 12, 2]));
        assert_eq!(state.scene.find.current(), Some([10, 1]));
        send(&mut state, GraphEvent::FindNext(false));
        assert_eq!(state.scene.find.current(), Some([12, 2]));
        send(&mut state, GraphEvent::FindNext(true));
        assert_eq!(state.scene.find.at, Some(0));
        send(&mut state, GraphEvent::FindBar(false));
        assert!(state.scene.find.found.is_empty());
    }

    #[test]
    fn the_view_stays_on_the_block_that_is_folded_and_does_not_move_otherwise() {
        let mut state = shown();
        state.camera = Camera { x: 30, y: 40, zoom: LIFE, pane: [400, 300] };
        let moved = |by: i32| {
            let mut graph = looped();
            graph.blocks.iter_mut().for_each(|block| block.rect[1] += by);
            graph
        };
        let on_screen =
            |state: &State, id: u32| state.shown.graph.block(id).map(|block| state.camera.y + block.rect[1]);
        redraw(&mut state, moved(70), None);
        assert_eq!(state.camera.y, 40);
        let mut folded = moved(0);
        folded.blocks.retain(|block| block.id != 12);
        folded.hidden = vec![[12, 11]];
        let before = on_screen(&state, 11);
        redraw(&mut state, folded, Some(12));
        assert_eq!(on_screen(&state, 11), before);
    }

    #[test]
    fn the_first_match_is_shown_at_a_legible_zoom() {
        let mut state = shown();
        state.camera.pane = [400, 300];
        state.camera.fit([0, 0, 9_000, 90_000]);
        send(&mut state, GraphEvent::FindBar(true));
        send(&mut state, GraphEvent::Find("add".to_owned()));
        update(&mut state, found("add", 0, &[12, 12]));
        let line = state.shown.graph.block(12).and_then(|block| state.shown.graph.line_rect(block, 12));
        assert_eq!(line, Some([20, 107, 60, 17]));
        assert!(state.camera.per_cent() >= 60 && state.camera.shows([20, 107, 60, 17]), "{:?}", state.camera);
    }

    #[test]
    fn inlining_is_on_and_a_change_of_it_requests_the_graph() {
        let mut state = shown();
        assert!(state.scene.inline && !state.scene.legend);
        assert!(send(&mut state, GraphEvent::Inline).1.contains(&CompilerCommand::Open.into()));
        assert_eq!((state.scene.inline, state.scene.sending), (false, (None, Parts::Graph)));
        assert!(send(&mut state, GraphEvent::Legend).0.intersects(Dirty::OVERLAY) && state.scene.legend);
    }

    #[test]
    fn the_tree_follows_what_is_chosen_and_opens_the_loop_around_it() {
        let mut state = shown();
        state.scene.outline.closed.push(11);
        update(&mut state, Msg::ChooseId(Some(12)));
        assert_eq!(state.scene.outline.active, Some(Row::Block(12)));
        assert!(state.scene.outline.closed.is_empty());
        send(&mut state, GraphEvent::Tree(TreeStep::Next));
        assert_eq!(state.chosen, Some(13));
        send(&mut state, GraphEvent::TreeAt(0));
        assert_eq!(state.chosen, Some(10));
    }
}

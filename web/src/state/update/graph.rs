//! Folds, pins and the search: what each event of the graph's pane changes.

use super::choice::{choose_id, looked, show_home};
use super::engine::ask;
use super::tell;
use crate::state::{Dirty, Engine, GraphEvent, Look, Notice, Opened, Row, State, TreeStep, rows};

/// What a change of the view is called towards the compiler: see `view_model::Toggle`.
const FOLD: u32 = 1;
const LOOP: u32 = 2;
const ALL: u32 = 3;
const LINES: u32 = 4;

pub(super) fn happened(state: &mut State, event: GraphEvent) -> Dirty {
    let here = state.chosen.and_then(|id| state.shown.graph.home(id)).map(|block| block.id);
    match event {
        GraphEvent::Fold => match here {
            Some(id) => toggle(state, [FOLD, id]),
            None => say(state, "Choose a block first: z folds what it heads or is in."),
        },
        GraphEvent::FoldLoop(id) => toggle(state, [LOOP, id]),
        GraphEvent::FoldAll => toggle(state, [ALL, 0]),
        GraphEvent::Open(id) => match id.or(here).and_then(|id| state.shown.graph.block(id)) {
            Some(block) if block.fold.is_some() => toggle(state, [FOLD, block.id]),
            Some(block) if block.cut.is_some() => toggle(state, [LINES, block.id]),
            Some(_) | None => Dirty::NONE,
        },
        GraphEvent::Pin => match here {
            Some(id) => pin(state, id),
            None => say(state, "Choose a block first: p pins it to its place."),
        },
        GraphEvent::Map => {
            state.scene.map = !state.scene.map;
            Dirty::OVERLAY
        }
        GraphEvent::Facts => {
            state.scene.facts = !state.scene.facts;
            redrawn(state) | Dirty::OVERLAY
        }
        GraphEvent::At([x, y]) => {
            state.camera.centre([x, y, 0, 0]);
            Dirty::CAMERA
        }
        GraphEvent::Pinch(before, now, per_mille) => {
            let by = [now[0] - before[0], now[1] - before[1]];
            looked(state, Look::Zoom(per_mille, Some(before))) | looked(state, Look::Pan(by))
        }
        GraphEvent::FindBar(open) => {
            state.scene.find.open = open;
            if open { find_again(state) | Dirty::OVERLAY } else { found(state, Vec::new()) }
        }
        GraphEvent::Find(query) if query == state.scene.find.query => Dirty::NONE,
        GraphEvent::Find(query) => {
            state.scene.find.query = query;
            state.scene.find.at = None;
            find_again(state) | Dirty::OVERLAY
        }
        GraphEvent::Found(query, at, func, words) => {
            let find = &state.scene.find;
            let is_due = find.open && find.query == query;
            if !is_due || at != state.shown_at() || Some(func) != state.shown.func {
                return Dirty::NONE;
            }
            found(state, words.chunks_exact(2).map(|of| [of[0], of[1]]).collect())
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

fn say(state: &mut State, words: &str) -> Dirty {
    tell(state, Notice { text: words.to_owned(), action: None, bad: false })
}

/// Asks for the graph alone, changed; for everything where something else is being asked for.
fn toggle(state: &mut State, change: [u32; 2]) -> Dirty {
    state.scene.toggle = change;
    redrawn(state)
}

/// Asks for the graph alone as it is wanted now; for everything where something else is being asked for.
fn redrawn(state: &mut State) -> Dirty {
    state.scene.only = state.engine == Engine::Idle;
    state.revision += 1;
    ask(state)
}

/// A question leaves: what it takes along is not asked for again.
pub(super) fn asks(state: &mut State) {
    let scene = &mut state.scene;
    scene.sending = (std::mem::take(&mut scene.toggle), std::mem::take(&mut scene.only));
    scene.touched = false;
}

/// The answer tells what is folded now.
pub(super) fn drawn(state: &mut State, opened: &Opened) -> Dirty {
    let scene = &mut state.scene;
    let (folds, open, pins) = &opened.drawn;
    let nothing = matches!(scene.sending.0, [FOLD | LOOP | ALL, _]) && scene.folds == *folds;
    scene.sending.0 = [0; 2];
    scene.folds.clone_from(folds);
    scene.opened.clone_from(open);
    // One that was set or let go while the question was away counts.
    if !scene.touched {
        scene.pins.clone_from(pins);
    }
    let told = if nothing { say(state, "There is nothing to fold here.") } else { Dirty::NONE };
    told | if opened.graph_only { Dirty::GRAPH | Dirty::LINKS | Dirty::OVERLAY } else { Dirty::OVERLAY }
}

/// Another input is opened: nothing of it is folded or pinned.
pub(super) fn forget(state: &mut State) {
    let scene = &mut state.scene;
    scene.folds.clear();
    scene.opened.clear();
    scene.pins.clear();
    scene.toggle = [0; 2];
    scene.outline = Default::default();
}

/// A pin needs no new picture: the block stands where it is.
fn pin(state: &mut State, id: u32) -> Dirty {
    let Some(block) = state.shown.graph.blocks.iter_mut().find(|block| block.id == id) else {
        return Dirty::NONE;
    };
    state.scene.touched = true;
    let pins = &mut state.scene.pins;
    let known = pins.chunks_exact(3).position(|pin| pin[0] == id as i32);
    block.pinned = known.is_none();
    block.astray = false;
    match known {
        Some(at) => drop(pins.drain(3 * at..3 * at + 3)),
        None => pins.extend([id as i32, block.rect[0], block.rect[1]]),
    }
    Dirty::GRAPH | Dirty::LINKS | Dirty::OVERLAY
}

/// Searches what is shown now, if the search is open.
pub(super) fn find_again(state: &mut State) -> Dirty {
    let find = &mut state.scene.find;
    if !find.open {
        return Dirty::NONE;
    }
    if find.query.trim().is_empty() {
        return found(state, Vec::new());
    }
    find.asked = true;
    Dirty::FIND
}

fn found(state: &mut State, found: Vec<[u32; 2]>) -> Dirty {
    let find = &mut state.scene.find;
    find.asked = false;
    let before = find.current();
    find.found = found;
    // The place that was looked at is looked at again, wherever it is in the list now.
    find.at = before.and_then(|before| find.found.iter().position(|place| *place == before));
    let first = find.at.is_none() && !find.found.is_empty();
    let seen = if first { find_next(state, true) } else { Dirty::NONE };
    seen | Dirty::OVERLAY | Dirty::LINKS
}

fn find_next(state: &mut State, forward: bool) -> Dirty {
    let find = &mut state.scene.find;
    let count = find.found.len();
    if count == 0 {
        return Dirty::NONE;
    }
    let next = match (find.at, forward) {
        (None, true) => 0,
        (None, false) => count - 1,
        (Some(at), true) => (at + 1) % count,
        (Some(at), false) => (at + count - 1) % count,
    };
    find.at = Some(next);
    let [block, _] = find.found[next];
    show_home(state, block) | Dirty::OVERLAY | Dirty::LINKS
}

fn tree(state: &mut State, step: TreeStep) -> Dirty {
    let chosen = state.scene.outline.step(&state.shown.graph, step);
    let seen = match chosen {
        Some(id) if state.chosen != Some(id) => {
            state.hover = None;
            choose_id(state, Some(id)) | show_home(state, id)
        }
        Some(_) | None => Dirty::NONE,
    };
    seen | Dirty::OVERLAY
}

/// The tree follows what is chosen elsewhere, and opens the loops around it.
pub(super) fn follow(state: &mut State) {
    let graph = &state.shown.graph;
    let Some(home) = state.chosen.and_then(|id| graph.home(id)) else { return };
    let outline = &mut state.scene.outline;
    match outline.active {
        Some(Row::Loop(id) | Row::Block(id) | Row::Edge(id, _)) if id == home.id => return,
        Some(_) | None => outline.active = Some(Row::Block(home.id)),
    }
    let mut around = home.band;
    while let Some(band) = around.and_then(|at| graph.bands.get(at)) {
        outline.closed.retain(|header| *header != band.header);
        around = band.parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::graph::tests::looped;
    use crate::state::{Msg, update};

    fn shown() -> State {
        let mut state = State { engine: Engine::Idle, ..State::default() };
        state.shown.graph = looped();
        state.shown.func = Some(0);
        state.shown.any = true;
        state
    }

    fn send(state: &mut State, event: GraphEvent) -> Dirty {
        update(state, Msg::Graph(event))
    }

    fn answer(state: &State, folds: &[u32], graph_only: bool) -> Msg {
        let drawn = (folds.to_vec(), Vec::new(), state.scene.pins.clone());
        Msg::Opened(Box::new(Opened {
            revision: state.revision,
            graph: looped(),
            graph_only,
            drawn,
            func: Some(0),
            ..Opened::default()
        }))
    }

    #[test]
    fn a_fold_asks_for_the_graph_alone_and_only_once() {
        let mut state = shown();
        assert!(!send(&mut state, GraphEvent::Fold).has(Dirty::REQUEST), "nothing is chosen");
        state.chosen = Some(11);
        assert!(send(&mut state, GraphEvent::Fold).has(Dirty::REQUEST));
        assert_eq!(state.scene.sending, ([FOLD, 11], true));
        assert_eq!((state.scene.toggle, state.scene.only), ([0; 2], false));
        state.shown.kind = "kept".to_owned();
        let msg = answer(&state, &[1, 11], true);
        assert!(update(&mut state, msg).has(Dirty::GRAPH));
        assert_eq!((state.scene.folds.as_slice(), state.shown.kind.as_str()), (&[1, 11][..], "kept"));
        assert_eq!(state.engine, Engine::Idle);
    }

    #[test]
    fn facts_ask_for_the_graph_and_leave_a_fold_that_waits() {
        let mut state = shown();
        let dirty = send(&mut state, GraphEvent::Facts);
        assert!(state.scene.facts && dirty.has(Dirty::REQUEST) && dirty.has(Dirty::OVERLAY));
        assert_eq!(state.scene.sending, ([0; 2], true));
        state.chosen = Some(11);
        send(&mut state, GraphEvent::Fold);
        send(&mut state, GraphEvent::Facts);
        assert_eq!((state.scene.toggle, state.scene.facts), ([FOLD, 11], false));
    }

    #[test]
    fn a_fold_while_the_compiler_works_waits_and_asks_for_everything() {
        let mut state = shown();
        update(&mut state, Msg::Edited("x".to_owned()));
        assert!(!send(&mut state, GraphEvent::FoldAll).has(Dirty::REQUEST));
        let msg = Msg::Opened(Box::new(Opened { revision: state.revision - 1, ..Opened::default() }));
        assert!(update(&mut state, msg).has(Dirty::REQUEST));
        assert_eq!(state.scene.sending, ([ALL, 0], false));
    }

    #[test]
    fn a_fold_of_nothing_says_so() {
        let mut state = shown();
        send(&mut state, GraphEvent::FoldLoop(13));
        let msg = answer(&state, &[], true);
        update(&mut state, msg);
        assert!(state.notice.is_some_and(|notice| notice.text.contains("nothing to fold")));
    }

    #[test]
    fn a_pin_is_set_where_the_block_is_and_let_go() {
        let mut state = shown();
        send(&mut state, GraphEvent::Pin);
        assert!(state.scene.pins.is_empty());
        state.chosen = Some(12);
        send(&mut state, GraphEvent::Pin);
        assert_eq!(state.scene.pins, [12, 20, 100]);
        assert!(state.shown.graph.block(12).is_some_and(|block| block.pinned));
        send(&mut state, GraphEvent::Pin);
        assert!(state.scene.pins.is_empty());
        send(&mut state, GraphEvent::Pin);
        update(&mut state, Msg::Replaced { name: String::new(), text: "other".to_owned() });
        assert!(state.scene.pins.is_empty(), "another input has no pins");
    }

    #[test]
    fn a_pin_set_while_a_question_is_away_stays() {
        let mut state = shown();
        state.chosen = Some(12);
        send(&mut state, GraphEvent::FoldAll);
        let msg = answer(&state, &[], true);
        send(&mut state, GraphEvent::Pin);
        update(&mut state, msg);
        assert_eq!(state.scene.pins.len(), 3);
    }

    #[test]
    fn a_search_goes_round_and_ignores_late_answers() {
        let mut state = shown();
        send(&mut state, GraphEvent::FindBar(true));
        assert!(send(&mut state, GraphEvent::Find("add".to_owned())).has(Dirty::FIND));
        send(&mut state, GraphEvent::Found("ad".to_owned(), 0, 0, vec![10, 1]));
        send(&mut state, GraphEvent::Found("add".to_owned(), 3, 0, vec![10, 1]));
        assert!(state.scene.find.found.is_empty(), "of another word or version");
        send(&mut state, GraphEvent::Found("add".to_owned(), 0, 0, vec![10, 1, 12, 2]));
        assert_eq!(state.scene.find.current(), Some([10, 1]));
        send(&mut state, GraphEvent::FindNext(false));
        assert_eq!(state.scene.find.current(), Some([12, 2]));
        send(&mut state, GraphEvent::FindNext(true));
        assert_eq!(state.scene.find.at, Some(0));
        send(&mut state, GraphEvent::FindBar(false));
        assert!(state.scene.find.found.is_empty());
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

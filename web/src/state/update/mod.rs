//! What each message changes. The only function that changes the state; it knows no DOM and no clock.
//!
//! The compiler is given one revision at a time and always the newest: while it is busy, typing only
//! counts revisions on. An input that brought it down is not given to it again until it is edited.

mod choice; // what is chosen, and how the graph is looked at
pub(in crate::state) mod engine; // questions to the compiler and its answers
mod graph; // folds, pins and the search
mod input; // what is open

pub(super) use choice::{choose_id, show_home};
pub(super) use engine::gone;

use crate::state::{Action, Dirty, Engine, Msg, Notice, State};
use crate::state::{columns, inspect, lab, layout, memory, passes};
use engine::change;
pub use input::too_large;

/// Changes the state; says what must be redrawn.
pub fn update(state: &mut State, msg: Msg) -> Dirty {
    let dirty = change_by(state, msg);
    let dirty = dirty | columns::follow(state) | inspect::follow(state) | memory::follow(state);
    dirty | passes::follow(state) | lab::follow(state)
}

fn change_by(state: &mut State, msg: Msg) -> Dirty {
    match msg {
        Msg::Edited(text) => input::edited(state, text),
        Msg::Typed { changes, undone } => input::typed(state, &changes, undone),
        Msg::Rested(revision) => engine::rested(state, revision),
        Msg::Caret { line, column } => {
            state.caret = Some((line, column));
            inspect::caret(state, line, column)
        }
        Msg::Replaced { name, text } => input::replaced(state, name, text, None),
        Msg::Given { name, bytes } => input::replaced(state, name, String::new(), Some(bytes)),
        Msg::Refused(why) => tell(state, Notice { text: why, action: None, bad: true }),
        Msg::Undo => input::undo(state),

        Msg::Ready { classes, pipeline } => engine::ready(state, classes, pipeline),
        Msg::Opened(opened) => engine::opened(state, *opened),
        Msg::Fault(message) => engine::fault(state, &message),
        Msg::Progress(done, pass) => {
            state.progress = Some((done, pass));
            if matches!(state.engine, Engine::Busy { slow: true, .. }) { Dirty::STATUS } else { Dirty::NONE }
        }
        Msg::StillBusy(revision) => engine::still_busy(state, revision),
        Msg::TookTooLong(revision) => engine::took_too_long(state, revision),
        Msg::Stop => engine::stop(state),
        Msg::Retry => {
            state.engine = Engine::Starting;
            state.notice = None;
            Dirty::RESTART | Dirty::STATUS
        }

        Msg::Hover(id) => {
            let before = state.lit();
            state.hover = id;
            if state.lit() == before { Dirty::NONE } else { Dirty::LINKS | Dirty::STATUS }
        }
        Msg::Choose(span) => choice::choose(state, span, Dirty::NONE),
        Msg::Move(step) => choice::moved(state, step),
        Msg::Problem(number) => input::problem(state, number),
        Msg::Share => Dirty::SHARE,
        Msg::Link(link) => {
            state.link = Some(link);
            let ready = !matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down);
            if ready { Dirty::UNLINK } else { Dirty::NONE }
        }
        Msg::Repro(bytes) => {
            state.repro = Some(bytes);
            state.dragging = false;
            let ready = matches!(state.engine, Engine::Idle | Engine::Busy { .. });
            Dirty::FRAME | if ready { Dirty::UNLINK } else { Dirty::NONE }
        }
        Msg::Linked(linked) => input::linked(state, *linked),
        Msg::ChooseId(id) => choose_id(state, id),
        Msg::Walk(way) => choice::walk(state, way),
        Msg::Look(look) => choice::looked(state, look),
        Msg::Graph(event) => graph::happened(state, event),

        Msg::Pipeline(text) => engine::pipeline(state, text),
        Msg::Go(go) => gone(state, go),
        Msg::Tab(tab) if tab == state.tab => Dirty::NONE,
        Msg::Tab(tab) => show_tab(state, tab),
        Msg::Func(func) => {
            state.func = Some(func);
            state.fresh = true;
            change(state)
        }
        Msg::Save(format) => {
            state.format = Some(format);
            Dirty::SAVE
        }

        Msg::Columns(event) => columns::update(state, event),
        Msg::Memory(event) => memory::update(state, event),
        Msg::Inspect(event) => inspect::update(state, event),
        Msg::Passes(event) => passes::update(state, event),
        Msg::Lab(event) => lab::update(state, event),
        Msg::Layout(event) => layout::update(state, event),
        Msg::Kept(layout) => {
            state.layout = layout;
            Dirty::LAYOUT
        }
        Msg::Newer => {
            let text = "A new version is there.".to_owned();
            tell(state, Notice { text, action: Some(Action::Reload), bad: false })
        }
        Msg::Still(extent) => {
            state.still = true;
            state.fresh = true;
            state.shown.graph.extent = extent;
            Dirty::NONE
        }

        Msg::Theme(theme) => {
            state.theme = theme;
            Dirty::THEME
        }
        Msg::Pane(pane) => {
            state.pane = pane;
            Dirty::FRAME
        }
        Msg::Dragging(dragging) if dragging == state.dragging => Dirty::NONE,
        Msg::Dragging(dragging) => {
            state.dragging = dragging;
            Dirty::FRAME
        }
        Msg::Copied(what) => tell(state, Notice { text: what, action: None, bad: false }),
    }
}

/// Shows another text.
pub(super) fn show_tab(state: &mut State, tab: crate::state::Tab) -> Dirty {
    state.tab = tab;
    change(state) | Dirty::FRAME
}

fn tell(state: &mut State, notice: Notice) -> Dirty {
    state.notice = Some(notice);
    Dirty::STATUS
}

#[cfg(test)]
mod tests;

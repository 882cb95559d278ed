//! Handles messages. `update` is the only function that changes the state; it uses no DOM and no clock.
//!
//! The compiler gets one revision at a time and always the newest: while it is busy, typing only
//! counts revisions. A revision on which it crashed is not sent again until the input is edited.

mod choice; // the choice, and the camera
pub(in crate::state) mod engine; // requests to the compiler and its answers
mod graph; // folds, pins and the search
mod input; // the input
mod sources; // inputs that are translated first

pub(super) use choice::{choose_id, show_block};
pub(super) use engine::{change, gone};
pub(super) use graph::forget as forget_graph;
pub(super) use input::{another_input, another_view};
pub use sources::JOINED;

use crate::state::{Action, Answer, Command, CompilerCommand, Dirty, Engine, Msg, Notice, State, Tab};
use crate::state::{
    columns, debugger, follow_panes, inspect, keep, memory, overlay, passes, past, slang, update_pane,
};
pub use input::too_large;
use vitrine_protocol::Progress;

/// Changes the state. Returns the parts to redraw, and the commands to carry out, in order.
pub fn update(state: &mut State, msg: Msg) -> (Dirty, Vec<Command>) {
    let before = past::before(state, &msg);
    let mut dirty = change_by(state, msg);
    past::record(state, before);
    dirty |= follow_panes(state);
    overlay::follow(state);
    (dirty, std::mem::take(&mut state.commands))
}

fn change_by(state: &mut State, msg: Msg) -> Dirty {
    match msg {
        #[cfg(test)]
        Msg::Edited(text) => input::edited(state, text),
        Msg::Begin { name, text } => input::begins(state, name, text),
        Msg::Typed { changes, undone } => input::typed(state, &changes, undone),
        Msg::Rested(revision) => engine::rested(state, revision),
        Msg::Caret { line, column } => {
            state.caret = Some((line, column));
            inspect::caret(state, line, column)
        }
        Msg::Replaced { name, text } => input::replaced(state, name, text, None, false),
        Msg::Example(name, text) => input::replaced(state, name, text, None, true),
        Msg::Given { name, bytes } => input::replaced(state, name, String::new(), Some(bytes), false),
        Msg::Refused(why) => notify(state, Notice { text: why, action: None, bad: true }),
        Msg::Undo => input::undo(state),

        Msg::Answer(answer) => answered(state, answer),
        Msg::SourceAnswer(answer) => sources::answered(state, answer),
        Msg::Slang(event) => slang::happened(state, event),
        Msg::SourceOption(key, values) => sources::chosen(state, &key, &values),
        Msg::Took(took) => {
            state.took = took;
            Dirty::empty()
        }
        Msg::DebuggerAnswer(answer) => debugger::answered(state, answer),
        Msg::StillBusy(revision) => engine::still_busy(state, revision),
        Msg::TookTooLong(revision) => engine::took_too_long(state, revision),
        Msg::Stop => engine::stop(state),
        Msg::Retry => {
            state.engine = Engine::Starting;
            state.notice = None;
            state.queue(CompilerCommand::Restart);
            Dirty::STATUS
        }

        Msg::Hover(id) => {
            let before = state.lit();
            state.hover = id;
            if state.lit() == before { Dirty::empty() } else { Dirty::LINKS | Dirty::STATUS }
        }
        Msg::Choose(span) => choice::choose(state, span, Dirty::empty()),
        Msg::Move(step) => choice::moved(state, step),
        Msg::Problem(number) => input::problem(state, number),
        Msg::Share => {
            state.queue(CompilerCommand::WriteLink);
            // About two seconds for a megabyte.
            match state.input.is_large() {
                true => notify(state, plain_notice("Making the link…")),
                false => Dirty::empty(),
            }
        }
        Msg::Link(link) => {
            state.link = Some(link);
            let ready = !matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down);
            if ready {
                state.queue(CompilerCommand::ReadShared);
            }
            Dirty::empty()
        }
        Msg::Repro(bytes) => {
            state.repro = Some(bytes);
            state.dragging = false;
            let ready = matches!(state.engine, Engine::Idle | Engine::Busy { .. });
            if ready {
                state.queue(CompilerCommand::ReadShared);
            }
            Dirty::FRAME
        }
        Msg::Compare(files) => {
            state.joined = Some(files);
            state.dragging = false;
            if matches!(state.engine, Engine::Idle | Engine::Busy { .. }) {
                state.queue(CompilerCommand::ReadShared);
            }
            Dirty::FRAME
        }
        Msg::JoinTookTooLong(name) => sources::join_took_too_long(state, &name),
        Msg::ChooseId(id) => choose_id(state, id),
        Msg::Walk(arrow) => choice::walk(state, arrow),
        Msg::Camera(camera_move) => choice::move_camera(state, camera_move),
        Msg::Graph(event) => graph::happened(state, event),

        Msg::Pipeline(text) => engine::pipeline(state, text),
        Msg::Go(go) => gone(state, go),
        Msg::Tab(tab) if tab == state.tab => Dirty::empty(),
        Msg::Tab(tab) => show_tab(state, tab),
        Msg::Target(name) => {
            state.target = name;
            show_tab(state, Tab::Target)
        }
        Msg::Func(func) => {
            state.func = Some(func);
            state.fresh = true;
            change(state)
        }
        Msg::Save(format) => {
            state.save = Some(format);
            state.queue(CompilerCommand::Export);
            Dirty::empty()
        }

        Msg::Pane(msg) => update_pane(state, msg),
        Msg::RestoreLayout(layout) => {
            state.layout = layout;
            Dirty::LAYOUT
        }
        Msg::AwaitSession => keep::wait(state),
        Msg::Newer => {
            let text = "A new version is available.".to_owned();
            notify(state, Notice { text, action: Some(Action::Reload), bad: false })
        }
        Msg::Prerendered([extent, entry]) => {
            state.prerendered = true;
            state.fresh = true;
            (state.shown.graph.extent, state.shown.graph.entry) = (extent, entry);
            Dirty::empty()
        }

        Msg::Theme(theme) => {
            state.theme = theme;
            state.queue(Command::StoreTheme(theme));
            Dirty::THEME
        }
        Msg::ShowPane(pane) => {
            state.pane = pane;
            Dirty::FRAME
        }
        Msg::Dragging(dragging) if dragging == state.dragging => Dirty::empty(),
        Msg::Dragging(dragging) => {
            state.dragging = dragging;
            Dirty::FRAME
        }
        Msg::Copied(what) => notify(state, Notice { text: what, action: None, bad: false }),
    }
}

/// Takes a message of the compiler.
fn answered(state: &mut State, answer: Answer) -> Dirty {
    match answer {
        Answer::Ready { classes, pipeline, formats } => {
            state.formats = formats;
            engine::ready(state, classes, pipeline)
        }
        Answer::Opened(opened) => engine::opened(state, *opened),
        Answer::Progress(Progress { done, pass }) => {
            state.progress = Some((done, pass));
            if matches!(state.engine, Engine::Busy { slow: true, .. }) {
                Dirty::STATUS
            } else {
                Dirty::empty()
            }
        }
        Answer::Columns(columns) => columns::answered(state, columns),
        Answer::ColumnsText(text) => {
            state.queue(Command::SearchColumns(text.0));
            Dirty::empty()
        }
        Answer::Inspected(inspected) => inspect::answered(state, inspected),
        Answer::Origins(origins) => inspect::located(state, origins),
        Answer::Memory(map) => memory::answered(state, map),
        Answer::Paths(paths) => memory::paths_answered(state, paths),
        Answer::Found(found) => graph::answered(state, &found),
        Answer::Overlay(overlay) => {
            overlay::answered(state, overlay);
            Dirty::empty()
        }
        Answer::Catalog(entries) => passes::answered(state, entries),
        Answer::Words(words) => {
            state.queue(Command::LearnWords(words));
            Dirty::empty()
        }
        Answer::File(file) => {
            state.queue(Command::SaveFile(file));
            Dirty::empty()
        }
        Answer::Anchors(anchors) => keep::anchored(state, anchors),
        Answer::Numbers(numbers) => {
            keep::numbered(state, &numbers);
            engine::send_request(state)
        }
        Answer::Source(source) => sources::requested(state, source),
        Answer::JoinSource(source) => sources::join_requested(state, source),
        Answer::Link(link) => {
            state.keep.link.clone_from(&link);
            state.queue(Command::CopyLink(link));
            Dirty::empty()
        }
        Answer::Shared(shared) => input::shared(state, shared),
        Answer::Refused(reason) => {
            let text = format!("Nothing was saved: {reason}");
            notify(state, Notice { text, action: None, bad: true })
        }
        Answer::Fault(fault) => engine::fault(state, &fault.message),
    }
}

/// Shows another text.
pub(super) fn show_tab(state: &mut State, tab: Tab) -> Dirty {
    state.tab = tab;
    engine::change_of_tab(state) | Dirty::FRAME
}

/// A message that is neither an error nor has a button.
fn plain_notice(text: &str) -> Notice {
    Notice { text: text.to_owned(), action: None, bad: false }
}

pub(super) fn notify(state: &mut State, notice: Notice) -> Dirty {
    state.notice = Some(notice);
    Dirty::STATUS
}

/// Returns true if a message queues a command.
#[cfg(test)]
pub(in crate::state) fn does(state: &mut State, msg: Msg, command: impl Into<Command>) -> bool {
    update(state, msg).1.contains(&command.into())
}

#[cfg(test)]
mod tests;

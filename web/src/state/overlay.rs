//! The chosen overlay: its marks are requested when something changes that they depend on.
//!
//! The compiler computes marks and legend, and `www/overlay.js` draws them; this file only decides when. Lines of an overlay
//! that are in the blocks of the graph come with the graph (`GraphOptions::overlay`).

use vitrine_protocol::layout::ExecutionEntry;
use vitrine_protocol::{Overlay, OverlayKind, Table};

use crate::state::{Command, CompilerCommand, Engine, State};

/// The things that the marks of an overlay depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The overlay.
    pub kind: OverlayKind,
    /// The chosen thing, if the overlay is about it.
    pub chosen: Option<u32>,
    /// The number of the shown graph.
    graph: u32,
    /// The number of the run whose executions are counted.
    run: Option<u32>,
}

/// Requests the marks if they changed, and hides those of an overlay that is switched off; called after every message.
pub(super) fn follow(state: &mut State) {
    let kind = Some(state.scene.overlay).filter(|_| state.scene.overlays && state.shown.func.is_some());
    let wanted = kind.map(|kind| Subject {
        kind,
        chosen: state.chosen.filter(|_| kind.has_subject()),
        graph: state.scene.graphs,
        run: state.executions().map(|_| state.debugger.serial).filter(|_| kind == OverlayKind::Counts),
    });
    // The next graph has other marks.
    if wanted == state.scene.marked.0 || wanted.is_some() && state.engine != Engine::Idle {
        return;
    }
    let command: Command = match wanted {
        Some(_) => CompilerCommand::Overlay.into(),
        None => Command::ShowOverlay(Overlay::default()),
    };
    state.scene.marked = (wanted, state.scene.marked.1 + 1);
    state.queue(command);
}

/// Takes the marks, unless others were requested since.
pub(super) fn answered(state: &mut State, overlay: Overlay) {
    if overlay.serial == state.scene.marked.1 {
        state.queue(Command::ShowOverlay(overlay));
    }
}

impl State {
    /// The execution counts of the last run, if it was one of the shown version and is done.
    pub fn executions(&self) -> Option<&Table<ExecutionEntry>> {
        let run = &self.debugger.run.report;
        let is_here = self.debugger.is_current(self) && run.version as usize == self.shown_at();
        Some(&run.executions).filter(|executions| is_here && !executions.words().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::debugger::Event;
    use crate::state::{GraphEvent, Msg, update};
    use vitrine_protocol::Answer;

    fn shown() -> State {
        let mut state = State { engine: Engine::Idle, ..State::default() };
        (state.shown.any, state.shown.func) = (true, Some(0));
        state
    }

    fn asks(state: &mut State, msg: Msg) -> bool {
        update(state, msg).1.contains(&CompilerCommand::Overlay.into())
    }

    #[test]
    fn marks_are_requested_with_every_graph_and_for_another_choice_only_if_they_depend_on_it() {
        let mut state = shown();
        assert!(!asks(&mut state, Msg::ChooseId(Some(3))), "no overlay is shown");
        assert!(
            !asks(&mut state, Msg::Graph(GraphEvent::Overlay(OverlayKind::Dominators))),
            "the graph comes first"
        );
        assert_eq!((state.scene.overlay, state.scene.overlays), (OverlayKind::Dominators, true));
        state.engine = Engine::Idle;
        state.scene.graphs += 1;
        assert!(asks(&mut state, Msg::Dragging(true)) && !asks(&mut state, Msg::Dragging(false)));
        assert!(asks(&mut state, Msg::ChooseId(Some(4))));
        state.scene.overlay = OverlayKind::Pressure;
        assert!(asks(&mut state, Msg::Dragging(true)) && !asks(&mut state, Msg::ChooseId(Some(5))));
    }

    #[test]
    fn late_marks_are_ignored_and_hiding_needs_no_answer() {
        let mut state = shown();
        state.scene.overlays = true;
        assert!(asks(&mut state, Msg::Dragging(true)));
        let answer = |serial| Msg::Answer(Answer::Overlay(Overlay { serial, ..Overlay::default() }));
        let shows = |commands: Vec<Command>| {
            commands.iter().any(|command| matches!(command, Command::ShowOverlay(_)))
        };
        assert!(!shows(update(&mut state, answer(0)).1) && shows(update(&mut state, answer(1)).1));
        let (_, commands) = update(&mut state, Msg::Graph(GraphEvent::Overlays));
        assert!(commands.contains(&Command::ShowOverlay(Overlay::default())));
        assert!(!shows(update(&mut state, answer(1)).1));
    }

    #[test]
    fn executions_are_those_of_the_shown_version() {
        let mut state = shown();
        assert!(state.executions().is_none());
        state.debugger.run.report.executions = Table::from_words(vec![0, 0, 7, 0]);
        assert!(state.executions().is_some());
        state.debugger.run.report.version = 1;
        assert!(state.executions().is_none(), "of another version");
        state.shown.timeline.at = 1;
        assert!(state.executions().is_some());
        state.pipeline.push_str("dce");
        assert!(state.executions().is_none(), "of another pipeline");
        // A check of the new pipeline does not make them its own.
        update(&mut state, Event::Check.into());
        assert!(state.executions().is_none());
        state.debugger.run.report.executions = Table::from_words(vec![0, 0, 7, 0]);
        assert!(state.executions().is_some());
        update(&mut state, Event::Run(Default::default()).into());
        assert!(state.executions().is_none(), "until the next run is done");
    }
}

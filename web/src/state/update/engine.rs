//! Requests to the compiler and its answers: one request at a time, always for the newest revision.

use super::choice::look_at_first;
use super::notify;
use crate::state::{
    Action, Command, CompilerCommand, Dirty, Document, Engine, Go, Graph, Notice, Opened, Shown, State,
    Timeline, overlap,
};
use crate::state::{keep, passes};
use vitrine_protocol::Parts;

/// The compiler is loaded: sends the waiting request, unless it crashed on that revision before.
pub(super) fn ready(state: &mut State, classes: Vec<String>, pipeline: String) -> Dirty {
    state.classes = classes;
    state.default_pipeline = pipeline;
    if !state.own_pipeline {
        state.pipeline.clone_from(&state.default_pipeline);
    }
    let fatal = match state.engine {
        Engine::Recovering(revision) => Some(revision),
        Engine::Starting | Engine::Idle | Engine::Busy { .. } | Engine::Down => None,
    };
    state.engine = Engine::Idle;
    let sent = if state.link.is_some() || state.repro.is_some() || state.joined.is_some() {
        state.queue(CompilerCommand::ReadShared);
        Dirty::empty()
    } else if fatal == Some(state.revision) {
        Dirty::empty()
    } else {
        send_request(state)
    };
    sent | Dirty::STATUS | Dirty::PIPELINE | Dirty::FRAME
}

/// The compiler takes long: offers a stop.
pub(super) fn still_busy(state: &mut State, revision: u32) -> Dirty {
    match state.engine {
        Engine::Busy { revision: now, slow: false } if now == revision => {
            state.engine = Engine::Busy { revision, slow: true };
            Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
            Dirty::empty()
        }
    }
}

/// The deadline of a revision has passed.
pub(super) fn took_too_long(state: &mut State, revision: u32) -> Dirty {
    let place = place(state);
    let sentence = match state.awaited_front_end(revision) {
        Some(name) => {
            format!("{name} took too long on this source and was restarted. Edit the source to try again.")
        }
        None => format!("The compiler took too long{place} and was restarted. Edit the input to try again."),
    };
    match state.engine {
        Engine::Busy { revision: now, .. } if now == revision => give_up(state, revision, sentence),
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
            Dirty::empty()
        }
    }
}

/// The last reported progress of the compiler: ` in step 12, cse,`.
fn place(state: &State) -> String {
    state.progress.as_ref().map_or_else(String::new, |(done, pass)| format!(" in step {}, {pass},", done + 1))
}

/// Stops the compiler at the user's request.
pub(super) fn stop(state: &mut State) -> Dirty {
    match state.engine {
        Engine::Busy { revision, .. } => {
            let place = place(state);
            let sentence = format!("Stopped{}. Edit the input to try again.", place.trim_end_matches(','));
            give_up(state, revision, sentence)
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Down => Dirty::empty(),
    }
}

/// Sends a request if the compiler is idle.
pub(super) fn send_request(state: &mut State) -> Dirty {
    let waits = state.resting || state.keep.waits;
    if state.engine == Engine::Idle && !waits && keep::must_number(state) {
        return Dirty::STATUS;
    }
    match state.engine {
        Engine::Idle if waits => Dirty::empty(),
        Engine::Idle => {
            state.requested_input = state.input.revision;
            state.engine = Engine::Busy { revision: state.revision, slow: false };
            state.progress = None;
            super::graph::request_sent(state);
            state.queue(CompilerCommand::Open);
            Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. } | Engine::Down => Dirty::empty(),
    }
}

/// Starts a new revision and sends its request.
pub(in crate::state) fn change(state: &mut State) -> Dirty {
    state.revision += 1;
    state.scene.parts = Parts::All;
    state.resting = false;
    send_request(state)
}

/// Requests the text of another tab or language; with everything else if another request is due.
pub(super) fn change_of_tab(state: &mut State) -> Dirty {
    let is_text_alone = is_settled(state) && state.scene.toggle.is_none();
    state.scene.parts = if is_text_alone { Parts::Text } else { Parts::All };
    state.revision += 1;
    send_request(state)
}

/// Returns true if the shown version is that of the input and the pipeline as they are.
pub(super) fn is_settled(state: &State) -> bool {
    let waits = state.resting || state.keep.waits;
    state.engine == Engine::Idle && state.shown.any && !waits
}

/// Length of a pause after which a large text is compiled, in ms.
const REST_MS: i32 = 300;
/// The same for a source: held keys and bursts of edits are one translation.
const SOURCE_REST_MS: i32 = 40;

/// The same for an edit of the text; after an edit of a large text or of a source, only when the user pauses.
pub(super) fn change_of_text(state: &mut State) -> Dirty {
    let rest_ms = match (state.input.is_large(), state.shown.source_options.is_empty()) {
        (true, _) => REST_MS,
        (false, false) => SOURCE_REST_MS,
        (false, true) => return change(state),
    };
    state.revision += 1;
    state.scene.parts = Parts::All;
    state.resting = true;
    state.queue(Command::Rest(state.revision, rest_ms));
    Dirty::empty()
}

/// The user has paused after a revision.
pub(super) fn rested(state: &mut State, revision: u32) -> Dirty {
    if !state.resting || revision != state.revision {
        return Dirty::empty();
    }
    state.resting = false;
    send_request(state)
}

/// Takes an answer: it is shown if it was requested, and the next request is sent if there is one.
pub(super) fn opened(state: &mut State, mut opened: Opened) -> Dirty {
    // An answer of a worker that was terminated meanwhile.
    if !matches!(state.engine, Engine::Busy { revision: requested, .. } if requested == opened.revision) {
        return Dirty::empty();
    }
    state.engine = Engine::Idle;
    if let (Some((_, translation)), false) = (&mut state.translation, opened.program.0.is_empty()) {
        translation.words = std::mem::take(&mut opened.program);
        translation.is_finished = true;
    }
    let is_newest = opened.revision == state.revision;
    if opened.parts == Parts::Text {
        let shown = &mut state.shown;
        shown.document = Document::of(opened.text);
        (shown.refused, shown.tab) = (opened.refused, state.tab);
        (shown.took, shown.tenths_ms) = (state.took, opened.tenths_ms);
        state.hover = None;
        state.cursor = state.chosen.and_then(|id| state.shown.document.definition(id));
        let sent = if is_newest { Dirty::empty() } else { send_request(state) };
        return sent | Dirty::OUTPUT | Dirty::LINKS | Dirty::PROBLEMS | Dirty::STATUS | Dirty::FRAME;
    }
    let about = super::graph::folded(state);
    let mut dirty = super::graph::drawn(state, &opened);
    if opened.parts == Parts::Graph {
        super::graph::redraw(state, Graph::of(opened.graph), about);
        return dirty | if is_newest { Dirty::STATUS } else { send_request(state) };
    }
    if !opened.source.0.is_empty() && is_newest {
        // The editor shows the disassembly of a binary; until it is edited, the binary is the input.
        let text = std::mem::replace(&mut state.input.text, opened.source.0);
        state.input.decoded = state.input.given.is_none();
        state.input.given.get_or_insert(text.into_bytes());
        dirty |= Dirty::INPUT;
    }
    // Things have the same numbers in all versions and texts of an input.
    let same_input = !state.fresh || keep::is_entering(state);
    let other_func = state.shown.func != opened.function;
    let wanted = state.shown.timeline.at;
    let any = state.shown.any;
    let graph = std::mem::take(&mut state.shown.graph);
    state.shown = Shown {
        document: Document::of(opened.text),
        problems: opened.diagnostics,
        source_options: opened.source_options,
        took: state.took,
        counts: opened.counts,
        tenths_ms: opened.tenths_ms,
        any: true,
        kind: opened.kind,
        programs: opened.programs,
        pipeline_problems: opened.pipeline_diagnostics,
        timeline: Timeline { steps: opened.steps, at: opened.version as usize },
        functions: opened.functions,
        func: opened.function,
        graph,
        refused: opened.refused,
        tab: state.tab,
        reasons: opened.reasons,
        input: state.requested_input,
    };
    if state.first_sight && is_newest {
        state.at = Some(state.shown.timeline.at).filter(|&at| at < state.shown.timeline.last());
    }
    super::graph::redraw(state, Graph::of(opened.graph), about);
    let is_first = !any;
    let keeps_look = is_first && std::mem::take(&mut state.prerendered) && !state.fresh;
    if is_newest {
        state.passes.ran.clone_from(&state.pipeline);
    }
    if !opened.verdict.is_empty() {
        let bad = opened.verdict.starts_with("differs");
        let text = format!("Reproduction: {}.", opened.verdict);
        dirty |= notify(state, Notice { text, action: None, bad });
    }
    state.hover = None;
    state.cursor = state.chosen.filter(|_| same_input).and_then(|id| state.shown.document.definition(id));
    if state.fresh || (other_func || nothing_in_view(state)) && !keeps_look {
        // The answer to an older request may be another input: the next one is looked at, too.
        state.fresh = !(look_at_first(state) && is_newest);
    }
    dirty |= super::graph::find_again(state);
    if !is_newest {
        state.shown.timeline.at = wanted.min(state.shown.timeline.last());
        dirty |= send_request(state);
    }
    dirty
        | Dirty::OUTPUT
        | Dirty::LINKS
        | Dirty::PROBLEMS
        | Dirty::STATUS
        | Dirty::GRAPH
        | Dirty::TIMELINE
        | Dirty::FRAME
        | Dirty::PASSES
}

/// Returns true if no block of the shown graph is in view, as after an edit that leaves little of it.
fn nothing_in_view(state: &State) -> bool {
    let (visible, blocks) = (state.camera.visible(), &state.shown.graph.blocks);
    !blocks.is_empty() && !blocks.iter().any(|block| overlap(block.rect, visible))
}

/// Restarts the compiler after a panic; gives up if it does not start.
pub(super) fn fault(state: &mut State, message: &str) -> Dirty {
    match state.engine {
        Engine::Busy { revision, .. } => {
            let place = place(state);
            let text = format!("The compiler failed{place} on this input and was restarted: {message}");
            state.engine = Engine::Recovering(revision);
            keep::restarted(state);
            state.queue(CompilerCommand::Restart);
            notify(state, Notice { text, action: Some(Action::CopyReport), bad: true })
        }
        // A trap between two requests ruins the instance; it is not caused by an input.
        Engine::Idle => {
            state.engine = Engine::Starting;
            keep::restarted(state);
            state.queue(CompilerCommand::Restart);
            Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) => {
            state.engine = Engine::Down;
            let text = format!("The compiler could not be loaded: {message}");
            notify(state, Notice { text, action: Some(Action::Retry), bad: true })
        }
        Engine::Down => Dirty::empty(),
    }
}

/// Ends the compilation of a revision with a message, and restarts the compiler.
pub(super) fn give_up(state: &mut State, revision: u32, sentence: String) -> Dirty {
    state.engine = Engine::Recovering(revision);
    keep::restarted(state);
    state.queue(CompilerCommand::Restart);
    notify(state, Notice { text: sentence, action: None, bad: true })
}

/// Sets the pipeline; an empty one is the default.
pub(in crate::state) fn pipeline(state: &mut State, text: String) -> Dirty {
    let before = state.pipeline.clone();
    let dirty = set_pipeline(state, text);
    if state.pipeline != before {
        passes::record(&mut state.passes, before);
    }
    dirty | Dirty::PASSES
}

/// Sets the pipeline without recording the one before; the default's text is the default.
pub(in crate::state) fn set_pipeline(state: &mut State, text: String) -> Dirty {
    state.own_pipeline = !text.trim().is_empty() && text != state.default_pipeline;
    let text = if state.own_pipeline { text } else { state.default_pipeline.clone() };
    if text == state.pipeline {
        return Dirty::PIPELINE;
    }
    super::input::ends_first_sight(state);
    state.pipeline = text;
    change(state) | Dirty::PIPELINE
}

/// Moves on the timeline at once; the texts follow.
pub(in crate::state) fn gone(state: &mut State, go: Go) -> Dirty {
    let timeline = &mut state.shown.timeline;
    let Some(to) = timeline.target(go) else { return Dirty::empty() };
    state.first_sight = false;
    timeline.at = to;
    // At the last version, the last version of every later pipeline is shown.
    state.at = (to < timeline.last()).then_some(to);
    change(state) | Dirty::TIMELINE
}

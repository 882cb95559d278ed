//! Questions to the compiler and its answers: one question at a time, always the newest.

use super::choice::look_at_first;
use super::tell;
use crate::state::{Action, Dirty, Engine, Go, Notice, Opened, Shown, State, Tab};

/// The compiler is loaded: it gets what waits for it, unless that brought it down before.
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
    let send = match &state.link {
        Some(_) => Dirty::UNLINK,
        None if fatal == Some(state.revision) => Dirty::NONE,
        None => ask(state),
    };
    send | Dirty::STATUS | Dirty::PIPELINE
}

/// Work goes on for longer than a person likes: a stop is offered.
pub(super) fn still_busy(state: &mut State, revision: u32) -> Dirty {
    match state.engine {
        Engine::Busy { revision: now, slow: false } if now == revision => {
            state.engine = Engine::Busy { revision, slow: true };
            Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
            Dirty::NONE
        }
    }
}

/// The time for a revision is over.
pub(super) fn took_too_long(state: &mut State, revision: u32) -> Dirty {
    let sentence = "The compiler took too long and was restarted. Edit the input to try again.";
    match state.engine {
        Engine::Busy { revision: now, .. } if now == revision => give_up(state, revision, sentence),
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
            Dirty::NONE
        }
    }
}

/// The person stops the compiler.
pub(super) fn stop(state: &mut State) -> Dirty {
    match state.engine {
        Engine::Busy { revision, .. } => give_up(state, revision, "Stopped. Edit the input to try again."),
        Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Down => Dirty::NONE,
    }
}

/// Gives the compiler the input if it waits for one.
pub(super) fn ask(state: &mut State) -> Dirty {
    match state.engine {
        Engine::Idle => {
            state.engine = Engine::Busy { revision: state.revision, slow: false };
            Dirty::REQUEST | Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. } | Engine::Down => Dirty::NONE,
    }
}

/// The compiler is to answer another question.
pub(super) fn change(state: &mut State) -> Dirty {
    state.revision += 1;
    ask(state)
}

pub(super) fn opened(state: &mut State, opened: Opened) -> Dirty {
    // An answer of a worker that was ended meanwhile.
    if !matches!(state.engine, Engine::Busy { revision: asked, .. } if asked == opened.revision) {
        return Dirty::NONE;
    }
    state.engine = Engine::Idle;
    let is_newest = opened.revision == state.revision;
    let mut dirty = Dirty::NONE;
    if !opened.source.is_empty() && is_newest {
        // The editor shows a binary as text; until it is edited, the binary is what counts.
        let text = std::mem::replace(&mut state.input.text, opened.source);
        state.input.given.get_or_insert(text.into_bytes());
        dirty |= Dirty::INPUT;
    }
    let before = &state.shown;
    let same_place = before.tab == state.tab && state.tab != Tab::Spirv && !state.fresh;
    let other_func = before.func != opened.func;
    let wanted = state.shown.timeline.at;
    state.shown = Shown {
        document: opened.document,
        problems: opened.problems,
        counts: opened.counts,
        tenths_ms: opened.tenths_ms,
        any: true,
        kind: opened.kind,
        pipeline_problems: opened.pipeline_problems,
        timeline: opened.timeline,
        functions: opened.functions,
        func: opened.func,
        graph: opened.graph,
        refused: opened.refused,
        tab: state.tab,
    };
    state.hover = None;
    state.cursor = state.chosen.filter(|_| same_place).and_then(|id| state.shown.document.definition(id));
    if state.fresh || other_func {
        state.fresh = !look_at_first(state);
    }
    if !is_newest {
        state.shown.timeline.at = wanted.min(state.shown.timeline.last());
        dirty |= ask(state);
    }
    dirty
        | Dirty::OUTPUT
        | Dirty::LINKS
        | Dirty::PROBLEMS
        | Dirty::STATUS
        | Dirty::GRAPH
        | Dirty::TIMELINE
        | Dirty::FRAME
}

/// Restarts the compiler after a panic; gives up when it does not even start.
pub(super) fn fault(state: &mut State, message: &str) -> Dirty {
    match state.engine {
        Engine::Busy { revision, .. } => {
            let text = format!("The compiler failed on this input and was restarted: {message}");
            state.engine = Engine::Recovering(revision);
            tell(state, Notice { text, action: Some(Action::CopyReport), bad: true }) | Dirty::RESTART
        }
        // A trap that shows up between two requests: the instance is ruined, no input is to blame.
        Engine::Idle => {
            state.engine = Engine::Starting;
            Dirty::RESTART | Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) => {
            state.engine = Engine::Down;
            let text = format!("The compiler could not be loaded: {message}");
            tell(state, Notice { text, action: Some(Action::Retry), bad: true })
        }
        Engine::Down => Dirty::NONE,
    }
}

pub(super) fn give_up(state: &mut State, revision: u32, sentence: &str) -> Dirty {
    state.engine = Engine::Recovering(revision);
    tell(state, Notice { text: sentence.to_owned(), action: None, bad: true }) | Dirty::RESTART
}

pub(super) fn pipeline(state: &mut State, text: String) -> Dirty {
    state.own_pipeline = !text.trim().is_empty();
    let text = if state.own_pipeline { text } else { state.default_pipeline.clone() };
    if text == state.pipeline {
        return Dirty::PIPELINE;
    }
    state.pipeline = text;
    change(state) | Dirty::PIPELINE
}

/// Another step is shown at once on the timeline; its texts follow.
pub(super) fn gone(state: &mut State, go: Go) -> Dirty {
    let timeline = &mut state.shown.timeline;
    let Some(to) = timeline.target(go) else { return Dirty::NONE };
    timeline.at = to;
    // At the end one stays at the end, whatever the pipeline becomes.
    state.at = (to < timeline.last()).then_some(to);
    change(state) | Dirty::TIMELINE
}

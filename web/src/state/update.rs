//! What each message changes. The only function that changes the state; it knows no DOM and no clock.
//!
//! The compiler is given one revision at a time and always the newest: while it is busy, typing only
//! counts revisions on. An input that brought it down is not given to it again until it is edited.

use crate::state::{
    Action, Dirty, Engine, Link, Msg, Notice, Opened, Pane, Shown, State, Step, selection_at,
};

/// Changes the state; says what must be redrawn.
pub fn update(state: &mut State, msg: Msg) -> Dirty {
    match msg {
        Msg::Edited(text) => edited(state, text),
        Msg::Replaced { name, text } => replaced(state, name, text),
        Msg::Refused(why) => tell(state, Notice { text: why, action: None, bad: true }),
        Msg::Undo => undo(state),

        Msg::Ready(classes) => {
            state.classes = classes;
            let fatal = match state.engine {
                Engine::Recovering(revision) => Some(revision),
                Engine::Starting | Engine::Idle | Engine::Busy { .. } | Engine::Down => None,
            };
            state.engine = Engine::Idle;
            let send = if fatal == Some(state.input.revision) { Dirty::NONE } else { ask(state) };
            send | Dirty::STATUS
        }
        Msg::Opened(opened) => self::opened(state, *opened),
        Msg::Fault(message) => fault(state, &message),
        Msg::StillBusy(revision) => match state.engine {
            Engine::Busy { revision: now, slow: false } if now == revision => {
                state.engine = Engine::Busy { revision, slow: true };
                Dirty::STATUS
            }
            Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
                Dirty::NONE
            }
        },
        Msg::TookTooLong(revision) => match state.engine {
            Engine::Busy { revision: now, .. } if now == revision => give_up(
                state,
                revision,
                "The compiler took too long and was restarted. Edit the input to try again.",
            ),
            Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Busy { .. } | Engine::Down => {
                Dirty::NONE
            }
        },
        Msg::Stop => match state.engine {
            Engine::Busy { revision, .. } => {
                give_up(state, revision, "Stopped. Edit the input to try again.")
            }
            Engine::Starting | Engine::Recovering(_) | Engine::Idle | Engine::Down => Dirty::NONE,
        },
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
        Msg::Choose(span) => choose(state, span, Dirty::NONE),
        Msg::Move(step) => moved(state, step),
        Msg::Problem(number) => problem(state, number),

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

fn edited(state: &mut State, text: String) -> Dirty {
    if text == state.input.text {
        return Dirty::NONE;
    }
    state.input.text = text;
    state.input.revision += 1;
    state.notice = None;
    ask(state) | Dirty::STATUS
}

fn replaced(state: &mut State, name: String, text: String) -> Dirty {
    let notice = match name.as_str() {
        "" => "Pasted. The text before it can come back.".to_owned(),
        name => format!("Opened {name}."),
    };
    let before =
        (std::mem::replace(&mut state.input.text, text), std::mem::replace(&mut state.input.name, name));
    state.input.revision += 1;
    // An empty text is not worth bringing back.
    let action = (!before.0.trim().is_empty()).then_some(Action::Undo);
    state.input.before = action.map(|_| before);
    state.dragging = false;
    let told = tell(state, Notice { text: notice, action, bad: false });
    ask(state) | told | Dirty::INPUT | Dirty::FRAME
}

fn undo(state: &mut State) -> Dirty {
    let Some((text, name)) = state.input.before.take() else { return Dirty::NONE };
    state.input.text = text;
    state.input.name = name;
    state.input.revision += 1;
    state.notice = None;
    ask(state) | Dirty::INPUT | Dirty::STATUS
}

/// Gives the compiler the input if it waits for one.
fn ask(state: &mut State) -> Dirty {
    match state.engine {
        Engine::Idle => {
            state.engine = Engine::Busy { revision: state.input.revision, slow: false };
            Dirty::REQUEST | Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. } | Engine::Down => Dirty::NONE,
    }
}

fn opened(state: &mut State, opened: Opened) -> Dirty {
    let Opened { revision, document, problems, counts, tenths_ms } = opened;
    // An answer of a worker that was ended meanwhile.
    if !matches!(state.engine, Engine::Busy { revision: asked, .. } if asked == revision) {
        return Dirty::NONE;
    }
    state.engine = Engine::Idle;
    state.shown = Shown { document, problems, counts, tenths_ms, any: true };
    state.hover = None;
    state.cursor = None;
    let next = if revision == state.input.revision { Dirty::NONE } else { ask(state) };
    next | Dirty::OUTPUT | Dirty::LINKS | Dirty::PROBLEMS | Dirty::STATUS
}

/// Restarts the compiler after a panic; gives up when it does not even start.
fn fault(state: &mut State, message: &str) -> Dirty {
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

fn give_up(state: &mut State, revision: u32, sentence: &str) -> Dirty {
    state.engine = Engine::Recovering(revision);
    tell(state, Notice { text: sentence.to_owned(), action: None, bad: true }) | Dirty::RESTART
}

fn tell(state: &mut State, notice: Notice) -> Dirty {
    state.notice = Some(notice);
    Dirty::STATUS
}

fn choose(state: &mut State, span: Option<usize>, more: Dirty) -> Dirty {
    let linked = span.filter(|span| state.shown.document.span(*span).link != Link::None);
    if linked == state.cursor {
        return more;
    }
    state.cursor = linked;
    Dirty::LINKS | Dirty::STATUS | more
}

fn moved(state: &mut State, step: Step) -> Dirty {
    let document = &state.shown.document;
    let here = state.cursor;
    let id = here.and_then(|span| document.span(span).link.id());
    let to = match step {
        Step::Next => document.linked_beside(here, true),
        Step::Previous => document.linked_beside(here, false),
        Step::Down | Step::Up => match here {
            Some(span) => document.linked_across(span, step == Step::Down),
            None => document.linked_beside(None, true),
        },
        Step::Definition => id.and_then(|id| document.definition(id)),
        Step::Use => id.and_then(|id| {
            let after = document.uses(id).find(|span| here.is_none_or(|here| *span > here));
            after.or_else(|| document.uses(id).next())
        }),
    };
    match to {
        Some(span) => {
            state.hover = None;
            choose(state, Some(span), Dirty::LINKS | Dirty::REVEAL)
        }
        None => Dirty::NONE,
    }
}

fn problem(state: &mut State, number: usize) -> Dirty {
    let Some(problem) = state.shown.problems.get(number).filter(|problem| problem.line > 0) else {
        return Dirty::NONE;
    };
    state.selection = Some(selection_at(&state.input.text, problem.line, problem.column));
    state.pane = Pane::Input;
    Dirty::FRAME | Dirty::SELECTION
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Document, Problem, Theme};

    /// A page whose compiler is loaded and has answered `text`.
    fn page(text: &str) -> State {
        let mut state = State::default();
        update(&mut state, Msg::Edited(text.to_owned()));
        update(&mut state, Msg::Ready(vec!["plain".to_owned()]));
        update(&mut state, answer(1));
        state
    }

    /// `%0` made on the first line and used on the second; a problem with a place and one without.
    fn answer(revision: u32) -> Msg {
        let document = Document::new("%0 = 1\n%0\n".to_owned(), &[0, 2, 0, 1, 0, 7, 2, 0, 2, 0]);
        let problems = vec![
            Problem { level: "error".to_owned(), line: 2, column: 1, ..Problem::default() },
            Problem { level: "note".to_owned(), ..Problem::default() },
        ];
        Msg::Opened(Box::new(Opened { revision, document, problems, counts: [1, 1, 2], tenths_ms: 5 }))
    }

    #[test]
    fn what_was_typed_before_the_compiler_came_is_sent_when_it_does() {
        let mut state = State::default();
        assert!(!update(&mut state, Msg::Edited("a".to_owned())).has(Dirty::REQUEST));
        assert!(update(&mut state, Msg::Ready(Vec::new())).has(Dirty::REQUEST));
        assert_eq!(state.engine, Engine::Busy { revision: 1, slow: false });
    }

    #[test]
    fn typing_while_busy_sends_only_the_last_text() {
        let mut state = page("a");
        assert!(update(&mut state, Msg::Edited("ab".to_owned())).has(Dirty::REQUEST));
        assert!(!update(&mut state, Msg::Edited("abc".to_owned())).has(Dirty::REQUEST));
        assert!(!update(&mut state, Msg::Edited("abcd".to_owned())).has(Dirty::REQUEST));
        assert!(update(&mut state, answer(2)).has(Dirty::REQUEST));
        assert_eq!(state.engine, Engine::Busy { revision: 4, slow: false });
        assert!(!update(&mut state, answer(4)).has(Dirty::REQUEST));
        assert_eq!(state.engine, Engine::Idle);
    }

    #[test]
    fn the_same_text_is_not_compiled_again() {
        let mut state = page("a");
        assert_eq!(update(&mut state, Msg::Edited("a".to_owned())), Dirty::NONE);
    }

    #[test]
    fn a_hang_is_ended_and_its_input_not_tried_again() {
        let mut state = page("a");
        update(&mut state, Msg::Edited("hang".to_owned()));
        assert!(update(&mut state, Msg::StillBusy(2)).has(Dirty::STATUS));
        assert_eq!(update(&mut state, Msg::TookTooLong(1)), Dirty::NONE, "an older deadline");
        assert!(update(&mut state, Msg::TookTooLong(2)).has(Dirty::RESTART));
        assert!(!update(&mut state, Msg::Ready(Vec::new())).has(Dirty::REQUEST));
        assert!(update(&mut state, Msg::Edited("fine".to_owned())).has(Dirty::REQUEST));
        assert!(state.shown.any, "the last good answer stays");
    }

    #[test]
    fn an_edit_during_recovery_is_sent_at_once() {
        let mut state = page("a");
        update(&mut state, Msg::Edited("bad".to_owned()));
        assert!(update(&mut state, Msg::Fault("index out of bounds".to_owned())).has(Dirty::RESTART));
        update(&mut state, Msg::Edited("good".to_owned()));
        assert!(update(&mut state, Msg::Ready(Vec::new())).has(Dirty::REQUEST));
    }

    #[test]
    fn a_compiler_that_does_not_start_is_not_started_for_ever() {
        let mut state = State::default();
        assert!(!update(&mut state, Msg::Fault("no network".to_owned())).has(Dirty::RESTART));
        assert_eq!(state.engine, Engine::Down);
        assert_eq!(state.notice.as_ref().and_then(|notice| notice.action), Some(Action::Retry));
        assert!(update(&mut state, Msg::Retry).has(Dirty::RESTART));
    }

    #[test]
    fn stop_ends_only_work_that_goes_on() {
        let mut state = page("a");
        assert_eq!(update(&mut state, Msg::Stop), Dirty::NONE);
        update(&mut state, Msg::Edited("long".to_owned()));
        assert!(update(&mut state, Msg::Stop).has(Dirty::RESTART));
    }

    #[test]
    fn a_replaced_text_comes_back() {
        let mut state = page("mine");
        let opened = Msg::Replaced { name: "loop.ir".to_owned(), text: "theirs".to_owned() };
        assert!(update(&mut state, opened).has(Dirty::INPUT));
        assert_eq!((state.input.text.as_str(), state.input.name.as_str()), ("theirs", "loop.ir"));
        assert!(update(&mut state, Msg::Undo).has(Dirty::INPUT));
        assert_eq!((state.input.text.as_str(), state.input.name.as_str()), ("mine", ""));
        assert_eq!(update(&mut state, Msg::Undo), Dirty::NONE);
    }

    #[test]
    fn the_pointer_lights_a_value_and_a_click_keeps_it() {
        let mut state = page("a");
        assert!(update(&mut state, Msg::Hover(Some(0))).has(Dirty::LINKS));
        assert_eq!(update(&mut state, Msg::Hover(Some(0))), Dirty::NONE);
        update(&mut state, Msg::Choose(Some(1)));
        update(&mut state, Msg::Hover(None));
        assert_eq!(state.lit(), Some(0));
        update(&mut state, Msg::Choose(None));
        assert_eq!(state.lit(), None);
    }

    #[test]
    fn keys_go_to_the_definition_and_round_the_uses() {
        let mut state = page("a");
        assert!(update(&mut state, Msg::Move(Step::Next)).has(Dirty::REVEAL));
        assert_eq!(state.cursor, Some(0));
        update(&mut state, Msg::Move(Step::Use));
        assert_eq!(state.cursor, Some(1));
        update(&mut state, Msg::Move(Step::Use));
        assert_eq!(state.cursor, Some(1), "round and round");
        update(&mut state, Msg::Move(Step::Definition));
        assert_eq!(state.cursor, Some(0));
        assert_eq!(update(&mut state, Msg::Move(Step::Previous)), Dirty::NONE);
    }

    #[test]
    fn a_problem_selects_its_place_if_it_has_one() {
        let mut state = page("one\ntwo");
        assert!(update(&mut state, Msg::Problem(0)).has(Dirty::SELECTION));
        assert_eq!(state.selection.map(|place| (place.start, place.end)), Some((4, 7)));
        assert_eq!(update(&mut state, Msg::Problem(1)), Dirty::NONE);
        assert_eq!(update(&mut state, Msg::Problem(9)), Dirty::NONE);
    }

    #[test]
    fn themes_go_round() {
        let round: Vec<_> = Theme::ALL.iter().map(|theme| theme.next()).collect();
        assert_eq!(round, [Theme::Light, Theme::Dark, Theme::System]);
        assert!(Theme::ALL.iter().all(|theme| Theme::named(theme.name()) == Some(*theme)));
        assert!(Pane::ALL.iter().all(|pane| Pane::named(pane.name()) == Some(*pane)));
    }
}

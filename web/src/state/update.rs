//! What each message changes. The only function that changes the state; it knows no DOM and no clock.
//!
//! The compiler is given one revision at a time and always the newest: while it is busy, typing only
//! counts revisions on. An input that brought it down is not given to it again until it is edited.

use crate::state::{
    Action, Dirty, Engine, Go, Link, Linked, Look, Msg, Notice, Opened, Pane, Shown, State, Step, Tab, Way,
    selection_at,
};

/// Changes the state; says what must be redrawn.
pub fn update(state: &mut State, msg: Msg) -> Dirty {
    match msg {
        Msg::Edited(text) => edited(state, text),
        Msg::Replaced { name, text } => replaced(state, name, text, None),
        Msg::Given { name, bytes } => replaced(state, name, String::new(), Some(bytes)),
        Msg::Refused(why) => tell(state, Notice { text: why, action: None, bad: true }),
        Msg::Undo => undo(state),

        Msg::Ready { classes, pipeline } => {
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
        Msg::Share => Dirty::SHARE,
        Msg::Link(link) => {
            state.link = Some(link);
            let ready = !matches!(state.engine, Engine::Starting | Engine::Recovering(_) | Engine::Down);
            if ready { Dirty::UNLINK } else { Dirty::NONE }
        }
        Msg::Linked(linked) => self::linked(state, *linked),
        Msg::ChooseId(id) => choose_id(state, id),
        Msg::Walk(way) => walk(state, way),
        Msg::Look(look) => looked(state, look),

        Msg::Pipeline(text) => pipeline(state, text),
        Msg::Go(go) => gone(state, go),
        Msg::Tab(tab) if tab == state.tab => Dirty::NONE,
        Msg::Tab(tab) => {
            state.tab = tab;
            change(state) | Dirty::FRAME
        }
        Msg::Func(func) => {
            state.func = Some(func);
            state.fresh = true;
            change(state)
        }
        Msg::Save(format) => {
            state.format = Some(format);
            Dirty::SAVE
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

fn edited(state: &mut State, text: String) -> Dirty {
    if text == state.input.text {
        return Dirty::NONE;
    }
    state.input.text = text;
    state.input.given = None;
    state.input.revision += 1;
    state.notice = None;
    change(state) | Dirty::STATUS
}

fn replaced(state: &mut State, name: String, text: String, given: Option<Vec<u8>>) -> Dirty {
    let notice = match name.as_str() {
        "" => "Pasted. What was there before can come back.".to_owned(),
        name => format!("Opened {name}."),
    };
    let input = &mut state.input;
    let before = (
        std::mem::replace(&mut input.text, text),
        std::mem::replace(&mut input.given, given),
        std::mem::replace(&mut input.name, name),
    );
    // An empty text is not worth bringing back.
    let action = (!before.0.trim().is_empty() || before.1.is_some()).then_some(Action::Undo);
    input.before = action.map(|_| before);
    state.dragging = false;
    let told = tell(state, Notice { text: notice, action, bad: false });
    another_input(state) | told | Dirty::FRAME
}

fn undo(state: &mut State) -> Dirty {
    let Some((text, given, name)) = state.input.before.take() else { return Dirty::NONE };
    state.input.text = text;
    state.input.given = given;
    state.input.name = name;
    state.notice = None;
    another_input(state) | Dirty::STATUS
}

/// What was chosen in the input before means nothing in this one.
fn another_input(state: &mut State) -> Dirty {
    state.input.revision += 1;
    state.at = None;
    state.func = None;
    state.fresh = true;
    state.chosen = None;
    change(state) | Dirty::INPUT
}

/// Opens what a link says; what is wrong with it is told, and what is whole is kept.
fn linked(state: &mut State, linked: Linked) -> Dirty {
    state.link = None;
    let told = match linked.problem.as_str() {
        "" => Dirty::NONE,
        problem => tell(state, Notice { text: sentence(problem), action: None, bad: true }),
    };
    if linked.bytes.is_empty() && !linked.problem.is_empty() {
        // The example that the page came with is better than nothing.
        return told | change(state);
    }
    let is_binary = matches!(linked.bytes.get(..4), Some([3, 2, 0x23, 7] | [7, 0x23, 2, 3]));
    match String::from_utf8(linked.bytes) {
        Ok(text) if !is_binary => (state.input.text, state.input.given) = (text, None),
        Ok(text) => (state.input.text, state.input.given) = (String::new(), Some(text.into_bytes())),
        Err(error) => (state.input.text, state.input.given) = (String::new(), Some(error.into_bytes())),
    }
    state.input.name = linked.name;
    state.input.before = None;
    let piped = pipeline(state, linked.pipeline);
    let dirty = another_input(state);
    (state.at, state.func, state.tab) = (linked.at, linked.func, linked.tab);
    told | piped | dirty | Dirty::FRAME
}

/// A sentence of its own: a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_ascii_uppercase(), chars.as_str()))
}

fn pipeline(state: &mut State, text: String) -> Dirty {
    state.own_pipeline = !text.trim().is_empty();
    let text = if state.own_pipeline { text } else { state.default_pipeline.clone() };
    if text == state.pipeline {
        return Dirty::PIPELINE;
    }
    state.pipeline = text;
    change(state) | Dirty::PIPELINE
}

/// Another step is shown at once on the timeline; its texts follow.
fn gone(state: &mut State, go: Go) -> Dirty {
    let timeline = &mut state.shown.timeline;
    let Some(to) = timeline.target(go) else { return Dirty::NONE };
    timeline.at = to;
    // At the end one stays at the end, whatever the pipeline becomes.
    state.at = (to < timeline.last()).then_some(to);
    change(state) | Dirty::TIMELINE
}

/// The compiler is to answer another question.
fn change(state: &mut State) -> Dirty {
    state.revision += 1;
    ask(state)
}

/// Gives the compiler the input if it waits for one.
fn ask(state: &mut State) -> Dirty {
    match state.engine {
        Engine::Idle => {
            state.engine = Engine::Busy { revision: state.revision, slow: false };
            Dirty::REQUEST | Dirty::STATUS
        }
        Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. } | Engine::Down => Dirty::NONE,
    }
}

fn opened(state: &mut State, opened: Opened) -> Dirty {
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

/// Looks at a graph for the first time, if the size of the pane is known.
fn look_at_first(state: &mut State) -> bool {
    let known = state.camera.pane[0] > 0;
    if known {
        state.camera.first_look(state.shown.graph.extent);
    }
    known
}

fn looked(state: &mut State, look: Look) -> Dirty {
    let before = state.camera;
    let camera = &mut state.camera;
    let middle = [camera.pane[0] / 2, camera.pane[1] / 2];
    match look {
        Look::Pane(size) => {
            camera.pane = size;
            if state.fresh && state.shown.any {
                state.fresh = !look_at_first(state);
            }
        }
        Look::Pan([x, y]) => {
            camera.x += x;
            camera.y += y;
        }
        Look::Zoom(per_cent, at) => camera.zoom_by(per_cent, at.unwrap_or(middle)),
        Look::Full => camera.zoom_to(100, middle),
        Look::Fit => camera.fit(state.shown.graph.extent),
        Look::Centre => {
            let block = state.chosen.and_then(|id| state.shown.graph.home(id));
            camera.centre(block.map_or(state.shown.graph.extent, |block| block.rect));
        }
    }
    if state.camera == before { Dirty::NONE } else { Dirty::CAMERA }
}

/// Chooses a thing wherever it is shown.
fn choose_id(state: &mut State, id: Option<u32>) -> Dirty {
    state.chosen = id;
    let document = &state.shown.document;
    state.cursor = id.and_then(|id| document.definition(id).or_else(|| document.uses(id).next()));
    let reveal = if state.cursor.is_some() { Dirty::REVEAL } else { Dirty::NONE };
    Dirty::LINKS | Dirty::STATUS | reveal
}

fn walk(state: &mut State, way: Way) -> Dirty {
    let graph = &state.shown.graph;
    let here = state.chosen.and_then(|id| graph.home(id)).map(|block| block.id);
    let to = match here {
        Some(id) => graph.beside(id, way),
        None => graph.blocks.iter().find(|block| block.entry).or(graph.blocks.first()).map(|block| block.id),
    };
    let Some(id) = to else { return Dirty::NONE };
    state.hover = None;
    choose_id(state, Some(id)) | show_home(state, id)
}

/// Moves the graph so that a thing's block is in sight.
fn show_home(state: &mut State, id: u32) -> Dirty {
    match state.shown.graph.home(id).map(|block| block.rect) {
        Some(rect) => {
            state.camera.reveal(rect);
            Dirty::CAMERA
        }
        None => Dirty::NONE,
    }
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
    let id = linked.and_then(|span| state.shown.document.span(span).link.id());
    if linked == state.cursor && id == state.chosen {
        return more;
    }
    state.cursor = linked;
    state.chosen = id;
    let seen = id.map_or(Dirty::NONE, |id| show_home(state, id));
    Dirty::LINKS | Dirty::STATUS | seen | more
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
        update(&mut state, ready());
        update(&mut state, answer(1));
        state
    }

    fn ready() -> Msg {
        Msg::Ready { classes: vec!["plain".to_owned()], pipeline: "dce".to_owned() }
    }

    /// `%0` made on the first line and used on the second; a problem with a place and one without.
    fn answer(revision: u32) -> Msg {
        let document = Document::new("%0 = 1\n%0\n".to_owned(), &[0, 2, 0, 1, 0, 7, 2, 0, 2, 0]);
        let problems = vec![
            Problem { level: "error".to_owned(), line: 2, column: 1, ..Problem::default() },
            Problem { level: "note".to_owned(), ..Problem::default() },
        ];
        let counts = [1, 1, 2];
        Msg::Opened(Box::new(Opened {
            revision,
            document,
            problems,
            counts,
            tenths_ms: 5,
            ..Opened::default()
        }))
    }

    #[test]
    fn what_was_typed_before_the_compiler_came_is_sent_when_it_does() {
        let mut state = State::default();
        assert!(!update(&mut state, Msg::Edited("a".to_owned())).has(Dirty::REQUEST));
        assert!(update(&mut state, ready()).has(Dirty::REQUEST));
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
        assert!(!update(&mut state, ready()).has(Dirty::REQUEST));
        assert!(update(&mut state, Msg::Edited("fine".to_owned())).has(Dirty::REQUEST));
        assert!(state.shown.any, "the last good answer stays");
    }

    #[test]
    fn an_edit_during_recovery_is_sent_at_once() {
        let mut state = page("a");
        update(&mut state, Msg::Edited("bad".to_owned()));
        assert!(update(&mut state, Msg::Fault("index out of bounds".to_owned())).has(Dirty::RESTART));
        update(&mut state, Msg::Edited("good".to_owned()));
        assert!(update(&mut state, ready()).has(Dirty::REQUEST));
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
    fn a_binary_is_shown_as_text_until_that_is_edited() {
        let mut state = page("a");
        update(&mut state, Msg::Given { name: "a.spv".to_owned(), bytes: vec![3, 2] });
        let source = "OpNop\n".to_owned();
        let answer = Opened { revision: 2, source: source.clone(), ..Opened::default() };
        assert!(update(&mut state, Msg::Opened(Box::new(answer))).has(Dirty::INPUT));
        assert_eq!((state.input.text.as_str(), state.input.given.as_deref()), ("OpNop\n", Some(&[3, 2][..])));
        assert_eq!(update(&mut state, Msg::Edited(source)), Dirty::NONE, "the editor says what it was given");
        assert!(update(&mut state, Msg::Edited("OpNop".to_owned())).has(Dirty::REQUEST));
        assert_eq!(state.input.given, None);
    }

    fn with_steps(state: &mut State, revision: u32, count: usize, at: usize) {
        let timeline =
            crate::state::Timeline { steps: vec![crate::state::TimelineStep::default(); count], at };
        update(state, Msg::Opened(Box::new(Opened { revision, timeline, ..Opened::default() })));
    }

    #[test]
    fn steps_are_shown_at_once_and_the_end_stays_the_end() {
        let mut state = page("a");
        update(&mut state, Msg::Edited("b".to_owned()));
        with_steps(&mut state, 2, 3, 3);
        assert!(update(&mut state, Msg::Go(Go::Previous)).has(Dirty::REQUEST));
        assert_eq!((state.at, state.shown_at()), (Some(2), 2));
        assert!(!update(&mut state, Msg::Go(Go::Previous)).has(Dirty::REQUEST), "one question at a time");
        with_steps(&mut state, 3, 3, 2);
        assert_eq!((state.at, state.shown_at()), (Some(1), 1), "the answer to the question before");
        with_steps(&mut state, 4, 3, 1);
        update(&mut state, Msg::Go(Go::Last));
        assert_eq!(state.at, None);
    }

    #[test]
    fn an_empty_pipeline_is_the_one_to_begin_with() {
        let mut state = page("a");
        assert_eq!(state.pipeline, "dce");
        assert!(update(&mut state, Msg::Pipeline("cse".to_owned())).has(Dirty::REQUEST));
        update(&mut state, Msg::Pipeline(" ".to_owned()));
        assert_eq!((state.pipeline.as_str(), state.own_pipeline), ("dce", false));
    }

    #[test]
    fn a_link_waits_for_the_compiler_and_opens_all_it_says() {
        let mut state = State::default();
        assert_eq!(update(&mut state, Msg::Link("1dx".to_owned())), Dirty::NONE);
        let dirty = update(&mut state, ready());
        assert!(dirty.has(Dirty::UNLINK) && !dirty.has(Dirty::REQUEST));
        let linked = Linked {
            bytes: b"func".to_vec(),
            pipeline: "cse".to_owned(),
            at: Some(1),
            tab: Tab::Changes,
            ..Linked::default()
        };
        assert!(update(&mut state, Msg::Linked(Box::new(linked))).has(Dirty::REQUEST));
        assert_eq!((state.input.text.as_str(), state.pipeline.as_str()), ("func", "cse"));
        assert_eq!((state.at, state.tab, state.notice.is_none()), (Some(1), Tab::Changes, true));
    }

    #[test]
    fn a_damaged_link_is_told_and_the_page_works() {
        let mut state = State::default();
        update(&mut state, Msg::Link("1dx".to_owned()));
        update(&mut state, ready());
        let linked = Linked { problem: "this link is damaged".to_owned(), ..Linked::default() };
        assert!(update(&mut state, Msg::Linked(Box::new(linked))).has(Dirty::REQUEST));
        assert_eq!(state.notice.map(|notice| notice.text).as_deref(), Some("This link is damaged."));
    }

    #[test]
    fn the_first_look_waits_for_the_size_of_the_pane() {
        let mut state = page("a");
        update(&mut state, Msg::Replaced { name: String::new(), text: "b".to_owned() });
        update(&mut state, answer(2));
        assert!(state.fresh);
        assert!(update(&mut state, Msg::Look(Look::Pane([400, 300]))).has(Dirty::CAMERA));
        assert!(!state.fresh);
        assert_eq!(update(&mut state, Msg::Look(Look::Pan([0, 0]))), Dirty::NONE);
    }

    #[test]
    fn themes_go_round() {
        let round: Vec<_> = Theme::ALL.iter().map(|theme| theme.next()).collect();
        assert_eq!(round, [Theme::Light, Theme::Dark, Theme::System]);
        assert!(Theme::ALL.iter().all(|theme| Theme::named(theme.name()) == Some(*theme)));
        assert!(Pane::ALL.iter().all(|pane| Pane::named(pane.name()) == Some(*pane)));
    }
}

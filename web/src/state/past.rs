//! The history of the view: versions, functions, tabs and folds, back and forward.
//!
//! The text has its own history in the editor, and the pipeline has one in `passes`. A tab has each of them for itself.
//! Limits: a history lasts as long as the page.

use crate::state::update::{another_view, notify};
use crate::state::{Camera, Dirty, Fold, GraphEvent, Msg, Notice, State, Tab};

/// The length of a history.
const MOST: usize = 200;

/// The views before and after the shown one, nearest last.
#[derive(Debug, Default)]
pub(in crate::state) struct Past {
    back: Vec<Place>,
    forward: Vec<Place>,
}

/// A view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::state) struct Place {
    at: Option<usize>,
    func: Option<u32>,
    tab: Tab,
    target: String,
    folds: Vec<(Fold, u32)>,
    opened: Vec<u32>,
    camera: Camera,
}

impl Place {
    fn of(state: &State) -> Place {
        Place {
            at: state.at,
            func: state.func,
            tab: state.tab,
            target: state.target.clone(),
            folds: state.scene.folds.clone(),
            opened: state.scene.opened.clone(),
            camera: state.camera,
        }
    }

    fn is_same(&self, other: &Place) -> bool {
        (self.at, self.func, self.tab, &self.target) == (other.at, other.func, other.tab, &other.target)
    }
}

/// The view before a message, if the message changes views.
pub(in crate::state) fn before(state: &State, msg: &Msg) -> Option<Place> {
    let changes = match msg {
        Msg::Go(_) | Msg::Func(_) | Msg::Tab(_) | Msg::Target(_) => true,
        Msg::Graph(event) => is_fold(event),
        _ => false,
    };
    (changes && state.shown.any).then(|| Place::of(state))
}

fn is_fold(event: &GraphEvent) -> bool {
    matches!(event, GraphEvent::Fold | GraphEvent::FoldLoop(_) | GraphEvent::FoldAll | GraphEvent::Open(_))
}

/// Records the view before a message, if another one follows.
pub(in crate::state) fn record(state: &mut State, before: Option<Place>) {
    let Some(before) = before else { return };
    // The compiler answers with the folds.
    let folds = state.scene.toggle.is_some() || state.scene.sending.0.is_some();
    if folds || !before.is_same(&Place::of(state)) {
        let past = &mut state.keep.past;
        past.forward.clear();
        past.back.push(before);
        if past.back.len() > MOST {
            past.back.remove(0);
        }
    }
}

/// Shows the view before, or the one after.
pub(in crate::state) fn travel(state: &mut State, forward: bool) -> Dirty {
    let past = &mut state.keep.past;
    let Some(place) = (if forward { past.forward.pop() } else { past.back.pop() }) else {
        let text = if forward { "This is the last view." } else { "This is the first view." }.to_owned();
        return notify(state, Notice { text, action: None, bad: false });
    };
    let here = Place::of(state);
    let is_other = here.func != place.func;
    let past = &mut state.keep.past;
    if forward {
        past.back.push(here);
    } else {
        past.forward.push(here);
    }
    let last = state.shown.timeline.last();
    state.shown.timeline.at = place.at.unwrap_or(last).min(last);
    (state.at, state.func, state.tab, state.target) = (place.at, place.func, place.tab, place.target);
    (state.scene.folds, state.scene.opened) = (place.folds, place.opened);
    another_view(state, is_other.then_some(place.camera))
}

/// Gives things other numbers, see `keep::numbered`.
pub(in crate::state) fn renumber(past: &mut Past, number: impl Fn(u32) -> Option<u32>) {
    for place in past.back.iter_mut().chain(&mut past.forward) {
        place.folds.retain_mut(|fold| number(fold.1).map(|now| fold.1 = now).is_some());
        place.opened.retain_mut(|block| number(*block).map(|now| *block = now).is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Engine, Go, PassStep, keep, update};

    fn page() -> State {
        let mut state = State { engine: Engine::Idle, ..State::default() };
        state.shown.any = true;
        state.shown.timeline.steps = vec![PassStep::default(); 3];
        state.shown.timeline.at = 3;
        state
    }

    fn travel(state: &mut State, forward: bool) {
        update(state, keep::Event::Travel(forward).into());
    }

    #[test]
    fn views_come_back_in_order_and_a_new_one_ends_the_history() {
        let mut state = page();
        update(&mut state, Msg::Go(Go::To(1)));
        update(&mut state, Msg::Tab(Tab::Changes));
        update(&mut state, Msg::Tab(Tab::Changes));
        let seen = |state: &State| (state.shown.timeline.at, state.at, state.tab);
        travel(&mut state, false);
        assert_eq!(seen(&state), (1, Some(1), Tab::Ir));
        travel(&mut state, false);
        assert_eq!(seen(&state), (3, None, Tab::Ir));
        travel(&mut state, true);
        assert_eq!(seen(&state), (1, Some(1), Tab::Ir));
        update(&mut state, Msg::Tab(Tab::Memory));
        travel(&mut state, true);
        assert_eq!(seen(&state), (1, Some(1), Tab::Memory));
        assert!(state.notice.is_some_and(|notice| notice.text.contains("last view")));
    }

    #[test]
    fn a_fold_is_a_view() {
        let mut state = page();
        update(&mut state, Msg::Graph(GraphEvent::FoldAll));
        state.scene.folds = vec![(Fold::Loop, 7)];
        travel(&mut state, false);
        assert!(state.scene.folds.is_empty());
        travel(&mut state, true);
        assert_eq!(state.scene.folds, [(Fold::Loop, 7)]);
    }

    #[test]
    fn another_input_has_no_history() {
        let mut state = page();
        update(&mut state, Msg::Go(Go::To(1)));
        update(&mut state, Msg::Replaced { name: String::new(), text: "other".to_owned() });
        travel(&mut state, false);
        assert_eq!(state.at, None);
    }
}

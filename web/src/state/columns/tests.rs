//! Choices, requests and cursor moves of the columns.

use super::*;
use crate::state::{PassStep, Timeline};
use vitrine_protocol::{StyledText, Table, Utf8};

fn page(steps: &[Outcome]) -> State {
    let step = |outcome: &Outcome| PassStep { outcome: *outcome, ..PassStep::default() };
    let mut state = State { engine: Engine::Idle, tab: Tab::Columns, ..State::default() };
    state.shown.any = true;
    state.shown.timeline = Timeline { steps: steps.iter().map(step).collect(), at: 1 };
    state
}

/// Two columns, two rows: `%1` and `%2 %1` on the left, the same and nothing on the right, a fold below.
fn answer(state: &State) -> Window {
    let words = vec![0, 2, 0, 1, 1, 3, 2, 0, 1, 1, 6, 2, 0, 1, 2, 9, 2, 0, 2, 1];
    Window {
        serial: state.columns.serial,
        rows: 40,
        versions: vec![0, 1],
        heads: Table::from_words(vec![9, 0, 0, 0, 0, 9, 0, 1, 0, 0]),
        text: StyledText {
            text: Utf8("%1\n%1\n%2 %1\n".to_owned()),
            spans: Table::from_words(words),
            ..StyledText::default()
        },
        table: Table::from_words(vec![
            0, 0, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 0, 3, 5, 2, 0, 0, 2, 0, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]),
        found: state.columns.find.map(|_| 0),
        ..Window::default()
    }
}

fn following(state: &mut State, command: CompilerCommand) -> bool {
    follow(state);
    state.took(command)
}

fn updating(state: &mut State, event: Event, command: CompilerCommand) -> bool {
    update(state, event);
    state.took(command)
}

fn requested(outcomes: &[Outcome]) -> State {
    let mut state = page(outcomes);
    assert!(following(&mut state, CompilerCommand::Columns));
    state
}

#[test]
fn the_default_columns_are_changed_versions_with_the_first_and_the_last() {
    use Outcome::{Changed, Unchanged};
    let state = requested(&[Changed, Unchanged, Changed]);
    assert_eq!(state.columns.chosen, [0, 1, 3]);
    let state = requested(&[Changed; 12]);
    assert_eq!(state.columns.chosen, [0, 3, 6, 9, 12]);
    assert_eq!(requested(&[]).columns.chosen, [0]);
}

#[test]
fn stages_of_pointers_are_the_default_columns_of_their_pipeline() {
    let (no, yes) = (Outcome::Unchanged, Outcome::Changed);
    let mut state = page(&[yes, yes, no, yes, yes]);
    for (at, name) in [(1, "qptr-lower"), (2, "qptr-legalize"), (3, "qptr-lift")] {
        state.shown.timeline.steps[at].pass = name.to_owned();
    }
    follow(&mut state);
    assert_eq!(state.columns.chosen, [1, 2, 4]);
    update(&mut state, Event::Take(Choice::Ends));
    update(&mut state, Event::Take(Choice::Pointers));
    assert_eq!(state.columns.chosen, [1, 2, 4]);
    let mut state = page(&[Outcome::Changed]);
    state.tab = Tab::Ir;
    assert!(update(&mut state, Event::Take(Choice::Pointers)).intersects(Dirty::PIPELINE));
    assert_eq!((state.pipeline.as_str(), state.tab), (POINTERS, Tab::Columns));
    assert_eq!((state.keep.tabs.len(), state.keep.current), (2, 1), "beside the other pipeline");
    assert_eq!(state.keep.tabs[0].pipeline, None);
}

#[test]
fn a_restarted_worker_gets_the_request_again() {
    let mut state = requested(&[Outcome::Changed]);
    state.engine = Engine::Recovering(1);
    assert_eq!(follow(&mut state), Dirty::empty());
    state.engine = Engine::Idle;
    assert!(following(&mut state, CompilerCommand::Columns));
}

#[test]
fn no_request_is_sent_again_or_while_the_compiler_is_busy() {
    let mut state = requested(&[Outcome::Changed]);
    assert_eq!(follow(&mut state), Dirty::empty());
    state.pipeline = "dce".to_owned();
    state.engine = Engine::Busy { revision: 2, slow: false };
    assert_eq!(follow(&mut state), Dirty::empty());
    state.engine = Engine::Idle;
    assert!(following(&mut state, CompilerCommand::Columns));
}

#[test]
fn chosen_columns_are_kept_for_the_input() {
    let mut state = requested(&[Outcome::Changed; 3]);
    update(&mut state, Event::Toggle(1));
    assert_eq!(state.columns.chosen, [0, 2, 3]);
    update(&mut state, Event::Toggle(1));
    update(&mut state, Event::Take(Choice::Ends));
    assert_eq!(state.columns.chosen, [0, 3]);
    update(&mut state, Event::Until(2));
    assert_eq!(state.columns.chosen, [0, 1, 2, 3]);
    state.pipeline = "dce".to_owned();
    state.shown.timeline.steps.pop();
    follow(&mut state);
    assert_eq!(state.columns.chosen, [0, 1, 2]);
    state.input.revision += 1;
    state.shown.timeline.steps.pop();
    follow(&mut state);
    assert_eq!(state.columns.chosen, [0, 1]);
}

#[test]
fn the_last_column_stays() {
    let mut state = requested(&[]);
    assert_eq!(update(&mut state, Event::Toggle(0)), Dirty::empty());
    assert_eq!(state.columns.chosen, [0]);
}

#[test]
fn only_the_answer_to_the_last_request_counts() {
    let mut state = requested(&[Outcome::Changed]);
    let old = answer(&state);
    update(&mut state, Event::Fold);
    assert_eq!(answered(&mut state, old), Dirty::empty());
    assert!(state.columns.is_stale());
    let new = answer(&state);
    assert!(answered(&mut state, new).intersects(Dirty::COLUMNS));
    assert_eq!(state.columns.view.range(), 0..3);
}

#[test]
fn scrolling_out_of_the_window_requests_another() {
    let mut state = requested(&[Outcome::Changed]);
    let view = answer(&state);
    answered(&mut state, view);
    assert_eq!(update(&mut state, Event::Visible(0, 3)), Dirty::empty());
    assert!(updating(&mut state, Event::Visible(2, 10), CompilerCommand::Columns));
    assert_eq!(state.columns.window(), 0..72);
    assert_eq!(update(&mut state, Event::Visible(5, 10)), Dirty::empty(), "one request at a time");
}

#[test]
fn keys_move_through_cells_and_stop_at_folds() {
    let mut state = requested(&[Outcome::Changed]);
    let view = answer(&state);
    answered(&mut state, view);
    update(&mut state, Event::Visible(0, 3));
    update(&mut state, Event::Move(CellMove::Down));
    assert_eq!((state.columns.cursor, state.chosen), (Some((0, 0, 0)), Some(1)));
    update(&mut state, Event::Move(CellMove::Right));
    assert_eq!(state.columns.cursor, Some((0, 1, 0)));
    update(&mut state, Event::Move(CellMove::Left));
    update(&mut state, Event::Move(CellMove::Down));
    update(&mut state, Event::Move(CellMove::Right));
    assert_eq!((state.columns.cursor, state.chosen), (Some((1, 0, 1)), Some(1)));
    assert_eq!(update(&mut state, Event::Move(CellMove::Right)), Dirty::empty(), "the end of the row");
    update(&mut state, Event::Move(CellMove::Down));
    assert_eq!((state.columns.cursor, state.chosen), (Some((2, 0, 0)), None));
    update(&mut state, Event::Definition);
    assert_eq!(state.columns.opened(), [2]);
}

#[test]
fn a_click_on_a_use_goes_to_the_definition_in_its_column() {
    let mut state = requested(&[Outcome::Changed]);
    let view = answer(&state);
    answered(&mut state, view);
    assert!(updating(&mut state, Event::Choose(0, 3), CompilerCommand::Columns));
    assert_eq!((state.chosen, state.columns.find), (Some(1), Some((1, 0))));
    let view = answer(&state);
    answered(&mut state, view);
    assert_eq!((state.columns.cursor, state.columns.reveal), (Some((0, 0, 0)), Some(0)));
    assert!(!updating(&mut state, Event::Choose(0, 0), CompilerCommand::Columns), "it is the definition");
}

#[test]
fn a_cell_is_shown_with_its_column_after_the_answer() {
    let mut state = requested(&[Outcome::Changed]);
    let window = answer(&state);
    answered(&mut state, window);
    assert!(updating(&mut state, Event::Show(7, 1), CompilerCommand::Columns));
    assert_eq!(state.columns.find_cell, Some((7, 1)));
    let window = Window { found: Some(3), ..answer(&state) };
    answered(&mut state, window);
    let columns = &state.columns;
    assert_eq!((columns.find_cell, columns.reveal, columns.reveal_column), (None, Some(3), Some(1)));
    assert!(updating(&mut state, Event::Text, CompilerCommand::ColumnsText));
}

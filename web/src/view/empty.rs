//! The empty graph: the reason that there is nothing to draw, the command that converts the input, and examples.
//!
//! The pane of the graph decides if it is shown.

use web_sys::{Event, HtmlElement};

use crate::dom::{by_id, data_around, listen as on};
use crate::state::{Dirty, Level, State};
use crate::view::open;
use crate::view::problems::{command_into, copy_command, sentence_into};

/// Writes the reason.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if dirty.intersects(Dirty::GRAPH | Dirty::PROBLEMS) {
        let mut html = String::new();
        sentence_into(&mut html, &reason(state));
        let problems = state.shown.problems.iter().enumerate();
        if let Some((number, first)) = problems.into_iter().find(|(_, problem)| problem.level == Level::Error)
        {
            command_into(&mut html, number, first);
        }
        by_id::<HtmlElement>("graph-why").set_inner_html(&html);
    }
}

/// The reason that there is no graph, as sentences.
fn reason(state: &State) -> String {
    let mut errors = state.shown.problems.iter().filter(|problem| problem.level == Level::Error);
    let (first, more) = (errors.next(), errors.count());
    match first {
        Some(first) => {
            let count = if more == 0 { "One error".to_owned() } else { format!("{} errors", more + 1) };
            let place = if first.line > 0 { format!(" in line {}", first.line) } else { String::new() };
            let end = if first.message.ends_with(['?', '.']) { "" } else { "." };
            format!("Nothing can be drawn. {count}; the first{place}: {}{end}", first.message)
        }
        None if state.input.bytes().iter().all(u8::is_ascii_whitespace) => "The input is empty.".to_owned(),
        None => "The program has no function with a body.".to_owned(),
    }
}

/// Listens to the buttons of the examples.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("graph-empty"), "click", |event: Event| {
        if let Some(name) = data_around(event.target(), "example") {
            open::example(&name);
        }
        copy_command(&event);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Diagnostic;

    #[test]
    fn the_reason_names_the_first_error() {
        let mut state = State::default();
        assert_eq!(reason(&state), "The input is empty.");
        state.input.text = "func".to_owned();
        assert_eq!(reason(&state), "The program has no function with a body.");
        let error =
            |line, message: &str| Diagnostic { line, message: message.to_owned(), ..Diagnostic::default() };
        state.shown.problems = vec![Diagnostic { level: Level::Error, ..error(3, "no type") }];
        assert_eq!(reason(&state), "Nothing can be drawn. One error; the first in line 3: no type.");
        state.shown.problems.push(Diagnostic { level: Level::Error, ..error(0, "no end") });
        assert!(reason(&state).starts_with("Nothing can be drawn. 2 errors; the first in line 3"));
    }
}

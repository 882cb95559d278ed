//! The diagnostics of the input: a list, each entry a button that selects its position.
//!
//! Limits: the first [`MOST`] are listed; the others are counted.

use std::fmt::Write;

use web_sys::{Event, HtmlElement};

use crate::dom::{by_id, data_around, escape_into, joined, listen as on};
use crate::state::{Diagnostic, Dirty, Level, Msg, OFFER, SlangEvent, State};
use crate::store;
use crate::view::output::copy;

/// The length of the list.
const MOST: usize = 200;

/// The elements of the pane.
pub(crate) struct Problems {
    list: HtmlElement,
    tally: HtmlElement,
    badge: HtmlElement,
}

impl Problems {
    /// Finds the elements.
    pub(crate) fn find() -> Problems {
        Problems { list: by_id("problems"), tally: by_id("tally"), badge: by_id("badge") }
    }

    /// Shows the list.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if !dirty.intersects(Dirty::PROBLEMS) {
            return;
        }
        let problems = &state.shown.problems;
        let mut html = String::new();
        for (number, problem) in problems.iter().take(MOST).enumerate() {
            draw_problem(&mut html, number, problem);
        }
        if problems.len() > MOST {
            let _ = write!(html, "<li><p>and {} more</p></li>", problems.len() - MOST);
        }
        self.list.set_inner_html(&html);
        self.list.set_hidden(problems.is_empty());
        self.tally.set_text_content(Some(&tally(state)));
        let badge = if problems.is_empty() { String::new() } else { problems.len().to_string() };
        self.badge.set_text_content(Some(&badge));
    }
}

fn draw_problem(html: &mut String, number: usize, problem: &Diagnostic) {
    let Diagnostic { level, code, message, line, column } = problem;
    let disabled = if *line == 0 { " disabled" } else { "" };
    let _ = write!(html, "<li><button data-problem={number}{disabled}><span class=place>");
    match line {
        0 => html.push('–'),
        line => {
            let _ = write!(html, "{line}:{column}");
        }
    }
    let level = level.name();
    let _ = write!(html, "</span><span class=\"level {level}\">");
    escape_into(html, &format!("{level} {code}"));
    html.push_str("</span><span>");
    sentence_into(html, message);
    html.push_str("</span></button>");
    command_into(html, number, problem);
    page_into(html, code);
    html.push_str("</li>");
}

/// The link to the page of a diagnostic: a program with it, and its repair.
fn page_into(html: &mut String, code: &str) {
    if !code.is_empty() {
        html.push_str("<a class=about target=_blank href=\"ref/diag/");
        escape_into(html, code);
        html.push_str("/\">About ");
        escape_into(html, code);
        html.push_str("</a>");
    }
}

/// The button for the command of a diagnostic that has one, or that loads the front end of its language.
pub(crate) fn command_into(html: &mut String, number: usize, problem: &Diagnostic) {
    if problem.code == "I009" && problem.message.ends_with(OFFER) {
        html.push_str("<button class=command data-load=slang>Load Slang</button>");
    }
    if command(problem).is_some() {
        let _ = write!(html, "<button class=command data-command={number}>Copy command</button>");
    }
}

/// The command that converts an input in a language that is not read, see `core/front/src/foreign.rs`.
fn command(problem: &Diagnostic) -> Option<&str> {
    let is_foreign = matches!(problem.code.as_str(), "I001" | "I002" | "I009");
    let rest = problem.message.split_once("convert it with `").filter(|_| is_foreign)?.1;
    rest.split('`').next()
}

/// A sentence as markup; text between backticks becomes code.
pub(crate) fn sentence_into(html: &mut String, sentence: &str) {
    let parts: Vec<&str> = sentence.split('`').collect();
    // A last backtick without its pair is text.
    let paired = parts.len() - usize::from(parts.len().is_multiple_of(2));
    for (number, part) in parts.iter().enumerate() {
        match (number < paired, number % 2) {
            (true, 0) => escape_into(html, part),
            (true, _) => {
                html.push_str("<code>");
                escape_into(html, part);
                html.push_str("</code>");
            }
            (false, _) => {
                html.push('`');
                escape_into(html, part);
            }
        }
    }
}

/// The numbers of diagnostics, in words.
fn tally(state: &State) -> String {
    if !state.shown.any {
        return "not checked yet".to_owned();
    }
    let count = |level: Level| state.shown.problems.iter().filter(|problem| problem.level == level).count();
    let parts = Level::ALL.map(|level| (level.name(), count(level)));
    let words = parts.iter().filter(|(_, count)| *count > 0).map(|(level, count)| match count {
        1 => format!("1 {level}"),
        many => format!("{many} {level}s"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { joined(&words, ", ") }
}

/// Listens to the list.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("problems"), "click", |event: Event| {
        if let Some(number) = data_around(event.target(), "problem").and_then(|word| word.parse().ok()) {
            store::send(Msg::Problem(number));
        }
        copy_command(&event);
    });
}

/// Copies the command of a diagnostic, or loads the front end of its language, if a button for that was pressed.
pub(crate) fn copy_command(event: &Event) {
    if data_around(event.target(), "load").is_some() {
        store::send(SlangEvent::Load.into());
    }
    let Some(number) = data_around(event.target(), "command").and_then(|word| word.parse().ok()) else {
        return;
    };
    let command =
        |state: &State| state.shown.problems.get::<usize>(number).and_then(command).map(str::to_owned);
    if let Some(command) = store::with_state(command).flatten() {
        copy(&command, "Command copied.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Shown;

    fn problem(level: Level, line: u32) -> Diagnostic {
        Diagnostic { level, code: "E001".to_owned(), message: "a < b".to_owned(), line, column: 7 }
    }

    #[test]
    fn an_entry_shows_its_place_and_is_escaped() {
        let mut html = String::new();
        draw_problem(&mut html, 3, &problem(Level::Error, 2));
        assert!(html.contains("data-problem=3><span class=place>2:7<"), "{html}");
        assert!(html.contains("level error") && html.contains("a &lt; b"), "{html}");
        assert!(html.contains("href=\"ref/diag/E001/\">About E001</a>"), "{html}");
    }

    #[test]
    fn the_command_for_a_foreign_language_can_be_copied() {
        let with = |code: &str, message: &str| {
            let mut html = String::new();
            let diag =
                Diagnostic { code: code.to_owned(), message: message.to_owned(), ..problem(Level::Error, 0) };
            draw_problem(&mut html, 4, &diag);
            (html.contains("data-command=4"), command(&diag).map(str::to_owned))
        };
        let glsl = "this looks like GLSL; convert it with `glslc a.frag` and open it";
        assert_eq!(with("I001", glsl), (true, Some("glslc a.frag".to_owned())));
        assert_eq!(with("I001", "this looks like JSON"), (false, None));
        assert_eq!(with("E001", glsl), (false, None));
    }

    #[test]
    fn a_front_end_that_is_not_loaded_has_a_button() {
        let with = |code: &str, message: String| {
            let mut html = String::new();
            draw_problem(
                &mut html,
                0,
                &Diagnostic { code: code.to_owned(), message, ..problem(Level::Error, 0) },
            );
            html.contains("data-load=slang>Load Slang</button>")
        };
        assert!(with("I009", format!("compiling HLSL needs Slang; {OFFER}")));
        assert!(!with("I009", "Slang is being loaded".to_owned()) && !with("I008", OFFER.to_owned()));
    }

    #[test]
    fn code_in_a_sentence_is_drawn_as_code() {
        let drawn = |sentence: &str| {
            let mut html = String::new();
            sentence_into(&mut html, sentence);
            html
        };
        assert_eq!(drawn("as in `a < b`, or `c`"), "as in <code>a &lt; b</code>, or <code>c</code>");
        assert_eq!(drawn("`x` and a lone ` here"), "<code>x</code> and a lone ` here");
        assert_eq!(drawn(""), "");
    }

    #[test]
    fn a_diagnostic_without_a_position_is_no_active_button() {
        let mut html = String::new();
        draw_problem(&mut html, 0, &problem(Level::Note, 0));
        assert!(html.contains("data-problem=0 disabled>"), "{html}");
    }

    #[test]
    fn problems_are_counted_by_level() {
        let problems = vec![problem(Level::Error, 1), problem(Level::Note, 1), problem(Level::Error, 2)];
        let mut state =
            State { shown: Shown { problems, any: true, ..Shown::default() }, ..State::default() };
        assert_eq!(tally(&state), "2 errors, 1 note");
        state.shown.problems.clear();
        assert_eq!(tally(&state), "none");
    }
}

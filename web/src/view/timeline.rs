//! The timeline: a button for each step, the text of the pipeline, the effect of the shown step.
//!
//! Limits: all steps are elements; a pipeline of thousands of steps scrolls, and is slow to draw.

use std::fmt::Write;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent};

use crate::dom::{by_id, data_around, document, escape_into, frame, listen as on};
use crate::state::{Dirty, Go, Level, Msg, Outcome, State, StepLabel};
use crate::store;
use crate::view::{columns, passes};

/// The elements of the timeline.
pub(crate) struct Timeline {
    chips: HtmlElement,
    step: HtmlElement,
    field: HtmlInputElement,
    problem: HtmlElement,
    /// The drawn steps.
    drawn: String,
}

impl Timeline {
    /// Finds the elements.
    pub(crate) fn find() -> Timeline {
        Timeline {
            chips: by_id("steps"),
            step: by_id("step"),
            field: by_id("pipeline"),
            problem: by_id("pipeline-problem"),
            drawn: String::new(),
        }
    }

    /// Shows the steps and the pipeline.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        if dirty.intersects(Dirty::PIPELINE) && self.field.value() != state.pipeline {
            self.field.set_value(&state.pipeline);
        }
        if !dirty.intersects(Dirty::TIMELINE) {
            return;
        }
        let html = chips(state);
        if html != self.drawn {
            self.chips.set_inner_html(&html);
            self.drawn = html;
        }
        self.mark(state.shown_at());
        self.step.set_inner_html(&describe(state));
        // Passes do not run on the programs of a comparison.
        self.field.set_disabled(state.shown.programs > 0);
        let problem = state.shown.pipeline_problems.first();
        let words = problem.map_or_else(String::new, |problem| match problem.column {
            0 => problem.message.clone(),
            column => format!("column {column}: {}", problem.message),
        });
        self.problem.set_text_content(Some(&words));
        let is_bad = problem.is_some_and(|problem| problem.level == Level::Error);
        let _ = self.field.set_attribute("aria-invalid", if is_bad { "true" } else { "false" });
        for (id, go) in [("back", Go::PreviousChange), ("on", Go::NextChange)] {
            let end = state.shown.timeline.target(go).is_none();
            // Not `disabled`: a pressed button must not lose the focus at the end.
            let _ =
                by_id::<HtmlElement>(id).set_attribute("aria-disabled", if end { "true" } else { "false" });
        }
    }

    /// Marks the shown version and scrolls to it.
    fn mark(&self, at: usize) {
        let Ok(found) = self.chips.query_selector_all("button") else { return };
        for place in 0..found.length() {
            let Some(chip) = found.item(place).and_then(|node| node.dyn_into::<HtmlElement>().ok()) else {
                continue;
            };
            let is_shown = place as usize == at;
            let _ = match is_shown {
                true => chip.set_attribute("aria-current", "step"),
                false => chip.remove_attribute("aria-current"),
            };
            let _ = chip.set_attribute("tabindex", if is_shown { "0" } else { "-1" });
            if is_shown {
                let chips = self.chips.clone();
                // In the next frame: reading sizes now would lay out the page in this task, too.
                frame(move || {
                    let (left, right) = (chip.offset_left(), chip.offset_left() + chip.offset_width());
                    let (from, width) = (chips.scroll_left(), chips.client_width());
                    if left < from || right > from + width {
                        chips.set_scroll_left(left - width / 2);
                    }
                });
            }
        }
    }
}

/// All steps as markup. Steps of the same iteration of a group have a common frame. The style shows a step without
/// changes as a dot.
pub(crate) fn chips(state: &State) -> String {
    let mut html = String::from("<button data-at=0 class=start><b></b><span>input</span></button>");
    let mut frame = (0, 0);
    for (at, step) in (1..).zip(&state.shown.timeline.steps) {
        let of_step = (step.group, step.iteration);
        if of_step != frame {
            html.push_str(if frame.1 > 0 { "</div>" } else { "" });
            if step.iteration > 0 {
                let number = step.iteration;
                let _ =
                    write!(html, "<div class=iteration data-number={number} title=\"Iteration {number}\">");
            }
            frame = of_step;
        }
        let outcome = step.outcome.name();
        let size = match step.outcome {
            Outcome::Failed | Outcome::Invalid => "✗".to_owned(),
            Outcome::Unchanged | Outcome::Changed => String::new(),
        };
        let skipped = if step.skipped.is_empty() { "" } else { " skipped" };
        let _ = write!(html, "<button data-at={at} class=\"{outcome}{skipped} h{}\" title=\"", step.height());
        escape_into(&mut html, &title(step));
        let _ = write!(html, "\"><b>{size}</b><span>");
        escape_into(&mut html, &step.pass);
        html.push_str("</span></button>");
    }
    html.push_str(if frame.1 > 0 { "</div>" } else { "" });
    html
}

/// A description of a step: its name, its iteration, its effect.
fn title(step: &crate::state::PassStep) -> String {
    let iteration =
        if step.iteration > 1 { format!(", iteration {}", step.iteration) } else { String::new() };
    let did = match step.outcome {
        Outcome::Unchanged if !step.skipped.is_empty() => format!("skipped: {}", step.skipped),
        Outcome::Unchanged => "changed nothing".to_owned(),
        Outcome::Changed => changes(step.changes),
        Outcome::Failed | Outcome::Invalid => step.message.clone(),
    };
    let time = step.time().map_or(String::new(), |time| format!(", {time}"));
    format!("{}{iteration}: {did}{time}", step.name())
}

fn changes(count: u32) -> String {
    match count {
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    }
}

/// A description of the shown step, with its verdict.
pub(crate) fn describe(state: &State) -> String {
    let timeline = &state.shown.timeline;
    let mut html = String::new();
    let place = format!("{} / {}", timeline.at, timeline.last());
    let _ = write!(html, "<span class=place>{place}</span> ");
    let Some(step) = timeline.step() else {
        html.push_str("<b>input</b> <span class=dim>as it was read</span>");
        return match (timeline.last(), errors(state)) {
            (0, 1..) => format!("<span class=place>not run</span> <b>{}</b>", counted_errors(errors(state))),
            _ => html,
        };
    };
    html.push_str("<b>");
    escape_into(&mut html, &step.name());
    html.push_str("</b> ");
    if step.iteration > 1 {
        let _ = write!(html, "<span class=dim>iteration {}</span> ", step.iteration);
    }
    let time = step.time().map_or(String::new(), |time| format!(" · {time}"));
    match step.outcome {
        Outcome::Unchanged if !step.skipped.is_empty() => {
            html.push_str("<span class=dim>skipped: ");
            escape_into(&mut html, &step.skipped);
            html.push_str("</span>");
        }
        Outcome::Unchanged => {
            let _ = write!(html, "<span class=dim>no change{time} · valid ✓</span>");
        }
        Outcome::Changed => {
            let sizes = sizes(timeline, step);
            let _ =
                write!(html, "<span class=dim>{} · {sizes}{time} · valid ✓</span>", changes(step.changes));
        }
        Outcome::Failed | Outcome::Invalid => {
            html.push_str("<span class=bad>✗ ");
            escape_into(&mut html, &step.message);
            html.push_str("</span>");
        }
    }
    html
}

/// The number of errors of the input.
fn errors(state: &State) -> usize {
    state.shown.problems.iter().filter(|problem| problem.level == Level::Error).count()
}

fn counted_errors(count: usize) -> String {
    if count == 1 { "1 error".to_owned() } else { format!("{count} errors") }
}

/// The size of the program after a step, and its change.
fn sizes(timeline: &crate::state::Timeline, step: &crate::state::PassStep) -> String {
    let before = timeline.at.checked_sub(2).and_then(|at| timeline.steps.get(at));
    let grown = |now: u32, before: Option<u32>| match before.map(|before| i64::from(now) - i64::from(before))
    {
        None | Some(0) => String::new(),
        Some(more @ 1..) => format!(" (+{more})"),
        Some(fewer) => format!(" (−{})", fewer.unsigned_abs()),
    };
    let [insts, blocks] = [(step.insts, "instruction"), (step.blocks, "block")]
        .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }));
    let more = grown(step.insts, before.map(|before| before.insts));
    let more_blocks = grown(step.blocks, before.map(|before| before.blocks));
    let rewrites = match step.rewrites {
        0 => String::new(),
        1 => ", 1 rewrite".to_owned(),
        many => format!(", {many} rewrites"),
    };
    format!("{insts} now{more}, {blocks}{more_blocks}{rewrites}")
}

/// Listens to steps, buttons and the text field.
pub(crate) fn listen() {
    let chips: HtmlElement = by_id("steps");
    on(&chips, "click", |event: MouseEvent| {
        let at = data_around(event.target(), "at").and_then(|word| word.parse().ok());
        if let Some(at) = at.filter(|at| !columns::chip(&event, *at)) {
            // A click on the shown step: its reasons.
            match store::with_state(State::shown_at) == Some(at) {
                true => passes::toggle_why(),
                false => store::send(Msg::Go(Go::To(at))),
            }
        }
    });
    on(&chips, "keydown", |event: KeyboardEvent| {
        let go = match event.key().as_str() {
            "ArrowRight" => Go::Next,
            "ArrowLeft" => Go::Previous,
            "Home" => Go::First,
            "End" => Go::Last,
            _ => return,
        };
        event.prevent_default();
        store::send(Msg::Go(go));
        let shown = document().query_selector("#steps [aria-current]").ok().flatten();
        if let Some(chip) = shown.and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) {
            let _ = chip.focus();
        }
    });
    // On a phone, the pipeline and its rare commands are shown on demand.
    on(&by_id::<HtmlElement>("more"), "click", |_: Event| {
        let more: HtmlElement = by_id("more");
        let is_open = more.get_attribute("aria-expanded").as_deref() == Some("true");
        let _ = more.set_attribute("aria-expanded", if is_open { "false" } else { "true" });
    });
    on(&by_id::<HtmlElement>("back"), "click", |_: Event| store::send(Msg::Go(Go::PreviousChange)));
    on(&by_id::<HtmlElement>("on"), "click", |_: Event| store::send(Msg::Go(Go::NextChange)));
    on(&by_id::<HtmlElement>("reset"), "click", |_: Event| store::send(Msg::Pipeline(String::new())));
    let field: HtmlInputElement = by_id("pipeline");
    on(&field, "input", |_: Event| {
        let text = by_id::<HtmlInputElement>("pipeline").value();
        // An empty field runs nothing, and is not filled while the user types.
        store::send(Msg::Pipeline(if text.is_empty() { " ".to_owned() } else { text }));
    });
    // The field's own history ends when the list or a button changes the text.
    on(&field, "keydown", |event: KeyboardEvent| {
        if let Some(step) = passes::step_of(&event) {
            event.prevent_default();
            store::send(step.into());
        }
    });
}

/// The move of a key that works anywhere on the page.
pub(crate) fn go_of(key: &str) -> Option<Go> {
    match key {
        "]" => Some(Go::NextChange),
        "[" => Some(Go::PreviousChange),
        "}" => Some(Go::Next),
        "{" => Some(Go::Previous),
        _ => None,
    }
}

/// Moves the focus to the pipeline.
pub(crate) fn edit() {
    let field: Element = by_id("pipeline");
    if let Ok(field) = field.dyn_into::<HtmlInputElement>() {
        let _ = field.focus();
        field.select();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::PassStep;

    fn sample(at: usize) -> State {
        let step = |pass: &str, outcome, changes| PassStep {
            pass: pass.to_owned(),
            outcome,
            changes,
            insts: 4,
            message: "no <tree>".to_owned(),
            ..PassStep::default()
        };
        let steps = vec![
            step("dce", Outcome::Changed, 3),
            step("cse", Outcome::Unchanged, 0),
            step("x", Outcome::Failed, 0),
        ];
        let mut state = State::default();
        state.shown.timeline = crate::state::Timeline { steps, at };
        state
    }

    #[test]
    fn every_step_is_a_button_and_failed_ones_have_their_message() {
        let html = chips(&sample(0));
        assert_eq!(html.matches("<button").count(), 4);
        assert!(html.contains("data-at=1 class=\"changed h2\" title=\"dce: 3 changes\""), "{html}");
        assert!(
            html.contains("unchanged h0") && html.contains("no &lt;tree&gt;") && html.contains('✗'),
            "{html}"
        );
    }

    #[test]
    fn steps_of_an_iteration_have_a_common_frame() {
        let mut state = sample(0);
        let steps = &mut state.shown.timeline.steps;
        for (step, (group, iteration)) in steps.iter_mut().zip([(1, 1), (1, 1), (1, 2)]) {
            (step.group, step.iteration) = (group, iteration);
        }
        let html = chips(&state);
        let parts: Vec<usize> =
            html.split("<div class=iteration").map(|part| part.matches("<button").count()).collect();
        assert_eq!((parts, html.matches("</div>").count()), (vec![1, 2, 1], 2), "{html}");
        assert!(html.contains("data-number=2 title=\"Iteration 2\""), "{html}");
    }

    #[test]
    fn the_shown_step_is_told() {
        assert!(describe(&sample(0)).contains("0 / 3</span> <b>input</b>"));
        assert!(describe(&sample(1)).contains("<b>dce</b> <span class=dim>3 changes · 4 instructions now"));
        assert!(describe(&sample(3)).contains("no &lt;tree&gt;"));
    }

    #[test]
    fn a_step_has_its_time_or_the_reason_why_it_did_not_run() {
        let mut state = sample(2);
        let steps = &mut state.shown.timeline.steps;
        steps[1] = PassStep {
            outcome: Outcome::Changed,
            insts: 3,
            blocks: 1,
            rewrites: 2,
            micros: 1340,
            ..steps[1].clone()
        };
        assert!(
            describe(&state).contains("3 instructions now (−1), 1 block (+1), 2 rewrites · 1.3 ms"),
            "{}",
            describe(&state)
        );
        assert!(chips(&state).contains("title=\"cse: 0 changes, 1.3 ms\""), "{}", chips(&state));
        let steps = &mut state.shown.timeline.steps;
        steps[1] =
            PassStep { pass: "cse".to_owned(), skipped: "is for <trees>".to_owned(), ..PassStep::default() };
        assert!(describe(&state).contains("skipped: is for &lt;trees&gt;"), "{}", describe(&state));
        assert!(
            chips(&state).contains("class=\"unchanged skipped h0\" title=\"cse: skipped: is for"),
            "{}",
            chips(&state)
        );
    }
}

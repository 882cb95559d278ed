//! The pane of runs: inputs, the picture, reports; and the controls of stepping.

use std::fmt::Write;

use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, Event as DomEvent, HtmlCanvasElement, HtmlElement, HtmlInputElement,
    HtmlSelectElement, ImageData, KeyboardEvent, PointerEvent,
};

use vitrine_protocol::{
    RunInput, RunPicture, ShaderEntry, StackFrame, StepCommand, StepReport, UbReport, VariableInMemory,
    Watches, WrongAssignment,
};

use super::check::number;
use super::table;
use crate::dom::{by_id, data_around, escape_into, later, listen as on};
use crate::inputs;
use crate::state::debugger::{Event, RunOptions, TableSource};
use crate::state::{Dirty, State};
use crate::store;
use crate::view::graph;

/// The buttons for stepping, in the order of `StepCommand::ALL`, and their keys.
const STEPS: [(&str, &str); 7] = [
    ("step-into", "j"),
    ("step-over", "J"),
    ("step-out", "K"),
    ("step-to", "g"),
    ("step-end", "G"),
    ("step-back", "k"),
    ("step-on", "C"),
];

/// The hint beside a picture until the pointer is over a pixel.
const PROMPT: &str = "Point at a pixel for its values; click to step through it.";

/// The elements of the pane.
pub(super) struct RunPane {
    pane: HtmlElement,
    button: HtmlElement,
    progress: HtmlElement,
    stop: HtmlElement,
    summary: HtmlElement,
    entry: HtmlSelectElement,
    pictures: HtmlElement,
    picture: HtmlCanvasElement,
    difference: HtmlCanvasElement,
    pixel: HtmlElement,
    given: HtmlElement,
    reports: HtmlElement,
    assignments: HtmlElement,
    target: HtmlElement,
    steps: HtmlElement,
    stepped: HtmlElement,
    stack: HtmlElement,
    memory: HtmlElement,
    /// The drawn markup: entry points, inputs, reports, stack, memory, assignments.
    drawn: [String; 6],
    /// The shown breakpoints and watch expressions.
    watched: Option<(Watches, StepReport)>,
    table: table::Table,
}

impl RunPane {
    /// Finds the elements.
    pub(super) fn find() -> RunPane {
        RunPane {
            pane: by_id("debugger"),
            button: by_id("run"),
            progress: by_id("debugger-progress"),
            stop: by_id("debugger-stop"),
            summary: by_id("debugger-summary"),
            entry: by_id("debugger-entry"),
            pictures: by_id("debugger-pictures"),
            picture: by_id("debugger-picture"),
            difference: by_id("debugger-difference"),
            pixel: by_id("debugger-pixel"),
            given: by_id("debugger-inputs"),
            reports: by_id("debugger-reports"),
            assignments: by_id("assignments"),
            target: by_id("debugger-target"),
            steps: by_id("debugger-steps"),
            stepped: by_id("debugger-position"),
            stack: by_id("debugger-stack"),
            memory: by_id("debugger-memory"),
            drawn: Default::default(),
            watched: None,
            table: table::Table::find(),
        }
    }

    /// Draws the dirty parts.
    pub(super) fn draw(&mut self, state: &State, dirty: Dirty) {
        let run = &state.debugger.run;
        if self.pane.hidden() == run.open {
            self.pane.set_hidden(!run.open);
            let _ = self.button.set_attribute("aria-expanded", if run.open { "true" } else { "false" });
            // The panes above have another height.
            later(0, graph::measure);
        }
        let now = run.step.as_ref().map(|step| (&run.watches, step));
        if self.watched.as_ref().map(|(watches, step)| (watches, step)) != now {
            inputs::show_stops(now);
            self.watched = now.map(|(watches, step)| (watches.clone(), step.clone()));
        }
        if !run.open {
            return;
        }
        let report = &run.report;
        let is_running = state.debugger.is_running();
        self.progress.set_hidden(!is_running);
        self.stop.set_hidden(!is_running && !state.debugger.is_stepping());
        let (done, all) = (report.done, report.total);
        for (name, value) in [("value", done), ("max", all.max(1))] {
            let _ = self.progress.set_attribute(name, &value.to_string());
        }
        let summary = match (report.refused.is_empty(), is_running) {
            (false, _) => format!("Cannot be run: {}.", report.refused),
            (true, true) => "Running…".to_owned(),
            (true, false) => report.summary.clone(),
        };
        if self.summary.text_content().as_deref() != Some(&summary) {
            self.summary.set_text_content(Some(&summary));
        }
        let _ = self.summary.class_list().toggle_with_force("bad", !report.refused.is_empty());
        if set(&self.entry, &mut self.drawn[0], entries(&report.entries)) || dirty.intersects(Dirty::DEBUGGER)
        {
            self.entry.set_value(&run.options.entry.map_or_else(String::new, |entry| entry.to_string()));
        }
        let is_picture =
            report.kind == RunPicture::Pixels && !report.pixels.0.is_empty() && report.refused.is_empty();
        self.pictures.set_hidden(!is_picture);
        if is_picture && dirty.intersects(Dirty::PICTURE) {
            self.paint(state);
        }
        let pixel = if run.pixel.is_empty() { PROMPT } else { &run.pixel };
        if self.pixel.text_content().as_deref() != Some(pixel) {
            self.pixel.set_text_content(Some(pixel));
        }
        let _ = self.pane.class_list().toggle_with_force("call", report.kind == RunPicture::Result);
        set(&self.given, &mut self.drawn[1], given(&report.inputs));
        set(&self.reports, &mut self.drawn[2], reports(&report.reports));
        set(&self.assignments, &mut self.drawn[5], assignments(&run.assignments, &report.wrong_assignments));
        self.draw_steps(state);
        self.table.draw(state);
    }

    fn paint(&self, state: &State) {
        let report = &state.debugger.run.report;
        let (size, pixels) = (report.size, &report.pixels.0);
        let bytes = (size * size * 4) as usize;
        let parts = [(&self.picture, pixels.get(..bytes)), (&self.difference, pixels.get(bytes..2 * bytes))];
        for (canvas, pixels) in parts {
            canvas.set_hidden(pixels.is_none());
            let Some(pixels) = pixels else { continue };
            let context = canvas.get_context("2d").ok().flatten();
            let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), size, size);
            if let (Some(context), Ok(image)) = (context, image) {
                // A canvas of the picture's size shows it unscaled.
                let _ = context.put_image_data(&image, 0.0, 0.0);
            }
        }
    }

    fn draw_steps(&mut self, state: &State) {
        let run = &state.debugger.run;
        let words = if run.report.kind == RunPicture::Pixels {
            ["Pixel x", "y"]
        } else {
            ["Workgroup", "invocation"]
        };
        for (id, word) in ["debugger-first-label", "debugger-second-label"].into_iter().zip(words) {
            let label: HtmlElement = by_id(id);
            if label.text_content().as_deref() != Some(word) {
                label.set_text_content(Some(word));
            }
        }
        self.target.set_hidden(!run.report.refused.is_empty());
        self.steps.set_hidden(run.step.is_none());
        // A small screen then shows the text above it.
        let _ = self.pane.class_list().toggle_with_force("stepping", run.step.is_some());
        let Some(step) = &run.step else { return };
        let StepReport { status, steps, active, invocations, .. } = step;
        let summary = match step.finished {
            true => format!("{status}; finished after {steps} steps"),
            false => {
                format!("{status}; {active} of {invocations} invocations are next; {steps} steps so far")
            }
        };
        if self.stepped.text_content().as_deref() != Some(&summary) {
            self.stepped.set_text_content(Some(&summary));
        }
        set(&self.stack, &mut self.drawn[3], stack(&step.stack));
        set(&self.memory, &mut self.drawn[4], memory(&step.memory));
    }
}

/// Draws markup that differs from the drawn one. Returns true if it does.
fn set(element: &HtmlElement, drawn: &mut String, html: String) -> bool {
    let differs = *drawn != html;
    if differs {
        element.set_inner_html(&html);
        *drawn = html;
    }
    differs
}

fn entries(entries: &[ShaderEntry]) -> String {
    let mut html = String::new();
    for (at, ShaderEntry { stage, name, refused }) in entries.iter().enumerate() {
        let _ = write!(html, "<option value={at} title=\"");
        escape_into(&mut html, refused);
        html.push_str("\">");
        escape_into(&mut html, name);
        let _ = write!(html, " ({stage}{})", if refused.is_empty() { "" } else { ", not run" });
    }
    html
}

/// A row for each input of the run; those whose memory can be shown are buttons.
fn given(inputs: &[RunInput]) -> String {
    let mut html = String::new();
    for RunInput { kind, name, place, value, resource, assignment } in inputs {
        row_of(&mut html, "resource", *resource, name, &format!("{kind} {place} {value}"));
        // `www/inputs.js` fills these.
        let filled = match kind.as_str() {
            "image" => Some(("texture", name)),
            "parameter" => Some(("parameter", assignment)),
            _ => None,
        };
        if let Some((data, value)) = filled {
            for part in ["<span data-", data, "=\""] {
                html.push_str(part);
            }
            escape_into(&mut html, value);
            html.push_str("\" data-type=\"");
            escape_into(&mut html, place);
            html.push_str("\"></span>");
        } else if !assignment.is_empty() {
            draft(&mut html, assignment, name);
        }
    }
    html
}

/// A button that puts an assignment into the form.
fn draft(html: &mut String, assignment: &str, name: &str) {
    html.push_str("<button data-draft=\"");
    escape_into(html, assignment);
    html.push_str("\" title=\"Change ");
    escape_into(html, name);
    html.push_str("\" aria-label=\"Set ");
    escape_into(html, name);
    html.push_str("\">Set</button>");
}

/// A row for each changed input.
fn assignments(assignments: &[String], wrong: &[WrongAssignment]) -> String {
    let mut html = String::new();
    for (at, assignment) in assignments.iter().enumerate() {
        html.push_str("<li><button data-draft=\"");
        escape_into(&mut html, assignment);
        html.push_str("\" title=\"Change it again\">");
        escape_into(&mut html, assignment);
        let _ = write!(html, "</button><button data-unassign={at} class=square aria-label=\"Undo ");
        escape_into(&mut html, assignment);
        html.push_str("\" title=\"The generated value again\">×</button>");
        for WrongAssignment { reason, .. } in wrong.iter().filter(|wrong| wrong.line as usize == at) {
            html.push_str("<span class=bad>");
            escape_into(&mut html, reason);
            html.push_str("</span>");
        }
    }
    html
}

/// A list item with a name and a description: a button if it has a number.
fn row_of(html: &mut String, what: &str, number: Option<u32>, name: &str, description: &str) {
    let end = match number {
        None => {
            html.push_str("<li><p>");
            "</p>"
        }
        Some(number) => {
            let _ = write!(html, "<li><button data-{what}={number} data-name=\"");
            escape_into(html, name);
            html.push_str("\">");
            "</button>"
        }
    };
    html.push_str("<b>");
    escape_into(html, name);
    html.push_str("</b> <span>");
    escape_into(html, description);
    html.push_str("</span>");
    html.push_str(end);
}

fn reports(reports: &[UbReport]) -> String {
    let mut html = String::new();
    for UbReport { line, code, words, times } in reports {
        let place = line.map_or_else(|| times.clone(), |line| format!("line {}: {times}", line + 1));
        row_of(&mut html, "row", *line, &format!("{code} {words}"), &place);
    }
    html
}

fn stack(stack: &[StackFrame]) -> String {
    let mut html = String::new();
    for StackFrame { line, name, invocations } in stack {
        let place = format!("line {}, {invocations}", line.map_or(0, |line| line + 1));
        row_of(&mut html, "row", *line, name, &place);
    }
    html
}

fn memory(memory: &[VariableInMemory]) -> String {
    let mut html = String::new();
    for VariableInMemory { number, name, mode, size } in memory {
        row_of(&mut html, "memory", Some(*number), name, &format!("{mode} {size}"));
    }
    html
}

/// Runs with the options of the form.
fn run() {
    let compare = by_id::<HtmlInputElement>("debugger-compare").checked();
    let entry = by_id::<HtmlSelectElement>("debugger-entry").value().parse().ok();
    store::send(Event::Run(RunOptions { entry, seed: number("debugger-seed", 0), compare }).into());
}

/// Opens or closes the pane.
pub(super) fn toggle() {
    let is_open = store::with_state(|state| state.debugger.run.open) == Some(true);
    store::send(Event::Open(!is_open).into());
    let _ = match is_open {
        true => by_id::<HtmlElement>("run").focus(),
        false => by_id::<HtmlElement>("debugger-entry").focus(),
    };
}

/// Handles a key; returns false for a key that is not handled here.
pub(super) fn key(key: &str) -> bool {
    if key == "r" {
        toggle();
        return true;
    }
    let command = STEPS.iter().zip(StepCommand::ALL).find(|((_, of), _)| *of == key);
    let is_stepping = store::with_state(|state| state.debugger.run.step.is_some()) == Some(true);
    if let Some((_, command)) = command.filter(|_| is_stepping) {
        store::send(Event::Step(command).into());
        return true;
    }
    false
}

/// The pixel under the pointer.
fn pixel(event: &PointerEvent) -> Option<[u32; 2]> {
    let canvas: HtmlCanvasElement = event.target()?.dyn_into().ok()?;
    let along = |offset: i32, size: i32| (offset.max(0) * 256 / size.max(1)).clamp(0, 255) as u32;
    Some([along(event.offset_x(), canvas.client_width()), along(event.offset_y(), canvas.client_height())])
}

/// Listens to the pane.
pub(super) fn listen() {
    table::listen();
    let click = |id: &str, act: fn()| on(&by_id::<HtmlElement>(id), "click", move |_: DomEvent| act());
    click("run", toggle);
    click("debugger-close", toggle);
    click("debugger-run", run);
    click("debugger-stop", || store::send(Event::Stop.into()));
    click("debugger-debug", || {
        store::send(Event::Debug([number("debugger-first", 0), number("debugger-second", 0)]).into());
    });
    click("debugger-invocations", || {
        let line = store::with_state(|state| {
            let chosen = state.cursor.map(|span| state.shown.document.line_of(span));
            chosen.or_else(|| state.debugger.run.step.as_ref()?.line.map(|line| line as usize))
        });
        show_table(TableSource::Invocations(line.flatten().unwrap_or(0) as u32), "every invocation");
    });
    for ((id, _), command) in STEPS.into_iter().zip(StepCommand::ALL) {
        on(&by_id::<HtmlElement>(id), "click", move |_: DomEvent| store::send(Event::Step(command).into()));
    }
    for id in ["debugger-entry", "debugger-compare", "debugger-seed"] {
        on(&by_id::<HtmlElement>(id), "change", |_: DomEvent| run());
    }
    on(&by_id::<HtmlElement>("debugger-assign"), "submit", |event: DomEvent| {
        event.prevent_default();
        let input: HtmlInputElement = by_id("assignment");
        store::send(Event::Assign(input.value()).into());
        input.select();
    });
    let pane: HtmlElement = by_id("debugger");
    on(&pane, "click", |event: DomEvent| {
        let number = |name| data_around(event.target(), name).and_then(|word| word.parse::<u32>().ok());
        let name = data_around(event.target(), "name").unwrap_or_default();
        if let Some(assignment) = data_around(event.target(), "draft") {
            let input: HtmlInputElement = by_id("assignment");
            input.set_value(&assignment);
            let _ = input.focus();
            let value = assignment.find('=').map_or(0, |at| at + 1);
            let _ = input.set_selection_range(value as u32 + 1, assignment.encode_utf16().count() as u32);
            return;
        }
        if let Some(at) = number("unassign") {
            store::send(Event::Unassign(at as usize).into());
            return;
        }
        match (number("resource"), number("memory"), number("row")) {
            (Some(number), ..) => show_table(TableSource::Resource(number), &name),
            (_, Some(number), _) => show_table(TableSource::Variable(number), &name),
            (.., Some(line)) => store::send(Event::Line(line as usize).into()),
            (None, None, None) => {}
        }
    });
    on(&pane, "keydown", |event: KeyboardEvent| {
        if event.key() == "Escape" {
            toggle();
        }
    });
    for id in ["debugger-picture", "debugger-difference"] {
        let canvas: HtmlElement = by_id(id);
        on(&canvas, "pointermove", |event: PointerEvent| {
            if let Some(at) = pixel(&event) {
                store::send(Event::Point(at).into());
            }
        });
        on(&canvas, "click", |event: PointerEvent| {
            if let Some([x, y]) = pixel(&event) {
                for (id, value) in [("debugger-first", x), ("debugger-second", y)] {
                    by_id::<HtmlInputElement>(id).set_value(&value.to_string());
                }
                store::send(Event::Debug([x, y]).into());
            }
        });
    }
}

fn show_table(source: TableSource, name: &str) {
    store::send(Event::ShowTable(source, name.to_owned()).into());
    table::report_visible();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_with_memory_are_buttons_and_all_text_is_escaped() {
        let input =
            |name: &str, resource| RunInput { name: name.to_owned(), resource, ..RunInput::default() };
        let html = given(&[input("<u>", Some(2)), input("v", None)]);
        assert!(html.contains("<li><button data-resource=2 data-name=\"&lt;u&gt;\">"), "{html}");
        assert!(html.contains("<li><p><b>v</b>") && !html.contains("<u>"), "{html}");
        assert!(reports(&[UbReport { line: Some(6), ..UbReport::default() }]).contains("data-row=6"));
        assert!(!reports(&[UbReport::default()]).contains("data-row"));
        let [stage, name] = ["fragment", "main"].map(str::to_owned);
        let html = entries(&[ShaderEntry { stage, name, refused: String::new() }]);
        assert!(html.contains("<option value=0 title=\"\">main (fragment)"), "{html}");
        let wrong = WrongAssignment { line: 1, reason: "no input <b>".to_owned() };
        let html = assignments(&["a = 1".to_owned(), "b = 2".to_owned()], &[wrong]);
        assert!(html.contains("data-draft=\"a = 1\"") && html.contains("data-unassign=1"), "{html}");
        assert!(html.ends_with("<span class=bad>no input &lt;b&gt;</span>"), "{html}");
    }
}

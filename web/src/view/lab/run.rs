//! The pane of runs: what it was given, the picture, reports; and the controls of stepping.

use std::fmt::Write;

use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, Event as DomEvent, HtmlCanvasElement, HtmlElement, HtmlInputElement,
    HtmlSelectElement, ImageData, KeyboardEvent, PointerEvent,
};

use super::check::number;
use super::table;
use crate::app;
use crate::dom::{by_id, data_around, escape_into, later, listen as on};
use crate::state::lab::{Event, Source};
use crate::state::{Dirty, Msg, State};
use crate::view::graph;

/// The buttons that step, in the order of their numbers, and their keys.
const STEPS: [(&str, &str); 6] = [
    ("step-into", "j"),
    ("step-over", "J"),
    ("step-out", "K"),
    ("step-to", "g"),
    ("step-end", "G"),
    ("step-back", "k"),
];

/// What stands beside a picture until a pixel is pointed at.
const PROMPT: &str = "Point at a pixel for its values; click to step through it.";

/// The elements of the pane.
pub(super) struct Run {
    pane: HtmlElement,
    button: HtmlElement,
    progress: HtmlElement,
    stop: HtmlElement,
    told: HtmlElement,
    entry: HtmlSelectElement,
    pictures: HtmlElement,
    picture: HtmlCanvasElement,
    difference: HtmlCanvasElement,
    pixel: HtmlElement,
    given: HtmlElement,
    reports: HtmlElement,
    target: HtmlElement,
    steps: HtmlElement,
    stepped: HtmlElement,
    stack: HtmlElement,
    memory: HtmlElement,
    /// What is drawn: entry points, what was given, reports, stack, memory.
    drawn: [String; 5],
    table: table::Table,
}

impl Run {
    /// Finds them.
    pub(super) fn find() -> Run {
        Run {
            pane: by_id("lab"),
            button: by_id("run"),
            progress: by_id("lab-progress"),
            stop: by_id("lab-stop"),
            told: by_id("lab-told"),
            entry: by_id("lab-entry"),
            pictures: by_id("lab-pictures"),
            picture: by_id("lab-picture"),
            difference: by_id("lab-difference"),
            pixel: by_id("lab-pixel"),
            given: by_id("lab-given"),
            reports: by_id("lab-reports"),
            target: by_id("lab-target"),
            steps: by_id("lab-steps"),
            stepped: by_id("lab-stepped"),
            stack: by_id("lab-stack"),
            memory: by_id("lab-memory"),
            drawn: Default::default(),
            table: table::Table::find(),
        }
    }

    /// Shows what is dirty.
    pub(super) fn draw(&mut self, state: &State, dirty: Dirty) {
        let run = &state.lab.run;
        if self.pane.hidden() == run.open {
            self.pane.set_hidden(!run.open);
            let _ = self.button.set_attribute("aria-expanded", if run.open { "true" } else { "false" });
            // The panes above have another height.
            later(0, graph::measure);
        }
        if !run.open {
            return;
        }
        let task = state.lab.task.as_ref().map(|task| task.name);
        let is_running = matches!(task, Some("run" | "debug" | "step"));
        self.progress.set_hidden(task != Some("run"));
        self.stop.set_hidden(!is_running);
        let [done, all] = run.progress;
        for (name, value) in [("value", done), ("max", all.max(1))] {
            let _ = self.progress.set_attribute(name, &value.to_string());
        }
        let told = match (run.refused.is_empty(), task) {
            (false, _) => format!("Cannot be run: {}.", run.refused),
            (true, Some("run")) => "Running…".to_owned(),
            (true, _) => run.told.clone(),
        };
        if self.told.text_content().as_deref() != Some(&told) {
            self.told.set_text_content(Some(&told));
        }
        let _ = self.told.class_list().toggle_with_force("bad", !run.refused.is_empty());
        if set(&self.entry, &mut self.drawn[0], entries(&run.entries)) || dirty.has(Dirty::LAB) {
            self.entry.set_value(&run.wanted[0].to_string());
        }
        let is_picture = run.kind == 0 && !run.pictures.is_empty() && run.refused.is_empty();
        self.pictures.set_hidden(!is_picture);
        if is_picture && dirty.has(Dirty::LAB_PICTURE) {
            self.paint(state);
        }
        let pixel = if run.pixel.is_empty() { PROMPT } else { &run.pixel };
        if self.pixel.text_content().as_deref() != Some(pixel) {
            self.pixel.set_text_content(Some(pixel));
        }
        set(&self.given, &mut self.drawn[1], given(&run.inputs));
        set(&self.reports, &mut self.drawn[2], reports(&run.reports));
        self.draw_steps(state);
        self.table.draw(state);
    }

    fn paint(&self, state: &State) {
        let run = &state.lab.run;
        let bytes = (run.size * run.size * 4) as usize;
        let parts = [
            (&self.picture, run.pictures.get(..bytes)),
            (&self.difference, run.pictures.get(bytes..2 * bytes)),
        ];
        for (canvas, pixels) in parts {
            canvas.set_hidden(pixels.is_none());
            let Some(pixels) = pixels else { continue };
            let context = canvas.get_context("2d").ok().flatten();
            let context = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), run.size, run.size);
            if let (Some(context), Ok(image)) = (context, image) {
                // A canvas of its own size takes its own picture.
                let _ = context.put_image_data(&image, 0.0, 0.0);
            }
        }
    }

    fn draw_steps(&mut self, state: &State) {
        let run = &state.lab.run;
        let words = if run.kind == 0 { ["Pixel x", "y"] } else { ["Group", "lane"] };
        for (id, word) in ["lab-first-of", "lab-second-of"].into_iter().zip(words) {
            let label: HtmlElement = by_id(id);
            if label.text_content().as_deref() != Some(word) {
                label.set_text_content(Some(word));
            }
        }
        self.target.set_hidden(!run.refused.is_empty());
        self.steps.set_hidden(run.step.is_none());
        // A small screen shows the text above it then.
        let _ = self.pane.class_list().toggle_with_force("stepping", run.step.is_some());
        let Some(step) = &run.step else { return };
        let [_, lanes, active] = step.lanes;
        let told = match step.done {
            true => format!("{}; all done after {} steps", step.told, step.count),
            false => {
                format!("{}; {active} of {lanes} lanes are next; {} steps so far", step.told, step.count)
            }
        };
        if self.stepped.text_content().as_deref() != Some(&told) {
            self.stepped.set_text_content(Some(&told));
        }
        set(&self.stack, &mut self.drawn[3], stack(&step.stack));
        set(&self.memory, &mut self.drawn[4], memory(&step.memory));
    }
}

/// Draws only what differs; whether it did.
fn set(element: &HtmlElement, drawn: &mut String, html: String) -> bool {
    let differs = *drawn != html;
    if differs {
        element.set_inner_html(&html);
        *drawn = html;
    }
    differs
}

fn entries(entries: &[String]) -> String {
    let mut html = String::new();
    for (at, entry) in entries.iter().enumerate() {
        let mut parts = entry.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (stage, name, why) = (part(), part(), part());
        let _ = write!(html, "<option value={at} title=\"");
        escape_into(&mut html, why);
        html.push_str("\">");
        escape_into(&mut html, name);
        let _ = write!(html, " ({stage}{})", if why.is_empty() { "" } else { ", not run" });
    }
    html
}

/// A row for each thing the run was given; those that can be looked into are buttons.
fn given(inputs: &[String]) -> String {
    let mut html = String::new();
    for row in inputs {
        let mut parts = row.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (kind, name, place, told, number) = (part(), part(), part(), part(), part());
        row_of(&mut html, "resource", number, name, &format!("{kind} {place} {told}"));
    }
    html
}

/// A list item with a name and what is said of it: a button if it has a number.
fn row_of(html: &mut String, what: &str, number: &str, name: &str, told: &str) {
    let end = match number {
        "" => {
            html.push_str("<li><p>");
            "</p>"
        }
        number => {
            let _ = write!(html, "<li><button data-{what}={number} data-name=\"");
            escape_into(html, name);
            html.push_str("\">");
            "</button>"
        }
    };
    html.push_str("<b>");
    escape_into(html, name);
    html.push_str("</b> <span>");
    escape_into(html, told);
    html.push_str("</span>");
    html.push_str(end);
}

fn reports(reports: &[String]) -> String {
    let mut html = String::new();
    for row in reports {
        let mut parts = row.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (line, code, words, times) = (part(), part(), part(), part());
        let at: usize = line.parse().unwrap_or(0);
        let place = if at > 0 { format!("line {at}: {times}") } else { times.to_owned() };
        let number = at.checked_sub(1).map_or(String::new(), |line| line.to_string());
        row_of(&mut html, "row", &number, &format!("{code} {words}"), &place);
    }
    html
}

fn stack(stack: &[(u32, String)]) -> String {
    let mut html = String::new();
    for (line, words) in stack {
        let (name, lanes) = words.split_once('\t').unwrap_or((words, ""));
        let number = line.checked_sub(1).map_or(String::new(), |line| line.to_string());
        row_of(&mut html, "row", &number, name, &format!("line {line}, {lanes}"));
    }
    html
}

fn memory(memory: &[String]) -> String {
    let mut html = String::new();
    for row in memory {
        let mut parts = row.split('\t');
        let mut part = || parts.next().unwrap_or_default();
        let (number, name, mode, bytes) = (part(), part(), part(), part());
        row_of(&mut html, "memory", number, name, &format!("{mode} {bytes}"));
    }
    html
}

/// Runs what the form says.
fn run() {
    let compare = u32::from(by_id::<HtmlInputElement>("lab-compare").checked());
    let entry = by_id::<HtmlSelectElement>("lab-entry").value().parse().unwrap_or(u32::MAX);
    app::send(Event::Run([entry, number("lab-seed", 0), compare]).into());
}

/// Shows the pane, or puts it away.
pub(super) fn toggle() {
    let is_open = app::with_state(|state| state.lab.run.open) == Some(true);
    app::send(Event::Open(!is_open).into());
    let _ = match is_open {
        true => by_id::<HtmlElement>("run").focus(),
        false => by_id::<HtmlElement>("lab-entry").focus(),
    };
}

/// What a key does; `false` where it is none of ours.
pub(super) fn key(key: &str) -> bool {
    if key == "r" {
        toggle();
        return true;
    }
    let how = STEPS.iter().position(|(_, of)| *of == key);
    let is_stepping = app::with_state(|state| state.lab.run.step.is_some()) == Some(true);
    if let Some(how) = how.filter(|_| is_stepping) {
        app::send(Event::Step(how as u32).into());
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
    click("lab-close", toggle);
    click("lab-run", run);
    click("lab-stop", || app::send(Event::Stop.into()));
    click("lab-debug", || app::send(Event::Debug([number("lab-first", 0), number("lab-second", 0)]).into()));
    click("lab-lanes", || {
        let line = app::with_state(|state| {
            let chosen = state.cursor.map(|span| state.shown.document.line_of(span));
            chosen.or_else(|| state.lab.run.step.as_ref().and_then(|step| step.line))
        });
        look(Source::Lanes(line.flatten().unwrap_or(0) as u32), "every lane");
    });
    for (how, (id, _)) in STEPS.into_iter().enumerate() {
        on(&by_id::<HtmlElement>(id), "click", move |_: DomEvent| app::send(Event::Step(how as u32).into()));
    }
    for id in ["lab-entry", "lab-compare", "lab-seed"] {
        on(&by_id::<HtmlElement>(id), "change", |_: DomEvent| run());
    }
    let pane: HtmlElement = by_id("lab");
    on(&pane, "click", |event: DomEvent| {
        let number = |name| data_around(event.target(), name).and_then(|word| word.parse::<u32>().ok());
        let name = data_around(event.target(), "name").unwrap_or_default();
        match (number("resource"), number("memory"), number("row")) {
            (Some(number), ..) => look(Source::Resource(number), &name),
            (_, Some(number), _) => look(Source::Memory(number), &name),
            (.., Some(line)) => app::send(Event::Line(line as usize).into()),
            (None, None, None) => {}
        }
    });
    on(&pane, "keydown", |event: KeyboardEvent| {
        if event.key() == "Escape" {
            toggle();
        }
    });
    for id in ["lab-picture", "lab-difference"] {
        let canvas: HtmlElement = by_id(id);
        on(&canvas, "pointermove", |event: PointerEvent| {
            if let Some(at) = pixel(&event) {
                app::send(Event::Point(at).into());
            }
        });
        on(&canvas, "click", |event: PointerEvent| {
            if let Some([x, y]) = pixel(&event) {
                for (id, value) in [("lab-first", x), ("lab-second", y)] {
                    by_id::<HtmlInputElement>(id).set_value(&value.to_string());
                }
                app::send(Event::Debug([x, y]).into());
            }
        });
    }
}

fn look(source: Source, name: &str) {
    app::send(Msg::Lab(Event::Look(source, name.to_owned())));
    table::sight();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_looked_into_is_a_button_and_all_is_escaped() {
        let html =
            given(&["uniform\t<u>\tset 0\t16 bytes\t2".to_owned(), "in\tv\tlocation 0\t0.5\t".to_owned()]);
        assert!(html.contains("<li><button data-resource=2 data-name=\"&lt;u&gt;\">"), "{html}");
        assert!(html.contains("<li><p><b>v</b>") && !html.contains("<u>"), "{html}");
        assert!(reports(&["7\tU010\twords\tonce".to_owned()]).contains("data-row=6"));
        assert!(!reports(&["0\t\tand 3 more\t".to_owned()]).contains("data-row"));
        assert!(
            entries(&["fragment\tmain\t".to_owned()]).contains("<option value=0 title=\"\">main (fragment)")
        );
    }
}

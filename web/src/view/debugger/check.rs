//! Marks on the steps of the timeline, and a panel with the form, the progress and the results.
//!
//! Steps are not drawn again: each has its mark in an attribute, so that neither focus nor scroll position is lost.

use vitrine_protocol::CheckInputs;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event as DomEvent, HtmlElement, HtmlInputElement};

use crate::dom::{by_id, document, escape_into, listen as on};
use crate::state::debugger::{Event, first_wrong};
use crate::state::{Msg, SaveFormat, State};
use crate::store;

/// The elements of the panel.
pub(super) struct Check {
    row: HtmlElement,
    progress: HtmlElement,
    stop: HtmlElement,
    again: HtmlElement,
    summary: HtmlElement,
    wrong: HtmlElement,
    found: HtmlElement,
    searched: HtmlElement,
    change: HtmlElement,
    probes: HtmlElement,
    drawn: [String; 2],
    chips: HtmlElement,
    proof: HtmlElement,
    verdict: HtmlElement,
    difference: HtmlElement,
    facts: HtmlElement,
    /// The drawn facts.
    drawn_facts: String,
}

impl Check {
    /// Finds the elements.
    pub(super) fn find() -> Check {
        Check {
            row: by_id("checked"),
            progress: by_id("check-progress"),
            stop: by_id("check-stop"),
            again: by_id("check-again"),
            summary: by_id("check-summary"),
            wrong: by_id("check-wrong"),
            found: by_id("found"),
            searched: by_id("found-summary"),
            change: by_id("found-change"),
            probes: by_id("found-probes"),
            drawn: Default::default(),
            chips: by_id("steps"),
            proof: by_id("check-proof"),
            verdict: by_id("check-verdict"),
            difference: by_id("difference"),
            facts: by_id("difference-facts"),
            drawn_facts: String::new(),
        }
    }

    /// Shows the marks and the panel.
    pub(super) fn draw(&mut self, state: &State) {
        let check = &state.debugger.check;
        let report = &check.report;
        let (is_running, is_searching) = (state.debugger.is_checking(), state.debugger.is_searching());
        self.row.set_hidden(!check.open);
        self.progress.set_hidden(!is_running);
        self.stop.set_hidden(!is_running && !is_searching);
        self.again.set_hidden(is_running || is_searching);
        self.wrong.set_hidden(report.wrong_version.is_none() || is_running || is_searching);
        // Passes of other compilers cannot be searched.
        let is_ours = state.shown.programs == 0;
        for id in ["bisect", "reduce"] {
            by_id::<HtmlElement>(id).set_hidden(!is_ours);
        }
        self.draw_found(state, is_searching);
        self.draw_proof(state);
        self.draw_difference(state);
        let (done, all) = (report.done, report.total);
        for (name, value) in [("value", done), ("max", all.max(1))] {
            let _ = self.progress.set_attribute(name, &value.to_string());
        }
        let summary = match is_running && report.summary.is_empty() {
            true => "Running…",
            false => &report.summary,
        };
        if self.summary.text_content().as_deref() != Some(summary) {
            self.summary.set_text_content(Some(summary));
        }
        let _ = self.summary.class_list().toggle_with_force("bad", report.wrong_version.is_some());
        let chips = self.chips.get_elements_by_tag_name("button");
        for at in 0..chips.length() {
            let Some(chip) = chips.item(at) else { continue };
            let mark = at.checked_sub(1).and_then(|step| report.marks.get(step as usize));
            let _ = match mark {
                Some(mark) => chip.set_attribute("data-check", mark.name()),
                None => chip.remove_attribute("data-check"),
            };
        }
    }
}

impl Check {
    /// Shows the verdict on the difference that the link of the input expects.
    fn draw_proof(&self, state: &State) {
        let verdict = state.debugger.proof_verdict(state);
        self.proof.set_hidden(verdict.is_none());
        let (words, is_bad) =
            verdict.map_or_else(Default::default, |verdict| (verdict.words, !verdict.reproduced));
        set_text(&self.proof, &words);
        let _ = self.proof.class_list().toggle_with_force("bad", is_bad);
    }

    /// Shows the verdict on the shown program of a comparison, and the first difference.
    fn draw_difference(&mut self, state: &State) {
        let report = &state.debugger.check.report;
        let step = state.shown_at().checked_sub(1);
        let verdict = step.and_then(|step| report.verdicts.get(step)).map_or_else(String::new, |verdict| {
            format!("The shown program, {}: {verdict}.", state.shown_at())
        });
        self.verdict.set_hidden(report.verdicts.is_empty());
        set_text(&self.verdict, &verdict);
        self.difference.set_hidden(report.found.is_none());
        let mut html = String::new();
        for [name, words] in report.found.iter().flat_map(|found| &found.facts) {
            html.push_str("<dt>");
            escape_into(&mut html, name);
            html.push_str("<dd>");
            escape_into(&mut html, words);
        }
        if self.drawn_facts != html {
            self.facts.set_inner_html(&html);
            self.drawn_facts = html;
        }
    }

    /// Shows the results of a bisection or reduction.
    fn draw_found(&mut self, state: &State, is_searching: bool) {
        let search = &state.debugger.search;
        self.found.set_hidden(!search.open);
        let summary = if search.summary.is_empty() { "Running…" } else { &search.summary };
        if self.searched.text_content().as_deref() != Some(summary) {
            self.searched.set_text_content(Some(summary));
        }
        let is_small = !search.small.is_empty() && !is_searching;
        for (id, shown) in
            [("found-go", search.found.is_some()), ("found-open", is_small), ("found-save", is_small)]
        {
            by_id::<HtmlElement>(id).set_hidden(!shown);
        }
        let [mut change, mut probes] = [String::new(), String::new()];
        for line in &search.change {
            escape_into(&mut change, line);
            change.push('\n');
        }
        for probe in &search.probes {
            probes.push_str("<li>");
            escape_into(&mut probes, probe);
        }
        let parts = [(&self.change, change), (&self.probes, probes)];
        for ((element, html), drawn) in parts.into_iter().zip(&mut self.drawn) {
            element.set_hidden(html.is_empty());
            if *drawn != html {
                element.set_inner_html(&html);
                *drawn = html;
            }
        }
    }
}

fn set_text(element: &HtmlElement, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Opens the small input in place of the original one.
fn open() {
    let text = store::with_state(|state| state.debugger.search.small.clone()).unwrap_or_default();
    store::send(Msg::Replaced { name: "reduced.ir".to_owned(), text });
}

/// The number in a field, or the default.
pub(super) fn number(id: &str, default: u32) -> u32 {
    by_id::<HtmlInputElement>(id).value().parse().unwrap_or(default)
}

fn begin() {
    let inputs = CheckInputs { seed: number("check-seed", 1), runs: number("check-runs", 32) };
    store::send(Event::Inputs(inputs).into());
    store::send(Event::Check.into());
}

/// Listens to the button on the timeline and to the panel.
pub(super) fn listen() {
    let click = |id: &str, act: fn()| on(&by_id::<HtmlElement>(id), "click", move |_: DomEvent| act());
    click("check", begin);
    click("check-again", || {
        begin();
        focus("#check-stop");
    });
    click("check-stop", || {
        store::send(Event::Stop.into());
        focus("#check-again");
    });
    click("check-close", || {
        store::send(Event::Close.into());
        focus("#check");
    });
    click("bisect", || {
        store::send(Event::Bisect.into());
        focus("#check-stop");
    });
    click("reduce", || {
        store::send(Event::Reduce.into());
        focus("#check-stop");
    });
    click("difference-columns", || store::send(Event::BothSides.into()));
    click("found-go", || store::send(Event::Found.into()));
    click("found-open", open);
    click("found-save", || {
        open();
        store::send(Msg::Save(SaveFormat::Repro));
    });
    click("check-go", || {
        if let Some(msg) = store::with_state(first_wrong).flatten() {
            store::send(msg);
        }
    });
}

/// Moves the focus to the replacement of a removed button.
fn focus(selector: &str) {
    let found: Option<Element> = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

//! The functions of a run's forms: pictures for its images (`www/inputs.js`), breakpoints and watch expressions
//! (`www/stops.js`), the run for another debugger (`www/gpu.js`); and the options of a source (`www/options.js`).

use js_sys::{Array, Function};
use serde::Serialize;
use vitrine_protocol::{
    BeginTask, Bytes, DebuggerRequest, GivenPicture, StepCommand, StepReport, Watches, js,
};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::dom::{get, window};
use crate::state::debugger::Event;
use crate::state::{Msg, State};
use crate::store;
use crate::view::open;

/// Gives an image a picture, as RGBA bytes, and runs with it.
#[wasm_bindgen]
pub fn give_picture(input: String, file: String, width: u32, height: u32, rgba: Vec<u8>) {
    let picture = GivenPicture { input, file, size: [width, height], rgba: Bytes(rgba) };
    store::send(Event::Picture(picture).into());
}

/// What `www/stops.js` shows.
#[derive(Serialize)]
struct Stops<'a> {
    stops: &'a [String],
    watches: &'a [String],
    state: &'a StepReport,
}

/// Shows breakpoints, watch expressions, and their state where the program stopped; nothing hides them.
pub(crate) fn show_stops(shown: Option<(&Watches, &StepReport)>) {
    let show = get(&window(), "showStops").unchecked_into::<Function>();
    let object = shown.and_then(|(Watches { stops, watches }, state)| {
        js::encode_object(&Stops { stops, watches, state }).ok()
    });
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = show.call1(&window(), &object.map_or(JsValue::UNDEFINED, |message| message.value));
}

/// Sets the breakpoints and watch expressions.
#[wasm_bindgen]
pub fn set_stops(stops: Vec<String>, watches: Vec<String>) {
    store::send(Event::Watch(Watches { stops, watches }).into());
}

/// Steps by lines of the source: the number of a command of [`StepCommand::LINES`], and the line for the last one, from 1.
#[wasm_bindgen]
pub fn step_lines(command: usize, line: u32) {
    if let Some(&command) = StepCommand::LINES.get(command) {
        store::send(Event::StepLines(command, line).into());
    }
}

/// The last run for another debugger (`www/gpu.js`): the binary requests of its input and its task, the version, and the name
/// of each version in order, one on each line. Only the reason if there is no run.
#[wasm_bindgen]
pub fn run_requests() -> Array {
    let refused = store::with_state(|state| state.program().err()).flatten();
    if let Some(why) = refused {
        return Array::of1(&JsValue::from(why));
    }
    let requests = store::with_state(|state| {
        let run = &state.debugger.run;
        let at = run.at?;
        let input = DebuggerRequest::Program(state.program().ok()?);
        let task = BeginTask { serial: 0, pipeline: state.pipeline.clone(), task: run.task(at) };
        let requests = Array::new();
        for request in [input, DebuggerRequest::Begin(task)] {
            requests.push(&js::encode(&request).ok()?.value);
        }
        let steps = state.shown.timeline.steps.iter().map(|step| step.pass.as_str());
        let names = ["input"].into_iter().chain(steps).collect::<Vec<_>>().join("\n");
        Some(Array::of3(&requests, &JsValue::from(at as u32), &JsValue::from(names)))
    });
    requests.flatten().unwrap_or_else(|| Array::of1(&JsValue::from("run a version first")))
}

/// The program of the page in binary form, for `www/report.js`, or the reason that there is none.
#[wasm_bindgen]
pub fn program_message() -> JsValue {
    let program = store::with_state(State::program).unwrap_or_else(|| Err("the page is busy".to_owned()));
    match program.and_then(|program| js::encode(&program)) {
        Ok(message) => message.value,
        Err(why) => JsValue::from(why),
    }
}

/// Opens the waiting files as the user chose: `compare`, `tabs`, or nothing (`www/several.js`).
#[wasm_bindgen]
pub fn open_waiting(how: &str) {
    open::open_waiting(how);
}

/// Sets an option of the source: its values, one on each line; nothing for the value without a choice.
#[wasm_bindgen]
pub fn set_source_option(key: String, values: String) {
    store::send(Msg::SourceOption(key, values));
}

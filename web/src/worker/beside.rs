//! Questions beside the main one: columns, the inspector, places of the input, memory.

use js_sys::Uint32Array;
use wasm_bindgen::JsValue;

use super::{below_zero, number, numbers, object, text, words_of};
use crate::dom::get;
use crate::state::columns::View;
use crate::state::{Dirty, Document, Msg, State, columns, inspect, memory};

/// The questions that a message gave rise to.
pub(super) fn questions(state: &State, dirty: Dirty) -> Vec<JsValue> {
    let mut out: Vec<JsValue> = Vec::new();
    if dirty.has(Dirty::COLUMNS_ASK) {
        let columns = &state.columns;
        let versions: Vec<u32> = columns.chosen.iter().map(|at| *at as u32).collect();
        let window = columns.window();
        out.push(
            object(&[
                ("task", "columns".into()),
                ("serial", columns.serial.into()),
                ("versions", Uint32Array::from(versions.as_slice()).into()),
                ("fold", (!columns.unfolded).into()),
                ("opened", Uint32Array::from(columns.opened()).into()),
                ("first", window.start.into()),
                ("last", window.end.into()),
                ("find", below_zero(columns.find.map(|(id, _)| id))),
                ("column", columns.find.map_or(0, |(_, column)| column as u32).into()),
            ])
            .into(),
        );
    }
    if let (Some(thing), true) = (state.inspect.thing(), dirty.has(Dirty::INSPECT_ASK)) {
        out.push(
            object(&[
                ("task", "inspect".into()),
                ("serial", state.inspect.serial.into()),
                ("at", (state.shown_at() as u32).into()),
                ("number", thing.into()),
            ])
            .into(),
        );
    }
    if dirty.has(Dirty::TIES_ASK) {
        let at = state.shown_at() as u32;
        out.push(
            object(&[("task", "ties".into()), ("revision", state.revision.into()), ("at", at.into())]).into(),
        );
    }
    if dirty.has(Dirty::MEMORY_ASK) {
        out.push(
            object(&[
                ("task", "memory".into()),
                ("serial", state.memory.serial.into()),
                ("at", (state.shown_at() as u32).into()),
                ("number", below_zero(state.memory.thing)),
            ])
            .into(),
        );
    }
    if dirty.has(Dirty::PATHS_ASK) {
        let versions = Uint32Array::from(memory::versions(state).as_slice());
        let serial = state.memory.paths_serial.into();
        out.push(
            object(&[("task", "paths".into()), ("serial", serial), ("versions", versions.into())]).into(),
        );
    }
    out
}

/// An answer to one of them.
pub(super) fn read(kind: &str, data: &JsValue) -> Option<Msg> {
    match kind {
        "columns" => Some(Msg::Columns(columns::Event::Answer(Box::new(view(data))))),
        "inspected" => Some(Msg::Inspect(inspect::Event::Told {
            serial: number(data, "serial"),
            document: Document::new(text(data, "text"), &words_of(data, "spans")),
            rows: words_of(data, "rows"),
        })),
        "tied" => Some(Msg::Inspect(inspect::Event::Tied(number(data, "revision"), words_of(data, "ties")))),
        "memory" => Some(Msg::Memory(memory::Event::Answer(Box::new(map(data))))),
        "paths" => Some(Msg::Memory(memory::Event::Paths(
            number(data, "serial"),
            words_of(data, "numbers"),
            text(data, "lines"),
        ))),
        _ => None,
    }
}

fn map(data: &JsValue) -> memory::Map {
    let variables = numbers(data, "variables");
    let id = |id: &i32| u32::try_from(*id).ok();
    let names = text(data, "names");
    memory::Map {
        serial: number(data, "serial"),
        number: variables.first().and_then(id),
        variables: variables.iter().skip(1).filter_map(id).zip(names.lines().map(str::to_owned)).collect(),
        document: Document::new(text(data, "text"), &words_of(data, "spans")),
        rows: numbers(data, "rows"),
    }
}

fn view(data: &JsValue) -> View {
    let place = numbers(data, "place");
    let place = |at: usize| place.get(at).and_then(|place| u32::try_from(*place).ok());
    let heads = words_of(data, "heads");
    View {
        serial: number(data, "serial"),
        rows: place(0).unwrap_or(0),
        first: place(1).unwrap_or(0),
        found: place(2),
        versions: words_of(data, "versions").into_iter().map(|at| at as usize).collect(),
        heads: heads.chunks_exact(5).map(|head| [0, 1, 2, 3, 4].map(|at| head[at])).collect(),
        opened: words_of(data, "opened"),
        document: Document::new(text(data, "text"), &words_of(data, "spans")),
        table: words_of(data, "table"),
        tenths_ms: (get(data, "ms").as_f64().unwrap_or_default() * 10.0) as u32,
    }
}

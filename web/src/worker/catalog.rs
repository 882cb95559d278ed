//! The catalogue as the compiler hands it over: lists of lists, described in `wasm/src/reference.rs`.

use js_sys::Array;
use wasm_bindgen::JsValue;

use crate::state::passes::{Field, Item};

/// Every entry.
pub(super) fn read(rows: &JsValue) -> Vec<Item> {
    Array::from(rows).iter().map(|row| item(&Array::from(&row))).collect()
}

fn item(row: &Array) -> Item {
    Item {
        kind: number(row, 0),
        name: text(row, 1),
        doc: text(row, 2),
        about: text(row, 3),
        text: text(row, 4),
        fields: Array::from(&row.get(5)).iter().map(|field| self::field(&Array::from(&field))).collect(),
    }
}

fn field(row: &Array) -> Field {
    let word = |pair: JsValue| {
        let pair = Array::from(&pair);
        (text(&pair, 0), text(&pair, 1))
    };
    Field {
        name: text(row, 0),
        words: Array::from(&row.get(1)).iter().map(word).collect(),
        range: [2, 3, 4].map(|at| number(row, at)),
        doc: text(row, 5),
    }
}

fn text(row: &Array, at: u32) -> String {
    row.get(at).as_string().unwrap_or_default()
}

fn number(row: &Array, at: u32) -> u32 {
    row.get(at).as_f64().unwrap_or_default() as u32
}

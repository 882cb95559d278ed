//! The overlay of the graph and the text: `www/overlay.js`, loaded with the first overlay, draws its marks and its legend.

use js_sys::{Function, Uint32Array};
use vitrine_protocol::Overlay;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::dom::{get, window};
use crate::state::block_of_line;
use crate::store;

/// Shows an overlay, or hides it if it has no legend.
pub(crate) fn deliver(overlay: &Overlay) {
    let show = get(&window(), "showOverlay").unchecked_into::<Function>();
    let marks = Uint32Array::from(overlay.marks.words());
    let (words, legend) = (&*overlay.words.0, &*overlay.legend.0);
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = show.call3(&window(), &marks, &words.into(), &legend.into());
}

/// The boxes of the graph: five numbers each, the id of the block and its rectangle.
#[wasm_bindgen]
pub fn boxes() -> Vec<i32> {
    let of = |state: &crate::state::State| {
        let entry = |block: &crate::state::Block| {
            let [x, y, width, height] = block.rect;
            [block.id as i32, x, y, width, height]
        };
        state.shown.graph.blocks.iter().flat_map(entry).collect()
    };
    store::with_state(of).unwrap_or_default()
}

/// The block of a line of the IR, by id.
#[wasm_bindgen]
pub fn line_block(line: usize) -> Option<u32> {
    store::with_state(|state| block_of_line(&state.shown.document, &state.classes, line)).flatten()
}

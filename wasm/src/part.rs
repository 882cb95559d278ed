//! The program is delivered in parts (xtask's `site/cut`): a function that is not there yet asks for its part here.
//!
//! Nothing in Rust calls this: the calls are put in when the site is built. Without that, nothing is ever missing.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
unsafe extern "C" {
    /// Loads a part and does not return before it is there; throws what prevents it. See `www/program.js`.
    #[wasm_bindgen(js_name = loadPart)]
    safe fn load_part(part: u32);
}

/// Loads the part of this number. `site/cut` knows this function by its name.
#[unsafe(no_mangle)]
extern "C" fn part_missing(part: u32) {
    load_part(part);
}

//! The options of a source: `www/options.js`, loaded with the first source, draws a row of them above the editor.
//!
//! The compiler lists the options that the front end of the source has. For other inputs there is no row.

use js_sys::{Array, Function};
use wasm_bindgen::{JsCast, JsValue};

use crate::dom::{get, window};
use crate::state::{Dirty, SourceOption, State};

/// The options that are shown.
#[derive(Default)]
pub(crate) struct SourceOptions {
    shown: Vec<SourceOption>,
}

impl SourceOptions {
    /// Shows the options of the input. Those of an older text stay until the answer for the newest one.
    pub(crate) fn draw(&mut self, state: &State, dirty: Dirty) {
        let options = &state.shown.source_options;
        let is_current = state.shown.input == state.input.revision;
        if !dirty.intersects(Dirty::PROBLEMS) || !is_current || *options == self.shown {
            return;
        }
        self.shown.clone_from(options);
        let show = get(&window(), "showOptions").unchecked_into::<Function>();
        // `www/boot.js` handles a module that cannot be loaded.
        let _ = show.call1(&window(), &options.iter().map(entry).collect::<Array>());
    }
}

/// Key, label, help, preset, value, then pairs of a value and its name.
fn entry(option: &SourceOption) -> Array {
    let SourceOption { key, label, help, choices, preset, value } = option;
    let choices = choices.iter().flatten();
    [key, label, help, preset, value].into_iter().chain(choices).map(JsValue::from).collect()
}

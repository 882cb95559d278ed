//! Vitrine's page: state separate from view, in the architecture of Elm.
//!
//! An event becomes a [`state::Msg`]; [`state::update`] changes the one [`state::State`] and returns what is
//! [`state::Dirty`]; the views redraw that. `state` uses no DOM and is tested on the host; `view` decides
//! nothing; only `worker` talks to the compiler. No input leaves the page.

pub mod state; // start here: the state of the page, and its changes

#[cfg(not(target_arch = "wasm32"))]
pub mod prerender; // the prerendered parts of the page
pub mod editor; // functions that the text editor calls
pub mod cards; // functions that hover cards call
pub mod palette; // functions that the command palette calls
pub mod overlays; // marks of the graph and the text
pub mod inputs; // pictures for the images of a run
pub mod texts; // functions that the search of texts calls
pub mod keep; // the stored inputs

mod app; // connects the parts
mod dispatch; // carries out commands
mod dom; // DOM calls
mod joined; // files that include each other
mod refusals; // reasons why a version has no text in a target language
mod releases; // links of other releases
mod source_words; // colors of sources
mod save; // files to save, links to copy
mod store; // the one state, and the queue of messages
mod view; // one file per part of the page
mod worker; // the page's side of the workers

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by `www/boot.js`, through wasm-bindgen.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    app::start();
}

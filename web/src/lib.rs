//! Vitrine's page: state apart from view, in the shape of Elm.
//!
//! An event becomes a [`state::Msg`]; [`state::update`] changes the one [`state::State`] and returns what is
//! [`state::Dirty`]; the views redraw that. `state` knows no DOM and is tested on the host; `view` decides
//! nothing; only `worker` talks to the compiler. Nothing of what a person opens leaves the page.

pub mod state; // start here: what the page knows, and how it changes

#[cfg(not(target_arch = "wasm32"))]
pub mod prerender; // what the page comes with
pub mod editor; // what the text editor calls

mod app; // connects the parts
mod dispatch; // carries out commands
mod dom; // the few DOM calls everything is made of
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

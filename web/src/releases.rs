//! Links of other releases: `www/release.js` offers to open one in the release that made it.

use js_sys::Function;
use wasm_bindgen::JsCast;

use crate::dom::{get, window};

/// Offers to open a link in the release that made it; hides the offer if the name is empty.
pub(crate) fn offer(made_by: &str, link: &str) {
    let offer = get(&window(), "offerRelease").unchecked_into::<Function>();
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = offer.call3(&window(), &made_by.into(), &env!("CARGO_PKG_VERSION").into(), &link.into());
}

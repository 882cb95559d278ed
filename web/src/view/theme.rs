//! Light, dark or the system's theme: an attribute of the document, stored in the browser.
//!
//! `www/theme.js` sets the same attribute before the first paint.

use web_sys::{Event, HtmlElement, Storage};

use crate::dom::{by_id, document, listen as on, window};
use crate::state::{Dirty, Msg, State, Theme};
use crate::store;

const KEY: &str = "vitrine-theme";

/// Shows the theme.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if !dirty.intersects(Dirty::THEME) {
        return;
    }
    let name = state.theme.name();
    if let Some(root) = document().document_element() {
        // Attributes with plain names can always be set.
        let _ = match state.theme {
            Theme::System => root.remove_attribute("data-theme"),
            Theme::Light | Theme::Dark => root.set_attribute("data-theme", name),
        };
    }
    let button: HtmlElement = by_id("theme");
    let _ = button.set_attribute("aria-label", &format!("Theme: {name}"));
    button.set_title(&format!("Next theme, now {name} (t)"));
}

/// Listens to the button and restores the theme of the last visit.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("theme"), "click", |_: Event| turn());
    let root = document().document_element();
    let given = root.and_then(|root| root.get_attribute("data-embed-theme"));
    let stored = given.or_else(|| storage()?.get_item(KEY).ok().flatten());
    if let Some(theme) = stored.as_deref().and_then(Theme::named) {
        store::send(Msg::Theme(theme));
    }
}

/// Switches to the next theme.
pub(crate) fn turn() {
    if let Some(theme) = store::with_state(|state| state.theme.next()) {
        store::send(Msg::Theme(theme));
    }
}

/// Stores the theme for the next visit.
pub(crate) fn store(theme: Theme) {
    if let Some(storage) = storage() {
        // If the browser refuses to store it, it lasts until the page is closed.
        let _ = storage.set_item(KEY, theme.name());
    }
}

/// The browser's storage, if it allows it. A view in another page, `?embed`, has none: it neither uses nor changes the
/// settings of the page.
pub(crate) fn storage() -> Option<Storage> {
    let is_embedded = document().document_element().is_some_and(|root| root.has_attribute("data-embed"));
    window().local_storage().ok().flatten().filter(|_| !is_embedded)
}

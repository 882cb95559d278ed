//! Light, dark or as the system has it: an attribute of the document, kept in the browser's storage.
//!
//! `www/theme.js` sets the same attribute before the first paint.

use web_sys::{Event, HtmlElement, Storage};

use crate::app;
use crate::dom::{by_id, document, listen as on, window};
use crate::state::{Dirty, Msg, State, Theme};

const KEY: &str = "vitrine-theme";

/// Shows the theme.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if !dirty.has(Dirty::THEME) {
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
    button.set_title(&format!("Theme: {name} (t)"));
}

/// Listens to the button and brings back the theme of the last visit.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("theme"), "click", |_: Event| turn());
    let kept = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    if let Some(theme) = kept.as_deref().and_then(Theme::named) {
        app::send(Msg::Theme(theme));
    }
}

/// The next theme round, kept for the next visit.
pub(crate) fn turn() {
    let Some(theme) = app::with_state(|state| state.theme.next()) else { return };
    if let Some(storage) = storage() {
        // A browser may refuse to keep it; then it lasts as long as the page.
        let _ = storage.set_item(KEY, theme.name());
    }
    app::send(Msg::Theme(theme));
}

/// What the browser keeps for the next visit, if it does.
pub(crate) fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

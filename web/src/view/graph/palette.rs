//! The theme's colors for canvases: variables of `www/style` that hold `light-dark()` are resolved by
//! an invisible element.

use web_sys::HtmlElement;

use crate::dom::{by_id, window};

/// The colors a canvas draws with.
pub(super) struct Palette {
    probe: HtmlElement,
}

impl Palette {
    /// Finds the element.
    pub(super) fn find() -> Palette {
        Palette { probe: by_id("probe") }
    }

    /// A color of the theme, by the name of its variable.
    pub(super) fn color(&self, name: &str) -> String {
        let _ = self.probe.style().set_property("color", &format!("var(--{name})"));
        let style = window().get_computed_style(&self.probe).ok().flatten();
        style.and_then(|style| style.get_property_value("color").ok()).unwrap_or_default()
    }
}

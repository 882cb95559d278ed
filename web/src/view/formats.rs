//! The export menu and the languages of the target tab: the compiler's table of formats, as options.
//!
//! Three entries of the menu are the page's own: a picture as PNG, a reproduction, and the forms of a link; `www/index.html`
//! holds the last two.

use web_sys::{Element, Event, HtmlElement, HtmlSelectElement};

use crate::dom::{by_id, escape_into, listen as on};
use crate::state::{Dirty, Format, Msg, SaveFormat, State, Tab};
use crate::store;

/// The page's own entries, by their values.
const PNG: &str = "png";
const REPRO: &str = "repro";
/// Options of the menu before the compiler is loaded: its title, the reproduction, and the forms of a link, which
/// `www/boot.js` handles.
const OWN_OPTIONS: u32 = 3;

/// Fills the menu and shows the language of the target tab.
pub(crate) fn draw(state: &State, dirty: Dirty) {
    if !dirty.intersects(Dirty::FRAME) || state.formats.is_empty() {
        return;
    }
    let (menu, languages): (HtmlSelectElement, HtmlSelectElement) = (by_id("save"), by_id("language"));
    if menu.length() <= OWN_OPTIONS {
        let [entries, languages_html] = options(&state.formats);
        let _ = by_id::<Element>("save-repro").insert_adjacent_html("beforebegin", &entries);
        languages.set_inner_html(&languages_html);
    }
    // One language needs no choice: the tab has its name.
    languages.set_hidden(state.tab != Tab::Target || languages.length() < 2);
    if let Some(format) = state.language() {
        languages.set_value(&format.name);
        by_id::<HtmlElement>("tab-target").set_text_content(Some(&format.language));
    }
}

/// Listens to the choices.
pub(crate) fn listen() {
    on(&by_id::<HtmlElement>("save"), "change", |_: Event| {
        let menu: HtmlSelectElement = by_id("save");
        let value = menu.value();
        menu.set_value("");
        if let Some(format) = store::with_state(|state| chosen(&state.formats, &value)).flatten() {
            store::send(Msg::Save(format));
        }
    });
    on(&by_id::<HtmlElement>("language"), "change", |_: Event| {
        store::send(Msg::Target(by_id::<HtmlSelectElement>("language").value()));
    });
}

/// The formats as options of the menu, and those that are languages as options of the target tab.
fn options(formats: &[Format]) -> [String; 2] {
    let [mut menu, mut languages] = [String::new(), String::new()];
    for format in formats {
        push_option(&mut menu, &format.name, &format.label);
        if format.vector {
            push_option(&mut menu, PNG, "Graph as PNG");
        }
        if !format.language.is_empty() {
            push_option(&mut languages, &format.name, &format.language);
        }
    }
    [menu, languages]
}

/// Appends an option of a menu.
pub(super) fn push_option(html: &mut String, value: &str, label: &str) {
    html.push_str("<option value=\"");
    escape_into(html, value);
    html.push_str("\">");
    escape_into(html, label);
    html.push_str("</option>");
}

/// The entry of the menu with this value.
fn chosen(formats: &[Format], value: &str) -> Option<SaveFormat> {
    match value {
        REPRO => Some(SaveFormat::Repro),
        PNG => formats.iter().position(|format| format.vector).map(SaveFormat::Png),
        name => formats.iter().position(|format| format.name == name).map(SaveFormat::Format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::Answer;

    fn formats() -> Vec<Format> {
        match vitrine_wasm::Compiler::default().greeting() {
            Answer::Ready { formats, .. } => formats,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_menu_has_every_back_end_in_the_order_of_the_table() {
        let [html, _] = options(&formats());
        let labels: Vec<&str> = html
            .split("</option>")
            .filter_map(|option| option.split_once('>'))
            .map(|(_, label)| label)
            .collect();
        let table = vitrine_core::back::BACKENDS.iter().map(|backend| backend.label());
        assert!(table.eq(labels.iter().copied().filter(|label| *label != "Graph as PNG")), "{labels:?}");
        let svg = labels.iter().position(|label| *label == "Graph as SVG").unwrap();
        assert_eq!(labels[svg + 1], "Graph as PNG");
    }

    #[test]
    fn an_entry_is_found_by_its_value() {
        let formats = formats();
        let svg = formats.iter().position(|format| format.name == "svg").unwrap();
        assert_eq!(chosen(&formats, "png"), Some(SaveFormat::Png(svg)));
        assert_eq!(chosen(&formats, "svg"), Some(SaveFormat::Format(svg)));
        assert_eq!(chosen(&formats, "repro"), Some(SaveFormat::Repro));
        assert_eq!((chosen(&formats, ""), chosen(&[], "png")), (None, None));
    }

    #[test]
    fn a_second_language_can_be_chosen() {
        let glsl = Format { name: "glsl".to_owned(), language: "GLSL".to_owned(), ..Format::default() };
        let mut state = State { formats: formats(), ..State::default() };
        assert_eq!(state.language().map(|format| format.language.as_str()), Some("SPIR-V"));
        state.formats.push(glsl);
        crate::state::update(&mut state, Msg::Target("glsl".to_owned()));
        assert_eq!(
            (state.tab, state.language().map(|format| format.language.as_str())),
            (Tab::Target, Some("GLSL"))
        );
        assert!(options(&state.formats)[1].ends_with("<option value=\"glsl\">GLSL</option>"));
    }
}

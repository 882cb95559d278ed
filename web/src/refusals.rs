//! The reasons why a version has no text in a target language: a plain text, which `www/refusals.js` replaces by a list.

use js_sys::{Array, Function, Object, Reflect};
use vitrine_protocol::Refusal;
use wasm_bindgen::{JsCast, JsValue};

use crate::dom::{get, window};

/// The reasons as a plain text, each on a line.
pub(crate) fn plain(head: &str, refusals: &[Refusal]) -> String {
    let mut out = format!("{head}:");
    for (at, refusal) in refusals.iter().enumerate() {
        out.push(if at == 0 { ' ' } else { '\n' });
        out.push_str(&refusal.sentence);
    }
    out
}

/// Shows the reasons as a list in place of their plain text; that of an invalid version stays.
pub(crate) fn show(head: &str, refusals: &[Refusal]) {
    if refusals.iter().any(|refusal| refusal.is_invalid) {
        return;
    }
    let show = get(&window(), "showRefusals").unchecked_into::<Function>();
    let list: Array = refusals.iter().map(object).collect();
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = show.call2(&window(), &head.into(), &list);
}

/// A reason with its sentence, the id and the name of its place if it has one, and its passes.
fn object(refusal: &Refusal) -> JsValue {
    let object = Object::new();
    // Setting a property of a new object cannot fail.
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&object, &name.into(), value);
    };
    set("sentence", &refusal.sentence.as_str().into());
    if let Some(place) = &refusal.place {
        set("id", &place.id.into());
        set("name", &place.name.as_str().into());
    }
    set("passes", &refusal.passes.iter().map(JsValue::from).collect::<Array>());
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_line_of_its_own() {
        let of = |sentence: &str| Refusal { sentence: sentence.to_owned(), ..Refusal::default() };
        assert_eq!(plain("No", &[of("a")]), "No: a");
        assert_eq!(plain("No", &[of("a"), of("b")]), "No: a\nb");
    }
}

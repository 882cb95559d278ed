//! The reasons why a version has no text in a target language: a plain text, which `www/refusals.js` replaces by a list.

use js_sys::Function;
use vitrine_protocol::{Refusal, js};
use wasm_bindgen::JsCast;

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
    let Ok(list) = js::encode_object(&refusals.to_vec()) else { return };
    // `www/boot.js` handles a module that cannot be loaded.
    let _ = show.call2(&window(), &head.into(), &list.value);
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

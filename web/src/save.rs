//! Saves files by the browser, and copies links to the clipboard.

mod raster; // PNG pictures

pub(crate) use raster::raster;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use crate::dom::{document, later, window};
use crate::state::Msg;
use crate::store;
use crate::view::copy;

/// Time after which the browser has read a saved file, in ms.
const RELEASE_MS: i32 = 10_000;

/// Saves bytes in a file with the name of the input.
pub(crate) fn file(bytes: &[u8], extension: &str, media: &str) {
    let stem = store::with_state(|state| stem(&state.input.name)).unwrap_or_default();
    let name = format!("{stem}.{extension}");
    let done = match offer(&Uint8Array::from(bytes), &name, media) {
        Some(()) => Msg::Copied(format!("Saved {name}.")),
        None => Msg::Refused(format!("{name} could not be saved")),
    };
    store::send(done);
}

fn offer(bytes: &Uint8Array, name: &str, media: &str) -> Option<()> {
    let kind = BlobPropertyBag::new();
    kind.set_type(media);
    offer_blob(&Blob::new_with_u8_array_sequence_and_options(&Array::of1(bytes), &kind).ok()?, name)
}

fn offer_blob(blob: &Blob, name: &str) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let anchor: HtmlAnchorElement = document().create_element("a").ok()?.dyn_into().ok()?;
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    later(RELEASE_MS, move || {
        // A revoked address needs no release.
        let _ = Url::revoke_object_url(&address);
    });
    Some(())
}

/// Copies a link, sets the page's address to it, and reports its length.
pub(crate) fn share(link: &str) {
    let place = window().location();
    let page = place.href().unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    let address = format!("{page}#{link}");
    if let Ok(history) = window().history() {
        // It fails only for addresses that are too long for the browser; the link is copied anyway.
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&format!("#{link}")));
    }
    copy(&address, &format!("Link copied: {} characters, fits {}.", address.len(), fits(address.len())));
}

/// The part after `#` of the address with which the page was opened.
pub(crate) fn linked() -> Option<String> {
    let part = window().location().hash().ok()?;
    part.strip_prefix('#').filter(|link| !link.is_empty()).map(str::to_owned)
}

/// The most restrictive service for which a link of this length is short enough.
fn fits(length: usize) -> &'static str {
    match length {
        0..=2_000 => "anywhere",
        2_001..=40_000 => "Slack and GitHub, too long for Discord",
        40_001..=65_536 => "GitHub, too long for chats",
        _ => "an address line; save the file instead to send it",
    }
}

/// The name without its extension.
fn stem(name: &str) -> String {
    match name.rsplit_once('.').map_or(name, |(stem, _)| stem) {
        "" => "shader".to_owned(),
        stem => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_input() {
        assert_eq!(
            [stem("a.b.spv"), stem("loop"), stem(""), stem(".ir")],
            ["a.b", "loop", "shader", "shader"]
        );
    }
}

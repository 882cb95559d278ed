//! Files, saved by the browser, and links, copied to the clipboard.

mod raster; // a picture of points, made of the picture of lines

pub(crate) use raster::raster;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use crate::dom::{document, later, window};
use crate::state::Msg;
use crate::store;
use crate::view::copy;

/// After this the browser has read what it saves.
const RELEASE_MS: i32 = 10_000;

/// Offers bytes for saving under the name of the input.
pub(crate) fn keep(bytes: &[u8], extension: &str, media: &str) {
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
        // An address that is gone already needs no release.
        let _ = Url::revoke_object_url(&address);
    });
    Some(())
}

/// Copies a link, puts it into the address, and reports its length.
pub(crate) fn share(link: &str) {
    let place = window().location();
    let page = place.href().unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    let address = format!("{page}#{link}");
    if let Ok(history) = window().history() {
        // It fails only for addresses no browser takes, and then the one copied is all there is.
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&format!("#{link}")));
    }
    copy(&address, &format!("Link copied: {} characters, fits {}.", address.len(), fits(address.len())));
}

/// The part of the address after `#` that the page was opened with.
pub(crate) fn linked() -> Option<String> {
    let part = window().location().hash().ok()?;
    part.strip_prefix('#').filter(|link| !link.is_empty()).map(str::to_owned)
}

/// The narrowest place people paste links into that takes one so long.
fn fits(length: usize) -> &'static str {
    match length {
        0..=2_000 => "anywhere",
        2_001..=40_000 => "Slack and GitHub, too long for Discord",
        40_001..=65_536 => "GitHub, too long for chats",
        _ => "an address line; save the file instead to send it",
    }
}

/// The name without what it ends with.
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

//! A PNG picture of an SVG picture, drawn by the browser's canvas at twice its size.
//!
//! Browsers limit the size of a canvas: a larger picture is scaled down, and the notice reports that.

use js_sys::{Array, JsString};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, Event, HtmlCanvasElement, HtmlImageElement, Url,
};

use super::{offer_blob, stem};
use crate::dom::{document, listen as on};
use crate::state::{Msg, Theme};
use crate::store;

/// Pixels of the picture per px.
const LARGER: f64 = 2.0;
/// The most pixels per side, and in total: limits of current browsers.
const SIDE: f64 = 16_000.0;
const AREA: f64 = 64_000_000.0;

/// Saves an SVG as PNG under the name of the input.
pub(crate) fn raster(svg: Vec<u8>) {
    let svg = String::from_utf8(svg).unwrap_or_default();
    let named = store::with_state(|state| (stem(&state.input.name), state.theme));
    let (stem, theme) = named.unwrap_or_default();
    if draw(&themed(svg, theme), format!("{stem}.png")).is_none() {
        refuse();
    }
}

fn refuse() {
    store::send(Msg::Refused("The browser could not draw the picture: save it as SVG instead".to_owned()));
}

/// Replaces the system's theme by the page's.
fn themed(svg: String, theme: Theme) -> String {
    let medium = match theme {
        Theme::System => return svg,
        Theme::Light => "not all",
        Theme::Dark => "all",
    };
    svg.replacen("@media(prefers-color-scheme:dark)", &["@media ", medium].concat(), 1)
}

/// Width and height of the file.
fn size(svg: &str) -> Option<[f64; 2]> {
    let number = |name: &str| svg.split_once(name)?.1.split('"').next()?.parse::<u32>().ok().map(f64::from);
    Some([number(" width=\"")?, number(" height=\"")?])
}

/// Pixels per px, within the limits of a canvas.
fn scale([width, height]: [f64; 2]) -> f64 {
    LARGER.min(SIDE / width).min(SIDE / height).min((AREA / width / height).sqrt())
}

fn draw(svg: &str, name: String) -> Option<()> {
    let size = size(svg)?;
    let kind = BlobPropertyBag::new();
    kind.set_type("image/svg+xml");
    let parts = Array::of1(&JsString::from(svg));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let image = HtmlImageElement::new().ok()?;
    let (seen, done) = (image.clone(), address.clone());
    on(&image, "load", move |_: Event| {
        if paint(&seen, size, &name).is_none() {
            refuse();
        }
        // A revoked address needs no release.
        let _ = Url::revoke_object_url(&done);
    });
    on(&image, "error", |_: Event| refuse());
    image.set_src(&address);
    Some(())
}

fn paint(image: &HtmlImageElement, size: [f64; 2], name: &str) -> Option<()> {
    let scale = scale(size);
    let [width, height] = size.map(|px| (px * scale).max(1.0).floor());
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let pen: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
    pen.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height).ok()?;
    let name = name.to_owned();
    let save = Closure::once_into_js(move |blob: JsValue| {
        match blob.dyn_ref::<Blob>().and_then(|blob| offer_blob(blob, &name)) {
            Some(()) => store::send(Msg::Copied(notice(&name, scale))),
            None => refuse(),
        }
    });
    canvas.to_blob(save.unchecked_ref()).ok()
}

fn notice(name: &str, scale: f64) -> String {
    let per_cent = (scale * 100.0).round() as u32;
    match scale < LARGER {
        true => format!(
            "Saved {name} at {per_cent} % of its size: browsers cannot draw larger ones. SVG has no limit."
        ),
        false => format!("Saved {name}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_too_large_picture_is_scaled_down() {
        assert_eq!(scale([1_000.0, 2_000.0]), 2.0);
        assert!((scale([100.0, 160_000.0]) - 0.1).abs() < 1e-9);
        assert!((scale([16_000.0, 16_000.0]) - 0.5).abs() < 1e-9);
        assert!(notice("a.png", 0.1).starts_with("Saved a.png at 10 %"));
    }

    #[test]
    fn the_size_is_read_and_the_theme_set() {
        let svg = "<svg width=\"12\" height=\"34\"><style>@media(prefers-color-scheme:dark){}".to_owned();
        assert_eq!(size(&svg), Some([12.0, 34.0]));
        assert!(themed(svg.clone(), Theme::Dark).contains("@media all{"));
        assert_eq!(themed(svg.clone(), Theme::System), svg);
    }
}

//! Lessons for JavaScript: `www/open-lesson.js` passes the texts of a folder, and gets a page. No logic.
//!
//! A crate of its own: a library that is a module, too, has one file for all its builds, and builds with other features would
//! replace it.
#![cfg(target_arch = "wasm32")]

use js_sys::Array;
use vitrine_lessons::{Opened, opened};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The title and the main part of a lesson. `names` and `texts` are the files beside it. Errors: the mistake with its line, and a
/// fix on a second line.
#[wasm_bindgen]
pub fn lesson_page(slug: &str, text: &str, names: Vec<String>, texts: Vec<String>) -> Result<Array, JsValue> {
    console_error_panic_hook::set_once();
    let Opened { title, html } = opened(slug, text, names.into_iter().zip(texts).collect())
        .map_err(|why| JsValue::from(why.in_file("lesson.md")))?;
    Ok(Array::of2(&title.into(), &html.into()))
}

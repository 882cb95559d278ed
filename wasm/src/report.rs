//! Reports of findings, for `www/reporter.js`: a worker of its own, which the page terminates to stop it.
//!
//! A link of the page is its whole state, and the program its compiled input, so that no message declares them again. Refuses to run `spirv-val`: the validity of
//! the IR is in the report.

use js_sys::{Array, Uint8Array};
use vitrine_protocol::{Program, js};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::model::report::{GpuResult, Request, report as make};

/// The version of this release.
#[wasm_bindgen]
pub fn release() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The report of a program and a link to its state: title, Markdown, archive, Amber script, the reason why there is none, and the issue forms: name,
/// address, and the number of the text in it (0 for the report, 1 for its summary, none for the title only). `gpu` has the
/// texts of the last result of a GPU (see `GpuResult::of_texts`), if there is one.
///
/// Errors: the reason why there is no report, in words.
#[wasm_bindgen]
pub fn report(
    program: &Uint8Array,
    link: &str,
    address: &str,
    browser: &str,
    is_anonymous: bool,
    is_whole: bool,
    gpu: Vec<String>,
) -> Result<Array, JsValue> {
    let environment = vec![("browser".to_owned(), format!("{browser}, wasm"))];
    let mut request = Request {
        is_anonymous,
        is_whole,
        environment,
        gpu: GpuResult::of_texts(&gpu),
        ..Request::of_link(link, address)?
    };
    let Program { words, .. } = js::decode(program)?;
    if !words.0.is_empty() {
        request.compile(words.0);
    }
    let made = make(&request, &mut |_, _| None)?;
    let archive = Uint8Array::from(made.archive()?.as_slice());
    let (script, why) = match made.amber {
        Ok(script) => (script, String::new()),
        Err(why) => (String::new(), why),
    };
    let forms: Array = made
        .forms
        .iter()
        .map(|form| {
            Array::of3(
                &form.tracker.into(),
                &form.url.as_str().into(),
                &form.text.map(|text| text as u32).into(),
            )
        })
        .collect();
    let texts = [made.title, made.markdown, script, why].map(JsValue::from);
    let [title, markdown, script, why] = texts;
    Ok(Array::from_iter([title, markdown, archive.into(), script, why, forms.into()]))
}

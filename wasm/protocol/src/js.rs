//! Messages as JavaScript values, and the buffers in them that are transferred.
//!
//! The page and its workers exchange *binary* messages: one typed array, written by `postcard`, whose buffer
//! is transferred. Scripts (`www/learn.js`, `wasm/*.mjs`) exchange *objects*. Both forms are the same types;
//! a worker takes either.

use js_sys::{Array, Object, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// A message, ready for `postMessage(value, transfer)`.
#[derive(Debug)]
pub struct Message {
    /// The message.
    pub value: JsValue,
    /// The buffers of its typed arrays.
    pub transfer: Array,
}

/// A message in binary form. Errors: a message without one, in words; no message of this crate fails.
pub fn encode<M: Serialize>(message: &M) -> Result<Message, String> {
    let bytes = postcard::to_allocvec(message).map_err(|error| error.to_string())?;
    let value = Uint8Array::from(bytes.as_slice());
    let transfer = Array::of1(&value.buffer());
    Ok(Message { value: value.into(), transfer })
}

/// The message of a binary form. Errors: invalid bytes, in words.
pub fn decode<M: DeserializeOwned>(bytes: &Uint8Array) -> Result<M, String> {
    postcard::from_bytes(&bytes.to_vec()).map_err(|error| format!("a message cannot be decoded: {error}"))
}

/// A message as an object. Errors: as for [`encode`].
pub fn encode_object<M: Serialize>(message: &M) -> Result<Message, String> {
    let value = serde_wasm_bindgen::to_value(message).map_err(|error| error.to_string())?;
    let transfer = Array::new();
    collect(&value, &transfer);
    Ok(Message { value, transfer })
}

/// The message of an object. Errors: the field that is missing or of the wrong type.
pub fn decode_object<M: DeserializeOwned>(value: JsValue) -> Result<M, String> {
    serde_wasm_bindgen::from_value(value).map_err(|error| format!("a message cannot be decoded: {error}"))
}

/// Finds typed arrays in an object and in nested objects. Arrays are not searched: no list of a message has
/// large fields.
fn collect(value: &JsValue, transfer: &Array) {
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        transfer.push(&bytes.buffer());
    } else if let Some(object) = value.dyn_ref::<Object>().filter(|_| !Array::is_array(value)) {
        Object::values(object).iter().for_each(|field| collect(&field, transfer));
    }
}

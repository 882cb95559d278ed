//! The judge of tasks, facts that figures mark, and parts of figures, for `www/tutor.js`, the worker of lessons.
//!
//! Texts and lists of texts, so that no message declares them: the page's program does not contain them.

use js_sys::Array;
use vitrine_core::judge::{Programs, Task};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Judges an answer to a task. `names` and `programs` are the programs of the task, by their names in checks.
///
/// Returns a list for each check: if it passed, its text, the sentence about what was found, and the entities to mark. Errors: a
/// sentence if the task itself is defective.
#[wasm_bindgen]
pub fn judge(task: &str, names: Vec<String>, programs: Vec<String>, answer: &str) -> Result<Array, JsValue> {
    let task = Task::parse(task).map_err(|error| error.to_string())?;
    let programs: Programs = names.into_iter().zip(programs.into_iter().map(String::into_bytes)).collect();
    let judgement = vitrine_core::judge::judge(&task, &programs, answer.as_bytes())?;
    let list = |finding: vitrine_core::judge::Finding| {
        let marks: Array = finding.marks.iter().map(JsValue::from).collect();
        Array::of4(&finding.passed.into(), &finding.check.into(), &finding.sentence.into(), &marks)
    };
    Ok(judgement.findings.into_iter().map(list).collect())
}

/// The blocks, edges or values of a fact about a program, such as `frontier(^3)`. Errors: a sentence.
#[wasm_bindgen]
pub fn fact(program: &str, text: &str) -> Result<Vec<String>, JsValue> {
    Ok(vitrine_core::judge::fact(program.as_bytes(), text)?)
}

/// The outputs of a run of a program on chosen inputs, such as `n = 3`. Errors: a sentence.
#[wasm_bindgen]
pub fn ran(program: &str, inputs: &str) -> Result<String, JsValue> {
    Ok(vitrine_core::judge::ran(program.as_bytes(), inputs)?)
}

/// The steps of a run of a program on chosen inputs, as HTML. Errors: a sentence.
#[wasm_bindgen]
pub fn steps(program: &str, inputs: &str) -> Result<String, JsValue> {
    Ok(vitrine_core::view_model::figures::steps(program.as_bytes(), inputs)?)
}

/// The bytes of a variable of a program, as HTML; those of the first buffer for an empty name. Errors: a sentence.
#[wasm_bindgen]
pub fn memory_map(program: &str, variable: &str) -> Result<String, JsValue> {
    Ok(vitrine_core::view_model::figures::memory_map(program.as_bytes(), variable)?)
}

//! Texts of the modules of the corpora, each written once: many tests judge, count and compare the same texts.
//!
//! Only for files, which no test changes. A text is that of `vitrine opt` without options, refusals included.

use super::corpus::Item;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Diag, Module};
use vitrine_core::pipeline::write;

/// A text, or the reasons why there is none.
pub(crate) type Text = Result<String, Vec<Diag>>;

/// Writes a module as a text of a back end.
pub(crate) fn text_of(module: &Module, language: &str) -> Text {
    let backend = named(language).expect("the back end exists");
    write(&Source::new(module, &all_funcs(module)), backend, false).map(Written::into_text)
}

/// The text of a module of a corpus. A second thread that asks for it waits for the first one.
pub(crate) fn text(item: &Item, language: &'static str) -> Text {
    type Slot = Arc<OnceLock<Text>>;
    static TEXTS: Mutex<BTreeMap<(PathBuf, &str), Slot>> = Mutex::new(BTreeMap::new());
    let key = (item.path.clone(), language);
    let slot = Slot::clone(TEXTS.lock().expect("no thread panicked").entry(key).or_default());
    slot.get_or_init(|| text_of(&read(&item.bytes()).module, language)).clone()
}

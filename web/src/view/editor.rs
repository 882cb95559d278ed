//! The text editor: CodeMirror in the module built from `web/editor`.
//!
//! Loaded when there is something to edit; nothing waits for it. The functions that it calls are in `crate::editor`.

use std::cell::RefCell;

use js_sys::{Array, Function, Uint32Array};
use vitrine_core::d3d::sm1;
use vitrine_core::spirv;
use vitrine_protocol::Words;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlElement;

use crate::dom::{get, window};
use crate::source_words;
use crate::state::{Change, Diagnostic, Dirty, Level, Selection};
use crate::store;

#[wasm_bindgen]
extern "C" {
    /// The class `Editor` of `web/editor/src/main.js`, which documents its methods.
    pub(crate) type Editor;

    /// Shows another text. With `joined` it is one step of the history with the last change.
    #[wasm_bindgen(method)]
    pub(crate) fn replace(this: &Editor, text: &str, joined: bool);
    /// Shows another input, with its own history.
    #[wasm_bindgen(method)]
    pub(crate) fn open(this: &Editor, key: f64, text: &str);
    /// Names the shown input.
    #[wasm_bindgen(method)]
    pub(crate) fn rename(this: &Editor, key: f64);
    /// Makes the text read-only for a reason; an empty reason makes it editable.
    #[wasm_bindgen(method)]
    pub(crate) fn freeze(this: &Editor, reason: &str);
    #[wasm_bindgen(method)]
    fn problems(this: &Editor, places: &Uint32Array, words: &Array);
    #[wasm_bindgen(method)]
    fn select(this: &Editor, from: u32, to: u32);
    #[wasm_bindgen(method)]
    fn origins(this: &Editor, lines: &Uint32Array, name: &str, from: u32, to: u32);
    /// Computes the colors again.
    #[wasm_bindgen(method)]
    pub(crate) fn relex(this: &Editor);
}

/// State of the editor's module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// Not requested yet.
    Unasked,
    /// Being loaded.
    Coming,
    /// Loaded.
    There,
    /// Could not be loaded, or does not work: the text area remains.
    Failed,
}

/// State shared by the page and the editor.
pub(crate) struct Shared {
    loading: Loading,
    /// The function of the module that creates an editor.
    create: JsValue,
    /// The words of the languages.
    pub(crate) words: Words,
    /// The language of the text.
    pub(crate) language: Language,
}

/// A language that the editor colors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Ir,
    Spirv,
    D3d9,
    Source,
}

thread_local! {
    static SHARED: RefCell<Shared> = const {
        RefCell::new(Shared {
            loading: Loading::Unasked,
            create: JsValue::UNDEFINED,
            words: Words { classes: Vec::new(), words: Vec::new() },
            language: Language::Spirv,
        })
    };
}

/// Accesses the shared state; `access` must not call the editor.
pub(crate) fn shared<T>(access: impl FnOnce(&mut Shared) -> T) -> T {
    SHARED.with_borrow_mut(access)
}

/// The state of the editor's module.
pub(crate) fn loading() -> Loading {
    shared(|shared| shared.loading)
}

/// Loads the module if it is not requested yet: `www/boot.js` does it, and calls [`arrive`].
pub(crate) fn load() {
    if loading() != Loading::Unasked {
        return;
    }
    shared(|shared| shared.loading = Loading::Coming);
    // It reports later, also on failure.
    let _ = get(&window(), "loadEditor").unchecked_into::<Function>().call0(&JsValue::NULL);
}

/// The module was loaded, or could not be loaded.
pub(crate) fn arrive(create: JsValue) {
    let loading = if create.is_undefined() { Loading::Failed } else { Loading::There };
    shared(|shared| (shared.loading, shared.create) = (loading, create));
    store::redraw(Dirty::EDITOR);
}

/// Creates the editor in `host` with the state of the text area, whose changes were recorded by [`remember`]. None if it
/// does not work; the reason is then in the console.
pub(crate) fn create(host: &HtmlElement, area: &HtmlElement) -> Option<Editor> {
    let create = shared(|shared| shared.create.clone()).unchecked_into::<Function>();
    let past = get(&window(), "typedBefore");
    let editor = create.call3(&JsValue::NULL, host, area, &past).unwrap_or_default();
    if editor.is_undefined() {
        shared(|shared| shared.loading = Loading::Failed);
        return None;
    }
    Some(editor.unchecked_into())
}

/// Records a change of the text area for the editor's history: from, to, text, time.
pub(crate) fn remember(change: &Change) {
    let Change { from, to, text } = change;
    let entry =
        Array::of4(&(*from).into(), &(*to).into(), &text.as_str().into(), &js_sys::Date::now().into());
    get(&window(), "typedBefore").unchecked_into::<Array>().push(&entry);
}

/// Forgets the recorded changes: they belong to another input.
pub(crate) fn forget() {
    get(&window(), "typedBefore").unchecked_into::<Array>().set_length(0);
}

/// Takes the words of the languages.
pub(crate) fn learn(words: Words) {
    shared(|shared| shared.words = words);
}

/// Detects the language of a text. Returns true if it differs from the last one.
pub(crate) fn speak(text: &str) -> bool {
    let language = match text {
        _ if spirv::is_spirv_text(text) => Language::Spirv,
        _ if sm1::is_assembly(text) => Language::D3d9,
        _ if source_words::is_source(text) => Language::Source,
        _ => Language::Ir,
    };
    shared(|shared| std::mem::replace(&mut shared.language, language) != language)
}

impl Editor {
    /// Shows diagnostics that have a position.
    pub(crate) fn show_problems(&self, problems: &[Diagnostic]) {
        let (places, words) = (Array::new(), Array::new());
        for Diagnostic { level, code, message, line, column } in problems.iter().filter(|of| of.line > 0) {
            let level = Level::ALL.iter().position(|known| known == level).unwrap_or_default();
            for number in [*line, *column, level as u32] {
                places.push(&number.into());
            }
            for word in [code, message] {
                words.push(&word.as_str().into());
            }
        }
        self.problems(&Uint32Array::new(&places), &words);
    }

    /// Selects a range, scrolls to it, and takes the focus.
    pub(crate) fn go(&self, place: Selection) {
        self.select(place.start, place.end);
    }

    /// Marks lines, from 1, and a name between two positions.
    pub(crate) fn mark(&self, lines: &[u32], name: &str, within: [u32; 2]) {
        self.origins(&Uint32Array::from(lines), name, within[0], within[1]);
    }
}

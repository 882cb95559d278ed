//! The text editor, once it is there: CodeMirror in the module that `web/editor` becomes.
//!
//! Loaded when there is something to edit, never waited for. What it calls in turn is in `crate::editor`.

use std::cell::RefCell;

use js_sys::{Array, Function, Uint32Array};
use vitrine_core::spirv;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlElement;

use crate::dom::{get, window};
use crate::state::{Change, Diagnostic, Dirty, Level, Selection};
use crate::store;

#[wasm_bindgen]
extern "C" {
    /// The class `Editor` of `web/editor/src/main.js`, which documents its methods.
    pub(crate) type Editor;

    /// Shows another text. `joined` makes it one step with the last change.
    #[wasm_bindgen(method)]
    pub(crate) fn replace(this: &Editor, text: &str, joined: bool);
    /// Lets the text only be read, for a reason; an empty one lets it be edited.
    #[wasm_bindgen(method)]
    pub(crate) fn freeze(this: &Editor, reason: &str);
    #[wasm_bindgen(method)]
    fn problems(this: &Editor, places: &Uint32Array, words: &Array);
    #[wasm_bindgen(method)]
    fn select(this: &Editor, from: u32, to: u32);
    #[wasm_bindgen(method)]
    fn origins(this: &Editor, lines: &Uint32Array);
    /// Colors the text again.
    #[wasm_bindgen(method)]
    pub(crate) fn relex(this: &Editor);
}

/// The module on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// Not requested yet.
    Unasked,
    /// It is being loaded.
    Coming,
    /// It is there.
    There,
    /// It could not be loaded, or does not work: the text area stays.
    Failed,
}

/// State that the page and the editor share.
pub(crate) struct Shared {
    way: Loading,
    /// The function of the module that makes an editor.
    create: JsValue,
    /// As the worker sends them, in the order of their spelling; see `Compiler::words`.
    pub(crate) words: String,
    /// True if the text is assembly.
    pub(crate) is_spirv: bool,
}

thread_local! {
    static SHARED: RefCell<Shared> = const {
        RefCell::new(Shared { way: Loading::Unasked, create: JsValue::UNDEFINED, words: String::new(), is_spirv: true })
    };
}

/// Looks at what they share; nothing of the editor may be called meanwhile.
pub(crate) fn shared<T>(look: impl FnOnce(&mut Shared) -> T) -> T {
    SHARED.with_borrow_mut(look)
}

/// How far the module is.
pub(crate) fn way() -> Loading {
    shared(|shared| shared.way)
}

/// Begins to load the module, once: `www/boot.js` does it, and reports by [`arrive`].
pub(crate) fn load() {
    if way() != Loading::Unasked {
        return;
    }
    shared(|shared| shared.way = Loading::Coming);
    // It answers later, also where it fails.
    let _ = get(&window(), "loadEditor").unchecked_into::<Function>().call0(&JsValue::NULL);
}

/// The module is there, or could not be loaded.
pub(crate) fn arrive(create: JsValue) {
    let way = if create.is_undefined() { Loading::Failed } else { Loading::There };
    shared(|shared| (shared.way, shared.create) = (way, create));
    store::redraw(Dirty::EDITOR);
}

/// Puts the editor into `host`, to go on from the text area, whose changes are remembered: see [`remember`]. None where
/// it does not work; then it reports that in the console.
pub(crate) fn create(host: &HtmlElement, area: &HtmlElement) -> Option<Editor> {
    let create = shared(|shared| shared.create.clone()).unchecked_into::<Function>();
    let past = get(&window(), "typedBefore");
    let editor = create.call3(&JsValue::NULL, host, area, &past).unwrap_or_default();
    if editor.is_undefined() {
        shared(|shared| shared.way = Loading::Failed);
        return None;
    }
    Some(editor.unchecked_into())
}

/// Keeps a change of the text area for the editor's history: from, to, text, time.
pub(crate) fn remember(change: &Change) {
    let Change { from, to, text } = change;
    let entry =
        Array::of4(&(*from).into(), &(*to).into(), &text.as_str().into(), &js_sys::Date::now().into());
    get(&window(), "typedBefore").unchecked_into::<Array>().push(&entry);
}

/// Takes the words of the languages, see `Answer::Words`.
pub(crate) fn learn(words: String) {
    shared(|shared| shared.words = words);
}

/// Looks which language a text is in; whether that is news.
pub(crate) fn speak(text: &str) -> bool {
    let is_spirv = spirv::is_spirv_text(text);
    shared(|shared| std::mem::replace(&mut shared.is_spirv, is_spirv) != is_spirv)
}

impl Editor {
    /// Shows problems at their places; those without one are left to the list.
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

    /// Selects a place, shows it, and takes the focus.
    pub(crate) fn go(&self, place: Selection) {
        self.select(place.start, place.end);
    }

    /// Marks lines, from 1.
    pub(crate) fn mark(&self, lines: &[u32]) {
        self.origins(&Uint32Array::from(lines));
    }
}

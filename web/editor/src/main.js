// The text editor of the page: CodeMirror with our colors, our lexers and the compiler's problems.
//
// The page's side is web/src/view/editor.rs, and web/src/editor.rs, whose functions `page.js` exports: it hands over
// texts, places and problems, and hears what was typed as changes. A text crosses the border as a whole only when
// another one takes its place. Nothing here knows a language.

import { Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, isolateHistory, undo, undoDepth } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { colours, relexed } from "./colours.js";
import { completion } from "./complete.js";
import { frozen } from "./frozen.js";
import { adoptSheets, look } from "./look.js";
import { origins, setOrigins } from "./origins.js";
import { problems, setProblems, tellAt } from "./problems.js";
import { rope } from "./rope.js";
import { caret, typed } from "./page.js";

const EMPTY = "Paste or drop a shader anywhere: SPIR-V as a binary, text, hex or base64, or IR text";

/**
 * An editor in `parent` in the place of a text area, which changed as `past` says: from, to, text, time. Where none can
 * be made the text area stays, and the console says why.
 */
export function create(parent, area, past) {
  try {
    adoptSheets();
    parent.hidden = false;
    const editor = new Editor(parent, area, past);
    for (const old of [area, document.getElementById("gutters")]) old.hidden = true;
    area.value = "";
    return editor;
  } catch (error) {
    parent.hidden = true;
    parent.replaceChildren();
    reportError(error);
  }
}

class Editor {
  #view;
  #lock = new Compartment();
  /** True if a change is the page's own: it is not reported to the page. */
  #quiet = false;
  /** Why the text may only be read; empty where it may be edited. */
  #reason = "";
  /** What is to be done once the text that is being taken in is there; nothing while none is. */
  #waiting;

  constructor(parent, area, past) {
    const extensions = [
      look, problems, lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(),
      history(), bracketMatching(), search({ top: true }), highlightSelectionMatches({ minSelectionLength: 2 }),
      colours, completion, origins, this.#lock.of([]), placeholder(EMPTY), EditorState.tabSize.of(4),
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorState.languageData.of(() => [{ commentTokens: { line: ";" }, wordChars: "%@$&~^#!." }]),
      EditorView.contentAttributes.of({
        "aria-label": "Shader", "aria-describedby": "tally", autocapitalize: "off", tabindex: "0",
      }),
      // The page opens files, wherever they are dropped.
      EditorView.domEventHandlers({ drop: (event) => event.dataTransfer?.files.length > 0 }),
      EditorView.updateListener.of((update) => this.#tell(update)),
    ];
    this.#view = new EditorView({ parent, state: EditorState.create({ doc: area.defaultValue, extensions }) });
    // As a text area has it: for a person's own scripts, and for tests.
    Object.defineProperty(parent, "value", { get: () => this.#view.state.doc.toString() });
    this.#resume(area, past);
  }

  /**
   * Puts another text in the place of this one, as a step that can be undone. `joined` makes it and the last change
   * one step: a text pasted as hex and shown as assembly. A long text takes several tasks.
   */
  async replace(text, joined) {
    const begun = [];
    this.#waiting = begun;
    this.#guard();
    const doc = await rope(text, () => this.#waiting === begun);
    if (!doc) return;
    const view = this.#view;
    this.#waiting = undefined;
    view.dispatch({ effects: this.#lock.reconfigure([]) });
    if (joined && undoDepth(view.state) > 0) {
      undo({ state: view.state, dispatch: (one) => this.#own(one) });
    }
    this.#own({
      changes: { from: 0, to: view.state.doc.length, insert: doc },
      selection: { anchor: 0 },
      effects: [EditorView.scrollIntoView(0), ...setProblems(view.state, [], [])],
      annotations: isolateHistory.of("full"),
    });
    this.#guard();
    for (const act of begun) act();
  }

  /** Makes the text read-only, for a reason; an empty reason makes it editable. */
  freeze(reason) {
    this.#reason = reason;
    this.#guard();
  }

  /** Shows problems: three numbers each (line and column from 1, level), and code and sentence. */
  problems(places, words) {
    this.#then((view) => view.dispatch({ effects: setProblems(view.state, places, words) }));
  }

  /** Selects a range, brings it into sight, and shows the problem that is there. */
  select(from, to) {
    this.#then((view) => {
      const [anchor, head] = [from, to].map((place) => Math.min(place, view.state.doc.length));
      const effects = [EditorView.scrollIntoView(anchor, { y: "center" }), ...tellAt(view.state, anchor)];
      view.dispatch({ selection: { anchor, head }, effects });
      view.focus();
    });
  }

  /** Marks the lines, from 1, that something chosen elsewhere came from. */
  origins(lines) {
    this.#then((view) => view.dispatch({ effects: setOrigins(view.state, lines) }));
  }

  /** Colors anew: the language is another, or its words are known now. */
  relex() {
    this.#view.dispatch({ effects: relexed.of(null) });
  }

  /** Goes on where a text area is: what was typed there and when, its selection, its scroll, its focus. */
  #resume(area, past) {
    for (const [from, to, insert, time] of past) {
      this.#own({ changes: { from, to, insert }, annotations: Transaction.time.of(time), userEvent: "input.type" });
    }
    this.#own({ selection: { anchor: area.selectionStart, head: area.selectionEnd } });
    const top = area.scrollTop;
    this.#view.requestMeasure({ read: () => 0, write: (_, view) => { view.scrollDOM.scrollTop = top; } });
    if (document.activeElement === area) this.#view.focus();
  }

  #then(act) {
    if (this.#waiting) this.#waiting.push(() => act(this.#view));
    else act(this.#view);
  }

  #guard() {
    const how = this.#waiting ? EditorState.readOnly.of(true) : this.#reason ? frozen(this.#reason) : [];
    this.#view.dispatch({ effects: this.#lock.reconfigure(how) });
  }

  #own(change) {
    this.#quiet = true;
    this.#view.dispatch(change);
    this.#quiet = false;
  }

  /** Reports to the page the changes, in order, and the place of the caret. */
  #tell({ state, startState, transactions, docChanged }) {
    if (this.#quiet) return;
    for (const one of transactions.filter((one) => one.docChanged)) {
      const places = [];
      const texts = [];
      // The last one first, so that none moves another.
      one.changes.iterChanges((from, to, _from, _to, text) => {
        places.unshift(from, to);
        texts.unshift(text.toString());
      });
      typed(new Uint32Array(places), texts, one.isUserEvent("undo"));
    }
    const { head } = state.selection.main;
    if (!docChanged && head === startState.selection.main.head) return;
    const line = state.doc.lineAt(head);
    caret(line.number, [...line.text.slice(0, head - line.from)].length + 1);
  }
}

// The text editor of the page: CodeMirror with the page's colors, the compiler's lexers and diagnostics.
//
// The page's side is web/src/view/editor.rs, and web/src/editor.rs, whose functions `www/boot.js` connects: it passes
// texts, positions and diagnostics, and the editor reports changes. A whole text is passed only when
// another one replaces it. Nothing here depends on a language. Lessons have the same editor without the page around it: `plain`.

import { Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { defaultKeymap, history, historyField, historyKeymap, isolateHistory, undo, undoDepth } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { colors, relexed } from "./colors.js";
import { completion } from "./complete.js";
import { frozen } from "./frozen.js";
import { adoptSheets, style } from "./style.js";
import { origins, setOrigins } from "./origins.js";
import { problems, setProblems, tellAt } from "./problems.js";
import { rope } from "./rope.js";
import { connect, host } from "./host.js";

export { connect };

const EMPTY = "Paste or drop a shader anywhere: SPIR-V as a binary, text, hex or base64, or IR text";

/** The editor that `prepare` has made. */
let prepared;

/**
 * Makes an editor with the text of a text area. Each step of this generator takes about as long as a task may take, so the
 * caller gives each a task of its own; `create` then shows the editor.
 */
export function* prepare(area) {
  adoptSheets();
  prepared = yield* Editor.made(area.defaultValue);
}

/**
 * Shows the prepared editor in `parent` in place of a text area, with its changes `past`: from, to, text, time. If that
 * fails, the text area remains, and the console has the reason.
 */
export function create(parent, area, past) {
  try {
    parent.hidden = false;
    prepared.show(parent, area, past);
    for (const old of [area, document.getElementById("gutters")]) old.hidden = true;
    area.value = "";
    return prepared;
  } catch (error) {
    parent.hidden = true;
    parent.replaceChildren();
    reportError(error);
  }
}

/** What every editor has. */
const common = () => [
  style, problems, lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(),
  history(), bracketMatching(), search({ top: true }), highlightSelectionMatches({ minSelectionLength: 2 }),
  colors, completion, EditorState.tabSize.of(4),
  EditorState.languageData.of(() => [{ commentTokens: { line: ";" }, wordChars: "%@$&~^#!." }]),
];

/**
 * An editor of a text without a page around it. `keys` come before its own; Tab leaves it. `changed` gets the text after each
 * change by the user.
 */
export function plain(text, label, keys, changed) {
  adoptSheets();
  let isQuiet = false;
  const view = new EditorView({
    doc: text,
    extensions: [
      keymap.of(keys), common(), keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off" }),
      EditorView.updateListener.of(({ docChanged, state }) => docChanged && !isQuiet && changed(state.doc.toString())),
    ],
  });
  return {
    dom: view.dom,
    focus: () => view.focus(),
    select: (anchor, head) => view.dispatch({ selection: { anchor, head } }),
    relex: () => view.dispatch({ effects: relexed.of(null) }),
    problems: (places, words) => view.dispatch({ effects: setProblems(view.state, places, words) }),
    set(text) {
      isQuiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: isolateHistory.of("full") });
      isQuiet = false;
    },
  };
}

/** The longest text, in UTF-16 units, whose history is stored, and the longest stored history. */
const MOST_STORED = 500_000;

class Editor {
  #view;
  #extensions;
  /** The number of the shown input, and the states of the other open ones. */
  #key = 0;
  #others = new Map();
  #lock = new Compartment();
  /** The word under the pointer, by the position of its start; null for none. */
  #word = null;
  /** True during a change by the page: it is not reported to the page. */
  #quiet = false;
  /** The reason why the text is read-only; empty if it is editable. */
  #reason = "";
  /** Actions to run after the text that is being set; undefined if none is. */
  #waiting;

  constructor() {
    this.#extensions = [
      common(), origins, this.#lock.of([]), placeholder(EMPTY),
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        "aria-label": "Shader", "aria-describedby": "tally", autocapitalize: "off", tabindex: "0",
      }),
      // The page opens dropped files.
      EditorView.domEventHandlers({
        drop: (event) => event.dataTransfer?.files.length > 0,
        mousemove: (event, view) => this.#point(view.posAtCoords({ x: event.clientX, y: event.clientY })),
        mouseleave: () => this.#point(null),
      }),
      EditorView.updateListener.of((update) => this.#tell(update)),
    ];
  }

  /** Makes an editor of a text, in steps. */
  static *made(text) {
    const editor = new Editor();
    yield;
    const state = editor.#create(text);
    yield;
    editor.#view = new EditorView({ state });
    return editor;
  }

  /** Takes the place of a text area. */
  show(parent, area, past) {
    // Another text was opened since the editor was prepared.
    if (this.#view.state.doc.toString() !== area.defaultValue) this.#view.setState(this.#create(area.defaultValue));
    parent.append(this.#view.dom);
    this.#view.requestMeasure();
    // For `www/keep.js`: the history, the selection and the scroll position of an input.
    self.editorState = (key) => this.#stored(key);
    // Like a text area's: for scripts of the user, and for tests.
    Object.defineProperty(parent, "value", { get: () => this.#view.state.doc.toString() });
    this.#resume(area, past);
  }

  /**
   * Replaces the text, as a step of the history. With `joined` it is one step with the last change:
   * a text pasted as hex and shown as assembly. A long text takes several tasks.
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

  /** Names the shown input. A history that was stored with it continues, if it was not edited since. */
  rename(key) {
    this.#key = key;
    const stored = this.#restored(key, this.#view.state.doc);
    if (stored && undoDepth(this.#view.state) === 0) this.#show(stored);
  }

  /** Shows another input, with the history and selection that it had. A long text takes several tasks. */
  async open(key, text) {
    this.#others.set(this.#key, { state: this.#view.state, top: this.#view.scrollDOM.scrollTop });
    this.#key = key;
    const begun = [];
    this.#waiting = begun;
    this.#guard();
    let next = this.#others.get(key);
    if (next?.state.doc.length !== text.length || next.state.doc.toString() !== text) {
      const doc = await rope(text, () => this.#waiting === begun);
      if (!doc) return;
      next = this.#restored(key, doc) ?? { state: this.#create(doc), top: 0 };
    }
    this.#others.delete(key);
    this.#waiting = undefined;
    this.#show(next);
    this.#guard();
    for (const act of begun) act();
  }

  #create(doc) {
    return EditorState.create({ doc, extensions: this.#extensions });
  }

  #show({ state, top }) {
    this.#quiet = true;
    this.#view.setState(state);
    this.#quiet = false;
    this.#view.requestMeasure({ read: () => 0, write: (_, view) => { view.scrollDOM.scrollTop = top; } });
  }

  /** The state of an input as text; undefined if it is too long, or not open. */
  #stored(key) {
    const { state, top } = key === this.#key && !this.#waiting
      ? { state: this.#view.state, top: this.#view.scrollDOM.scrollTop }
      : this.#others.get(key) ?? {};
    if (!state || state.doc.length > MOST_STORED) return undefined;
    const { selection, history } = state.toJSON({ history: historyField });
    const text = JSON.stringify({ length: state.doc.length, top, selection, history });
    return text.length > MOST_STORED ? undefined : text;
  }

  /** A stored state of an input, if it belongs to this text. */
  #restored(key, doc) {
    try {
      const { length, top, selection, history } = JSON.parse(self.kept.editors.get(key) ?? "{}");
      if (length !== doc.length) return undefined;
      const json = { doc: doc.toString(), selection, history };
      return { state: EditorState.fromJSON(json, { extensions: this.#extensions }, { history: historyField }), top };
    } catch {
      // The form of another version of the editor.
      return undefined;
    }
  }

  /** Makes the text read-only, for a reason; an empty reason makes it editable. */
  freeze(reason) {
    this.#reason = reason;
    this.#guard();
  }

  /** Shows diagnostics: three numbers each (line and column from 1, level), and code and message. */
  problems(places, words) {
    this.#then((view) => view.dispatch({ effects: setProblems(view.state, places, words) }));
  }

  /** Selects a range, scrolls to it, and shows the diagnostic there. */
  select(from, to) {
    this.#then((view) => {
      const [anchor, head] = [from, to].map((place) => Math.min(place, view.state.doc.length));
      const effects = [EditorView.scrollIntoView(anchor, { y: "center" }), ...tellAt(view.state, anchor)];
      view.dispatch({ selection: { anchor, head }, effects });
      view.focus();
    });
  }

  /** Marks the lines, from 1, from which the highlighted thing was read, and its name between two positions. */
  origins(lines, name, from, to) {
    this.#then((view) => view.dispatch({ effects: setOrigins(view.state, lines, { name, from, to }) }));
  }

  /** Computes the colors again: the language changed, or its words were loaded. */
  relex() {
    this.#view.dispatch({ effects: relexed.of(null) });
  }

  /** Takes over the state of a text area: its changes with their times, its selection, its scroll position, its focus. */
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

  /** Reports to the page the word at a position, so that it is highlighted everywhere. */
  #point(at) {
    const { state } = this.#view;
    const word = at === null ? null : state.wordAt(at);
    if (word?.from === this.#word?.from) return;
    this.#word = word;
    if (!word) return host.pointed(0, 0);
    const line = state.doc.lineAt(word.from);
    host.pointed(line.number, [...line.text.slice(0, word.from - line.from)].length + 1);
  }

  /** Reports to the page the changes, in order, and the position of the caret. */
  #tell({ state, startState, transactions, docChanged }) {
    if (this.#quiet) return;
    for (const one of transactions.filter((one) => one.docChanged)) {
      const places = [];
      const texts = [];
      // The last one first, so that none shifts the positions of another.
      one.changes.iterChanges((from, to, _from, _to, text) => {
        places.unshift(from, to);
        texts.unshift(text.toString());
      });
      host.typed(new Uint32Array(places), texts, one.isUserEvent("undo"));
    }
    const { head } = state.selection.main;
    if (!docChanged && head === startState.selection.main.head) return;
    const line = state.doc.lineAt(head);
    host.caret(line.number, [...line.text.slice(0, head - line.from)].length + 1);
  }
}

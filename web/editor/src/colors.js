// The colors of the text in view, from the compiler's lexers; the classes are those of the printed IR.
//
// The lexer runs on the visible lines only, when they change. Its only state from the lines above is
// whether a string literal continues: scanned from the last line with a known state.
// Limits: after a jump over more than FAR lines the colors inside a string literal are corrected a moment later.

import { RangeSetBuilder, StateEffect } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";
import { host } from "./host.js";

/** The language changed, or its words were loaded. */
export const relexed = StateEffect.define();

/** More is known about the lines above. */
const further = StateEffect.define();

/** Of a longer line only the part in view is lexed. */
const LONG = 4000;
/** Lines between two known states. */
const STRIDE = 256;
/** The most lines scanned at once. */
const FAR = 20000;

class Colors {
  /** The known states at the beginning of lines 1, 1 + STRIDE, 1 + 2 STRIDE…: true inside a string literal. */
  #known = [false];
  #styles = [];

  constructor(view) {
    this.view = view;
    this.marks = this.#color();
  }

  update({ docChanged, viewportChanged, changes, startState, transactions }) {
    const has = (kind) => transactions.some(({ effects }) => effects.some((one) => one.is(kind)));
    const again = has(relexed);
    if (docChanged) {
      let first = Infinity;
      changes.iterChangedRanges((from) => { first = Math.min(first, from); });
      this.#forget(startState.doc.lineAt(first).number);
    }
    if (again) this.#forget(1);
    if (docChanged || viewportChanged || again || has(further)) this.marks = this.#color();
  }

  destroy() {
    clearTimeout(this.later);
  }

  #forget(line) {
    this.#known.length = Math.min(this.#known.length, Math.floor((line - 1) / STRIDE) + 1);
  }

  #color() {
    const { view } = this;
    const { doc } = view.state;
    const marks = new RangeSetBuilder();
    for (const { from, to } of this.#named() ? view.visibleRanges : []) {
      const line = doc.lineAt(from);
      const start = from - line.from > LONG ? from : line.from;
      const inside = host.is_spirv() && this.#inside(line.number);
      const found = host.lex(doc.sliceString(start, to), inside);
      for (let at = 0; at < found.length; at += 3) {
        const begin = start + found[at];
        marks.add(begin, begin + found[at + 1], this.#styles[found[at + 2]]);
      }
    }
    return marks.finish();
  }

  /** Returns true if the classes have names, which the compiler sends. */
  #named() {
    if (this.#styles.length === 0) {
      this.#styles = host.words().classes.map((name) => Decoration.mark({ class: `t-${name}` }));
    }
    return this.#styles.length > 0;
  }

  /** Returns true if a string literal continues at the beginning of a line. */
  #inside(line) {
    const known = this.#known;
    const last = Math.min(known.length - 1, Math.floor((line - 1) / STRIDE));
    const begin = last * STRIDE + 1;
    const end = Math.min(line, begin + FAR);
    let inside = known[last];
    let number = begin;
    for (const text of this.view.state.doc.iterLines(begin, end)) {
      if (inside || text.includes('"')) inside = host.goes_on(`${text}\n`, inside);
      number += 1;
      if ((number - 1) % STRIDE === 0) known[(number - 1) / STRIDE] = inside;
    }
    if (end === line) return inside;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.view.dispatch({ effects: further.of(null) }));
    return false;
  }
}

/** Colors the text in view. */
export const colors = ViewPlugin.fromClass(Colors, { decorations: (of) => of.marks });

// The colors of the text in view, from the compiler's own lexers; the classes are those of the printed IR.
//
// A lexer is asked about the visible lines only, when they change. What it must know of the lines above them is
// whether a quoted text goes on: looked up from the last line where that is known.
// Limits: below a jump over more than FAR lines a quoted text is seen as such a moment later.

import { RangeSetBuilder, StateEffect } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";
import { goes_on, is_spirv, lex, words } from "./page.js";

/** The language is another, or its words are known now. */
export const relexed = StateEffect.define();

/** More is known of the lines above. */
const further = StateEffect.define();

/** Of a line longer than this only the part in sight is read. */
const LONG = 4000;
/** Lines between two places where it is noted whether a quoted text goes on. */
const STRIDE = 256;
/** Most lines that are looked through at once. */
const FAR = 20000;

class Colours {
  /** Whether a quoted text goes on at the beginning of lines 1, 1 + STRIDE, 1 + 2 STRIDE…, as far as known. */
  #known = [false];
  #styles = [];

  constructor(view) {
    this.view = view;
    this.marks = this.#colour();
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
    if (docChanged || viewportChanged || again || has(further)) this.marks = this.#colour();
  }

  destroy() {
    clearTimeout(this.later);
  }

  #forget(line) {
    this.#known.length = Math.min(this.#known.length, Math.floor((line - 1) / STRIDE) + 1);
  }

  #colour() {
    const { view } = this;
    const { doc } = view.state;
    const marks = new RangeSetBuilder();
    for (const { from, to } of this.#named() ? view.visibleRanges : []) {
      const line = doc.lineAt(from);
      const start = from - line.from > LONG ? from : line.from;
      const inside = is_spirv() && this.#inside(line.number);
      const found = lex(doc.sliceString(start, to), inside);
      for (let at = 0; at < found.length; at += 3) {
        const begin = start + found[at];
        marks.add(begin, begin + found[at + 1], this.#styles[found[at + 2]]);
      }
    }
    return marks.finish();
  }

  /** Whether the classes have names: those come with the compiler. */
  #named() {
    if (this.#styles.length === 0) {
      const names = words().split("\n", 1)[0].split("\t")[1] ?? "";
      this.#styles = names.split(" ").filter((name) => name).map((name) => Decoration.mark({ class: `t-${name}` }));
    }
    return this.#styles.length > 0;
  }

  /** Whether a quoted text goes on at the beginning of a line. */
  #inside(line) {
    const known = this.#known;
    const last = Math.min(known.length - 1, Math.floor((line - 1) / STRIDE));
    const begin = last * STRIDE + 1;
    const end = Math.min(line, begin + FAR);
    let inside = known[last];
    let number = begin;
    for (const text of this.view.state.doc.iterLines(begin, end)) {
      if (inside || text.includes('"')) inside = goes_on(`${text}\n`, inside);
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
export const colours = ViewPlugin.fromClass(Colours, { decorations: (of) => of.marks });

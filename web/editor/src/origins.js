// The highlighted thing in the input: a bar at the side of the lines from which it was read, and a ground behind its name.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";

const effect = StateEffect.define();
const line = Decoration.line({ class: "cm-origin" });
const use = Decoration.mark({ class: "cm-lit" });

/** Marks these lines, from 1, and no others; and a name between two positions, which may be empty. */
export function setOrigins({ doc }, lines, name) {
  const starts = [...new Set(lines)].sort((a, b) => a - b).filter((number) => number >= 1 && number <= doc.lines);
  return effect.of({ lines: Decoration.set(starts.map((number) => line.range(doc.line(number).from))), name });
}

/** The bars. */
const bars = StateField.define({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.reduce((marks, one) => (one.is(effect) ? one.value.lines : marks), marks.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

/** The name in the lines in view. */
class Names {
  #name = { name: "", from: 0, to: 0 };
  marks = Decoration.none;

  constructor(view) {
    this.view = view;
  }

  update({ docChanged, viewportChanged, transactions }) {
    const news = transactions.flatMap(({ effects }) => effects).findLast((one) => one.is(effect));
    // Positions belong to the text before the change.
    if (docChanged) this.#name = { name: "", from: 0, to: 0 };
    if (news) this.#name = news.value.name;
    if (news || docChanged || viewportChanged) this.marks = this.#find();
  }

  #find() {
    const { name, from, to } = this.#name;
    if (!name) return Decoration.none;
    const expression = new RegExp(`${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!\\w)`, "g");
    const found = [];
    for (const range of this.view.visibleRanges) {
      const start = Math.max(range.from, from);
      const text = this.view.state.doc.sliceString(start, Math.max(start, Math.min(range.to, to)));
      for (const { index } of text.matchAll(expression)) found.push(use.range(start + index, start + index + name.length));
    }
    return Decoration.set(found);
  }
}

/** Shows both. */
export const origins = [bars, ViewPlugin.fromClass(Names, { decorations: (of) => of.marks })];

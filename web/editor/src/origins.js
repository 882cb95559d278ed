// Lines from which the chosen thing was read: a bar at their side.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const effect = StateEffect.define();
const line = Decoration.line({ class: "cm-origin" });

/** Marks these lines, from 1, and no others. */
export function setOrigins({ doc }, lines) {
  const starts = [...new Set(lines)].sort((a, b) => a - b).filter((number) => number >= 1 && number <= doc.lines);
  return effect.of(Decoration.set(starts.map((number) => line.range(doc.line(number).from))));
}

/** Shows the bars. */
export const origins = StateField.define({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.reduce((marks, one) => (one.is(effect) ? one.value : marks), marks.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

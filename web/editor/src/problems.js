// The compiler's diagnostics at their positions: underlined, marked beside the line, shown on hover and on F8.
//
// They move with the text until the next answer. Each is announced to screen readers when it is reached.

import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap, showTooltip } from "@codemirror/view";
import { forEachDiagnostic, lintGutter, linter, setDiagnostics } from "@codemirror/lint";

const LEVELS = ["error", "warning", "info"];

/** Effects that show diagnostics: three numbers each (line and column from 1, level), and code and message. */
export function setProblems(state, places, words) {
  const list = [];
  for (let at = 0; at * 3 < places.length; at += 1) {
    const [line, column, level] = places.subarray(at * 3, at * 3 + 3);
    const [source, message] = [words[at * 2], words[at * 2 + 1]];
    const renderMessage = () => sentence(message);
    list.push({ ...wordAt(state.doc, line, column), severity: LEVELS[level], source, message, renderMessage });
  }
  list.sort((a, b) => a.from - b.from);
  return setDiagnostics(state, list).effects;
}

/** The word at a line and a column of characters; empty at the end of a line. */
function wordAt(doc, number, column) {
  const line = doc.line(Math.min(number, doc.lines));
  let at = 0;
  for (let left = column - 1; left > 0 && at < line.length; left -= 1) {
    at += line.text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  const [word] = /^(?:[\w.%@$&~^#!]+|.)?/u.exec(line.text.slice(at, at + 200));
  return { from: line.from + at, to: line.from + at + word.length };
}

/** Effects that announce the diagnostic at a position, if there is one. */
export function tellAt(state, place) {
  const found = all(state).find(({ from }) => from === place);
  return found ? tell(state, found) : [];
}

function all(state) {
  const found = [];
  forEachDiagnostic(state, (problem, from, to) => found.push({ problem, from, to }));
  return found;
}

const announced = StateEffect.define();

function tell(state, { problem, from }) {
  const words = `${problem.severity}, line ${state.doc.lineAt(from).number}: ${problem.message}`;
  return [announced.of({ problem, from }), EditorView.announce.of(words)];
}

/** The diagnostic announced last, until the next edit or selection. */
const telling = StateField.define({
  create: () => null,
  update: (shown, { effects, docChanged, selection }) =>
    effects.reduce((shown, one) => (one.is(announced) ? one.value : shown), docChanged || selection ? null : shown),
  provide: (field) => showTooltip.from(field, (shown) => {
    const create = () => ({ dom: note(shown) });
    return shown && { pos: shown.from, above: true, create };
  }),
});

function note({ problem: { severity, source, message } }) {
  const code = element("div", "cm-diagnosticSource", source);
  return element("div", "", element("div", `cm-diagnostic cm-diagnostic-${severity}`, sentence(message), code));
}

/** A message, with text between backticks as code. */
function sentence(message) {
  const parts = message.split(/`([^`]*)`/);
  return element("span", "", ...parts.map((part, at) => (at % 2 ? element("code", "", part) : part)));
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

/** Moves to the next diagnostic or the previous one, cyclically. */
const step = (by) => (view) => {
  const list = all(view.state);
  const { from, to } = view.state.selection.main;
  const next = by > 0 ? list.find((one) => one.from > from) ?? list[0]
    : list.findLast((one) => one.from < from || (one.from === from && one.to < to)) ?? list.at(-1);
  if (!next) return false;
  const selection = { anchor: next.from, head: next.to };
  view.dispatch({ selection, effects: tell(view.state, next), scrollIntoView: true });
  return true;
};

function hush(view) {
  if (!view.state.field(telling)) return false;
  view.dispatch({ effects: announced.of(null) });
  return true;
}

/** Shows diagnostics, and handles their keys. */
export const problems = [
  linter(null), lintGutter(), telling,
  keymap.of([
    { key: "F8", run: step(1), shift: step(-1) },
    { key: "Escape", run: hush },
  ]),
];

// Completion at the caret: operations with their docs from the op table, ids of nearby lines.
//
// Nothing is offered for a complete word, so that Enter then ends the line.

import { autocompletion } from "@codemirror/autocomplete";
import { host } from "./host.js";

/** Lines above and below the caret that are scanned for ids. */
const NEAR = 500;

/** The words of both languages: requested when the compiler is loaded. */
let known = [];

/** Words of the language of the text, with their docs. */
function spoken() {
  if (known.length === 0) {
    known = host.words().words.map(({ name, doc, is_spirv }) => ({ label: name, info: doc || undefined, is_spirv }));
  }
  const isSpirv = host.is_spirv();
  return known.filter((word) => word.is_spirv === isSpirv);
}

function offer(context) {
  const word = context.matchBefore(/[%@$&~^#!]?[\w.]*/);
  // The words are those of the IR and of SPIR-V.
  if (host.is_foreign()) return null;
  if (!word || (word.text.length < 2 && !context.explicit)) return null;
  const line = context.state.doc.lineAt(word.from);
  // A comment or a string literal.
  if (/^[^"]*;|^(?:[^"]*"[^"]*")*[^"]*"[^"]*$/.test(line.text.slice(0, word.from - line.from))) return null;
  const options = /^[\w.]|^$/.test(word.text) ? spoken() : ids(context.state.doc, line.number, word.text);
  const complete = (text) => options.some(({ label }) => label === text);
  if (complete(word.text)) return null;
  // The list follows the next letters at once: while a new one is computed, keys would go to the text. It holds words or ids of
  // one kind, so another first letter needs another list.
  const validFor = (text) => text[0] === word.text[0] && /^.[\w.]*$/.test(text) && !complete(text);
  return { from: word.from, options, validFor };
}

/** Ids on lines near a line, each once. */
function ids(doc, line, typed) {
  const found = new Set();
  for (const text of doc.iterLines(Math.max(1, line - NEAR), Math.min(doc.lines, line + NEAR) + 1)) {
    for (const [id] of text.matchAll(/[%@$&~^#!]\w+/g)) found.add(id);
  }
  // Without another occurrence it is the one being typed.
  found.delete(typed);
  return [...found].filter((id) => id[0] === typed[0]).map((label) => ({ label }));
}

/** Offers words and ids during typing. */
export const completion = autocompletion({ override: [offer], icons: false });

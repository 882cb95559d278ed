// A string becomes CodeMirror's text, a piece a task: of one of 16 MB no task lasts long.

import { Text } from "@codemirror/state";

/** Characters that are cut into lines at once: a few ms. */
const PIECE = 1 << 18;

/** The text; nothing if it is no longer `wanted` meanwhile. Short texts are there before the next task. */
export async function rope(string, wanted) {
  let text = Text.empty;
  for (let from = 0; from < string.length;) {
    const end = from + PIECE < string.length ? string.indexOf("\n", from + PIECE) + 1 || string.length : string.length;
    text = text.append(Text.of(string.slice(from, end).split("\n")));
    from = end;
    // Also after the last piece: handling the text is a task of its own.
    if (string.length > PIECE) await new Promise((done) => setTimeout(done));
    if (!wanted()) return undefined;
  }
  return text;
}

// Converts a string to CodeMirror's text, one piece per task: even for 16 MB no task is long.

import { Text } from "@codemirror/state";

/** Characters split into lines per task: a few ms. */
const PIECE = 1 << 18;

/** The text; undefined if it is no longer `wanted` meanwhile. Short texts need no further task. */
export async function rope(string, wanted) {
  let text = Text.empty;
  for (let from = 0; from < string.length;) {
    const end = from + PIECE < string.length ? string.indexOf("\n", from + PIECE) + 1 || string.length : string.length;
    text = text.append(Text.of(string.slice(from, end).split("\n")));
    from = end;
    // Also after the last piece: using the text is a separate task.
    if (string.length > PIECE) await new Promise((done) => setTimeout(done));
    if (!wanted()) return undefined;
  }
  return text;
}

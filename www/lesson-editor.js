// The editor of the playground in a lesson, in place of a text area: loaded when the text area is touched.
//
// The text area stays, hidden, as the value of the form: every change goes to it. Tab leaves the editor, Esc closes its lists.
// If the editor does not arrive, the text area remains.

import { connect, plain } from "./editor.js";

const SIGILS = { "%": "value", "^": "block", $: "name", "@": "name", "#": "type", ";": "note", '"': "text" };
const TOKEN = /;.*|"(?:[^"\\\n]|\\.)*"|[%^$@#][\w]+|-?\b\d[\w.]*|[a-z_][\w.]*/gi;
const KEYWORDS = new Set("func graph tree goto branch switch return stop next break continue if else loop block default struct in out storage uniform shared private local push entry".split(" "));

/** The words of the compiler, see `Words` in wasm/protocol; undefined until they arrive. */
let words;
const NONE = { classes: [], words: [] };
const classOf = new Map();

function learn(found) {
  words = found;
  words.classes.forEach((name, number) => classOf.set(`.${name}`, number));
  for (const { name, class: number } of words.words) classOf.set(name, number);
}

/** The classes of a text of the IR: three numbers for each token. */
function lex(text) {
  const found = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const sigil = SIGILS[token[0]] ?? (/^[-\d]/.test(token) ? "number" : undefined);
    const known = sigil ?? (KEYWORDS.has(token) ? "keyword" : /^[fuib]\d+(x\d)?$/.test(token) ? "type" : undefined);
    const number = known ? classOf.get(`.${known}`) : classOf.get(token);
    if (number !== undefined) found.push(index, token.length, number);
  }
  return found;
}

const nothing = () => {};
connect({
  typed: nothing, caret: nothing, pointed: nothing, is_spirv: () => false, is_foreign: () => false,
  words: () => words ?? NONE, goes_on: () => false, lex,
});

/** Replaces a text area; `request` asks the compiler, and `submit` is the action of Ctrl Enter, if there is one. */
export function replace(area, request, submit) {
  const frame = Object.assign(document.createElement("div"), { className: "editor" });
  frame.style.height = `${area.offsetHeight}px`;
  const keys = submit ? [{ key: "Mod-Enter", run: () => submit() ?? true }] : [];
  const editor = plain(area.value, area.getAttribute("aria-label"), keys, (text) => {
    area.value = text;
    area.dispatchEvent(new Event("input"));
  });
  const hadFocus = document.activeElement === area;
  const { selectionStart, selectionEnd, scrollTop } = area;
  frame.append(editor.dom);
  area.before(frame);
  area.hidden = true;
  editor.select(selectionStart, selectionEnd);
  if (hadFocus) editor.focus();
  frame.querySelector(".cm-scroller").scrollTop = scrollTop;
  area.editor = editor;
  if (words) return editor.relex();
  request().then((found) => {
    learn(found);
    editor.relex();
  }, nothing);
}

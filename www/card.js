// Hover cards: the meaning of the operation, opcode, decoration, built-in or value under the pointer, in every view; with `h`, of the
// chosen one.
//
// A card appears after a pause, beside the token and never over it; the pointer can move into it, Esc closes it, a long press opens it on
// a touch screen. Meanings come from the compiler: words of both languages, the catalog, and the inspector's facts about a value. Only the
// decorations and built-ins of SPIR-V are described here, in www/terms.js.

import { catalog, chosen, details, entry_about, hovered, show_entry, words } from "./page.js";
import { specification, term } from "./terms.js";

const PAUSE_MS = 300;
/** The time in which the pointer can move from the token to the card. */
const LEAVE_MS = 250;
const PRESS_MS = 500;
/** The time that a card waits for the facts about its value. */
const FACTS_MS = 200;
/** Space between the token and the card, and between the card and the edge of the window. */
const GAP = 6;
/** The facts about a value that a card shows; the inspector has all. */
const FACTS = new Set(["type", "constant", "range", "address", "uniformity", "holds", "storage", "memory", "stage", "structure", "uses"]);
/** The views with tokens. */
const VIEWS = "#rows, #columns-rows, #scene, #inspect-lines, #why, #editor .cm-content";

const card = Object.assign(document.createElement("div"), { id: "card", hidden: true });
card.setAttribute("role", "group");
document.querySelector("main").append(card);

/** The token of the card, or the one that waits for the pause. */
let token;
let timer;
/** The timer of a card that waits for facts. */
let waiting;
/** The number of the card that was requested last; an answer for another one is late. */
let requested = 0;
/** The last position of the pointer. */
let pointer = { x: 0, y: 0 };
/** True if the card follows the choice by keys. */
let follows = false;
/** Docs of words, and entries of operations in the catalog, by name. */
let docs;
const entries = new Map();

function meaningOf(word) {
  if (!docs?.size) docs = new Map(words().words.map(({ name, doc }) => [name, doc]));
  return docs.get(word);
}

/** Calls `then` when the catalog is there; it is requested the first time. */
function withCatalog(then) {
  if (entries.size > 0) return then();
  catalog((lines) => {
    lines.split("\n").forEach((line, number) => {
      const [kind, name] = line.split("\t");
      if (kind === "operation") entries.set(name, number);
    });
    then();
  });
}

/** The token at an element: a styled word of a view. */
function tokenAt(element) {
  const found = element?.closest?.("[class*='t-']");
  return found && found.closest(VIEWS) && /(?:^|\s)t-/.test(found.getAttribute("class")) ? found : undefined;
}

/** A token that may have been drawn again: itself, or the one with the same word in its place; undefined if it is gone. */
function alive(found) {
  if (!found || found.isConnected) return found;
  const { x, y } = pointer;
  const again = tokenAt(document.elementFromPoint(x, y));
  return again?.textContent === found.textContent ? again : undefined;
}

/** The thing of a token, by id: its own, or the value that its line defines. */
function thingOf(found) {
  if (found.dataset.id) return Number(found.dataset.id);
  if (found.closest(".cm-content")) return hovered();
  const row = found.closest("[data-line], [data-column], text");
  const first = row?.querySelector("[data-id]");
  // A value before its operation: `%2: b32 = fadd %0, %1`.
  const isBefore = first && first.compareDocumentPosition(found) & Node.DOCUMENT_POSITION_FOLLOWING;
  return isBefore && row.textContent.slice(0, 60).includes("=") ? Number(first.dataset.id) : undefined;
}

const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);

/** A sentence with `code`. */
function sentence(text) {
  const line = document.createElement("p");
  text.split("`").forEach((part, at) => line.append(at % 2 ? make("code", part) : part));
  return line;
}

/** The parts of a card about the word of a token, and its links; no parts if it has no meaning of its own. */
function about(word, found) {
  const number = entries.get(word);
  if (number !== undefined) {
    const text = entry_about(number);
    const [, signature] = /```text\n([^]*?)```/.exec(text) ?? [];
    const properties = /^- (Properties: .*)$/m.exec(text);
    const link = make("button", `Reference: ${word}`, { onclick: () => {
      hide();
      show_entry(number);
      document.getElementById("passes-about").focus();
    } });
    const page = make("a", "Page with examples", { href: `ref/op/${word}/`, target: "_blank" });
    const parts = [make("h3", word), sentence(meaningOf(word) ?? "")];
    if (signature) parts.push(make("pre", signature.trim().replaceAll("`", "")));
    if (properties) parts.push(sentence(properties[1].replaceAll("_", " ")));
    return [parts, link, page];
  }
  const known = /^Op[A-Z]/.test(word) ? meaningOf(word) : undefined;
  if (known !== undefined) return [[make("h3", word), sentence(known)], outside(word)];
  // A word such as `Uniform` is a decoration only where something is decorated.
  const line = found.closest("[data-line], [data-column], text, .cm-line")?.textContent ?? "";
  const decorates = found.matches(".t-attr") || /Op(?:Member)?Decorate/.test(line);
  const described = decorates ? term(word) : undefined;
  if (described) return [[make("h3", described.name), sentence(described.meaning)], outside(described.section)];
  const meaning = meaningOf(word);
  return meaning ? [[make("h3", word), sentence(meaning)]] : [[]];
}

/** A link to the specification of SPIR-V, in another tab. */
function outside(section) {
  return make("a", `SPIR-V specification: ${section}`, { href: specification(section), target: "_blank", rel: "noreferrer noopener" });
}

/** Shows the card of a token. */
function show(found) {
  const word = found.textContent.trim();
  const isName = /^[%$@^!#~&]/.test(word);
  const [parts, ...links] = isName ? [[]] : about(word, found);
  const thing = thingOf(found);
  const number = ++requested;
  const facts = make("div", "", { className: "facts" });
  card.replaceChildren(...parts, facts, ...links);
  card.setAttribute("aria-label", `About ${word}`);
  const visible = parts.length > 0;
  clearTimeout(waiting);
  card.style.width = "";
  if (thing === undefined) return visible ? place(found) : hide();
  // A link must not move under the pointer: the card waits for its facts, and late ones follow the links.
  if (visible) {
    waiting = setTimeout(() => {
      card.append(facts);
      place(found);
      card.style.width = getComputedStyle(card).width;
    }, FACTS_MS);
  }
  details(thing, (html) => {
    if (number !== requested) return;
    clearTimeout(waiting);
    token = alive(token);
    if (token?.textContent !== found.textContent) return hide();
    found = token;
    // Markup of the page's own text views, escaped there.
    facts.innerHTML = html;
    for (const line of facts.querySelectorAll("p")) {
      const label = line.firstChild?.textContent.trim();
      // The operation of a value, unless it is described above.
      const isMeaning = meaningOf(label) !== undefined && !visible;
      if (!FACTS.has(label) && !isMeaning) line.remove();
    }
    if (html || visible) place(found);
    else hide();
  });
}

/** Places the card below the token, or above it if there is no space. */
function place(found) {
  card.hidden = false;
  // The width depends on the space to the right of the card.
  card.style.left = "0";
  card.style.maxHeight = "";
  const { left, top, bottom } = found.getBoundingClientRect();
  const { innerWidth: across, innerHeight: down } = self;
  const [below, above] = [down - bottom - 2 * GAP, top - 2 * GAP];
  const isBelow = card.offsetHeight <= below || below >= above;
  card.style.maxHeight = `${Math.max(isBelow ? below : above, 60)}px`;
  const { offsetWidth, offsetHeight } = card;
  card.style.left = `${Math.max(GAP, Math.min(left, across - offsetWidth - GAP))}px`;
  card.style.top = `${isBelow ? bottom + GAP : top - GAP - offsetHeight}px`;
}

function hide() {
  clearTimeout(timer);
  drop();
  card.hidden = true;
}

/** Forgets a card that is not shown yet. */
function drop() {
  clearTimeout(waiting);
  requested += 1;
  token = undefined;
}

/** Shows the card of a token after a pause; hides it after another if there is none. */
function wait(found, ms) {
  // The pointer may have left a token before its card was shown.
  clearTimeout(timer);
  if (found === token) return;
  // A slow compiler may answer when the pointer is elsewhere.
  if (card.hidden) drop();
  // Data for the card is requested during the pause.
  if (found) withCatalog(() => {});
  timer = setTimeout(() => {
    token = alive(found);
    if (token) withCatalog(() => token && show(token));
    else hide();
  }, found ? ms : LEAVE_MS);
}

document.addEventListener("pointerover", ({ target, pointerType, buttons, clientX, clientY }) => {
  pointer = { x: clientX, y: clientY };
  if (pointerType === "touch" || buttons) return;
  if (card.contains(target)) return clearTimeout(timer);
  const found = tokenAt(target);
  if (found) {
    follows = false;
    if (found === (token = alive(token))) clearTimeout(timer);
    else wait(found, PAUSE_MS);
  } else if (!follows) wait(undefined);
});
document.addEventListener("pointerout", ({ relatedTarget }) => relatedTarget === null && !follows && wait(undefined));

// A long press on a touch screen.
let pressed;
document.addEventListener("pointerdown", (event) => {
  if (!card.contains(event.target)) hide();
  clearTimeout(pressed?.timer);
  const found = event.pointerType === "touch" ? tokenAt(event.target) : undefined;
  pressed = found && { at: event, timer: setTimeout(() => wait(found, 0), PRESS_MS) };
});
document.addEventListener("pointermove", (event) => {
  if (pressed && Math.hypot(event.clientX - pressed.at.clientX, event.clientY - pressed.at.clientY) > 8) clearTimeout(pressed.timer);
});
document.addEventListener("pointercancel", () => clearTimeout(pressed?.timer));
document.addEventListener("pointerup", (event) => {
  clearTimeout(pressed?.timer);
  // A busy page handles the end of a tap late: the card may be open by then.
  if (pressed && event.timeStamp - pressed.at.timeStamp < PRESS_MS) hide();
});

/** The token that is chosen by keys, in the view with the focus. */
function chosenToken() {
  const editor = document.activeElement?.closest(".cm-content");
  if (editor) {
    const { anchorNode } = getSelection();
    return tokenAt(anchorNode?.nodeType === Node.TEXT_NODE ? anchorNode.parentElement : anchorNode);
  }
  const id = chosen();
  const view = document.activeElement?.closest("#output, #columns, #graph, #inspect") ?? document.getElementById("output");
  const found = view.querySelector("#rows .chosen, #columns-rows .chosen") ?? view.querySelector(`[data-id="${id}"][class*="t-"]`);
  return found?.checkVisibility() ? found : undefined;
}

/** Handles a key: Esc closes the card, `h` or F1 opens that of the chosen token. */
function press(event) {
  if (event.key === "Escape" && !card.hidden) {
    const isInside = card.contains(document.activeElement);
    hide();
    follows = false;
    if (isInside) document.getElementById("output").focus();
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  const inControl = event.target.closest?.("input, textarea, select, dialog, .cm-editor");
  const opens = event.key === "F1" || (event.key === "h" && !inControl);
  if (!opens || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
  event.preventDefault();
  // The second press moves the focus to the link of the card.
  if (!card.hidden) return card.querySelector("a, button")?.focus();
  const found = chosenToken();
  if (!found) return;
  follows = true;
  card.setAttribute("aria-live", "polite");
  wait(found, 0);
}
document.addEventListener("keydown", press, true);

// The card follows the choice by arrow keys, and closes if its token is gone.
document.addEventListener("keyup", (event) => {
  if (follows && event.key.startsWith("Arrow")) requestAnimationFrame(() => wait(chosenToken(), 0));
});
addEventListener("scroll", (event) => !card.contains(event.target) && token && requestAnimationFrame(follow), true);
addEventListener("resize", hide);
/** Keeps the card at its token, and closes it if the token is gone. */
function follow() {
  if (!token || card.hidden) return;
  token = alive(token);
  if (token) place(token);
  else hide();
}
new MutationObserver(() => token && !token.isConnected && follow()).observe(document.querySelector("main"), { childList: true, subtree: true });

/** Handles an event that came before this module was loaded. The pointer may have reached another token since; a finger leaves none. */
export function begin(event) {
  if (event.type === "keydown") return press(event);
  const under = event.pointerType === "touch" ? undefined : tokenAt([...document.querySelectorAll(":hover")].at(-1));
  if (!under) return event.type === "pointerdown" && hide();
  const { left, top, right, bottom } = under.getBoundingClientRect();
  if (event.type === "pointerdown") {
    // A press closes the card of the token that was pressed, and no other.
    const { clientX: x, clientY: y } = event;
    if (left <= x && x <= right && top <= y && y <= bottom) hide();
    return;
  }
  pointer = { x: (left + right) / 2, y: (top + bottom) / 2 };
  wait(under, PAUSE_MS);
}

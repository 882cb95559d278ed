// The command palette (Ctrl K): every command of the page, and every example, format, function, step and entry of the catalog.
//
// Loaded when it is first opened. Commands are not listed a second time here: they are the buttons, menus and keys of the
// document, found at each opening, so a new button is in the palette without an edit. The catalog comes from the compiler
// (web/src/palette.rs). Other modules add entries with `sources.push(() => [entry, …])`.
//
// An entry is { group, name, words, key, doc, act, show, off }: `words` are found too, `act` runs it, `show` (Shift Enter) opens
// its reference, `off` is the reason why it cannot run now. Entries that cannot run, and the catalog, are listed for a query only.

import { add_entry, catalog, open_recent, show_entry } from "./page.js";

/** Functions that return entries, in the order of the list without a query. */
export const sources = [panes, buttons, keys, options, steps, links];

/** Results in the list: a more precise query finds the others, and the last line has their number. */
const MOST = 100;
const KEY = /\s*\(([^()]+)\)$/;

const dialog = document.getElementById("palette");
const field = document.getElementById("palette-find");
const list = document.getElementById("palette-list");
const count = document.getElementById("palette-count");

let entries = [];
let found = [];
let current = 0;
/** Entries of the catalog; empty until they are there. */
let reference = [];
/** The names of the last commands, the latest first. */
let used = [];

/** Opens the palette, or closes it if it is open. */
export function toggle() {
  if (dialog.open) return dialog.close();
  entries = sources.flatMap((source) => source());
  field.value = "";
  dialog.showModal();
  search();
  recent().then((inputs) => {
    entries.push(...inputs);
    if (dialog.open && inputs.length > 0) search();
  });
  if (reference.length > 0) return;
  catalog((lines) => {
    reference = lines.split("\n").slice(0, -1).map(entryOfCatalog);
    if (dialog.open) search();
  });
}

function entryOfCatalog(line, number) {
  const [kind, name, step, doc] = line.split("\t");
  const show = () => {
    show_entry(number);
    document.getElementById("passes-about").focus();
  };
  const adds = step === "+";
  return { group: kind, name, doc: doc.replaceAll("`", ""), words: adds ? "add" : "reference", act: adds ? () => add_entry(number) : show, show };
}

/** Recent inputs, from the storage of the browser (www/keep.js); none if it is not allowed. */
async function recent() {
  const kept = await self.kept?.list().catch(() => []);
  return (kept ?? []).map(({ id, name, time }) => ({
    group: "Recent input", name: name || "untitled", words: "open recent", doc: new Date(time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }), key: "",
    act: async () => {
      const { kept, bytes } = await self.kept.load(id);
      if (kept && bytes) open_recent(kept, bytes);
    },
  }));
}

const text = (element) => element.textContent.replace(/\s+/g, " ").trim();

/** The title of the part of the page that contains an element. */
function groupOf(element) {
  const part = element.closest("[aria-labelledby]:is(section, article)");
  return part ? text(document.getElementById(part.getAttribute("aria-labelledby"))) : "Page";
}

/** Buttons with a name, except those of dialogs and of entries of lists: the results of other commands. */
function buttons() {
  const all = document.querySelectorAll(":is(header, main, #passes, #debugger, #timeline, footer) button:is([id], [data-whole-pane], [data-close-pane])");
  return [...all].filter((button) => button.id !== "commands" && !button.closest("search, #steps")).flatMap((button) => {
    const title = button.title.replace(KEY, "");
    const label = button.getAttribute("aria-label") ?? text(button);
    // A button that is hidden itself has nothing to do now; its text may be empty.
    if (button.hidden || !(title || label)) return [];
    const isOff = button.disabled || button.getAttribute("aria-disabled") === "true" || button.closest("[hidden]");
    const name = button.dataset.wholePane || button.dataset.closePane ? label : title || label;
    return [{
      group: groupOf(button), name, words: label, key: KEY.exec(button.title)?.[1] ?? "", act: () => press(button),
      off: isOff ? "not available now" : "",
    }];
  });
}

function press(button) {
  button.click();
  // A button of a pane that was closed in the meantime does not take the focus.
  if (!document.activeElement || document.activeElement === document.body) button.focus();
}

/** Panes and tabs, by the keys and buttons that show them. */
function panes() {
  return [...document.querySelectorAll("nav [data-pane]")].map((button, at) => ({
    group: "Panes", name: `Go to ${text(button.firstChild)}`, words: "show pane", key: `${at + 1}`, act: () => send(`${at + 1}`),
  }));
}

/** Keys of the help that no button has. */
function keys() {
  const known = new Set([...document.querySelectorAll("button[title]")].map((button) => KEY.exec(button.title)?.[1]));
  const rows = [...document.querySelectorAll("#keys [data-key]")].filter((row) => !known.has(row.dataset.key));
  return rows.map((row) => ({
    group: text(row.closest("dl").previousElementSibling), name: capital(text(row.querySelector("dd"))), words: "", key: row.dataset.key,
    act: () => send(row.dataset.key, row.dataset.at),
  }));
}

const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** Sends a key to the page. */
function send(key, at = "body") {
  document.querySelector(at).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

/** Options of menus: examples, formats, functions, languages. */
function options() {
  const menus = [
    ["examples", "Example", "open"], ["save", "Export", "save file format"], ["functions", "Function", "graph"], ["overlay", "Overlay", "graph analysis"],
    ["language", "Target language", "text"], ["memory-variable", "Variable", "memory map"],
  ];
  return menus.flatMap(([id, group, words]) => {
    const menu = document.getElementById(id);
    return [...menu.options].filter((option) => !option.disabled).map((option) => ({
      group, name: text(option), words: `${words} ${option.parentElement.label ?? ""}`, key: "", off: id !== "examples" && menu.closest("[hidden]") ? "not available now" : "",
      act: () => {
        menu.value = option.value;
        menu.dispatchEvent(new Event("change", { bubbles: true }));
      },
    }));
  });
}

/** The steps of the pipeline. */
function steps() {
  return [...document.querySelectorAll("#steps button")].map((chip) => ({
    group: "Step", name: chip.title || text(chip), words: "go to version", key: "", act: () => chip.click(),
  }));
}

/** Lessons and other pages. */
function links() {
  const pages = new Map([...document.querySelectorAll(":is(header, #keys) a")].map((link) => [link.href, link]));
  return [...pages.values()].map((link) => ({ group: "Lesson", name: link.title.replace(/^A lesson: /, "") || text(link), words: "lesson learn", key: "", act: () => link.click() }));
}

/**
 * The rank of a name for a word, lower is better, and the positions of its letters: a prefix, the start of a word, any part, letters in
 * order. Undefined if the word is not found.
 */
export function rank(name, word) {
  const lower = name.toLowerCase();
  const places = (at) => Array.from(word, (_, index) => at + index);
  if (lower.startsWith(word)) return [lower === word ? 0 : 1, places(0)];
  for (let at = lower.indexOf(word); at > 0; at = lower.indexOf(word, at + 1)) {
    if (/[\s\-_.]/.test(lower[at - 1])) return [2, places(at)];
  }
  const inside = lower.indexOf(word);
  if (inside >= 0) return [3, places(inside)];
  const letters = [];
  let gaps = 0;
  for (const letter of word) {
    const at = lower.indexOf(letter, letters.length ? letters.at(-1) + 1 : 0);
    if (at < 0) return undefined;
    // Letters at the starts of words are an abbreviation.
    gaps += letters.length && at > letters.at(-1) + 1 && !/[\s\-_.]/.test(lower[at - 1]) ? 1 : 0;
    letters.push(at);
  }
  return gaps > 2 || word.length < 2 ? undefined : [4 + gaps, letters];
}

/** The rank of an entry for all words of a query, and the positions of letters in its name. */
function match(entry, words) {
  let sum = 0;
  const letters = [];
  for (const word of words) {
    const own = rank(entry.name, word);
    const other = `${entry.words} ${entry.group} ${entry.key}`.toLowerCase().includes(word) ? 5 : entry.doc?.toLowerCase().includes(word) ? 9 : Infinity;
    const least = Math.min(own?.[0] ?? Infinity, other);
    if (least === Infinity) return undefined;
    sum += least;
    if (own?.[0] === least) letters.push(...own[1]);
  }
  // Among equal ones, commands that can run, then short names.
  return { entry, letters, rank: sum * 1000 + (entry.off ? 500 : 0) + Math.min(entry.name.length, 400) };
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) {
    found = [...entries, ...reference].map((entry) => match(entry, words)).filter(Boolean).sort((one, next) => one.rank - next.rank);
  } else {
    const last = used.flatMap((name) => entries.filter((entry) => entry.name === name && !entry.off).slice(0, 1));
    const rest = entries.filter((entry) => !entry.off && !last.includes(entry));
    found = [...last.map((entry) => ({ ...entry, group: "Used last" })), ...rest].map((entry) => ({ entry, letters: [] }));
  }
  current = 0;
  draw(words.length > 0);
}

function draw(isSearch) {
  const shown = isSearch ? found.slice(0, MOST) : found;
  list.replaceChildren(...shown.map(({ entry, letters }, at) => row(entry, letters, at)));
  list.scrollTop = 0;
  const hidden = found.length - shown.length;
  const more = hidden > 0 ? `; the first ${MOST} are listed, type more to narrow them down` : "";
  const also = isSearch || reference.length === 0 ? "" : `; type to find ${reference.length} passes, rules, operations and analyses, too`;
  count.textContent = found.length === 0 ? "Nothing has that name. Esc closes." : `${found.length} ${isSearch ? "found" : "commands"}${more}${also}`;
  mark(0);
}

function row(entry, letters, at) {
  const item = Object.assign(document.createElement("li"), { id: `palette-${at}`, role: "option" });
  item.dataset.number = at;
  const name = document.createElement("b");
  const marked = new Set(letters);
  for (const [place, letter] of Array.from(entry.name).entries()) {
    const last = name.lastChild;
    const kind = marked.has(place) ? "MARK" : "SPAN";
    if (last?.nodeName === kind) last.append(letter);
    else name.append(Object.assign(document.createElement(kind), { textContent: letter }));
  }
  const part = (tag, words) => Object.assign(document.createElement(tag), { textContent: words });
  item.append(name, part("span", entry.off || (entry.doc ?? "")), part("i", entry.group));
  if (entry.key) item.append(part("kbd", entry.key));
  if (entry.off) item.setAttribute("aria-disabled", "true");
  return item;
}

/** Makes an entry the current one. */
function mark(to) {
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  const items = list.children;
  current = Math.max(0, Math.min(to, items.length - 1));
  const item = items[current];
  item?.setAttribute("aria-selected", "true");
  item?.scrollIntoView({ block: "nearest" });
  if (item) field.setAttribute("aria-activedescendant", item.id);
  else field.removeAttribute("aria-activedescendant");
}

/** Runs the current entry; with `shows` opens its reference. */
function run(shows) {
  const entry = found[current]?.entry;
  if (!entry) return;
  if (entry.off) {
    count.textContent = `“${entry.name}” is ${entry.off}.`;
    return;
  }
  // Closing gives the focus back; the command may move it.
  dialog.close();
  used = [entry.name, ...used.filter((name) => name !== entry.name)].slice(0, 5);
  (shows && entry.show ? entry.show : entry.act)();
}

field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor(list.clientHeight / (list.firstElementChild?.offsetHeight || 1)) - 1);
  const last = list.children.length - 1;
  const moves = {
    ArrowDown: current === last ? 0 : current + 1, ArrowUp: current === 0 ? last : current - 1, PageDown: current + page, PageUp: current - page,
  };
  if (event.key in moves) mark(moves[event.key]);
  else if ((event.key === "Home" || event.key === "End") && event.ctrlKey) mark(event.key === "Home" ? 0 : last);
  else if (event.key === "Enter" && !event.isComposing) run(event.shiftKey);
  else return;
  event.preventDefault();
});
list.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (!item) return;
  current = Number(item.dataset.number);
  run(event.shiftKey);
});
// A click outside of the dialog's box closes it.
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

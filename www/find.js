// The search in the pane of texts (Ctrl F): the IR, the target, the changes, the columns.
//
// Loaded when it is first opened. The matches are computed by a worker (www/finder.js), as an expression may take any time; only those in
// the drawn rows become ranges, which the browser highlights without a change of the document (CSS Custom Highlight API). A browser
// without it selects the current match instead.

import { column_count, columns_text, show_cell, shown_text, watch_text } from "./page.js";

/** The time after which a search is given up, in ms. */
const PATIENCE = 5000;
/** Height of a line, and the space above the first one, as in web/src/view/output.rs. */
const ROW = 20;
const PADDING = 8;

const element = (id) => document.getElementById(id);
const [bar, field, count] = [element("text-find-bar"), element("text-find"), element("text-find-count")];
const toggles = { case: element("text-find-case"), expression: element("text-find-regex") };
const rows = { text: element("rows"), columns: element("columns-rows") };
const scrollers = { text: element("output"), columns: element("columns") };

let worker;
/** The last search that was sent; its answer has the same number. */
let asked = 0;
let patience;
/** Resolved when the worker has the shown text; undefined if it has another one. */
let known;
/** Number of columns of the searched table; 0 for a text. */
let width = 0;
/** Three numbers a match: line, start, end. */
let found = new Uint32Array();
let current = -1;
/** True if the answer scrolls to the current match: the user searched, instead of showing another text. */
let scrolls = true;
/** True if the next drawing scrolls sideways to the current match. */
let reveals = false;

const isOpen = () => !bar.hidden;
const pane = () => (width > 0 ? "columns" : "text");

/** Opens the bar, with the selected words if they are on one line. */
export function open() {
  const selected = `${getSelection()}`;
  const isInside = [...Object.values(rows)].some((part) => part.contains(getSelection().anchorNode));
  if (isInside && selected.trim() && !selected.includes("\n")) field.value = selected;
  const opens = !isOpen();
  bar.hidden = false;
  field.focus();
  field.select();
  if (opens || selected) restart();
}

function close() {
  bar.hidden = true;
  const scroller = scrollers[pane()];
  stop();
  found = new Uint32Array();
  light();
  scroller.focus();
}

/** Searches the text anew, from the line in view. */
function restart() {
  current = -1;
  scrolls = true;
  search();
}

function stop() {
  clearTimeout(patience);
  asked += 1;
}

function restartWorker() {
  worker?.terminate();
  worker = new Worker(new URL("./finder.js", import.meta.url), { name: "search" });
  worker.onmessage = ({ data }) => data.id === asked && take(data.found);
  known = undefined;
}

/** Gives the worker the shown text; the cells of the columns come from the compiler. */
async function sendText() {
  width = column_count();
  if (width > 0) {
    const text = await new Promise((resolve) => columns_text(resolve));
    worker.postMessage({ text });
  } else {
    const text = shown_text();
    worker.postMessage({ text }, [text.buffer]);
  }
}

function search() {
  stop();
  const query = field.value;
  const isExpression = toggles.expression.getAttribute("aria-pressed") === "true";
  const source = isExpression ? query : query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const flags = toggles.case.getAttribute("aria-pressed") === "true" ? "g" : "gi";
  field.removeAttribute("aria-invalid");
  if (!query) return take(new Uint32Array());
  try {
    new RegExp(source, flags);
  } catch (error) {
    take(new Uint32Array());
    field.setAttribute("aria-invalid", "true");
    // The message of the browser begins with the expression.
    say(`Invalid expression: ${error.message.replace(/^Invalid regular expression: (?:\/.*\/\w*: )?/, "")}`);
    return;
  }
  const id = asked;
  patience = setTimeout(() => {
    restartWorker();
    stop();
    take(new Uint32Array());
    say("The search takes too long: a simpler expression may be faster");
  }, PATIENCE);
  bar.dataset.busy = "";
  if (!worker) restartWorker();
  known ??= sendText();
  known.then(() => id === asked && worker.postMessage({ id, source, flags }));
}

function say(words) {
  count.textContent = words;
  count.title = words;
}

/** Takes the matches of the last search. */
function take(numbers) {
  clearTimeout(patience);
  delete bar.dataset.busy;
  found = numbers;
  const many = found.length / 3;
  if (current < 0 && many > 0) current = firstInView();
  else current = Math.min(current, many - 1);
  tell();
  if (many > 0 && scrolls) go(current);
  else light();
}

function tell() {
  const many = found.length / 3;
  say(many > 0 ? `${current + 1} of ${many}` : field.value ? "no matches" : "");
  bar.classList.toggle("none", Boolean(field.value) && many === 0);
}

/** The first match at or after a line. */
function firstAfter(line) {
  let [low, high] = [0, found.length / 3];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle * 3] < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first match that is in view or follows it, else the first one. */
function firstInView() {
  const top = Math.ceil(scrollers[pane()].scrollTop / ROW);
  const line = width > 0 ? Number(rows.columns.children[0]?.dataset.number ?? 0) * width : top;
  const first = firstAfter(line);
  return first < found.length / 3 ? first : 0;
}

/** Scrolls to a match. */
function go(to) {
  current = to;
  reveals = true;
  tell();
  const line = found[current * 3];
  if (width > 0) {
    light();
    return show_cell(Math.floor(line / width), line % width);
  }
  const { scrollTop, clientHeight } = scrollers.text;
  const top = line * ROW + PADDING;
  if (top < scrollTop || top + 2 * ROW > scrollTop + clientHeight) {
    scrollers.text.scrollTop = Math.max(0, top - clientHeight / 3);
  }
  light();
}

function next(by) {
  const many = found.length / 3;
  if (many > 0) go((current + by + many) % many);
}

/** The line of the searched text that an element shows. */
function lineOf(part) {
  if (width === 0) return Number(part.dataset.line);
  const { number } = part.parentElement.dataset;
  return number === undefined ? NaN : Number(number) * width + Number(part.dataset.column);
}

/** The texts of a row that belong to the line: not its number, its sign or a value beside it. */
function textsOf(part) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    (/^(?:I|U|SMALL)$/.test(node.nodeName) ? NodeFilter.FILTER_REJECT : node.nodeName === "#text" ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP));
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  return texts;
}

/** A range over units of the text of a row; undefined if it is cut off. */
function rangeOf(texts, start, end) {
  const range = new Range();
  let at = 0;
  let begun = false;
  for (const text of texts) {
    if (!begun && start < at + text.length) {
      range.setStart(text, start - at);
      begun = true;
    }
    if (begun && end <= at + text.length) {
      range.setEnd(text, end - at);
      return range;
    }
    at += text.length;
  }
  return undefined;
}

/** Highlights the matches in the drawn rows. */
function light() {
  const ranges = [];
  let now;
  const parts = isOpen() && found.length > 0 ? rows[pane()].querySelectorAll(width > 0 ? "[data-column]" : "[data-line]") : [];
  for (const part of parts) {
    const line = lineOf(part);
    let match = firstAfter(line);
    if (found[match * 3] !== line) continue;
    const texts = textsOf(part);
    for (; found[match * 3] === line; match += 1) {
      const range = rangeOf(texts, found[match * 3 + 1], found[match * 3 + 2]);
      if (range && match === current) now = range;
      else if (range) ranges.push(range);
    }
  }
  if (self.Highlight) {
    CSS.highlights.set("find", new Highlight(...ranges));
    CSS.highlights.set("find-current", new Highlight(...(now ? [now] : [])));
  } else if (now) {
    getSelection().removeAllRanges();
    getSelection().addRange(now);
  }
  if (now && reveals) revealSideways(now);
}

function revealSideways(range) {
  reveals = false;
  const scroller = scrollers[pane()];
  const [match, view] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  // The end of a long line may be cut off by its cell.
  const cell = range.startContainer.parentElement.closest("[data-column]")?.getBoundingClientRect();
  if (cell && match.right > cell.right) return;
  if (match.right > view.left + scroller.clientWidth) scroller.scrollLeft += match.right - view.left - scroller.clientWidth + 40;
  if (match.left < view.left + 60) scroller.scrollLeft -= view.left + 60 - match.left;
}

field.addEventListener("input", () => {
  scrolls = true;
  search();
});
for (const toggle of Object.values(toggles)) {
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", `${toggle.getAttribute("aria-pressed") !== "true"}`);
    restart();
  });
}
element("text-find-next").addEventListener("click", () => next(1));
element("text-find-previous").addEventListener("click", () => next(-1));
element("text-find-close").addEventListener("click", close);
bar.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  else if (event.key === "Enter" && event.target === field && !event.isComposing) next(event.shiftKey ? -1 : 1);
  else if (event.altKey && event.key === "c") toggles.case.click();
  else if (event.altKey && event.key === "r") toggles.expression.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
addEventListener("keydown", (event) => {
  if (event.key !== "F3" || !isOpen() || event.target.closest?.(".cm-editor, dialog")) return;
  event.preventDefault();
  next(event.shiftKey ? -1 : 1);
});
for (const part of Object.values(rows)) new MutationObserver(() => isOpen() && light()).observe(part, { childList: true });
watch_text(() => {
  known = undefined;
  found = new Uint32Array();
  if (!isOpen()) return;
  restart();
  scrolls = false;
});

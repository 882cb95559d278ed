// The overlay of the graph and of the IR text: draws the marks that the compiler computes, and their legend.
//
// Loaded with the first overlay. The page's program draws graph and text without knowing of overlays; this module observes both and
// adds its marks before the next frame: a layer above the graph, and classes and words in the drawn rows. A style is a pattern with a
// color (www/style/overlay.css). Marks are numbers, see OverlayEntry in wasm/protocol/src/layout.rs.

import { boxes, line_block } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";
/** Bits of a style beside its number: the mark of a line, and a free first line in the block. */
const [NUMBER, LINE, FREE] = [15, 16, 32];
const FULL = 1000;
/** Padding of a box, height of its lines, size of a bar, in px; the first two as in web/src/view/graph/paint.rs. */
const INSET = [10, 7];
const LEADING = 17;
const BAR = [34, 10];
/** Tiles of the patterns 2 to 6, of 6 by 6 px; the first is solid. */
const TILES = ["M-1 1l2 -2M0 6l6 -6M5 7l2 -2", "M1.5 1.5h.1M4.5 4.5h.1", "M0 1.5h6M0 4.5h6", "M0 6l6 -6M0 0l6 6", "M1.5 0v6M4.5 0v6"];

const element = (id) => document.getElementById(id);
const [scene, labels, rows, overview, pane] = ["scene", "labels", "rows", "overview", "graph"].map(element);

/** The marks by the id of their block or value. */
let marks = new Map();
/** True if single lines are marked: then those of a marked block are not. */
let ofLines = false;
let layer;
let patterns = [];
let panel;

/** Shows the marks, four numbers each, with the lines of `words`; hides them if the legend is empty. */
export function show(numbers, words, legend) {
  build();
  const lines = words.split("\n");
  marks = new Map();
  ofLines = false;
  for (let at = 0; at < numbers.length; at += 4) {
    const [id, style, level, line] = numbers.subarray(at, at + 4);
    marks.set(id, { style: style & NUMBER, isLine: (style & LINE) > 0, isFree: (style & FREE) > 0, level, words: lines[line] });
    ofLines ||= (style & LINE) > 0;
  }
  explain(legend);
  drawGraph();
  drawRows();
}

/** Creates the layer, the patterns and the legend, and begins to observe. */
function build() {
  if (layer) return;
  const make = (name, attributes, parent) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };
  const defs = make("defs", {}, scene.parentNode);
  patterns = TILES.map((tile, at) => {
    const pattern = make("pattern", { id: `tile-${at + 2}`, class: `s${at + 2}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, defs);
    make("path", { d: tile }, pattern);
    return pattern;
  });
  layer = make("g", { id: "marks" }, scene.parentNode);
  scene.after(layer);
  panel = Object.assign(document.createElement("div"), { id: "overlay-legend", tabIndex: 0, hidden: true });
  panel.setAttribute("role", "region");
  panel.setAttribute("aria-label", "Legend of the overlay");
  element("graph-tools").before(panel);
  const observer = new MutationObserver((records) => {
    const changed = new Set(records.map(({ target, type }) => (type === "attributes" ? `move ${target.id}` : target.id)));
    if (changed.has("scene") || changed.has("labels")) drawGraph();
    else if (changed.has("move scene")) follow();
    if (changed.has("rows") || changed.has("move ")) drawRows();
  });
  observer.observe(scene, { childList: true, attributeFilter: ["transform"] });
  observer.observe(labels, { childList: true });
  observer.observe(rows, { childList: true });
  observer.observe(document.body, { attributeFilter: ["data-tab"] });
}

/** Shows the legend: sentences, then styles with their meanings. */
function explain(legend) {
  const list = document.createElement("ul");
  const parts = [];
  for (const line of legend.split("\n").filter(Boolean)) {
    const [style, meaning] = line.split("\t");
    const entry = Object.assign(document.createElement(style === "0" ? "p" : "li"), { textContent: meaning });
    if (style === "0") {
      parts.push(entry);
      continue;
    }
    entry.prepend(Object.assign(document.createElement("i"), { className: `tile s${style}` }));
    list.append(entry);
  }
  if (list.hasChildNodes()) parts.push(list);
  panel.replaceChildren(...parts);
  panel.hidden = parts.length === 0;
}

/** Moves the layer with the graph; patterns have one size on the screen. Returns the zoom. */
function follow() {
  const place = scene.getAttribute("transform") ?? "";
  layer.setAttribute("transform", place);
  const zoom = Number(/scale\(([\d.]+)/.exec(place)?.[1] ?? 1);
  for (const pattern of patterns) pattern.setAttribute("patternTransform", `scale(${1 / zoom})`);
  return { zoom, at: /translate\((-?\d+) (-?\d+)/.exec(place)?.slice(1).map(Number) ?? [0, 0] };
}

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const rect = (name, style, [x, y, width, height]) => `<rect class="${name} s${style}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;

function drawGraph() {
  const camera = follow();
  let html = "";
  const isFar = !overview.hidden;
  layer.classList.toggle("far", isFar);
  if (isFar) labels.querySelectorAll("[data-block]").forEach(markLabel);
  if (marks.size > 0) html = !isFar ? [...scene.querySelectorAll("[data-block]")].map(markBlock).join("") : markOverview(camera);
  layer.innerHTML = html;
}

/** The marks of all boxes of the overview in view and half a pane around it: a bar as high as its level, and a frame. */
function markOverview({ zoom, at }) {
  const all = boxes();
  const size = [pane.clientWidth, pane.clientHeight];
  let html = "";
  for (let first = 0; first < all.length; first += 5) {
    const [id, ...place] = all.subarray(first, first + 5);
    const mark = marks.get(id);
    const isNear = [0, 1].every((axis) => {
      const from = place[axis] * zoom + at[axis];
      return from < size[axis] * 1.5 && from + place[axis + 2] * zoom > -size[axis] / 2;
    });
    if (!mark?.style || !isNear) continue;
    const [x, y, width, height] = place;
    const level = Math.round((height * mark.level) / FULL);
    html += rect("fill", mark.style, [x, y + height - level, width, level]) + rect("outline", mark.style, place);
  }
  return html;
}

/** Words in place of the summary of a block, as long as the summary at most: no label may become longer. */
function markLabel(label) {
  const [name, rest] = label.childNodes;
  const summary = (label.dataset.summary ??= rest?.textContent ?? "");
  const { words = "" } = marks.get(Number(label.dataset.block)) ?? {};
  let text = summary;
  // Further lines of a summary have no name.
  if (words && name.textContent) text = summary.startsWith(" · ") ? ` · ${words}` : summary;
  else if (words) text = "";
  if (text.length > summary.length) text = `${text.slice(0, Math.max(0, summary.length - 1))}…`;
  if (rest) rest.textContent = text;
}

/** The marks of a block: its frame, bar and words in the free line, marked lines and values. */
function markBlock(group) {
  const box = group.querySelector(".box");
  const mark = marks.get(Number(group.dataset.block));
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
  let html = mark?.style && mark.level === FULL ? rect("outline", mark.style, [x - 2, y - 2, width + 4, height + 4]) : "";
  if (mark?.isFree && !box.classList.contains("folded")) html += markHead(mark, x + INSET[0], y + INSET[1]);
  for (const text of group.querySelectorAll("text[x]:not(.sign)")) html += markText(text, x);
  return html;
}

/** Bar and words in the free line of a block. */
function markHead({ style, level, words }, x, y) {
  let html = "";
  let left = x;
  if (style) {
    html += rect("track", style, [x, y + 3, ...BAR]) + rect("fill", style, [x, y + 3, Math.ceil((BAR[0] * level) / FULL), BAR[1]]);
    left += BAR[0] + 7;
  }
  return `${html}<text x="${left}" y="${y + 12}">${escaped(words)}</text>`;
}

/** The marks of a line of a block: of the line itself, and below its values. */
function markText(text, left) {
  const [x, y] = [Number(text.getAttribute("x")), Number(text.getAttribute("y"))];
  const line = lineMark(text);
  let html = line?.style ? rect("fill", line.style, [left + 2, y - 12, 6, LEADING]) : "";
  let letters = 0;
  let width;
  for (const part of text.childNodes) {
    const mark = marks.get(Number(part.dataset?.id));
    // A block has its marks elsewhere.
    if (mark?.style && !mark.isLine && !part.classList.contains("t-block")) {
      // The face has one width; measured, as it may be a face of the system.
      width ??= text.getComputedTextLength() / text.textContent.length;
      html += `<path class="under s${mark.style}" d="M${x + letters * width} ${y + 3}h${part.textContent.length * width}"/>`;
    }
    letters += part.textContent.length;
  }
  return html;
}

/** The mark of a line whose first word is the marked value. */
function lineMark(line) {
  const first = line.querySelector("[data-id]");
  const mark = marks.get(Number(first?.dataset.id));
  return mark?.isLine && beginsWith(line, first) ? mark : undefined;
}

/** True if a line begins with the definition of a token: no other line begins with one. */
function beginsWith(line, token) {
  let before = "";
  for (const part of line.childNodes) {
    if (part === token) return !before.trim();
    if (part.nodeName !== "I") before += part.textContent;
  }
  return false;
}

/** Ids of the blocks of the graph: in a target's text their labels have no class of their own. */
let heads = new Set();

const isBlock = (token) => token.classList.contains("t-block") || heads.has(Number(token.dataset.id));

/** Marks the drawn rows of the IR or of the target: stripes in the margin, words at the end of lines, values. */
function drawRows() {
  for (const old of rows.querySelectorAll(".words")) old.remove();
  for (const old of rows.querySelectorAll("[data-mark]")) delete old.dataset.mark;
  const { tab } = document.body.dataset;
  if (marks.size === 0 || (tab !== "ir" && tab !== "target")) return;
  heads = new Set(tab === "target" ? boxes().filter((_, at) => at % 5 === 0) : []);
  for (const row of rows.children) markRow(row);
}

function markRow(row) {
  const tokens = [...row.querySelectorAll("[data-id]")];
  const [first] = tokens;
  const isDefinition = first !== undefined && beginsWith(row, first);
  const own = isDefinition ? marks.get(Number(first.dataset.id)) : undefined;
  const isHead = isDefinition && isBlock(first);
  let stripe = own?.isLine || isHead ? own?.style : undefined;
  if (!ofLines && stripe === undefined) stripe = marks.get(line_block(Number(row.dataset.line)))?.style;
  if (stripe) row.dataset.mark = stripe;
  for (const token of tokens) {
    const mark = marks.get(Number(token.dataset.id));
    if (mark?.style && !mark.isLine && !isBlock(token)) token.dataset.mark = mark.style;
    // The first line of a block defines its parameters, too.
    if (mark?.words && isDefinition && (token === first || isHead)) addWords(row, mark, token === first ? "" : `${token.textContent} `);
  }
}

function addWords(row, { style, level, words, isFree }, name) {
  const part = Object.assign(document.createElement("em"), { className: "words" });
  if (isFree && style) {
    const gauge = Object.assign(document.createElement("b"), { className: `gauge s${style}` });
    const fill = Object.assign(document.createElement("b"), { className: "tile" });
    fill.style.width = `${Math.ceil((BAR[0] * level) / FULL)}px`;
    gauge.append(fill);
    part.append(gauge);
  }
  part.append(name + words);
  row.append(part);
}

// Breakpoints and watch expressions of stepping: two lists in the pane of runs, and marks at blocks of the graph and the text.
//
// Loaded when stepping begins. The page's program keeps both lists and sends them to the debugger, which evaluates them; this module
// shows the lists with the debugger's state (`StepReport` of the protocol), and edits them. A breakpoint is a line such as
// `@0 ^3 if %12 > 3`, or `line 12` for a line of the source, which `source-lines.js` shows.

import { set_stops } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";
/** Distance of a mark from the corner of its block, and its radius, in px of the graph. */
const [INSET, RADIUS] = [8, 5];

const element = (id) => document.getElementById(id);
const [scene, rows, steps, functions] = ["scene", "rows", "debugger-steps", "functions"].map(element);

/** The lists, and the state of the debugger; none while nothing is stepped through. */
let stops = [];
let watches = [];
let state;
let layer;
/** The view of the source, once it has loaded. */
let source;

const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const named = (made, name) => {
  made.setAttribute("aria-label", name);
  return made;
};

/** A form with one field. */
function form(id, label, placeholder, title, add) {
  const field = create("input", { id, placeholder, title, spellcheck: false, autocomplete: "off" });
  const made = create("form", { className: "line" }, create("label", { htmlFor: id, textContent: label }), field, create("button", { textContent: "Add" }));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    add(text);
    field.value = "";
  });
  return made;
}

const stopList = named(create("ul", { id: "stops" }), "Breakpoints");
const watchList = named(create("ul", { id: "watches" }), "Watch expressions");
const why = create("p", { id: "stop-why" });
why.setAttribute("role", "status");
const panel = create("div", { id: "debugger-stops" }, why,
  form("watch", "Watch", "%12.x", "A value by id or name, a component, or a comparison: %12, i, %12.x, %3 == 4", (text) => send(stops, [...watches, text])),
  watchList,
  form("stop", "Breakpoint", "@0 ^3 if %12 > 3", "A block (key B at the chosen block), or line 12 of the source; stops the chosen invocation where it comes there", (text) => send([...stops, text], watches)),
  stopList);

/** Shows both lists with the state of the debugger; hides everything if nothing is stepped through. */
export function show(shown) {
  build();
  state = shown?.state;
  if (state) {
    ({ stops, watches } = shown);
    list();
  }
  mark();
  showSource();
}

/** Shows the source of a program that has lines. */
async function showSource() {
  if (!source && !state?.source?.position) return;
  try {
    source = await import("./source-lines.js");
    source.show(state, stops, toggle);
  } catch {
    // Without a network, instructions can still be stepped through.
  }
}

function build() {
  if (layer) return;
  layer = document.createElementNS(SVG, "g");
  layer.id = "stop-marks";
  scene.after(layer);
  element("debugger-position").after(panel);
  const observer = new MutationObserver(mark);
  observer.observe(scene, { childList: true, attributeFilter: ["transform"] });
  observer.observe(rows, { childList: true });
  // The graph would move, or choose the block.
  for (const name of ["pointerdown", "click"]) {
    layer.addEventListener(name, (event) => {
      event.stopPropagation();
      if (name === "click" && event.target.dataset.stop) toggle(event.target.dataset.stop);
    });
  }
  rows.addEventListener("click", (event) => {
    const place = event.target.closest("i") && event.target.parentElement.dataset.stop;
    if (!place || !state) return;
    event.stopPropagation();
    toggle(place);
  }, true);
  addEventListener("keydown", (event) => {
    if (event.key !== "B" || !state || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const group = scene.querySelector(".box.chosen")?.closest("[data-block]");
    const place = group && placeOf(group.querySelector(".t-block"));
    if (place) toggle(place);
    else why.textContent = "Choose a block in the graph or the text for a breakpoint.";
    event.preventDefault();
  });
}

/** Keeps the lists at once: a second change before the compiler's answer builds on the first. */
function send(newStops, newWatches) {
  [stops, watches] = [newStops, newWatches];
  set_stops(newStops, newWatches);
}

/** The block of a breakpoint: function and block without names, as `@0 ^3`. */
function blockOf(stop) {
  if (stop.startsWith("line ")) return stop.split(" if ")[0];
  const bare = (word = "") => word.replace(/^([@^]).*?(\d+)$/, "$1$2");
  const [func, block] = stop.split(" ");
  return `${bare(func)} ${bare(block)}`;
}

function toggle(place) {
  const rest = stops.filter((stop) => blockOf(stop) !== place);
  send(rest.length < stops.length ? rest : [...stops, place], watches);
}

/** The block of the drawn function that a token defines. */
function placeOf(token) {
  const word = token?.textContent ?? "";
  return word.startsWith("^") && functions.value !== "" ? blockOf(`@${functions.value} ${word}`) : undefined;
}

function list() {
  const focused = document.activeElement?.closest("#debugger-stops") ? document.activeElement.ariaLabel ?? document.activeElement.id : undefined;
  const reasons = new Map(state.wrong_stops.map(({ stop, reason }) => [stop, reason]));
  why.textContent = state.stopped && `${state.stopped}.`;
  stopList.replaceChildren(...stops.map((stop, at) => {
    const [place, condition = ""] = stop.split(" if ");
    const field = named(create("input", { value: condition, placeholder: "always", title: "Stops only if this comparison holds: %12 > 3", spellcheck: false, autocomplete: "off" }), `Condition of ${place}`);
    field.addEventListener("change", () => {
      const text = field.value.trim();
      send(stops.with(at, text ? `${place} if ${text}` : place), watches);
    });
    const entry = create("li", {}, create("b", { textContent: place }), create("span", { textContent: " if " }), field, removal(`Remove the breakpoint ${place}`, () => send(stops.toSpliced(at, 1), watches)));
    if (reasons.has(at)) entry.append(create("span", { className: "bad", textContent: reasons.get(at) }));
    return entry;
  }));
  watchList.replaceChildren(...watches.map((watch, at) => {
    const { words, missing } = state.watched[at] ?? { words: "", missing: false };
    return create("li", {}, create("b", { textContent: watch }), create("output", { className: missing ? "dim" : "", textContent: words }), removal(`Remove the watch ${watch}`, () => send(stops, watches.toSpliced(at, 1))));
  }));
  if (focused) [...panel.querySelectorAll("input, button")].find((control) => (control.ariaLabel ?? control.id) === focused)?.focus();
}

function removal(name, act) {
  const button = named(create("button", { className: "square", textContent: "×", title: name }), name);
  button.addEventListener("click", act);
  return button;
}

/** Marks the drawn blocks and rows: a dot at a breakpoint, a ring that becomes one elsewhere. */
function mark() {
  const set = new Set(stops.map(blockOf));
  layer.setAttribute("transform", scene.getAttribute("transform") ?? "");
  layer.replaceChildren(...(state ? [...scene.querySelectorAll("[data-block]")].flatMap((group) => {
    const place = placeOf(group.querySelector(".t-block"));
    return place ? [dot(group.querySelector(".box"), place, set.has(place))] : [];
  }) : []));
  const own = new Map([...scene.querySelectorAll("[data-block]")].map((group) => [group.dataset.block, placeOf(group.querySelector(".t-block"))]));
  for (const row of rows.children) {
    const [first] = row.querySelectorAll("[data-id]");
    const place = state && first?.classList.contains("t-block") && !row.textContent.includes("=") ? own.get(first.dataset.id) : undefined;
    if (place) row.dataset.stop = place;
    else delete row.dataset.stop;
    row.classList.toggle("stop", Boolean(place) && set.has(place));
  }
}

function dot(box, place, isSet) {
  const made = document.createElementNS(SVG, "circle");
  const [x, y] = ["x", "y"].map((name) => Number(box.getAttribute(name)));
  for (const [name, value] of Object.entries({ cx: x, cy: y + INSET, r: RADIUS, class: isSet ? "set" : "" })) made.setAttribute(name, value);
  made.dataset.stop = place;
  const title = document.createElementNS(SVG, "title");
  title.textContent = isSet ? `Breakpoint ${place}: a click removes it (B)` : `A click sets a breakpoint (B)`;
  made.append(title);
  return made;
}

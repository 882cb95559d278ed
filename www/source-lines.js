// The source of the program that is stepped through: its lines with breakpoints and the current line, steps by lines, and the
// variables with their values.
//
// Loaded when stepping begins in a program that has lines. `stops.js` passes the state of the debugger; the source is its `source`
// (`SourceView` of the protocol).

import { step_lines } from "./page.js";

/** The steps in the order of `StepCommand::LINES`: label, title, key. */
const STEPS = [
  ["◀ Line", "Back to the start of the line, or to the line before (Shift F10)", "Shift+F10"],
  ["Into", "To the next line, into calls (F11)", "F11"],
  ["Over", "To the next line, over calls (F10)", "F10"],
  ["Out", "To the line after the function (Shift F11)", "Shift+F11"],
  ["Run to line", "To the chosen line (Ctrl F10)", "Control+F10"],
];

const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const named = (made, name) => {
  made.setAttribute("aria-label", name);
  return made;
};

/** The chosen line, from 1; the current line; the lines of the source. */
let chosen = 1;
let here = 0;
let source = [];
let toggle = () => {};
/** Parts of variables that are open, by name and path. */
const open = new Set();

const buttons = STEPS.map(([label, title, keys], at) => {
  const button = create("button", { id: `line-step-${at}`, textContent: label, title });
  button.setAttribute("aria-keyshortcuts", keys);
  button.addEventListener("click", () => step_lines(at, chosen));
  return button;
});
const bar = named(create("div", { id: "line-steps" }, create("b", { textContent: "Source" }), ...buttons), "Stepping by lines of the source");
bar.setAttribute("role", "group");
const where = create("p", { id: "source-place" });
where.setAttribute("role", "status");
const rows = named(create("div", { id: "source-lines" }), "Lines of the source; a line number sets a breakpoint (F9)");
rows.setAttribute("role", "group");
const variables = named(create("ul", { id: "source-variables" }), "Variables");
const panel = create("section", { id: "debugger-source", hidden: true }, bar, where, rows, variables);
named(panel, "Source");
document.getElementById("debugger-position").after(panel);

/** Shows the state where the program stopped; without one, nothing. */
export function show(state, stops, toggleStop) {
  // While a long step runs, the last state stays.
  if (state && !state.source) return;
  toggle = toggleStop;
  const { position, lines, variables: values, removed } = state?.source ?? {};
  panel.hidden = !position;
  if (!position) return;
  if (lines.length > 0 && lines.join("\n") !== source.join("\n")) build(lines);
  mark(position.line, stops);
  where.textContent = describe(position);
  showVariables(values, removed);
}

function describe({ line, file, begins }) {
  if (line === 0) return "No line yet: a step by lines goes to the first one.";
  const at = `Line ${line}${file ? ` of ${file}` : ""}`;
  return begins ? `${at} is next.` : `${at}, in the middle.`;
}

/** Makes the rows of a source. Only one line number is a tab stop; arrow keys move it. */
function build(text) {
  source = text;
  chosen = Math.min(chosen, text.length);
  rows.style.setProperty("--longest", text.reduce((most, line) => Math.max(most, line.length), 0));
  rows.replaceChildren(...text.map((line, at) => {
    const number = create("button", { textContent: at + 1, tabIndex: at + 1 === chosen ? 0 : -1 });
    number.addEventListener("click", () => {
      choose(at + 1);
      toggle(`line ${at + 1}`);
    });
    number.addEventListener("focus", () => choose(at + 1));
    const code = create("code", { textContent: line });
    code.addEventListener("click", () => choose(at + 1));
    return create("div", {}, number, code);
  }));
}

function choose(line) {
  const [before, now] = [chosen, line].map((at) => rows.children[at - 1]);
  if (before) before.firstChild.tabIndex = -1;
  before?.classList.remove("chosen");
  now?.classList.add("chosen");
  if (now) now.firstChild.tabIndex = 0;
  chosen = line;
}

function mark(line, stops) {
  const set = new Set(stops.filter((stop) => stop.startsWith("line ")).map((stop) => Number.parseInt(stop.slice(5), 10)));
  [...rows.children].forEach((row, at) => {
    const isSet = set.has(at + 1);
    const [number] = row.children;
    number.setAttribute("aria-pressed", String(isSet));
    named(number, `Line ${at + 1}, ${isSet ? "breakpoint" : "no breakpoint"}`);
    row.classList.toggle("here", at + 1 === line);
    if (at + 1 === line) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  });
  if (line !== here) {
    const row = rows.children[line - 1];
    // Only the list scrolls, and not the pane.
    if (row) rows.scrollTop = row.offsetTop - rows.offsetTop - rows.clientHeight / 2;
    if (row && !rows.contains(document.activeElement)) choose(line);
  }
  here = line;
}

/** Variables as trees: members and elements are inside their variable. */
function showVariables(values, removed) {
  const roots = new Map();
  for (const { name, path, value } of values) {
    let node = child(roots, name, name);
    for (const part of path.split(/(?=[.[])/).filter(Boolean)) node = child(node.parts, part, `${node.key}${part}`);
    node.value = value;
  }
  variables.replaceChildren(...[...roots].map(([name, node]) => entry(name, node)), ...removed.map(gone));
}

function child(parts, name, key) {
  if (!parts.has(name)) parts.set(name, { key, parts: new Map(), value: "" });
  return parts.get(name);
}

function entry(name, root) {
  // A stack in place of recursion: types may be nested deeply.
  const top = create("li", {});
  const work = [[top, name, root]];
  while (work.length > 0) {
    const [at, label, node] = work.pop();
    const title = [create("b", { textContent: label }), " ", create("output", { textContent: node.value })];
    if (node.parts.size === 0) {
      at.append(...title);
      continue;
    }
    const list = create("ul", {});
    const details = create("details", { open: open.has(node.key) }, create("summary", {}, ...title), list);
    details.addEventListener("toggle", () => (details.open ? open.add(node.key) : open.delete(node.key)));
    at.append(details);
    for (const [part, inner] of node.parts) {
      const item = create("li", {});
      list.append(item);
      work.push([item, part, inner]);
    }
  }
  return top;
}

function gone({ name, step, pass, line }) {
  const last = line === undefined ? "" : `; last in line ${line + 1} of the version before it`;
  return create("li", { className: "gone" }, create("b", { textContent: name }), ` optimized away by ${pass} (step ${step})${last}`);
}

rows.addEventListener("keydown", (event) => {
  const moves = { ArrowUp: chosen - 1, ArrowDown: chosen + 1, Home: 1, End: source.length };
  const to = moves[event.key];
  if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  const line = Math.min(Math.max(to, 1), source.length);
  choose(line);
  rows.children[line - 1]?.firstChild.focus();
  event.preventDefault();
  event.stopPropagation();
});

addEventListener("keydown", (event) => {
  if (panel.hidden || !panel.checkVisibility() || event.altKey || event.metaKey) return;
  const keys = `${event.ctrlKey ? "Control+" : ""}${event.shiftKey ? "Shift+" : ""}${event.key}`;
  const at = STEPS.findIndex(([, , key]) => key === keys);
  if (at >= 0) step_lines(at, chosen);
  else if (keys === "F9") toggle(`line ${chosen}`);
  else return;
  event.preventDefault();
});

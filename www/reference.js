// The search of the glossary and the reference: over terms, entries of the catalog and sections of lessons.
//
// The index (xtask/src/site/reference/search.rs) is loaded when the field is first used; there is no server. `/` focuses the field, the arrow
// keys choose a result, Enter opens it, Esc closes the list. Pages are complete without this script.

const { up } = document.body.dataset;
const search = document.getElementById("search");
const field = search.querySelector("input");
const MOST = 12;
const KINDS = {
  term: "glossary", lesson: "lesson", pass: "pass", preset: "preset", analysis: "analysis", op: "operation", rule: "rule",
  diag: "diagnostic", "front-end": "front end", "back-end": "back end",
};

const list = Object.assign(document.createElement("ul"), { id: "results", hidden: true });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Results");
const status = Object.assign(document.createElement("p"), { role: "status" });
search.append(list, status);
field.setAttribute("role", "combobox");
field.setAttribute("aria-controls", "results");
field.setAttribute("aria-expanded", "false");
field.setAttribute("aria-autocomplete", "list");

let loading;
/** The rows of the index: title, kind, address, words. */
let rows = [];
let results = [];
let chosen = 0;

function load() {
  loading ??= fetch(`${up}search.json`)
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`))))
    .then((found) => (rows = found.map((row) => [...row, row[0].toLowerCase(), row[3].toLowerCase()])))
    .catch(() => {
      loading = undefined;
      status.textContent = "The index of the search did not arrive. Try again with a network.";
    });
  return loading;
}

/** How well a row fits: smaller is better; undefined if it does not. */
function rank([, kind, , , title, words], query, parts) {
  const order = kind === "rule" ? 0.5 : 0;
  if (title.split(", ").includes(query)) return order;
  if (title.startsWith(query)) return 1 + order;
  const found = title.split(/[^a-z0-9]+/);
  if (parts.every((part) => found.some((word) => word.startsWith(part)))) return 2 + order;
  if (title.includes(query)) return 3 + order;
  return parts.every((part) => title.includes(part) || words.includes(part)) ? 4 + order : undefined;
}

function find(text) {
  const query = text.trim().toLowerCase();
  if (!query) return [];
  const parts = query.split(/\s+/);
  const ranked = rows.map((row) => [rank(row, query, parts), row]).filter(([of]) => of !== undefined);
  return ranked.sort(([a, [x]], [b, [y]]) => a - b || x.length - y.length).slice(0, MOST).map(([, row]) => row);
}

function draw() {
  list.replaceChildren(...results.map(([title, kind, , words], at) => {
    const row = Object.assign(document.createElement("li"), { id: `result-${at}` });
    row.setAttribute("role", "option");
    row.append(
      Object.assign(document.createElement("b"), { textContent: title }), ` ${KINDS[kind]}`,
      Object.assign(document.createElement("small"), { textContent: words }),
    );
    return row;
  }));
  list.hidden = results.length === 0;
  status.textContent = field.value.trim() && rows.length > 0 && results.length === 0 ? "Nothing was found." : "";
  choose(0);
}

function choose(at) {
  chosen = at;
  [...list.children].forEach((row, number) => row.setAttribute("aria-selected", number === at));
  field.setAttribute("aria-expanded", !list.hidden);
  if (list.hidden) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", `result-${at}`);
  list.children[at]?.scrollIntoView({ block: "nearest" });
}

async function update() {
  await load();
  results = find(field.value);
  draw();
}

function close() {
  results = [];
  draw();
  status.textContent = "";
}

function open(at) {
  const row = results[at];
  if (!row) return;
  close();
  location.href = `${up}${row[2]}`;
}

field.addEventListener("focus", load);
field.addEventListener("input", update);
field.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && results.length > 0) choose((chosen + step + results.length) % results.length);
  else if (event.key === "Enter") open(chosen);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", ({ target }) => open([...list.children].indexOf(target.closest("li"))));
field.addEventListener("blur", close);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, [contenteditable]")) return;
  event.preventDefault();
  field.focus();
});

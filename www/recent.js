// The list of recent inputs: searched, pinned, deleted. Loaded when it is first opened. www/keep.js has the data;
// web/src/keep.rs opens what is chosen.
import { MOST } from "./keep.js";
import { open_recent } from "./page.js";

let dialog;
let rows = [];

export async function show() {
  dialog ??= build();
  part("input").value = "";
  reset();
  await read();
  if (!dialog.open) dialog.showModal();
}

const part = (selector) => dialog.querySelector(selector);

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function build() {
  const search = element("input", { type: "search", placeholder: "Search by name", autocomplete: "off", spellcheck: false });
  search.setAttribute("aria-label", "Search recent inputs");
  const list = element("ul");
  list.setAttribute("aria-label", "Recent inputs");
  const made = element("dialog", { id: "recent-list" }, [
    element("h2", { id: "title-recent", textContent: "Recent inputs" }),
    element("p", { className: "dim", textContent: `Stored in this browser only, and never sent anywhere. The newest ${MOST} are kept, and all pinned ones.` }),
    search,
    list,
    element("p", { className: "dim none" }),
    element("div", { className: "actions" }, [
      element("button", { className: "clear" }),
      element("button", { className: "close", textContent: "Close", title: "Close (Esc)" }),
    ]),
  ]);
  made.setAttribute("aria-labelledby", "title-recent");
  search.addEventListener("input", draw);
  search.addEventListener("keydown", (event) => event.key === "Enter" && list.querySelector(".open")?.click());
  list.addEventListener("click", click);
  made.addEventListener("keydown", keys);
  made.addEventListener("click", ({ target }) => target === made && made.close());
  made.querySelector(".close").addEventListener("click", () => made.close());
  made.querySelector(".clear").addEventListener("click", clear);
  document.body.append(made);
  return made;
}

async function read() {
  rows = await self.kept.list();
  draw();
}

function draw() {
  const query = part("input").value.trim().toLowerCase();
  const found = rows.filter(({ name }) => name.toLowerCase().includes(query));
  part("ul").replaceChildren(...found.map(row));
  part("ul").hidden = found.length === 0;
  part(".none").hidden = found.length > 0;
  part(".none").textContent = rows.length > 0 ? "No name contains these words." : "Nothing yet: files, pastes and edited examples appear here.";
  part(".clear").hidden = rows.every(({ pinned }) => pinned);
}

function row({ id, name, size, time, errors, picture, pinned }) {
  const verdict = errors === undefined ? "" : errors === 0 ? "ok" : errors === 1 ? "1 error" : `${errors} errors`;
  const facts = [bytes(size), date(time), verdict].filter(Boolean).join(" · ");
  const open = element("button", { className: "open" }, [
    drawing(picture),
    element("span", { className: "name", textContent: name || "untitled" }),
    element("span", { className: errors > 0 ? "facts bad" : "facts", textContent: facts }),
  ]);
  const pin = element("button", { className: "pin", textContent: pinned ? "Pinned" : "Pin", title: "Keep it, whatever else is opened" });
  pin.setAttribute("aria-pressed", String(pinned));
  pin.setAttribute("aria-label", `Pin ${name}`);
  const remove = element("button", { className: "remove square", textContent: "×", title: "Delete (Delete)" });
  remove.setAttribute("aria-label", `Delete ${name}`);
  const made = element("li", {}, [open, pin, remove]);
  made.dataset.id = id;
  return made;
}

// The blocks of the graph; edges are too fine for this size.
function drawing(blocks) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 56 36");
  svg.setAttribute("aria-hidden", "true");
  for (let at = 0; at < (blocks?.length ?? 0); at += 4) {
    const rect = document.createElementNS(svg.namespaceURI, "rect");
    ["x", "y", "width", "height"].forEach((name, part) => rect.setAttribute(name, blocks[at + part]));
    svg.append(rect);
  }
  return svg;
}

function bytes(size) {
  if (size < 1024) return `${size} B`;
  return size < 1 << 20 ? `${(size / 1024).toFixed(1)} KB` : `${(size / (1 << 20)).toFixed(1)} MB`;
}

function date(time) {
  const day = new Date(time);
  const isToday = day.toDateString() === new Date().toDateString();
  return day.toLocaleString("en", isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

async function click({ target }) {
  const item = target.closest("li");
  const button = target.closest("button");
  if (!item || !button) return;
  const id = Number(item.dataset.id);
  if (button.className === "open") return choose(id);
  if (button.className === "pin") {
    await self.kept.pin(id, button.getAttribute("aria-pressed") !== "true");
    await read();
    part(`[data-id="${id}"] .pin`)?.focus();
  } else {
    await remove(item);
  }
}

async function choose(id) {
  const { kept, bytes } = await self.kept.load(id);
  dialog.close();
  if (kept && bytes) open_recent(kept, bytes);
}

async function remove(item) {
  const next = item.nextElementSibling ?? item.previousElementSibling;
  await self.kept.remove(Number(item.dataset.id));
  await read();
  (part(`[data-id="${next?.dataset.id}"] .open`) ?? part("input")).focus();
}

// The second click deletes: the first one says how many.
async function clear() {
  const unpinned = rows.filter(({ pinned }) => !pinned);
  const button = part(".clear");
  if (!button.dataset.sure) {
    button.dataset.sure = "1";
    button.textContent = `Delete ${unpinned.length} for good`;
    return;
  }
  for (const { id } of unpinned) await self.kept.remove(id);
  reset();
  await read();
  part("input").focus();
}

function reset() {
  delete part(".clear").dataset.sure;
  part(".clear").textContent = "Delete all but pinned";
}

function keys(event) {
  const item = event.target.closest("li");
  const opens = [...dialog.querySelectorAll(".open")];
  const at = item ? opens.indexOf(item.querySelector(".open")) : -1;
  if (event.key === "ArrowDown") opens[at + 1]?.focus();
  else if (event.key === "ArrowUp") (opens[at - 1] ?? part("input")).focus();
  else if (event.key === "Delete" && item) remove(item);
  else return;
  event.preventDefault();
}

// The gallery of the examples: a picture and a sentence each, searched and walked by keys. Loaded when it is first opened.
//
// An example is opened by the page's menu of examples, which has the same files. Refuses to know an example: www/examples.js lists them,
// and core/tests/it/gallery.rs makes that list and the pictures.
import { GROUPS } from "./examples.js";

let dialog;

export function show() {
  dialog ??= build();
  if (dialog.open) return;
  const search = dialog.querySelector("input");
  search.value = "";
  filter();
  dialog.showModal();
  dialog.querySelector(".list").scrollTop = 0;
  // The keyboard of a phone would hide the pictures.
  (matchMedia("(pointer: coarse)").matches ? card() : search)?.focus();
}

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function build() {
  const search = element("input", { type: "search", placeholder: "Search examples", autocomplete: "off", spellcheck: false });
  search.setAttribute("aria-label", "Search examples");
  const close = element("button", { className: "square", textContent: "✕", title: "Close (Esc)" });
  close.setAttribute("aria-label", "Close the gallery");
  const made = element("dialog", { id: "gallery" }, [
    element("div", { className: "head" }, [element("h2", { id: "title-gallery", textContent: "Examples" }), search, close]),
    element("div", { className: "list" }, [...GROUPS.map(group), element("p", { className: "dim none", textContent: "No example has these words." })]),
  ]);
  made.setAttribute("aria-labelledby", "title-gallery");
  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => event.key === "Enter" && card()?.click());
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", ({ target }) => {
    if (target === made) made.close();
    const chosen = target.closest(".example");
    if (chosen) open(chosen.dataset.path);
  });
  made.addEventListener("keydown", keys);
  document.body.append(made);
  return made;
}

function group([label, examples], number) {
  const heading = element("h3", { id: `gallery-${number}`, textContent: label });
  const list = element("ul", {}, examples.map(([path, picture, sentence]) => {
    const name = element("b", { textContent: nameOf(path) });
    // The name and the sentence describe it.
    const image = element("img", { loading: "lazy", decoding: "async", alt: "", width: 84, height: 84, src: picture });
    const button = element("button", { className: "example" }, [image, name, element("span", { textContent: sentence })]);
    button.dataset.path = path;
    return element("li", {}, [button]);
  }));
  list.setAttribute("aria-labelledby", heading.id);
  return element("section", {}, [heading, list]);
}

const menu = document.getElementById("examples");
const option = (path) => [...menu.options].find(({ value }) => value === path);
const nameOf = (path) => option(path)?.text ?? path;
const cards = () => [...dialog.querySelectorAll("li:not([hidden]) .example")];
const card = () => cards()[0];

/** Shows the examples that have all words of the search in their name, sentence or group. */
function filter() {
  const words = dialog.querySelector("input").value.toLowerCase().split(/\s+/);
  for (const part of dialog.querySelectorAll("section")) {
    const label = part.firstChild.textContent;
    for (const item of part.querySelectorAll("li")) {
      const text = `${item.textContent} ${label}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    part.hidden = part.querySelector("li:not([hidden])") === null;
  }
  dialog.querySelector(".none").hidden = card() !== undefined;
}

function open(path) {
  dialog.close();
  menu.value = option(path).value;
  menu.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Arrow keys go to the next example in their direction; up from the first row to the search. */
function keys(event) {
  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const [across, down] = ways[event.key] ?? [0, 0];
  const all = cards();
  const at = all.indexOf(document.activeElement);
  if (across === 0 && down === 0 || at < 0 && down !== 1) return;
  event.preventDefault();
  if (at < 0) return all[0]?.focus();
  if (across !== 0) return all[at + across]?.focus();
  const middle = (of) => of.getBoundingClientRect().left + of.getBoundingClientRect().width / 2;
  const top = (of) => of.getBoundingClientRect().top;
  const here = all[at];
  const beyond = all.filter((of) => (top(of) - top(here)) * down > 4);
  const nearest = beyond.sort((a, b) => (top(a) - top(b)) * down || Math.abs(middle(a) - middle(here)) - Math.abs(middle(b) - middle(here)))[0];
  (nearest ?? (down < 0 ? dialog.querySelector("input") : here)).focus();
}

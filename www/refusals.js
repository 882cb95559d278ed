// The reasons why a version cannot be written in a target language, in place of their plain text: each with its place in the
// program, and the passes that help. Loaded by www/boot.js with the first text that is refused.
//
// web/src/refusals.rs passes the reasons. Refuses to decide what helps: a button adds a pass that the diagnostic names, at the
// end of the pipeline.

import { choose } from "./page.js";

const empty = document.getElementById("empty");
const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** A text in which code is between backticks. */
const sentence = (text) => create("span", {}, ...text.split("`").map((part, at) => (at % 2 ? create("code", { textContent: part }) : part)));

/** Shows the thing in the IR, the graph and the input. */
function go(id) {
  document.getElementById("tab-ir").click();
  choose(id);
}

/** Adds a pass at the end of the pipeline, and shows the text that results. */
function add(pass) {
  const field = document.getElementById("pipeline");
  field.value = [field.value.trim(), pass].filter(Boolean).join(", ");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function placeOf({ id, name }) {
  const place = create("button", { type: "button", className: "place", textContent: name, title: "Show it in the program" });
  place.addEventListener("click", (event) => {
    // A click on the pane itself chooses nothing.
    event.stopPropagation();
    go(id);
  });
  return place;
}

function help(pass) {
  const button = create("button", { type: "button", className: "pass", textContent: `Add ${pass}`, title: "Adds the pass at the end of the pipeline" });
  button.addEventListener("click", () => add(pass));
  return button;
}

function item(refusal) {
  const places = refusal.place ? [placeOf(refusal.place)] : [];
  const made = create("span", {}, ...places, sentence(refusal.sentence), ...refusal.passes.map(help));
  made.setAttribute("role", "listitem");
  return made;
}

/** Replaces the plain text by the list. */
export function show(head, refusals) {
  // The pane may show another text since the call, or the list already.
  if (empty.textContent !== `${head}: ${refusals.map((of) => of.sentence).join("\n")}`) return;
  const count = refusals.length === 1 ? "" : ` (${refusals.length} reasons)`;
  const list = create("span", { id: "refusals" }, ...refusals.map(item));
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Reasons");
  empty.replaceChildren(`${head}${count}:`, list);
}

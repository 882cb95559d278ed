// What a target language cannot express, in place of the text: each reason with its thing in the program, and the passes that
// help. www/boot.js loads it when the first text is refused.
//
// The compiler's view_model::target writes the lines; the page shows them as plain text until this module replaces them.
// Refuses to decide what helps: a button adds a pass that the diagnostic names, at the end of the pipeline.

import { choose } from "./page.js";

const PART = "\u001f";

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

function item(line) {
  const [text, id, name, passes] = line.split(PART);
  const place = create("button", { type: "button", className: "place", textContent: name, title: "Show it in the program" });
  place.addEventListener("click", (event) => {
    // A click on the pane itself chooses nothing.
    event.stopPropagation();
    go(Number(id));
  });
  const helps = passes ? passes.split(", ").map((pass) => {
    const button = create("button", { type: "button", className: "pass", textContent: `Add ${pass}`, title: "Adds the pass at the end of the pipeline" });
    button.addEventListener("click", () => add(pass));
    return button;
  }) : [];
  const made = create("span", {}, ...(name ? [place] : []), sentence(text), ...helps);
  made.setAttribute("role", "listitem");
  return made;
}

/** Replaces the plain text by the list. */
export function show(element) {
  // Two redraws before this module arrived.
  if (!element.textContent.includes(PART)) return;
  const [head, ...rest] = element.textContent.split("\n");
  const at = head.indexOf(": ");
  const lines = [head.slice(at + 2), ...rest].filter((line) => line.includes(PART));
  const count = lines.length === 1 ? "" : ` (${lines.length} reasons)`;
  const list = create("span", { id: "refusals" }, ...lines.map(item));
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Reasons");
  element.replaceChildren(`${head.slice(0, at)}${count}:`, list);
}

// The options of a source: a row above the editor with its stage, entry point, macros and target. Loaded by www/boot.js with the
// first source; web/src/view/source_options.rs gives it the options that the front end has.
//
// A choice is sent at once. A control keeps words that are being typed while answers arrive. Refuses to know any option: keys,
// names and values are those of core/front/src/source/options.rs.
import { set_source_option } from "./page.js";

const row = Object.assign(document.createElement("div"), { id: "source-options", hidden: true });
row.setAttribute("role", "group");
row.setAttribute("aria-label", "Options of the source");
document.querySelector("#pane-input .editor").before(row);

/** Shows the options: for each its key, label, help, preset and value, then pairs of a choice and its name. */
export function show(options) {
  const known = new Map([...row.children].map((label) => [label.dataset.key, label]));
  row.replaceChildren(...options.map((option) => {
    const label = known.get(option[0]) ?? made(option);
    update(label, option);
    return label;
  }));
  row.hidden = options.length === 0;
}

function made([key, , , , , ...choices]) {
  const label = document.createElement("label");
  label.dataset.key = key;
  const control = document.createElement(choices.length > 0 ? "select" : "input");
  if (choices.length === 0) {
    Object.assign(control, { autocomplete: "off", autocapitalize: "off", spellcheck: false, placeholder: "none" });
    control.addEventListener("keydown", (event) => event.key === "Escape" && document.querySelector("#editor .cm-content")?.focus());
  }
  control.addEventListener("change", () => {
    const { preset } = label.dataset;
    if (choices.length > 0) return set_source_option(key, control.value === preset ? "" : control.value);
    const macros = parts(control.value);
    write(control, macros);
    set_source_option(key, macros.join("\n"));
  });
  label.append(document.createElement("span"), " ", control);
  return label;
}

function update(label, [, name, help, preset, value, ...choices]) {
  const [words, control] = label.children;
  words.textContent = name;
  label.title = help;
  label.dataset.preset = preset;
  if (choices.length === 0) {
    // Words that are typed and not sent yet stay.
    if (document.activeElement !== control || control.value === control.dataset.sent) write(control, value.split("\n"));
    return;
  }
  const wanted = [];
  for (let at = 0; at < choices.length; at += 2) wanted.push([choices[at + 1], choices[at]]);
  // A stage that the text does not state has to be chosen.
  if (wanted.every(([, of]) => of !== value)) wanted.unshift(["choose", value]);
  const shown = [...control.options].map(({ text, value }) => [text, value]);
  if (JSON.stringify(shown) !== JSON.stringify(wanted)) control.replaceChildren(...wanted.map((of) => new Option(...of)));
  control.value = value;
}

function write(control, macros) {
  control.value = control.dataset.sent = macros.join(" ");
}

/** The macros of a text: separated by spaces or commas, except in parentheses, with or without `-D`. */
function parts(text) {
  const found = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth <= 0 && /[\s,]/.test(char)) found.push("");
    else found[found.length - 1] += char;
  }
  return found.map((part) => part.replace(/^-D/, "")).filter((part) => part !== "");
}

// The form of a run's inputs: for images a choice of contents, and pictures from files; for parameters of a function fields by type.
// And the table of the pixel under the pointer.
//
// Loaded when a run is first shown. The page's program lists the inputs and their assignments; this module adds the controls to the
// elements that it leaves empty, and sends what is chosen through the form of assignments.

import { give_picture } from "./page.js";

/** The longest edge of a decoded picture. */
const MOST_EDGE = 256;
const CHOICES = ["generated", "checker", "gradient", "noise", "color", "picture"];
const FIRST_COLOR = "#ff8000";

const element = (id) => document.getElementById(id);
const [inputs, assignments, form, field] = ["debugger-inputs", "assignments", "debugger-assign", "assignment"].map(element);
const files = Object.assign(document.createElement("input"), { type: "file", accept: "image/*", hidden: true, id: "picture-file" });
files.setAttribute("aria-label", "Picture for an image of the run");

/** The image that the dialog is open for. */
let target = "";
/** The control that had the focus before the list was drawn again: its class and its image. */
let focused;

/** The list entry of the assignment to an image, and the assigned text. */
function assigned(name) {
  for (const entry of assignments.children) {
    const [to, ...rest] = entry.querySelector("[data-draft]").dataset.draft.split("=");
    if (to.trim() === name) return { entry, value: rest.join("=").trim() };
  }
  return {};
}

/** Sends an assignment; a text that is being written stays, and so does the focus, which the form takes. */
function assign(text) {
  const { value } = field;
  const { activeElement } = document;
  field.value = text;
  form.requestSubmit();
  field.value = value;
  activeElement?.focus();
}

function choiceOf(value) {
  if (value === undefined) return "generated";
  if (value.startsWith('"')) return "picture";
  return CHOICES.includes(value) ? value : "color";
}

function take(name, choice) {
  if (choice === "generated") assigned(name).entry?.querySelector("[data-unassign]").click();
  else if (choice === "picture") choose(name);
  else assign(`${name} = ${choice === "color" ? FIRST_COLOR : choice}`);
}

function choose(name) {
  target = name;
  files.click();
}

/** The controls of an image, in its element. */
function build(place) {
  const name = place.dataset.texture;
  const select = Object.assign(document.createElement("select"), { className: "content", title: `Content of ${name}` });
  select.setAttribute("aria-label", `Content of ${name}`);
  select.append(...CHOICES.map((choice) => new Option(choice)));
  select.addEventListener("change", () => {
    take(name, select.value);
    // A dialog that is closed without a file changes nothing.
    update(place);
  });
  const color = Object.assign(document.createElement("input"), { type: "color", className: "color", title: `Color of ${name}` });
  color.setAttribute("aria-label", `Color of ${name}`);
  color.addEventListener("change", () => assign(`${name} = ${color.value}`));
  const open = Object.assign(document.createElement("button"), { className: "open", textContent: "Picture…", title: `A picture from a file for ${name}` });
  open.setAttribute("aria-label", `Picture for ${name}`);
  open.addEventListener("click", () => choose(name));
  place.append(select, color, open);
}

/** Shows what is assigned. */
function update(place) {
  const { value } = assigned(place.dataset.texture);
  const choice = choiceOf(value);
  const [select, color] = place.children;
  select.value = choice;
  color.hidden = choice !== "color";
  if (/^#[0-9a-f]{6}/i.test(value ?? "")) color.value = value.slice(0, 7).toLowerCase();
}

/** The fields of a parameter, in its element: a checkbox, or a number for each component. */
function buildParameter(place) {
  const { parameter, type } = place.dataset;
  const [name, ...rest] = parameter.split(" = ");
  const values = rest.join(" = ").split(/[(), ]+/).filter(Boolean);
  const isBool = type.startsWith("bool");
  const fields = values.map((value, at) => {
    const label = `${name}${values.length > 1 ? `.${"xyzw"[at] ?? at}` : ""}: ${type}`;
    const field = Object.assign(document.createElement("input"), { title: label, className: `at-${at}`, autocomplete: "off", spellcheck: false });
    if (isBool) Object.assign(field, { type: "checkbox", checked: Number(value) !== 0 && value !== "false" });
    else Object.assign(field, { inputMode: "decimal", value });
    field.setAttribute("aria-label", label);
    return field;
  });
  const send = () => {
    const words = fields.map((field) => (isBool ? String(field.checked) : field.value.trim() || "0"));
    assign(`${name} = ${words.length > 1 ? `(${words.join(", ")})` : words[0]}`);
  };
  for (const field of fields) field.addEventListener("change", send);
  place.append(...fields);
}

const nameOf = ({ dataset: { texture, parameter } }) => texture ?? parameter.split(" = ")[0];

function draw() {
  element("debugger-entry").previousElementSibling.textContent = element("debugger").classList.contains("call") ? "Function" : "Entry point";
  for (const place of inputs.querySelectorAll("[data-texture], [data-parameter]")) {
    const isTexture = place.dataset.texture !== undefined;
    if (!place.hasChildNodes()) (isTexture ? build : buildParameter)(place);
    if (isTexture) update(place);
    // The list was drawn again below the focus.
    if (focused?.name === nameOf(place) && document.activeElement === document.body) place.querySelector(`.${focused.control}`)?.focus();
  }
}

/** Decodes a picture, at most 256 pixels along an edge. */
async function decode(file) {
  const whole = await createImageBitmap(file);
  const scale = Math.min(1, MOST_EDGE / Math.max(whole.width, whole.height));
  const [width, height] = [whole.width, whole.height].map((edge) => Math.max(1, Math.round(edge * scale)));
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.drawImage(whole, 0, 0, width, height);
  whole.close();
  return { width, height, rgba: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer) };
}

files.addEventListener("change", async () => {
  const [file] = files.files;
  const name = target;
  files.value = "";
  if (!file) return;
  // Quotes and line ends have a meaning in assignments.
  const title = file.name.replace(/["\p{Cc}]/gu, "_");
  const place = [...inputs.querySelectorAll("[data-texture]")].find((of) => of.dataset.texture === name);
  place?.querySelector(".bad")?.remove();
  try {
    const { width, height, rgba } = await decode(file);
    give_picture(name, title, width, height, rgba);
  } catch {
    const words = Object.assign(document.createElement("span"), { className: "bad", textContent: `${title} is not a picture that this browser reads.` });
    words.setAttribute("role", "alert");
    place?.append(words);
  }
});

const pixel = element("debugger-pixel");
const values = Object.assign(document.createElement("table"), { id: "debugger-outputs", hidden: true });
pixel.after(values);

/** A pixel of this version, or of the input: its head, its color, its outputs by name. */
function parsePixel(text) {
  const [head, ...lines] = text.split("\n").map((line) => line.split("\t"));
  return { head: head[0], color: head[1], rows: new Map(lines.map(([name, ...fields]) => [name, fields])) };
}

function create(name, textContent, ...children) {
  const made = Object.assign(document.createElement(name), { textContent });
  made.prepend(...children);
  return made;
}

function swatch({ color }) {
  const made = document.createElement("i");
  made.hidden = !color;
  made.style.backgroundColor = color ?? "";
  return made;
}

/** Shows the outputs of the pixel as a table: values above their bits; those of the input, if it runs, too, where they differ. */
function drawPixel() {
  const [now, before] = pixel.textContent.split("\nthe input: ").map(parsePixel);
  const names = new Set([...now.rows.keys(), ...before?.rows.keys() ?? []]);
  pixel.hidden = names.size > 0;
  values.hidden = names.size === 0;
  const rows = [...names].map((name) => {
    const [value, bits] = now.rows.get(name) ?? ["none", ""];
    const [other, otherBits] = before?.rows.get(name) ?? ["none", ""];
    const isOther = before !== undefined && otherBits !== bits;
    const cell = document.createElement("td");
    cell.append(value, create("small", bits), ...isOther ? [create("small", `input: ${other}`)] : []);
    cell.classList.toggle("other", isOther);
    return create("tr", "", Object.assign(create("th", name), { scope: "row" }), cell);
  });
  const heads = before ? [create("p", "input", swatch(before))] : [];
  const caption = create("caption", "", create("p", now.head, swatch(now)), ...heads);
  values.replaceChildren(caption, ...rows);
}

new MutationObserver(drawPixel).observe(pixel, { childList: true });
drawPixel();

element("debugger-result").append(files);
inputs.addEventListener("focusin", ({ target: control }) => {
  const place = control.closest("[data-texture], [data-parameter]");
  focused = place ? { name: nameOf(place), control: control.className } : undefined;
});
inputs.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && (focused = undefined));
const observer = new MutationObserver(draw);
for (const list of [inputs, assignments]) observer.observe(list, { childList: true });
draw();

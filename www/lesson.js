// Makes a lesson interactive: its steps one at a time, and its programs compiled on the page. Without this script the page
// shows all steps one below the other, as computed when it was built (xtask/src/site/prerender.rs).

const steps = [...document.querySelectorAll(".step")];
const live = document.getElementById("live");
const LIVE = "The compiler runs in this page: change any program, and its steps follow. Nothing leaves your browser.";
const worker = new Worker(new URL(document.body.dataset.worker, location.href), { type: "module", name: "compiler" });
const waiting = [];
let classes = [];

// One request at a time: the compiler has one input. Requests and answers are declared in wasm/protocol.
let asked = null;
function ask(input, request) {
  return new Promise((resolve, reject) => {
    waiting.push({ input, request, resolve, reject });
    next();
  });
}

function next() {
  if (asked || classes.length === 0 || waiting.length === 0) return;
  asked = waiting.shift();
  worker.postMessage({ input: asked.input });
  worker.postMessage(asked.request);
}

function down(message) {
  live.textContent = `The compiler did not start here (${message}); what you see was computed when this page was made.`;
  document.body.classList.remove("runs");
  worker.terminate();
}

worker.onerror = (event) => {
  event.preventDefault();
  down(event.message || "its script did not arrive");
};
worker.onmessage = ({ data }) => {
  if (data.ready) {
    classes = data.ready.classes;
    document.body.classList.add("runs");
    live.textContent = LIVE;
    next();
  } else if (data.fault) {
    asked?.reject(new Error(data.fault.message));
    down(data.fault.message);
  } else if (asked && (data.opened || data.link !== undefined)) {
    asked.resolve(data.opened ?? data.link);
    asked = null;
    next();
  }
};
worker.postMessage({});

// A text with its styles, line by line; lines that the previous stage does not contain are marked.
function draw(pre, bytes, spans, before) {
  const lines = [[]];
  const put = (text, name) => text.split("\n").forEach((part, at) => {
    if (at > 0) lines.push([]);
    if (!part) return;
    const span = document.createElement("span");
    if (name) span.className = `t-${name}`;
    span.textContent = part;
    lines.at(-1).push(span);
  });
  const decoder = new TextDecoder();
  const words = (from, to) => decoder.decode(bytes.subarray(from, to));
  let at = 0;
  for (let run = 0; run < spans.length; run += 5) {
    const [from, size, name] = spans.subarray(run, run + 3);
    put(words(at, from));
    put(words(from, from + size), classes[name]);
    at = from + size;
  }
  put(words(at, bytes.length));
  if (lines.at(-1).length === 0) lines.pop();
  pre.replaceChildren(...lines.flatMap((line) => {
    const row = document.createElement("span");
    row.append(...line);
    if (before && row.textContent.trim() && !before.has(row.textContent)) row.className = "new";
    return [row, "\n"];
  }));
  return new Set(lines.map((line) => line.map((span) => span.textContent).join("")));
}

const encoder = new TextEncoder();
const GRAPH = { graph_only: false, folds: [], opened_blocks: [], pins: [], inline: false };

// Compiles the program of a step and shows its stages.
async function run(step) {
  const area = step.querySelector("textarea");
  const result = step.querySelector(".result");
  const text = area.value;
  const { pipeline, name } = step.dataset;
  let before;
  for (const figure of step.querySelectorAll("figure")) {
    const at = Number(figure.dataset.at);
    const opened = await ask(encoder.encode(text), {
      open: { revision: 0, pipeline: pipeline || "fix()", version: at, shown: "ir", target: "", graph: GRAPH },
    });
    if (area.value !== text) return;
    const wrong = opened.diagnostics.find(({ level }) => level === "error");
    result.classList.toggle("bad", Boolean(wrong));
    result.textContent = wrong ? `Line ${wrong.line}: ${wrong.message}` : "Computed here just now.";
    if (wrong) return;
    const { text: bytes, spans } = opened.text;
    before = draw(figure.querySelector("pre"), bytes, new Uint32Array(spans.buffer), before);
  }
  const link = await ask(encoder.encode(text), {
    writeLink: {
      name, pipeline: pipeline || "fix()", shown: pipeline ? "columns" : "ir", target: "", pane: "", assignments: "", overlay: 0,
      columns: [], trials: null, expected: ["", ""], made_by: "",
    },
  });
  if (area.value === text) step.querySelector(".open").href = `../#${link}`;
}

// Steps one at a time: a button for each stage.
for (const step of steps) {
  const figures = [...step.querySelectorAll("figure")];
  let rest;
  step.querySelector("textarea").addEventListener("input", () => {
    clearTimeout(rest);
    rest = setTimeout(() => run(step).catch((error) => down(error.message)), 200);
  });
  if (figures.length < 2) continue;
  const group = document.createElement("div");
  group.className = "stages";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Stages");
  const show = (chosen) => figures.forEach((figure, at) => {
    figure.hidden = at !== chosen;
    group.children[at].setAttribute("aria-pressed", String(at === chosen));
  });
  figures.forEach((figure, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = figure.querySelector("figcaption").textContent;
    button.addEventListener("click", () => show(at));
    group.append(button);
  });
  figures[0].before(group);
  show(0);
}

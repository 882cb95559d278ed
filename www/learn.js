// Makes the lessons of the course live: programs compiled on the page, and tasks that the judge decides. The parts without
// a compiler are in www/course.js.
// Without scripts a page shows all of it one below the other, as computed when it was built (lessons/src).
//
// The compiler is loaded when it is first needed, once for the page. A figure asks for nothing until it is changed, or, in a
// development build without computed figures, until it is on the screen.

import { Steps, element, keepAnswer, recall, remember } from "./course.js";

const { slug, worker: script } = document.body.dataset;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

// The compiler: one request at a time, since it has one input.
let worker;
let classes;
let asked;
const waiting = [];

function ask(...messages) {
  worker ??= begin();
  return new Promise((resolve, reject) => {
    waiting.push({ messages, resolve, reject });
    next();
  });
}

// A request of a lesson: `LessonRequest` in wasm/protocol.
const askLesson = (lesson) => ask({ lesson });

function begin() {
  const started = new Worker(new URL(script, location.href), { type: "module", name: "compiler" });
  started.onmessage = ({ data }) => receive(data);
  started.onerror = (event) => {
    event.preventDefault();
    receive({ fault: { message: event.message || "its script did not arrive" } });
  };
  return started;
}

function next() {
  if (asked || !classes || waiting.length === 0) return;
  asked = waiting.shift();
  asked.messages.forEach((message) => worker.postMessage(message));
}

function receive(data) {
  if (data.ready) {
    ({ classes } = data.ready);
  } else if (data.fault) {
    // The instance is unusable: the next request starts another one.
    const error = new Error(`The compiler failed: ${data.fault.message}`);
    worker.terminate();
    worker = classes = undefined;
    const failed = [asked, ...waiting.splice(0)];
    asked = undefined;
    failed.forEach((of) => of?.reject(error));
  } else if (asked && data.refused !== undefined) {
    settle("reject", new Error(data.refused));
  } else if (asked) {
    const answer = data.opened ?? data.link ?? data.file ?? data.judged ?? data.fact ?? data.ran ?? data.html ?? data.words;
    if (answer !== undefined) settle("resolve", answer);
  }
  next();
}

function settle(how, value) {
  const { [how]: done } = asked;
  asked = undefined;
  done(value);
}

// What opens a program and then asks about it runs alone: another figure would open its own program in between.
let turn = Promise.resolve();

function inTurn(work) {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

const GRAPH = { folds: [], opened_blocks: [], pins: [], inline: false };
const open = (text, pipeline, version) => ask({ input: encoder.encode(text) }, {
  open: { revision: 0, pipeline: pipeline || "fix()", version, shown: "ir", target: "", graph: GRAPH, name: "" },
});

// The editor of the playground replaces a text area that is touched.
function editable(area, submit) {
  area.addEventListener("focus", async () => {
    worker ??= begin();
    try {
      const { replace } = await import("./lesson-editor.js");
      replace(area, () => ask({ words: true }), submit);
    } catch (error) {
      // The text area remains.
      console.warn(error);
    }
  }, { once: true });
}

function setText(area, text) {
  area.value = text;
  area.editor?.set(text);
}

// Diagnostics at their places in the editor.
function showProblems(area, diagnostics) {
  const levels = ["error", "warning", "note"];
  const placed = diagnostics.filter(({ line }) => line > 0);
  const places = placed.flatMap(({ line, column, level }) => [line, column, Math.max(0, levels.indexOf(level))]);
  area.editor?.problems(new Uint32Array(places), placed.flatMap(({ code, message }) => [code, message]));
}

// A sentence with names of blocks, values and variables in their colors.
function sentence(text) {
  const parts = text.split(/((?:\^|[%$][\w]*)\d+\w*)/);
  const colors = { "^": "t-block", "%": "t-value", $: "t-name" };
  return parts.map((part, at) => (at % 2 ? element("code", colors[part[0]], part) : part));
}

// Texts: as `lesson` in web/src/prerender.rs; lines that the version before does not contain are marked.
function drawText(pre, { text: bytes, spans: words }, before, isWhole) {
  const lines = [[]];
  const put = (text, name) => text.split("\n").forEach((part, at) => {
    if (at > 0) lines.push([]);
    if (part) lines.at(-1).push(element("span", name && `t-${name}`, part));
  });
  const spans = new Uint32Array(words.buffer, words.byteOffset, words.byteLength / 4);
  let at = 0;
  for (let run = 0; run < spans.length; run += 5) {
    const [from, size, name] = spans.subarray(run, run + 3);
    put(decoder.decode(bytes.subarray(at, from)));
    put(decoder.decode(bytes.subarray(from, from + size)), classes[name]);
    at = from + size;
  }
  put(decoder.decode(bytes.subarray(at)));
  if (lines.at(-1).length === 0) lines.pop();
  // Without the declarations before the first function, which most figures are not about.
  const first = isWhole ? 0 : Math.max(0, lines.findIndex((line) => line[0]?.textContent === "func "));
  pre?.replaceChildren(...lines.slice(first).flatMap((line) => {
    const row = element("span", "", ...line);
    if (before && row.textContent.trim() && !before.has(row.textContent)) row.className = "new";
    return [row, "\n"];
  }));
  return new Set(lines.map((line) => line.map((span) => span.textContent).join("")));
}

// Graphs: as `flow` in web/src/prerender.rs, the picture of the back end `svg` without its own style and title.
async function drawGraph(into, version) {
  const { bytes } = await ask({ export: { version, function: null, format: "svg", raster: false, versions: [] } });
  // Without its style before it is parsed: the policy of the page would report it.
  const text = decoder.decode(bytes).replace(/<title[^]*<\/style>/, "");
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  picture.removeAttribute("role");
  picture.removeAttribute("aria-labelledby");
  for (const box of picture.querySelectorAll(".box")) {
    box.dataset.block = /^\^\d+/.exec(box.nextElementSibling?.textContent ?? "")?.[0] ?? "";
  }
  into.replaceChildren(document.importNode(picture, true));
}

// Maps of memory, as HTML from the compiler.
async function drawMemory(into, program, variable) {
  try {
    into.innerHTML = await askLesson({ memory: { program, variable } });
  } catch (error) {
    into.replaceChildren(error.message);
  }
}

const boxes = (inside) => [...inside.querySelectorAll(".box")];

function mark(inside, className, blocks) {
  boxes(inside).forEach((box) => box.classList.toggle(className, blocks.includes(box.dataset.block)));
}

// Figures. The facts of a chosen block: a predicate of the judge, the class of its marks, the words before its blocks.
const PICKS = {
  dominators: [["dominated-by", "marked", (block) => `${block} dominates`], ["frontier", "frontier", () => "Its dominance frontier:"]],
  successors: [["successors", "marked", (block) => `The successors of ${block}:`]],
  loop: [["loop-blocks", "marked", (block) => `The loop with the header ${block}:`]],
};

const classOf = (fact) => /^(?:frontier|divergent|partial)/.exec(fact)?.[0] ?? "marked";

// Values are marked in texts: `%x_4` is `%4`.
function markValues(pre, className, values) {
  for (const span of pre?.querySelectorAll(".t-value") ?? []) {
    if (values.includes(`%${/\d+$/.exec(span.textContent)?.[0]}`)) span.classList.add(className);
  }
}

class Figure extends Steps {
  constructor(root) {
    super(root);
    this.area = root.querySelector("textarea");
    this.result = root.querySelector(".result");
    this.original = this.area.value;
    editable(this.area);
    let rest;
    this.area.addEventListener("input", () => {
      clearTimeout(rest);
      rest = setTimeout(() => this.run(), 250);
    });
    root.querySelector(".edit").addEventListener("toggle", (event) => event.target.open && (worker ??= begin()));
    root.querySelector(".reset").addEventListener("click", () => {
      setText(this.area, this.original);
      this.run();
    });
    if (root.dataset.pick) this.pickable();
    root.querySelector(".run")?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.execute();
    });
  }

  execute() {
    return inTurn(() => this.compute());
  }

  // Runs the last version on the inputs of the form.
  async compute() {
    // A run without inputs has no form.
    const [field, output] = this.root.querySelectorAll(".run :is(input, output)");
    const panel = this.root.querySelector(".stepper");
    output?.replaceChildren("Running…");
    const wait = (is) => {
      panel?.classList.toggle("stale", is);
      if (panel) panel.inert = is;
    };
    wait(true);
    try {
      const opened = await open(this.area.value, this.root.dataset.pipeline, Number(this.versions.at(-1).dataset.at));
      const run = { program: decoder.decode(opened.text.text), inputs: field?.value ?? "" };
      if (output) output.replaceChildren(await askLesson({ run }));
      if (!panel) return;
      panel.innerHTML = await askLesson({ steps: run });
      wait(false);
      this.replay();
    } catch (error) {
      (output ?? this.result).replaceChildren(error.message);
    }
  }

  // True if the page was built without computed figures.
  isEmpty() {
    return !this.root.querySelector(".version :is(svg, span, section), .stepper template");
  }

  report(text, isBad) {
    this.result.classList.toggle("bad", isBad);
    // Without a picture the sentence is all there is to see.
    if (isBad && this.isEmpty()) this.root.querySelector(".edit").open = true;
    this.result.replaceChildren(...sentence(text));
  }

  run() {
    return inTurn(() => this.compile());
  }

  async compile() {
    const text = this.area.value;
    const { pipeline, name, marks } = this.root.dataset;
    try {
      let before;
      for (const version of this.versions) {
        const at = Number(version.dataset.at);
        const opened = await open(text, pipeline, at);
        if (this.area.value !== text) return;
        showProblems(this.area, opened.diagnostics);
        const wrong = opened.diagnostics.find(({ level }) => level === "error");
        if (wrong) this.report(`Line ${wrong.line}: ${wrong.message}`, true);
        else this.report("Compiled on this page just now.", false);
        this.root.querySelector(".diagnostic")?.replaceChildren(
          ...sentence(wrong ? `${wrong.level}[${wrong.code}]: ${wrong.message}` : "The program is valid."),
        );
        // An invalid program can be drawn; a text that is no program cannot.
        if (wrong && !wrong.code.startsWith("E") && !this.isEmpty()) return;
        before = drawText(version.querySelector(".code"), opened.text, before, "whole" in this.root.dataset);
        const flow = version.querySelector(".flow");
        if (flow) await drawGraph(flow, at);
        const program = decoder.decode(opened.text.text);
        const memory = version.querySelector(".memory");
        if (memory) await drawMemory(memory, program, this.root.dataset.variable);
        for (const fact of (marks || "").split(";").filter(Boolean)) {
          const found = await askLesson({ fact: { program, text: fact } }).catch(() => []);
          if (flow) mark(flow, classOf(fact), found);
          markValues(version.querySelector(".code"), classOf(fact), found);
        }
      }
      if (this.root.dataset.pick) this.pickable();
      if (this.root.querySelector(".run, .stepper")) await this.compute();
      const link = await ask({ input: encoder.encode(text) }, {
        writeLink: {
          name, pipeline: pipeline || "fix()", shown: this.versions.length > 1 ? "columns" : "ir", target: "", pane: "",
          assignments: "", overlay: 0, columns: [], trials: null, expected: ["", ""], made_by: "",
        },
      });
      if (this.area.value === text) this.root.querySelector(".open").href = `../../#${link}`;
    } catch (error) {
      this.report(error.message, true);
    }
  }

  // Makes the blocks of the graphs buttons.
  pickable() {
    for (const box of boxes(this.root)) {
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "button");
      box.setAttribute("aria-label", `Choose ${box.dataset.block}`);
      box.addEventListener("click", () => this.pick(box));
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.pick(box);
      });
    }
  }

  pick(box) {
    return inTurn(() => this.choose(box));
  }

  async choose(box) {
    const { block } = box.dataset;
    const version = box.closest(".version");
    const found = this.root.querySelector(".found");
    boxes(version).forEach((other) => other.classList.toggle("chosen", other === box));
    const words = [];
    try {
      const opened = await open(this.area.value, this.root.dataset.pipeline, Number(version.dataset.at));
      const program = decoder.decode(opened.text.text);
      for (const [fact, className, before] of PICKS[this.root.dataset.pick]) {
        const blocks = await askLesson({ fact: { program, text: `${fact}(${block})` } });
        mark(version, className, blocks);
        words.push(`${before(block)} ${blocks.join(", ") || "none"}.`);
      }
      found.replaceChildren(...sentence(words.join(" ")));
    } catch (error) {
      mark(version, "marked", []);
      mark(version, "frontier", []);
      found.replaceChildren(...sentence(error.message));
    }
  }
}

/** The findings of the judge about an answer to a task: each a `TaskFinding` of wasm/protocol. */
export function judged(root, answer) {
  const templates = [...root.querySelectorAll("template.program")];
  const judge = {
    task: root.querySelector("template.source").content.textContent,
    programs: templates.map((each) => ({ name: each.dataset.name, text: each.content.textContent })),
    answer,
  };
  return askLesson({ judge });
}

// Tasks: the judge decides, and describes what it found.
function task(root) {
  const form = root.querySelector("form");
  const field = root.querySelector("textarea, form input");
  const flow = root.querySelector(".flow");
  const verdict = root.querySelector(".verdict");
  const original = field.value;
  const start = root.querySelector("template.program[data-name=start]").content.textContent;
  const checks = root.querySelector("template.source").content.textContent.match(/^check:|;/gm)?.length ?? 1;
  const hasProgram = root.dataset.form === "program";
  const solved = () => root.classList.add("solved");
  if ((recall("solved")[slug] ?? []).includes(root.id)) solved();

  const redraw = (text) => inTurn(() => draw(text));

  async function draw(text) {
    if (!flow) return;
    const opened = await open(text, "fix()", 0);
    if (field.value === text) showProblems(field, opened.diagnostics);
    if (!opened.diagnostics.some(({ level }) => level === "error")) await drawGraph(flow, 0);
  }
  if (flow && !flow.querySelector("svg")) whenSeen(root, () => redraw(start).catch(() => {}));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    verdict.replaceChildren("Checking…");
    // The lines of the findings are kept free at once, so that a late answer moves nothing.
    verdict.style.minHeight = `${24 + 24 * checks}px`;
    const { value } = field;
    try {
      if (hasProgram) await redraw(value);
      const findings = await judged(root, value);
      const list = element("ul", "findings");
      for (const { passed, check, sentence: found } of findings) {
        const item = element("li", passed ? "passed" : "failed", element("b", "", passed ? "✓ " : "✗ "), ...sentence(found));
        item.title = check;
        list.append(item);
      }
      keepAnswer(root.id, value);
      const failed = findings.filter(({ passed }) => !passed);
      verdict.replaceChildren(element("strong", "", failed.length ? "Not solved yet." : "Solved."), list);
      if (flow) mark(flow, "failing", failed.flatMap(({ marks }) => marks));
      if (failed.length) return;
      solved();
      remember(root.id);
    } catch (error) {
      verdict.replaceChildren(error.message);
    }
  });
  // A text area takes Enter for itself.
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  if (hasProgram) editable(field, () => form.requestSubmit());
  else field.addEventListener("focus", () => (worker ??= begin()), { once: true });
  root.querySelector(".reset").addEventListener("click", () => {
    setText(field, original);
    verdict.replaceChildren();
    verdict.style.minHeight = "";
    redraw(start).catch((error) => verdict.replaceChildren(error.message));
  });
}

function whenSeen(target, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(target);
}

for (const root of document.querySelectorAll(".figure")) {
  const figure = new Figure(root);
  if (figure.isEmpty()) whenSeen(root, () => figure.run());
}
document.querySelectorAll(".task").forEach(task);
document.body.classList.add("runs");

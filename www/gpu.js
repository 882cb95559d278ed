// *Run on this GPU*: the chosen version runs on the machine's GPU with the inputs of the run, and what it computed stands beside
// the interpreter's. *Check every step* does it for each version, to find the first step whose text makes the driver's
// results change.
//
// Loaded by www/boot.js when a run is first shown. Nothing runs on the GPU until a button is pressed. The text, its inputs and
// the verdict come from a debugger of its own (www/debugger.js); the device is in another worker (www/device.js for WebGPU,
// www/webgl.js for WebGL2), which is ended at its deadline. Neither can stop the page.

import { run_requests } from "./page.js";
import { keep } from "./verdicts.js";

/** The APIs that this browser has, and the language and the worker of each. */
const APIS = [
  { name: "WebGPU", language: "WGSL", isHere: Boolean(navigator.gpu), open: () => new Worker(new URL("./device.js", import.meta.url), { type: "module", name: "gpu" }) },
  {
    name: "WebGL2", language: "GLSL ES 3.00", isHere: Boolean(self.WebGL2RenderingContext && self.OffscreenCanvas),
    open: () => new Worker(new URL("./webgl.js", import.meta.url), { type: "module", name: "webgl" }),
  },
];
const here = APIS.filter(({ isHere }) => isHere);

/** Time for one program on the device, and for an answer of the debugger, in ms. */
const [DEADLINE_MS, PATIENCE_MS] = [10_000, 120_000];

const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const named = (made, name) => {
  made.setAttribute("aria-label", name);
  return made;
};

const button = (id, textContent, title) => create("button", { id, textContent, title, type: "button" });
const start = button("gpu-run", "Run on this GPU", "Runs the text of this version on the GPU, with the same inputs");
const every = button("gpu-check", "Check every step", "Runs the text of every version on the GPU and finds the first step whose results change");
const stop = Object.assign(button("gpu-stop", "Stop", "Ends the program on the GPU"), { hidden: true });
const choice = named(create("select", { id: "gpu-api" }, ...here.map(({ name, language }) => create("option", { value: name, textContent: `${name} (${language})` }))), "API of the GPU");
const reporting = Object.assign(button("gpu-report", "Report…", "Writes a report with the GPU's verdict"), { hidden: true });
reporting.setAttribute("aria-haspopup", "dialog");
const status = create("p", { id: "gpu-status" });
status.setAttribute("role", "status");
const canvas = (id, name) => named(create("canvas", { id, hidden: true, width: 1, height: 1 }), name);
const picture = canvas("gpu-picture", "Picture that the GPU drew");
const difference = canvas("gpu-difference", "Pixels where the GPU and the interpreter differ");
[picture, difference].forEach((of) => of.setAttribute("role", "img"));
const details = create("div", { id: "gpu-details" });
const panel = named(create("div", { id: "gpu" }, create("div", { className: "line" }, start, every, choice, stop, reporting), status, create("div", { className: "pictures" }, picture, difference), details), "Run on this GPU");
panel.setAttribute("role", "group");
document.getElementById("debugger-reports").before(panel);

/** Ends what is under way; undefined if nothing is. */
let end;

/** A promise of the next message of a worker; rejected at the deadline, by an error, and by `stopped`. */
function next(worker, deadline, late, accept = () => true) {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(late)), deadline);
    const settle = (act) => (value) => {
      clearTimeout(timer);
      act(value);
    };
    worker.onmessage = ({ data }) => accept(data) && settle(done)(data);
    worker.onerror = (event) => {
      event.preventDefault();
      settle(fail)(new Error(event.message || "a script did not arrive"));
    };
    worker.stopped = settle(fail);
  });
}

/** A debugger that has run the version with the inputs of the page. */
async function opened(requests) {
  const worker = new Worker(document.body.dataset.debugger, { type: "module", name: "gpu-debugger" });
  try {
    worker.postMessage({ objects: true });
    await next(worker, PATIENCE_MS, "the debugger did not start", (data) => data.modules || raise(data));
    for (const request of requests) worker.postMessage(request, [request.buffer]);
    await next(worker, PATIENCE_MS, "the interpreter's run did not end in two minutes", (data) => raise(data) && data.task?.done);
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

/** Throws the fault of a message. */
function raise(data) {
  if (data.fault) throw new Error(data.fault.message);
  return true;
}

async function ask(worker, gpu) {
  worker.postMessage({ gpu });
  const data = await next(worker, PATIENCE_MS, "the debugger did not answer", (message) => message.fault || "gpu" in message);
  raise(data);
  return data.gpu;
}

/** Runs a job on the device. */
async function ran(job) {
  const device = APIS.find(({ name }) => name === job.api).open();
  const before = end;
  end = (why) => {
    device.stopped?.(why);
    before?.(why);
  };
  try {
    device.postMessage(job);
    return await next(device, DEADLINE_MS, `The GPU did not answer in ${DEADLINE_MS / 1000} s, and the program was ended.`);
  } finally {
    // A program that hangs ends with its worker.
    device.terminate();
    end = before;
  }
}

function draw(canvasOf, size, pixels, at) {
  canvasOf.hidden = size === 0;
  if (size === 0) return;
  [canvasOf.width, canvasOf.height] = [size, size];
  const part = pixels.slice(at * size * size * 4, (at + 1) * size * size * 4);
  canvasOf.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(part.buffer), size, size), 0, 0);
}

/** The messages of the browser, each with the line of our text that it is about. WebGL2 names no columns. */
function messages(job, answer) {
  const lines = job.code.split("\n");
  const place = (line, column) => (line ? ` in line ${line}${column ? `:${column}` : ""}` : "");
  return answer.messages.map(({ kind, line, column, text }) => create("li", {},
    create("b", { textContent: `${kind}${place(line, column)}: ` }), text,
    ...(line && lines[line - 1] !== undefined ? [create("code", { textContent: lines[line - 1] })] : [])));
}

/** Shows what a version computed. */
function show(job, answer, verdict) {
  draw(picture, verdict?.size ?? 0, verdict?.pixels, 0);
  draw(difference, verdict?.differing ? verdict.size : 0, verdict?.pixels, 1);
  const lines = messages(job, answer);
  const rows = (verdict?.differences ?? []).map((row) => create("tr", {}, ...row.map((text) => create("td", { textContent: text }))));
  const head = ["", "interpreter", "this GPU"].map((text) => create("th", { textContent: text, scope: "col" }));
  details.replaceChildren(
    ...job.remarks.map((text) => create("p", { className: "dim", textContent: `Note: ${text}.` })),
    ...(rows.length > 0 ? [create("table", {}, create("thead", {}, create("tr", {}, ...head)), create("tbody", {}, ...rows))] : []),
    ...(lines.length > 0 ? [named(create("ul", {}, ...lines), "Messages of the browser")] : []),
  );
}

/** One version: its job, what the device answered, and the verdict. A text that ran before is not run again. */
async function run(worker, version, api, known) {
  const job = await ask(worker, { version, api });
  if (!job) throw new Error("The run has ended.");
  if (job.refused) return { job, refused: job.refused };
  const same = known.find((of) => of.job?.code === job.code && of.verdict);
  if (same) return { ...same, job, again: true };
  const answer = await ran(job);
  if (answer.error) return { job, answer, refused: answer.error };
  const verdict = await ask(worker, { version, api, results: answer.data });
  return { job, answer, verdict };
}

/** Does an action with a debugger of its own; a failure is reported and ends nothing else. */
async function guarded(words, act) {
  end?.(new Error("Stopped."));
  let worker;
  let isOver = false;
  const mine = (end = (why) => {
    isOver = true;
    worker?.stopped?.(why);
  });
  [stop.hidden, reporting.hidden, panel.dataset.state] = [false, true, "busy"];
  keep();
  status.textContent = words;
  details.replaceChildren();
  [picture.hidden, difference.hidden] = [true, true];
  try {
    const [requests, version, steps] = run_requests();
    if (!Array.isArray(requests)) throw new Error(`There is nothing to run: ${requests}.`);
    worker = await opened(requests);
    if (isOver) throw new Error("Stopped.");
    await act(worker, version, steps.split("\n"), choice.value);
  } catch (error) {
    // Another action may have ended this one.
    if (end === mine) {
      status.textContent = error.message;
      panel.dataset.state = "failed";
    }
  } finally {
    worker?.terminate();
    if (end === mine) {
      end = undefined;
      stop.hidden = true;
    }
  }
}

const about = ({ api }, { adapter, ms }) => `${adapter}, ${api}, ${Math.round(ms)} ms`;

function report(done, steps) {
  const { job, answer, verdict, refused } = done;
  if (answer) show(job, answer, verdict);
  status.textContent = refused ?? `${verdict.summary} (${about(job, answer)})`;
  panel.dataset.state = refused ? "failed" : verdict.differing > 0 ? "differs" : "same";
  if (verdict) remember(done, steps, verdict.summary);
}

/** Keeps a verdict for reports (www/report.js): a `GpuResult` of wasm/protocol. */
function remember({ job, answer, verdict }, steps, words) {
  const name = `step ${job.version}, ${steps[job.version]}`;
  const { api, code } = job;
  keep({ api, adapter: answer.adapter, step: name, verdict: words, differs: verdict.differing > 0, code, differences: verdict.differences });
  reporting.hidden = verdict.differing === 0;
}

start.addEventListener("click", () => guarded("Running…", async (worker, version, steps, api) => report(await run(worker, version, api, []), steps)));

every.addEventListener("click", () => guarded("Running every step…", async (worker, version, steps, api) => {
  const known = [];
  const list = named(create("ol", { id: "gpu-steps", start: 0 }), "Results of each step");
  for (let at = 0; at < steps.length; at += 1) {
    status.textContent = `Running step ${at} of ${steps.length - 1}…`;
    const done = await run(worker, at, api, known);
    known.push(done);
    const words = done.refused ?? (done.again ? "the same text" : done.verdict.summary);
    list.append(create("li", { className: done.refused ? "dim" : done.verdict.differing > 0 ? "bad" : "" }, create("b", { textContent: `${steps[at]}: ` }), words));
  }
  conclude(known, steps);
  details.append(list);
}));

/** The first step whose results are others than those of the step before, on the same GPU. */
function conclude(known, steps) {
  const able = known.map((of, at) => ({ ...of, at })).filter((of) => of.verdict);
  if (able.length === 0) {
    status.textContent = `No step ran: ${known[0]?.refused ?? ""}`;
    panel.dataset.state = "failed";
    return;
  }
  const changes = (one, other) => (one.verdict.differing > 0) !== (other.verdict.differing > 0);
  const at = able.findIndex((of, index) => index > 0 && changes(able[index - 1], of));
  const last = able.at(-1);
  show(last.job, last.answer, last.verdict);
  const gpu = about(last.job, last.answer);
  const count = `${able.length} of ${known.length} steps ran`;
  if (at > 0) {
    const { differing } = able[at].verdict;
    status.textContent = `Step ${able[at].at}, ${steps[able[at].at]}, is the first whose text ${differing > 0 ? "makes the GPU differ from the interpreter" : "makes the GPU agree with the interpreter"}. ${count} (${gpu}).`;
    panel.dataset.state = "differs";
    // The version that is wrong is that of the step, or the one before it.
    remember(differing > 0 ? able[at] : able[at - 1], steps, status.textContent);
  } else {
    const isWrong = last.verdict.differing > 0;
    status.textContent = `${isWrong ? "All steps differ from the interpreter" : "No step differs from the interpreter"}. ${count} (${gpu}).`;
    panel.dataset.state = isWrong ? "differs" : "same";
    remember(last, steps, status.textContent);
  }
}

stop.addEventListener("click", () => end?.(new Error("Stopped.")));

reporting.addEventListener("click", () => import("./report.js").then(({ show: open }) => open()));

// A browser that has neither API states it before a button is pressed.
if (here.length === 0) {
  [start.disabled, every.disabled, choice.hidden] = [true, true, true];
  status.textContent = "This browser has neither WebGPU nor WebGL2 in workers, so programs cannot run on the GPU here.";
} else if (here.length === 1) {
  status.textContent = here[0].name === "WebGL2" ? "This browser has no WebGPU: fragment and vertex shaders run through WebGL2." : "";
}

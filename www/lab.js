// The debugger's worker: runs, compares and steps through programs, in slices, so that messages of the page arrive
// between them. Loaded when it is first needed. Its counterpart is web/src/worker/lab.rs.
import { Lab } from "./compiler.js";
import { start } from "./program.js";

const SLICE_MS = 30;
let lab;
// The number of the current task; another number ends its slices.
let current = 0;

// The first message contains the compiled module, if the page has one from an earlier worker; later messages wait.
self.onmessage = async ({ data }) => {
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const modules = await start(data.modules);
    lab = new Lab();
    self.onmessage = ({ data }) => guarded(() => (data.stop ? stop(data) : data.ask ? ask(data) : begin(data)));
    self.postMessage({ kind: "ready", modules });
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    self.postMessage({ kind: "fault", message: String(error) });
  }
};

// A trap ruins the instance; the page ends this worker and starts another when it is needed.
function guarded(act) {
  try {
    act();
  } catch (error) {
    current = 0;
    self.postMessage({ kind: "fault", message: error.message ?? String(error) });
  }
}

function begin({ task, serial, input, pipeline, numbers }) {
  current = serial;
  if (input) lab.give(input);
  lab.open(pipeline);
  lab.begin(task, numbers);
  slice(task, serial);
}

function slice(task, serial) {
  if (serial !== current) return;
  const more = lab.slice(SLICE_MS);
  post(task, serial, !more);
  // A timer, not a promise: messages of the page come first.
  if (more) setTimeout(() => guarded(() => slice(task, serial)), 0);
}

function ask({ task, serial, numbers }) {
  lab.ask(task, numbers);
  post(task, serial, true);
}

function stop() {
  current = 0;
  self.postMessage({ kind: "stopped" });
}

function post(kind, serial, done) {
  const [numbers, text, bytes] = [lab.numbers(), lab.text(), lab.bytes()];
  self.postMessage({ kind, serial, done, numbers, text, bytes }, [numbers.buffer, bytes.buffer]);
}

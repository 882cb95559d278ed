// The laboratory's worker: runs, compares and steps through programs, in slices, so that a word from the page gets
// through between them. Loaded when somebody first asks for it. The page's side is web/src/worker/lab.rs.
import { Lab } from "./compiler.js";
import { load, start } from "./program.js";

const SLICE_MS = 30;
// What everything here needs of the program.
const PARTS = [1, 4];
let lab;
// The number of the task at hand; another one, or none, ends its slices.
let current = 0;

// The first message holds the compiled modules, if the page has them from an earlier worker. Others wait.
self.onmessage = async ({ data }) => {
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const modules = await start(data.modules, load, PARTS);
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

// The debugger's worker: passes every message of the page to the debugger, and runs its task in slices, so that messages are
// handled between them. Loaded with the first task. The messages are declared in wasm/protocol; the page's side is
// web/src/worker/debugger.rs.
import { Debugger } from "./compiler.js";
import { start } from "./program.js";

const SLICE_MS = 30;
let session;
// True if a slice is scheduled.
let due = false;

// The first message holds the compiled modules, if the page has them from an earlier worker; `objects` asks for answers as
// objects instead of bytes (www/gpu.js). Others wait.
self.onmessage = async ({ data }) => {
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const modules = await start(data.modules);
    session = new Debugger(!data.objects);
    self.onmessage = ({ data }) => guarded(() => (data.gpu ? gpu(data.gpu) : session.dispatch(data) && !due && slice()));
    self.postMessage({ modules });
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    fault(error);
  }
};

// For www/gpu.js: a program, or the verdict on its results.
function gpu({ version, api, results }) {
  self.postMessage({ gpu: results ? session.gpu_verdict(version, api, results) : session.gpu_job(version, api) });
}

function slice() {
  due = session.slice(SLICE_MS);
  // A timer, not a promise: messages of the page come first.
  if (due) setTimeout(() => guarded(slice), 0);
}

// A trap ruins the instance; the page terminates this worker and starts another with the next task.
function guarded(act) {
  try {
    act();
  } catch (error) {
    due = false;
    fault(error);
  }
}

function fault(error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

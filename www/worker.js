// The compiler's worker: loads the compiler, then passes every message of the page to it. The compiler sends its answers itself.
// The messages are declared in wasm/protocol, and have binary form if the first message requests it; the page's side is
// web/src/worker.
import { Compiler } from "./compiler.js";
import { load, start } from "./program.js";

let ahead;
let answered = false;

// The first message holds the compiled modules, if the page has them from an earlier worker. Others wait. Before it, while
// no listener is set yet, the page may request to load ahead; an error of that is reported to the listener.
self.onmessage = async ({ data }) => {
  if (data.ahead) {
    ahead = load();
    ahead.catch(() => {});
    return;
  }
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const modules = await start(data.modules, () => ahead ?? load());
    const compiler = new Compiler(data.binary === true);
    self.onmessage = ({ data }) => dispatch(compiler, data);
    self.postMessage({ modules });
    compiler.ready();
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    fault(error);
  }
};

function dispatch(compiler, request) {
  try {
    if (compiler.dispatch(request) && !answered) finish(compiler);
  } catch (error) {
    // A trap ruins the instance; the page terminates this worker and starts another.
    fault(error);
  }
}

// Sends the words for the editor's completion; the first answer does not wait for them.
function finish(compiler) {
  answered = true;
  compiler.words();
}

function fault(error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

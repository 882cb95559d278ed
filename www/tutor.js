// The worker of a lesson: the compiler for its figures, and the judge of its tasks. The page starts it when a figure is first
// changed or an answer is checked; `www/learn.js` sends one request at a time.
//
// Requests to the compiler are declared in wasm/protocol; `judge`, `fact`, `ran`, `steps` and `memory_map` are functions of wasm/src/lessons.rs.
import { Compiler, fact, judge, memory_map, ran, steps } from "./compiler.js";
import { load, start } from "./program.js";

const waiting = [];
self.onmessage = (message) => waiting.push(message);

function dispatch(compiler, request) {
  if (request.judge) {
    const { task, names, programs, answer } = request.judge;
    self.postMessage({ judged: judge(task, names, programs, answer) });
  } else if (request.fact) {
    self.postMessage({ fact: fact(request.fact.program, request.fact.text) });
  } else if (request.run) {
    self.postMessage({ ran: ran(request.run.program, request.run.inputs) });
  } else if (request.words) {
    compiler.words();
  } else if (request.steps) {
    self.postMessage({ html: steps(request.steps.program, request.steps.inputs) });
  } else if (request.memory) {
    // The compiler has a request of this name, too, whose answer is for the pane of the page.
    self.postMessage({ html: memory_map(request.memory.program, request.memory.variable) });
  } else {
    compiler.dispatch(request);
  }
}

try {
  await start([], load);
  const compiler = new Compiler(false);
  self.onmessage = ({ data }) => {
    try {
      dispatch(compiler, data);
    } catch (error) {
      // A function that refuses throws its sentence; a trap is an error, and ruins the instance.
      if (typeof error === "string") self.postMessage({ refused: error });
      else self.postMessage({ fault: { message: error.message ?? String(error) } });
    }
  };
  compiler.ready();
  waiting.forEach((message) => self.onmessage(message));
} catch (error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

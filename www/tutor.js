// The worker of a lesson: the compiler for its figures, and the judge of its tasks. The page starts it when a figure is first
// changed or an answer is checked; `www/learn.js` sends one request at a time.
//
// Requests are declared in wasm/protocol: a `LessonRequest` is in the field `lesson`; others are for the compiler.
import { Compiler, lesson } from "./compiler.js";
import { load, start } from "./program.js";

const waiting = [];
self.onmessage = (message) => waiting.push(message);

function dispatch(compiler, request) {
  if (request.lesson) {
    self.postMessage(lesson(request.lesson));
  } else if (request.words) {
    compiler.words();
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
      // A trap ruins the instance.
      self.postMessage({ fault: { message: error.message ?? String(error) } });
    }
  };
  compiler.ready();
  waiting.forEach((message) => self.onmessage(message));
} catch (error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

// The worker of source languages: translates a source to SPIR-V. Loaded when a source is first seen; the page terminates it
// when it hangs. The messages are declared in wasm/protocol; the page's side is web/src/worker/sources.rs.
import init, { Translator } from "./wgsl.js";

const load = () => WebAssembly.compileStreaming(fetch(new URL("wgsl_bg.wasm", import.meta.url)));

// The first message holds the compiled module, if the page has it from an earlier worker. Others wait.
self.onmessage = async ({ data }) => {
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const module = data.modules?.[0] ?? await load();
    await init({ module_or_path: module });
    const translator = new Translator();
    self.onmessage = ({ data }) => dispatch(translator, data);
    self.postMessage({ modules: [module] });
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    fault(error);
  }
};

function dispatch(translator, request) {
  try {
    const answer = translator.dispatch(request);
    self.postMessage(answer, [answer.buffer]);
  } catch (error) {
    // A trap ruins the instance; the page terminates this worker and starts another.
    fault(error);
  }
}

function fault(error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

// The worker: loads the compiler, then answers one request at a time. The page's side is web/src/worker.rs.
import init, { Compiler } from "./compiler.js";

// The first message holds the compiled module, if the page has it from an earlier worker.
self.onmessage = async ({ data }) => {
  try {
    const address = new URL("compiler_bg.wasm", import.meta.url);
    const module = data.module ?? (await WebAssembly.compileStreaming(fetch(address)));
    await init({ module_or_path: module });
    const compiler = new Compiler();
    self.onmessage = ({ data }) => answer(compiler, data);
    self.postMessage({ kind: "ready", classes: compiler.classes(), module });
  } catch (error) {
    self.postMessage({ kind: "fault", message: String(error) });
  }
};

function answer(compiler, { revision, text: input }) {
  try {
    const start = performance.now();
    const header = compiler.open(input);
    const text = compiler.take_text();
    const spans = compiler.take_spans();
    const ms = performance.now() - start;
    self.postMessage({ kind: "opened", revision, header, text, spans, ms }, [spans.buffer]);
  } catch (error) {
    // A trap ruins the instance; the page ends this worker and starts another.
    self.postMessage({ kind: "fault", message: String(error) });
  }
}

// The worker: loads the compiler, then answers one request at a time. The page's side is web/src/worker.rs.
import init, { Compiler } from "./compiler.js";

// The first message holds the compiled module, if the page has it from an earlier worker.
self.onmessage = async ({ data }) => {
  try {
    const address = new URL("compiler_bg.wasm", import.meta.url);
    const module = data.module ?? (await WebAssembly.compileStreaming(fetch(address)));
    await init({ module_or_path: module });
    const compiler = new Compiler();
    self.onmessage = ({ data }) => (TASKS[data.task] ?? answer)(compiler, data);
    self.postMessage({ kind: "ready", classes: compiler.classes(), pipeline: compiler.pipeline(), module });
  } catch (error) {
    self.postMessage({ kind: "fault", message: String(error) });
  }
};

// Without an input it is about the one before.
function answer(compiler, { revision, input, pipeline, at, func, shown }) {
  try {
    const start = performance.now();
    if (input !== undefined) compiler.give(typeof input === "string" ? new TextEncoder().encode(input) : input);
    const header = compiler.open(pipeline, at, func, shown);
    const text = compiler.take_text();
    const source = input === undefined ? "" : compiler.take_source();
    const words = compiler.take_words();
    const large = {
      spans: compiler.take_spans(), marks: compiler.take_marks(), wordSpans: compiler.take_word_spans(),
      blocks: compiler.take_blocks(), bands: compiler.take_bands(), lines: compiler.take_lines(),
    };
    const ms = performance.now() - start;
    const buffers = Object.values(large).map((array) => array.buffer);
    self.postMessage({ kind: "opened", revision, header, text, source, words, ...large, ms }, buffers);
  } catch (error) {
    // A trap ruins the instance; the page ends this worker and starts another.
    self.postMessage({ kind: "fault", message: String(error) });
  }
}

// Beside answers: files, links out, links in.
const TASKS = {
  write,
  link(compiler, { name, pipeline, at, func, shown }) {
    self.postMessage({ kind: "link", link: compiler.link(name, pipeline, at, func, shown) });
  },
  unlink(compiler, { link }) {
    const header = compiler.unlink(link);
    self.postMessage({ kind: "linked", header, bytes: compiler.take_input() });
  },
};

function write(compiler, { at, func, format }) {
  try {
    const bytes = compiler.export(at, func, format);
    const [extension, media] = compiler.file();
    self.postMessage({ kind: "file", bytes, extension, media }, [bytes.buffer]);
  } catch (error) {
    const kind = error instanceof WebAssembly.RuntimeError ? "fault" : "refused";
    self.postMessage({ kind, message: error.message ?? String(error) });
  }
}

// The worker: loads the compiler, then answers one request at a time. Its counterpart is web/src/worker.rs.
import { Compiler } from "./compiler.js";
import { load, start } from "./program.js";

let ahead;
let modules;
let answered = false;

// The first message contains the compiled module, if the page has one from an earlier worker; later messages wait. Before
// it the page may ask to load ahead; an error of that is reported after the first message.
self.onmessage = async ({ data }) => {
  if (data.ahead) {
    ahead = load();
    ahead.catch(() => {});
    return;
  }
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    modules = await start(data.modules, () => ahead ?? load());
    const compiler = new Compiler();
    self.onmessage = ({ data }) => (TASKS[data.task] ?? answer)(compiler, data);
    self.postMessage({ kind: "ready", classes: compiler.classes(), pipeline: compiler.pipeline(), modules });
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    self.postMessage({ kind: "fault", message: String(error) });
  }
};

// The input is given whole, or as edits of the one before, or is the one before.
function take(compiler, { input, edits }) {
  if (input) compiler.give(input);
  for (const [from, to, text] of edits) compiler.edit(from, to, text);
  return input || edits.length > 0;
}

function answer(compiler, request) {
  const { revision, pipeline, at, func, shown } = request;
  // How the graph is drawn.
  const { folds = [], opened = [], pins = [], toggle = [], graphOnly = false, facts = false } = request;
  try {
    const start = performance.now();
    const isNew = take(compiler, request);
    compiler.look(folds, opened, pins, toggle, graphOnly, facts);
    const header = compiler.open(pipeline, at, func, shown);
    const large = {
      text: compiler.take_text(), source: isNew ? compiler.take_source() : new Uint8Array(), words: compiler.take_words(),
      spans: compiler.take_spans(), marks: compiler.take_marks(), wordSpans: compiler.take_word_spans(),
      blocks: compiler.take_blocks(), bands: compiler.take_bands(), lines: compiler.take_lines(),
      folds: compiler.folds(), opened: compiler.opened(), pins: compiler.pins(), hidden: compiler.take_hidden(),
    };
    const ms = performance.now() - start;
    const buffers = Object.values(large).map((array) => array.buffer);
    self.postMessage({ kind: "opened", revision, graphOnly, header, ...large, ms }, buffers);
    if (!answered) finish(compiler);
  } catch (error) {
    // A trap ruins the instance; the page ends this worker and starts another.
    self.postMessage({ kind: "fault", message: String(error) });
  }
}

// Sends the words for the editor's completion, which the first answer does not wait for.
function finish(compiler) {
  answered = true;
  self.postMessage({ kind: "parts", modules, words: compiler.words() });
}

// Beside answers: files, links out, links in, reproductions, the catalogue.
const TASKS = {
  write,
  columns(compiler, { serial, versions, fold, opened, first, last, find, column }) {
    const start = performance.now();
    const view = compiler.columns(versions, fold, opened, first, last, find, column);
    const large = { place: view.place(), versions: view.versions(), heads: view.heads(), opened: view.opened(), spans: view.spans(), table: view.table() };
    const text = view.text();
    view.free();
    const ms = performance.now() - start;
    self.postMessage({ kind: "columns", serial, text, ...large, ms }, Object.values(large).map((array) => array.buffer));
  },
  inspect(compiler, { serial, at, number }) {
    const told = compiler.inspect(at, number);
    const [text, spans, rows] = [told.text(), told.spans(), told.rows()];
    told.free();
    self.postMessage({ kind: "inspected", serial, text, spans, rows }, [spans.buffer, rows.buffer]);
  },
  ties(compiler, { revision, at }) {
    const ties = compiler.ties(at);
    self.postMessage({ kind: "tied", revision, ties }, [ties.buffer]);
  },
  memory(compiler, { serial, at, number }) {
    const map = compiler.memory(at, number);
    const large = { variables: map.variables(), spans: map.spans(), rows: map.rows() };
    const [text, names] = [map.text(), map.names()];
    map.free();
    self.postMessage({ kind: "memory", serial, text, names, ...large }, Object.values(large).map((array) => array.buffer));
  },
  paths(compiler, { serial, versions }) {
    const lines = compiler.paths(versions);
    const numbers = compiler.take_numbers();
    self.postMessage({ kind: "paths", serial, lines, numbers }, [numbers.buffer]);
  },
  catalog(compiler) {
    self.postMessage({ kind: "catalog", rows: compiler.catalog() });
  },
  repro(compiler, request) {
    const { name, pipeline, at, func, shown } = request;
    take(compiler, request);
    const bytes = compiler.repro(name, pipeline, at, func, shown);
    const [extension, media] = compiler.file();
    self.postMessage({ kind: "file", bytes, extension, media }, [bytes.buffer]);
  },
  unrepro(compiler, { bytes }) {
    const header = compiler.unrepro(bytes);
    self.postMessage({ kind: "linked", header, bytes: compiler.take_input() });
  },
  find(compiler, { at, func, query }) {
    self.postMessage({ kind: "found", query, at, func, found: compiler.find(at, func, query) });
  },
  link(compiler, request) {
    const { name, pipeline, at, func, shown } = request;
    take(compiler, request);
    self.postMessage({ kind: "link", link: compiler.link(name, pipeline, at, func, shown) });
  },
  unlink(compiler, { link }) {
    const header = compiler.unlink(link);
    self.postMessage({ kind: "linked", header, bytes: compiler.take_input() });
  },
};

function write(compiler, { at, func, format, raster }) {
  try {
    const bytes = compiler.export(at, func, format);
    const [extension, media] = compiler.file();
    self.postMessage({ kind: "file", bytes, extension, media, raster }, [bytes.buffer]);
  } catch (error) {
    const kind = error instanceof WebAssembly.RuntimeError ? "fault" : "refused";
    self.postMessage({ kind, message: error.message ?? String(error) });
  }
}

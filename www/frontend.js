// Parts of the workers of GLSL (www/glsl.js) and of Slang (www/slang.js): the messages of the page, and glslang,
// https://github.com/KhronosGroup/glslang, from the npm package @webgpu/glslang.
//
// These workers have no program of ours, so that the first source waits for its front end alone: the two messages, which
// wasm/protocol declares, are read and written here. wasm/protocol/tests/round_trip.rs has the same bytes.
import create from "./glslang.js";

const STAGES = { vert: "vertex", frag: "fragment", comp: "compute" };
// The version without a choice: core/front/src/source/options.rs offers the others.
const SPIRV = "1.3";
// More text than a person reads; the page must not wait for it.
const MOST_LOG = 100_000;
const log = [];

/** Compiles a module of this site, by the address of its file. */
export const load = (address) => WebAssembly.compileStreaming(fetch(address));
/** Compiles the module of glslang. */
export const loadGlslang = () => load(new URL("glslang_bg.wasm", import.meta.url));

/**
 * Handles the messages of the page. `loadAll` compiles the modules, and `start` makes a function of them that translates a
 * request to words and notes, or throws; an error with a `log` is one of the source.
 */
export function serve(loadAll, start) {
  // The first message holds the compiled modules, if the page has them from an earlier worker. Others wait.
  self.onmessage = async ({ data }) => {
    const waiting = [];
    self.onmessage = (message) => waiting.push(message);
    try {
      const modules = data.modules ?? await loadAll();
      const translate = await start(modules);
      self.onmessage = ({ data }) => dispatch(translate, data);
      self.postMessage({ modules });
      waiting.forEach((message) => self.onmessage(message));
    } catch (error) {
      fault(error);
    }
  };
}

function dispatch(translate, bytes) {
  const request = read(bytes);
  let words = new Uint8Array();
  let text = "";
  try {
    const done = translate(request);
    words = done.words;
    text = done.notes?.join("\n") ?? "";
  } catch (error) {
    // Everything that is no error of the source ruins the instance, and the page starts another one.
    if (error.log === undefined) return fault(error);
    text = error.log;
  }
  const answer = write(request.revision, words, text.slice(0, MOST_LOG));
  self.postMessage(answer, [answer.buffer]);
}

function fault(error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

/** An error of the source, with the messages of a compiler. */
export const sourceError = (text) => Object.assign(new Error("the source has errors"), { log: text });

/** The function of glslang that compiles, over its compiled module. */
export function startGlslang(module) {
  return new Promise((resolve, reject) => create({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then(receive, reject);
      return {};
    },
    print: (line) => log.push(line),
    printErr: (line) => log.push(line),
    onAbort: (reason) => reject(new Error(String(reason))),
    // The module itself has a `then`, so that it cannot be the value of a promise.
    onRuntimeInitialized() { resolve(compiler(this.compileGLSL)); },
  }));
}

/** Compiles a GLSL text of a stage to the bytes of SPIR-V with lines. `options` may have the version of SPIR-V. */
const compiler = (compileGLSL) => (text, stage, options = "") => {
  log.length = 0;
  if (!STAGES[stage]) throw sourceError(`glslang in the page reads vertex, fragment and compute shaders, not the stage ${stage}`);
  try {
    const done = compileGLSL(text, STAGES[stage], true, /^target=(.*)$/m.exec(options)?.[1] ?? SPIRV);
    return new Uint8Array(done.buffer, done.byteOffset, done.byteLength);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) throw error;
    throw sourceError(log.join("\n") || (error.message ?? String(error)));
  }
};

/** The fields of a `SourceRequest`: a number, then five texts with their lengths before them. */
function read(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const string = () => {
    const length = number();
    return new TextDecoder().decode(bytes.subarray(at, at += length));
  };
  return { revision: number(), text: string(), name: string(), stage: string(), entry: string(), options: string() };
}

/** A `SourceAnswer::Done`, which has no problems yet: the compiler finds them in the log. */
function write(revision, words, log) {
  const text = new TextEncoder().encode(log);
  const number = (value) => {
    const out = [];
    for (; value > 127; value = Math.floor(value / 128)) out.push(value % 128 + 128);
    return [...out, value];
  };
  const parts = [[0], number(revision), number(words.length), words, [0], number(text.length), text, [0]];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

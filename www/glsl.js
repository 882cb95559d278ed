// The worker of GLSL: translates a prepared source to SPIR-V by glslang, https://github.com/KhronosGroup/glslang, from the npm
// package @webgpu/glslang. Loaded when such a source is first seen; the page terminates it when it hangs.
//
// It has no program of ours, so that the first source waits for glslang alone: the two messages, which wasm/protocol declares,
// are read and written here. wasm/protocol/tests/round_trip.rs has the same bytes.
import create from "./glslang.js";

const STAGES = { vert: "vertex", frag: "fragment", comp: "compute" };
// The version without a choice: core/src/front/source/options.rs offers the others.
const SPIRV = "1.3";
// More text than a person reads; the page must not wait for it.
const MOST_LOG = 100_000;
const log = [];

const load = () => WebAssembly.compileStreaming(fetch(new URL("glslang_bg.wasm", import.meta.url)));

// The first message holds the compiled module, if the page has it from an earlier worker. Others wait.
self.onmessage = async ({ data }) => {
  const waiting = [];
  self.onmessage = (message) => waiting.push(message);
  try {
    const module = data.modules?.[0] ?? await load();
    const compile = await start(module);
    self.onmessage = ({ data }) => dispatch(compile, data);
    self.postMessage({ modules: [module] });
    waiting.forEach((message) => self.onmessage(message));
  } catch (error) {
    fault(error);
  }
};

/** The function of glslang that compiles, over a compiled module. */
function start(module) {
  return new Promise((resolve, reject) => create({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then(receive, reject);
      return {};
    },
    print: (line) => log.push(line),
    printErr: (line) => log.push(line),
    onAbort: (reason) => reject(new Error(String(reason))),
    // The module itself has a `then`, so that it cannot be the value of a promise.
    onRuntimeInitialized() { resolve(this.compileGLSL); },
  }));
}

function dispatch(compile, bytes) {
  const { revision, text, stage, options } = read(bytes);
  log.length = 0;
  let words = new Uint8Array();
  try {
    if (!STAGES[stage]) throw new Error(`glslang in the page reads vertex, fragment and compute shaders, not the stage ${stage}`);
    const target = /^target=(.*)$/m.exec(options)?.[1] ?? SPIRV;
    const done = compile(text, STAGES[stage], true, target);
    words = new Uint8Array(done.buffer, done.byteOffset, done.byteLength);
    log.length = 0;
  } catch (error) {
    // An error of the source is in the log; everything else ruins the instance, and the page starts another one.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return fault(error);
    if (log.length === 0) log.push(error.message ?? String(error));
  }
  const answer = write(revision, words, log.join("\n").slice(0, MOST_LOG));
  self.postMessage(answer, [answer.buffer]);
}

function fault(error) {
  self.postMessage({ fault: { message: error.message ?? String(error) } });
}

/** The fields of a `SourceRequest`: a number, then four texts with their lengths before them. */
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
  return { revision: number(), text: string(), name: string(), stage: string(), options: string() };
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

// The compiler's program in a worker: the module that the first result needs, and parts that come later. `cargo xtask
// dist` cuts it (xtask/src/site/cut); a function whose part is not there yet calls `loadPart`, and waits.
import init, { PARTS } from "./compiler.js";

// By number, 0 is the first: modules that are compiled, and what those that are instantiated export.
let modules = [];
const exported = [];

const before = (part) => PARTS[part - 1][1];
const address = (part) => new URL(PARTS[part - 1][0], import.meta.url);

// Loads the first module ahead of `start`.
export const load = () => WebAssembly.compileStreaming(fetch(new URL("compiler_bg.wasm", import.meta.url)));

// Makes the program, of modules that another worker compiled as far as there are any, with these parts of it.
export async function start(known = [], first = load, parts = []) {
  modules = known;
  const [module] = await Promise.all([modules[0] ?? first(), ...parts.map(compile)]);
  modules[0] = module;
  exported[0] = await init({ module_or_path: module });
  parts.forEach(join);
  return modules;
}

// Loads these parts in the background; returns all compiled modules, for another worker.
export async function loadAhead(parts) {
  for (const part of parts.filter((part) => part <= PARTS.length && !exported[part])) {
    await compile(part);
    join(part);
  }
  return modules;
}

async function compile(part) {
  if (part > PARTS.length) return;
  modules[part] ??= await WebAssembly.compileStreaming(fetch(address(part)));
}

// Puts a part and the one before it to the program, if they are not there.
function join(part) {
  if (part > PARTS.length || exported[part]) return;
  if (!exported[before(part)]) self.loadPart(before(part));
  modules[part] ??= new WebAssembly.Module(fetchNow(address(part)));
  exported[part] = new WebAssembly.Instance(modules[part], { ...exported }).exports;
}

// The compiler is in the middle of something: it can only wait. Named by wasm/src/part.rs.
self.loadPart = (part) => {
  try {
    join(part);
  } catch (error) {
    // As a trap: what was begun is lost, and so is the program.
    throw new WebAssembly.RuntimeError(`a part of the compiler did not arrive: ${error.message ?? error}`);
  }
};

function fetchNow(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  if (!request.response || request.status >= 400) throw new Error(`${request.status} ${request.statusText}`);
  return request.response;
}

// Loads the compiler's module in a worker. Both workers run the same module: the page passes the compiled one from the
// first to every later worker.
import init from "./compiler.js";

// Downloads and compiles the module.
export const load = () => WebAssembly.compileStreaming(fetch(new URL("compiler_bg.wasm", import.meta.url)));

// Starts the program from a compiled module, if there is one; returns the module for the next worker.
export async function start([known] = [], compile = load) {
  const module = known ?? await compile();
  await init({ module_or_path: module });
  return [module];
}

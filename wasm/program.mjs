// The compiler's program in node, from the module of the page.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The exports of `compiler.js` in this folder, with the program started. */
export async function program(folder) {
  const compiler = await import(pathToFileURL(join(folder, "compiler.js")));
  await compiler.default({ module_or_path: readFileSync(join(folder, "compiler_bg.wasm")) });
  return compiler;
}

/** Sends a request to the compiler, and returns its last answer; see wasm/protocol. */
export function answer(compiler, request) {
  let last;
  globalThis.postMessage = (message) => { last = message; };
  compiler.dispatch(request);
  if (last?.fault) throw new Error(last.fault.message);
  return last;
}

/** The request for a version, with the options of the page. */
export function open(fields) {
  const graph = { folds: [], opened_blocks: [], pins: [], inline: false };
  return { open: { revision: 0, pipeline: "", shown: "ir", target: "", graph, ...fields } };
}

// What of the compiler runs until the first result, and what runs with the page's pipeline on other inputs: for
// `cargo xtask dist`, which cuts the program by it (xtask/src/site/cut). Two lines of numbers, see xtask's train.rs.
//
//   node train.mjs FOLDER FILE...     FOLDER holds compiler.js and marked.wasm; the first file is the page's example

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { default: init, Compiler } = await import(pathToFileURL(join(folder, "compiler.js")));
// Progress reports must not depend on the speed of this machine.
performance.now = () => 0;
const wasm = await init({ module_or_path: readFileSync(join(folder, "marked.wasm")) });

function tell() {
  const words = [];
  for (let at = 0; wasm[`hit${at}`]; at += 1) words.push(BigInt.asUintN(64, wasm[`hit${at}`].value).toString(16));
  console.log(words.join(" "));
}

let compiler = new Compiler(false);
globalThis.postMessage = (message) => { last = message; };
let last;
compiler.ready();
const { pipeline } = last.ready;

/** The answer to a request, if it has one. */
function ask(request) {
  compiler.dispatch(request);
  return last;
}

/** Opens the input as the page does. */
function open(version, shown) {
  const graph = { graph_only: false, overlays: false, folds: [], opened_blocks: [], pins: [] };
  return ask({ open: { revision: 0, pipeline, version, shown, graph } }).opened;
}

ask({ input: readFileSync(files[0]) });
open(undefined, "ir");
ask({ origins: { revision: 0, version: 0 } });
tell();

ask("words");

for (const file of files) {
  // A fixture has its expected results after the program.
  ask({ input: Buffer.from(readFileSync(file, "utf8").split(/^----/m)[0]) });
  const opened = open(undefined, "ir");
  if (opened.diagnostics.some(({ level }) => level === "error")) continue;
  for (let version = 0; version <= opened.steps.length; version += 1) {
    open(version, "changes");
    ask({ origins: { revision: 0, version } });
  }
  open(0, "spirv");
}
tell();

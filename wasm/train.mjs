// What of the compiler runs until the first result, and what runs with the page's pipeline on other inputs: for
// `cargo xtask dist`, which cuts the program by it (xtask/src/site/cut). Two lines of numbers, see xtask's train.rs.
//
//   node train.mjs FOLDER FILE...     FOLDER holds compiler.js and marked.wasm; the first file is the page's example

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { default: init, Compiler } = await import(pathToFileURL(join(folder, "compiler.js")));
// What is told now and then must not depend on how fast this machine is.
performance.now = () => 0;
globalThis.postMessage = () => {};
const wasm = await init({ module_or_path: readFileSync(join(folder, "marked.wasm")) });

function tell() {
  const words = [];
  for (let at = 0; wasm[`hit${at}`]; at += 1) words.push(BigInt.asUintN(64, wasm[`hit${at}`].value).toString(16));
  console.log(words.join(" "));
}

/** Everything that www/worker.js does for an answer. */
function open(compiler, at, func, shown) {
  compiler.look([], [], [], [], false);
  const header = compiler.open(compiler.pipeline(), at, func, shown);
  for (const name of ["text", "source", "words", "spans", "marks", "word_spans", "blocks", "bands", "lines", "hidden"]) {
    compiler[`take_${name}`]();
  }
  compiler.folds();
  compiler.opened();
  compiler.pins();
  return header;
}

let compiler = new Compiler();
compiler.classes();
compiler.give(readFileSync(files[0]));
open(compiler, -1, -1, 0);
compiler.ties(0);
tell();

compiler.words();

for (const file of files) {
  // A fixture says after its program what becomes of it.
  compiler.give(Buffer.from(readFileSync(file, "utf8").split(/^----/m)[0]));
  const header = open(compiler, -1, -1, 0);
  if (header.diags.some(({ level }) => level === "error")) continue;
  const last = header.steps.length;
  for (let at = 0; at <= last; at += 1) {
    open(compiler, at, -1, 1);
    compiler.ties(at);
  }
  open(compiler, 0, -1, 2);
}
tell();

// The compiler's wasm in node, without a page: measures the time and memory of a trace of 60 passes. There is no
// limit to exceed.
//
//   node trace.mjs FOLDER FILE...     FOLDER holds compiler.js; prints ms to open each file with the passes and without, and MB

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { answer, open, program } from "./program.mjs";

const [folder, ...files] = process.argv.slice(2);
const { default: init, Compiler } = await program(folder);
const memory = (await init()).memory;

// Twelve passes, five times: the first iteration changes the program, the others mostly analyze it.
const ITERATION = "vars-to-values, copy-prop, constant-fold, opt-range, algebraic{plain}, cse, licm, dead-cf, peephole-select, " +
  "shrink-vectors, copy-prop-vars, dce";
const PASSES = ["ingest", ...Array(5).fill(ITERATION)].join(", ");
const RUNS = 40;

for (const file of files) {
  const bytes = readFileSync(file);
  const compiler = new Compiler(false);
  const run = (pipeline) => {
    answer(compiler, { input: bytes });
    const request = open({ pipeline, shown: "changes" });
    const start = performance.now();
    const { opened } = answer(compiler, request);
    return [performance.now() - start, opened];
  };
  const times = { with: [], without: [] };
  let steps = 0;
  for (let at = 0; at < RUNS; at += 1) {
    const [ms, opened] = run(PASSES);
    times.with.push(ms);
    steps = opened.steps.length;
    times.without.push(run("ingest")[0]);
  }
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  const [all, bare] = [median(times.with), median(times.without)];
  const mb = memory.buffer.byteLength / 2 ** 20;
  console.log(`${basename(file)}: ${bytes.length} bytes, ${steps} steps ${all.toFixed(1)} ms, ingest alone ${bare.toFixed(1)} ms, ${mb.toFixed(0)} MB`);
  compiler.free();
}

// Measures the debugger's wasm in node, without a page.
//
//   node debugger.mjs FOLDER FILE...     FOLDER holds compiler.js; draws each file, after a generated shader

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { program } from "./program.mjs";

const [folder, ...files] = process.argv.slice(2);
const { Debugger } = await program(folder);
let report;
globalThis.postMessage = (message) => {
  if (message.fault) throw new Error(message.fault.message);
  report = message.task?.report.run;
};

/** A fragment shader of several hundred instructions in one block, which the budget of 2 s applies to. */
function long(count) {
  const lines = [];
  for (let at = 8; at < count; at += 1) {
    const [a, b] = [at - 1, at % 7 < 3 ? 5 : at - 2];
    const op = at % 16 === 0 ? `fsin %${a}` : `${["fmul", "fadd", "fsub"][at % 3]} %${a}, %${b}`;
    lines.push(`  %${at}: b32 = ${op}`);
  }
  return `in $0: f32x2 {location 0}
out $1: f32x4 {location 0}

entry fragment "main" @0 ($0, $1) {origin_upper_left}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32x2 = load %0
  %2: b32 = swizzle %1.x
  %3: b32 = swizzle %1.y
  %4: b32 = const 1.0
  %5: b32 = fadd %2, %3
  %6: b32 = fmul %2, %3
  %7: b32 = fadd %5, %6
${lines.join("\n")}
  %${count}: b32x4 = vec %${count - 1}, %${count - 2}, %${count - 3}, %4
  %${count + 1}: path = deref.var $1
  %${count + 2} = store %${count + 1}, %${count}
  return
}
`;
}

const inputs = [["500 instructions", Buffer.from(long(496))], ...files.map((file) => [basename(file), readFileSync(file)])];
for (const [name, bytes] of inputs) {
  const times = [];
  let summary = "";
  for (let run = 0; run < 3; run += 1) {
    const session = new Debugger(false);
    session.dispatch({ program: { name: "", input: bytes, options: "", words: new Uint8Array() } });
    const task = { run: { entry: 0, seed: 0, version: 0, compare: false } };
    const start = performance.now();
    session.dispatch({ begin: { serial: 0, pipeline: "", task } });
    while (session.slice(30));
    times.push(performance.now() - start);
    summary = report.refused || report.summary;
    session.free();
  }
  const ms = Math.min(...times);
  const invocations = Number(/[\d,]+/.exec(summary)?.[0].replaceAll(",", ""));
  console.log(`  ${name.padEnd(28)} ${ms.toFixed(0).padStart(7)} ms  ${(invocations / ms / 1e3).toFixed(1).padStart(7)} M invocation-instructions/s  ${summary}`);
}

// The compiler's wasm in node, without a page: a line of checksums for each file, as `vitrine digest` prints them.
//
//   node digest.mjs FOLDER RUNS FILE...     FOLDER holds compiler.js; with RUNS above 0 prints the minimum of their times, in ms

import { readFileSync } from "node:fs";
import { program } from "./program.mjs";

const [folder, runs, ...files] = process.argv.slice(2);
const { Compiler } = await program(folder);
const compiler = new Compiler(false);

for (const file of files) {
  const bytes = readFileSync(file);
  const time = () => {
    const start = performance.now();
    compiler.digest(bytes, "");
    return performance.now() - start;
  };
  const line = runs > 0
    ? `${bytes.length} ${Math.min(...Array.from({ length: Number(runs) }, time)).toFixed(2)}`
    : compiler.digest(bytes, "");
  console.log(`${file}: ${line}`);
}

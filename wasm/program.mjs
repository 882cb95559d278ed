// The compiler's program in node, from the module that the page gets.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The exports of `compiler.js` in this folder, with the program started. */
export async function program(folder) {
  const compiler = await import(pathToFileURL(join(folder, "compiler.js")));
  await compiler.default({ module_or_path: readFileSync(join(folder, "compiler_bg.wasm")) });
  return compiler;
}

// The compiler's program in node: a part is read when it is called, see www/program.js.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What `compiler.js` in this folder exports, with the program made. */
export async function program(folder) {
  const compiler = await import(pathToFileURL(join(folder, "compiler.js")));
  const exported = [];
  globalThis.loadPart = (part) => {
    if (exported[part]) return;
    const [file, before] = compiler.PARTS[part - 1];
    if (!exported[before]) globalThis.loadPart(before);
    const module = new WebAssembly.Module(readFileSync(join(folder, file)));
    exported[part] = new WebAssembly.Instance(module, { ...exported }).exports;
  };
  exported[0] = await compiler.default({ module_or_path: readFileSync(join(folder, "compiler_bg.wasm")) });
  return compiler;
}

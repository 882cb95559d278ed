// Tint as a judge of WGSL: a process that reads one text a line, as a JSON string, and answers each with one line: the
// word `answer` and a JSON array of {type, line, column, message}. Dawn prints lines of its own. Its null back end needs no driver.
import { create } from "webgpu";
import { createInterface } from "node:readline";

const FEATURES = ["shader-f16", "subgroups", "clip-distances", "dual-source-blending", "primitive-index"];

const gpu = create(["backend=null"]);
const adapter = await gpu.requestAdapter();
const requiredFeatures = FEATURES.filter((feature) => adapter.features.has(feature));
const device = await adapter.requestDevice({ requiredFeatures });

for await (const line of createInterface({ input: process.stdin })) {
  device.pushErrorScope("validation");
  const shader = device.createShaderModule({ code: JSON.parse(line) });
  const { messages } = await shader.getCompilationInfo();
  await device.popErrorScope();
  const answer = messages.map(({ type, lineNum, linePos, message }) => ({ type, line: lineNum, column: linePos, message }));
  process.stdout.write(`\nanswer ${JSON.stringify(answer)}\n`);
}
process.exit(0);

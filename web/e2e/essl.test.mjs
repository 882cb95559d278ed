// GLSL ES 3.00: WebGL2 accepts what the command line writes, and draws what the corpus expects.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBrowser, withPage } from "./harness.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VITRINE = join(ROOT, "target/debug/vitrine");
const CORPUS = process.env.VITRINE_CORPUS || join(ROOT, "../shared/corpus");
/** The deadline of a shader in milliseconds. */
const DEADLINE = 30_000;

let browser;
let folder;
before(async () => {
  browser = await startBrowser(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
  folder = mkdtempSync(join(tmpdir(), "vitrine-essl-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The files of a folder with an extension, in order. */
const files = (root, extension) =>
  readdirSync(root, { recursive: true }).filter((file) => file.endsWith(extension)).sort().map((file) => join(root, file));

/** The text of a module; null if it is refused. */
function textOf(file) {
  const out = join(folder, "text.essl");
  try {
    execFileSync(VITRINE, ["opt", file, "--pipeline", "ingest", "-o", out], { stdio: "ignore" });
  } catch {
    return null;
  }
  return readFileSync(out, "utf8");
}

/** The texts of the entry points of a module, each of which is compiled alone, and if it is a vertex shader. */
function parts(text) {
  const stages = [...text.matchAll(/^#(?:el)?if ENTRY == (\d+) \/\/ (\w+)/gm)];
  if (stages.length === 0) return [{ text, isVertex: /gl_Position|gl_VertexID/.test(text) }];
  return stages.map(([, number, stage]) => ({ text: text.replace("#define ENTRY 0", `#define ENTRY ${number}`), isVertex: stage === "vertex" }));
}

/** Compiles a shader, or draws it if inputs are given; in the page. */
async function drawn(job) {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true, antialias: false, premultipliedAlpha: false });
  try {
    const shader = (kind, text) => {
      const made = gl.createShader(kind);
      gl.shaderSource(made, text);
      gl.compileShader(made);
      return gl.getShaderParameter(made, gl.COMPILE_STATUS) ? made : gl.getShaderInfoLog(made) || "no message";
    };
    const own = shader(job.isVertex ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER, job.text);
    // A device may have fewer outputs than the shader has: WebGL2 promises four.
    const lines = typeof own === "string" ? own.split("\n").filter((line) => /^ERROR/.test(line)) : [];
    if (lines.length > 0 && lines.every((line) => line.includes("output location must be < MAX_DRAW_BUFFERS"))) return {};
    if (typeof own === "string") return { message: own };
    if (!job.expect) return {};
    const cover = `#version 300 es
void main() { gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`;
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, cover));
    gl.attachShader(program, own);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return { message: gl.getProgramInfoLog(program) };
    const [width, height] = job.size;
    Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(...job.clear.map((component) => component / 255));
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(program);
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORM_BLOCKS);
    for (let at = 0; at < count; at += 1) {
      const bytes = job.blocks[gl.getActiveUniformBlockName(program, at)] ?? [];
      const size = gl.getActiveUniformBlockParameter(program, at, gl.UNIFORM_BLOCK_DATA_SIZE);
      const data = new Uint8Array(Math.max(size, bytes.length));
      data.set(bytes);
      gl.bindBufferBase(gl.UNIFORM_BUFFER, at, gl.createBuffer());
      gl.bufferData(gl.UNIFORM_BUFFER, data, gl.STATIC_DRAW);
      gl.uniformBlockBinding(program, at, at);
    }
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    const pixels = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return { pixels: job.expect.map(([x, y]) => [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]) };
  } finally {
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

const evaluated = (page, job) => {
  let timer;
  const late = new Promise((done) => { timer = setTimeout(() => done({ message: "the deadline is over" }), DEADLINE); });
  return Promise.race([page.evaluate(drawn, job), late]).finally(() => clearTimeout(timer));
};

/** Points and colors that a case expects. */
function points(expect) {
  return expect.flatMap((one) => {
    if (one.kind === "pixels") return one.points.map(([x, y, color]) => [x, y, color, one.tolerance ?? 0]);
    if (one.kind !== "rect") return [];
    const [x, y, width, height] = Array.isArray(one.rect) ? one.rect : [one.rect.x, one.rect.y, one.rect.width, one.rect.height];
    const corners = [[x, y], [x + width - 1, y], [x, y + height - 1], [x + width - 1, y + height - 1], [x + (width >> 1), y + (height >> 1)]];
    return corners.map(([atX, atY]) => [atX, atY, one.rgba ?? one.rgb, one.tolerance ?? 0]);
  });
}

/** The bytes of each uniform block, found by the comment before it. */
function blocks(text, inputs) {
  const out = {};
  for (const [, set, binding, name] of text.matchAll(/\/\/ (?:set (\d+), binding (\d+)|push constants)\nlayout\(std140[^)]*\) uniform (\w+)/g)) {
    const isPush = set === undefined;
    const input = inputs.find((one) => (isPush ? one.kind === "push_constant" : one.set === Number(set) && one.binding === Number(binding)));
    out[name] = (input?.bytes.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  }
  return out;
}

test("WebGL2 accepts every text of the project's corpus", { skip: !existsSync(VITRINE) && "the command line is not built" }, () =>
  withPage(browser, async (page) => {
    const wrong = [];
    let count = 0;
    for (const file of files(join(ROOT, "core/tests/corpus"), ".spv")) {
      const text = textOf(file);
      if (text === null) continue;
      count += 1;
      for (const part of parts(text)) {
        const { message } = await evaluated(page, part);
        if (message) wrong.push(`${basename(file)}: ${message}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(count >= 1, `${count} texts`);
  }));

test("WebGL2 accepts every text of the large corpus, and draws what is expected",
  { skip: !(existsSync(VITRINE) && existsSync(CORPUS)) && "the large corpus is not here", timeout: 600_000 }, () =>
    withPage(browser, async (page) => {
      const wrong = [];
      let [written, cases] = [0, 0];
      for (const file of files(CORPUS, ".spv")) {
        const text = textOf(file);
        if (text === null) continue;
        written += 1;
        const described = file.replace(/\.spv$/, ".json");
        const known = existsSync(described) ? JSON.parse(readFileSync(described, "utf8")) : {};
        const expect = known.stage === "frag" ? points(known.expect ?? []) : [];
        const [job, ...others] = parts(text);
        for (const part of others) {
          const { message } = await evaluated(page, part);
          if (message) wrong.push(`${basename(file)}: ${message}`);
        }
        if (expect.length > 0) {
          cases += 1;
          const size = known.framebuffer ? [known.framebuffer.width, known.framebuffer.height] : [256, 256];
          const clear = Array.isArray(known.clear) ? known.clear : [0, 0, 0, 0];
          Object.assign(job, { expect, size, clear, blocks: blocks(text, known.inputs ?? []) });
        }
        const { message, pixels } = await evaluated(page, job);
        if (message) wrong.push(`${basename(file)}: ${message}`);
        for (const [at, [x, y, color, tolerance]] of expect.entries()) {
          const found = pixels?.[at] ?? [];
          if (color.some((wanted, component) => Math.abs(wanted - (found[component] ?? -999)) > tolerance + 1)) {
            wrong.push(`${basename(file)}: ${found} at ${x}, ${y} instead of ${color}`);
            break;
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(written >= 230 && cases >= 87, `${written} written, ${cases} drawn`);
    }));

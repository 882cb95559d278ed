// GLSL is translated by glslang in a worker of its own: results, errors with their lines, Shadertoy, older dialects, includes,
// a strict policy, a front end that hangs, use without a network, links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { URL_ROOT, becomes, picture, printed, ready, settled, share, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const GLSL = `#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Scene { float time; };

float wave(vec2 p) {
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (p.x > float(i)) sum += sin(p.y + time);
    }
    return sum;
}

void main() {
    color = vec4(wave(gl_FragCoord.xy));
}
`;
const WRONG = GLSL.replace("sum += sin", "sun += sin");
const TOY = `void mainImage(out vec4 c, in vec2 p) {
  vec2 uv = p / iResolution.xy;
  c = vec4(uv, 0.5 + 0.5 * sin(iTime), 1.0);
}
`;
const OLD = `precision mediump float;
varying vec2 uv;
uniform sampler2D map;
uniform float strength;
void main() {
  gl_FragColor = texture2D(map, uv) * strength;
}
`;

const opened = async (page, text = GLSL) => {
  await type(page, text);
  await settled(page);
};
const front = (page) => page.workers().find((worker) => worker.url().includes("/glsl-"));
const none = (page) => page.locator("#tally", { hasText: "none" }).waitFor();
const errors = async (page) => (await page.locator("#problems button").allInnerTexts()).filter((text) => /error/i.test(text));

test("a shader becomes a graph, with its colors, and without the front end of WGSL", () => withPage(browser, async (page) => {
  assert.equal(front(page), undefined, "not loaded before it is needed");
  await opened(page);
  assert.equal(await value(page), GLSL);
  await none(page);
  assert.ok((await printed(page)).some((line) => line.includes("wave")));
  assert.match(await page.locator("#name").textContent(), /GLSL$/);
  assert.ok(front(page));
  assert.ok(page.workers().every((worker) => !worker.url().includes("/sources-")));
  await becomes(() => page.locator("#editor .t-error").count(), 0);
  assert.ok(await page.locator("#editor .t-keyword", { hasText: "uniform" }).count() > 0);
  await picture(page, "glsl");
}));

test("an error has its line, the last result stays, and a correction ends it", () => withPage(browser, async (page) => {
  await opened(page);
  const before = await printed(page);
  await opened(page, WRONG);
  const problem = page.locator("#problems button").first();
  await problem.waitFor();
  assert.match(await problem.innerText(), /sun/);
  assert.match(await problem.innerText(), /8:/);
  await page.locator("#editor .cm-lintRange-error, #editor .cm-lintPoint-error").first().waitFor({ state: "attached" });
  assert.deepEqual(await printed(page), before);
  await opened(page, GLSL.replace("i < 4", "i < 5"));
  await none(page);
}));

test("half of a source keeps the last result, at any cut", () => withPage(browser, async (page) => {
  await opened(page);
  const before = (await printed(page)).length;
  for (const end of [30, 90, 200]) {
    await opened(page, GLSL.slice(0, GLSL.length - end));
    assert.ok((await errors(page)).length > 0);
    assert.equal((await printed(page)).length, before);
  }
}));

test("Shadertoy code and older dialects are completed, with notes", () => withPage(browser, async (page) => {
  await opened(page, TOY);
  assert.deepEqual(await errors(page), []);
  assert.match(await page.locator("#problems").innerText(), /mainImage/);
  assert.ok((await printed(page)).some((line) => line.includes("iResolution")));
  await opened(page, TOY.replace("iTime", "iTimes"));
  assert.match((await errors(page))[0] ?? "", /3:/);
  await opened(page, OLD);
  assert.deepEqual(await errors(page), []);
  assert.match(await page.locator("#problems").innerText(), /strength/);
  await opened(page, OLD.replace("* strength", "* strengths"));
  assert.match((await errors(page))[0] ?? "", /6:/);
  await picture(page, "glsl-old");
}));

test("files of one text are included, and a loop of them is an error", () => withPage(browser, async (page) => {
  const main = `#version 450\n#include "noise.glsl"\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(noise(1.0)); }\n`;
  const noise = "// @file noise.glsl\nfloat noise(float x) {\n  return fract(x * 7.3);\n}\n";
  await opened(page, main + noise);
  await none(page);
  await opened(page, main + noise.replace("fract", "frac"));
  assert.match((await errors(page))[0] ?? "", /7:/, "the line of the editor");
  await opened(page, `${main}// @file noise.glsl\n#include "noise.glsl"\n`);
  assert.match((await errors(page))[0] ?? "", /includes itself/);
  await opened(page, main);
  assert.match((await errors(page))[0] ?? "", /is included, but not given/);
}));

test("thirty wrong shaders have the right line", () => withPage(browser, async (page) => {
  const tests = readFileSync(new URL("../../core/tests/it/sources.rs", import.meta.url), "utf8");
  const list = tests.split("const WRONG_GLSL: &[&str] = &[")[1].split("\n];")[0];
  const statements = list.match(/"(?:[^"\\]|\\.)*"/g).map((text) => JSON.parse(text));
  assert.equal(statements.length, 30);
  const head = "#version 450\nlayout(location = 0) in float u;\nlayout(location = 0) out vec4 c;\nvoid main() {\n    c = vec4(u);\n    ";
  for (const statement of statements) {
    await opened(page, `${head}${statement}\n}\n`);
    const [first] = await errors(page);
    // Some errors are found at the next token.
    assert.match(first ?? "", /\b[67]:/, statement);
  }
}));

test("a link to a shader reproduces it in a new page", () => withPage(browser, async (page) => {
  await opened(page);
  const text = await printed(page);
  const url = await share(page);
  await withPage(browser, async (other) => {
    await settled(other);
    assert.equal(await value(other), GLSL);
    // The number of lines in view depends on the height of the panes.
    assert.deepEqual((await printed(other)).slice(0, 30), text.slice(0, 30));
  }, { url });
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("a front end that hangs is ended at the deadline, and works again after an edit", () => withPage(browser, async (page) => {
  await opened(page);
  const before = await printed(page);
  front(page).evaluate(() => { for (;;); }).catch(() => "ended with its worker");
  await type(page, GLSL.replace("i < 4", "i < 6"));
  await page.locator("#notice", { hasText: "took too long" }).waitFor();
  assert.deepEqual(await printed(page), before);
  await opened(page, GLSL.replace("i < 4", "i < 7"));
  await ready(page);
  await none(page);
}));

test("under a strict policy, and the time of an answer", () => withPage(browser, async (page) => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  await page.route(/\/(glsl|glslang)-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await page.reload();
  await ready(page);
  const functions = Array.from({ length: 12 }, (_, at) => GLSL.split("\n").slice(4, 11).join("\n").replace("wave", `wave${at}`));
  const long = GLSL.replace("void main", `${functions.join("\n")}\n\nvoid main`);
  assert.ok(long.split("\n").length > 95);
  for (const text of [long, long.replace("i < 4", "i < 3"), long.replace("i < 4", "i < 2")]) {
    const start = Date.now();
    await opened(page, text);
    console.log(`# ${text.split("\n").length} lines: ${Date.now() - start} ms`);
    assert.deepEqual(await errors(page), []);
  }
}));

test("a large source and a macro bomb end with a message or a result", () => withPage(browser, async (page) => {
  await opened(page);
  const before = await printed(page);
  const bomb = Array.from({ length: 30 }, (_, at) => `#define A${at + 1} A${at} + A${at}`).join("\n");
  await type(page, `#version 450\n#define A0 1.0\n${bomb}\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(A30); }\n`);
  await page.locator("#notice, #problems", { hasText: /took too long|error/i }).first().waitFor();
  assert.deepEqual(await printed(page), before);
  await opened(page, GLSL.replace("i < 4", "i < 8"));
  await none(page);
}));

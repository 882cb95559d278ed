// Bad sources: half of a text, a megabyte, macros that double, files that include each other, a front end that does not finish. Each
// ends with a message or a result, the last result stays, and no task of the page's main thread is long.

import assert from "node:assert/strict";
import test from "node:test";
import { becomes, printed, settled, startBrowser, type, withPage } from "./harness.mjs";
import { longest, traced } from "./measure/trace.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** The longest task, as work of the processor: on a busy machine a task also waits. */
const MOST_TASK_MS = 200;

const GLSL = `#version 450
layout(location = 0) out vec4 color;

void main() {
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += gl_FragCoord.x * float(i);
    }
    color = vec4(sum);
}
`;
const WGSL = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        data[i] = i * 3u;
    }
}
`;
const functions = (text, bytes) => {
  const all = [];
  for (let at = 0, size = 0; size < bytes; at += 1) size += all[all.push(text(at)) - 1].length;
  return all.join("");
};
const MEGABYTE = 1 << 20;
const LARGE = {
  GLSL: () => functions((at) => `float f${at}(float x) { return sin(x * ${at}.0) + cos(x + ${at}.5); }\n`, MEGABYTE),
  WGSL: () => functions((at) => `fn f${at}(x: f32) -> f32 { return sin(x * ${at}.0) + cos(x + ${at}.5); }\n`, MEGABYTE),
};
const bomb = () => {
  const lines = Array.from({ length: 30 }, (_, at) => `#define A${at + 1} A${at} + A${at}`).join("\n");
  return `#version 450\n#define A0 1.0\n${lines}\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(A30); }\n`;
};
const loop = `#version 450
#include "a.glsl"
layout(location = 0) out vec4 color;
void main() {}
// @file a.glsl
#include "b.glsl"
// @file b.glsl
#include "a.glsl"
`;

const message = (page) => page.locator("#notice, #problems", { hasText: /took too long|error/i }).first();

/** Opens a good source, then `bad`; measures the main thread until `ends`. Then the good source works again. */
async function survives(page, good, bad, ends, begin = async () => {}) {
  await type(page, good);
  await settled(page);
  const before = await printed(page);
  await begin();
  const { tasks, parts } = await traced(browser, page, async () => {
    await type(page, bad);
    await ends();
  });
  const work = longest(tasks, "tdur");
  const worst = tasks.find(({ tdur }) => tdur / 1000 === work);
  assert.ok(work <= MOST_TASK_MS, `a task of ${work.toFixed(0)} ms: ${worst && parts(worst)}`);
  return before;
}

const corrected = async (page, good) => {
  await type(page, good.replace("< 4", "< 5"));
  await settled(page);
  await becomes(() => page.locator("#problems button", { hasText: /error/i }).count(), 0);
};

for (const [language, good] of Object.entries({ GLSL, WGSL })) {
  test(`half of a text in ${language} has an error, and the last result stays`, () => withPage(browser, async (page) => {
    const half = good.slice(0, good.length * 0.7);
    const before = await survives(page, good, half, async () => {
      await settled(page);
      await message(page).waitFor();
    });
    assert.deepEqual(await printed(page), before);
    await corrected(page, good);
  }));

  test(`a megabyte of ${language} ends with a result or a message`, () => withPage(browser, async (page) => {
    await survives(page, good, good + LARGE[language](), async () => {
      await settled(page);
    });
    // The answer has the time of the front end; without an answer there is a message.
    const words = await page.locator("#counts").textContent() + await page.locator("#notice").textContent();
    assert.match(words, /(glslang|naga) ([\d.]+ ms|took too long)/);
    await corrected(page, good);
  }));
}

test("macros that double end with a message, and the last result stays", () => withPage(browser, async (page) => {
  const before = await survives(page, GLSL, bomb(), () => message(page).waitFor());
  assert.deepEqual(await printed(page), before);
  await corrected(page, GLSL);
}));

test("files that include each other are an error at a line, and the last result stays", () => withPage(browser, async (page) => {
  const before = await survives(page, GLSL, loop, () => message(page).waitFor());
  assert.match(await page.locator("#problems").innerText(), /a\.glsl.* includes itself/);
  assert.deepEqual(await printed(page), before);
  await corrected(page, GLSL);
}));

for (const [language, good, script] of [["GLSL", GLSL, "/glsl-"], ["WGSL", WGSL, "/sources-"]]) {
  test(`a front end of ${language} that does not finish is replaced, and the last result stays`, () => withPage(browser, async (page) => {
    const fronts = () => page.workers().filter((worker) => worker.url().includes(script));
    let hung;
    const before = await survives(page, good, good.replace("< 4", "< 6"), async () => {
      await page.locator("#notice", { hasText: "took too long on this source" }).waitFor();
    }, async () => {
      [hung] = fronts();
      hung.evaluate(() => { for (;;); }).catch(() => "ended with its worker");
    });
    assert.deepEqual(await printed(page), before);
    await corrected(page, good);
    assert.ok(fronts().some((worker) => worker !== hung));
  }));
}

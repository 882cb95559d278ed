// Live editing of a source: the old result stays until the new one is there; the step of the pipeline, the function and the choice
// survive; the time of the front end and of the whole answer is in the status line.

import assert from "node:assert/strict";
import test from "node:test";
import { frames, holdCompiler, printed, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const SOURCES = {
  glslang: `#version 450
layout(location = 0) out vec4 color;

float wave(float x) {
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (x > float(i)) sum += sin(x);
    }
    return sum;
}

void main() {
    color = vec4(wave(gl_FragCoord.x));
}
`,
  naga: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn collatz(start: u32) -> u32 {
    var n = start;
    var steps = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
        steps += 1u;
    }
    return steps;
}

@compute @workgroup_size(1)
fn main() {
    data[0] = collatz(27u);
}
`,
};

const front = (page, name) => page.workers().find((worker) => worker.url().includes(name === "naga" ? "/sources-" : "/glsl-"));
const view = (page) => page.evaluate(() => ({
  step: document.querySelector("#steps [aria-current]")?.textContent,
  function: document.querySelector("#functions").value,
  chosen: document.querySelector("#rows .chosen")?.textContent,
  tab: document.body.dataset.tab,
}));

for (const [name, text] of Object.entries(SOURCES)) {
  test(`${name}: step, function, tab and choice survive an edit`, () => withPage(browser, async (page) => {
    await type(page, text);
    await settled(page);
    const last = await page.locator("#functions option").count();
    await page.locator("#functions").selectOption({ index: last - 1 });
    await settled(page);
    await page.locator("#output").focus();
    for (let at = 0; at < 3; at += 1) await page.keyboard.press("[");
    await settled(page);
    await page.locator("#rows .t-value").first().click();
    await settled(page);
    const before = await view(page);
    assert.ok(before.step && before.chosen, JSON.stringify(before));
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("// a comment that is typed");
    await settled(page);
    assert.deepEqual(await view(page), before);
    await page.keyboard.type("\nbroken");
    await settled(page);
    await page.locator("#problems button").first().waitFor();
    assert.deepEqual(await view(page), before, "with an error");
    for (let at = 0; at < 7; at += 1) await page.keyboard.press("Backspace");
    await settled(page);
    assert.deepEqual(await view(page), before, "after the correction");
  }));

  test(`${name}: the old result stays until the new one is there`, () => withPage(browser, async (page) => {
    await type(page, text);
    await settled(page);
    const before = await printed(page);
    // The front end answers when the test allows it.
    await front(page, name).evaluate(() => {
      const answer = self.onmessage;
      self.onmessage = (message) => {
        self.isAsked = true;
        self.release = () => {
          self.onmessage = answer;
          answer(message);
        };
      };
    });
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("// more");
    while (!await front(page, name).evaluate(() => self.isAsked)) await frames(page);
    await frames(page);
    assert.deepEqual(await printed(page), before);
    assert.ok(await page.locator("#status.pending").count() > 0);
    await front(page, name).evaluate(() => self.release());
    await settled(page);
    // The text of the source is part of the module.
    assert.ok((await printed(page)).some((line) => line.includes("// more")));
  }));

  test(`${name}: a text that is typed while the compiler reads an older one is compiled`, () => withPage(browser, async (page) => {
    await type(page, text);
    await settled(page);
    const compiler = await holdCompiler(page);
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("// ");
    // The first byte of a request is its kind: 2 opens the input.
    while (!await compiler.evaluate(() => self.held.some(({ data }) => data[0] === 2))) await frames(page);
    await page.keyboard.type("more");
    await compiler.evaluate(() => self.release());
    await settled(page);
    assert.ok((await printed(page)).some((line) => line.includes("// more")));
  }));

  test(`${name}: the status line has the time of the front end and of the answer`, () => withPage(browser, async (page) => {
    await type(page, text);
    await settled(page);
    await page.locator("#counts", { hasText: new RegExp(`${name} [\\d.]+ ms · [\\d.]+ ms$`) }).waitFor();
    const words = await page.locator("#counts").textContent();
    const [, part, whole] = /(?:glslang|naga) ([\d.]+) ms · ([\d.]+) ms$/.exec(words);
    assert.ok(Number(part) > 0 && Number(part) <= Number(whole), words);
    // Another step of the pipeline asks no front end.
    await page.locator("#output").focus();
    await page.keyboard.press("[");
    await settled(page);
    assert.doesNotMatch(await page.locator("#counts").textContent(), /glslang|naga/);
  }));
}

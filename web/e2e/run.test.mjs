// Running a version: pictures, buffers, outputs, reports; and stepping through one invocation of it.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, frames, overflow, pick, picture, ready, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const told = (page, text) => page.locator("#debugger-summary", { hasText: text }).waitFor();
const here = (page) => page.locator("#rows .here").evaluate((row) => Number(row.dataset.line));

/** Opens an example and its run. */
async function run(page, name) {
  await pick(page, name);
  await page.locator("#run").click();
  await told(page, "invocation-instructions");
}

/** Colors of the picture. */
const colors = (page) => page.evaluate(() => {
  const canvas = document.querySelector("#debugger-picture");
  const { data } = canvas.getContext("2d").getImageData(0, 0, 256, 256);
  return new Set(new Uint32Array(data.buffer)).size;
});

test("a fragment shader is a picture whose pixels have values", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  assert.ok(await colors(page) > 8, "colors");
  await page.locator("#debugger-picture").hover({ position: { x: 40, y: 30 } });
  await page.locator("#debugger-pixel", { hasText: /^pixel \(40, 30\): returned\nlocation 0 component 0: / }).waitFor();
  await page.locator("#debugger-compare").check();
  await told(page, "the same as the input");
  assert.ok(await page.locator("#debugger-difference").isVisible());
  const entry = page.locator("#debugger-entry option");
  assert.match(await entry.first().textContent(), /\(fragment\)/);
  await page.locator("#debugger-inputs button").first().click();
  await page.locator("#debugger-rows tr").first().waitFor();
}));

test("another version and another seed run again", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  const before = await page.locator("#debugger-summary").textContent();
  await page.locator("#steps button").first().click();
  await page.waitForFunction((before) => {
    const now = document.querySelector("#debugger-summary").textContent;
    return now !== before && now.includes("invocation-instructions");
  }, before);
  await page.locator("#debugger-seed").fill("7");
  await page.locator("#debugger-run").click();
  await told(page, "invocation-instructions");
}));

for (const [name, viewport] of Object.entries({ desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } })) {
  test(`inputs are set by name, for all invocations and for one: ${name}`, () => withPage(browser, async (page) => {
    await run(page, "texture.spvasm");
    const set = async (text) => {
      await page.locator("#assignment").fill(text);
      await page.locator("#assignment").press("Enter");
    };
    await set("picture = #ff8000");
    await page.locator("#assignments button", { hasText: "picture = #ff8000" }).waitFor();
    await page.waitForFunction(() => {
      const pixels = document.querySelector("#debugger-picture").getContext("2d").getImageData(0, 0, 256, 256).data;
      return new Set(new Uint32Array(pixels.buffer)).size === 1;
    });
    await set("picture = checker");
    await page.waitForFunction(() => document.querySelectorAll("#assignments li").length === 1, undefined);
    await page.waitForFunction(() => {
      const pixels = document.querySelector("#debugger-picture").getContext("2d").getImageData(0, 0, 256, 256).data;
      return new Set(new Uint32Array(pixels.buffer)).size > 1;
    });
    await page.locator("#debugger-inputs [data-draft]", { hasText: "Set" }).last().click();
    assert.match(await page.locator("#assignment").inputValue(), /^at = \(/);
    await set("at @ 3, 4 = (0.25, 0.75)");
    await set("mist = 1");
    await page.locator("#assignments .bad", { hasText: "there is no input `mist`" }).waitFor();
    await picture(page, `assignments-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#assignments [data-unassign]").last().click();
    await page.locator("#assignments .bad").waitFor({ state: "detached" });
    assert.equal(await page.locator("#assignments li").count(), 2);
    await settled(page);
    await page.reload();
    await ready(page);
    await page.locator("#run").click();
    await page.locator("#assignments button", { hasText: "picture = checker" }).waitFor();
    assert.equal(await page.locator("#assignments li").count(), 2, "the changes of inputs survive a reload");
    // The test reads the picture several times.
  }, { viewport, expected: /willReadFrequently/ }));
}

test("a buffer is a table by name, whose values can be changed", () => withPage(browser, async (page) => {
  await run(page, "particles.spvasm");
  await page.locator("#debugger-inputs button", { hasText: "storage" }).first().click();
  const row = page.locator("#debugger-rows tr", { hasText: "scene.particles[1].age" });
  await row.waitFor();
  await row.locator("button").click();
  assert.match(await page.locator("#assignment").inputValue(), /^scene\.particles\[1\]\.age = /);
  await page.locator("#assignment").fill("scene.particles[1].age = 0.375");
  await page.locator("#debugger-assign button").click();
  await page.locator("#debugger-rows button", { hasText: /^0\.375$/ }).waitFor();
  await picture(page, "buffer-by-name");
  assert.deepEqual(await axe(page), []);
  await page.locator("#assignments [data-unassign]").click();
  await page.waitForFunction(() => ![...document.querySelectorAll("#debugger-rows button")].some((button) => button.textContent === "0.375"));
}));

test("buffers are tables before and after, read in four ways", () => withPage(browser, async (page) => {
  await run(page, "particles.spvasm");
  assert.ok(await page.locator("#debugger-pictures").isHidden());
  await page.locator("#debugger-inputs button", { hasText: "storage" }).first().click();
  await page.locator("#debugger-rows .changed").first().waitFor();
  const cell = page.locator("#debugger-rows .changed").first();
  const float = await cell.textContent();
  await page.locator("#debugger-view").selectOption("hex");
  await page.locator("#debugger-rows .changed", { hasText: "0x" }).first().waitFor();
  assert.notEqual(await cell.textContent(), float);
  const rows = await page.locator("#debugger-rows tr").count();
  assert.ok(rows < 120, "only rows in view");
  await page.locator("#debugger-table").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
  await page.waitForFunction(() => document.querySelector("#debugger-rows tr th").textContent !== "0x0000" || document.querySelector("#debugger-table").scrollTop === 0);
}));

test("vertices are listed with their outputs", () => withPage(browser, async (page) => {
  await run(page, "matrix.spvasm");
  await page.locator("#debugger-inputs button", { hasText: "outputs" }).click();
  await page.locator("#debugger-rows tr").nth(9).waitFor();
  assert.match(await page.locator("#debugger-head").textContent(), /invocation/);
}));

const UNDEFINED = `out $0: f32 {location 0}

entry fragment "main" @0 ($0)

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32 = undef
  %2 = store %0, %1
  return
}
`;

test("undefined behavior is listed with its line", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("structurize{imported}");
  await type(page, UNDEFINED);
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  await page.locator("#run").click();
  await page.locator("#debugger-reports button", { hasText: "U002" }).click();
  await page.locator("#debugger-reports", { hasText: "an undefined value is written to visible memory or an output" }).waitFor();
}));

test("a pixel is stepped through: the next line, values beside the text, back and to the end", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  await page.locator("#debugger-picture").click({ position: { x: 100, y: 50 } });
  await page.locator("#debugger-position", { hasText: "pixel (100, 50)" }).waitFor();
  await page.locator("#rows .here").waitFor();
  const first = await here(page);
  await page.locator("#output").focus();
  await page.keyboard.press("j");
  await page.waitForFunction((first) => Number(document.querySelector("#rows .here")?.dataset.line) !== first, first);
  await page.keyboard.press("j");
  await page.locator("#rows u").first().waitFor();
  await page.locator("#debugger-position", { hasText: "2 steps" }).waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await page.locator("#debugger-position", { hasText: "0 steps" }).waitFor();
  assert.equal(await here(page), first);
  await page.locator("#step-over").click();
  await page.locator("#debugger-invocations").click();
  await page.locator("#debugger-rows [data-invocation='5']").click();
  await page.locator("#debugger-position", { hasText: "invocation 5" }).waitFor();
  assert.equal(await page.locator("#debugger-rows tr").count(), 64);
  await page.locator("#debugger-memory button").first().click();
  await page.locator("#debugger-name").waitFor();
  await page.locator("#step-end").click();
  await page.locator("#debugger-position", { hasText: "finished after" }).waitFor();
  await page.locator("#step-back").click();
  await page.locator("#rows .here").waitFor();
  await page.keyboard.press("Escape");
}));

test("stepping goes into, over and out of a call", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("structurize{imported}");
  await type(page, `in $0: u32 {builtin local_invocation_index}

entry compute "main" @0 ($0) {local_size 4 1 1}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32 = load %0
  %2: b32 = call @1(%1)
  %3: b32 = iadd %2, %1
  return
}

func @1(%0: b32) -> b32 tree {
^0:
  %1: b32 = iadd %0, %0
  return %1
}
`);
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  await page.locator("#run").click();
  await told(page, "invocation-instructions");
  await page.locator("#debugger-second").fill("3");
  await page.locator("#debugger-debug").click();
  await page.locator("#rows .here", { hasText: "deref.var" }).waitFor();
  for (const wanted of ["load", "call", "iadd %0, %0"]) {
    await page.locator("#step-into").click();
    await page.locator("#rows .here", { hasText: wanted }).waitFor();
  }
  assert.equal(await page.locator("#debugger-stack li").count(), 2);
  await page.locator("#step-out").click();
  await page.locator("#rows .here", { hasText: "iadd %2, %1" }).waitFor();
  await page.locator("#rows u", { hasText: /^6$/ }).waitFor();
  await page.locator("#rows [data-line] .link", { hasText: /^%0$/ }).first().click();
  await page.locator("#step-back").click();
  await page.locator("#debugger-close").click();
  assert.equal(await page.locator("#rows u").count(), 0);
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: a run and a step fit and axe finds nothing`, () => withPage(browser, async (page) => {
      await run(page, "texture.spvasm");
      await page.locator("#debugger-inputs button").first().click();
      await page.locator("#debugger-rows tr").first().waitFor();
      await frames(page);
      await picture(page, `run-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
      await page.locator("#debugger-first").fill("100");
      await page.locator("#debugger-debug").click();
      for (let at = 0; at < 6; at += 1) await page.locator("#step-into").click();
      await page.locator("#rows u").first().waitFor();
      await page.locator("#debugger-position", { hasText: "6 steps" }).waitFor();
      await frames(page);
      await picture(page, `step-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

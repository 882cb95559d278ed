// Quasi-pointers on the page: the stages of memory in columns, the paths of pointers, and the map of bytes.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, overflow, pick, picture, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const heads = (page) => page.locator("#columns-head b").allTextContents();
const lines = (page) => page.locator("#memory li, #memory h3").allTextContents();

/** Shows the map of the example. */
async function map(page) {
  await pick(page, "lights.ir");
  await page.locator("#tab-memory").click();
  await page.locator("#memory .ruler").first().waitFor();
}

test("one click leads to memory as bytes and back, side by side", () => withPage(browser, async (page) => {
  await pick(page, "lights.ir");
  await page.locator("#tab-columns").click();
  await page.locator("#columns-pointers").click();
  await page.waitForFunction(() => [...document.querySelectorAll("#columns-head b")].some((head) => head.textContent === "qptr-lift"));
  assert.deepEqual((await heads(page)).slice(1), ["qptr-lower", "qptr-analyze", "qptr-lift"]);
  assert.match(await page.locator("#pipeline").inputValue(), /qptr/);
  // It runs beside the pipeline of the input, which keeps its tab; the same click shows the tab again.
  const tabs = page.locator("#tabs [data-input-tab]");
  assert.deepEqual(await tabs.evaluateAll((all) => all.map((tab) => tab.textContent.trim())), ["lights.ir", "lights.ir · quasi-pointers"]);
  await tabs.first().click();
  await settled(page);
  assert.doesNotMatch(await page.locator("#pipeline").inputValue(), /qptr/);
  await page.locator("#tab-columns").click();
  await page.locator("#columns-pointers").click();
  await page.locator("#columns-head b", { hasText: "qptr-lift" }).waitFor();
  await becomes(() => tabs.count(), 2, "the same click shows the tab again");
  const text = await page.locator("#columns-rows").textContent();
  for (const wanted of ["bytes(16 + n * 32) was #Scene_1", "usage", '"lights[].radius"', "ptr.dyn_offset", "deref.elem"]) {
    assert.ok(text.includes(wanted), wanted);
  }
  const color = (selector) => page.locator(selector).first().evaluate((token) => getComputedStyle(token).color);
  const blue = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--keyword)";
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
  });
  assert.equal(await color("#columns-rows .added .t-qptr, #columns-rows .changed .t-qptr"), blue);
  assert.ok(await page.locator("#columns-rows .gone").count() > 0, "what went is marked");
}));

test("a pipeline with the preset opens columns with its steps", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest, qptr");
  await settled(page);
  await page.locator("#tab-columns").click();
  await page.locator("#columns-head b", { hasText: "qptr-lift" }).waitFor();
  assert.deepEqual((await heads(page)).slice(1), ["qptr-lower", "qptr-analyze", "qptr-lift"]);
}));

test("the description of a pointer has its path, in columns and in the text", () => withPage(browser, async (page) => {
  await pick(page, "lights.ir");
  await page.locator("#pipeline").fill("qptr-lower");
  await settled(page);
  const load = page.locator("#rows > div", { hasText: "{offset 28}" }).first();
  await load.locator(".link").first().hover();
  await page.locator("#about", { hasText: /points to lights\[%9\]\.radius: byte 28 \+ %9 \* 32 of scene/ }).waitFor();
  const step = page.locator("#rows > div", { hasText: "ptr.dyn_offset" }).first();
  await step.locator(".link").first().hover();
  await page.locator("#about", { hasText: /points to lights\[%9\]:/ }).waitFor();
  await load.locator(".link").first().click();
  const facts = page.locator("#inspect-lines");
  await facts.getByText("lights[%9].radius").waitFor();
  await facts.locator("[role=button]", { hasText: /^address byte/ }).locator(".t-note").click();
  await page.locator("#memory .ruler").first().waitFor();
}));

test("the map shows the fields of memory, and the instructions that read and write them", () => withPage(browser, async (page) => {
  await map(page);
  const told = (await lines(page)).map((line) => line.replace(/\s+/g, " "));
  for (const wanted of [
    /^scene, storage: 16 bytes, and an array of any length$/, /^0–4 count: u32$/, /^4–16 padding$/,
    /^lights\[\]: every 32 bytes, from byte 16$/, /^16–28 lights\[\]\.color: f32x3 never used$/,
    /^12–16 RW b32 read\+write lights\[\]\.radius$/, /^%19 = store %12, %18$|store/,
  ]) assert.ok(told.some((line) => wanted.test(line)), `${wanted}: ${told.join("\n")}`);
  // A click on an access chooses its instruction in every pane.
  await page.locator("#memory .site button", { hasText: "store" }).first().click();
  await page.locator("#inspect-lines", { hasText: "store" }).waitFor();
  await page.locator("#memory .used.chosen-line").first().waitFor();
  await page.locator("#memory .bar.used").first().hover();
  assert.ok(await page.locator("#memory .on").count() >= 2, "the bar and its line");
  // Another variable, and the elements of an array.
  await page.locator("#memory-variable").selectOption({ label: "camera, uniform" });
  await page.locator("#memory h3", { hasText: "view[]: 4 times, every 16 bytes" }).waitFor();
  await page.locator("#memory [data-segment]").first().click();
}));

test("keys open the map, move through it and close it", () => withPage(browser, async (page) => {
  await pick(page, "lights.ir");
  await page.locator("h1").click();
  await page.keyboard.press("b");
  await page.locator("#memory .ruler").first().waitFor();
  await page.locator("#memory").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.closest("#memory-map") !== null), true);
  await page.keyboard.press("Enter");
  await page.keyboard.press("b");
  await page.locator("#output").waitFor();
  await becomes(() => page.locator("#tab-ir").getAttribute("aria-pressed"), "true");
}));

test("large memory is drawn in parts, a program without memory is reported", () => withPage(browser, async (page) => {
  const members = Array.from({ length: 3000 }, (_, at) => `  m${at}: f32 {offset ${at * 4}}`).join("\n");
  await type(page, `struct #0 {block} {\n${members}\n}\n\nuniform $0: #0 {set 0, binding 0}\n`);
  await settled(page);
  await page.locator("#tab-memory").click();
  await page.locator("#memory .ruler", { hasText: "bytes a cell" }).waitFor();
  assert.ok(await page.locator("#memory li").count() <= 700);
  await page.locator("#memory [data-more]").click();
  await page.waitForFunction(() => document.querySelectorAll("#memory li").length > 700);
  await type(page, "func @0() graph {\n^0:\n  return\n}\n");
  await page.locator("#memory-map", { hasText: "no variable with bytes" }).waitFor();
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: map and columns fit and axe finds nothing`, () => withPage(browser, async (page) => {
      const show = async (pane) => viewport.width < 760 && page.locator("nav button", { hasText: pane }).click();
      await show("Input");
      await pick(page, "lights.ir");
      await show("Text");
      await page.locator("#tab-memory").click();
      await page.locator("#memory .ruler").first().waitFor();
      await page.locator("#memory .site button").first().click();
      await picture(page, `memory-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
      await page.locator("#tab-columns").click();
      await page.locator("#columns-pointers").click();
      await page.locator("#columns-head b", { hasText: "qptr-lift" }).waitFor();
      await picture(page, `qptr-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

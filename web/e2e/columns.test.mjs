// Versions side by side: their choice, their rows, pointer and keys.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { becomes, pick, picture, startBrowser, withPage } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** Shows the columns and waits for their rows. */
async function open(page) {
  await page.locator("#tab-columns").click();
  await rows(page).first().waitFor();
}

const rows = (page) => page.locator("#columns-rows > div");
const heads = (page) => page.locator("#columns-head b").allTextContents();

/** The words in the drawn rows of a column, top to bottom. */
const column = (page, at) => page.locator(`#columns-rows .line[data-column="${at}"]`).evaluateAll((cells) =>
  cells.map((cell) => [...cell.childNodes].slice(1).map((node) => node.textContent).join("")));

async function violations(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
}

test("columns open with some versions, folded, and each reads as its version", () => withPage(browser, async (page) => {
  await open(page);
  const names = await heads(page);
  assert.ok(names.length >= 2 && names[0] === "input", String(names));
  assert.ok(await page.locator("#columns-rows .fold, #columns-rows .added").count() > 0);
  await page.locator("#columns-fold").click();
  await page.waitForFunction(() => !document.querySelector("#columns-rows .fold"));
  const last = await column(page, names.length - 1);
  await page.locator("#tab-ir").click();
  await page.locator("#rows > div").first().waitFor();
  const text = await page.locator("#rows > div").evaluateAll((rows) =>
    rows.map((row) => [...row.childNodes].slice(1).map((node) => node.textContent).join("")));
  assert.deepEqual(last.slice(0, 20), text.slice(0, 20));
}));

test("steps become columns by Ctrl and Shift on the timeline, by the list and by keys", () => withPage(browser, async (page) => {
  await page.locator("#steps button").nth(2).click({ modifiers: ["Control"] });
  await rows(page).first().waitFor();
  await page.locator("#columns-ends").click();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  await page.locator("#steps button").nth(3).click({ modifiers: ["Control"] });
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 3);
  await becomes(() => page.locator("#steps .column").count(), 3);
  await page.locator("#columns-pick summary").click();
  await page.locator("#columns-steps input").nth(3).uncheck();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  await page.locator("#columns-steps input").nth(1).check();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 3);
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#columns-pick[open]").count(), 0);
  await page.locator("#columns-head [data-drop]").nth(1).click();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  await page.locator("#steps button").nth(4).click();
  await page.locator("#columns").focus();
  await page.keyboard.press("x");
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 3);
  await page.keyboard.press("x");
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  const count = await page.locator("#steps button").count();
  await page.locator("#steps button").nth(count - 1).click({ modifiers: ["Shift"] });
  await page.waitForFunction((count) => document.querySelectorAll("#columns-head b").length >= count - 4, count);
  await page.locator("#columns-changed").click();
  const changed = await page.locator("#steps .changed").count();
  await page.waitForFunction((count) => document.querySelectorAll("#columns-head b").length === count, changed + 1);
}));

test("pointing highlights a value in every column; a click on a use goes to its definition", () => withPage(browser, async (page) => {
  await open(page);
  await page.locator("#columns-fold").click();
  await page.waitForFunction(() => !document.querySelector("#columns-rows .fold"));
  const shared = await page.evaluate(() => {
    const of = (column) => new Set([...document.querySelectorAll(`#columns-rows [data-column="${column}"] .t-value`)].map((link) => link.dataset.id));
    const [first, second] = [of(0), of(1)];
    return [...first].find((id) => second.has(id));
  });
  await page.locator(`#columns-rows [data-column="0"] [data-id="${shared}"]`).first().hover();
  for (const at of [0, 1]) await page.locator(`#columns-rows [data-column="${at}"] .lit`).first().waitFor();
  const use = await page.evaluate(() => {
    const links = [...document.querySelectorAll('#columns-rows [data-column="0"] .t-value')];
    const seen = new Set();
    return links.find((link) => seen.has(link.dataset.id) || !seen.add(link.dataset.id))?.dataset.span;
  });
  await page.locator(`#columns-rows [data-span="${use}"]`).click();
  await page.locator('#columns-rows [data-column="0"] .chosen.def').waitFor();
  await page.locator("#inspect:not([hidden]) .s0").waitFor();
}));

test("keys move through rows and cells, and open a fold", () => withPage(browser, async (page) => {
  await pick(page, "do-while.spvasm");
  await open(page);
  await page.locator("#columns").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator("#columns-rows .here").waitFor();
  for (let at = 0; at < 60 && !(await page.locator("#columns-rows .fold .here").count()); at += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await becomes(() => page.locator("#columns-rows .fold .here").count(), 1, "a fold to stop at");
  const folds = await page.locator("#columns-rows .fold").count();
  await page.keyboard.press("Enter");
  await page.waitForFunction((folds) => document.querySelectorAll("#columns-rows .fold").length < folds, folds);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator("#columns-rows .chosen").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("#columns-rows .lit"));
}));

test("columns widen, scroll sideways together, and unchanged cells keep their hue", () => withPage(browser, async (page) => {
  await pick(page, "lights.ir");
  await open(page);
  await page.locator("#columns-pointers").click();
  await page.locator("#columns-head b", { hasText: "qptr-lift" }).waitFor();
  const width = () => page.locator("#columns").evaluate((pane) => pane.scrollWidth);
  const before = await width();
  await page.locator("#columns-wide").click();
  await page.locator("#columns-wide[aria-pressed=true]").waitFor();
  await page.waitForFunction((before) => document.querySelector("#columns").scrollWidth > before, before);
  const lefts = () => page.evaluate(() => ["#columns-head > div:nth-child(3)", "#columns-rows [data-column='1']"].map((selector) => document.querySelector(selector).getBoundingClientRect().left));
  const [head, cell] = await lefts();
  assert.ok(Math.abs(head - cell) < 1, "a column is below its head");
  await page.locator("#columns").evaluate((pane) => { pane.scrollLeft = 120; });
  const moved = await lefts();
  assert.deepEqual(moved.map(Math.round), [head - 120, cell - 120].map(Math.round));
  const color = (selector) => page.locator(selector).first().evaluate((token) => getComputedStyle(token).color);
  await page.locator("#columns-rows .same .t-op").first().waitFor();
  await page.locator("#columns-rows .t-qptr").first().waitFor();
  const colors = await Promise.all(["#columns-rows .same .t-op", "#columns-rows .t-qptr"].map(color));
  for (const each of colors) {
    const channels = each.match(/[\d.]+/g).slice(0, 3).map((channel) => Number(channel) * (each.startsWith("color(") ? 255 : 1));
    assert.ok(Math.max(...channels) - Math.min(...channels) > 20, `${each} is not gray`);
  }
  assert.notEqual(colors[0], colors[1]);
}));

test("only rows in view are elements, and scrolling adds the others", () => withPage(browser, async (page) => {
  const adds = Array.from({ length: 4000 }, (_, at) => `  %${at + 1}: b32 = iadd %${at}, %0`).join("\n");
  await page.locator("#pipeline").fill("structurize{imported}");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  const text = `func @0(%0: b32) -> b32 graph {\n^0:\n${adds}\n  return %4000\n}\n`;
  await page.locator("#file").setInputFiles({ name: "long.ir", mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.locator("#counts", { hasText: "4000 instructions" }).waitFor();
  await open(page);
  await page.locator("#columns-fold").click();
  await page.waitForFunction(() => parseInt(getComputedStyle(document.querySelector("#columns-body")).height) > 60_000);
  assert.ok(await rows(page).count() < 300);
  await page.locator("#columns").evaluate((pane) => (pane.scrollTop = 50_000));
  await page.locator("#columns-rows", { hasText: "%2500" }).waitFor();
  assert.ok(await rows(page).count() < 300);
}));

test("another pipeline and another input have their own columns", () => withPage(browser, async (page) => {
  await open(page);
  await page.locator("#pipeline").fill("structurize{imported}, dce");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 3);
  await page.waitForFunction(() => [...document.querySelectorAll("#columns-head b")].at(-1)?.textContent !== "lower-exits");
  assert.ok((await heads(page)).every((name) => /^(input|structurize|dce)/.test(name)), String(await heads(page)));
  await pick(page, "loop.ir");
  await page.locator("#columns-rows", { hasText: "func" }).first().waitFor();
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: the columns fit and axe finds nothing`, () => withPage(browser, async (page) => {
      if (viewport.width < 760) await page.locator("nav button", { hasText: "Text" }).click();
      await open(page);
      await page.locator("#columns-rows .link").nth(3).click();
      await page.locator("#columns-rows .lit").first().waitFor();
      await picture(page, `columns-${name}-${colorScheme}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) <= 0);
      assert.deepEqual(await violations(page), []);
      if (viewport.width < 760) {
        const width = await page.locator("#columns").evaluate((pane) => pane.clientWidth);
        const cell = await page.locator("#columns-head > div").nth(1).boundingBox();
        assert.ok(cell.width > width * 0.75 && cell.width < width, "one column at a time");
      }
    }, { viewport, colorScheme }));
  }
}

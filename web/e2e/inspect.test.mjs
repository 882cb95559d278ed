// The inspector: definition, uses, origin and later versions; the input, the text and the graph
// highlight the chosen value.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { becomes, pick, picture, settled, startBrowser, withPage } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const pane = (page) => page.locator("#inspect:not([hidden]):not(.stale)");
const definition = (page) => pane(page).locator(".s0").textContent();

/** Goes to the first version. */
async function toInput(page) {
  await page.locator("#steps button").first().click();
  await settled(page);
}

test("the inspector shows type, block, uses and history of a value; the key closes and opens it", () => withPage(browser, async (page) => {
  await toInput(page);
  await becomes(() => page.locator("#inspect:not([hidden])").count(), 0);
  await page.locator("#rows div", { hasText: /fmul|fadd|fdot/ }).locator(".t-value").first().click();
  await pane(page).waitFor();
  assert.match(await definition(page), /^%\w+: b32/);
  const facts = await pane(page).locator(".s1").textContent();
  assert.match(facts, /type f32/);
  assert.match(facts, /position \^\d+/);
  assert.match(facts, /live over/);
  assert.ok(await pane(page).locator(".s2 li").count() > 0, "uses");
  assert.match(await pane(page).locator(".s3").textContent(), /read from words \d+ to \d+/);
  assert.ok(await pane(page).locator(".s4 li").count() > 0, "later changes");
  await page.locator("h1").click();
  await page.keyboard.press("i");
  await becomes(() => page.locator("#inspect:not([hidden])").count(), 0);
  await becomes(() => page.locator("#inspect-toggle").getAttribute("aria-pressed"), "false");
  await page.keyboard.press("i");
  await pane(page).waitFor();
  await page.locator("#inspect-close").click();
  await becomes(() => page.locator("#inspect:not([hidden])").count(), 0);
}));

test("a use goes to the text, a version to its step, an origin to the input", () => withPage(browser, async (page) => {
  await toInput(page);
  await page.locator("#rows div", { hasText: /fmul|fadd|fdot/ }).locator(".t-value").first().click();
  await pane(page).waitFor();
  const name = (await definition(page)).split(":")[0];
  await pane(page).locator(".s2 .leads").first().click();
  await page.locator("#rows .chosen:not(.def)", { hasText: name }).waitFor();
  await pane(page).locator(".s3 .leads", { hasText: "read from" }).click();
  const selected = await page.evaluate(() => getSelection().toString());
  assert.match(selected, /^%\w+ = Op/);
  const became = pane(page).locator(".s4 .leads").first();
  await became.click();
  await settled(page);
  assert.notEqual((await page.locator("#step .place").textContent()).split(" / ")[0], "0");
  await pane(page).locator(".s0").waitFor();
}));

test("the inspector shows blocks, variables and functions, too", () => withPage(browser, async (page) => {
  await page.locator("#rows .t-block").first().click();
  await pane(page).locator(".s1", { hasText: "instruction" }).waitFor();
  assert.match(await definition(page), /^\^\d+/);
  await page.locator("#output").evaluate((pane) => (pane.scrollTop = 0));
  await page.locator("#rows .t-name", { hasText: "$" }).first().click();
  await pane(page).locator(".s1", { hasText: "storage" }).waitFor();
  assert.ok(await pane(page).locator(".s2 li").count() > 0);
  await page.locator("#rows .t-name", { hasText: "@" }).first().click();
  await pane(page).locator(".s1", { hasText: "blocks" }).or(pane(page).locator(".s1", { hasText: "block," })).first().waitFor();
}));

test("lines work by keys", () => withPage(browser, async (page) => {
  await toInput(page);
  await page.locator("#rows div", { hasText: /fmul|fadd|fdot/ }).locator(".t-value").first().click();
  await pane(page).locator(".s2 .leads").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("#rows .chosen:not(.def)").waitFor();
}));

test("the caret in the input highlights the IR and the graph; the IR highlights the line of the input", () => withPage(browser, async (page) => {
  await toInput(page);
  // Only lines in view have colors.
  await page.locator("#editor .cm-scroller").evaluate((scroller) => { scroller.scrollTop = 300; });
  const name = page.locator("#editor .cm-line", { hasText: /= Op(FMul|FAdd|Dot|Load)/ }).first();
  await name.locator("span", { hasText: /^Op(FMul|FAdd|Dot|Load)$/ }).first().click();
  await page.locator("#rows .lit.def").first().waitFor();
  await page.locator("#scene .lit").first().waitFor({ state: "attached" });
  const origin = () => page.locator("#editor .cm-origin").evaluateAll((lines) => lines.map((line) => line.textContent).join());
  assert.match(await origin(), /= Op(FMul|FAdd|Dot|Load)/);
  const before = await origin();
  await page.locator("#rows .t-value.link").first().hover();
  await page.waitForFunction((before) =>
    [...document.querySelectorAll("#editor .cm-origin")].map((line) => line.textContent).join() !== before, before);
}));

test("a value chosen in the IR is highlighted in its SPIR-V", () => withPage(browser, async (page) => {
  const values = () => page.locator("#rows .t-value.link").evaluateAll((links) => links.map((link) => link.dataset.id));
  await page.locator("#rows div", { hasText: /fmul|fadd|fdot/ }).locator(".t-value").first().click();
  const ofIr = await values();
  await page.locator("#tab-target").click();
  // Until the SPIR-V arrives, the highlighted line is that of the IR.
  await page.locator("#rows div", { has: page.locator(".lit.def"), hasText: /= Op/ }).waitFor();
  const lit = await page.locator("#rows .lit").first().getAttribute("data-id");
  const id = (await values()).find((id) => id !== lit && ofIr.includes(id));
  await page.locator(`#rows .link[data-id="${id}"]`).first().click();
  await page.locator("#tab-ir").click();
  await page.locator(`#rows .lit[data-id="${id}"]`).first().waitFor();
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: the inspector fits and axe finds nothing`, () => withPage(browser, async (page) => {
      if (viewport.width < 760) await page.locator("nav button", { hasText: "Text" }).click();
      await settled(page);
      await page.locator("#rows .t-value.link").nth(2).click();
      await pane(page).locator(".s1 li").first().waitFor();
      await page.locator("#rows .chosen").waitFor();
      await picture(page, `inspect-${name}-${colorScheme}`);
      const inside = await page.evaluate(() => {
        const [chosen, pane] = ["#rows .chosen", "#output"].map((query) => document.querySelector(query).getBoundingClientRect());
        return chosen.top >= pane.top && chosen.bottom <= pane.bottom;
      });
      assert.ok(inside, "the chosen line stays in view");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) <= 0);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`), []);
    }, { viewport, colorScheme }));
  }
}

test("the inspector shows examples of each kind without errors", () => withPage(browser, async (page) => {
  for (const name of ["loop.ir", "functions.ir", "barrier.spvasm"]) {
    await pick(page, name);
    await page.locator("#rows .t-value.link").first().click();
    await pane(page).locator(".s1 li").first().waitFor();
  }
}));

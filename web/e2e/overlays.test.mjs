// Results of analyses on the page: overlays of the graph, the inspector, the timeline, the catalog.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, more, overflow, pick, ready, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const LOOP = `func @0(%0: b32) -> b32 tree {
^0:
  %1: b32 = const 0
  %2: b32 = const 1
  %3: b32 = const 4
  loop !0(%1, %0) {
  ^1(%4: b32, %5: b32):
    %6: b1 = ilt %4, %3
    if !1 %6 {
    ^2:
      next
    } else {
    ^3:
      break !0(%5)
    }
  ^4:
    %7: b32 = iadd %4, %2
    %8: b32 = imul %5, %5
    next(%7, %8)
  }
^5(%9: b32):
  return %9
}
`;

/** Opens a text with a pipeline. */
async function open(page, text, pipeline) {
  await more(page);
  await page.locator("#pipeline").fill(pipeline);
  await type(page, text);
  await settled(page);
}

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 640 } };

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`${name}: the header of a loop has its trip count, and blocks have their costs`, () => withPage(browser, async (page) => {
    const small = name !== "desktop";
    if (small) await page.locator("nav button", { hasText: "Input" }).click();
    await open(page, LOOP, "structurize");
    if (small) await page.locator("nav button", { hasText: "Graph" }).click();
    const words = () => page.locator("#scene").textContent();
    const button = page.locator("#overlays");
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await page.locator("#fit").click();
    await button.click();
    await ready(page);
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await page.locator("#zoom").click();
    await page.waitForFunction(() => /loop: trip count 4/.test(document.querySelector("#scene").textContent));
    assert.match(await words(), /%4 from 0 by 1, in 0\.\.=4/);
    assert.match(await words(), /cost \d+ × 4/);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#graph").focus();
    await page.keyboard.press("a");
    await page.waitForFunction(() => !/loop: trip count/.test(document.querySelector("#scene").textContent));
    assert.equal(await button.getAttribute("aria-pressed"), "false");
  }, { viewport }));
}

test("overlays stay on when the program changes and when another step is shown", () => withPage(browser, async (page) => {
  await open(page, LOOP, "algebraic, flatten");
  await page.locator("#graph").focus();
  await page.keyboard.press("a");
  await page.waitForFunction(() => /trip count 4/.test(document.querySelector("#scene").textContent));
  await open(page, LOOP.replace("const 4", "const 7"), "algebraic, flatten");
  await page.waitForFunction(() => /trip count 7/.test(document.querySelector("#scene").textContent));
  await page.locator("#steps button").first().click();
  await settled(page);
  assert.match(await page.locator("#scene").textContent(), /trip count 7/);
}));

test("a skipped step has its reason, a step that ran has its time", () => withPage(browser, async (page) => {
  await open(page, LOOP, "structurize, algebraic");
  const chips = page.locator("#steps button");
  await chips.nth(1).click();
  await settled(page);
  assert.match(await chips.nth(1).getAttribute("title"), /skipped: requires graphs, but no function is one; `flatten` creates them/);
  assert.match(await page.locator("#step").textContent(), /skipped: requires graphs/);
  assert.ok(await chips.nth(1).evaluate((chip) => chip.classList.contains("skipped")));
}));

test("the catalog finds analyses and shows an example of each", () => withPage(browser, async (page) => {
  await pick(page, "loop.ir");
  await page.locator("h1").click();
  await page.keyboard.press("E");
  await page.locator("#passes-found li button").first().waitFor();
  for (const name of ["alias", "cost", "divergence", "induction", "range"]) {
    await page.locator("#passes-find").fill(name);
    const entry = page.locator("#passes-found li", { has: page.locator("i", { hasText: "analysis" }) }).first();
    await entry.locator("[data-read]").click();
    await page.locator("#passes-about pre").first().waitFor();
  }
}));

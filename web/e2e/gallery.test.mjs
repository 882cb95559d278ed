// The gallery of examples: a picture and a sentence for each, search, keys, small screens; every example opens and runs.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, axe, becomes, overflow, picture, ready, settled, startBrowser, withPage } from "./harness.mjs";

/** False for a page that was built without Slang, as without a connection to the registry. */
const HAS_SLANG = URL_ROOT ? (await (await fetch(URL_ROOT)).text()).includes("data-slang-mb=") : false;

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const open = async (page) => {
  await page.locator("#gallery-open").click();
  await page.locator("#gallery[open]").waitFor();
};
const isForSlang = (name) => /\.(hlsl|slang)$/.test(name);
const names = (page) => page.locator("#gallery li:not([hidden]) b").allTextContents();
const focused = (page) => page.evaluate(() => document.activeElement.dataset.path ?? document.activeElement.type);

test("every example of the menu has a picture and a sentence", () => withPage(browser, async (page) => {
  const menu = await page.locator("#examples option:not([disabled])").allTextContents();
  assert.ok(menu.length >= 36);
  const requested = () => page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/gallery/")).length);
  assert.equal(await requested(), 0, "the first visit loads no pictures");
  await open(page);
  await becomes(() => page.locator("#gallery img[loading=lazy]").count(), menu.length);
  assert.deepEqual(await names(page), menu);
  const sentences = await page.locator("#gallery .example span").allTextContents();
  assert.ok(sentences.every((sentence) => /^[A-Z0-9].{10,124}\.$/.test(sentence)), sentences.join("\n"));
  // Pictures load when they come into view.
  for (const card of await page.locator("#gallery .example").all()) await card.scrollIntoViewIfNeeded();
  await page.waitForFunction((count) => [...document.querySelectorAll("#gallery img")].filter((of) => of.complete && of.naturalWidth > 0).length === count, menu.length);
  assert.deepEqual(await axe(page), []);
  await picture(page, "gallery");
}));

test("each example opens from the gallery and runs", () => withPage(browser, async (page) => {
  const menu = await page.locator("#examples option:not([disabled])").allTextContents();
  for (const name of menu) {
    await open(page);
    await page.locator("#gallery .example", { has: page.locator("b", { hasText: new RegExp(`^${name.replaceAll(".", "\\.")}$`) }) }).click();
    await page.locator("#name", { hasText: name }).waitFor();
    await ready(page);
    await settled(page);
    if (isForSlang(name)) {
      if (!HAS_SLANG) continue;
      const load = page.getByRole("button", { name: "Load Slang" });
      if (await load.count()) await load.first().click();
      await page.waitForFunction(() => !/error/i.test(document.getElementById("problems").innerText));
    }
    assert.doesNotMatch(await page.locator("#problems").innerText().catch(() => ""), /error/i, name);
    assert.ok((await page.locator("#scene").textContent()).length > 0, name);
    await page.locator("#run").click();
    await page.waitForFunction(() => document.getElementById("debugger-summary").textContent !== "");
    assert.doesNotMatch(await page.locator("#debugger-summary").textContent(), /cannot|error|failed/i, name);
    await page.locator("#debugger-close").click();
  }
}));

test("search and keys", () => withPage(browser, async (page) => {
  await open(page);
  assert.equal(await focused(page), "search");
  await page.keyboard.type("shared memory");
  assert.deepEqual(await names(page), ["reduction.wgsl", "sort.wgsl", "prefix.comp", "transpose.hlsl"]);
  await page.locator("#gallery input").fill("nothing of this kind");
  await page.locator("#gallery .none").waitFor();
  await page.locator("#gallery input").fill("");
  await page.keyboard.press("ArrowDown");
  const first = await focused(page);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(page), first);
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(page), "search");
  await page.keyboard.press("Escape");
  await page.locator("#gallery[open]").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement.id === "gallery-open");
  await open(page);
  await page.keyboard.type("mandelbrot");
  await page.keyboard.press("Enter");
  await page.locator("#name", { hasText: "mandelbrot.wgsl" }).waitFor();
  await settled(page);
}));

for (const colorScheme of ["light", "dark"]) {
  test(`a phone shows the gallery, ${colorScheme}`, () => withPage(browser, async (page) => {
    await open(page);
    assert.ok(await overflow(page) <= 0);
    const width = await page.locator("#gallery .example").first().evaluate((card) => card.getBoundingClientRect().width);
    assert.ok(width > 340, `${width}`);
    const heights = await page.locator("#gallery :is(.example, input, .square)").evaluateAll((all) => all.map((of) => of.offsetHeight));
    assert.ok(heights.every((height) => height >= 44));
    await picture(page, `gallery-phone-${colorScheme}`);
  }, { viewport: { width: 390, height: 844 }, colorScheme }));
}

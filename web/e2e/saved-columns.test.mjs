// Columns are saved as files: a page that needs no script, and a picture, each with the chosen versions.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { becomes, pick, picture, startBrowser, withPage } from "./harness.mjs";

// The browser reports the address of a download as a request.
const expected = /^failed: blob:|^request elsewhere: blob:/;
let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** Shows the first and the last version, and saves the columns in a format. Returns the file's path. */
async function save(page, format, suggested) {
  await pick(page, "particles.spvasm");
  await page.locator("#tab-columns").click();
  await page.locator("#columns-ends").click();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").selectOption(format)]);
  assert.equal(download.suggestedFilename(), suggested);
  return download.path();
}

for (const colorScheme of ["light", "dark"]) {
  test(`columns as a page without script, ${colorScheme}`, () => withPage(browser, async (page) => {
    const text = readFileSync(await save(page, "columns", "particles.html"), "utf8");
    assert.ok(!/<script|https?:|\son\w+=/.test(text.replace("http://www.w3.org", "")), "no script, nothing is loaded");
    const context = await browser.newContext({ javaScriptEnabled: false, colorScheme, viewport: { width: 1440, height: 900 } });
    try {
      const saved = await context.newPage();
      await saved.setContent(text);
      await becomes(() => saved.locator("th").count(), 2);
      assert.ok(await saved.locator("td.differs").count() > 0);
      const fold = saved.locator(".fold").filter({ hasText: /Show \d+ rows that are the same/ }).first();
      const hidden = fold.locator("xpath=following-sibling::tbody[1]");
      await becomes(() => hidden.isVisible(), false);
      await picture(saved, `saved-columns-${colorScheme}`);
      await fold.getByRole("checkbox").check();
      await becomes(() => hidden.isVisible(), true);
      // Without a fold between them, lines begin at the left edge of their column.
      const shown = await saved.locator("tbody:not(.fold)").evaluateAll((bodies) => bodies.map((body) =>
        [...body.rows].map((row) => row.cells[1].textContent).filter((text) => text.trim()).map((text) => text.search(/\S/))));
      for (const depths of shown.filter((depths) => depths.length > 0)) assert.equal(Math.min(...depths), 0);
    } finally {
      await context.close();
    }
  }, { expected }));
}

test("columns as a picture", () => withPage(browser, async (page) => {
  const path = await save(page, "columns-svg", "particles.svg");
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const saved = await context.newPage();
    await saved.setContent(readFileSync(path, "utf8"));
    await becomes(() => saved.locator("svg .head").count(), 2);
    assert.ok(await saved.locator("svg rect.differs").count() > 0);
    assert.ok(await saved.locator("svg .fold").count() > 0);
    const outside = await saved.evaluate(() => {
      const { right, bottom } = document.querySelector("svg").getBoundingClientRect();
      return [...document.querySelectorAll("svg text")].map((text) => text.getBoundingClientRect()).filter((box) => box.right > right || box.bottom > bottom).length;
    });
    assert.equal(outside, 0, "texts outside of the picture");
    await picture(saved, "saved-columns-svg");
  } finally {
    await context.close();
  }
}, { expected }));

test("a picture of columns is no graph: PNG stays that of the graph", () => withPage(browser, async (page) => {
  const labels = await page.locator("#save option").allTextContents();
  assert.deepEqual(labels.filter((label) => /Columns|PNG/.test(label)), ["Graph as PNG", "Columns as HTML", "Columns as SVG"]);
}));

// The pipeline as a list: in sync with its text, by pointer and by keys; the catalog; the reasons of a step.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, more, overflow, pick, picture, ready, settled, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const text = (page) => page.locator("#pipeline").inputValue();
const rows = (page) => page.locator("#passes-list b").allTextContents();
const part = (page, row, name) => page.locator(`[data-row="${row}"] [data-part="${name}"]`);

/** Opens the list with a pipeline. */
async function list(page, pipeline) {
  await more(page);
  await page.locator("#pipeline").fill(pipeline);
  await page.locator("h1").click();
  await page.keyboard.press("E");
  await page.locator("#passes-list li").first().waitFor();
  await page.locator("#passes-found li button").first().waitFor();
  await settled(page);
}

test("rows and text are in sync both ways", () => withPage(browser, async (page) => {
  await list(page, "ingest, fix(3: cse, -dce), structurize{imported}");
  assert.deepEqual(await rows(page), ["ingest", "fix", "cse", "dce", "structurize"]);
  await becomes(() => part(page, 3, "on").isChecked(), false);
  await becomes(() => part(page, 4, "f0").inputValue(), "imported");
  await part(page, 3, "on").click();
  assert.equal(await text(page), "ingest, fix(3: cse, dce), structurize{imported}");
  await part(page, 4, "f0").selectOption("faithful");
  assert.equal(await text(page), "ingest, fix(3: cse, dce), structurize");
  await part(page, 1, "rounds").fill("5");
  await part(page, 1, "rounds").press("Tab");
  assert.equal(await text(page), "ingest, fix(5: cse, dce), structurize");
  await part(page, 0, "spread").click();
  assert.match(await text(page), /^structurize\{imported\}, dead-cf, regs-to-values, vars-to-values, copy-prop, dce, fix\(5: cse, dce\), structurize$/);
  await part(page, 3, "f0").fill("7");
  await part(page, 3, "f0").press("Tab");
  assert.match(await text(page), /vars-to-values\{max-leaves=7\}/);
  await page.locator("#pipeline").fill("dce, cse");
  assert.deepEqual(await rows(page), ["dce", "cse"]);
  await settled(page);
  await page.locator("#steps button").nth(2).waitFor();
}));

test("keys move, disable, remove and undo", () => withPage(browser, async (page) => {
  await list(page, "dce, fix(cse), copy-prop");
  const active = () => page.evaluate(() => [document.activeElement.closest("li")?.dataset.row, document.activeElement.dataset.part]);
  assert.deepEqual(await active(), ["0", "grip"], "the list has the focus");
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(await text(page), "fix(dce, cse), copy-prop");
  assert.deepEqual(await active(), ["1", "grip"], "and keeps it on the row that moved");
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Space");
  assert.equal(await text(page), "-dce, fix(cse), copy-prop");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Delete");
  assert.equal(await text(page), "-dce, fix(), copy-prop");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  assert.equal(await text(page), "dce, fix(cse), copy-prop");
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#passes").isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), "list");
}));

test("the pointer drags a row to where it is dropped", () => withPage(browser, async (page) => {
  await list(page, "dce, fix(cse), copy-prop");
  const from = await part(page, 3, "grip").boundingBox();
  const to = await page.locator('#passes-list [data-row="0"]').boundingBox();
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 4, { steps: 5 });
  await becomes(() => page.locator("#passes-list .above").count(), 1, "a line shows where it goes");
  await page.mouse.up();
  assert.equal(await text(page), "copy-prop, dce, fix(cse)");
  await settled(page);
  const row = await part(page, 1, "grip").boundingBox();
  const group = await page.locator('#passes-list [data-row="3"]').boundingBox();
  await page.mouse.move(row.x + 8, row.y + 8);
  await page.mouse.down();
  await page.mouse.move(group.x + 40, group.y + group.height - 2, { steps: 5 });
  await page.mouse.up();
  assert.equal(await text(page), "copy-prop, fix(cse, dce)");
}));

test("an answer during a drag leaves the line at its target", () => withPage(browser, async (page) => {
  await list(page, "dce, cse, copy-prop");
  await page.locator("#passes-list .result", { hasText: "change" }).first().waitFor();
  const current = page.locator("#passes-list [aria-current]");
  const first = await current.getAttribute("data-row");
  const from = await part(page, 2, "grip").boundingBox();
  const to = await page.locator('#passes-list [data-row="0"]').boundingBox();
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 4, { steps: 3 });
  await page.keyboard.press("[");
  await page.waitForFunction((first) => {
    const row = document.querySelector("#passes-list [aria-current]");
    return row && row.dataset.row !== first;
  }, first);
  await becomes(() => page.locator('#passes-list .above[data-row="0"]').count(), 1);
  await page.mouse.up();
  await becomes(() => page.locator("#passes-list .above").count(), 0);
  assert.equal(await text(page), "copy-prop, dce, cse");
}));

test("an entry of the catalog is added after the current row, and can be read", () => withPage(browser, async (page) => {
  await list(page, "dce, cse");
  await page.locator("#passes-find").fill("algebra");
  await page.locator('#passes-found [data-read]', { hasText: "algebraic" }).first().click();
  await page.locator("#passes-about pre", { hasText: "ishl %0, %4" }).waitFor();
  await page.locator("#passes-find").press("Enter");
  assert.equal(await text(page), "dce, algebraic, cse");
  await page.locator("#passes-fix").click();
  await page.locator("#passes-find").fill("O1");
  await page.locator('#passes-found [data-add]').first().click();
  assert.equal(await text(page), "dce, algebraic, fix(O1), cse");
  await page.locator("#passes-find").fill("imul_pow2");
  await page.locator("#passes-found [data-read]").first().click();
  await page.locator("#passes-about pre", { hasText: "ishl x (find_lsb c)" }).waitFor();
  await page.locator("#passes-find").fill("fadd");
  await page.locator("#passes-found i", { hasText: "operation" }).first().waitFor();
  await page.locator("#passes-find").fill("nothing is called so");
  await page.locator("#passes-found", { hasText: "Nothing has that name" }).waitFor();
}));

test("a diagnostic of the pipeline is at its row", () => withPage(browser, async (page) => {
  await list(page, "dce, moon, cse");
  await page.locator('#passes-list [data-row="1"] .bad', { hasText: "there is no pass" }).waitFor();
  await part(page, 1, "take").click();
  await page.waitForFunction(() => !document.querySelector("#passes-list .bad"));
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 3);
}));

test("the reasons of a step are its rules", () => withPage(browser, async (page) => {
  await pick(page, "matrix.spvasm");
  await page.locator("#pipeline").fill("ingest, algebraic, dce");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 9);
  await page.locator("#steps button").nth(6).click();
  await settled(page);
  await page.locator("#steps button").nth(6).click();
  await page.locator("#why li").first().waitFor();
  assert.match(await page.locator("#why li").first().textContent(), /^\d+ × /);
  await page.locator("h1").click();
  await page.keyboard.press("w");
  await becomes(() => page.locator("#why").isVisible(), false);
}));

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of [["desktop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844 }], ["narrow", { width: 320, height: 568 }]]) {
    test(`the list fits and axe finds nothing: ${name}, ${colorScheme}`, () => withPage(browser, async (page) => {
      await more(page);
      await page.locator("#list").click();
      await page.locator("#passes-found li button").first().waitFor();
      await page.locator('[data-part="spread"]').last().click();
      await page.locator("#passes-found [data-read]").nth(5).click();
      await ready(page);
      await picture(page, `passes-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
      if (name !== "desktop") {
        const cut = await page.evaluate(() => [...document.querySelectorAll("#passes button, #passes input, #passes select")]
          .filter((element) => { const box = element.getBoundingClientRect(); return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1); })
          .map((element) => element.outerHTML));
        assert.deepEqual(cut, [], "nothing is cut off at the side");
      }
      await page.locator("#passes-close").click();
      await more(page);
      await page.locator("#reasons").click();
      await page.locator("#why p").first().waitFor();
      await picture(page, `why-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

// Every step compared with the input: marks on the timeline, the summary, stopping, and a worker that does not load.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, more, overflow, pick, picture, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const marks = (page) => page.locator("#steps button").evaluateAll((chips) => chips.slice(1).map((chip) => chip.dataset.check));
const told = (page, text) => page.locator("#check-summary", { hasText: text }).waitFor();

/** Writes another pipeline and waits for its steps. */
async function pipeline(page, text, steps) {
  await more(page);
  await page.locator("#pipeline").fill(text);
  await page.waitForFunction((steps) => document.querySelectorAll("#steps button").length === steps + 1, steps);
}

test("the debugger is loaded with the first task, and every step gets its mark", () => withPage(browser, async (page) => {
  const loaded = [];
  page.on("request", (request) => loaded.push(request.url()));
  await pick(page, "particles.spvasm");
  assert.ok(!loaded.some((url) => url.includes("/debugger-")), "not before");
  await page.locator("#check").click();
  await told(page, /^Every step has the same results as the input, in \d+ runs/);
  assert.ok(loaded.some((url) => url.includes("/debugger-")));
  const found = await marks(page);
  assert.ok(found.length > 3 && found.every((mark) => ["same", "unchanged"].includes(mark)), String(found));
  assert.ok(found.includes("same"));
  assert.ok(await page.locator("#check-go").isHidden());
}));

test("marks belong to their input and pipeline", () => withPage(browser, async (page) => {
  await pick(page, "loop.ir");
  await page.keyboard.press("Escape");
  await page.locator("#steps button").first().focus();
  await page.keyboard.press("v");
  await page.locator("#check-again").waitFor();
  await page.waitForFunction(() => document.querySelector("#steps [data-check]"));
  await pipeline(page, "structurize{imported}, dce", 2);
  await page.waitForFunction(() => !document.querySelector("#steps [data-check]"));
  assert.ok(await page.locator("#checked").isHidden());
  await page.locator("#check").click();
  await page.waitForFunction(() => document.querySelector("#steps [data-check]"));
  await type(page, "func @0() graph {\n^0:\n  return\n}\n");
  await page.waitForFunction(() => !document.querySelector("#steps [data-check]"));
}));

test("a step that fails is marked, reported, and shown on request", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  await pipeline(page, "structurize, flatten, lower-exits", 3);
  await page.locator("#check-runs").evaluate((field) => (field.value = "4"));
  await page.locator("#check").click();
  await told(page, "Step 3, lower-exits, failed");
  assert.equal((await marks(page)).at(-1), "broken");
  await page.locator("#steps button").first().click();
  await page.locator("#check-go").click();
  await page.locator("#step .place", { hasText: "3 / 3" }).waitFor();
  await page.locator("#check-close").click();
  assert.ok(await page.locator("#checked").isHidden());
  assert.equal(await page.evaluate(() => document.activeElement.id), "check");
}));

test("a wrong step is bisected, and the input is reduced while the step stays wrong", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  await pipeline(page, "structurize, flatten, lower-exits", 3);
  await page.locator("#check-runs").evaluate((field) => (field.value = "4"));
  await page.locator("#check").click();
  await told(page, "Step 3, lower-exits, failed");
  await page.locator("#bisect").click();
  await page.locator("#found-summary", { hasText: "Step 3, lower-exits, fails" }).waitFor();
  assert.ok(await page.locator("#found-probes li").count() >= 1);
  await page.locator("#steps button").first().click();
  await page.locator("#found-go").click();
  await page.locator("#step .place", { hasText: "3 / 3" }).waitFor();
  await page.locator("#reduce").click();
  await page.locator("#found-open").waitFor();
  assert.match(await page.locator("#found-summary").textContent(), /^\d+ instructions became \d+, \d+ programs tried$/);
  await picture(page, "reduced");
  await page.locator("#found-open").click();
  await page.locator("#name", { hasText: "reduced.ir" }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("#steps .failed").length === 1);
  assert.ok(await page.locator("#checked").isHidden());
  await page.getByRole("button", { name: "Undo", exact: true }).first().click();
  await page.locator("#name", { hasText: "particles.spvasm" }).waitFor();
}));

test("a long check shows its progress and stops", () => withPage(browser, async (page) => {
  await pick(page, "barrier.spvasm");
  await page.locator("#check").click();
  await told(page, /runs/);
  await page.locator("#check-runs").fill("4096");
  await page.locator("#check-again").click();
  await page.waitForFunction(() => Number(document.querySelector("#check-progress").getAttribute("value")) > 4);
  await page.locator("#check-stop").click();
  await told(page, /^Stopped after \d+ of \d+ runs/);
  assert.ok(await page.locator("#check-progress").isHidden());
  await page.locator("#check-runs").fill("4");
  await page.locator("#check-again").click();
  await told(page, /^Every step/);
}));

test("a debugger that does not answer is terminated, and another one starts", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  const deaf = "self.onmessage = () => { self.onmessage = () => { for (;;); }; self.postMessage({ modules: [] }); };";
  await page.route(/\/debugger-[0-9a-f]+\.js/, (route) => route.fulfill({ contentType: "text/javascript", body: deaf }));
  const started = page.waitForEvent("worker");
  await page.locator("#check").click();
  const debuggerWorker = await started;
  const ended = new Promise((resolve) => debuggerWorker.once("close", resolve));
  await page.locator("#check-stop").click();
  await told(page, /^Stopped after 0 of 0 runs/);
  await page.unroute(/\/debugger-[0-9a-f]+\.js/);
  await ended;
  await page.locator("#check-again").click();
  await told(page, /^Every step has/);
}));

test("a debugger that cannot be loaded is reported, and the page keeps working", () => withPage(browser, async (page) => {
  await page.route(/\/debugger-[0-9a-f]+\.js/, (route) => route.abort());
  await page.locator("#check").click();
  await told(page, "The debugger failed and was ended");
  await pick(page, "switch.ir");
  await page.unroute(/\/debugger-[0-9a-f]+\.js/);
  await page.locator("#check").click();
  await told(page, /runs|Inconclusive/);
}, { expected: /\/debugger-[0-9a-f]+\.js|Failed to load resource/ }));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: a check fits and axe finds nothing`, () => withPage(browser, async (page) => {
      await pick(page, "particles.spvasm");
      await more(page);
      await page.locator("#check").click();
      await told(page, /runs/);
      await picture(page, `check-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

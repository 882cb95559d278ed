// The lesson about quasi-pointers: complete without scripts, interactive with them, available without a network.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_BELOW, URL_ROOT, axe, overflow, picture, startBrowser, withPage } from "./harness.mjs";

const LESSON = "lessons/quasi-pointers.html";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** A new page with the lesson; fails on any console line. */
async function lesson(body, { root = URL_ROOT, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const noise = [];
  try {
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on("console", (line) => noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("response", (response) => response.status() >= 400 && noise.push(`${response.status()}: ${response.url()}`));
    page.on("request", (request) => request.url().startsWith(root) || noise.push(`elsewhere: ${request.url()}`));
    await page.goto(root + LESSON);
    await body(page);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
}

const live = (page) => page.locator("#live", { hasText: "The compiler runs in this page" }).waitFor();

test("without scripts the page shows all steps, computed at build time", () => lesson(async (page) => {
  assert.equal(await page.locator(".step").count(), 7);
  assert.equal(await page.locator("figure:visible").count(), await page.locator("figure").count());
  const text = await page.locator("main").textContent();
  assert.ok(!text.includes("{{"), "no hole is left");
  for (const wanted of ["ptr.dyn_offset", "usage 16.. * 32 {", "union {", "deref.elem"]) assert.ok(text.includes(wanted), wanted);
  assert.ok(await page.locator("figure .new").count() > 0, "what a stage brought is marked");
}, { javaScriptEnabled: false }));

for (const root of [URL_ROOT, URL_BELOW]) {
  test(`interactive below ${new URL(root).pathname}: a changed program is compiled again, and its errors are shown`, () => lesson(async (page) => {
    await live(page);
    const step = page.locator("#usage");
    await step.locator(".stages button", { hasText: "With its usage" }).click();
    await step.locator("summary").click();
    const area = step.locator("textarea");
    const before = await step.locator(".open").getAttribute("href");
    await area.fill((await area.inputValue()).replace("%4.1", "%4.0").replace("b32 = load %5", "b32x3 = load %5").replace("b32 = fadd", "b32x3 = fadd"));
    await step.locator("figure:visible .code", { hasText: '"lights[].pos"' }).waitFor();
    await page.waitForFunction((before) => document.querySelector("#usage .open").getAttribute("href") !== before, before);
    await area.fill("func @0() graph {\n^0:\n  fad\n}\n");
    await step.locator(".result.bad", { hasText: "Line 3" }).waitFor();
  }, { root }));
}

test("a step opens in the playground, side by side", () => withPage(browser, async (page) => {
  await page.locator("#lesson").click();
  await page.locator("a", { hasText: "What is a quasi-pointer?" }).click();
  await live(page);
  await page.locator("#lowered .open").click();
  await page.locator("#columns-head b", { hasText: "qptr-lower" }).waitFor();
  assert.match(await page.locator("#pipeline").inputValue(), /^qptr-lower$/);
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: the lesson fits and axe finds nothing`, () => lesson(async (page) => {
      await live(page);
      await page.locator("#usage .stages button").last().click();
      await page.locator("#usage").scrollIntoViewIfNeeded();
      await picture(page, `lesson-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

test("the lesson is available without a network", async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(URL_ROOT);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await context.setOffline(true);
    await page.goto(URL_ROOT + LESSON);
    await page.locator("h1", { hasText: "What is a quasi-pointer?" }).waitFor();
    await page.goto(URL_ROOT);
    await page.locator("#pane-graph").waitFor();
  } finally {
    await context.close();
  }
});

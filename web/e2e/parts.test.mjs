// The compiler arrives in parts: what the first result needs, then the rest while nobody waits, or when it is called.

import assert from "node:assert/strict";
import test from "node:test";
import { pick, printed, ready, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const noise = /compiler_other|console error: Failed to load resource/;
const plain = (request) => request.url().replace(/.*\/|-[0-9a-f]+/g, "");

/** Opens the catalog, which is in a part of its own; how many entries it shows. */
async function catalogue(page) {
  await page.locator("#list").click();
  await page.locator("#passes-found li button").first().waitFor();
  return page.locator("#passes-found li button").count();
}

test("the first result waits for the first part only, the others follow, and the debugger does not", () => withPage(browser, async (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(plain(request)));
  // A part that never comes keeps nobody waiting.
  await page.route("**/compiler_usual-*.wasm", () => {});
  await page.reload();
  await ready(page);
  assert.ok((await printed(page)).length > 5);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await ready(page);
  for (const part of ["compiler_usual.wasm", "compiler_other.wasm"]) {
    while (!asked.includes(part)) await page.waitForTimeout(20);
  }
  assert.ok(asked.indexOf("compiler_bg.wasm") < asked.indexOf("compiler_usual.wasm"));
  assert.ok(!asked.includes("compiler_lab.wasm"), asked.join(" "));
}, { expected: /ERR_ABORTED/ }));

test("a part is loaded when it is called, where it did not come before", () => withPage(browser, async (page) => {
  let times = 0;
  await page.route("**/compiler_other-*.wasm", (route) => (times++ === 0 ? route.abort() : route.continue()));
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => true);
  while (times === 0) await page.waitForTimeout(20);
  assert.ok((await catalogue(page)) > 50);
  assert.equal(times, 2);
  await pick(page, "switch.ir");
  assert.equal(times, 2, "and once");
}, { expected: noise }));

test("a part that does not arrive takes the compiler with it, and another one begins", () => withPage(browser, async (page) => {
  await page.route("**/compiler_other-*.wasm", (route) => route.abort());
  await page.reload();
  await ready(page);
  const again = page.waitForEvent("worker");
  await page.locator("#list").click();
  await again;
  await page.unroute("**/compiler_other-*.wasm");
  await page.keyboard.press("Escape");
  await pick(page, "switch.ir");
  assert.ok((await printed(page)).length > 5);
}, { expected: noise }));

// The compiler may hang or trap: that is reported, and the page keeps working.

import assert from "node:assert/strict";
import test from "node:test";
import { becomes, failNext, printed, ready, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** Makes the worker loop forever. */
function hang(page) {
  page.workers()[0].evaluate(() => { for (;;); }).catch(() => "ended with its worker");
}

/** Checks that the page works as before. */
async function recovered(page) {
  await ready(page);
  const text = await value(page);
  await type(page, `${text}\n???`);
  await page.locator("#problems button").first().waitFor();
  await type(page, text);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  assert.ok((await printed(page)).length > 0);
}

test("a hang ends at the deadline; the text and the last answer remain", () => withPage(browser, async (page) => {
  const text = await value(page);
  hang(page);
  await type(page, `${text}\n`);
  await page.locator("#status", { hasText: "Still working" }).waitFor();
  assert.ok((await printed(page)).length > 0);
  await page.locator("#notice", { hasText: "took too long" }).waitFor();
  assert.equal(await value(page), `${text}\n`);
  await recovered(page);
}));

test("while the compiler is slow a spare one waits, and replaces it when it is stopped", () => withPage(browser, async (page) => {
  const compilers = () => page.workers().filter((worker) => worker.url().includes("/worker-"));
  const closed = (worker) => new Promise((resolve) => worker.once("close", resolve));
  const until = async (count) => {
    while (compilers().length < count) await page.waitForEvent("worker");
    while (compilers().length > count) await Promise.race(compilers().map(closed));
  };
  assert.equal(compilers().length, 1);
  const [first] = compilers();
  await first.evaluate(() => {
    self.answer = self.onmessage;
    self.held = [];
    self.onmessage = (message) => self.held.push(message);
  });
  await page.locator("#pipeline").fill("ingest");
  await until(2);
  await first.evaluate(() => {
    self.onmessage = self.answer;
    self.held.forEach((message) => self.answer(message));
  });
  await ready(page);
  await until(1);
  hang(page);
  await page.locator("#pipeline").fill("ingest, dce");
  await until(2);
  const spare = compilers().at(-1);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator("#status:not(.pending)", { hasText: "Ready" }).waitFor();
  assert.equal(compilers().at(-1), spare, "no other was started");
  await recovered(page);
  assert.equal(compilers().at(-1), spare);
}));

test("a hang can be stopped by the user", () => withPage(browser, async (page) => {
  hang(page);
  await type(page, "; anything");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator("#notice", { hasText: "Stopped" }).waitFor();
  await page.locator("#status", { hasText: "Ready" }).waitFor();
  await type(page, "; something else");
  await ready(page);
}));

test("a trap between two requests restarts the compiler without a notice", () => withPage(browser, async (page) => {
  const before = page.workers()[0];
  const next = page.waitForEvent("worker");
  await before.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError("unreachable"); }); });
  await next;
  await ready(page);
  await becomes(() => page.locator("#notice").textContent(), "");
  await recovered(page);
}));

test("a failure during compilation is reported, with a report to copy", () => withPage(browser, async (page) => {
  await failNext(page);
  await type(page, "; anything");
  await page.locator("#notice", { hasText: "panicked at nothing in particular" }).waitFor();
  await page.getByRole("button", { name: "Copy report" }).waitFor();
  await page.locator("#status", { hasText: "Ready" }).waitFor();
}));

test("a compiler that cannot be loaded is reported, and can be loaded again", () => withPage(browser, async (page) => {
  await page.route("**/compiler_bg-*.wasm", (route) => route.abort());
  await page.reload();
  await page.locator("#notice", { hasText: "could not be loaded" }).waitFor();
  await page.unroute("**/compiler_bg-*.wasm");
  await page.getByRole("button", { name: "Try again" }).click();
  await ready(page);
}, { expected: /failed: .*compiler_bg|console error: Failed to load resource/ }));

test("the compiler loads in parallel to the page's program, and only once", () => withPage(browser, async (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url().replace(/.*\/|-[0-9a-f]+/g, "")));
  await page.reload();
  await ready(page);
  assert.equal(page.workers().length, 1);
  assert.equal(asked.filter((name) => name === "worker.js").length, 1);
  assert.ok(asked.indexOf("worker.js") < asked.indexOf("editor.js"), asked.join(" "));
}));

test("another worker starts if the first one cannot be loaded", () => withPage(browser, async (page) => {
  let times = 0;
  await page.route("**/worker-*.js", (route) => (times++ === 0 ? route.abort() : route.continue()));
  await page.reload();
  // The fault may occur before the page's program runs: then it is not reported.
  await page.locator("#status", { hasText: /Ready|No compiler/ }).waitFor();
  const again = page.getByRole("button", { name: "Try again" });
  if (await again.isVisible()) await again.click();
  await ready(page);
  // A slow machine starts a spare worker, too.
  assert.ok(times >= 2, `${times} workers`);
  await recovered(page);
}, { expected: /worker-[0-9a-f]+\.js|ERR_FAILED/ }));

// Files that are loaded on demand: the compiler's module, and the debugger's script and worker.

import assert from "node:assert/strict";
import test from "node:test";
import { pick, ready, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const plain = (request) => request.url().replace(/.*\/|-[0-9a-f]+/g, "");

test("the compiler's module is downloaded once, and the debugger's script when it is first opened", () => withPage(browser, async (page) => {
  const requested = [];
  page.on("request", (request) => requested.push(plain(request)));
  await page.reload();
  await ready(page);
  assert.ok(!requested.includes("debugger.js"), requested.join(" "));
  const worker = page.waitForEvent("worker");
  await page.locator("#run").click();
  await worker;
  await page.locator("#debugger-summary", { hasText: /\S/ }).waitFor();
  assert.equal(requested.filter((name) => name === "debugger.js").length, 1);
  assert.equal(requested.filter((name) => name === "compiler_bg.wasm").length, 1, requested.join(" "));
}));

test("a restarted compiler uses the compiled module", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  const requested = [];
  page.on("request", (request) => requested.push(plain(request)));
  const next = page.waitForEvent("worker");
  await page.workers()[0].evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError("unreachable"); }); });
  await next;
  await ready(page);
  assert.ok(!requested.includes("compiler_bg.wasm"), requested.join(" "));
}));

// Runs on the GPU: Chromium's software adapter for WebGPU, and a browser without one.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, overflow, picture, settled, startBrowser, type, withPage } from "./harness.mjs";

const GPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
/** The page's own words about a missing adapter are no fault. */
const EXPECTED = /No available adapters|requestAdapter|WebGPU/;

let browser;
before(async () => { browser = await startBrowser(GPU); });
after(() => browser.close());

const status = (page) => page.locator("#gpu-status");

async function open(page, text, pipeline) {
  if (pipeline) await page.locator("#pipeline").fill(pipeline);
  await type(page, text);
  await settled(page);
  if (await page.locator("#debugger").isHidden()) await page.locator("#run").click();
  await page.locator("#gpu-run").waitFor();
  await page.locator("#debugger-summary", { hasText: /invocation-instructions|Cannot be run/ }).waitFor();
}

async function verdict(page) {
  await page.locator("#gpu-run").click();
  await page.locator("#gpu[data-state='busy']").waitFor({ state: "attached" });
  await page.locator("#gpu:not([data-state='busy'])").waitFor();
  return status(page).textContent();
}

const example = (name) => readFileSync(new URL(`../../www/examples/${name}`, import.meta.url), "utf8");

for (const name of ["do-while.spvasm", "particles.spvasm", "variables.spvasm", "early-returns.spvasm", "discard.spvasm"]) {
  test(`the GPU computes what the interpreter does: ${name}`, () => withPage(browser, async (page) => {
    await open(page, example(name));
    assert.match(await verdict(page), /^The same as the interpreter's.*swiftshader/);
  }, { expected: EXPECTED }));
}

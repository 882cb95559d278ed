// Runs on the GPU: Chromium's software adapter for WebGPU, a device that is wrong, and one that hangs. A browser
// without WebGPU is in webgl.test.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, overflow, picture, settled, startBrowser, withPage } from "./harness.mjs";

const GPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

let browser;
before(async () => { browser = await startBrowser(GPU); });
after(() => browser.close());

const status = (page) => page.locator("#gpu-status");

/** Opens a file of the examples or of the project's corpus, and runs it in the interpreter. */
async function open(page, file) {
  const folder = file.includes("/") ? "../../core/tests/corpus" : "../../www/examples";
  const buffer = readFileSync(new URL(`${folder}/${file}`, import.meta.url));
  await page.locator("#file").setInputFiles({ name: file.split("/").at(-1), mimeType: "application/octet-stream", buffer });
  await page.locator("#name", { hasText: file.split("/").at(-1) }).waitFor();
  await settled(page);
  if (await page.locator("#debugger").isHidden()) await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: /invocation-instructions|Cannot be run/ }).waitFor();
  await page.locator("#gpu-run").waitFor();
}

/** Presses a button and returns the verdict. */
async function verdict(page, button = "#gpu-run") {
  await page.locator(button).click();
  await page.locator("#gpu-stop").waitFor({ state: "hidden" });
  await page.locator("#gpu:is([data-state='same'], [data-state='differs'], [data-state='failed'])").waitFor();
  return status(page).textContent();
}

const SAME = [
  "stages/fragment-derivatives.spv", "values/matrix-functions.spv", "values/geometric.spv", "values/vectors.spv",
  "values/transcendental.spv", "values/bits.spv", "values/remainders.spv", "values/integers.spv", "control/break-continue.spv",
  "control/nested-exits.spv", "control/do-while.spv", "control/discard.spv", "control/calls-nested.spv", "memory/structs.spv",
  "memory/push-constants.spv", "memory/workgroup-sum.spv", "memory/uniform-std140.spv", "memory/swizzle-stores.spv",
  "memory/atomics-integer.spv", "memory/runtime-array.spv", "barrier.spvasm", "do-while.spvasm", "texture.spvasm", "lights.ir",
];

test("the GPU computes what the interpreter does", () => withPage(browser, async (page) => {
  for (const file of SAME) {
    await open(page, file);
    assert.match(await verdict(page), /^The same as the interpreter's.*swiftshader/, file);
  }
}));

test("the picture of the GPU stands beside the interpreter's, and nothing runs before it is asked for", () => withPage(browser, async (page) => {
  const devices = () => page.workers().filter((worker) => /\/device-/.test(worker.url())).length;
  let asked = 0;
  page.on("worker", (worker) => (asked += Number(/\/device-/.test(worker.url()))));
  await open(page, "texture.spvasm");
  assert.equal(asked, 0);
  await verdict(page);
  assert.deepEqual([asked, devices()], [1, 0]);
  const pixels = (id) => page.locator(id).evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [canvas.width, [...data.slice(4 * 5000, 4 * 5000 + 8)]];
  });
  assert.deepEqual(await pixels("#gpu-picture"), await pixels("#debugger-picture"));
  await page.locator("#gpu-picture").scrollIntoViewIfNeeded();
  await picture(page, "gpu");
  assert.deepEqual(await axe(page), []);
  assert.ok(await overflow(page) <= 0);
}));

test("a wrong result is shown with its place and both values, and every step is checked", () => withPage(browser, async (page) => {
  // A device that computes the third number wrongly.
  const wrong = "const post = self.postMessage.bind(self); self.postMessage = (answer, transfer) => { if (answer.data?.length) answer.data[11] ^= 64; post(answer, transfer); };";
  await page.route(/\/device-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: wrong + await response.text() });
  });
  await open(page, "barrier.spvasm");
  assert.match(await verdict(page), /^1 of [\d,]+ numbers differ/);
  const row = page.locator("#gpu-details tbody tr").first();
  assert.match(await row.innerText(), /\[2\]/);
  assert.match(await verdict(page, "#gpu-check"), /^All steps differ from the interpreter\. (\d+) of \1 steps ran/);
  assert.ok(await page.locator("#gpu-steps li").count() > 1);
}));

test("every step computes the same on a device that is right", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest, O1");
  await open(page, "do-while.spvasm");
  assert.match(await verdict(page, "#gpu-check"), /^No step differs from the interpreter/);
}));

test("a program that hangs is ended at its deadline, and by Stop", () => withPage(browser, async (page) => {
  let isHanging = true;
  await page.route(/\/device-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill(isHanging ? { response, body: "self.onmessage = () => { for (;;); };" } : { response });
  });
  await open(page, "barrier.spvasm");
  assert.match(await verdict(page), /did not answer in 10 s, and the program was ended/);
  await page.locator("#gpu-run").click();
  await page.locator("#gpu-stop").click();
  await status(page).filter({ hasText: "Stopped." }).waitFor();
  isHanging = false;
  assert.match(await verdict(page), /^The same/);
}));

test("what cannot run says why", () => withPage(browser, async (page) => {
  await open(page, "matrix.spvasm");
  assert.match(await verdict(page), /vertex shader/);
}));

test("on a phone everything fits", () => withPage(browser, async (page) => {
  await open(page, "texture.spvasm");
  await verdict(page);
  await page.locator("#gpu-picture").scrollIntoViewIfNeeded();
  await picture(page, "gpu-phone");
  assert.deepEqual(await axe(page), []);
  assert.ok(await overflow(page) <= 0);
}, { viewport: { width: 390, height: 844 } }));

// Runs on the GPU through WebGL2: Chromium's software renderer, a device that is wrong, one that hangs, one that is lost.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, overflow, picture, settled, startBrowser, withPage } from "./harness.mjs";

const GL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

let browser;
before(async () => { browser = await startBrowser(GL); });
after(() => browser.close());

const status = (page) => page.locator("#gpu-status");

/** Opens a file of the examples, of the project's corpus or of this folder, and runs it in the interpreter. */
async function open(page, file) {
  const folder = file.startsWith("shaders/") ? "." : file.includes("/") ? "../../core/tests/corpus" : "../../www/examples";
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
  await page.locator("#gpu-api").selectOption("WebGL2");
  await page.locator(button).click();
  await page.locator("#gpu-stop").waitFor({ state: "hidden" });
  await page.locator("#gpu:is([data-state='same'], [data-state='differs'], [data-state='failed'])").waitFor();
  return status(page).textContent();
}

/** Puts a text before the script of the device. */
const inject = (page, script) => page.route(/\/webgl-/, async (route) => {
  const response = await route.fetch();
  await route.fulfill({ response, body: script + await response.text() });
});

// Fragment shaders, then vertex shaders.
const SAME = [
  "texture.spvasm", "discard.spvasm", "early-returns.spvasm", "variables.spvasm", "control/discard.spv",
  "shaders/flat.ir", "shaders/textures.ir", "matrix.spvasm", "shaders/instances.ir",
];

test("WebGL2 computes what the interpreter does", () => withPage(browser, async (page) => {
  const wrong = [];
  for (const file of SAME) {
    await open(page, file);
    const words = await verdict(page);
    if (!/^The same as the interpreter's.*SwiftShader.*WebGL2/.test(words)) wrong.push(`${file}: ${words}`);
  }
  assert.deepEqual(wrong, []);
}));

test("the picture of WebGL2 has the same first row, and nothing runs before it is asked for", () => withPage(browser, async (page) => {
  let asked = 0;
  page.on("worker", (worker) => (asked += Number(/\/webgl-/.test(worker.url()))));
  await open(page, "texture.spvasm");
  assert.equal(asked, 0);
  await verdict(page);
  assert.equal(asked, 1);
  assert.deepEqual(page.workers().filter((worker) => /\/webgl-/.test(worker.url())), []);
  const row = (id) => page.locator(id).evaluate((canvas) => [canvas.width, [...canvas.getContext("2d").getImageData(0, 0, canvas.width, 1).data]]);
  const rows = [await row("#gpu-picture"), await row("#debugger-picture")];
  assert.equal(rows[0][0], 256);
  const most = Math.max(...rows[0][1].map((value, at) => Math.abs(value - rows[1][1][at])));
  assert.ok(most <= 1, `a channel of the first row differs by ${most}`);
  await page.locator("#gpu-picture").scrollIntoViewIfNeeded();
  await picture(page, "webgl");
  assert.deepEqual(await axe(page), []);
  assert.ok(await overflow(page) <= 0);
}));

test("a wrong result is shown, every step is checked, and the report names device, step and values", () => withPage(browser, async (page) => {
  // A device that computes one number of the first pixels wrongly.
  await inject(page, "const post = self.postMessage.bind(self); self.postMessage = (answer, transfer) => { if (answer.data?.length) answer.data[11] ^= 64; post(answer, transfer); };");
  await open(page, "texture.spvasm");
  assert.match(await verdict(page), /^1 of [\d,]+ numbers differ.*WebGL2/);
  assert.match(await page.locator("#gpu-details tbody tr").first().innerText(), /pixel \(0, 0\)/);
  assert.match(await verdict(page, "#gpu-check"), /^All steps differ from the interpreter\. (\d+) of \1 steps ran/);
  await page.locator("#gpu-report").click();
  const text = page.locator("#report-text");
  await text.waitFor();
  const markdown = await text.inputValue();
  for (const part of [/SwiftShader/, /API: WebGL2/, /GLSL ES 3\.00 of step \d+, /, /\| pixel \(0, 0\)/, /browser: .*Chrome/, /#version 300 es/]) {
    assert.match(markdown, part);
  }
  await picture(page, "webgl-report");
}, { expected: /404/ }));

test("the browser's messages stand at the lines of our text", () => withPage(browser, async (page) => {
  await inject(page, "const take = () => { const own = self.onmessage; self.onmessage = ({ data }) => own({ data: { ...data, code: data.code.replace('void main() {', 'void main() {\\n  missing += 1.0;') } }); }; queueMicrotask(take);");
  await open(page, "texture.spvasm");
  assert.equal(await verdict(page), "The browser refuses the text.");
  const line = page.locator("#gpu-details [aria-label='Messages of the browser'] li").first();
  assert.match(await line.innerText(), /^error in line \d+: 'missing'/);
}));

test("a lost context and a hang are reported and end nothing else", () => withPage(browser, async (page) => {
  let script = "const draws = WebGL2RenderingContext.prototype; const own = draws.drawArrays; draws.drawArrays = function (...given) { this.getExtension('WEBGL_lose_context').loseContext(); own.apply(this, given); };";
  await page.route(/\/webgl-/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: script + await response.text() });
  });
  await open(page, "texture.spvasm");
  assert.match(await verdict(page), /context of WebGL2 was lost/);
  script = "addEventListener('message', () => { for (;;); });";
  assert.match(await verdict(page), /did not answer in 10 s, and the program was ended/);
  script = "";
  assert.match(await verdict(page), /^The same/);
}));

test("what WebGL2 does not have is refused with a reason", () => withPage(browser, async (page) => {
  await open(page, "barrier.spvasm");
  assert.match(await verdict(page), /WebGL2 has no compute shaders/);
}));

test("without WebGPU, WebGL2 is used; without both, the page states it", () => withPage(browser, async (page) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined }));
  await page.reload();
  await open(page, "texture.spvasm");
  await status(page).filter({ hasText: "no WebGPU" }).waitFor();
  assert.deepEqual(await page.locator("#gpu-api option").allTextContents(), ["WebGL2 (GLSL ES 3.00)"]);
  assert.match(await verdict(page), /^The same/);
  await page.addInitScript(() => { delete self.OffscreenCanvas; });
  await page.reload();
  await open(page, "texture.spvasm");
  await status(page).filter({ hasText: "neither WebGPU nor WebGL2" }).waitFor();
  assert.ok(await page.locator("#gpu-run").isDisabled());
}));

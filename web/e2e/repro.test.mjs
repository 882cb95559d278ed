// Reproductions: saved, opened in every way, compared, and reported if they are damaged.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { becomes, pick, printed, settled, startBrowser, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const STORED = readFileSync(new URL("../../core/tests/repro/first.repro", import.meta.url), "utf8");
const expected = /^failed: blob:|^request elsewhere: blob:/;
const give = (page, text) =>
  page.locator("#file").setInputFiles({ name: "case.repro", mimeType: "text/plain", buffer: Buffer.from(text) });

async function save(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").selectOption("repro")]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

test("a saved reproduction opens with the same state and has the same result", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("#pipeline").fill("structurize{imported}, -cse, algebraic, dce");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 4);
  await page.locator("#steps button").nth(2).click();
  await settled(page);
  const shown = await printed(page);
  const { name, text } = await save(page);
  assert.equal(name, "early-returns.repro");
  assert.match(text, /^Vitrine reproduction 1\n.*\nmade-by \d/);
  await withPage(browser, async (other) => {
    await give(other, text);
    await other.locator("#notice", { hasText: "same result as with Vitrine" }).waitFor();
    await becomes(() => other.locator("#step .place").textContent(), "2 / 3");
    await becomes(() => other.locator("#pipeline").inputValue(), "structurize{imported}, -cse, algebraic, dce");
    assert.deepEqual(await printed(other), shown);
    assert.equal((await save(other)).text, text, "saved again it is the same file");
  }, { expected });
}, { expected }));

test("a reproduction of an old version opens, also by drop and by paste", () => withPage(browser, async (page) => {
  for (const way of ["drop", "paste"]) {
    await page.evaluate(([way, text]) => {
      const data = new DataTransfer();
      if (way === "drop") {
        data.items.add(new File([text], "case.repro"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      } else {
        data.setData("text", text);
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
      }
    }, [way, STORED]);
    await page.locator("#notice", { hasText: "Reproduction: same result as with Vitrine 0.1.0, in all 3 steps." }).waitFor();
    await page.locator("#name", { hasText: "seven.ir" }).waitFor();
    await pick(page, "loop.ir");
  }
}));

test("a reproduction with another result reports the first step that differs", () => withPage(browser, async (page) => {
  // Another digest with a valid check, as from another version.
  const lines = STORED.split("\n").filter((line) => line && !line.startsWith("check"));
  const changed = lines.map((line) => (line.startsWith("digest dce") ? "digest dce 0000000000000001" : line));
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`${changed.join("\n")}\n`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  await give(page, `${changed.join("\n")}\ncheck ${hash.toString(16).padStart(16, "0")}\n`);
  await page.locator("#notice", { hasText: "differs from the result of Vitrine 0.1.0, starting with step 3, `dce`" }).waitFor();
}));

test("a damaged reproduction is reported", () => withPage(browser, async (page) => {
  await give(page, STORED.replace("digest dce", "digest dcf"));
  await page.locator("#notice", { hasText: "damaged or truncated; its readable part is shown" }).waitFor();
  await page.locator("#name", { hasText: "seven.ir" }).waitFor();
  await give(page, STORED.slice(0, 120));
  await page.locator("#notice", { hasText: "damaged or truncated; nothing in it could be read" }).waitFor();
  assert.match(await value(page), /const 7/, "what was open stays");
}));

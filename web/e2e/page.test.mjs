// The page as a user sees it: valid and damaged texts.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_BELOW, URL_ROOT, becomes, pick, printed, settled, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

test("the page opens with an example and its IR", () => withPage(browser, async (page) => {
  assert.equal(await page.title(), "Vitrine");
  assert.ok((await value(page)).length > 20);
  assert.ok((await printed(page)).length > 0);
  await becomes(() => page.locator("#tally").textContent(), "none");
  assert.match(await page.locator("#counts").textContent(), /functions? · \d+ blocks? · \d+ instructions? · /);
}));

test("the text is on the page before any script runs", () => withPage(browser, async (page) => {
  assert.ok((await value(page)).length > 20);
}, { javaScriptEnabled: false, wait: false, expected: /^failed: .*\/(page|keep)-/ }));

test("the page works under a path, with nothing from elsewhere", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  assert.ok((await printed(page)).length > 0);
}, { url: URL_BELOW }));

test("editing changes the IR", () => withPage(browser, async (page) => {
  const before = (await printed(page)).join("\n");
  const text = await value(page);
  await pick(page, "functions.ir");
  const other = await value(page);
  await type(page, text);
  await page.waitForFunction((wanted) => document.querySelector("#rows").textContent.length > 0
    && [...document.querySelectorAll("#rows > div")].map((row) => [...row.childNodes].slice(1)
      .map((node) => node.textContent).join("")).join("\n") === wanted, before);
  await type(page, other);
  await page.waitForFunction((old) => [...document.querySelectorAll("#rows > div")].map((row) =>
    [...row.childNodes].slice(1).map((node) => node.textContent).join("")).join("\n") !== old, before);
}));

test("an example can be undone", () => withPage(browser, async (page) => {
  const before = await value(page);
  await pick(page, "functions.ir");
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await value(page), before);
}));

test("damaged text shows diagnostics, and a click selects the position", () => withPage(browser, async (page) => {
  const text = await value(page);
  await type(page, `${text}\n???\n`);
  const entry = page.locator("#problems button").first();
  await entry.waitFor();
  assert.match(await entry.textContent(), /^\d+:\d+(error|warning)/);
  const [line] = (await entry.locator(".place").textContent()).split(":").map(Number);
  await entry.click();
  await becomes(() => page.locator("#editor .cm-lineNumbers .cm-activeLineGutter").textContent(), String(line));
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
  await type(page, text);
  await page.locator("#tally", { hasText: "none" }).waitFor();
}));

test("a file can be opened, pasted and dropped", () => withPage(browser, async (page) => {
  const text = await value(page);
  const give = (name, buffer) => page.locator("#file").setInputFiles({ name, mimeType: "text/plain", buffer });
  await give("mine.ir", Buffer.from(`${text}\r\n`));
  await page.locator("#name", { hasText: "mine.ir" }).waitFor();
  assert.equal(await value(page), `${text}\n`);
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", "; pasted");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  assert.equal(await value(page), "; pasted");
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["; dropped"], "dropped.ir"));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  });
  await page.locator("#name", { hasText: "dropped.ir" }).waitFor();
  assert.equal(await value(page), "; dropped");
}));

test("pointing at a value highlights its definition and uses; keys do the same", () => withPage(browser, async (page) => {
  const use = page.locator("#rows .link").last();
  await use.hover();
  await page.locator("#rows .lit").first().waitFor();
  const texts = await page.locator("#rows .lit").allTextContents();
  assert.ok(texts.length >= 2, "a definition and a use");
  await becomes(() => page.locator("#rows .lit.def").count(), 1);
  await page.locator("h1").hover();
  await page.waitForFunction(() => document.querySelector("#rows .lit") === null);
  await settled(page);
  await becomes(() => page.locator("#rows .lit").count(), 0);

  await page.locator("#output").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.locator("#rows .chosen").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#rows .chosen.def").waitFor();
  assert.match(await page.locator("#about").textContent(), /line \d+, (not used|used once|used \d+ times)/);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector("#rows .chosen") === null);
}));

test("a long text needs as few elements as a short one", () => withPage(browser, async (page) => {
  const text = await value(page);
  await type(page, "; a comment\n".repeat(20000) + text);
  await page.waitForFunction(() => document.querySelector("#editor").value.length > 200000);
  assert.ok(await page.locator("#rows > div").count() < 120);
  assert.ok(await page.locator("#editor .cm-line").count() < 120);
}));

test("every answer of the server has its media type", async () => {
  const page = await fetch(URL_ROOT);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  const html = await page.text();
  assert.match(html, /content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
  assert.ok(!/https?:\/\/(?!www\.w3\.org\/)/.test(html), "no address of another server");
  const module = html.match(/page_bg-[0-9a-f]+\.wasm/)[0];
  assert.equal((await fetch(URL_ROOT + module)).headers.get("content-type"), "application/wasm");
});

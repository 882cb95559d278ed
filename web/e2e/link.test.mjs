// Permalinks: the whole state in the address, nothing sent, damaged links reported.

import assert from "node:assert/strict";
import test from "node:test";
import { becomes, pick, printed, ready, share, startBrowser, URL_ROOT, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const options = { permissions: ["clipboard-read", "clipboard-write"] };

test("one click copies a link, and it opens with the same state", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("#pipeline").fill("structurize{imported}, algebraic, dce");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 4);
  await page.locator("#steps button").nth(1).click();
  await page.locator("#tab-target").click();
  await page.locator("#rows", { hasText: "OpEntryPoint" }).waitFor();
  await page.locator("#step .place", { hasText: "1 / 3" }).waitFor();
  const text = await value(page);
  const shown = await printed(page);
  const link = await share(page);
  assert.match(link, /#1m[\w-]+[0-9a-z]{4}$/);
  assert.equal(page.url(), link);
  await withPage(browser, async (other) => {
    await other.locator("#rows", { hasText: "OpEntryPoint" }).waitFor();
    assert.equal(await value(other), text);
    await becomes(() => other.locator("#step .place").textContent(), "1 / 3");
    await becomes(() => other.locator("#pipeline").inputValue(), "structurize{imported}, algebraic, dce");
    assert.deepEqual(await printed(other), shown);
    assert.match(await other.locator("#name").textContent(), /early-returns\.spvasm/);
  }, { url: link });
}, options));

test("a link has the changed inputs of a run and the overlay", () => withPage(browser, async (page) => {
  await pick(page, "texture.spvasm");
  await page.locator("#overlay").selectOption({ label: "Ranges" });
  await page.locator("#overlays[aria-pressed=true]").waitFor();
  await page.locator("#run").click();
  await page.locator("#assignment").fill("picture = checker");
  await page.locator("#assignment").press("Enter");
  await page.locator("#assignments li").waitFor();
  const link = await share(page);
  await withPage(browser, async (other) => {
    await other.locator("#overlays[aria-pressed=true]").waitFor();
    await becomes(() => other.locator("#overlay option:checked").textContent(), "Ranges");
    await other.locator("#run").click();
    await other.locator("#assignments button", { hasText: "picture = checker" }).waitFor();
    await becomes(() => other.locator("#assignments .bad").count(), 0);
  }, { url: link });
}, options));

test("a damaged link is reported, and its readable part is opened", () => withPage(browser, async (page) => {
  const link = await share(page);
  await withPage(browser, async (other) => {
    await other.locator("#notice", { hasText: "damaged or truncated; its readable part is shown" }).waitFor();
    assert.ok((await value(other)).length > 100);
  }, { url: link.slice(0, link.length - 200) });
  await withPage(browser, async (other) => {
    await other.locator("#notice", { hasText: "This is not a link of Vitrine" }).waitFor();
    assert.ok((await value(other)).length > 100, "the example is there");
  }, { url: `${URL_ROOT}#nonsense` });
}, options));

test("a link given to an open page opens there", () => withPage(browser, async (page) => {
  const link = await share(page);
  await pick(page, "switch.ir");
  await page.evaluate((link) => { location.hash = link.split("#")[1].slice(0, -8) + "deadbeef"; }, link);
  await page.locator("#notice", { hasText: "damaged" }).waitFor();
  await ready(page);
}, options));

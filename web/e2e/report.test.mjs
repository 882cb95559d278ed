// The report of a check: made in a worker, as Markdown, archive and Amber script, with issue forms; nothing is sent.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { axe, becomes, drop, overflow, picture, pick, ready, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

// A site that was not released has no list of releases.
const options = { permissions: ["clipboard-read", "clipboard-write"], expected: /404/ };

/** Compares the two examples of a wrong optimization, and opens the report. */
async function reported(page) {
  const files = ["", "-wrong"].map((end, at) => {
    const name = `hoisted-load${end}.spvasm`;
    return [`${at}-${name}`, readFileSync(new URL(`../../www/examples/${name}`, import.meta.url), "utf8")];
  });
  await drop(page, files);
  await page.locator("#several button[value=compare]").click();
  await page.locator("#name", { hasText: "2 programs" }).waitFor();
  await ready(page);
  await page.locator("#check").click();
  await page.locator("#check-summary.bad", { hasText: "differs" }).waitFor();
  await page.locator("#report").click();
  await page.locator("#reports[open]").waitFor();
  await page.locator("#report-status", { hasText: "the result differs after" }).waitFor();
}

test("a wrong program has a report with its values, a link, and files to save", () => withPage(browser, async (page) => {
  await reported(page);
  const text = await page.locator("#report-text").inputValue();
  for (const part of ["# 0-hoisted-load.spvasm: the result differs after", "## Expected and actual", "total.words", "OpEntryPoint", "#1s", "browser: "]) {
    assert.ok(text.includes(part), part);
  }
  await page.locator("#report-copy").click();
  await page.locator("#report-status", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  const [archive] = await Promise.all([page.waitForEvent("download"), page.locator("#report-zip").click()]);
  assert.equal(archive.suggestedFilename(), "report.zip");
  const bytes = readFileSync(await archive.path()).toString("latin1");
  assert.ok(bytes.startsWith("PK") && bytes.includes("finding.repro") && bytes.includes("case.json"));
  const [script] = await Promise.all([page.waitForEvent("download"), page.locator("#report-amber").click()]);
  assert.ok(readFileSync(await script.path(), "utf8").startsWith("#!amber\n"));
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    assert.ok(await overflow(page) <= 0, `${size.width}`);
    await picture(page, `report-${size.width}`);
  }
  assert.deepEqual(await axe(page), []);
}, options));

test("issue forms are addresses of the trackers, and an anonymous report has no names", () => withPage(browser, async (page) => {
  await reported(page);
  await page.locator("#report-tracker").selectOption({ label: "Mesa" });
  const address = new URL(await page.locator("#report-form").getAttribute("href"));
  assert.equal(address.origin, "https://gitlab.freedesktop.org");
  assert.match(address.searchParams.get("issue[title]"), /the result differs after/);
  assert.ok(address.href.length <= 8000);
  await page.locator("#reports label", { hasText: "Anonymize" }).click();
  await page.locator("#report-status", { hasText: "shader: the result differs after" }).waitFor();
  const text = await page.locator("#report-text").inputValue();
  assert.ok(!text.includes("total") && text.includes("debug information: removed"), text.slice(0, 400));
  await page.keyboard.press("Escape");
  await page.locator("#reports:not([open])").waitFor({ state: "attached" });
}, options));

test("a correct program has no report", () => withPage(browser, async (page) => {
  await pick(page, "loop.ir");
  // The button is there after a wrong check only: the dialog says the reason whoever opens it.
  await becomes(() => page.locator("#report").isVisible(), false);
  await page.evaluate(() => document.getElementById("report").click());
  await page.locator("#report-status", { hasText: "There is no report: nothing differs" }).waitFor();
}, options));

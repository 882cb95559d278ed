// A view in another page: one pane, its own theme, steps, a link to the whole page, its height; nothing is kept.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, overflow, pick, picture, startBrowser, URL_BELOW, URL_ROOT, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** Waits for the first answer of the compiler: the status line is hidden. */
const answered = (page) => page.waitForFunction(() =>
  document.querySelector("#status:not(.pending)") && document.getElementById("counts").textContent.includes("ms"));

const visible = (page) => page.evaluate(() =>
  [...document.querySelectorAll("header, main > section, #timeline, nav, footer")]
    .filter((element) => element.checkVisibility()).map(({ id, localName }) => id || localName));

const embedded = (query, body, { url = URL_ROOT, hash = "", ...options } = {}) => withPage(browser, async (page) => {
  await answered(page);
  await page.locator("#embed-open").waitFor();
  await body(page);
}, { url: `${url}?embed${query}${hash}`, wait: false, viewport: { width: 640, height: 420 }, ...options });

for (const [query, panes] of [
  ["", ["pane-graph"]],
  ["&view=graph&controls=scrub", ["pane-graph", "timeline"]],
  ["&view=ir", ["pane-output"]],
  ["&view=input", ["pane-input"]],
  ["&view=moon", ["pane-graph"]],
]) {
  test(`one view is shown: ?embed${query}`, () => embedded(query, async (page) => {
    assert.deepEqual(await visible(page), panes);
    assert.ok(await overflow(page) <= 0);
    await becomes(() => page.locator("#embed-open").getAttribute("href"), URL_ROOT);
    assert.deepEqual(await axe(page), []);
    await picture(page, `embed-${panes.join("-")}`);
  }));
}

test("an overlay is shown by its name, and by its words in the menu", async () => {
  for (const [query, value] of [["pressure", "pressure"], ["Execution counts", "counts"]]) {
    await embedded(`&view=graph&overlay=${encodeURIComponent(query)}`, async (page) => {
      await becomes(() => page.locator("#overlay").inputValue(), value);
      await becomes(() => page.locator("#overlays").getAttribute("aria-pressed"), "true");
    });
  }
});

test("theme, text and step are those of the address, below a path, too", () => embedded("&view=columns&theme=dark&controls=scrub&at=0", async (page) => {
  await page.locator("#step .place", { hasText: /^0 / }).waitFor();
  await becomes(() => page.locator("html").getAttribute("data-theme"), "dark");
  await page.locator("body[data-tab=columns]").waitFor();
  await page.locator("#on").click();
  await page.locator("#step .place", { hasText: /^[1-9]/ }).waitFor();
}, { url: URL_BELOW }));

test("a link shows its program, and the whole page opens it", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  await page.locator("#save").selectOption({ label: "Link as Markdown, QR code…" });
  await page.locator("#forms[open]").waitFor();
  const frame = await page.locator("#forms input").nth(2).inputValue();
  const [address, hash] = /src="([^"]+)"/.exec(frame)[1].replaceAll("&amp;", "&").split("#");
  assert.equal(address, `${URL_ROOT}?embed&view=graph&controls=scrub`);
  await embedded("&view=input", async (view) => {
    await view.locator("#name", { hasText: "switch.ir" }).waitFor();
    await becomes(() => view.locator("#embed-open").getAttribute("href"), `${URL_ROOT}#${hash}`);
  }, { hash: `#${hash}` });
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("a view keeps nothing, and uses nothing that the page keeps", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  await page.locator("#theme").click();
  await page.waitForFunction(() => localStorage.getItem("vitrine-session"));
  const before = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  await page.goto(`${URL_ROOT}?embed&theme=dark`);
  await answered(page);
  assert.ok((await value(page)).includes("OpEntryPoint"), "it shows the example of the page");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage })), before);
}));

test("frames get the height that their views report", () => withPage(browser, async (page) => {
  const frames = page.locator("iframe");
  await page.waitForFunction(() => [...document.querySelectorAll("iframe")].every(({ style }) => style.height));
  const heights = await frames.evaluateAll((all) => all.map(({ offsetHeight }) => offsetHeight));
  assert.ok(heights.length === 2 && heights.every((height) => height >= 160 && height <= 1202), String(heights));
  assert.notEqual(heights[0], heights[1]);
  assert.ok(await overflow(page) <= 0);
  await picture(page, "embed-host");
  assert.deepEqual((await axe(page)).filter((line) => !line.startsWith("frame-tested")), []);
}, { url: `${URL_ROOT}embed.html`, wait: false }));

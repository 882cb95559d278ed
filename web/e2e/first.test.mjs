// First sight: the first visit, links on a phone, a window of 1024 px, and the same picture for the same link.

import assert from "node:assert/strict";
import test from "node:test";
import { pick, picture, settled, share, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const PHONE = { width: 390, height: 844 };
const options = { permissions: ["clipboard-read", "clipboard-write"] };

test("the first visit names its example, shows a step that changed something, and says how to begin", () => withPage(browser, async (page) => {
  await page.locator("#name", { hasText: "variables.spvasm · SPIR-V text" }).waitFor();
  assert.match(await page.locator("header > p").textContent(), /drop a shader, paste one, or choose an example/);
  assert.match(await page.locator("#steps [aria-current]").getAttribute("class"), /^changed /);
  assert.match(await page.locator("#step").textContent(), /dce.*[1-9]/);
  assert.ok(await page.locator("#scene .box").count() > 1);
}));

test("a link that is shared on a phone opens on its pane, with the entry in view, lesson and help in reach", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  for (const [name, pane] of [["Text", "output"], ["Graph", "graph"]]) {
    await page.locator("nav button", { hasText: name }).click();
    const link = await share(page);
    await withPage(browser, async (other) => {
      await other.locator(`body[data-pane="${pane}"]`).waitFor();
      await other.locator(`#pane-${pane}`).waitFor();
      if (pane === "graph") {
        await settled(other);
        const [graph, entry] = await Promise.all([other.locator("#graph").boundingBox(), other.locator("#scene .box").first().boundingBox()]);
        assert.ok(entry.x >= graph.x && entry.y >= graph.y && entry.x + entry.width <= graph.x + graph.width, "the entry is in view");
      }
      // The header has no room for them.
      for (const [words, there] of [["lesson", "Lesson"], ["help", "Help"]]) {
        await other.locator("#commands").click();
        await other.locator("#palette-find").fill(words);
        await other.locator("#palette-list [role=option]", { hasText: there }).first().waitFor();
        await other.keyboard.press("Escape");
      }
    }, { url: link, viewport: PHONE });
  }
}, { ...options, viewport: PHONE }));

/** The controls that the window or a part of the page cuts off. Steps, inputs and rows of text scroll. */
const cut = (page) => page.evaluate(() => {
  const clips = (element) => element.closest("main > section, #debugger > div, #debugger > .bar, #timeline, header, body");
  return [...document.querySelectorAll("button, select, input, a")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth > 1 && !one.closest("#steps, #tabs, #rows, #columns, #memory, #editor, #scene, #inspect"))
    .filter((one) => {
      const [own, around] = [one, clips(one)].map((each) => each.getBoundingClientRect());
      return own.left < around.left - 1 || own.right > around.right + 1 || (one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth + 1);
    })
    .map((one) => one.id || one.title || one.textContent);
});

test("at 1024 px no control is cut off, in every tab and while a run is stepped through", () => withPage(browser, async (page) => {
  for (const tab of ["ir", "changes", "target", "memory", "columns"]) {
    await page.locator(`#tab-${tab}`).click();
    await settled(page);
    assert.deepEqual(await cut(page), [], tab);
    await picture(page, `narrow-${tab}`);
  }
  await pick(page, "lights.ir");
  await page.locator("#tab-ir").click();
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "instructions" }).waitFor();
  await page.locator("#debugger-debug").click();
  await page.locator("#stop").fill("@0 ^1 if %5 > 3");
  await page.locator("#stop").press("Enter");
  await page.locator("#stops li").waitFor();
  assert.deepEqual(await cut(page), []);
  await picture(page, "narrow-step");
}, { viewport: { width: 1024, height: 768 } }));

test("the same link gives the same picture", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("#steps button").nth(2).click();
  await settled(page);
  const link = await share(page);
  const looks = [];
  for (let time = 0; time < 2; time += 1) {
    await withPage(browser, async (other) => {
      await settled(other);
      looks.push(await other.evaluate(() => document.querySelector("#scene").outerHTML));
    }, { url: link });
  }
  assert.equal(looks[0], looks[1]);
  assert.ok(looks[0].length > 1000);
}, options));

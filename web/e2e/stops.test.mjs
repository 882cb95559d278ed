// Breakpoints and watch expressions belong to their input: they survive a reload, a lesson and Back, and another tab.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, becomes, ready, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const LESSON = "learn/quasi-pointers/";
/** Counts to ten: `%1` is the number of the iteration. */
const COUNTING = `entry compute "main" @0 () {local_size 1 1 1}

func @0() graph {
^0:
  %0: b32 = const 0
  goto ^1(%0)
^1(%1 "i": b32):
  %2: b32 = const 10
  %3: b1 = ult %1, %2
  branch %3, ^2, ^3
^2:
  %4: b32 = const 1
  %5: b32 = iadd %1, %4
  goto ^1(%5)
^3:
  return
}
`;
const CONDITION = "Condition of @0 ^2";

const stops = (page) => page.locator("#stops li b").allTextContents();
const watches = (page) => page.locator("#watches li b").allTextContents();

/** Runs the program and steps into it. */
async function step(page) {
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "instructions" }).waitFor();
  await page.locator("#debugger-debug").click();
  await page.locator("#rows .here").waitFor();
  await page.locator("#debugger-stops").waitFor();
}

async function add(page, id, text) {
  await page.locator(`#${id}`).fill(text);
  await page.locator(`#${id}`).press("Enter");
  await page.locator(`#${id === "stop" ? "stops" : "watches"} li`, { hasText: text }).waitFor();
}

/** Waits until stepping shows what was set, and goes on to the breakpoint. */
async function expectStops(page) {
  await step(page);
  assert.deepEqual([await stops(page), await watches(page)], [["@0 ^2", "@0 ^3"], ["%1", "%1 > 3"]]);
  await becomes(() => page.getByLabel(CONDITION).inputValue(), "%i == 4");
  await page.locator("#step-on").click();
  await page.locator("#stop-why", { hasText: "Stopped at the breakpoint @0 ^2 if %i == 4." }).waitFor();
  await page.locator("#watches li", { hasText: "%1 > 3" }).locator("output", { hasText: "true" }).waitFor();
}

for (const [name, script] of Object.entries({
  "with IndexedDB": () => {},
  "without IndexedDB": () => Object.defineProperty(self, "indexedDB", { get() { throw new DOMException("refused", "SecurityError"); } }),
})) {
  test(`breakpoints and watch expressions survive a reload, a lesson and Back, ${name}`, () => withPage(browser, async (page) => {
    await page.addInitScript(script);
    await page.reload();
    await ready(page);
    await page.locator("#pipeline").fill("copy-prop");
    await type(page, COUNTING);
    await settled(page);
    await step(page);
    await add(page, "stop", "@0 ^2");
    await page.getByLabel(CONDITION).fill("%i == 4");
    await page.getByLabel(CONDITION).press("Enter");
    await add(page, "stop", "@0 ^3");
    await add(page, "watch", "%1");
    await add(page, "watch", "%1 > 3");
    await page.reload();
    await settled(page);
    await expectStops(page);
    await page.goto(URL_ROOT + LESSON);
    await page.goBack();
    await settled(page);
    await page.locator("#debugger-close:visible, #run:visible").first().waitFor();
    if (await page.locator("#debugger-close").isVisible()) await page.locator("#debugger-close").click();
    await expectStops(page);
  // A page that is left cancels what it loads.
  }, { expected: /^failed: / }));
}

test("another input has other breakpoints, and the first one keeps its own", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("copy-prop");
  await type(page, COUNTING);
  await settled(page);
  await step(page);
  await add(page, "stop", "@0 ^3");
  await add(page, "watch", "%1");
  const buffer = Buffer.from(COUNTING.replace("const 10", "const 20"));
  await page.locator("#file").setInputFiles([{ name: "other.ir", mimeType: "text/plain", buffer }]);
  await page.locator("#name", { hasText: "other.ir" }).waitFor();
  await settled(page);
  await page.locator("#debugger-debug").click();
  await page.locator("#rows .here").waitFor();
  assert.deepEqual([await stops(page), await watches(page)], [[], []]);
  await page.locator("#tabs [data-input-tab]").first().click();
  await page.locator("#name:not(:has-text('other.ir'))").waitFor();
  await settled(page);
  await page.locator("#debugger-debug").click();
  await page.locator("#stops li", { hasText: "@0 ^3" }).waitFor();
  assert.deepEqual(await watches(page), ["%1"]);
}));

// Stepping by lines of the source: the current line, breakpoints in its gutter, a step back, variables, optimized code.

import assert from "node:assert/strict";
import test from "node:test";
import { picture, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const WGSL = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn twice(x: u32) -> u32 {
    var y = x * 2u;
    return y;
}

@compute @workgroup_size(1)
fn main() {
    var sum = 0u;
    for (var i = 0u; i < 4u; i = i + 1u) {
        var unused = sum + 1u;
        sum = sum + twice(i);
    }
    data[0] = sum;
}
`;
/** The line that adds, from 1. */
const ADDS = 13;

const here = (page) => page.locator("#source-lines .here button").textContent();
const variable = (page, name) => page.locator("#source-variables li", { has: page.locator("b", { hasText: new RegExp(`^${name}$`) }) });
const step = (page, name) => page.locator("#line-steps button", { hasText: name }).click();

async function stepping(page, pipeline) {
  await page.locator("#pipeline").fill(pipeline);
  await type(page, WGSL);
  await settled(page);
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "instructions" }).waitFor();
  await page.locator("#debugger-debug").click();
  await page.locator("#debugger-source").waitFor();
}

/** Waits for a line. */
const at = (page, line) => page.locator("#source-lines .here button", { hasText: new RegExp(`^${line}$`) }).waitFor();

test("a loop is stepped through by its lines, with breakpoints, steps back and variables", () => withPage(browser, async (page) => {
  await stepping(page, "copy-prop");
  await page.getByRole("button", { name: `Line ${ADDS}, no breakpoint` }).click();
  await page.locator("#stops li", { hasText: `line ${ADDS}` }).waitFor();
  await page.locator("#step-on").click();
  await at(page, ADDS);
  assert.match(await variable(page, "i").textContent(), /i\s*0/);
  await page.locator("#step-on").click();
  await variable(page, "i").locator("output", { hasText: "1" }).waitFor();
  await step(page, "Into");
  await at(page, 4);
  await step(page, "Out");
  await at(page, ADDS);
  await page.keyboard.press("F10");
  await page.locator("#source-lines .here button", { hasNotText: new RegExp(`^${ADDS}$`) }).waitFor();
  const after = Number(await here(page));
  assert.ok(after >= 11 && after < ADDS, `over the call, to the next iteration: ${after}`);
  await step(page, "◀ Line");
  await at(page, ADDS);
  // The keyboard sets a breakpoint, too.
  await page.getByRole("button", { name: /^Line 15, / }).focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("#stops li", { hasText: "line 15" }).waitFor();
  await picture(page, "source-lines");
}));

test("a variable is followed into optimized code", () => withPage(browser, async (page) => {
  await stepping(page, "ingest, O2");
  await page.getByRole("button", { name: /^Line 15, / }).focus();
  await step(page, "Run to line");
  await at(page, 15);
  await page.locator("#source-variables .gone", { hasText: "optimized away by" }).first().waitFor();
  const gone = await page.locator("#source-variables .gone b").allTextContents();
  assert.ok(gone.includes("i") && gone.includes("unused"), gone.join());
  await picture(page, "source-lines-optimized");
}));

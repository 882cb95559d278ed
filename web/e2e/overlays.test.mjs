// Results of analyses on the page: overlays of the graph, the inspector, the timeline, the catalog.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, frames, more, overflow, pick, picture, ready, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const LOOP = `func @0(%0: b32) -> b32 tree {
^0:
  %1: b32 = const 0
  %2: b32 = const 1
  %3: b32 = const 4
  loop !0(%1, %0) {
  ^1(%4: b32, %5: b32):
    %6: b1 = ilt %4, %3
    if !1 %6 {
    ^2:
      next
    } else {
    ^3:
      break !0(%5)
    }
  ^4:
    %7: b32 = iadd %4, %2
    %8: b32 = imul %5, %5
    next(%7, %8)
  }
^5(%9: b32):
  return %9
}
`;

/** The block ^1 is executed by the invocations below 3 of 8; a run has two workgroups. */
const DIVERGENT = `entry compute "main" @0 () {local_size 8 1 1}

func @0() graph {
^0:
  %0: b32 = io.builtin {builtin local_invocation_index}
  %1: b32 = const 3
  %2: b1 = ult %0, %1
  branch %2, ^1, ^2
^1:
  %3: b32 = iadd %1, %1
  goto ^2
^2:
  return
}
`;
const COUNTED = DIVERGENT.replace("branch %2, ^1, ^2", "branch %2, ^1, ^3").replace("goto ^2", "%4: b1 = const false\n  branch %4, ^2, ^3")
  .replace("^2:\n  return", "^2:\n  goto ^3\n^3:\n  return");

/** Opens a text with a pipeline. */
async function open(page, text, pipeline) {
  await more(page);
  await page.locator("#pipeline").fill(pipeline);
  await type(page, text);
  await settled(page);
}

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 640 } };

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`${name}: the header of a loop has its trip count, and blocks have their costs`, () => withPage(browser, async (page) => {
    const small = name !== "desktop";
    if (small) await page.locator("nav button", { hasText: "Input" }).click();
    await open(page, LOOP, "structurize");
    if (small) await page.locator("nav button", { hasText: "Graph" }).click();
    const words = () => page.locator("#scene").textContent();
    const button = page.locator("#overlays");
    await becomes(() => button.getAttribute("aria-pressed"), "false");
    await page.locator("#fit").click();
    await button.click();
    await ready(page);
    await becomes(() => button.getAttribute("aria-pressed"), "true");
    await page.locator("#zoom").click();
    await page.waitForFunction(() => /loop: trip count 4/.test(document.querySelector("#scene").textContent));
    assert.match(await words(), /%4 from 0 by 1, in 0\.\.=4/);
    assert.match(await words(), /cost \d+ × 4/);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#graph").focus();
    await page.keyboard.press("a");
    await page.waitForFunction(() => !/loop: trip count/.test(document.querySelector("#scene").textContent));
    await becomes(() => button.getAttribute("aria-pressed"), "false");
  }, { viewport }));
}

test("overlays stay on when the program changes and when another step is shown", () => withPage(browser, async (page) => {
  await open(page, LOOP, "algebraic, flatten");
  await page.locator("#graph").focus();
  await page.keyboard.press("a");
  await page.waitForFunction(() => /trip count 4/.test(document.querySelector("#scene").textContent));
  await open(page, LOOP.replace("const 4", "const 7"), "algebraic, flatten");
  await page.waitForFunction(() => /trip count 7/.test(document.querySelector("#scene").textContent));
  await page.locator("#steps button").first().click();
  await settled(page);
  assert.match(await page.locator("#scene").textContent(), /trip count 7/);
}));

/** The blocks with marks: the name of each with its words. */
const heads = (page) => page.evaluate(() => {
  const words = [...document.querySelectorAll("#marks text")];
  return Object.fromEntries([...document.querySelectorAll("#scene [data-block]")].map((block) => {
    const box = block.querySelector(".box").getBoundingClientRect();
    const inside = words.filter((word) => {
      const { top, left } = word.getBoundingClientRect();
      return top > box.top && top < box.bottom && left > box.left && left < box.right;
    });
    return [block.querySelector(".t-block").textContent, inside.map((word) => word.textContent).join(" ")];
  }));
});
/** The lines of the IR with words of the overlay. */
const words = (page) => page.locator("#rows > div:has(.words)").evaluateAll((rows) => rows.map((row) =>
  [row.querySelector("[data-id]").textContent, ...[...row.querySelectorAll(".words")].map((part) => part.textContent)].join(" ")));
const legend = (page) => page.locator("#overlay-legend");

/** Chooses an overlay, and waits for its legend. */
async function choose(page, name, sentence) {
  await page.locator("#overlay").selectOption({ label: name });
  await settled(page);
  await legend(page).getByText(sentence).waitFor();
  await frames(page);
}

/** Chooses a value or block of the text, and waits for the sentence of the legend. */
async function click(page, name, sentence) {
  await page.locator("#rows [data-id]").getByText(name, { exact: true }).first().click();
  await legend(page).getByText(sentence).waitFor();
  await settled(page);
}

test("dominators: the path to the chosen block, the blocks below it, and its frontier have marks of their own", () => withPage(browser, async (page) => {
  await open(page, LOOP, "copy-prop");
  await choose(page, "Dominators", "immediate dominator (idom)");
  assert.deepEqual(await heads(page), { "^0": "entry", "^1": "idom ^0", "^2": "idom ^1", "^3": "idom ^1", "^4": "idom ^2", "^5": "idom ^3" });
  await click(page, "^2", "^2 is dominated by 2 blocks");
  assert.deepEqual(await heads(page), { "^0": "dominator", "^1": "dominator, frontier", "^2": "chosen", "^3": "", "^4": "dominated", "^5": "" });
  const styles = () => page.locator("#marks .outline").evaluateAll((all) => all.map((one) => one.getAttribute("class")));
  assert.deepEqual((await styles()).sort(), ["outline s1", "outline s2", "outline s3", "outline s5"]);
  const swatches = await legend(page).locator("li i").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundImage));
  assert.equal(new Set(swatches).size, 5, "a pattern for each meaning");
  assert.deepEqual(await words(page), ["^0 dominator", "^1 dominator, frontier", "^2 chosen", "^4 dominated"]);
  assert.equal(await page.locator("#rows [data-mark='5']").count() > 1, true, "the lines of the block");
  await page.locator("#graph").focus();
  await page.keyboard.press("ArrowDown");
  await legend(page).getByText("^4 is dominated by 3 blocks").waitFor();
}));

test("divergence: divergent blocks and values are marked in the graph and in the text", () => withPage(browser, async (page) => {
  await open(page, DIVERGENT, "copy-prop");
  await choose(page, "Divergence", "2 of 4 values are divergent");
  assert.deepEqual(await heads(page), { "^0": "uniform", "^1": "divergent", "^2": "uniform" });
  const marked = await page.locator("#rows [data-id][data-mark]").allTextContents();
  assert.deepEqual([...new Set(marked)].sort(), ["%0", "%2"]);
  assert.equal(await page.locator("#marks .under").count() >= 3, true, "definitions and uses in the graph");
}));

test("marks are on the text of the target, too: labels of blocks, and values", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("#tab-target").click();
  await page.locator("#rows", { hasText: "OpEntryPoint" }).waitFor();
  await page.locator("#overlay").selectOption({ label: "Divergence" });
  await page.locator("#rows [data-id][data-mark]").first().waitFor();
  const row = page.locator("#rows > div", { hasText: "OpLabel" }).filter({ has: page.locator(".words") }).first();
  await row.waitFor();
  await picture(page, "overlay-target");
  assert.deepEqual(await axe(page), []);
  await page.locator("#overlays").click();
  await page.waitForFunction(() => document.querySelectorAll("#rows .words, #rows [data-mark]").length === 0);
}));

test("liveness: the blocks and lines of the chosen value, or the values of the chosen block", () => withPage(browser, async (page) => {
  await open(page, LOOP, "copy-prop");
  await choose(page, "Liveness", "Choose a value");
  assert.match((await heads(page))["^1"], /^\d+ in, \d+ out$/);
  await click(page, "%5", "%5 is live in 4 blocks");
  assert.deepEqual(await heads(page), { "^0": "", "^1": "defined, live out", "^2": "live through", "^3": "live in, last use", "^4": "live in, last use", "^5": "" });
  const lines = await page.locator("#rows > div[data-mark] > [data-id]:first-of-type").allTextContents();
  assert.ok(lines.includes("%6") && lines.includes("%7") && !lines.includes("%1"), lines.join(" "));
  await click(page, "^4", "are live into ^4");
  assert.ok((await page.locator("#rows [data-id][data-mark]").allTextContents()).includes("%5"));
}));

test("register pressure: a bar and a number for each block", () => withPage(browser, async (page) => {
  await open(page, LOOP, "copy-prop");
  await choose(page, "Register pressure", "the maximum of the function");
  const found = await heads(page);
  assert.ok(Object.values(found).every((text) => /^\d+ bits$/.test(text)), JSON.stringify(found));
  const bars = await page.locator("#marks .fill").evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
  assert.equal(Math.max(...bars), 34);
  assert.ok(new Set(bars).size > 1);
  assert.ok((await words(page)).includes(`^1 ${found["^1"]}`));
}));

test("ranges: beside the values in the graph and in the text", () => withPage(browser, async (page) => {
  await open(page, LOOP, "copy-prop");
  await choose(page, "Ranges", "A range holds wherever the value is computed");
  assert.ok((await words(page)).includes("^1 %4 0..=4"), (await words(page)).join("; "));
  assert.match(await page.locator("#scene").textContent(), /%4: b32, %5: b32\):? {2}%4 0\.\.=4/);
}));

test("alias sets: memory operations have the letter of their class", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  await choose(page, "Alias sets", "never access the same memory");
  const letters = (await words(page)).map((line) => line.split(" ").at(-1));
  assert.ok(letters.includes("A") && letters.includes("B"), letters.join(" "));
  await legend(page).getByText(/^A: /).waitFor();
  assert.ok(await page.locator("#marks .fill").count() > 0, "stripes beside the lines of the graph");
}));

test("execution counts are those of the last run of the shown version", () => withPage(browser, async (page) => {
  await open(page, COUNTED, "copy-prop");
  await choose(page, "Execution counts", "This version has not run: open Run (r)");
  assert.deepEqual(Object.values(await heads(page)).join(""), "");
  await page.locator("h1").click();
  await page.keyboard.press("r");
  await legend(page).getByText("Executions in the last run").waitFor();
  await settled(page);
  assert.deepEqual(await heads(page), { "^0": "× 16", "^1": "× 6", "^2": "not executed", "^3": "× 16" });
  assert.ok((await words(page)).includes("^1 × 6"));
  // An edit makes another program, which runs again, as the pane is open.
  await type(page, COUNTED.replace("const 3", "const 5"));
  await page.waitForFunction(() => [...document.querySelectorAll("#marks text")].some((word) => word.textContent === "× 10"));
}));

test("the overlay survives a reload, another step and another function; its key hides and shows it", () => withPage(browser, async (page) => {
  await open(page, LOOP + LOOP.replace("@0", "@1"), "copy-prop, structurize");
  await choose(page, "Register pressure", "the maximum of the function");
  await page.locator("#steps button").first().click();
  await settled(page);
  assert.match((await heads(page))["^0"], /bits/);
  await page.locator("#functions").selectOption("1");
  await settled(page);
  await page.waitForFunction(() => document.querySelector("#marks text") !== null);
  await page.locator("#graph").focus();
  await page.keyboard.press("a");
  await settled(page);
  await becomes(() => page.locator("#marks > *").count(), 0);
  assert.ok(await legend(page).isHidden());
  await becomes(() => page.locator("#rows .words, #rows [data-mark]").count(), 0);
  await page.keyboard.press("a");
  await page.waitForFunction(() => document.querySelector("#marks text") !== null);
  // The session is stored after a pause.
  await page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await page.reload();
  await settled(page);
  await legend(page).getByText("the maximum of the function").waitFor();
  await becomes(() => page.locator("#overlay").inputValue(), "pressure");
  await becomes(() => page.locator("#overlays").getAttribute("aria-pressed"), "true");
}));

test("every overlay is a command of the palette, an option of the menu by keyboard, and clean for axe", () => withPage(browser, async (page) => {
  await open(page, LOOP, "copy-prop");
  const names = await page.locator("#overlay option").allTextContents();
  assert.equal(names.length, 8);
  await page.locator("#overlays").focus();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "overlay");
  for (const name of names) {
    await page.keyboard.press("Control+k");
    await page.locator("#palette-find").fill(`overlay ${name}`);
    await page.locator("#palette-list [aria-selected=true]", { hasText: name }).waitFor();
    await page.keyboard.press("Enter");
    await settled(page);
    await page.waitForFunction((name) => {
      const [menu, panel] = ["overlay", "overlay-legend"].map((id) => document.getElementById(id));
      return menu.selectedOptions[0].textContent === name && panel && !panel.hidden;
    }, name);
    assert.deepEqual(await axe(page), [], name);
  }
}));

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`${name}: marks at every zoom, a legend that leaves the graph most of the pane`, () => withPage(browser, async (page) => {
    const isSmall = name !== "desktop";
    if (isSmall) await page.locator("nav button", { hasText: "Graph" }).click();
    await page.locator("#overlay").scrollIntoViewIfNeeded();
    await choose(page, "Dominators", "immediate dominator (idom)");
    await page.locator("#zoom").click();
    await settled(page);
    await page.locator("#graph").focus();
    await page.keyboard.press("ArrowDown");
    await legend(page).getByText("is dominated by").waitFor();
    await page.locator("#marks .outline.s1").first().waitFor({ state: "attached" });
    const heights = await page.evaluate(() => ["overlay-legend", "graph", "overlay"].map((id) => document.getElementById(id).getBoundingClientRect().height));
    assert.ok(heights[0] < heights[1] / 2, `${heights}`);
    if (isSmall) assert.ok(heights[2] >= 44);
    for (let times = 0; times < 12; times += 1) await page.keyboard.press("-");
    await settled(page);
    await page.locator("#overview:not([hidden])").waitFor();
    assert.ok(await page.locator("#marks .fill.s1").count() === 1 && await page.locator("#marks text").count() === 0);
    assert.ok(await overflow(page) <= 0);
    assert.deepEqual(await axe(page), []);
  }, { viewport }));
}

test("a skipped step has its reason, a step that ran has its time", () => withPage(browser, async (page) => {
  await open(page, LOOP, "structurize, algebraic");
  const chips = page.locator("#steps button");
  await chips.nth(1).click();
  await settled(page);
  assert.match(await chips.nth(1).getAttribute("title"), /skipped: requires graphs, but no function is one; `flatten` creates them/);
  assert.match(await page.locator("#step").textContent(), /skipped: requires graphs/);
  assert.ok(await chips.nth(1).evaluate((chip) => chip.classList.contains("skipped")));
}));

test("the catalog finds analyses and shows an example of each", () => withPage(browser, async (page) => {
  await pick(page, "loop.ir");
  await page.locator("h1").click();
  await page.keyboard.press("E");
  await page.locator("#passes-found li button").first().waitFor();
  for (const name of ["alias", "cost", "divergence", "induction", "range"]) {
    await page.locator("#passes-find").fill(name);
    const entry = page.locator("#passes-found li", { has: page.locator("i", { hasText: "analysis" }) }).first();
    await entry.locator("[data-read]").click();
    await page.locator("#passes-about pre").first().waitFor();
  }
}));

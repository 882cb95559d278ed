// The graph pane: folds, pins, the search, the minimap, the overview, fingers, the tree for screen readers, PNG.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { axe, becomes, pick, picture, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** A function with this number of blocks: diamonds, every fourth of them in a loop. */
function long(blocks) {
  const lines = ["func @0(%0: b1) graph {"];
  for (let at = 0; at < blocks; at += 1) {
    const to = (by) => `^${Math.min(at + by, blocks - 1)}`;
    const exit = at + 1 === blocks ? "return"
      : at % 8 === 0 ? `branch %0, ${to(1)}, ${to(2)}`
      : at % 8 === 1 ? `goto ${to(2)}`
      : at % 8 === 6 ? `branch %0, ^${at - 1}, ${to(1)}`
      : `goto ${to(1)}`;
    lines.push(`^${at}:`, `  ${exit}`);
  }
  return `${lines.join("\n")}\n}\n`;
}

/** Opens a text with a pipeline that does not change it. */
async function plain(page, text) {
  await page.locator("#pipeline").fill("copy-prop");
  await type(page, text);
  await settled(page);
  await page.locator("#tally", { hasText: "none" }).waitFor({ state: "attached" });
}

/** The positions of drawn blocks on the screen, by their numbers. */
const boxes = (page) => page.locator("#scene .box").evaluateAll((boxes) => Object.fromEntries(boxes.map((box) => {
  const { x, y, width } = box.getBoundingClientRect();
  return [box.dataset.id, { x, y, width, folded: box.classList.contains("folded"), chosen: box.classList.contains("chosen") }];
})));

/** The largest movement of a block that is in both pictures, except the given one. */
function farthest(before, after, but) {
  const both = Object.keys(before).filter((id) => id in after && id !== but);
  assert.ok(both.length > 1, "blocks to compare");
  return Math.max(...both.map((id) => Math.hypot(before[id].x - after[id].x, before[id].y - after[id].y)));
}

/** Chooses the first block of a loop by keys, and returns its number. */
async function chooseLoop(page) {
  const header = await page.locator("#scene [data-loop]").first().getAttribute("data-loop");
  await page.locator(`#scene .box[data-id="${header}"]`).click({ position: { x: 3, y: 10 } });
  await page.locator("#scene .box.chosen").waitFor();
  await page.locator("#graph").focus();
  return header;
}

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: axe finds nothing in fold, pin, search and tree`, () => withPage(browser, async (page) => {
      if (name === "phone") await page.locator("nav button", { hasText: "Input" }).click();
      await pick(page, "early-returns.spvasm");
      if (name === "phone") await page.locator("nav button", { hasText: "Graph" }).click();
      await settled(page);
      await page.locator("#graph").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("p");
      await page.locator("#scene .pin").waitFor({ state: "attached" });
      await page.keyboard.press("Z");
      await page.locator("#scene .folded").first().waitFor({ state: "attached" });
      await settled(page);
      await picture(page, `graph-fold-${name}-${colorScheme}`);
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press("/");
      await page.keyboard.type("return");
      await page.locator("#find-count", { hasText: "1 of" }).waitFor();
      await picture(page, `graph-find-${name}-${colorScheme}`);
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press("Escape");
      await page.locator("#outline").focus();
      await page.keyboard.press("ArrowRight");
      await page.locator("#outline [aria-expanded=true]").first().waitFor();
      await picture(page, `graph-tree-${name}-${colorScheme}`);
      assert.deepEqual(await axe(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing overflows");
    }, { viewport, colorScheme }));
  }
}

test("a loop folds at its head and by key, takes its space away, and stays where it is", () => withPage(browser, async (page) => {
  await plain(page, long(17));
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await settled(page);
  const before = await boxes(page);
  const header = await chooseLoop(page);
  await page.keyboard.press("z");
  await page.locator(`#scene .folded[data-id="${header}"]`).waitFor();
  await settled(page);
  const folded = await boxes(page);
  assert.ok(Object.keys(folded).length < Object.keys(before).length);
  assert.match(await page.locator("#scene g:has(> .folded)").textContent(), /loop of \d+ blocks.*\d+ instruction/);
  assert.ok(Math.abs(folded[header].y - before[header].y) < 2, "the view stays on it");
  const [tall, low] = [before, folded].map((boxes) => {
    const tops = Object.values(boxes).map((box) => box.y);
    return Math.max(...tops) - Math.min(...tops);
  });
  assert.ok(low < tall - 50, `${low} px after ${tall} px`);
  await page.locator("#scene .more").first().click();
  await page.waitForFunction((count) => document.querySelectorAll("#scene .box").length === count, Object.keys(before).length);
  await settled(page);
  assert.ok(farthest(before, await boxes(page)) < 20, "opened again");
  await page.locator("#scene [data-loop] .band-name").first().click();
  await page.locator("#scene .folded").first().waitFor();
  await page.keyboard.press("Z");
  await page.waitForFunction(() => document.querySelectorAll("#scene .folded").length === 0);
  await page.keyboard.press("Z");
  await page.waitForFunction(() => document.querySelectorAll("#scene .folded").length === 2);
  await becomes(() => page.locator("#scene .band").count(), 0);
}));

test("a step moves blocks that it does not change by less than 20 px", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("h1").click();
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("f");
    await settled(page);
    const before = await boxes(page);
    const scale = Number((await page.locator("#scene").getAttribute("transform")).match(/scale\((.*)\)/)[1]);
    await page.keyboard.press("{");
    await settled(page);
    const after = await boxes(page);
    const touched = await page.locator("#scene .box.changed, #scene .box.added").evaluateAll((all) => all.map((box) => box.dataset.id));
    touched.forEach((id) => delete after[id]);
    assert.ok(farthest(before, after) / scale < 20, `step ${step}`);
  }
}));

test("a pinned block keeps its exact position when the input grows", () => withPage(browser, async (page) => {
  const text = long(17);
  await plain(page, text);
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await settled(page);
  const [id] = Object.keys(await boxes(page)).slice(5);
  await page.locator(`#scene .box[data-id="${id}"]`).click({ position: { x: 3, y: 10 } });
  await page.keyboard.press("p");
  await page.locator("#scene .pin").waitFor();
  const name = await page.locator(`#scene g[data-block="${id}"] text`).first().textContent();
  const place = () => page.locator("#scene g:has(> .pin) > .box").evaluate((box) => [box.getAttribute("x"), box.getAttribute("y")]);
  const before = await place();
  // Two more blocks at the beginning, one of them with many lines: the part above the pin grows.
  const more = Array.from({ length: 12 }, (_, at) => `  %${at + 1}: b32 = const ${at}`).join("\n");
  await plain(page, text.replace("^0:\n", `^0:\n${more}\n`));
  await settled(page);
  assert.deepEqual(await place(), before);
  await becomes(() => page.locator("#scene g:has(> .pin) text").first().textContent(), name);
  await becomes(() => page.locator("#scene .pin.astray").count(), 0);
  await page.locator("#scene g:has(> .pin) > .box").click({ position: { x: 3, y: 10 } });
  await page.locator("#pin").click();
  await becomes(() => page.locator("#scene .pin").count(), 0, "let go");
}));

test("a long block is shortened, and opens at the line with the number of hidden lines", () => withPage(browser, async (page) => {
  const lines = Array.from({ length: 80 }, (_, at) => `  %${at + 1}: b32 = const ${at}`).join("\n");
  await plain(page, `func @0() graph {\n^0:\n${lines}\n  return\n}\n`);
  await settled(page);
  const rows = () => page.locator("#scene g[data-block] text").count();
  assert.ok(await rows() < 25);
  const more = page.locator("#scene .more");
  assert.match(await more.textContent(), /… \d+ more/);
  await more.click();
  await page.locator("#scene .more", { hasText: "fewer" }).waitFor({ state: "attached" });
  assert.ok(await rows() > 80);
  await page.locator("#graph").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("#scene .more", { hasText: "more" }).waitFor({ state: "attached" });
}));

test("the search finds blocks, operations and values, cyclically", () => withPage(browser, async (page) => {
  await plain(page, `${long(60).replace("^30:\n", "^30:\n  %9: b32 = const 77\n")}`);
  await page.locator("h1").click();
  await page.keyboard.press("/");
  const count = page.locator("#find-count");
  await page.keyboard.type("const 77");
  await count.filter({ hasText: "1 of 1" }).waitFor();
  await settled(page);
  const seen = await page.locator("#scene tspan.current").first().boundingBox();
  const pane = await page.locator("#graph").boundingBox();
  assert.ok(seen.y > pane.y && seen.y < pane.y + pane.height, "the camera went there");
  await page.locator("#find").fill("^59");
  await count.filter({ hasText: /1 of \d/ }).waitFor();
  const all = Number((await count.textContent()).split(" ").at(-1));
  assert.ok(all >= 2);
  await page.keyboard.press("Enter");
  await becomes(() => count.textContent(), `2 of ${all}`);
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await becomes(() => count.textContent(), `${all} of ${all}`);
  await page.locator("#find-next").click();
  await becomes(() => count.textContent(), `1 of ${all}`);
  await page.locator("#find").fill("no such thing");
  await count.filter({ hasText: "not found" }).waitFor();
  await page.locator("#find-close").click();
  assert.equal(await page.locator("#find-bar").isHidden(), true);
  await becomes(() => page.locator("#scene .match").count(), 0);
}));

test("the minimap shows the part in view, moves it, and can be hidden", () => withPage(browser, async (page) => {
  await plain(page, long(120));
  const map = page.locator("#map");
  await map.waitFor();
  const viewTop = () => page.locator("#map-view").evaluate((frame) => frame.offsetTop);
  const before = await viewTop();
  const { x, y, width, height } = await map.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height - 8, { steps: 4 });
  await page.mouse.up();
  assert.ok(await viewTop() > before + 20, "dragged down");
  await page.locator("h1").click();
  await page.keyboard.press("m");
  assert.equal(await map.isHidden(), true);
  await page.keyboard.press("m");
  assert.equal(await map.isHidden(), false);
  await plain(page, long(3));
  await page.locator("#fit").click();
  await map.waitFor({ state: "hidden" });
}));

test("at small zooms a canvas shows the graph, and a click still chooses", () => withPage(browser, async (page) => {
  await plain(page, long(60));
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await settled(page);
  await becomes(() => page.locator("#overview").isVisible(), true);
  await becomes(() => page.locator("#scene .box").count(), 0);
  const drawn = () => page.locator("#overview").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value !== 0);
  });
  assert.ok(await drawn());
  await picture(page, "graph-overview");
  const pane = await page.locator("#graph").boundingBox();
  for (let step = 0; step < 30 && !(await page.locator("#graph").getAttribute("aria-description")); step += 1) {
    await page.mouse.click(pane.x + pane.width / 2 - 60 + 4 * step, pane.y + 28);
  }
  assert.match(await page.locator("#graph").getAttribute("aria-description"), /^Block \^\d+/);
  await page.keyboard.press("c");
  await page.keyboard.press("0");
  await settled(page);
  assert.equal(await page.locator("#overview").isHidden(), true);
  assert.ok(await page.locator("#scene .box.chosen").count() === 1);
}));

test("two fingers zoom and pan, a double tap fits", () => withPage(browser, async (page) => {
  await pick(page, "switch.ir");
  await page.locator("nav button", { hasText: "Graph" }).click();
  await settled(page);
  const client = await page.context().newCDPSession(page);
  const pane = await page.locator("#graph").boundingBox();
  const at = (x, y) => ({ x: pane.x + x, y: pane.y + y });
  const touch = (kind, ...touchPoints) => client.send("Input.dispatchTouchEvent", { type: kind, touchPoints });
  const zoom = async () => Number.parseInt(await page.locator("#zoom").textContent(), 10);
  const before = await zoom();
  await touch("touchStart", { ...at(120, 200), id: 1 }, { ...at(180, 200), id: 2 });
  for (const by of [10, 20, 30]) await touch("touchMove", { ...at(120 - by, 200), id: 1 }, { ...at(180 + by, 200), id: 2 });
  await touch("touchEnd");
  const larger = await zoom();
  assert.ok(larger > before * 1.5, `${before} to ${larger}`);
  const place = () => page.locator("#scene").getAttribute("transform");
  const still1 = await place();
  await touch("touchStart", { ...at(150, 300), id: 1 });
  await touch("touchMove", { ...at(150, 340), id: 1 });
  await touch("touchEnd");
  assert.notEqual(await place(), still1, "one finger pans");
  for (let tap = 0; tap < 2; tap += 1) {
    await touch("touchStart", { ...at(300, 300), id: 1 });
    await touch("touchEnd");
  }
  await settled(page);
  assert.ok(await zoom() < larger, "fitted");
}, { viewport: SIZES.phone, hasTouch: true, isMobile: true }));

/** The number of camera positions during a glide to the whole graph. */
async function seen(page) {
  await page.keyboard.press("0");
  await settled(page);
  const places = page.evaluate(() => new Promise((done) => {
    const seen = new Set();
    const end = performance.now() + 500;
    const look = () => {
      seen.add(document.querySelector("#scene").getAttribute("transform"));
      if (performance.now() < end) requestAnimationFrame(look);
      else done(seen.size);
    };
    look();
  }));
  await page.keyboard.press("f");
  return places;
}

test("the camera glides, unless motion is reduced", async () => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    await withPage(browser, async (page) => {
      await plain(page, long(60));
      await page.locator("h1").click();
      let most = 0;
      // A machine at other work may draw no picture for as long as a glide takes.
      for (let times = 0; times < 10 && most < 3; times += 1) most = Math.max(most, await seen(page));
      assert.equal(most > 2, reducedMotion !== "reduce", `${reducedMotion}: ${most}`);
    }, { reducedMotion });
  }
});

test("the tree has loops, blocks and edges, and follows the choice in the graph", () => withPage(browser, async (page) => {
  await plain(page, long(24));
  await page.locator("#graph").focus();
  await page.keyboard.press("Tab");
  const active = () => page.evaluate(() => {
    const tree = document.activeElement;
    return document.getElementById(tree.getAttribute("aria-activedescendant")).textContent.replace(/^[│▾▸· ]*/, "");
  });
  assert.equal(await page.evaluate(() => document.activeElement.id), "outline");
  assert.match(await active(), /^Block \^0, .*entry/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await active(), "true to block ^1");
  await page.keyboard.press("ArrowDown");
  assert.equal(await active(), "false to block ^2");
  await page.keyboard.press("Enter");
  assert.match(await active(), /^Block \^2/);
  assert.match(await page.locator("#graph").getAttribute("aria-description"), /^Block \^2/);
  const loop = page.locator("#outline li", { hasText: /Loop \^5, depth 1/ });
  await becomes(() => loop.getAttribute("aria-expanded"), "true");
  const inside = page.locator("#outline li[aria-level='2']", { hasText: "Block ^6" });
  await becomes(() => inside.getAttribute("aria-posinset"), "2");
  await inside.click();
  await page.keyboard.press("ArrowRight");
  await page.locator("#outline li", { hasText: "true back edge to block ^5" }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await active(), "Loop ^5, depth 1");
  await page.keyboard.press("ArrowLeft");
  await becomes(() => loop.getAttribute("aria-expanded"), "false");
  await page.locator("#graph").focus();
  await page.keyboard.press("ArrowDown");
  const chosen = (await page.locator("#graph").getAttribute("aria-description")).split(",")[0];
  await page.locator("#outline").focus();
  assert.equal((await active()).split(",")[0], chosen, "the tree follows the graph");
}));

test("the graph is saved as PNG, also a very large one", () => withPage(browser, async (page) => {
  for (const [blocks, told] of [[12, /^Saved shader\.png\.$/], [5000, /^Saved shader\.png at \d+ % of its size/]]) {
    await plain(page, long(blocks));
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").selectOption("png")]);
    assert.equal(download.suggestedFilename(), "shader.png");
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    assert.ok(width > (blocks < 100 ? 60 : 8) && height > 200 && width <= 16_000 && height <= 16_000, `${width} × ${height}`);
    assert.match(await page.locator("#notice").textContent(), told);
  }
}, { expected: /^failed: blob:|^request elsewhere: blob:/ }));

// The views of the graph: the first one for every module of the corpus, small zooms with labels, the search, inlined
// constants, the legend; nothing covers a block that cannot be moved free of it.

import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import test from "node:test";
import { axe, becomes, frames, overflow, pick, picture, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const SIZES = {
  desktop: { width: 1440, height: 900 },
  narrow: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};

/** The modules of the corpus and the examples, as paths. Malformed modules have no graph. */
function modules() {
  const root = process.env.VITRINE_E2E_MODULES ?? new URL("../../core/tests/corpus/", import.meta.url).pathname;
  const inputs = (folder) => readdirSync(folder, { recursive: true })
    .filter((name) => /\.(spv|ir)$/.test(name) && !name.startsWith("bad/"))
    .map((name) => `${folder}/${name}`);
  const examples = new URL("../../www/examples/", import.meta.url).pathname;
  const named = readdirSync(examples).map((name) => `${examples}/${name}`);
  return [...inputs(root).sort(), ...named.sort()];
}

/** Opens a file as the dialog does, and waits for its graph. */
async function open(page, path) {
  const name = path.split("/").at(-1);
  await page.locator("#file").setInputFiles(path);
  await page.locator("#name", { hasText: name }).waitFor({ state: "attached" });
  await settled(page);
}

/** Places on the screen: the pane, the entry block, the minimap; the zoom in percent. */
const places = (page) => page.evaluate(() => {
  const rect = (element) => {
    if (!element?.checkVisibility()) return null;
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const one = (selector) => rect(document.querySelector(selector));
  return {
    pane: one("#graph"),
    entry: one("#scene .box.entry"),
    map: one("#map"),
    zoom: Number.parseInt(document.querySelector("#zoom").textContent, 10),
    empty: !document.querySelector("#graph-empty").hidden,
  };
});

const inside = (inner, outer) =>
  inner.left >= outer.left - 1 && inner.top >= outer.top - 1 && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

/** The problem with a first view, or nothing. */
function flaw({ pane, entry, map, zoom, empty }) {
  if (empty) return null;
  if (!entry) return "no entry block";
  if (zoom < 60 || zoom > 100) return `zoom ${zoom} %`;
  const corner = { ...entry, right: Math.min(entry.right, pane.right), bottom: Math.min(entry.bottom, pane.bottom) };
  if (!inside(corner, pane)) return "the upper left corner of the entry is not in view";
  const [wide, high] = [entry.width > pane.width - 48, entry.height > pane.height - 48];
  if (!inside({ ...corner, right: wide ? corner.right : entry.right, bottom: high ? corner.bottom : entry.bottom }, pane)) {
    return "the entry is not in view";
  }
  if (map && overlaps(entry, map) && entry.height < pane.height - map.height - 60) return "the minimap covers the entry";
  return null;
}

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`${name}: the entry block of every module is in the first view, legible`, () => withPage(browser, async (page) => {
    if (name === "phone") await page.locator("nav button", { hasText: "Graph" }).click();
    const all = modules();
    assert.ok(all.length > 100, `${all.length} modules`);
    const flaws = [];
    let blocks = 0;
    for (const path of all) {
      await open(page, path);
      const seen = await places(page);
      const wrong = flaw(seen);
      if (wrong) flaws.push(`${path.split("/").slice(-2).join("/")}: ${wrong} ${JSON.stringify(seen)}`);
      blocks += await page.locator("#scene .box").count();
    }
    assert.deepEqual(flaws, []);
    assert.ok(blocks > 2 * all.length, "graphs were drawn");
    await picture(page, `first-view-${name}`);
  }, { viewport }));
}

/** Modules of the large corpus are opened up to this size, in bytes. */
const MOST_BYTES = 64 << 10;
/** One of so many is opened at each size, another one at each, so that both take four minutes at most; `VITRINE_E2E_ALL=1` opens all. */
const SAMPLE = process.env.VITRINE_E2E_ALL ? 1 : 5;

/** The modules of the large corpus without the malformed ones, sorted; none if it is missing. */
function largeCorpus() {
  const root = process.env.VITRINE_CORPUS ?? new URL("../../../shared/corpus/", import.meta.url).pathname;
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true })
    .filter((name) => name.endsWith(".spv") && !name.startsWith("bad/"))
    .map((name) => `${root}/${name}`)
    .filter((path) => statSync(path).size <= MOST_BYTES)
    .sort();
}

for (const [at, name] of ["desktop", "phone"].entries()) {
  const all = largeCorpus();
  const skip = all.length === 0 && "the large corpus is missing";
  test(`${name}: the entry block of the large corpus is in the first view, legible`, { skip }, () => withPage(browser, async (page) => {
    if (name === "phone") await page.locator("nav button", { hasText: "Graph" }).click();
    const sample = all.filter((_, number) => number % SAMPLE === at % SAMPLE);
    const flaws = [];
    for (const path of sample) {
      await open(page, path);
      const seen = await places(page);
      const wrong = flaw(seen);
      if (wrong) flaws.push(`${path.split("/").slice(-2).join("/")}: ${wrong} ${JSON.stringify(seen)}`);
    }
    console.log(`${sample.length} of ${all.length} modules at ${viewportOf(name)}`);
    assert.deepEqual(flaws, []);
  }, { viewport: SIZES[name] }));
}

function viewportOf(name) {
  const { width, height } = SIZES[name];
  return `${width}×${height}`;
}

/** A function with a counted loop around many diamonds: it fits only at a small zoom. */
function large(diamonds) {
  const lines = ["func @0(%0: b1, %1: b32) -> b32 graph {", "^0:", "  %2: b32 = const 0", "  %3: b32 = const 1", "  %4: b32 = const 8", "  goto ^1(%2)",
    "^1(%5: b32):", "  %6 = ult %5, %4", `  branch %6, ^3, ^2`, "^2:", "  return %5"];
  for (let at = 0; at < diamonds; at += 1) {
    const [head, left, join] = [3 + 3 * at, 4 + 3 * at, 5 + 3 * at];
    const value = 10 + 3 * at;
    lines.push(`^${head}:`, `  %${value} = iadd %5, %1`, `  %${value + 1} = imul %${value}, %${value}`, `  branch %0, ^${left}, ^${join}`,
      `^${left}:`, `  goto ^${join}`, `^${join}:`);
    if (at + 1 < diamonds) lines.push(`  goto ^${head + 3}`);
  }
  const last = 10 + 3 * diamonds;
  lines.push(`  %${last} = iadd %5, %3`, `  goto ^1(%${last})`);
  return `${lines.join("\n")}\n}\n`;
}

/** Opens a text with a pipeline that does not change it. */
async function plain(page, text) {
  await page.locator("#pipeline").fill("copy-prop");
  await type(page, text);
  await settled(page);
  await page.locator("#tally", { hasText: "none" }).waitFor({ state: "attached" });
}

/** The same on a screen of some size, with the graph in view. A phone has no room for the pipeline. */
async function show(page, text, viewport) {
  await plain(page, text);
  await page.setViewportSize(viewport);
  if (viewport === SIZES.phone) await page.locator("nav button", { hasText: "Graph" }).click();
  await settled(page);
}

/** The labels of the overview: text, place, size of the letters. */
const labels = (page) => page.locator("#labels text").evaluateAll((all) => all.map((text) => {
  const { left, top, right, bottom } = text.getBoundingClientRect();
  return { block: text.dataset.block, text: text.textContent, size: Number.parseFloat(getComputedStyle(text).fontSize), left, top, right, bottom };
}));

for (const [name, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of name === "narrow" ? ["light"] : ["light", "dark"]) {
    test(`${name}, ${colorScheme}: below 30 % blocks have legible labels that do not overlap`, () => withPage(browser, async (page) => {
      await show(page, large(24), viewport);
      await page.locator("#scene .band-name", { hasText: "loop ^1 · trip count 8" }).waitFor({ state: "attached" });
      await page.locator("#fit").click();
      await settled(page);
      const { zoom } = await places(page);
      assert.ok(zoom < 30, `${zoom} %`);
      const all = await labels(page);
      assert.ok(all.every((label) => label.size >= 11), "at least 11 px");
      // Letters, not their line boxes, must be apart: these are 11 px high on 13 px.
      await picture(page, `labels-${name}-${colorScheme}`);
      const over = all.flatMap((a, at) => all.slice(at + 1).filter((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3).map((b) => `${a.text} and ${b.text}`));
      assert.deepEqual(over, []);
      const of = (start) => all.find((label) => `${label.text} `.startsWith(`${start} `));
      assert.ok(of("^0"), "the entry");
      assert.ok(of("^2"), "the exit");
      assert.ok(of("^1"), "the loop");
      assert.ok(all.some((label) => /iadd|imul/.test(label.text)), "summaries");
      await page.locator("#graph").focus();
      await page.keyboard.press("0");
      await settled(page);
      await becomes(() => page.locator("#labels text").count(), 0);
    }, { colorScheme }));
  }
}

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`${name}: controls are beside the graph, and blocks move free of the minimap`, () => withPage(browser, async (page) => {
    await show(page, large(24), viewport);
    await page.locator("#graph").focus();
    await page.keyboard.press("/");
    await page.locator("#find-bar").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("l");
    await page.locator("#legend").waitFor();
    await page.keyboard.press("/");
    await frames(page);
    const covering = await page.evaluate(() => {
      const pane = document.querySelector("#graph").getBoundingClientRect();
      const over = (box) => box.left < pane.right && pane.left < box.right && box.top < pane.bottom && pane.top < box.bottom;
      return [...document.querySelectorAll("#pane-graph button, #pane-graph select, #find, #legend, #find-bar, #graph-tools")]
        .filter((one) => one.checkVisibility() && over(one.getBoundingClientRect())).map((one) => one.id);
    });
    assert.deepEqual(covering, []);
    assert.ok(await overflow(page) <= 0);
    await picture(page, `docked-${name}`);
    assert.deepEqual(await axe(page), []);
    await page.locator("#legend-close").click();
    assert.equal(await page.locator("#legend").isHidden(), true);
    await page.locator("#find-close").click();
    await page.keyboard.press("0");
    // Every block on a way down is shown free of the minimap.
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press("ArrowDown");
      await settled(page);
      const [box, seen] = [await page.locator("#scene .box.chosen").evaluate((box) => box.getBoundingClientRect().toJSON()), await places(page)];
      assert.ok(inside(box, seen.pane), `step ${step}`);
      assert.ok(!seen.map || !overlaps(box, seen.map), `step ${step}`);
    }
  }));
}

for (const [name, viewport] of Object.entries({ desktop: SIZES.desktop, narrow: SIZES.narrow })) {
  test(`${name}: blocks move free of the minimap beside a run, too`, () => withPage(browser, async (page) => {
    await page.setViewportSize(viewport);
    await pick(page, "early-returns.spvasm");
    await page.locator("#run").click();
    await page.locator("#debugger-summary", { hasText: "invocation-instructions" }).waitFor();
    await page.locator("#graph").focus();
    await page.keyboard.press("0");
    await settled(page);
    let [maps, low] = [0, 0];
    const visited = new Set();
    for (let step = 0; step < 24; step += 1) {
      await page.keyboard.press(step % 3 === 2 ? "ArrowRight" : "ArrowDown");
      await settled(page);
      const chosen = page.locator("#scene .box.chosen");
      const [box, seen] = [await chosen.evaluate((box) => box.getBoundingClientRect().toJSON()), await places(page)];
      visited.add(await chosen.getAttribute("data-id"));
      maps += Number(seen.map !== null);
      low += Number(seen.pane.height < 400);
      // Each part of a block that is larger than the pane can be moved free.
      const fits = box.width <= seen.pane.width && box.height <= seen.pane.height;
      assert.ok(!seen.map || !fits || !overlaps(box, seen.map), `step ${step}: ${JSON.stringify({ box, seen })}`);
    }
    assert.ok(visited.size > 3 && maps > 0 && low > 0, `${visited.size} blocks, ${maps} maps, ${low} low panes`);
    await picture(page, `beside-run-${name}`);
    assert.deepEqual(await axe(page), []);
  }));
}

test("the search zooms to the match, marks it and counts", () => withPage(browser, async (page) => {
  await plain(page, large(24));
  await page.locator("#fit").click();
  await settled(page);
  await page.locator("#graph").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("%40 = imul");
  await page.locator("#find").fill("imul %40");
  await page.locator("#find-count", { hasText: "1 of 1" }).waitFor();
  await settled(page);
  const { zoom, pane } = await places(page);
  assert.ok(zoom >= 60, `${zoom} %`);
  const mark = await page.locator("#scene tspan.current").first().evaluate((mark) => mark.getBoundingClientRect().toJSON());
  assert.ok(inside(mark, pane));
  await page.locator("#find").fill("imul");
  await page.locator("#find-count", { hasText: /of 24$/ }).waitFor();
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await page.locator("#find-count").textContent(), /^\d+ of 24$/);
  assert.ok(await page.locator("#scene tspan.match").count() > 1);
}));

test("constants and addresses with a single use are at their use in the graph, not in the text", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("copy-prop");
  await type(page, "func @0(%0: b32) -> b32 graph {\n^0:\n  %1: b32 = const 0.5\n  %2 = fadd %0, %1\n  return %2\n}\n");
  await settled(page);
  const graph = page.locator("#scene g[data-block]");
  assert.match(await graph.textContent(), /fadd %0, 0\.5/);
  assert.doesNotMatch(await graph.textContent(), /const/);
  assert.match(await page.locator("#rows").textContent(), /const 0\.5/);
  await becomes(() => page.locator("#inline").getAttribute("aria-pressed"), "true");
  // The constant is chosen where it is printed.
  await graph.locator("tspan", { hasText: "0.5" }).click();
  await page.locator("#rows .chosen", { hasText: "%1" }).first().waitFor();
  await page.locator("#graph").focus();
  await page.keyboard.press("I");
  await settled(page);
  assert.match(await graph.textContent(), /const 0\.5.*fadd %0, %1/);
  await becomes(() => page.locator("#inline").getAttribute("aria-pressed"), "false");
}));

test("the first view follows the size of the pane until the graph is moved", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.setViewportSize(SIZES.narrow);
  await frames(page);
  assert.equal(flaw(await places(page)), null);
  const place = () => page.locator("#scene").getAttribute("transform");
  await page.locator("#graph").focus();
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, 40);
  await settled(page);
  const moved = await place();
  await page.setViewportSize(SIZES.desktop);
  await frames(page);
  assert.equal(await place(), moved);
}));

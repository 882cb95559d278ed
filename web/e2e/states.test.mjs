// The page's states: before any script, loading, empty, bad bytes, invalid, failed, too slow, too big; panes and paper.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, failNext, frames, more, overflow, picture, printed, ready, settled, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const SLOW = "repeat(1000: repeat(1000: structurize, flatten))";
const give = (page, name, buffer) =>
  page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });

test("the prerendered page is complete without scripts", () => withPage(browser, async (page) => {
  assert.ok((await printed(page)).length > 20);
  assert.ok(await page.locator("#scene .box").count() > 1);
  assert.ok(await page.locator("#steps button").count() > 5);
  assert.match(await page.locator("#step").textContent(), /^\d+ \/ \d+ /);
  const pane = await page.locator("#graph").boundingBox();
  const box = await page.locator("#scene .box").first().boundingBox();
  assert.ok(box.x > pane.x && box.x + box.width < pane.x + pane.width && box.y > pane.y, "the graph is in its pane");
  await picture(page, "prerendered");
}, { javaScriptEnabled: false, wait: false, expected: /^failed: .*\/(page|keep)-/ }));

test("a browser without WebAssembly is told so", () => withPage(browser, async (page) => {
  await page.addInitScript(() => { delete self.WebAssembly; });
  await page.reload();
  await page.locator("#loading", { hasText: "This browser has no WebAssembly" }).waitFor();
  await becomes(() => page.locator("#status").textContent(), "No compiler");
}, { expected: /WebAssembly/ }));

test("a browser without workers is told so", () => withPage(browser, async (page) => {
  await page.addInitScript(() => { delete self.Worker; });
  await page.reload();
  await page.locator("#loading", { hasText: "This browser has no web workers" }).waitFor();
  await becomes(() => page.locator("#status").textContent(), "No compiler");
}, { expected: /Worker/ }));

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`loading that takes longer than a second says why, in the same line: ${name}`, () => withPage(browser, async (page) => {
    let go;
    const late = new Promise((resolve) => (go = resolve));
    await page.route("**/compiler_bg-*.wasm", async (route) => { await late; await route.continue(); });
    await page.reload();
    const height = () => page.locator("footer").evaluate((footer) => footer.offsetHeight);
    await page.locator("#status", { hasText: "Loading the compiler" }).waitFor();
    const before = await height();
    await page.locator("#loading", { hasText: "1.5 MB, on the first visit only" }).waitFor();
    assert.equal(await height(), before);
    assert.ok(await page.locator("#loading").evaluate((line) => line.scrollWidth <= line.clientWidth), "it is not cut off");
    await picture(page, `slow-${name}`);
    go();
    await ready(page);
    await becomes(() => page.locator("#loading").isVisible(), false);
  }, { viewport }));
}

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`the live page replaces the prerendered picture without a shift: ${name}`, () => withPage(browser, async (page) => {
    // The compiler is held back, so that both pictures can be compared.
    let go;
    const late = new Promise((resolve) => (go = resolve));
    await page.route("**/compiler_bg-*.wasm", async (route) => { await late; await route.continue(); });
    await page.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => globalThis.shifts.push(
        [entry.value, ...entry.sources.map(({ node }) => node?.id || node?.nodeName)].join(" "),
      ))).observe({ type: "layout-shift", buffered: true });
    });
    await page.reload();
    // The page's program has drawn everything two frames after it has taken over the first worker of www/boot.js.
    await page.waitForFunction(() => self.typedBefore !== undefined && self.firstWorker === undefined);
    await frames(page);
    const look = () => page.evaluate(() => {
      const place = (selector) => [...document.querySelectorAll(selector)].slice(0, 30).map((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        // Rows are as wide as the longest line, which is not visible.
        return width === 0 ? "" : [left, top, selector === "#rows div" ? 0 : width, height].map((edge) => Math.round(edge * 10) / 10).join(" ");
      }).filter(Boolean);
      return {
        scene: document.querySelector("#graph").clientWidth && document.querySelector("#scene").getAttribute("transform"), zoom: document.querySelector("#zoom").textContent,
        rows: document.querySelector("#output").clientWidth && document.querySelector("#rows").textContent.slice(0, 900), steps: document.querySelector("#steps").textContent,
        // The time of a step is not prerendered.
        step: document.querySelector("#step").textContent.replace(/ · [\d.]+ (ms|µs)/, ""), name: document.querySelector("#name").textContent,
        boxes: place("#scene .box"), places: place("#rows div"), chips: place("#steps button"),
        panes: place("main > section, #timeline > *, footer, .bar > *"), input: place("#pane-input .editor"),
      };
    });
    await page.locator("#output").evaluate((pane) => { pane.scrollTop = 60; });
    const before = await look();
    await picture(page, `before-${name}`);
    go();
    await ready(page);
    await settled(page);
    assert.deepEqual(await look(), before);
    await picture(page, `after-${name}`);
    assert.deepEqual(await page.evaluate(() => globalThis.shifts), [], "nothing shifts");
  }, { viewport }));
}

test("a page opened with a link never shows the example", () => withPage(browser, async (page) => {
  let go;
  const late = new Promise((resolve) => (go = resolve));
  await page.route("**/compiler_bg-*.wasm", async (route) => { await late; await route.continue(); });
  await page.goto("about:blank");
  await page.goto(`${process.env.VITRINE_URL}#nonsense`);
  await becomes(() => page.locator("#rows").isVisible(), false);
  go();
  await ready(page);
  await page.locator("#rows").waitFor();
}, { expected: /about:blank/ }));

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`every state is described: ${name}, ${colorScheme}`, () => withPage(browser, async (page) => {
      const state = async (what) => {
        await picture(page, `state-${what}-${name}-${colorScheme}`);
        assert.ok(await overflow(page) <= 0, what);
        assert.deepEqual(await axe(page), [], what);
      };
      const show = (pane) => name === "phone" && page.locator("nav button", { hasText: pane }).click();
      // The test looks at a slow compilation for longer than the page's deadline.
      await page.evaluate(() => {
        const { setTimeout } = globalThis;
        globalThis.setTimeout = (act, ms, ...rest) => setTimeout(act, ms > 5000 ? 10 * ms : ms, ...rest);
      });
      const text = await value(page);
      await type(page, "");
      await show("Text");
      await page.locator("#empty", { hasText: "paste or drop" }).waitFor();
      await state("empty");
      await give(page, "bad.bin", Buffer.from([3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 9]));
      await page.locator("#problems button").first().waitFor({ state: "attached" });
      await show("Problems");
      await state("bad-bytes");
      await give(page, "invalid.ir", Buffer.from("func @0() -> b32 graph {\n^0:\n  %0: b1 = const true\n  return %0\n}\n"));
      await page.locator("#tally", { hasText: "error" }).waitFor({ state: "attached" });
      await show("Problems");
      await state("invalid");
      await give(page, "big.bin", Buffer.alloc(17 * 1024 * 1024));
      await page.locator("#notice", { hasText: "16 MB" }).waitFor();
      await state("too-big");
      await show("Input");
      await type(page, text);
      await ready(page);
      await more(page);
      await page.locator("#pipeline").fill(SLOW);
      await page.locator("#status", { hasText: /step \d+, (structurize|flatten)/ }).waitFor();
      await state("too-slow");
      const stop = page.locator("#action", { hasText: "Stop" });
      const places = new Set();
      for (const pass of ["flatten", "structurize", "flatten"]) {
        await page.locator("#status", { hasText: pass }).waitFor();
        places.add(Math.round((await stop.boundingBox()).x));
      }
      assert.equal(places.size, 1, "the button keeps its place while the progress changes");
      await stop.click();
      await page.locator("#notice", { hasText: /Stopped in step \d+/ }).waitFor();
      await state("stopped");
      await page.locator("#status", { hasText: "Ready" }).waitFor();
      await page.locator("#reset").click();
      await ready(page);
      await failNext(page);
      await type(page, `${text}\n`);
      await page.getByRole("button", { name: "Copy report" }).waitFor();
      await page.locator("#status", { hasText: "Ready" }).waitFor();
      await state("failed");
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save .repro" }).click()]);
      assert.match(download.suggestedFilename(), /\.repro$/);
    }, { viewport, colorScheme, expected: /^failed: blob:|^request elsewhere: blob:/ }));
  }
}

test("splitters move by pointer and keys, are reset by a double click, and are stored", () => withPage(browser, async (page) => {
  const width = async (id) => Math.round((await page.locator(id).boundingBox()).width);
  const first = await width("#pane-input");
  const box = await page.locator("#split-1").boundingBox();
  await page.mouse.move(box.x + 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 152, box.y + 200, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await width("#pane-input")) - first - 150) < 6);
  await becomes(() => page.locator("#split-1").getAttribute("aria-valuenow"), "36");
  await page.keyboard.press("ArrowLeft");
  await becomes(() => page.locator("#split-1").getAttribute("aria-valuenow"), "34");
  const moved = await width("#pane-input");
  await page.reload();
  await ready(page);
  assert.ok(Math.abs((await width("#pane-input")) - moved) < 3, "it is kept");
  await page.locator("#split-1").dblclick();
  assert.ok(Math.abs((await width("#pane-input")) - first) < 3);
  await page.locator("#split-3").focus();
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("ArrowUp");
  assert.ok((await page.locator("#pane-problems").boundingBox()).height > 200);
  await picture(page, "splitters");
}));

test("panes close, open, and maximize", () => withPage(browser, async (page) => {
  await page.getByRole("button", { name: "Close Graph" }).click();
  await becomes(() => page.locator("#pane-graph").isVisible(), false);
  await picture(page, "closed");
  assert.deepEqual(await axe(page), []);
  await page.reload();
  await ready(page);
  await becomes(() => page.locator("#pane-graph").isVisible(), false, "it is kept");
  await page.locator("#show-graph").click();
  await page.locator("#scene .box").first().waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("3");
  assert.equal(await page.evaluate(() => document.activeElement.id), "output");
  await page.keyboard.press("3");
  await becomes(() => page.locator("#pane-graph").isVisible(), false);
  assert.ok((await page.locator("#output").boundingBox()).width > 1400);
  await picture(page, "whole");
  assert.deepEqual(await axe(page), []);
  for (const tab of ["columns", "memory", "ir"]) {
    await page.locator(`#tab-${tab}`).click();
    assert.ok((await page.locator("#pane-output").boundingBox()).width > 1400, tab);
  }
  await page.locator("h1").click();
  await page.keyboard.press("2");
  await page.locator("#scene .box").first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "graph");
}));

test("the printed page is the complete graph and text, and nothing else", () => withPage(browser, async (page) => {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await becomes(() => page.locator("header").isVisible(), false);
  await becomes(() => page.locator("#paper svg .box").first().isVisible(), true);
  const lines = await page.locator("#paper .rows > div").count();
  assert.ok(lines > 30, String(lines));
  const ground = await page.locator("#paper").evaluate((paper) => getComputedStyle(paper).backgroundColor);
  assert.equal(ground, "rgb(255, 255, 255)");
  const ink = await page.locator("#paper .rows").evaluate((paper) => getComputedStyle(paper).color);
  assert.equal(ink, "rgb(34, 37, 42)", "dark on light, whatever the screen has");
  await page.setViewportSize({ width: 760, height: 1100 });
  await picture(page, "paper");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await becomes(() => page.locator("#paper *").count(), 0);
}));

test("forced colors leave every choice visible", () => withPage(browser, async (page) => {
  await page.locator("#list").click();
  await page.locator("#passes-found li button").first().waitFor();
  await picture(page, "forced-colors");
  const outline = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).outlineStyle);
  for (const selector of ["#tab-ir", "#steps [aria-current]"]) assert.equal(await outline(selector), "solid", selector);
  assert.ok(await overflow(page) <= 0);
}, { forcedColors: "active" }));

test("a width of 320 px needs no horizontal scrolling", () => withPage(browser, async (page) => {
  for (const pane of ["Input", "Graph", "Text", "Problems"]) {
    await page.locator("nav button", { hasText: pane }).click();
    assert.ok(await overflow(page) <= 0, pane);
    const cut = await page.evaluate(() => [...document.querySelectorAll("button, select, input")].filter((element) => {
      const box = element.getBoundingClientRect();
      const inside = element.closest("#steps, #graph, .code");
      return !inside && box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
    }).map((element) => element.outerHTML));
    assert.deepEqual(cut, [], pane);
  }
}, { viewport: { width: 320, height: 568 } }));

test("a page without a graph says why, and opens an example", () => withPage(browser, async (page) => {
  await type(page, "module version \"1.6\"\nmodule generator \"0\"\nfunk @0() graph {\n");
  await page.locator("#graph-why", { hasText: /^Nothing can be drawn\. .* the first in line 3: / }).waitFor();
  assert.deepEqual(await axe(page), []);
  await picture(page, "no-graph");
  await type(page, "");
  await page.locator("#graph-why", { hasText: "The input is empty." }).waitFor();
  await page.locator("#graph-empty button", { hasText: "A compute shader" }).click();
  await page.locator("#name", { hasText: "particles.spvasm" }).waitFor();
  await page.locator("#graph-empty").waitFor({ state: "hidden" });
}));

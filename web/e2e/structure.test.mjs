// What the graph and the timeline say about structure: a layout that is computed anew, the conditions at the ends of
// blocks, the brackets of iterations, steps without changes; and the titles and swatches of a run.

import assert from "node:assert/strict";
import test from "node:test";
import { pick, picture, settled, share, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** The places of the drawn blocks in the graph, by the name of the block: independent of the camera. */
const places = (page) => page.locator("#scene .box").evaluateAll((boxes) => Object.fromEntries(boxes.map((box) =>
  [box.parentNode.querySelector("text:not(.sign)").textContent, ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name))).join(" ")])));

/** The last line of each block. */
const ends = (page) => page.locator("#scene [data-block]").evaluateAll((blocks) => blocks.map((block) =>
  [...block.querySelectorAll("text:not(.sign)")].at(-1).textContent.trim()));

test("re-run layout starts afresh: the picture is that of a link to the same version", () => withPage(browser, async (page) => {
  await pick(page, "early-returns.spvasm");
  await page.locator("h1").click();
  const last = await page.locator("#steps button").count();
  let moved = 0;
  for (let step = 0; step < Math.min(last - 1, 8); step += 1) {
    await page.keyboard.press("[");
    await settled(page);
    const before = JSON.stringify(await places(page));
    await page.locator("#layout").click();
    await settled(page);
    const after = await places(page);
    moved += Number(before !== JSON.stringify(after));
    if (before === JSON.stringify(after)) continue;
    const url = await share(page);
    await withPage(browser, async (other) => {
      await settled(other);
      const linked = await places(other);
      // Each page draws the blocks around its own view.
      const both = Object.keys(after).filter((name) => name in linked);
      assert.ok(both.length >= 10, `${both.length} blocks in both`);
      for (const name of both) assert.equal(linked[name], after[name], name);
    }, { url });
    break;
  }
  assert.equal(moved, 1, "a step keeps positions that a new layout does not have");
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("a block that ends in a structured if, switch or loop shows its condition", () => withPage(browser, async (page) => {
  const found = new Set();
  for (const name of ["variables.spvasm", "switch.ir", "early-returns.spvasm", "do-while.spvasm"]) {
    await pick(page, name);
    await settled(page);
    for (const end of await ends(page)) {
      const [word] = end.split(/[\s(]/);
      if (word === "if" || word === "switch") assert.match(end, /^(if|switch) [%$]\w+/, name);
      if (word === "loop") assert.match(end, /^loop !\d+/, name);
      found.add(word);
    }
    // A block with two ways out or more has a condition, never `next`.
    const split = await page.evaluate(() => document.querySelectorAll("#scene .edge.true, #scene .edge.case").length);
    const conditions = (await ends(page)).filter((end) => /^(if|switch|branch|next\(?.*%|.* if )/.test(end)).length;
    assert.ok(split === 0 || conditions > 0, name);
  }
  for (const word of ["if", "switch", "loop"]) assert.ok(found.has(word), `${word} in ${[...found].join(", ")}`);
}));

test("the timeline brackets the iterations of fix(...), collapses steps without changes, and says in full what the step did", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest, fix(3: structurize, vars-to-values, cse, dce), copy-prop");
  await page.locator("#pipeline").press("Enter");
  await settled(page);
  const frames = await page.locator("#steps .iteration").evaluateAll((all) => all.map((one) => {
    const { left, right } = one.getBoundingClientRect();
    const inner = [...one.querySelectorAll("button")].map((button) => button.getBoundingClientRect());
    return {
      number: one.dataset.number,
      names: [...one.querySelectorAll("span")].map(({ textContent }) => textContent),
      encloses: inner.every((each) => each.left >= left - 1 && each.right <= right + 1),
      border: getComputedStyle(one).borderTopStyle,
      label: getComputedStyle(one, "::before").content,
    };
  }));
  assert.ok(frames.length >= 2, "more than one iteration");
  for (const [at, { number, names, encloses, border, label }] of frames.entries()) {
    assert.equal(number, String(at + 1));
    assert.deepEqual(names, ["structurize", "vars-to-values", "cse", "dce"]);
    assert.ok(encloses && border === "solid" && label.includes("×"), label);
  }
  // Steps without changes are dots; their names are for screen readers.
  const [dots, bars] = await page.evaluate(() => ["unchanged", "changed"].map((name) =>
    [...document.querySelectorAll(`#steps .${name}:not([aria-current])`)].map((one) => one.offsetWidth)));
  assert.ok(dots.length > 0 && bars.length > 0);
  assert.ok(Math.max(...dots) < Math.min(...bars), `${dots} and ${bars}`);
  await page.locator("#steps .iteration .changed").first().click();
  await settled(page);
  assert.match(await page.locator("#step").textContent(), /^\d+ \/ \d+ \S+ .*(added|changed|removed|gone|[+~−]\d)/);
  await page.locator("#steps .unchanged").first().focus();
  await page.locator("#steps .unchanged").first().press("Enter");
  await settled(page);
  assert.match(await page.locator("#step").textContent(), /no change|skipped/);
  await picture(page, "timeline-iterations");
}));

test("titles and swatches belong to what is shown, also while a pixel is stepped through", () => withPage(browser, async (page) => {
  await pick(page, "texture.spvasm");
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "instructions" }).waitFor();
  const shown = () => page.evaluate(() => {
    const [x, y] = document.querySelector("#debugger-outputs caption").textContent.match(/\d+/g).map(Number);
    const copy = new OffscreenCanvas(256, 256).getContext("2d", { willReadFrequently: true });
    copy.drawImage(document.querySelector("#debugger-picture"), 0, 0);
    const [red, green, blue] = copy.getImageData(x, y, 1, 1).data;
    return { x, y, pixel: `rgb(${red}, ${green}, ${blue})`, swatch: getComputedStyle(document.querySelector("#debugger-outputs i")).backgroundColor };
  });
  await page.locator("#debugger-picture").click({ position: { x: 100, y: 50 } });
  await page.locator("#debugger-position", { hasText: "pixel (100, 50)" }).waitFor();
  for (let step = 1; step <= 3; step += 1) {
    await page.locator("#step-into").click();
    await page.locator("#debugger-position", { hasText: `${step} step` }).waitFor();
    const { x, y, pixel, swatch } = await shown();
    assert.deepEqual([x, y], [100, 50]);
    assert.equal(swatch, pixel);
  }
  // The table is named after the buffer or the list that it shows.
  await page.locator("#debugger-invocations").click();
  await page.locator("#debugger-rows [data-invocation]").first().waitFor();
  const title = await page.locator("#debugger-name").textContent();
  await page.locator("#debugger-memory button, #debugger-inputs button").first().click();
  await page.waitForFunction((title) => document.querySelector("#debugger-name").textContent !== title, title);
  const name = await page.locator("#debugger-name").textContent();
  const chosen = await page.locator("#debugger-memory button, #debugger-inputs button").first().textContent();
  assert.ok(chosen.includes(name.split(/\s/)[0]), `${name} of ${chosen}`);
  await page.locator("#step-end").click();
  await page.locator("#debugger-position", { hasText: "finished after" }).waitFor();
}));

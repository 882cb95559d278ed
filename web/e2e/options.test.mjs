// The options of a source: a row above the editor, for sources only; a choice translates at once, is stored with the input, and is
// part of the link.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, overflow, picture, printed, ready, settled, share, startBrowser, type, until, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const GLSL = `#version 450
layout(location = 0) out vec4 color;

void draw() {
    color = vec4(0.25);
}

void main() {
    color = vec4(COUNT);
}
`;
const WGSL = `override limit: u32 = 5u;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(1)
fn first() { data[0] = limit; }

@compute @workgroup_size(1)
fn second() { data[1] = 77u; }
`;

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const opened = async (page, text) => {
  await type(page, text);
  await settled(page);
};
const control = (page, key) => page.locator(`#source-options [data-key=${key}] :is(select, input)`);
const keys = (page) => page.locator("#source-options label").evaluateAll((labels) => labels.map(({ dataset }) => dataset.key));
const choose = async (page, key, value) => {
  await control(page, key).selectOption(value);
  await settled(page);
};
const write = async (page, key, value) => {
  await control(page, key).fill(value);
  await control(page, key).press("Enter");
  await settled(page);
};
const problems = async (page) => (await page.locator("#problems button").allInnerTexts()).filter((text) => /error/i.test(text));

test("a row has the options of the front end, and other inputs have no row", () => withPage(browser, async (page) => {
  await becomes(() => page.locator("#source-options").count(), 0, "not loaded before it is needed");
  await opened(page, GLSL);
  await page.locator("#source-options").waitFor();
  assert.deepEqual(await keys(page), ["stage", "entry", "define", "target"]);
  await becomes(() => control(page, "stage").inputValue(), "frag", "of the text");
  await becomes(() => control(page, "entry").inputValue(), "main");
  assert.deepEqual(await axe(page), []);
  await picture(page, "options-glsl");
  await opened(page, WGSL);
  await page.locator("#source-options [data-key=stage]").waitFor({ state: "detached" });
  assert.deepEqual(await keys(page), ["entry", "define", "target"]);
  await becomes(() => page.locator("#source-options [data-key=define] span").textContent(), "Overrides");
  await opened(page, WGSL.replace(/override.*\n/, "const limit = 5u;\n").split("@compute").slice(0, 2).join("@compute"));
  await page.locator("#source-options [data-key=entry]").waitFor({ state: "detached" });
  assert.deepEqual(await keys(page), ["target"], "of a single entry point without overrides");
  await opened(page, "func @0() graph {\n^0:\n  return\n}\n");
  await page.locator("#source-options").waitFor({ state: "hidden" });
}));

test("macros, entry point, stage and version translate at once", () => withPage(browser, async (page) => {
  await opened(page, GLSL);
  assert.match((await problems(page))[0], /COUNT/);
  await write(page, "define", "COUNT=vec4(0.5, 1, 2, 3).y, -DUNUSED");
  assert.deepEqual(await problems(page), []);
  await becomes(() => control(page, "define").inputValue(), "COUNT=vec4(0.5, 1, 2, 3).y UNUSED");
  assert.equal(await value(page), GLSL, "the text is the same");
  await choose(page, "entry", "draw");
  assert.ok((await printed(page)).join("\n").includes("0.25"));
  await write(page, "define", "2X=1");
  assert.match((await problems(page))[0], /2X=1.* is not the name of a macro/);
  await write(page, "define", "COUNT=1");
  await choose(page, "stage", "comp");
  assert.ok((await problems(page)).length > 0, "a compute shader has no outputs");
  await choose(page, "stage", "frag");
  assert.deepEqual(await problems(page), []);
  for (const target of ["1.0", "1.5"]) {
    await choose(page, "target", target);
    assert.deepEqual(await problems(page), []);
    assert.ok((await printed(page)).some((line) => line.includes(`module version "${target}"`)), target);
  }
}));

test("WGSL keeps the chosen entry point, and its overrides have values", () => withPage(browser, async (page) => {
  await opened(page, WGSL);
  const functions = () => page.locator("#functions option").allTextContents();
  assert.equal((await functions()).length, 2);
  await choose(page, "entry", "second");
  assert.equal((await functions()).length, 1);
  assert.ok((await printed(page)).join("\n").includes("77"));
  await choose(page, "entry", "first");
  await write(page, "define", "limit=41");
  assert.ok((await printed(page)).join("\n").includes("41"));
  await write(page, "define", "limt=41");
  assert.match((await problems(page))[0], /no override .?limt/);
  await write(page, "define", "limit=many");
  assert.match((await problems(page))[0], /no value that is a number/);
  await write(page, "define", "");
  assert.deepEqual(await problems(page), []);
  assert.equal((await functions()).length, 1, "the other option stays");
}));

test("a source of an unknown stage asks for it", () => withPage(browser, async (page) => {
  await opened(page, "#version 450\nvoid main() {}\n");
  assert.match((await problems(page))[0], /stage/);
  await becomes(() => control(page, "stage").inputValue(), "");
  await becomes(() => control(page, "stage").locator("option").first().textContent(), "choose");
  await choose(page, "stage", "vert");
  assert.deepEqual(await problems(page), []);
  assert.deepEqual(await control(page, "stage").locator("option").allTextContents(), ["Vertex", "Fragment", "Compute"]);
}));

test("options are part of the link, and the link without one is as before", () => withPage(browser, async (page) => {
  await opened(page, GLSL.replace("COUNT", "0.125"));
  const plain = await share(page);
  await choose(page, "entry", "draw");
  await write(page, "define", "A=1 B");
  const url = await share(page);
  assert.notEqual(url, plain);
  await withPage(browser, async (other) => {
    await settled(other);
    await becomes(() => control(other, "entry").inputValue(), "draw");
    await becomes(() => control(other, "define").inputValue(), "A=1 B");
    assert.ok((await printed(other)).join("\n").includes("0.25"));
  }, { url });
  await write(page, "define", "");
  await choose(page, "entry", "main");
  assert.equal(await share(page), plain, "the preset is no choice");
}, CLIPBOARD));

/** Waits until the database has an input with these options: changes are stored after a pause. */
const stored = (page, options) => until(page, (options) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("vitrine", 1);
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction("entries").objectStore("entries").getAll();
    reading.onsuccess = () => {
      opening.result.close();
      resolve(reading.result.some(({ kept }) => new TextDecoder().decode(kept).includes(options)));
    };
  };
}), options);

test("options are remembered for each input, through a reload and in tabs", () => withPage(browser, async (page) => {
  await opened(page, GLSL);
  await write(page, "define", "COUNT=3");
  await page.locator("#tab-new").click();
  await settled(page);
  await opened(page, GLSL);
  await becomes(() => control(page, "define").inputValue(), "");
  assert.ok((await problems(page)).length > 0);
  await page.locator("#tabs button").first().click();
  await page.waitForFunction(() => document.querySelector("#source-options input")?.value === "COUNT=3");
  await settled(page);
  assert.deepEqual(await problems(page), []);
  await stored(page, "COUNT=3");
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => document.querySelector("#source-options input")?.value === "COUNT=3");
  assert.deepEqual(await problems(page), []);
}));

test("a phone has room for the row", () => withPage(browser, async (page) => {
  await opened(page, GLSL);
  await page.locator("#source-options").waitFor();
  assert.ok(await overflow(page) <= 0);
  const heights = await page.locator("#source-options :is(select, input)").evaluateAll((all) => all.map((of) => of.offsetHeight));
  assert.ok(heights.every((height) => height >= 44), `${heights}`);
  await picture(page, "options-phone");
}, { viewport: { width: 390, height: 844 } }));

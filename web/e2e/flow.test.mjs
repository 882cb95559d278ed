// A shader on the page: opened in any format, stepped through, shown in every pane, saved.

import assert from "node:assert/strict";
import test from "node:test";
import { becomes, frames, pick, picture, printed, settled, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** A compute shader that does nothing. */
const WORDS = [
  0x07230203, 0x00010000, 0, 6, 0, 0x00020011, 1, 0x0003000e, 0, 1, 0x0005000f, 5, 4, 0x6e69616d, 0,
  0x00060010, 4, 17, 1, 1, 1, 0x00020013, 2, 0x00030021, 3, 2, 0x00050036, 2, 4, 0, 3, 0x000200f8, 5,
  0x000100fd, 0x00010038,
];
const BYTES = Buffer.from(new Uint32Array(WORDS).buffer);

const give = (page, name, buffer) =>
  page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });

function paste(page, text) {
  return page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);
}

/** Waits until the editor holds the text of a SPIR-V binary. */
async function disassembled(page, kind) {
  await page.locator("#name", { hasText: kind }).waitFor();
  await page.waitForFunction(() => document.querySelector("#editor").value?.includes("OpEntryPoint GLCompute"));
  await page.locator("#tally", { hasText: "none" }).waitFor({ state: "attached" });
}

/** The step that is shown, as `3 / 26`. */
const step = (page) => page.locator("#step .place").textContent();

test("a binary is opened, in either byte order, and becomes text that can be edited", () => withPage(browser, async (page) => {
  await give(page, "tiny.spv", BYTES);
  await disassembled(page, "SPIR-V binary");
  await give(page, "swapped.spv", Buffer.from(BYTES).swap32());
  await page.locator("#name", { hasText: "swapped.spv · SPIR-V binary" }).waitFor();
  await disassembled(page, "SPIR-V binary");
  const text = await value(page);
  const numbers = await page.locator("#editor .cm-lineNumbers .cm-gutterElement:visible").count();
  assert.equal(numbers, text.split("\n").length, "every line has its number");
  await type(page, text.replace("OpReturn", "OpReturnTo"));
  await page.locator("#problems button").first().waitFor();
  const place = await page.locator("#problems .place").first().textContent();
  const line = text.split("\n").findIndex((line) => line.includes("OpReturn")) + 1;
  assert.equal(Number(place.split(":")[0]), line);
  await page.locator("#editor .cm-lint-marker-error").waitFor();
  assert.match(await page.locator("#editor .cm-line:has(.cm-lintRange)").textContent(), /OpReturnTo/);
  await type(page, text);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  assert.match(await page.locator("#name").textContent(), /SPIR-V text/);
}));

test("hex, a C array, base64 and a dropped file are recognized", () => withPage(browser, async (page) => {
  const hex = WORDS.map((word) => `0x${word.toString(16).padStart(8, "0")}`);
  for (const [text, kind] of [
    [BYTES.toString("hex").replace(/../g, "$& "), "SPIR-V as hex"],
    [`const uint32_t code[] = {\n${hex.join(",\n")}\n};`, "SPIR-V as a C array"],
    [BYTES.toString("base64"), "SPIR-V as base64"],
  ]) {
    await paste(page, text);
    await disassembled(page, kind);
  }
  await page.evaluate((bytes) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], "dropped.bin"));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, [...BYTES]);
  await page.locator("#name", { hasText: "dropped.bin · SPIR-V binary" }).waitFor();
}));

test("an input that cannot be read is reported with its kind", () => withPage(browser, async (page) => {
  await give(page, "a.bin", Buffer.from([0xff, 0xfe, 1, 2]));
  await page.locator("#problems", { hasText: "the first bytes are ff fe 01 02" }).waitFor();
  const kernel = "__kernel void f(__global int *a) { a[0] = 1; }\n";
  await paste(page, kernel);
  await page.locator("#problems", { hasText: "this looks like OpenCL C" }).waitFor();
  await page.locator("#tabs button", { hasText: "a.bin" }).click();
  await page.locator("#problems", { hasText: "ff fe" }).waitFor();
  await paste(page, kernel);
  await becomes(() => page.getByRole("button", { name: "Copy command" }).count(), 2);
  await page.locator("#graph-why .command").click();
  await page.locator("#notice", { hasText: "Command copied." }).waitFor();
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("every example opens without diagnostics, is drawn and can be written", () => withPage(browser, async (page) => {
  const names = await page.locator("#examples option[value^='examples/']").allTextContents();
  assert.ok(names.length >= 12, String(names.length));
  for (const name of names) {
    await pick(page, name);
    await page.locator("#tally", { hasText: "none" }).waitFor();
    await page.locator("#scene .box").first().waitFor();
    await becomes(() => page.locator("#steps .failed, #steps .invalid").count(), 0, name);
  }
}));

test("keys step through the pipeline; the graph and the text follow", () => withPage(browser, async (page) => {
  const last = (await step(page)).split(" / ")[1];
  await page.locator("#steps button").last().click();
  await settled(page);
  assert.equal(await step(page), `${last} / ${last}`);
  const text = (await printed(page)).join("\n");
  await page.locator("h1").click();
  const camera = await page.locator("#scene").getAttribute("transform");
  for (let seen = 0; (await step(page)) !== `0 / ${last}`; seen += 1) {
    assert.ok(seen < 20);
    await page.keyboard.press("[");
    await settled(page);
    const chip = page.locator("#steps [aria-current]");
    assert.match(await chip.getAttribute("class"), /^(changed|start)/);
  }
  await becomes(() => page.locator("#scene").getAttribute("transform"), camera, "the picture keeps its place");
  assert.notEqual((await printed(page)).join("\n"), text);
  await becomes(() => page.locator("#back").getAttribute("aria-disabled"), "true");
  await page.keyboard.press("}");
  await settled(page);
  assert.equal(await step(page), `1 / ${last}`);
  await page.locator("#steps button").last().click();
  await settled(page);
  assert.equal((await printed(page)).join("\n"), text);
}));

test("the pipeline is edited as text; its diagnostics are beside it", () => withPage(browser, async (page) => {
  await page.locator("h1").click();
  await page.keyboard.press("e");
  assert.equal(await page.evaluate(() => document.activeElement.id), "pipeline");
  await page.locator("#pipeline").fill("structurize{imported}, wish");
  await page.locator("#pipeline-problem", { hasText: "column 24" }).waitFor();
  await becomes(() => page.locator("#pipeline").getAttribute("aria-invalid"), "true");
  await becomes(() => page.locator("#steps button").count(), 1);
  await page.locator("#pipeline").fill("structurize{imported}, dce, dce");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 4);
  assert.match(await page.locator("#steps button").last().getAttribute("class"), /^unchanged skipped h0/, "a dot, of a pass that was not asked again");
  await page.locator("#reset").click();
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length > 10);
  assert.match(await page.locator("#pipeline").inputValue(), /^ingest/);
}));

test("pointing links blocks and lines; a click scrolls to the other one", () => withPage(browser, async (page) => {
  await pick(page, "barrier.spvasm");
  // Only blocks in view are elements.
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await settled(page);
  const box = page.locator("#scene .box").nth(1);
  // In a corner without words.
  await box.hover({ position: { x: 2, y: 8 } });
  await page.locator("#scene .box.lit").waitFor();
  await page.locator("#rows .lit.def").first().waitFor({ state: "attached" });
  await page.locator("h1").hover();
  await becomes(() => page.locator("#scene .box.lit").count(), 0);
  await page.locator("#output").evaluate((pane) => { pane.scrollTop = pane.scrollHeight; });
  await frames(page);
  const line = page.locator("#rows > div", { hasText: "%" }).last();
  await line.locator("span").last().hover();
  await page.locator("#scene .lit").first().waitFor({ state: "attached" });
  await box.click({ position: { x: 2, y: 8 } });
  await page.locator("#scene .box.chosen").waitFor();
  await page.locator("#rows .chosen").waitFor();
  await page.locator("#graph").focus();
  const block = () => page.locator("#graph").getAttribute("aria-description");
  const first = await block();
  assert.match(first, /^Block \^\d+/);
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await block(), first);
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#scene .box.chosen").count(), 0);
}));

test("the graph pans, zooms and fits", () => withPage(browser, async (page) => {
  const scene = () => page.locator("#scene").getAttribute("transform");
  const start = await scene();
  await page.locator("#larger").click();
  const larger = await scene();
  assert.notEqual(larger, start);
  const pane = await page.locator("#graph").boundingBox();
  await page.mouse.move(pane.x + 20, pane.y + 20);
  await page.mouse.down();
  await page.mouse.move(pane.x + 120, pane.y + 80, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await scene(), larger);
  // The browser delivers a turn of the wheel later.
  const moved = (before) => page.waitForFunction((before) => document.querySelector("#scene").getAttribute("transform") !== before, before);
  const beforePan = await scene();
  await page.mouse.wheel(0, 100);
  await moved(beforePan);
  const beforeZoom = await scene();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await moved(beforeZoom);
  await page.keyboard.up("Control");
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await settled(page);
  const boxes = await page.locator("#scene .box").evaluateAll((boxes) => boxes.map((box) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    return { left, right, top, bottom };
  }));
  assert.ok(boxes.every((box) => box.left >= pane.x && box.right <= pane.x + pane.width
    && box.top >= pane.y && box.bottom <= pane.y + pane.height), "the whole graph is in the pane");
  await page.keyboard.press("0");
  await becomes(() => page.locator("#zoom").textContent(), "100 %");
}));

test("changes are marked line by line, and SPIR-V is written for each step", () => withPage(browser, async (page) => {
  await page.locator("h1").click();
  await page.keyboard.press("[");
  await settled(page);
  await page.locator("#tab-changes").click();
  await page.locator("#rows .gone, #rows .changed, #rows .added").first().waitFor();
  assert.ok(await page.locator("#scene .box.changed, #scene .box.added").count() > 0);
  await picture(page, "changes");
  await page.locator("#tab-target").click();
  await page.locator("#rows", { hasText: "OpEntryPoint" }).waitFor();
  assert.ok(await page.locator("#rows .t-op").count() > 10);
}));

test("the export menu has every format, and saves the shown version in it", () => withPage(browser, async (page) => {
  const options = await page.locator("#save option").evaluateAll((options) => options.map(({ value, text }) => [value, text]));
  const known = ["SPIR-V binary", "SPIR-V text", "IR text", "Graph as SVG", "Graph as PNG", "Graph as DOT", "Report as HTML", "Reproduction (.repro)"];
  const labels = options.map(([, label]) => label);
  assert.deepEqual(labels.filter((label) => known.includes(label)), known);
  const starts = {
    spirv: "\u0003\u0002#\u0007", spvasm: "; SPIR-V", glsl: "#version 460", "d3d9-asm": "//", "d3d9-sm2-asm": "//", ir: "module", svg: "<svg", png: "\u0089PNG", dot: "digraph", html: "<!",
    repro: "Vitrine reproduction",
  };
  // The forms of a link are a dialog, not a file.
  const values = options.map(([value]) => value).filter((value) => value && value !== "link");
  assert.ok(Object.keys(starts).every((value) => values.includes(value)), values.join(" "));
  // The browser loses one download of about fifty when a script starts them in a row: the files are taken where the page
  // hands them over.
  await page.evaluate(() => {
    self.saved = [];
    const [blobs, create] = [new Map(), URL.createObjectURL];
    URL.createObjectURL = (blob) => {
      const url = create.call(URL, blob);
      blobs.set(url, blob);
      return url;
    };
    HTMLAnchorElement.prototype.click = async function () {
      const bytes = new Uint8Array(await blobs.get(this.href).arrayBuffer());
      self.saved.push({ name: this.download, text: String.fromCharCode(...bytes.slice(0, 40)) });
    };
  });
  for (const [at, value] of values.entries()) {
    await page.locator("#save").selectOption(value);
    await page.waitForFunction((count) => self.saved.length > count, at);
    const { name, text } = await page.evaluate(() => self.saved.at(-1));
    assert.match(name, /^variables\.\w+$/);
    assert.ok(text.toLowerCase().startsWith((starts[value] ?? "").toLowerCase()), `${value}: ${text}`);
  }
  await page.locator("#notice", { hasText: "Saved variables.repro" }).waitFor();
}, { expected: /^failed: blob:|^request elsewhere: blob:/ }));

// Running a version: pictures, buffers, outputs, reports; and stepping through one invocation of it.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, frames, more, overflow, pick, picture, ready, settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const told = (page, text) => page.locator("#debugger-summary", { hasText: text }).waitFor();
const here = (page) => page.locator("#rows .here").evaluate((row) => Number(row.dataset.line));

/** Opens an example and its run. */
async function run(page, name) {
  await pick(page, name);
  await page.locator("#run").click();
  await told(page, "invocation-instructions");
}

/** Colors of the picture. */
const colors = (page) => page.evaluate(() => {
  const canvas = document.querySelector("#debugger-picture");
  const { data } = canvas.getContext("2d").getImageData(0, 0, 256, 256);
  return new Set(new Uint32Array(data.buffer)).size;
});

test("a fragment shader is a picture whose pixels have values", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  assert.ok(await colors(page) > 8, "colors");
  await page.locator("#debugger-picture").hover({ position: { x: 40, y: 30 } });
  await page.locator("#debugger-outputs caption", { hasText: /^pixel \(40, 30\): returned$/ }).waitFor();
  const values = () => page.locator("#debugger-outputs").evaluate((table) => [...table.rows].map((row) => [...row.cells].map(({ textContent }) => textContent)));
  assert.deepEqual((await values()).map(([name]) => name), ["color.x", "color.y", "color.z", "color.w"]);
  for (const [, value] of await values()) assert.match(value, /^[\d.]+0x[\da-f]{8}$/);
  const shown = (await values()).slice(0, 3).map(([, value]) => Math.round(255 * Math.min(1, parseFloat(value))));
  assert.equal(await page.locator("#debugger-outputs i").evaluate((swatch) => getComputedStyle(swatch).backgroundColor), `rgb(${shown.join(", ")})`);
  await page.locator("#debugger-compare").check();
  await told(page, "the same as the input");
  await page.locator("#debugger-picture").hover({ position: { x: 41, y: 30 } });
  await page.locator("#debugger-outputs caption p", { hasText: /^input$/ }).waitFor();
  await becomes(() => page.locator("#debugger-outputs i:visible").count(), 2, "a swatch of this version, and one of the input");
  assert.ok(await page.locator("#debugger-difference").isVisible());
  const entry = page.locator("#debugger-entry option");
  assert.match(await entry.first().textContent(), /\(fragment\)/);
  await page.locator("#debugger-inputs button").first().click();
  await page.locator("#debugger-rows tr").first().waitFor();
}));

test("another version and another seed run again", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  const before = await page.locator("#debugger-summary").textContent();
  await page.locator("#steps button").first().click();
  await page.waitForFunction((before) => {
    const now = document.querySelector("#debugger-summary").textContent;
    return now !== before && now.includes("invocation-instructions");
  }, before);
  await page.locator("#debugger-seed").fill("7");
  await page.locator("#debugger-run").click();
  await told(page, "invocation-instructions");
}));

for (const [name, viewport] of Object.entries({ desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } })) {
  test(`inputs are set by name, for all invocations and for one: ${name}`, () => withPage(browser, async (page) => {
    await run(page, "texture.spvasm");
    const set = async (text) => {
      await page.locator("#assignment").fill(text);
      await page.locator("#assignment").press("Enter");
    };
    await set("picture = #ff8000");
    await page.locator("#assignments button", { hasText: "picture = #ff8000" }).waitFor();
    await page.waitForFunction(() => {
      const pixels = document.querySelector("#debugger-picture").getContext("2d").getImageData(0, 0, 256, 256).data;
      return new Set(new Uint32Array(pixels.buffer)).size === 1;
    });
    await set("picture = checker");
    await page.waitForFunction(() => document.querySelectorAll("#assignments li").length === 1, undefined);
    await page.waitForFunction(() => {
      const pixels = document.querySelector("#debugger-picture").getContext("2d").getImageData(0, 0, 256, 256).data;
      return new Set(new Uint32Array(pixels.buffer)).size > 1;
    });
    await page.locator("#debugger-inputs [data-draft]", { hasText: "Set" }).last().click();
    assert.match(await page.locator("#assignment").inputValue(), /^at = \(/);
    await set("at @ 3, 4 = (0.25, 0.75)");
    await set("mist = 1");
    await page.locator("#assignments .bad", { hasText: "there is no input `mist`" }).waitFor();
    await picture(page, `assignments-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#assignments [data-unassign]").last().click();
    await page.locator("#assignments .bad").waitFor({ state: "detached" });
    await becomes(() => page.locator("#assignments li").count(), 2);
    await settled(page);
    await page.reload();
    await ready(page);
    await page.locator("#run").click();
    await page.locator("#assignments button", { hasText: "picture = checker" }).waitFor();
    await becomes(() => page.locator("#assignments li").count(), 2, "the changes of inputs survive a reload");
    // The test reads the picture several times.
  }, { viewport, expected: /willReadFrequently/ }));
}

/** A PNG whose left half is red and right half is blue, as the page's own encoder writes it. */
const twoColors = (page, width, height) => page.evaluate(async ([width, height]) => {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  for (const [at, color] of ["#ff0000", "#0000ff"].entries()) {
    context.fillStyle = color;
    context.fillRect((at * width) / 2, 0, width / 2, height);
  }
  return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
}, [width, height]);

for (const [name, viewport] of Object.entries({ desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } })) {
  test(`a texture gets a pattern, a color or a picture from a file: ${name}`, () => withPage(browser, async (page) => {
    await run(page, "texture.spvasm");
    const content = page.getByLabel("Content of picture");
    await content.waitFor();
    await becomes(() => content.inputValue(), "generated");
    const shown = (count) => page.waitForFunction((count) => {
      const { data } = document.querySelector("#debugger-picture").getContext("2d").getImageData(0, 0, 256, 256);
      const found = new Set(new Uint32Array(data.buffer)).size;
      return count === 1 ? found === 1 : found >= count;
    }, count);
    // By keyboard; the focus stays when the list is drawn again.
    await content.focus();
    await content.selectOption("noise");
    await page.locator("#assignments button", { hasText: "picture = noise" }).waitFor();
    await shown(100);
    await told(page, "invocation-instructions");
    assert.equal(await page.evaluate(() => document.activeElement.className), "content");
    await content.selectOption("color");
    await page.locator("#assignments button", { hasText: "picture = #ff8000" }).waitFor();
    await page.getByLabel("Color of picture").fill("#3060c0");
    await page.locator("#assignments button", { hasText: "picture = #3060c0" }).waitFor();
    await shown(1);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Picture for picture" }).click();
    const buffer = Buffer.from(await twoColors(page, 600, 300));
    await (await chooser).setFiles({ name: 'red "and" blue.png', mimeType: "image/png", buffer });
    await page.locator("#assignments button", { hasText: 'picture = "red _and_ blue.png"' }).waitFor();
    await page.locator("#debugger-inputs", { hasText: "256×128×1" }).waitFor();
    await told(page, "invocation-instructions");
    await becomes(() => content.inputValue(), "picture");
    await page.locator("#debugger-result").evaluate((pane) => (pane.scrollTop = 0));
    await picture(page, `texture-picture-${name}`);
    await content.scrollIntoViewIfNeeded();
    await picture(page, `texture-controls-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    // It is still there for another version, after an edit and its undo, and after the generated content. On a phone the pane covers them.
    if (name === "desktop") {
      await page.locator("#steps button").first().click();
      await told(page, "invocation-instructions");
      await page.locator("#editor .cm-content").focus();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.type("; ");
      await settled(page);
      await page.keyboard.press("ControlOrMeta+z");
      await settled(page);
      await told(page, "invocation-instructions");
      await becomes(() => page.locator("#assignments .bad").count(), 0);
      assert.match(await page.locator("#debugger-inputs").textContent(), /256×128×1/);
    }
    await page.locator("#assignments [data-unassign]").click();
    await page.waitForFunction(() => document.querySelector("select.content").value === "generated");
    await page.locator("#assignment").fill('picture = "red _and_ blue.png"');
    await page.locator("#assignment").press("Enter");
    await page.locator("#debugger-inputs", { hasText: "256×128×1" }).waitFor();
    await becomes(() => page.locator("#assignments .bad").count(), 0);
    const broken = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Picture for picture" }).click();
    await (await broken).setFiles({ name: "notes.png", mimeType: "image/png", buffer: Buffer.from("text") });
    await page.locator("#debugger-inputs .bad", { hasText: "notes.png is not a picture that this browser reads." }).waitFor();
    // A reload keeps the name of the picture, and says that the picture is not there.
    await settled(page);
    await page.reload();
    await ready(page);
    await page.locator("#run").click();
    await page.locator("#assignments .bad", { hasText: "pictures are not kept by a reload" }).waitFor();
  }, { viewport, expected: /willReadFrequently/ }));
}

test("a buffer is a table by name, whose values can be changed", () => withPage(browser, async (page) => {
  await run(page, "particles.spvasm");
  await page.locator("#debugger-inputs button", { hasText: "storage" }).first().click();
  const row = page.locator("#debugger-rows tr", { hasText: "scene.particles[1].age" });
  await row.waitFor();
  await row.locator("button").click();
  assert.match(await page.locator("#assignment").inputValue(), /^scene\.particles\[1\]\.age = /);
  await page.locator("#assignment").fill("scene.particles[1].age = 0.375");
  await page.locator("#debugger-assign button").click();
  await page.locator("#debugger-rows button", { hasText: /^0\.375$/ }).waitFor();
  await picture(page, "buffer-by-name");
  assert.deepEqual(await axe(page), []);
  await page.locator("#assignments [data-unassign]").click();
  await page.waitForFunction(() => ![...document.querySelectorAll("#debugger-rows button")].some((button) => button.textContent === "0.375"));
}));

test("buffers are tables before and after, read in four ways", () => withPage(browser, async (page) => {
  await run(page, "particles.spvasm");
  assert.ok(await page.locator("#debugger-pictures").isHidden());
  await page.locator("#debugger-inputs button", { hasText: "storage" }).first().click();
  await page.locator("#debugger-rows .changed").first().waitFor();
  const cell = page.locator("#debugger-rows .changed").first();
  const float = await cell.textContent();
  await page.locator("#debugger-view").selectOption("hex");
  await page.locator("#debugger-rows .changed", { hasText: "0x" }).first().waitFor();
  assert.notEqual(await cell.textContent(), float);
  const rows = await page.locator("#debugger-rows tr").count();
  assert.ok(rows < 120, "only rows in view");
  await page.locator("#debugger-table").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
  await page.waitForFunction(() => document.querySelector("#debugger-rows tr th").textContent !== "0x0000" || document.querySelector("#debugger-table").scrollTop === 0);
}));

test("vertices are listed with their outputs", () => withPage(browser, async (page) => {
  await run(page, "matrix.spvasm");
  await page.locator("#debugger-inputs button", { hasText: "outputs" }).click();
  await page.locator("#debugger-rows tr").nth(9).waitFor();
  assert.match(await page.locator("#debugger-head").textContent(), /^invocationend.*position/);
}));

const UNDEFINED = `out $0: f32 {location 0}

entry fragment "main" @0 ($0)

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32 = undef
  %2 = store %0, %1
  return
}
`;

test("undefined behavior is listed with its line", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("structurize{imported}");
  await type(page, UNDEFINED);
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  await page.locator("#run").click();
  await page.locator("#debugger-reports button", { hasText: "U002" }).click();
  await page.locator("#debugger-reports", { hasText: "an undefined value is written to visible memory or an output" }).waitFor();
}));

const PRINTING = `in $0: u32x3 {builtin global_invocation_id}

entry compute "main" @0 ($0) {local_size 3 1 1}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32x3 = load %0
  %2: b32 = swizzle %1.x
  %3 = print %2 {text "number\\t%u\\n"}
  return
}
`;

test("printed lines are listed by invocation with their line", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("structurize{imported}");
  await type(page, PRINTING);
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  await page.locator("#run").click();
  const lines = page.locator("#debugger-reports button");
  await lines.first().waitFor();
  const found = await lines.allInnerTexts();
  assert.match(found[1], /print number 1 .*line 10: invocation 1 at \(1, 0, 0\)/s);
}));

test("a pixel is stepped through: the next line, values beside the text, back and to the end", () => withPage(browser, async (page) => {
  await run(page, "texture.spvasm");
  await page.locator("#debugger-picture").click({ position: { x: 100, y: 50 } });
  await page.locator("#debugger-position", { hasText: "pixel (100, 50)" }).waitFor();
  await page.locator("#rows .here").waitFor();
  const first = await here(page);
  await page.locator("#output").focus();
  await page.keyboard.press("j");
  await page.waitForFunction((first) => Number(document.querySelector("#rows .here")?.dataset.line) !== first, first);
  await page.keyboard.press("j");
  await page.locator("#rows u").first().waitFor();
  await page.locator("#debugger-position", { hasText: "2 steps" }).waitFor();
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await page.locator("#debugger-position", { hasText: "0 steps" }).waitFor();
  assert.equal(await here(page), first);
  await page.locator("#step-over").click();
  await page.locator("#debugger-invocations").click();
  await page.locator("#debugger-rows [data-invocation='5']").click();
  await page.locator("#debugger-position", { hasText: "invocation 5" }).waitFor();
  await becomes(() => page.locator("#debugger-rows tr").count(), 64);
  await page.locator("#debugger-memory button").first().click();
  await page.locator("#debugger-name").waitFor();
  await page.locator("#step-end").click();
  await page.locator("#debugger-position", { hasText: "finished after" }).waitFor();
  await page.locator("#step-back").click();
  await page.locator("#rows .here").waitFor();
  await page.keyboard.press("Escape");
}));

test("stepping goes into, over and out of a call", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("structurize{imported}");
  await type(page, `in $0: u32 {builtin local_invocation_index}

entry compute "main" @0 ($0) {local_size 4 1 1}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32 = load %0
  %2: b32 = call @1(%1)
  %3: b32 = iadd %2, %1
  return
}

func @1(%0: b32) -> b32 tree {
^0:
  %1: b32 = iadd %0, %0
  return %1
}
`);
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
  await page.locator("#run").click();
  await told(page, "invocation-instructions");
  await page.locator("#debugger-second").fill("3");
  await page.locator("#debugger-debug").click();
  await page.locator("#rows .here", { hasText: "deref.var" }).waitFor();
  for (const wanted of ["load", "call", "iadd %0, %0"]) {
    await page.locator("#step-into").click();
    await page.locator("#rows .here", { hasText: wanted }).waitFor();
  }
  await becomes(() => page.locator("#debugger-stack li").count(), 2);
  await page.locator("#step-out").click();
  await page.locator("#rows .here", { hasText: "iadd %2, %1" }).waitFor();
  await page.locator("#rows u", { hasText: /^6$/ }).waitFor();
  await page.locator("#rows [data-line] .link", { hasText: /^%0$/ }).first().click();
  await page.locator("#step-back").click();
  await page.locator("#debugger-close").click();
  await becomes(() => page.locator("#rows u").count(), 0);
}));

const COUNTING = `func @1(%0: b32) -> b32 graph {
^0:
  %1: b32 = const 1
  %2: b32 = const 6
  %3: b32 = const 0
  goto ^1(%3)
^1(%4 "i": b32):
  %5: b1 = ult %4, %2
  branch %5, ^2, ^3
^2:
  %6: b32 = iadd %4, %1
  goto ^1(%6)
^3:
  %7: b32x2 = vec %4, %0
  return %4
}
`;

for (const [name, viewport] of Object.entries({ desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } })) {
  test(`breakpoints on blocks, conditions and watch expressions: ${name}`, () => withPage(browser, async (page) => {
    await more(page);
    await page.locator("#pipeline").fill("structurize{imported}");
    await type(page, `in $0: u32 {builtin local_invocation_index}

entry compute "main" @0 ($0) {local_size 4 1 1}

func @0() graph {
^0:
  %0: path = deref.var $0
  %1: b32 = load %0
  %2: b32 = call @1(%1)
  return
}

${COUNTING}`);
    await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 2);
    await settled(page);
    await page.locator("#run").click();
    await told(page, "invocation-instructions");
    await page.locator("#debugger-second").fill("2");
    await page.locator("#debugger-debug").click();
    await page.locator("#rows .here").waitFor();
    const add = async (id, text) => {
      await page.locator(`#${id}`).fill(text);
      await page.locator(`#${id}`).press("Enter");
    };
    const watch = (text) => page.locator("#watches li", { hasText: text }).locator("output");
    const stop = (text) => page.locator("#stops li", { hasText: text });
    await add("watch", "@1 i");
    await watch("@1 i").filter({ hasText: "its function does not run now" }).waitFor();
    if (name === "desktop") {
      // A click at the block in the graph, a key, and a click beside the text set and remove one.
      await page.locator("#functions").selectOption("1");
      await settled(page);
      await page.locator("#graph").focus();
      const chosen = page.locator("#scene g:has(.box.chosen) .t-block").first();
      for (let step = 0; step < 6 && (await chosen.count() === 0 || await chosen.textContent() !== "^2"); step += 1) {
        await page.keyboard.press("ArrowDown");
        await settled(page);
      }
      await page.locator("#stop-marks [data-stop='@1 ^2']").click();
      await stop("@1 ^2").waitFor();
      await page.locator("#stop-marks .set").waitFor();
      await page.locator("#rows .stop", { hasText: "^2" }).locator("i").click();
      await stop("@1 ^2").waitFor({ state: "detached" });
      await becomes(() => chosen.textContent(), "^2");
      await page.locator("#graph").focus();
      await page.keyboard.press("B");
      await stop("@1 ^2").waitFor();
    } else await add("stop", "@1 ^2");
    await page.getByLabel("Condition of @1 ^2").fill("%i == 4");
    await page.getByLabel("Condition of @1 ^2").press("Enter");
    await page.locator("#step-on").click();
    await page.locator("#stop-why", { hasText: "Stopped at the breakpoint @1 ^2 if %i == 4." }).waitFor();
    await page.locator("#rows .here", { hasText: "iadd" }).waitFor();
    await watch("@1 i").filter({ hasText: /^4$/ }).waitFor();
    await add("watch", "%4 > 3");
    await watch("%4 > 3").filter({ hasText: "true" }).waitFor();
    await add("watch", "%7.y");
    await watch("%7.y").filter({ hasText: "not computed yet" }).waitFor();
    // Two breakpoints within one task, before the compiler answers: none is lost.
    await page.evaluate(() => {
      const field = document.getElementById("stop");
      for (const text of ["@1 ^3", "@1 ^9"]) {
        field.value = text;
        field.form.requestSubmit();
      }
    });
    await stop("@1 ^9").locator(".bad", { hasText: "there is no block ^9 in this version" }).waitFor();
    await page.getByLabel("Remove the breakpoint @1 ^9").click();
    await stop("@1 ^9").waitFor({ state: "detached" });
    await page.locator("#debugger-stepping").evaluate((pane) => (pane.scrollTop = 0));
    await frames(page);
    await picture(page, `breakpoints-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#output").focus();
    await page.keyboard.press("C");
    await page.locator("#stop-why", { hasText: "Stopped at the breakpoint @1 ^3." }).waitFor();
    await page.locator("#step-into").click();
    await watch("%7.y").filter({ hasText: /^2$|^0x00000002$/ }).waitFor();
    await becomes(() => page.locator("#stop-why").textContent(), "");
    await page.keyboard.press("C");
    await page.locator("#stop-why", { hasText: "No further breakpoint was reached." }).waitFor();
    await page.locator("#debugger-close").click();
    await page.locator("#stop-marks circle").first().waitFor({ state: "detached" });
  }, { viewport }));
}

for (const [name, viewport] of Object.entries({ desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } })) {
  test(`a function without an entry point runs with arguments from a form: ${name}`, () => withPage(browser, async (page) => {
    await more(page);
    await page.locator("#pipeline").fill("copy-prop");
    await type(page, `func @0(%0: ptr) graph {
^0:
  return
}

func @1(%0 "scale": b32, %1 "at": b32x2, %2 "turn": b1) -> b32x2 graph {
^0:
  %3: b32x2 = vec %0, %0
  %4: b32x2 = fmul %3, %1
  %5: b1x2 = vec %2, %2
  %6: b32x2 = select %5, %4, %1
  return %6
}

${COUNTING.replace("@1", "@2")}`);
    await settled(page);
    await page.locator("#run").click();
    await told(page, "result.x = ");
    await becomes(() => page.locator("#debugger label.choice", { hasText: "Function" }).count(), 1);
    assert.deepEqual(await page.locator("#debugger-entry option").allTextContents(), ["@0 (function, not run)", "@1 (function)", "@2 (function)"]);
    const scale = page.getByLabel("scale: f32");
    await scale.fill("0.5");
    await scale.press("Enter");
    await page.locator("#assignments button", { hasText: "scale = 0.5" }).waitFor();
    await page.getByLabel("at.x: f32x2").fill("3");
    await page.getByLabel("at.y: f32x2").focus();
    await page.locator("#assignments button", { hasText: /^at = \(3, / }).waitFor();
    await told(page, "result.x = ");
    assert.equal(await page.evaluate(() => document.activeElement.className), "at-1", "the focus stays in the form");
    await page.getByLabel("at.y: f32x2").fill("-8");
    await page.getByLabel("at.y: f32x2").press("Enter");
    await page.getByLabel("turn: bool").setChecked(true);
    await told(page, /^result\.x = 1\.5; result\.y = -4\.0; /);
    await page.locator("#debugger-compare").check();
    await told(page, "the same as the input");
    await page.locator("#debugger-inputs button", { hasText: "result" }).click();
    await page.locator("#debugger-rows tr", { hasText: "result.y" }).waitFor();
    assert.deepEqual(await page.locator("#debugger-rows tr").allTextContents(), ["result.x1.51.5", "result.y-4.0-4.0"]);
    await picture(page, `function-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#debugger-entry").selectOption({ label: "@0 (function, not run)" });
    await told(page, "Cannot be run: parameter 1 is an address or a resource, not a number.");
    await page.locator("#debugger-entry").selectOption({ label: "@2 (function)" });
    await told(page, /^result = 6; /);
    await page.locator("#debugger-debug").click();
    await page.locator("#rows .here").waitFor();
    await page.locator("#step-end").click();
    await page.locator("#debugger-position", { hasText: "finished after" }).waitFor();
  }, { viewport }));
}

test("a run that never ends stops by itself and names its loop", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("copy-prop");
  await type(page, `entry compute "main" @0 () {local_size 1 1 1}

func @0() graph {
^0:
  goto ^1
^1:
  %0: b32 = const 1
  goto ^1
}
`);
  await settled(page);
  await page.locator("#run").click();
  await told(page, /stopped in the loop \^1 of @0, line \d+/);
  await page.locator("#debugger-reports button", { hasText: "may not terminate in the loop ^1 of @0" }).waitFor();
}));

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: a run and a step fit and axe finds nothing`, () => withPage(browser, async (page) => {
      await run(page, "texture.spvasm");
      await page.locator("#debugger-inputs button").first().click();
      await page.locator("#debugger-rows tr").first().waitFor();
      await frames(page);
      await picture(page, `run-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
      await page.locator("#debugger-first").fill("100");
      await page.locator("#debugger-debug").click();
      for (let at = 0; at < 6; at += 1) await page.locator("#step-into").click();
      await page.locator("#rows u").first().waitFor();
      await page.locator("#debugger-position", { hasText: "6 steps" }).waitFor();
      await frames(page);
      await picture(page, `step-${name}-${colorScheme}`);
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await axe(page), []);
    }, { viewport, colorScheme }));
  }
}

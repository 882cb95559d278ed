// The text editor: edits before it is loaded, colors, diagnostics, search, keys, phones, and the page without it.

import assert from "node:assert/strict";
import test from "node:test";
import { advanceClock, axe, becomes, edited, paste, pick, picture, printed, ready, settled, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** Console lines of a page that is left during loading. */
const RELOADED = /^failed: /;
const PHONE = { width: 390, height: 844 };

/** Puts the focus into the editor, at the beginning or the end of the text. */
async function enter(page, place = "End") {
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press(`Control+${place}`);
}

/** The line and column of the caret, both from 1. */
const caret = (page) => page.evaluate(() => {
  const lines = [...document.querySelectorAll("#editor .cm-line")];
  const { focusNode, focusOffset } = document.getSelection();
  const line = lines.find((line) => line.contains(focusNode));
  const range = document.createRange();
  range.setStart(line, 0);
  range.setEnd(focusNode, focusOffset);
  return [Number(document.querySelector("#editor .cm-lineNumbers .cm-activeLineGutter").textContent), range.toString().length + 1];
});

test("the editor takes over the text area's edits, history, selection and scroll position", async () => {
  let open;
  const closed = new Promise((done) => { open = done; });
  await withPage(browser, async (page) => {
    await page.route("**/editor-*.js", async (route) => {
      await closed;
      await route.continue();
    });
    await page.reload();
    await page.locator("#counts", { hasText: "ms" }).waitFor();
    const area = page.locator("#input");
    const text = await area.inputValue();
    assert.equal(await edited(page), false);
    await area.focus();
    await page.keyboard.press("Control+End");
    // What is typed at one time is one step of the history.
    await advanceClock(page, 0);
    await page.keyboard.type("; one", { delay: 20 });
    await advanceClock(page, 1000);
    await page.keyboard.type(" two", { delay: 20 });
    await page.keyboard.press("Shift+Control+ArrowLeft");
    const top = await area.evaluate((area) => area.scrollTop);
    assert.ok(top > 0);
    open();
    await ready(page);
    assert.equal(await value(page), `${text}; one two`);
    assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
    assert.equal(await page.evaluate(() => document.getSelection().toString()), "two");
    await page.waitForFunction((top) => Math.abs(document.querySelector(".cm-scroller").scrollTop - top) < 40, top);
    await page.keyboard.press("Control+z");
    assert.equal(await value(page), `${text}; one`);
    await page.keyboard.press("Control+z");
    assert.equal(await value(page), text);
    await becomes(() => area.isVisible(), false);
  }, { wait: false, expected: RELOADED });
});

test("without the editor the text area remains usable", () => withPage(browser, async (page) => {
  await page.route("**/editor-*.js", (route) => route.abort());
  await page.reload();
  await page.locator("#counts", { hasText: "ms" }).waitFor();
  const area = page.locator("#input");
  const text = await area.inputValue();
  await area.fill(`${text}\n???\n`);
  await page.locator("#problems button").first().click();
  assert.equal(await area.evaluate((area) => area.value.slice(0, area.selectionStart).split("\n").length), text.split("\n").length + 1);
  assert.ok(await page.locator("#gutter .bad").count() > 0);
  await page.locator("#examples").selectOption({ label: "loop.ir" }, { force: true });
  await page.waitForFunction(() => document.querySelector("#input").value.includes("loop !"));
  assert.equal(await edited(page), false);
}, { wait: false, expected: /editor-.*\.js|Failed to load resource|^failed: / }));

test("typing changes the IR, and each open input has a history of its own", () => withPage(browser, async (page) => {
  const text = await value(page);
  await enter(page, "Home");
  // One input event: keys that a slow machine delivers apart are several steps of the history.
  await page.keyboard.insertText("; typed ");
  assert.equal(await value(page), `; typed ${text}`);
  await pick(page, "loop.ir");
  const loop = await value(page);
  assert.match(loop, /^\s*;|func|module/);
  const lines = (await printed(page)).join("\n");
  await enter(page);
  await page.keyboard.press("Control+z");
  assert.equal(await value(page), loop, "another input has another history");
  // The edited example is still open.
  await page.locator("[data-input-tab]").first().click();
  await page.waitForFunction((text) => document.querySelector("#editor").value === text, `; typed ${text}`);
  await page.waitForFunction((lines) => ![...document.querySelectorAll("#rows > div")].map((row) => row.textContent).join("\n").includes(lines), lines);
  await enter(page);
  await page.keyboard.press("Control+z");
  assert.equal(await value(page), text);
  await page.keyboard.press("Control+y");
  assert.equal(await value(page), `; typed ${text}`);
}));

test("hex that becomes assembly is one step of the history", () => withPage(browser, async (page) => {
  const text = await value(page);
  const words = [0x07230203, 0x00010000, 0, 3, 0, 0x00020011, 1, 0x0003000e, 0, 1, 0x00020013, 2];
  await type(page, words.map((word) => `0x${word.toString(16).padStart(8, "0")}`).join(", "));
  await page.locator("#name", { hasText: "SPIR-V as hex" }).waitFor();
  await page.waitForFunction(() => document.querySelector("#editor").value.includes("OpTypeVoid"));
  await page.keyboard.press("Control+z");
  assert.equal(await value(page), text);
  await page.locator("#name", { hasText: "SPIR-V text" }).waitFor();
  assert.equal(await value(page), text);
}));

test("both languages have the colors of the printed IR, also inside long string literals", () => withPage(browser, async (page) => {
  const classes = async (line) => {
    const spans = page.locator("#editor .cm-line", { hasText: line }).first().locator("[class^=t-]");
    await spans.first().waitFor();
    return spans.evaluateAll((spans) => spans.map((span) => [span.textContent, span.className]));
  };
  assert.deepEqual(await classes("OpTypeInt"), [["%int", "t-value"], ["=", "t-punct"], ["OpTypeInt", "t-op"], ["32", "t-number"], ["1", "t-number"]]);
  await pick(page, "loop.ir");
  await page.locator("#editor .cm-line .t-op", { hasText: "iadd" }).first().waitFor();
  const add = (await classes("= iadd")).map(([, name]) => name);
  assert.deepEqual(add.slice(0, 3), ["t-value", "t-punct", "t-op"]);
  const color = (selector) => page.locator(selector).first().evaluate((span) => getComputedStyle(span).color);
  assert.equal(await color("#editor .t-op"), await color("#rows .t-op"));

  const source = Array.from({ length: 3000 }, (_, line) => `float line_${line} = 1.0; // ${line}`).join("\n");
  await type(page, `OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpString "${source}"\n%2 = OpTypeVoid\n`);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  await page.keyboard.press("Control+End");
  await page.locator("#editor .cm-line", { hasText: "line_2999" }).waitFor();
  assert.deepEqual((await classes("line_2990")).map(([, name]) => name), ["t-text"]);
  assert.deepEqual((await classes("OpTypeVoid")).map(([, name]) => name), ["t-value", "t-punct", "t-op"]);
}));

test("diagnostics are at their positions; keys move between them and announce them", () => withPage(browser, async (page) => {
  const text = await value(page);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.includes("OpTypeVoid"));
  await type(page, text.replace("OpTypeVoid", "OpTypeVoit").replace("OpLabel", "OpLabelled"));
  await page.locator("#editor .cm-lintRange-error").first().waitFor();
  await becomes(() => page.locator("#editor .cm-lintRange-error").first().textContent(), "OpTypeVoit");
  assert.ok(await page.locator("#editor .cm-lint-marker-error").count() >= 1);
  await enter(page, "Home");
  // The next sentence for screen readers replaces the previous one.
  await page.evaluate(() => {
    globalThis.announced = [];
    const place = document.querySelector("#editor .cm-announced");
    new MutationObserver(() => globalThis.announced.push(place.textContent)).observe(place, { childList: true, subtree: true });
  });
  await page.keyboard.press("F8");
  assert.equal((await caret(page))[0], at + 1);
  const told = page.locator("#editor .cm-tooltip .cm-diagnostic");
  const sentence = await told.textContent();
  assert.match(sentence, /OpTypeVoit/);
  assert.match((await page.evaluate(() => globalThis.announced)).join("\n"), new RegExp(`error, line ${at + 1}: `));
  await picture(page, "problem");
  await page.keyboard.press("F8");
  assert.notEqual((await caret(page))[0], at + 1);
  await page.keyboard.press("Shift+F8");
  assert.equal((await caret(page))[0], at + 1);
  await page.keyboard.press("Escape");
  await becomes(() => told.count(), 0);

  await page.locator("#editor .cm-lintRange-error").first().hover();
  await told.first().waitFor();
  await page.locator("h1").hover();
  await page.locator("#problems button").last().click();
  await told.first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
  // They move with the text before the next answer.
  await enter(page, "Home");
  await page.keyboard.type("\n");
  await becomes(() => page.locator("#editor .cm-lintRange-error").first().textContent(), "OpTypeVoit");
  await type(page, text);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  await becomes(() => page.locator("#editor .cm-lintRange-error").count(), 0);
}));

test("search, comments, matching brackets and completion work", () => withPage(browser, async (page) => {
  await pick(page, "loop.ir");
  await enter(page, "Home");
  await page.keyboard.press("Control+f");
  await page.locator("#editor .cm-search input[name=search]").waitFor();
  await page.keyboard.type("iadd");
  await page.keyboard.press("Enter");
  await page.locator("#editor .cm-searchMatch-selected").waitFor();
  await becomes(() => page.locator("#editor .cm-searchMatch-selected").textContent(), "iadd");
  await picture(page, "search");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#editor .cm-search").count(), 0);

  const text = await value(page);
  await enter(page);
  await page.keyboard.type("func @7() graph {", { delay: 5 });
  await page.keyboard.press("Control+/");
  assert.ok((await value(page)).endsWith("; func @7() graph {"));
  await page.keyboard.press("Control+/");
  assert.ok((await value(page)).endsWith("func @7() graph {"));
  await page.keyboard.type("}");
  await page.locator("#editor .cm-matchingBracket").first().waitFor();
  await page.keyboard.type("\n%99 = fa");
  const offered = page.locator("#editor .cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) li");
  await offered.first().waitFor();
  assert.ok((await offered.allTextContents()).includes("fadd"));
  // The list takes no key before a person can have seen it.
  await advanceClock(page, 1000);
  // No wait between the two keys: the list follows at once.
  await page.keyboard.type("d");
  await page.keyboard.press("Enter");
  assert.ok((await value(page)).endsWith("%99 = fadd"));
  await type(page, text);
  await page.locator("#tally", { hasText: "none" }).waitFor();
}));

test("a large text is loaded in parts, one too large to edit is read-only, one too large is refused", () => withPage(browser, async (page) => {
  const text = await value(page);
  const remarks = (mb) => "; a remark of forty characters in all…\n".repeat(mb * 26215);
  const give = (name, buffer) => page.locator("#file").setInputFiles({ name, mimeType: "text/plain", buffer });
  await give("three.spvasm", Buffer.from(remarks(3) + text));
  await page.waitForFunction((least) => document.querySelector("#editor").value.length > least, 2e6);
  await ready(page);
  await enter(page);
  await page.keyboard.type("; typed");
  await page.locator("#editor .cm-line", { hasText: "; typed" }).waitFor();
  await becomes(() => page.locator("#editor .cm-frozen").count(), 0);
  await give("five.spvasm", Buffer.from(remarks(5) + text));
  await page.locator("#editor .cm-frozen", { hasText: "larger than 4 MB" }).waitFor();
  await page.waitForFunction((least) => document.querySelector("#editor").value.length > least, 4e6);
  const before = (await value(page)).length;
  await enter(page);
  await page.keyboard.type("x");
  assert.equal((await value(page)).length, before);
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(17 << 20)], "seventeen.spv"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await page.locator("#notice", { hasText: "seventeen.spv is larger than 16 MB" }).waitFor();
  await pick(page, "loop.ir");
  await becomes(() => page.locator("#editor .cm-frozen").count(), 0);
}));

test("a file dropped on the editor is opened, not typed", () => withPage(browser, async (page) => {
  await page.locator("#editor .cm-content").evaluate((content) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["; dropped"], "dropped.ir"));
    for (const kind of ["dragover", "drop"]) {
      content.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  });
  await page.locator("#name", { hasText: "dropped.ir" }).waitFor();
  await page.waitForFunction(() => document.querySelector("#editor").value === "; dropped");
  await settled(page);
  assert.equal(await value(page), "; dropped");
  await paste(page.locator("#editor .cm-content"), "x");
  assert.equal(await value(page), "x; dropped");
}));

test("everything is reachable by keys, and the page's keys are typed as letters in the editor", () => withPage(browser, async (page) => {
  const text = await value(page);
  await page.keyboard.press("F6");
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("tose]?");
  assert.equal(await value(page), `tose]?${text}`);
  await becomes(() => page.locator("dialog[open]").count(), 0);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.closest("#editor")), null, "Tab leaves");
}));

for (const colorScheme of ["light", "dark"]) {
  test(`phone, ${colorScheme}: the editor fits, also above a keyboard`, () => withPage(browser, async (page) => {
    await page.locator("nav button", { hasText: "Input" }).click();
    const text = await value(page);
    await type(page, text.replace("OpTypeVoid", "OpTypeVoit"));
    await page.locator("#editor .cm-lintRange-error").first().waitFor();
    await enter(page, "Home");
    await page.keyboard.press("F8");
    await page.locator("#editor .cm-tooltip .cm-diagnostic").waitFor();
    await picture(page, `phone-editor-${colorScheme}`);
    assert.deepEqual(await axe(page), []);
    // A browser gives the page the space that its keyboard leaves.
    await page.setViewportSize({ width: 390, height: 400 });
    await enter(page);
    const height = await page.locator("#editor").evaluate((editor) => editor.clientHeight);
    assert.ok(height > 180, `${height} px are left`);
    await page.locator("#editor .cm-activeLine").waitFor();
    const seen = await page.locator("#editor .cm-activeLine").evaluate((line) => {
      const [line_, editor] = [line, document.querySelector("#editor")].map((element) => element.getBoundingClientRect());
      return line_.bottom <= editor.bottom + 1 && line_.top >= editor.top - 1;
    });
    assert.ok(seen, "the current line is in view");
    await picture(page, `phone-keyboard-${colorScheme}`);
    await page.keyboard.press("Control+f");
    await page.locator("#editor .cm-search").waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await picture(page, `phone-search-${colorScheme}`);
  }, { viewport: PHONE, colorScheme, hasTouch: true, isMobile: true }));

  test(`desktop, ${colorScheme}: axe finds nothing`, () => withPage(browser, async (page) => {
    await type(page, (await value(page)).replace("OpTypeVoid", "OpTypeVoit"));
    await page.locator("#editor .cm-lintRange-error").first().waitFor();
    await enter(page, "Home");
    await page.keyboard.press("F8");
    await picture(page, `editor-${colorScheme}`);
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press("Control+f");
    await page.locator("#editor .cm-search").waitFor();
    await picture(page, `editor-search-${colorScheme}`);
    assert.deepEqual(await axe(page), []);
  }, { colorScheme }));
}

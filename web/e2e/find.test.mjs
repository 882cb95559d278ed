// Everything is found: the command palette, the search in texts, hover cards, marks in every view, the help, F6.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, holdCompiler, overflow, pick, picture, settled, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const palette = (page) => page.locator("#palette[open]");
const options = (page) => page.locator("#palette-list li");
const selected = (page) => page.locator("#palette-list [aria-selected=true]");

/** Opens the palette with its key, and searches. */
async function look(page, words) {
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  await page.locator("#palette-count", { hasText: /, too$/ }).waitFor();
  await page.keyboard.type(words);
  await page.locator("#palette-count", { hasText: /found|Nothing/ }).waitFor();
}

/** The names of the listed entries. */
const names = (page) => options(page).locator("b").allTextContents();

test("the palette lists every command of the page with its key", () => withPage(browser, async (page) => {
  await page.locator("#commands").click();
  await palette(page).waitFor();
  const listed = await names(page);
  const wanted = await page.evaluate(() => {
    const shown = [...document.querySelectorAll(":is(header, main, #timeline) button[id]")].filter((button) => button.checkVisibility());
    return shown.filter((button) => !button.matches("#commands, #steps button, [aria-disabled=true]"))
      .map((button) => button.title.replace(/\s*\([^()]+\)$/, "") || button.getAttribute("aria-label") || button.textContent.trim());
  });
  assert.ok(wanted.length > 20, `${wanted.length} buttons`);
  assert.deepEqual(wanted.filter((name) => !listed.includes(name)), []);
  // Keys without a button come from the help.
  for (const name of ["Next step", "Show or hide the minimap", "Fold or unfold everything", "Go to Graph"]) assert.ok(listed.includes(name), name);
  await becomes(() => options(page).filter({ hasText: "Open a file" }).locator("kbd").textContent(), "o");
  assert.deepEqual(await axe(page), []);
  await picture(page, "palette");
  await page.keyboard.press("Escape");
  await becomes(() => palette(page).count(), 0);
}));

test("entries of every kind are found by parts of their names", () => withPage(browser, async (page) => {
  for (const [query, name, kind] of [
    ["fit gr", "Fit the graph", "Graph"], ["lights", "lights.ir", "Example"], ["svg", "Graph as SVG", "Export"], ["png", "Graph as PNG", "Export"],
    ["dce", "dce", "pass"], ["fadd", "fadd", "operation"], ["quasi lesson", "what is a quasi-pointer?", "Lesson"], ["nxst", "Next step", "Pipeline"],
    ["dominator", "dom", "analysis"], ["theme", "Next theme", "Page"], ["help", "Help: keys of every pane", "Page"],
  ]) {
    await look(page, query);
    const found = options(page).filter({ has: page.locator("b", { hasText: name }) }).filter({ has: page.locator("i", { hasText: kind }) });
    assert.ok(await found.count() > 0, `${query}: ${await names(page)}`);
    await page.keyboard.press("Escape");
  }
  await look(page, "xyzzy");
  await becomes(() => options(page).count(), 0);
  assert.match(await page.locator("#palette-count").textContent(), /Nothing has that name/);
}));

test("a chosen command runs, an example opens, and the last commands are listed first", () => withPage(browser, async (page) => {
  await look(page, "why this step");
  await page.keyboard.press("Enter");
  await page.locator("#why").waitFor({ state: "visible" });
  await look(page, "switch.ir");
  await page.keyboard.press("Enter");
  await page.locator("#name", { hasText: "switch.ir" }).waitFor();
  await settled(page);
  await look(page, "changes of this step");
  await page.keyboard.press("Enter");
  await page.locator("#tab-changes[aria-pressed=true]").waitFor();
  await page.locator("#commands").click();
  assert.match((await names(page))[0], /changes of this step/);
  await becomes(() => options(page).first().locator("i").textContent(), "Used last");
  await options(page).filter({ hasText: "Share" }).or(options(page).filter({ hasText: "Open a file" })).first().waitFor();
}));

test("a pass is added after the shown step; its reference opens in the catalog", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest, cse");
  await settled(page);
  await page.locator("#steps button").nth(1).click();
  await settled(page);
  await look(page, "dce");
  await selected(page).filter({ hasText: "dce" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#pipeline").value === "ingest, dce, cse");
  await settled(page);
  await look(page, "cse");
  await page.keyboard.press("Shift+Enter");
  await page.locator("#passes-about h3", { hasText: "cse" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "passes-about");
  await look(page, "iadd_zero");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("#passes-about h3").textContent());
}));

test("the palette works by keys alone, in the editor, too, and gives the focus back", () => withPage(browser, async (page) => {
  const text = await value(page);
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "palette-find");
  const first = await selected(page).textContent();
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await selected(page).textContent(), first);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await selected(page).evaluate((item) => item.nextElementSibling), null, "cyclic");
  const active = await page.locator("#palette-find").getAttribute("aria-activedescendant");
  await becomes(() => selected(page).getAttribute("id"), active);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
  assert.equal(await value(page), text);
}));

test("a command that cannot run now says so", () => withPage(browser, async (page) => {
  await look(page, "one step back");
  await selected(page).filter({ hasText: "One step back" }).waitFor();
  await becomes(() => selected(page).getAttribute("aria-disabled"), "true");
  await page.keyboard.press("Enter");
  await page.locator("#palette-count", { hasText: "not available now" }).waitFor();
}));

for (const [name, size] of [["1024", { width: 1024, height: 768 }], ["phone", { width: 390, height: 844 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${name}, ${colorScheme}: palette and help fit`, () => withPage(browser, async (page) => {
      assert.ok(await overflow(page) <= 0);
      await page.locator("#commands").click();
      await palette(page).waitFor();
      await page.keyboard.type("dce");
      await picture(page, `palette-${name}-${colorScheme}`);
      assert.deepEqual(await axe(page), []);
      assert.ok(await overflow(page) <= 0);
      await page.keyboard.press("Escape");
      await look(page, "help");
      await page.keyboard.press("Enter");
      await page.locator("#keys[open]").waitFor();
      assert.equal(await page.locator("#keys").evaluate((dialog) => dialog.scrollTop), 0);
      await picture(page, `help-${name}-${colorScheme}`);
      assert.deepEqual(await axe(page), []);
    }, { viewport: size, colorScheme }));
  }
}

test("the help begins at its top and is ordered by pane; every key of a button is in it", () => withPage(browser, async (page) => {
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.locator("#keys[open]").waitFor();
  assert.equal(await page.locator("#keys").evaluate((dialog) => dialog.scrollTop), 0);
  assert.deepEqual(await page.locator("#keys h3").allTextContents(), ["Everywhere", "Input", "Graph", "Text", "Pipeline", "Run"]);
  const missing = await page.evaluate(() => {
    const known = new Set([...document.querySelectorAll("#keys kbd")].map((key) => key.textContent));
    const keys = [...document.querySelectorAll("main button[title], header button[title], #timeline button[title]")].map((button) => /\((\S)\)$/.exec(button.title)?.[1]);
    return [...new Set(keys)].filter((key) => key && !known.has(key));
  });
  assert.deepEqual(missing, []);
  await picture(page, "help");
}));

test("F6 reaches every open part of the page, and Shift F6 goes back", () => withPage(browser, async (page) => {
  await type(page, "???");
  await page.locator("#problems button").first().waitFor();
  await pick(page, "loop.ir");
  await page.locator("#rows .link").first().click();
  await page.locator("#inspect:not([hidden])").waitFor();
  await page.locator("#list").click();
  await page.locator("#reasons").click();
  await page.locator("#why:not([hidden])").waitFor();
  await page.locator("h1").click();
  const part = () => page.evaluate(() => {
    const { activeElement } = document;
    const style = getComputedStyle(activeElement);
    const bar = activeElement.closest("section")?.querySelector(":scope > .bar");
    const isMarked = style.outlineStyle !== "none" || (bar && getComputedStyle(bar).boxShadow !== "none");
    return [activeElement.closest("#inspect, #why, section")?.id, isMarked];
  });
  const seen = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("F6");
    const [id, isMarked] = await part();
    assert.ok(isMarked, `${id} shows its focus`);
    seen.push(id);
  }
  assert.deepEqual(seen, ["pane-input", "pane-graph", "pane-output", "pane-problems", "inspect", "passes", "timeline", "why"]);
  await page.keyboard.press("Shift+F6");
  assert.equal((await part())[0], "timeline");
}));

// Search in texts.

const count = (page, words) => page.locator("#text-find-count", { hasText: words }).waitFor();
/** The number of highlighted matches in the drawn rows, and the text of the current one. */
const lit = (page) => page.evaluate(() => {
  const ranges = (name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString());
  return { others: ranges("find"), current: ranges("find-current") };
});

async function find(page, words) {
  await page.keyboard.press("Control+f");
  await page.locator("#text-find-bar:not([hidden])").waitFor();
  await page.locator("#text-find").fill(words);
}

test("the text is searched: plain words, expressions, case, next and previous, highlights", () => withPage(browser, async (page) => {
  await page.locator("#steps button").first().click();
  await settled(page);
  await page.locator("#output").focus();
  const text = await page.locator("#rows").textContent();
  const many = text.split("fmul").length - 1;
  await find(page, "FMUL");
  await count(page, `1 of ${many}`);
  assert.deepEqual(await lit(page), { others: Array(many - 1).fill("fmul"), current: ["fmul"] });
  await page.keyboard.press("Enter");
  await count(page, `2 of ${many}`);
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await count(page, `${many} of ${many}`);
  await page.keyboard.press("F3");
  await count(page, `1 of ${many}`);
  await page.locator("#text-find-case").click();
  await count(page, "no matches");
  await page.locator("#text-find").fill("fmul");
  await count(page, `1 of ${many}`);
  await page.locator("#text-find-regex").click();
  await page.locator("#text-find").fill("f(mul|add)\\b");
  await count(page, /^1 of \d+$/);
  const { others, current } = await lit(page);
  assert.deepEqual([...new Set([...others, ...current])].sort(), ["fadd", "fmul"]);
  assert.deepEqual(await axe(page), []);
  await picture(page, "find-text");
  await page.locator("#text-find").fill("(");
  await count(page, /^Invalid expression: ./);
  await becomes(() => page.locator("#text-find").getAttribute("aria-invalid"), "true");
  await page.locator("#text-find").fill("x*");
  await count(page, "no matches");
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#text-find-bar").isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), "output");
  assert.deepEqual(await lit(page), { others: [], current: [] });
}));

test("the target, the changes and another step are searched with the same words", () => withPage(browser, async (page) => {
  await page.locator("#output").focus();
  await find(page, "OpLoad");
  await count(page, "no matches");
  await page.locator("#tab-target").click();
  await settled(page);
  await count(page, /^1 of \d+$/);
  assert.equal((await lit(page)).current[0], "OpLoad");
  await page.locator("#tab-changes").click();
  await page.locator("#text-find").fill("const");
  await count(page, /^\d+ of \d+$/);
  await page.locator("#tab-ir").click();
  await settled(page);
  await page.locator("#steps button").first().click();
  await settled(page);
  await count(page, /^\d+ of \d+$/);
  const total = Number((await page.locator("#text-find-count").textContent()).split(" of ")[1]);
  const text = await page.locator("#rows").textContent();
  assert.equal(total, text.toLowerCase().split("const").length - 1);
}));

test("the columns are searched, also inside folds and beyond the window", () => withPage(browser, async (page) => {
  await page.locator("#tab-columns").click();
  await page.locator("#columns-rows [data-column]").first().waitFor();
  await page.locator("#columns").focus();
  await find(page, "ret");
  await count(page, /^\d+ of \d+$/);
  const total = Number((await page.locator("#text-find-count").textContent()).split(" of ")[1]);
  for (let at = 0; at < total; at += 1) {
    await page.waitForFunction(() => {
      const [range] = CSS.highlights.get("find-current") ?? [];
      if (range?.toString().toLowerCase() !== "ret") return false;
      const [match, view] = [range.getBoundingClientRect(), document.querySelector("#columns").getBoundingClientRect()];
      return match.top >= view.top && match.bottom <= view.bottom;
    });
    await page.keyboard.press("Enter");
  }
  await count(page, new RegExp(` of ${total}$`));
  await picture(page, "find-columns");
}));

test("a text of 100,000 lines is searched without a long task", () => withPage(browser, async (page) => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `  %${at}: b32 = const ${at}`);
  await page.locator("#pipeline").fill("ingest");
  await settled(page);
  await type(page, ["func @0() graph {", "^0:", ...lines, "  ret", "}"].join("\n"));
  await page.locator("#rows", { hasText: "= const 7" }).waitFor();
  await settled(page);
  await page.locator("#output").focus();
  // The module is loaded with the first search.
  await find(page, "%7:");
  await count(page, "1 of 1");
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  for (const [words, many] of [["const 99999", "1 of 1"], ["%", / of 100000$/], ["const 9", / of 11111$/]]) {
    await page.locator("#text-find").fill(words);
    await count(page, many);
  }
  await page.keyboard.press("Shift+Enter");
  await page.waitForFunction(() => [...(CSS.highlights.get("find-current") ?? [])].length === 1);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid}.${tid}`);
  // Processor time, which the load of the machine does not change.
  const tasks = traceEvents.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.includes(`${pid}.${tid}`)).map(({ tdur }) => (tdur ?? 0) / 1000);
  assert.ok(tasks.length > 10, `${tasks.length} tasks`);
  assert.ok(Math.max(...tasks) <= 50, `${Math.max(...tasks)} ms`);
}));

test("an expression that never ends is stopped; the next one works", () => withPage(browser, async (page) => {
  await type(page, `entry compute "${"a".repeat(60)}!" @0 () {local_size 1 1 1}\n\nfunc @0() graph {\n^0:\n  ret\n}\n`);
  await page.locator("#rows", { hasText: "aaaa" }).waitFor();
  await settled(page);
  await page.locator("#output").focus();
  await page.keyboard.press("Control+f");
  await page.locator("#text-find-regex").click();
  await page.locator("#text-find").fill("(a+)+$");
  await count(page, /takes too long/);
  await page.locator("#text-find").fill("a+!");
  await count(page, "1 of 1");
}));

// Hover cards, and marks in every view.

const card = (page) => page.locator("#card:not([hidden])");

/** Points at a token, waits for its card, and checks that the card is in the window and does not cover the token. */
async function point(page, token, words) {
  await token.hover();
  await card(page).filter({ hasText: words }).waitFor();
  const [at, box] = [await token.boundingBox(), await card(page).boundingBox()];
  assert.ok(box.y >= at.y + at.height || box.y + box.height <= at.y, `the card covers its token: ${JSON.stringify([at, box])}`);
  const size = page.viewportSize();
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height, JSON.stringify(box));
}

async function leave(page) {
  await page.mouse.move(2, 2);
  await card(page).waitFor({ state: "detached" });
}

test("an operation has a card with meaning, operands, type and a link to its reference", () => withPage(browser, async (page) => {
  const token = page.locator("#rows .t-op", { hasText: /^fadd$/ }).first();
  await point(page, token, /Adds/);
  await card(page).filter({ hasText: /type f32/ }).waitFor();
  const text = await card(page).textContent();
  assert.match(text, /fadd a: \S+, b: \S+ -> /);
  assert.match(text, /commutative/);
  assert.match(text, /uses \d+/);
  await picture(page, "card-operation");
  assert.deepEqual(await axe(page), []);
  // The pointer can move into it.
  const box = await card(page).boundingBox();
  await page.mouse.move(box.x + 20, box.y + 10, { steps: 4 });
  await page.locator("#card button:hover, #card:hover").first().waitFor();
  await card(page).locator("button", { hasText: "Reference: fadd" }).click();
  await page.locator("#passes-about h3", { hasText: "fadd" }).waitFor();
  await card(page).waitFor({ state: "detached" });
}));

test("the links of a card stay where they are when the facts about its value come late", () => withPage(browser, async (page) => {
  const token = page.locator("#rows .t-op", { hasText: /^fadd$/ }).first();
  await point(page, token, /type f32/);
  await leave(page);
  const compiler = await holdCompiler(page);
  await token.hover();
  const link = card(page).locator("a", { hasText: "Page with examples" });
  await link.waitFor();
  const before = await link.boundingBox();
  await compiler.evaluate(() => self.release());
  await card(page).filter({ hasText: /type f32/ }).waitFor();
  assert.deepEqual(await link.boundingBox(), before);
}));

test("Esc closes a card and keeps the choice; a card closes when the pointer leaves", () => withPage(browser, async (page) => {
  await page.locator("#rows .t-value").first().click();
  const chosen = await page.locator("#rows .chosen").textContent();
  await point(page, page.locator("#rows .t-op", { hasText: /^const$/ }).first(), /const/);
  await page.keyboard.press("Escape");
  await becomes(() => card(page).count(), 0);
  await becomes(() => page.locator("#rows .chosen").textContent(), chosen);
  await leave(page);
  await point(page, page.locator("#rows .t-op", { hasText: /^fadd$/ }).first(), /Adds/);
  await leave(page);
}));

test("an answer about a token that the pointer has left opens no card", () => withPage(browser, async (page) => {
  const token = page.locator("#rows .t-op", { hasText: /^const$/ }).first();
  await point(page, token, /const/);
  await leave(page);
  const compiler = await holdCompiler(page);
  await page.locator("#rows .t-value", { hasText: /^%/ }).first().hover();
  await becomes(() => compiler.evaluate(() => self.held.length > 0), true);
  await token.hover();
  await compiler.evaluate(() => self.release());
  await card(page).filter({ hasText: /const/ }).waitFor();
}));

test("opcodes, decorations and built-ins of SPIR-V have a card with a link to the specification", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  await page.locator("#tab-target").click();
  await page.locator("#rows", { hasText: "OpDecorate" }).waitFor();
  await settled(page);
  const line = (words) => page.locator("#rows > div", { hasText: words }).first();
  const href = () => card(page).locator("a").getAttribute("href");
  await point(page, line("OpDecorate").locator(".t-op"), /OpDecorate id Decoration/);
  assert.match(await href(), /SPIRV\.html#OpDecorate$/);
  await leave(page);
  await point(page, line(/OpDecorate .* BuiltIn/).locator("span", { hasText: /^GlobalInvocationId$/i }), /position of the invocation in the dispatch/);
  assert.match(await href(), /SPIRV\.html#BuiltIn$/);
  await picture(page, "card-builtin");
  await leave(page);
  await point(page, line("ArrayStride").locator("span", { hasText: "ArrayStride" }), /bytes from one element/);
  assert.match(await href(), /SPIRV\.html#Decoration$/);
  // A storage class is no decoration.
  await leave(page);
  await page.locator("#tab-ir").click();
  await page.locator("#rows .t-attr", { hasText: "binding" }).first().waitFor();
  await settled(page);
  await point(page, page.locator("#rows .t-attr", { hasText: "binding" }).first(), /resource in its descriptor set/);
}));

test("the graph, the columns and the input have cards, too", () => withPage(browser, async (page) => {
  await point(page, page.locator("#scene .t-op", { hasText: /^fadd$/ }).first(), /Adds/);
  await leave(page);
  await point(page, page.locator("#editor .t-op", { hasText: "OpEntryPoint" }).first(), /OpEntryPoint ExecutionModel id string/);
  await leave(page);
  await point(page, page.locator("#editor .cm-line", { hasText: "%u Location 0" }).locator("span", { hasText: "Location" }), /slot of an input or output/);
  await leave(page);
  await page.locator("#tab-columns").click();
  await point(page, page.locator("#columns-rows .t-op", { hasText: /^const$/ }).first(), /const/);
}));

test("with a key the chosen token has a card, which follows the arrow keys", () => withPage(browser, async (page) => {
  await page.locator("#output").focus();
  await page.keyboard.press("ArrowRight");
  // The first key loads the module.
  await page.locator("#card").waitFor({ state: "attached" });
  await page.keyboard.press("h");
  await card(page).waitFor();
  const first = await card(page).getAttribute("aria-label");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((first) => document.querySelector("#card:not([hidden])")?.getAttribute("aria-label") !== first, first);
  await page.keyboard.press("Escape");
  await becomes(() => card(page).count(), 0);
  assert.ok(await page.locator("#rows .chosen").count() > 0);
  // In the input, F1: the opcode at the caret.
  await page.locator("#editor .t-op", { hasText: "OpEntryPoint" }).first().click();
  await page.keyboard.press("F1");
  await card(page).filter({ hasText: "OpEntryPoint" }).waitFor();
  await page.keyboard.press("F1");
  assert.equal(await page.evaluate(() => document.activeElement.localName), "a");
}));

test("on a touch screen a tap opens no card, a long press does", () => withPage(browser, async (page) => {
  await page.locator("nav button", { hasText: "Text" }).click();
  const token = page.locator("#rows .t-op", { hasText: /^(load|const|fadd)$/ }).first();
  // The first tap loads the module of the cards.
  await token.tap();
  await page.locator("#card").waitFor({ state: "attached" });
  const client = await page.context().newCDPSession(page);
  const { x, y, width, height } = await token.boundingBox();
  const touch = (type, touchPoints, timestamp) => client.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
  // A tap of 50 ms, whose end a busy page handles when the time of a long press is over.
  const start = Date.now() / 1000;
  await touch("touchStart", [{ x: x + width / 2, y: y + height / 2 }], start);
  await card(page).waitFor();
  await touch("touchEnd", [], start + 0.05);
  await becomes(() => card(page).count(), 0);
  await touch("touchStart", [{ x: x + width / 2, y: y + height / 2 }]);
  await card(page).waitFor();
  await touch("touchEnd", []);
  await picture(page, "card-phone");
  assert.ok(await overflow(page) <= 0);
}, { viewport: { width: 390, height: 844 }, hasTouch: true }));

test("the value under the pointer lights up in every view", () => withPage(browser, async (page) => {
  // The variable itself is in the graph where nothing is printed at its use.
  await page.locator("#inline").click();
  await page.locator("#steps button").first().click();
  await settled(page);
  // In the input: the definition, and all uses of its name in view.
  const line = page.locator("#editor .cm-line", { hasText: "%u = OpVariable" });
  await line.locator("span", { hasText: "%u" }).first().hover();
  await page.locator("#editor .cm-lit").nth(2).waitFor();
  assert.deepEqual([...new Set(await page.locator("#editor .cm-lit").allTextContents())], ["%u"]);
  await page.locator("#editor .cm-origin", { hasText: "%u = OpVariable" }).waitFor();
  await page.locator("#rows .lit.def").first().waitFor();
  const name = new RegExp(`^${(await page.locator("#rows .lit.def").first().textContent()).replace("$", "\\$")}$`);
  assert.ok(await page.locator("#rows .lit").count() > 1, "uses in the text");
  await page.locator("#scene .link.lit", { hasText: name }).first().waitFor();
  await page.mouse.move(2, 2);
  await page.locator("#rows .lit").first().waitFor({ state: "detached" });
  await becomes(() => page.locator("#editor .cm-lit").count(), 0);
  // From the graph to the input and the text.
  await page.locator("#scene .link", { hasText: name }).first().hover();
  await page.locator("#editor .cm-lit", { hasText: "%u" }).first().waitFor();
  await page.locator("#rows .lit.def", { hasText: name }).first().waitFor();
  // In the target language and in the columns.
  await page.locator("#tab-target").click();
  await settled(page);
  await page.locator("#rows .link", { hasText: /^%u$/ }).first().hover();
  await page.locator("#scene .link.lit").first().waitFor();
  await page.locator("#editor .cm-lit").first().waitFor();
  await page.locator("#tab-columns").click();
  await page.locator("#columns-rows .t-value").first().hover();
  await page.locator("#columns-rows .lit").first().waitFor();
  // Columns take the space of the graph: it is marked when it is shown again.
  await page.locator("#scene .link.lit").first().waitFor({ state: "attached" });
}));

// Everything is found: the command palette, the search in texts, hover cards, marks in every view, the help, F6.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, overflow, pick, picture, settled, startBrowser, type, value, withPage } from "./harness.mjs";

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
  assert.equal(await options(page).filter({ hasText: "Open a file" }).locator("kbd").textContent(), "o");
  assert.deepEqual(await axe(page), []);
  await picture(page, "palette");
  await page.keyboard.press("Escape");
  assert.equal(await palette(page).count(), 0);
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
  assert.equal(await options(page).count(), 0);
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
  assert.equal(await options(page).first().locator("i").textContent(), "Used last");
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
  assert.equal(await selected(page).getAttribute("id"), active);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.className.includes("cm-content")), true);
  assert.equal(await value(page), text);
}));

test("a command that cannot run now says so", () => withPage(browser, async (page) => {
  await look(page, "one step back");
  await selected(page).filter({ hasText: "One step back" }).waitFor();
  assert.equal(await selected(page).getAttribute("aria-disabled"), "true");
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
  assert.equal(await page.locator("#text-find").getAttribute("aria-invalid"), "true");
  await page.locator("#text-find").fill("x*");
  await count(page, "no matches");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#text-find-bar").isVisible(), false);
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
  await page.evaluate(() => {
    self.tasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => self.tasks.push(entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  for (const [words, many] of [["const 99999", "1 of 1"], ["%", "1 of 100000"], ["const 9", /^1 of 11111$/]]) {
    await page.locator("#text-find").fill(words);
    await count(page, many);
  }
  await page.keyboard.press("Shift+Enter");
  await page.waitForFunction(() => [...(CSS.highlights.get("find-current") ?? [])].length === 1);
  assert.deepEqual(await page.evaluate(() => self.tasks.filter((time) => time > 50)), []);
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

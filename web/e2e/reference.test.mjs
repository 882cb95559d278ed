// The glossary and the reference: a page of each kind, the search with the keyboard, links from the page.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_BELOW, URL_ROOT, axe, becomes, overflow, picture, startBrowser, type, withPage } from "./harness.mjs";

/** A page of each kind, with words that it has. */
const PAGES = [
  ["glossary/", "A block dominates another one"],
  ["ref/", "Operations"],
  ["ref/rule/", "imul_pow2"],
  ["ref/pass/licm/", "In presets"],
  ["ref/preset/O1/", "copy-prop"],
  ["ref/analysis/dom/", "dominates"],
  ["ref/op/fmin/", "Results"],
  ["ref/rule/imul_pow2/", "Without its condition"],
  ["ref/rule/fadd_zero/", "Without its flags"],
  ["ref/diag/E061/", "error[E061]"],
  ["ref/back-end/spirv/", "spirv-legalize"],
  ["ref/front-end/spirv/", "recognized"],
];

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** A page of the reference; fails on any console line and on requests that fail. */
async function reference(path, body, { root = URL_ROOT, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const noise = [];
  try {
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on("console", (line) => noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("response", (response) => response.status() >= 400 && noise.push(`${response.status()}: ${response.url()}`));
    page.on("request", (request) => request.url().startsWith(root) || noise.push(`elsewhere: ${request.url()}`));
    await page.goto(`${root}${path}`);
    await body(page);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
}

for (const [path, words] of PAGES) {
  const name = path.replaceAll("/", "-").replace(/-$/, "");
  test(`${path} is complete without scripts`, () => reference(path, async (page) => {
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(words), text.slice(0, 400));
    assert.ok(!text.includes("{{") && !text.includes("OF-THE-PAGE"));
    assert.ok(!await page.locator("#search").isVisible(), "the search needs a script");
    for (const example of await page.locator(".example").all()) assert.ok(await example.locator(".code span").first().isVisible());
  }, { javaScriptEnabled: false }));

  for (const colorScheme of ["dark", "light"]) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      test(`${path} at ${width} px, ${colorScheme}`, () => reference(path, async (page) => {
        assert.deepEqual(await axe(page), []);
        assert.ok(await overflow(page) <= 0, "nothing is wider than the window");
        await picture(page, `reference-${name}-${width}-${colorScheme}`);
      }, { colorScheme, viewport: { width, height } }));
    }
  }
}

test("the search finds terms, entries and lessons with the keyboard", () => reference("ref/pass/licm/", async (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search");
  await page.keyboard.type("dominance fr");
  await page.locator("#results li").first().waitFor();
  assert.equal(asked.filter((url) => url.endsWith("search.json")).length, 1, "the index is loaded once, when it is needed");
  assert.match(await page.locator("#results li").first().innerText(), /^dominance frontier glossary/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("#results li").count(), 0);
  await page.locator("#search input").fill("fmin");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.locator("#results li", { hasText: "operation" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${URL_ROOT}ref/op/fmin/`);
  await page.locator("#search input").fill("back edges");
  await page.locator("#results li", { hasText: "lesson" }).first().click();
  await page.waitForURL(/learn\/.*#/);
}));

test("the search reports that nothing was found", () => reference("glossary/", async (page) => {
  await page.locator("#search input").fill("qwxyz");
  await page.locator("[role=status]", { hasText: "Nothing was found" }).waitFor();
}));

test("a term of a lesson leads to the glossary, and an example to the playground", () => reference("learn/cfg/", async (page) => {
  await page.locator("a.term", { hasText: "basic block" }).first().click();
  await page.waitForURL(`${URL_ROOT}glossary/#basic-block`);
  assert.ok(await page.locator("#basic-block").isVisible());
  await page.goto(`${URL_ROOT}ref/pass/dce/`);
  const link = await page.locator(".example a.open").first().getAttribute("href");
  assert.match(link, /^\.\.\/\.\.\/\.\.\/#1m/);
}));

test("an example opens in the playground with its pass", () => withPage(browser, async (page) => {
  await page.goto(`${URL_ROOT}ref/pass/licm/`);
  await page.locator(".example a.open").first().click();
  await page.locator("#counts", { hasText: "ms" }).waitFor();
  await becomes(() => page.locator("#pipeline").inputValue(), "licm");
}));

test("a hover card and a diagnostic lead to their pages", () => withPage(browser, async (page) => {
  await page.locator("#rows .t-op").first().hover();
  const card = page.locator("#card a", { hasText: "Page with examples" });
  await card.waitFor();
  const address = await card.getAttribute("href");
  assert.match(address, /^ref\/op\/[^/]+\/$/);
  const [other] = await Promise.all([page.context().waitForEvent("page"), card.click()]);
  await other.waitForURL(`${URL_ROOT}${address}`);
  assert.ok(await other.locator("h1").isVisible());
  await other.close();
  await type(page, "func @f_0(%0: b32) -> b32 tree {\n^0:\n  %1: b32 = fad %0, %0\n  return %1\n}\n");
  const about = page.locator("#problems a.about").first();
  await about.waitFor();
  await becomes(() => about.getAttribute("href"), "ref/diag/P002/");
}));

test("the reference works under a path", { skip: !URL_BELOW }, () => reference("ref/diag/P002/", async (page) => {
  assert.ok((await page.locator("main").innerText()).includes("Repaired"));
  await page.locator("header a", { hasText: "Glossary" }).click();
  await page.waitForURL(`${URL_BELOW}glossary/`);
}, { root: URL_BELOW }));

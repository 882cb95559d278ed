// The text of a target language: it lights with the IR, the graph and the input; what a language cannot express is listed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, becomes, overflow, pick, picture, settled, startBrowser, withPage } from "./harness.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

/** Opens a file of the examples or of the project's corpus. */
async function open(page, file) {
  const folder = file.includes("/") ? "../../core/tests/corpus" : "../../www/examples";
  const buffer = readFileSync(new URL(`${folder}/${file}`, import.meta.url));
  await page.locator("#file").setInputFiles({ name: file.split("/").at(-1), mimeType: "application/octet-stream", buffer });
  await page.locator("#name", { hasText: file.split("/").at(-1) }).waitFor();
  await settled(page);
}

/** Shows the text of a language. */
async function speak(page, language) {
  await page.locator("#tab-target").click();
  await page.locator("#language").selectOption(language);
  await settled(page);
}

const LANGUAGES = { glsl: "#version 460", essl: "#version 300 es", "essl-310": "#version 310 es", wgsl: "@fragment", hlsl: "SV_Target", msl: "metal_stdlib" };

/** The lines of the input that are highlighted. */
const origins = (page) => page.locator("#editor .cm-origin").allTextContents();

test("a token and a line of every language light the graph and the line of the input, and the other way round", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest");
  await open(page, "texture.spvasm");
  await page.locator("#editor .cm-scroller").evaluate((scroller) => { scroller.scrollTop = scroller.scrollHeight; });
  for (const [language, sign] of Object.entries(LANGUAGES)) {
    await speak(page, language);
    await page.locator("#rows", { hasText: sign }).waitFor();
    // Each gesture begins without a highlight.
    const nothing = async () => {
      await page.locator("h1").hover();
      await page.waitForFunction(() => !document.querySelector("#rows .lit, #scene .lit"));
    };
    const lights = async (op) => {
      await page.locator("#scene .lit").first().waitFor({ state: "attached" });
      await page.waitForFunction((op) => [...document.querySelectorAll("#editor .cm-origin")].some((line) => line.textContent.includes(op)), op, { timeout: 20_000 })
        .catch(async () => assert.fail(`${language}: ${op}: ${await origins(page)}`));
    };
    const sum = page.locator("#rows div[data-line]", { has: page.locator(".t-op.link", { hasText: /^\+$/ }) }).first();
    await nothing();
    await sum.locator(".t-op.link", { hasText: /^\+$/ }).first().hover();
    await lights("OpFAdd");
    // Punctuation has no link: its line lights the value that it defines, or its first operator.
    await nothing();
    await sum.locator(".t-punct").first().hover();
    await page.locator("#rows .t-op.lit, #rows .lit.def").first().waitFor();
    await page.locator("#editor .cm-origin").first().waitFor({ state: "attached" });
    // From the graph, and from the input.
    await nothing();
    const added = page.locator("#scene text", { hasText: "fadd" }).first().locator("[data-id]").first();
    await added.hover({ force: true });
    await page.locator("#rows .t-op.lit", { hasText: /^\+$/ }).first().waitFor();
    await nothing();
    await page.locator("#editor .cm-line", { hasText: "OpFAdd" }).locator("span", { hasText: "OpFAdd" }).first().hover();
    await page.locator("#rows .t-op.lit", { hasText: /^\+$/ }).first().waitFor();
  }
}));

test("a statement of a source lights the graph and the text, and the other way round", () => withPage(browser, async (page) => {
  for (const [name, source, value, language] of [["toon.frag", "float shade =", "shade", "hlsl"], ["tone.wgsl", "let mapped", "", "glsl"]]) {
    await pick(page, name);
    await settled(page);
    await speak(page, language);
    const nothing = async () => {
      await page.locator("h1").hover();
      await page.waitForFunction(() => !document.querySelector("#rows .lit, #scene .lit, #editor .cm-origin"));
    };
    await nothing();
    const line = page.locator("#editor .cm-line", { hasText: source }).first();
    await line.locator("span").first().hover();
    await page.locator("#scene .link.lit").first().waitFor({ state: "attached" });
    await page.locator("#rows .lit").first().waitFor({ state: "attached" });
    if (!value) continue;
    await nothing();
    await page.locator("#rows .link", { hasText: new RegExp(`^${value}$`) }).first().hover();
    await page.locator("#editor .cm-origin", { hasText: source }).waitFor();
    await page.locator("#scene .link.lit").first().waitFor({ state: "attached" });
    await becomes(() => page.locator("#editor .cm-lit").count(), 0, "names of the source are not those of the IR");
    await picture(page, "source-lit");
  }
}));

test("everything that a language cannot express is listed with its thing and the passes that help", () => withPage(browser, async (page) => {
  await page.locator("#pipeline").fill("ingest");
  await open(page, "images/query.spv");
  await speak(page, "essl");
  const items = page.locator("#refusals [role=listitem]");
  await items.first().waitFor();
  const texts = await items.allTextContents();
  assert.ok(texts.length >= 6, texts.join("\n"));
  assert.ok(texts.some((text) => text.includes("tex.query_lod")) && texts.some((text) => text.includes("$4")), texts.join("\n"));
  await picture(page, "refusals");
  assert.deepEqual(await axe(page), []);
  assert.ok(await overflow(page) <= 0);
  // The thing is chosen in the IR and in the graph.
  await items.filter({ hasText: "tex.query_lod" }).locator(".place").click();
  await page.locator("#tab-ir[aria-pressed=true]").waitFor();
  // Elsewhere the pointer lights another thing.
  await page.locator("h1").hover();
  await page.locator("#rows .lit.def").first().waitFor();
  await page.locator("#rows div[data-line]", { has: page.locator(".lit.def") }).filter({ hasText: "tex.query_lod" }).first().waitFor();
  // A pass is added at the end of the pipeline, and runs.
  await open(page, "groups/subgroup-arithmetic.spv");
  await speak(page, "wgsl");
  await items.locator(".pass", { hasText: "lower-subgroups{loops}" }).first().click();
  await page.waitForFunction(() => document.getElementById("pipeline").value.endsWith(", lower-subgroups{loops}"));
  await settled(page);
  await page.locator("#rows", { hasText: "@compute" }).waitFor();
}));

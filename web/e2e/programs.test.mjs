// Every source language with every feature: a source is compiled once, and each worker gets that program.
//
// A language without its front end, as Slang in a page that was built without a connection to the registry, is skipped.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, becomes, drop, more, picture, ready, settled, share, startBrowser, value, withPage } from "./harness.mjs";

const GPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const html = URL_ROOT ? await (await fetch(URL_ROOT)).text() : "";
const withoutSlang = html.includes("data-slang-mb=\"") ? false : "the page was built without Slang";
// A site that was not released has no list of releases.
const options = { permissions: ["clipboard-read", "clipboard-write"], expected: /404/ };

let browser;
test.before(async () => (browser = await startBrowser(GPU)));
test.after(() => browser?.close());

const HLSL = `cbuffer Scene : register(b0) { float4 tint; };
struct Corner { float4 position : SV_Position; float2 uv : TEXCOORD0; };
Corner VSMain(float3 at : POSITION) {
    Corner corner;
    corner.position = float4(at + tint.xyz, 1.0);
    corner.uv = at.xy;
    return corner;
}
float4 PSMain(Corner corner) : SV_Target {
    float2 sum = corner.uv + tint.xy;
    return float4(sum, sum.x + 0.25, 1.0);
}
`;

/** For each language the name of a file, a text with an addition, and the lines where stepping may be. */
const LANGUAGES = {
  GLSL: { file: "a.frag", text: `#version 330 core
in vec2 uv;
out vec4 color;
struct Material { sampler2D map; vec2 offset; };
uniform Material material;
void main() {
    vec2 sum = uv + material.offset;
    color = vec4(sum, texture(material.map, vec2(0.5)).x * 0.0 + 0.25, 1.0);
}
` },
  Shadertoy: { file: "a.glsl", text: `void mainImage(out vec4 color, in vec2 at) {
    vec2 sum = at / 256.0 + vec2(0.25, iTime);
    color = vec4(sum, 0.25, 1.0);
}
` },
  WGSL: { file: "a.wgsl", text: `@group(0) @binding(0) var<uniform> tint: vec4f;
@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    let sum = uv + tint.xy;
    return vec4f(sum, 0.25, 1.0);
}
` },
  HLSL: { file: "a.hlsl", text: HLSL, skip: withoutSlang },
  Slang: { file: "a.slang", text: `uniform float4 tint;
[shader("fragment")] float4 draw(float2 uv : TEXCOORD0) : SV_Target {
    float2 sum = uv + tint.xy;
    return float4(sum, 0.25, 1.0);
}
`, skip: withoutSlang },
};

const option = (page, key) => page.locator(`#source-options [data-key=${key}] select`);

/** Opens a file, with Slang if it needs that. */
async function open(page, { file, text }) {
  await page.locator("#file").setInputFiles({ name: file, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.locator("#name", { hasText: file }).waitFor();
  await settled(page);
  const load = page.locator("#problems [data-load=slang]");
  if (await load.count() > 0) await load.click();
  await page.locator("#tally", { hasText: /^(none|\d+ notes?)$/ }).waitFor();
  await settled(page);
}

/** The same with a pipeline of which a step fails, checked. */
async function failed(page, language) {
  await open(page, language);
  await more(page);
  await page.locator("#pipeline").fill("structurize, flatten, lower-exits");
  await page.waitForFunction(() => document.querySelectorAll("#steps button").length === 4);
  await page.locator("#check-runs").evaluate((field) => (field.value = "8"));
  await page.locator("#check").click();
  await page.locator("#check-summary", { hasText: "Step 3, lower-exits, failed" }).waitFor();
}

/** Opens a source and the same with another result, and compares them. */
async function compared(page, language) {
  await open(page, language);
  const files = [[`1-${language.file}`, language.text], [`2-${language.file}`, language.text.replace("sum = ", "sum = -1.0 * ")]];
  await drop(page, files);
  await page.locator("#several button[value=compare]").click();
  await page.locator("#name", { hasText: "2 programs" }).waitFor();
  await ready(page);
  await page.locator("#check").click();
  await page.locator("#check-summary.bad", { hasText: "differs" }).waitFor();
}

async function run(page, language) {
  await open(page, language);
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: /invocation-instructions|Cannot be run/ }).waitFor();
  assert.doesNotMatch(await page.locator("#debugger-summary").textContent(), /Cannot be run/);
}

const FEATURES = {
  run: async (page, language) => {
    await run(page, language);
    assert.ok(await page.locator("#debugger-picture").isVisible());
  },
  GPU: async (page, language) => {
    await run(page, language);
    await page.locator("#gpu-run").click();
    await page.locator("#gpu-stop").waitFor({ state: "hidden" });
    await page.locator("#gpu:is([data-state='same'], [data-state='differs'], [data-state='failed'])").waitFor();
    assert.match(await page.locator("#gpu-status").textContent(), /interpreter.*swiftshader/);
  },
  check: async (page, language) => {
    await failed(page, language);
    assert.deepEqual(await page.locator("#steps [data-check]").evaluateAll((steps) => steps.map((step) => step.dataset.check)), ["same", "same", "broken"]);
  },
  bisect: async (page, language) => {
    await failed(page, language);
    await page.locator("#bisect").click();
    await page.locator("#found-summary", { hasText: "Step 3, lower-exits, fails" }).waitFor();
  },
  reduce: async (page, language) => {
    await failed(page, language);
    await page.locator("#reduce").click();
    await page.locator("#found-open").waitFor();
    assert.match(await page.locator("#found-summary").textContent(), /^\d+ instructions became \d+/);
  },
  report: async (page, language) => {
    await compared(page, language);
    await page.locator("#report").click();
    await page.locator("#report-status", { hasText: "the result differs after" }).waitFor();
    const text = await page.locator("#report-text").inputValue();
    assert.ok(text.includes(`2-${language.file}`), text.slice(0, 200));
  },
  compare: async (page, language) => {
    await compared(page, language);
    assert.ok((await value(page)).includes("OpEntryPoint"), "the compiled programs are compared");
  },
  share: async (page, language) => {
    await open(page, language);
    const url = await share(page);
    await withPage(browser, async (other) => {
      const load = other.locator("#problems [data-load=slang]");
      if (await load.count() > 0) await load.click();
      await other.locator("#tally", { hasText: /^(none|\d+ notes?)$/ }).waitFor();
      assert.equal(await value(other), language.text);
    }, { ...options, url });
  },
  debug: async (page, language) => {
    await run(page, language);
    await page.locator("#debugger-picture").click({ position: { x: 100, y: 50 } });
    await page.locator("#debugger-position", { hasText: "steps" }).waitFor();
    await page.locator("#step-end").click();
    await page.locator("#debugger-position", { hasText: /finished/ }).waitFor();
  },
};

for (const [name, language] of Object.entries(LANGUAGES)) {
  for (const [feature, act] of Object.entries(FEATURES)) {
    test(`${name}: ${feature}`, { skip: language.skip ?? false }, () => withPage(browser, (page) => act(page, language), options));
  }
}

test("a file of HLSL with two shaders offers both, and a stage that does not fit is an error", { skip: withoutSlang }, () => withPage(browser, async (page) => {
  await open(page, LANGUAGES.HLSL);
  const entry = option(page, "entry");
  assert.deepEqual(await entry.locator("option").allTextContents(), ["VSMain (vertex)", "PSMain (fragment)"]);
  await becomes(() => entry.inputValue(), "PSMain");
  await entry.selectOption("VSMain");
  await settled(page);
  await page.locator("#tally", { hasText: /^(none|\d+ notes?)$/ }).waitFor();
  await becomes(() => option(page, "stage").inputValue(), "vert");
  await picture(page, "hlsl-entries");
  await option(page, "stage").selectOption("frag");
  await settled(page);
  assert.match(await page.locator("#problems button[data-problem]").first().innerText(), /'VSMain' is an entry point of the stage vertex, not fragment/);
  await page.locator("#check").click();
  await page.locator("#check-summary", { hasText: "the source has errors" }).waitFor();
}));

test("a source of a comparison that cannot be compiled is named with its line", () => withPage(browser, async (page) => {
  const files = [["1.frag", LANGUAGES.GLSL.text], ["2.frag", LANGUAGES.GLSL.text.replace("uv + ", "vu + ")]];
  await page.locator("#file").setInputFiles(files.map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
  await page.locator("#several button[value=compare]").click();
  await page.locator("#notice", { hasText: "2.frag cannot be compiled: line 7: 'vu': undeclared identifier" }).waitFor();
}));

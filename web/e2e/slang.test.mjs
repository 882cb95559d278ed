// HLSL and Slang are translated by Slang in a worker of its own, which is loaded on request: the request, results with lines,
// errors with their places, several entry points, a strict policy with all front ends, use without a network, a front end that
// hangs.
//
// A page that was built without Slang, as without a connection to the registry, skips these tests, and offers another compiler.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { URL_ROOT, becomes, cached, pick, picture, printed, ready, settled, startBrowser, type, until, value, withPage } from "./harness.mjs";

const html = URL_ROOT ? await (await fetch(URL_ROOT)).text() : "";
const size = html.match(/data-slang-mb="([^"]*)"/)?.[1];
const skip = size ? false : "the page was built without Slang";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const HLSL = `cbuffer Scene : register(b0) { float time; float3 tint; };

float wave(float2 p) {
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (p.x > i) sum += sin(p.y + time);
    }
    return sum;
}

float4 PSMain(float4 pixel : SV_Position) : SV_Target {
    return float4(wave(pixel.xy) * tint, 1.0);
}
`;
const WRONG = HLSL.replace("sum += sin", "sun += sin");
const SLANG = `struct Corner { float4 position : SV_Position; float2 uv; };
[shader("vertex")] Corner vertexMain(uint id : SV_VertexID) {
    Corner corner;
    corner.uv = float2(id & 1, id >> 1);
    corner.position = float4(corner.uv, 0.0, 1.0);
    return corner;
}
[shader("fragment")] float4 fragmentMain(Corner corner) : SV_Target { return corner.uv.xyxy; }
`;
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

const front = (page) => page.workers().find((worker) => worker.url().includes("/slang-"));
// A note about a declaration that is ignored is no problem.
const none = (page) => page.locator("#tally", { hasText: /^(none|\d+ notes?)$/ }).waitFor();
const errors = async (page) => (await page.locator("#problems button[data-problem]").allInnerTexts()).filter((text) => /error/i.test(text));

async function opened(page, text = HLSL) {
  await type(page, text);
  await settled(page);
}

/** Opens a source and loads Slang for it, as a user does. */
async function loaded(page, text = HLSL) {
  await opened(page, text);
  await page.locator("#problems [data-load=slang]").click();
  await translated(page);
}

/** Waits until Slang is loaded and has answered. */
async function translated(page) {
  await page.locator("#problems [data-load=slang]").waitFor({ state: "detached" });
  await until(page, () => !document.getElementById("problems").textContent.includes("is being loaded"));
  await settled(page);
}

test("a source offers to load Slang, and the request is remembered", { skip }, () => withPage(browser, async (page) => {
  await opened(page);
  const [problem] = await errors(page);
  assert.match(problem, new RegExp(`HLSL needs Slang, ${size} MB`));
  assert.equal(front(page), undefined, "not loaded before it is requested");
  await picture(page, "slang-offer");
  await page.locator("#problems [data-load=slang]").click();
  await translated(page);
  await none(page);
  assert.ok((await printed(page)).some((line) => line.includes("wave")));
  assert.equal(await page.evaluate(() => localStorage.getItem("vitrine-slang")), "load");
  await page.reload();
  await ready(page);
  await translated(page);
  await none(page);
  assert.equal(await value(page), HLSL);
}));

test("the stated size is that of the files", { skip }, async () => {
  const script = await (await fetch(URL_ROOT + html.match(/data-slang="([^"]*)"/)[1])).text();
  const names = [...script.matchAll(/["']\.?\/?((?:slangc|slangc_bg)-[0-9a-f]+\.\w+)["']/g)].map((match) => match[1]);
  assert.equal(names.length, 2, script.slice(0, 400));
  let bytes = script.length;
  for (const name of names) {
    const response = await fetch(URL_ROOT + name, { headers: { "accept-encoding": "br" } });
    bytes += Number(response.headers.get("content-length"));
  }
  // A development build is not compressed.
  if (bytes < 10e6) assert.equal((bytes / 1e6).toFixed(1), size);
});

test("a pixel shader becomes a graph with names and lines of the source, and runs", { skip }, () => withPage(browser, async (page) => {
  await loaded(page);
  await none(page);
  assert.match(await page.locator("#name").textContent(), /HLSL$/);
  const text = (await printed(page)).join("\n");
  assert.match(text, /PSMain/);
  assert.doesNotMatch(text, /wave_0|time_0/);
  assert.ok(await page.locator("#editor .t-keyword", { hasText: "cbuffer" }).count() > 0);
  await becomes(() => page.locator("#editor .t-error").count(), 0);
  await picture(page, "slang");
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "invocation-instructions" }).waitFor();
  await page.locator("#debugger-picture").waitFor();
  await picture(page, "slang-run");
}));

test("an error has its line and column, the last result stays, and a correction ends it", { skip }, () => withPage(browser, async (page) => {
  await loaded(page);
  const before = await printed(page);
  await opened(page, WRONG);
  const [first] = await errors(page);
  assert.match(first, /sun/);
  assert.match(first, /6:22/);
  await page.locator("#editor .cm-lintRange-error, #editor .cm-lintPoint-error").first().waitFor({ state: "attached" });
  assert.deepEqual(await printed(page), before);
  await opened(page, HLSL.replace("i < 4", "i < 5"));
  await none(page);
}));

test("all entry points are translated, and a note states that they have no lines", { skip }, () => withPage(browser, async (page) => {
  await loaded(page, SLANG);
  assert.deepEqual(await errors(page), []);
  assert.match(await page.locator("#problems").innerText(), /several entry points/);
  const functions = await page.locator("#functions option").allInnerTexts();
  for (const name of ["vertexMain", "fragmentMain"]) assert.ok(functions.some((text) => text.includes(name)), `${functions}`);
}));

test("other stages have no lines, and SPIR-V that Slang writes wrong is refused with its place", { skip }, () => withPage(browser, async (page) => {
  await loaded(page, readFileSync(new URL("../../www/shaders/transpose.hlsl", import.meta.url), "utf8"));
  assert.deepEqual(await errors(page), []);
  await opened(page, "struct V { float4 p : SV_Position; };\n[shader(\"geometry\")] [maxvertexcount(3)]\nvoid main(triangle V v[3], inout TriangleStream<V> out_) { for (int i = 0; i < 3; ++i) out_.Append(v[i]); }\n");
  assert.deepEqual(await errors(page), []);
  assert.match(await page.locator("#problems").innerText(), /stage geometry/);
  // Slang does not define the counter that it indexes with; spirv-val refuses these words, too.
  await opened(page, "RWStructuredBuffer<uint2> o;\n[numthreads(8, 1, 1)]\nvoid main(uint3 t : SV_DispatchThreadID) {\n  o[o.IncrementCounter()] = t.xy;\n}\n");
  assert.match((await errors(page)).join("\n"), /S004.*OpAccessChain uses %\d+, which is not defined/s);
}));

test("the examples translate", { skip }, () => withPage(browser, async (page) => {
  await loaded(page);
  for (const name of ["rings.hlsl", "transpose.hlsl", "shapes.slang"]) {
    await pick(page, name);
    await settled(page);
    await none(page);
    assert.ok((await printed(page)).length > 10, name);
    await picture(page, `slang-${name.split(".")[0]}`);
  }
}));

// The gallery draws these examples without Slang: from SPIR-V that the page wrote. `BLESS=1` writes it anew.
const GALLERY = { "rings.hlsl": ["- 32.0) / 32.0", "- 48.0) / 48.0"], "transpose.hlsl": ["", ""], "shapes.slang": ["- 32.0) / 32.0", "- 48.0) / 48.0"] };

test("the examples are the SPIR-V that the gallery has", { skip }, () => withPage(browser, async (page) => {
  await loaded(page);
  for (const [name, [small, large]] of Object.entries(GALLERY)) {
    const text = readFileSync(new URL(`../../www/shaders/${name}`, import.meta.url), "utf8");
    assert.ok(text.includes(small), name);
    await opened(page, text.replace(small, large));
    await none(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").selectOption("spvasm")]);
    const written = readFileSync(await download.path(), "utf8");
    const stored = new URL(`../../core/tests/it/gallery/slang/${name}.spvasm`, import.meta.url);
    if (process.env.BLESS) writeFileSync(stored, written);
    assert.equal(readFileSync(stored, "utf8"), written, `${name}: run this test with BLESS=1`);
  }
}));

test("under a strict policy with all three front ends", { skip }, () => withPage(browser, async (page) => {
  const policed = [];
  await page.context().route(/\/(slang|slangc|frontend|glslang|glsl|sources|wgsl)-[0-9a-f]+\.js/, async (route) => {
    const response = await route.fetch();
    policed.push(new URL(route.request().url()).pathname.split("/").pop().split("-")[0]);
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": POLICY } });
  });
  await page.reload();
  await ready(page);
  await loaded(page);
  await none(page);
  await pick(page, "sphere.frag");
  await settled(page);
  await none(page);
  await pick(page, "life.wgsl");
  await settled(page);
  await none(page);
  await opened(page, HLSL.replace("i < 4", "i < 6"));
  await none(page);
  assert.deepEqual([...new Set(policed)].sort(), ["frontend", "glsl", "glslang", "slang", "slangc", "sources", "wgsl"]);
}));

test("a front end that hangs is ended at the deadline, and is loaded again after an edit", { skip }, () => withPage(browser, async (page) => {
  await loaded(page);
  const before = await printed(page);
  front(page).evaluate(() => { for (;;); }).catch(() => "ended with its worker");
  await type(page, HLSL.replace("i < 4", "i < 6"));
  await page.locator("#notice", { hasText: "took too long" }).waitFor();
  assert.deepEqual(await printed(page), before);
  await opened(page, HLSL.replace("i < 4", "i < 7"));
  await translated(page);
  await none(page);
  assert.ok((await printed(page)).some((line) => line.includes("7")));
}));

test("after its first use Slang works without a network, and it is not loaded before", { skip }, () => withPage(browser, async (page) => {
  await cached(page);
  const kept = () => page.evaluate(async () => {
    const [name] = (await caches.keys()).filter((each) => each.startsWith("vitrine-"));
    const files = (await (await caches.open(name)).keys()).map(({ url }) => url.split("/").pop().split("-")[0]);
    return files.filter((file) => file.startsWith("slang")).sort();
  });
  assert.deepEqual(await kept(), []);
  await loaded(page);
  await none(page);
  await until(page, async () => {
    const [name] = (await caches.keys()).filter((each) => each.startsWith("vitrine-"));
    const files = await (await caches.open(name)).keys();
    return files.some(({ url }) => url.includes("/slangc_bg-"));
  });
  assert.deepEqual(await kept(), ["slang", "slangc", "slangc_bg"]);
  await page.context().setOffline(true);
  await page.reload();
  await ready(page);
  await translated(page);
  await none(page);
  await opened(page, HLSL.replace("i < 4", "i < 8"));
  await none(page);
  await page.context().setOffline(false);
}, { serviceWorkers: "allow", expected: /ERR_INTERNET_DISCONNECTED|^failed: / }));

test("the page of licenses names every front end", { skip: false }, () => withPage(browser, async (page) => {
  const text = await page.locator("main").innerText();
  for (const part of ["Naga", "glslang", "Slang", "Apache-2.0 WITH LLVM-exception"]) assert.ok(text.includes(part), part);
  assert.equal((await fetch(new URL(await page.locator("a", { hasText: /^Apache-2.0$/ }).getAttribute("href"), page.url()))).status, 200);
  await picture(page, "licenses");
}, { url: `${URL_ROOT}licenses.html`, wait: false }));

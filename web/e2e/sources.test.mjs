// WGSL is translated in a worker of its own: results, errors with their places, links, a front end that hangs.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, becomes, picture, printed, ready, settled, share, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const WGSL = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn collatz(start: u32) -> u32 {
    var n = start;
    var steps = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
        steps += 1u;
    }
    return steps;
}

@compute @workgroup_size(1)
fn main() {
    data[0] = collatz(27u);
}
`;
const WRONG = WGSL.replace("steps += 1u;", "stops += 1u;");

const opened = async (page, text = WGSL) => {
  await type(page, text);
  await settled(page);
};
const front = (page) => page.workers().find((worker) => worker.url().includes("/sources-"));

test("a source becomes a graph, and stays the text of the editor", () => withPage(browser, async (page) => {
  assert.equal(front(page), undefined, "not loaded before it is needed");
  await opened(page);
  assert.equal(await value(page), WGSL);
  assert.ok((await printed(page)).some((line) => line.includes("func")));
  assert.ok((await page.locator("#scene").textContent()).length > 0);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  assert.match(await page.locator("#name").textContent(), /WGSL$/);
  assert.ok(front(page));
  // Colored as what it is: nothing in it is an error of another language.
  await becomes(() => page.locator("#editor .t-error").count(), 0);
  assert.ok(await page.locator("#editor .t-type", { hasText: "u32" }).count() > 0);
  await picture(page, "sources-wgsl");
}));

test("an error has its line and a mark, the last result stays, and a correction ends it", () => withPage(browser, async (page) => {
  await opened(page);
  const before = await printed(page);
  await opened(page, WRONG);
  const problem = page.locator("#problems button").first();
  await problem.waitFor();
  assert.match(await problem.innerText(), /stops/);
  assert.match(await problem.innerText(), /8:9/);
  await page.locator("#editor .cm-lintRange-error, #editor .cm-lintPoint-error").first().waitFor({ state: "attached" });
  assert.deepEqual(await printed(page), before);
  await picture(page, "sources-wgsl-error");
  await opened(page, WGSL.replace("27u", "28u"));
  await page.locator("#tally", { hasText: "none" }).waitFor();
}));

test("half of a source keeps the last result, at any cut", () => withPage(browser, async (page) => {
  await opened(page);
  const before = (await printed(page)).length;
  for (const end of [120, 200, 300]) {
    await opened(page, WGSL.slice(0, WGSL.length - end) + "\n@compute");
    assert.ok(await page.locator("#problems button").count() > 0);
    assert.equal((await printed(page)).length, before);
  }
}));

test("a link to a source reproduces it in a new page", () => withPage(browser, async (page) => {
  await opened(page);
  const text = await printed(page);
  const url = await share(page);
  await withPage(browser, async (other) => {
    await settled(other);
    assert.equal(await value(other), WGSL);
    assert.deepEqual(await printed(other), text);
  }, { url });
}, { permissions: ["clipboard-read", "clipboard-write"] }));

test("a front end that hangs is ended at the deadline, and works again after an edit", () => withPage(browser, async (page) => {
  await opened(page);
  const before = await printed(page);
  front(page).evaluate(() => { for (;;); }).catch(() => "ended with its worker");
  await type(page, WGSL.replace("27u", "29u"));
  await page.locator("#notice", { hasText: "took too long" }).waitFor();
  assert.deepEqual(await printed(page), before);
  await opened(page, WGSL.replace("27u", "30u"));
  await ready(page);
  await page.locator("#tally", { hasText: "none" }).waitFor();
  assert.ok((await printed(page)).some((line) => line.includes("30")));
}));

test("under a strict policy, and the time of an answer", () => withPage(browser, async (page) => {
  await page.route(URL_ROOT, async (route) => {
    const response = await route.fetch();
    const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:";
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await page.route(/\/(sources|wgsl)-/, async (route) => {
    const response = await route.fetch();
    const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  await page.reload();
  await ready(page);
  const functions = Array.from({ length: 16 }, (_, at) => WGSL.split("\n").slice(2, 11).join("\n").replace("collatz", `collatz${at}`));
  const long = `${WGSL}${functions.join("\n")}\n`;
  assert.ok(long.split("\n").length > 100);
  for (const text of [long, long.replace("27u", "26u"), long.replace("27u", "25u")]) {
    const start = Date.now();
    await opened(page, text);
    console.log(`# ${text.split("\n").length} lines: ${Date.now() - start} ms`);
    assert.equal(await page.locator("#tally").innerText().then((words) => words.includes("none")), true);
  }
}));

test("the debugger runs the words of a source", () => withPage(browser, async (page) => {
  await opened(page);
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "invocation-instructions" }).waitFor();
}));

test("a phone shows the graph of a source", () => withPage(browser, async (page) => {
  await opened(page);
  await page.locator("nav button", { hasText: "Graph" }).click();
  await settled(page);
  assert.ok((await page.locator("#scene").textContent()).length > 0);
  await picture(page, "sources-phone");
}, { viewport: { width: 390, height: 844 } }));

// The ten things that users do most, in Firefox, over WebDriver BiDi. Skipped if there is no Firefox.
//
// One browser and one page for each journey. An error that a script does not catch fails the journey.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import test from "node:test";
import puppeteer from "puppeteer-core";
import { URL_ROOT } from "./harness.mjs";

const FIREFOX = process.env.FIREFOX;
const PATIENCE = 120_000;
const EXAMPLE = readFileSync(new URL("../../www/examples/particles.spvasm", import.meta.url), "utf8");

let browser;
test.before(async () => {
  if (FIREFOX) browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, headless: true });
});
test.after(() => browser?.close());

/** A test with a new page on the site. */
function journey(name, body, { url = URL_ROOT } = {}) {
  test(`Firefox: ${name}`, { skip: FIREFOX ? false : "no Firefox" }, async () => {
    const context = await browser.createBrowserContext();
    const errors = [];
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.setViewport({ width: 1440, height: 900 });
      await page.goto(url, { waitUntil: "load", timeout: PATIENCE });
      await ready(page);
      await body(page, context);
      assert.deepEqual(errors, []);
    } finally {
      await context.close();
    }
  });
}

/** Waits until an element has a text. */
const has = (page, selector, text) => page.waitForFunction(
  (selector, text) => [...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)), {}, selector, text,
);
const ready = async (page) => {
  await has(page, "#status:not(.pending)", "Ready");
  await has(page, "#counts", "ms");
};
const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
const count = (page, selector) => page.$$eval(selector, (elements) => elements.length);

/** Picks an example, and waits for its answer. */
async function pick(page, name) {
  const value = await page.$$eval("#examples option", (options, name) => options.find(({ text }) => text === name).value, name);
  await page.select("#examples", value);
  await has(page, "#name", name);
  await ready(page);
}

journey("open", async (page) => {
  assert.ok(await count(page, "#rows > div") > 10 && await count(page, "#scene .box") > 1);
  await pick(page, "switch.ir");
  assert.match(await text(page, "#rows"), /switch !0 %index_0/);
});

journey("drop", async (page) => {
  await page.evaluate((source) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([source], "mine.spvasm"));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, EXAMPLE);
  await has(page, "#name", "mine.spvasm");
  await ready(page);
  await has(page, "#tally", "none");
});

journey("step through passes", async (page) => {
  const last = await text(page, "#step .place");
  await page.click("#back");
  await page.waitForFunction((last) => document.querySelector("#step .place").textContent !== last, {}, last);
  await page.focus("#output");
  await page.keyboard.press("}");
  await ready(page);
  await page.click("#steps button");
  await has(page, "#step", "as it was read");
});

journey("columns", async (page) => {
  await page.click("#tab-columns");
  await page.waitForFunction(() => document.querySelectorAll("#columns-head > div").length > 2);
  await has(page, "#columns-rows", "func @main_0");
});

journey("share and reopen", async (page, context) => {
  await pick(page, "early-returns.spvasm");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#1m"));
  const other = await context.newPage();
  other.setDefaultTimeout(PATIENCE);
  await other.setViewport({ width: 1440, height: 900 });
  await other.goto(page.url(), { waitUntil: "load", timeout: PATIENCE });
  await has(other, "#name", "early-returns.spvasm");
  await ready(other);
  assert.equal((await text(other, "#rows")).slice(0, 900), (await text(page, "#rows")).slice(0, 900));
});

journey("check", async (page) => {
  await pick(page, "particles.spvasm");
  await page.click("#check");
  await has(page, "#check-summary", "same");
  assert.ok(await count(page, "#steps [data-check]") > 3);
});

journey("run and step", async (page) => {
  await pick(page, "texture.spvasm");
  await page.click("#run");
  await has(page, "#debugger-summary", "invocation-instructions");
  await page.click("#debugger-debug");
  await page.waitForFunction(() => document.querySelector("#debugger-position").textContent !== "");
  const before = await text(page, "#debugger-position");
  await page.click("#step-into");
  await page.waitForFunction((before) => document.querySelector("#debugger-position").textContent !== before, {}, before);
});

journey("lesson and back", async (page) => {
  await page.click("#lesson");
  await has(page, "h1", "How a shader compiler works");
  // Back may show the page as it was, without loading it: there is no event to wait for.
  await page.evaluate(() => { setTimeout(() => history.back()); });
  await ready(page);
});

journey("save", async (page) => {
  // Firefox has no event for a download: the page's link is caught instead.
  await page.evaluate(() => {
    let blob;
    const { createObjectURL } = URL;
    URL.createObjectURL = (of) => createObjectURL.call(URL, blob = of);
    HTMLAnchorElement.prototype.click = async function saved() {
      globalThis.saved = [this.download, await blob.text()];
    };
  });
  await page.select("#save", await page.$$eval("#save option", (options) => options.find(({ text }) => text.includes("IR text")).value));
  await page.waitForFunction(() => globalThis.saved !== undefined);
  const [name, content] = await page.evaluate(() => globalThis.saved);
  assert.match(name, /\.ir$/);
  assert.match(content, /func @main_0\(\) tree/);
});

test("Firefox: offline", { skip: FIREFOX ? false : "no Firefox" }, async () => {
  // The site behind a server that can go away.
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url.slice(1), URL_ROOT));
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: "load", timeout: PATIENCE });
    await ready(page);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await page.reload({ timeout: PATIENCE });
    await ready(page);
    await pick(page, "switch.ir");
  } finally {
    await context.close();
    server.closeAllConnections();
  }
});

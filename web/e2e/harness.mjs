// A real browser on the built page, for the tests beside this file.
//
// The addresses and the browser come from `cargo xtask test`, which builds and serves the site. Every line on the
// console, every request that fails and every request to another server fails the test.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const URL_ROOT = process.env.VITRINE_URL;
export const URL_BELOW = process.env.VITRINE_URL_BELOW;
/** The factor by which pages are slower, to find tests and code that depend on speed: `VITRINE_THROTTLE=6`. */
const THROTTLE = Number(process.env.VITRINE_THROTTLE ?? 1);
const ARTEFACTS = new URL("artefacts/", import.meta.url);

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const BLOCKED = "Service Worker registration blocked by Playwright";
// A hint about speed that axe causes: it looks at the styles of rows that are not in view.
const HIDDEN = "Rendering was performed in a subtree hidden by content-visibility.";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the browser, with further options of its command line; `close` it when the tests are over. */
export async function startBrowser(flags = []) {
  assert.ok(URL_ROOT && process.env.CHROMIUM, "run the browser tests with `cargo xtask test`");
  mkdirSync(ARTEFACTS, { recursive: true });
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: [...FLAGS, ...flags] });
}

/** Runs `body` with a new page that has loaded the site; fails on any console line or request error but the `expected`. */
export async function withPage(browser, body, { url = URL_ROOT, expected = /^$/, wait = true, ...options } = {}) {
  // A service worker would load all files a second time: only its own tests allow it.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const noise = [];
  try {
    // Patience with a loaded machine: a wait ends when its state is there.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    if (THROTTLE > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
    page.on("console", (line) => line.text() === BLOCKED || line.text() === HIDDEN || noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    // A page that is left cancels what it loads.
    page.on("requestfailed", (request) => request.failure()?.errorText === "net::ERR_ABORTED" || noise.push(`failed: ${request.url()}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL("./", url).href)) noise.push(`request elsewhere: ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) noise.push(`${response.status()}: ${response.url()}`);
    });
    await page.goto(url);
    if (wait) await ready(page);
    await body(page);
    assert.deepEqual(noise.filter((line) => !expected.test(line)), []);
  } finally {
    await context.close();
  }
}

/** Waits until the compiler has answered for the text in the editor, and the editor has loaded. */
export async function ready(page) {
  await page.locator("#status:not(.pending)", { hasText: "Ready" }).waitFor();
  await page.locator("#counts", { hasText: "ms" }).waitFor();
  if (!page.plain) await page.locator("#editor .cm-content").waitFor({ state: "attached" });
}

/** Replaces the text in the editor as a user would: in CodeMirror, or in the text area before it is there. */
export async function type(page, text) {
  if (await edited(page)) {
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+a");
    return paste(page.locator("#editor .cm-content"), text);
  }
  await page.locator("#input").fill(text);
}

/** Makes the compiler fail at the next input, in the worker's own scope, as a panic does; other requests are answered. */
export function failNext(page) {
  return page.workers().at(-1).evaluate(() => {
    const answer = self.onmessage;
    self.onmessage = (message) => {
      // The first byte of a request is its kind: 0 a new input, 1 edits of it.
      if (message.data[0] > 1) return answer(message);
      self.postMessage({ fault: { message: "panicked at nothing in particular" } });
    };
  });
}

/** The compiler's worker, which gets its messages when the test calls `release` in it. */
export async function holdCompiler(page) {
  const compiler = page.workers().find((worker) => worker.url().includes("/worker"));
  await compiler.evaluate(() => {
    const answer = self.onmessage;
    self.held = [];
    self.onmessage = (message) => self.held.push(message);
    self.release = () => {
      self.onmessage = answer;
      self.held.forEach((message) => answer(message));
    };
  });
  return compiler;
}

/** The text in the editor. */
export function value(page) {
  return page.evaluate(() => document.querySelector("#editor").value ?? document.querySelector("#input").value);
}

/** True if CodeMirror has replaced the text area. */
export function edited(page) {
  return page.evaluate(() => document.querySelector("#editor .cm-content") !== null);
}

/** Pastes a text. */
export function paste(target, text) {
  return target.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** The lines of the printed IR that are elements, without their numbers. */
export function printed(page) {
  return page.locator("#rows > div").evaluateAll((rows) =>
    rows.map((row) => [...row.childNodes].slice(1).map((node) => node.textContent).join("")));
}

/** Picks an example and waits for it. */
export async function pick(page, name) {
  // The menu is hidden: the gallery, which has tests of its own, opens its entries.
  await page.locator("#examples").selectOption({ label: name }, { force: true });
  await page.locator("#name", { hasText: name }).waitFor();
  await ready(page);
}

/** Opens the rows that a phone hides: the pipeline and its rare commands. */
export async function more(page) {
  const button = page.locator("#more[aria-expanded=false]");
  if (await button.isVisible()) await button.click();
}

/** Drops files, pairs of a name and a text, on the page. */
export async function drop(page, files) {
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, files);
}

/** Saves a picture of the page. */
export function picture(page, name) {
  return page.screenshot({ path: new URL(`${name}.png`, ARTEFACTS).pathname });
}

/** Waits for two animation frames: synchronous effects of an event are then drawn. */
export function frames(page) {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/**
 * Waits for the answer to the last request, and until the graph does not move. The page sends a request and marks its
 * status in the frame after an event: two frames later the mark is there, if there is a request.
 */
export async function settled(page) {
  await frames(page);
  await ready(page);
  await page.locator("#graph:not(.gliding)").waitFor({ state: "attached" });
}

/**
 * Asserts that what `read` gives becomes `wanted`. What a page shows follows its worker and its frames: a value read
 * right after an event may still be the one from before.
 */
export async function becomes(read, wanted, message) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if ((await read()) === wanted) return;
  }
  assert.equal(await read(), wanted, message);
}

/** Waits until every file is in the cache, older caches are deleted, and the service worker answers requests. */
export function cached(page) {
  return page.evaluate(async () => {
    const until = (target, event, holds) => new Promise((resolve) => {
      if (holds()) resolve();
      else target.addEventListener(event, () => holds() && resolve());
    });
    const { active } = await navigator.serviceWorker.ready;
    await until(active, "statechange", () => active.state === "activated");
    await until(navigator.serviceWorker, "controllerchange", () => navigator.serviceWorker.controller);
  });
}

/** Stops the page's clock a time in ms later, for code that compares times. */
export function advanceClock(page, ms) {
  return page.evaluate((ms) => {
    const then = Date.now() + ms;
    Date.now = () => then;
  }, ms);
}

/** The findings of axe, a line each. */
export async function axe(page) {
  // Panes of the previous version have low contrast until the answer arrives.
  await page.waitForFunction(() => ![...document.querySelectorAll("#inspect.stale, #memory.stale")].some((pane) => pane.checkVisibility()));
  // Through the debugging protocol: the page's own policy allows no other script.
  await page.evaluate(AXE);
  // The selectors of elements, and lists of what is right, would take a third of the time, and no test reads them.
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"], selectors: false }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** The horizontal overflow of the page, in px. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Waits until a predicate in the page is true; it may be asynchronous, which `waitForFunction` does not wait for. */
export async function until(page, predicate, value) {
  const end = Date.now() + 120_000;
  while (!await page.evaluate(predicate, value)) {
    assert.ok(Date.now() < end, `this did not become true: ${predicate}`);
    await frames(page);
  }
}

/** Shares the shown state, and returns the link. The link of an earlier share may still be in the clipboard, and its notice shown. */
export async function share(page) {
  await page.evaluate(() => navigator.clipboard.writeText("no link yet"));
  await page.locator("#share").click();
  await until(page, async () => (await navigator.clipboard.readText()) !== "no link yet");
  await page.locator("#notice", { hasText: "Link copied" }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

// A real browser on the built page, for the tests beside this file.
//
// The addresses and the browser come from `cargo xtask test`, which builds and serves the site. Every line
// the page writes to the console, every request that fails or leaves the server, is a failure of the test.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const URL_ROOT = process.env.VITRINE_URL;
export const URL_BELOW = process.env.VITRINE_URL_BELOW;
const ARTEFACTS = new URL("artefacts/", import.meta.url);

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const BLOCKED = "Service Worker registration blocked by Playwright";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the browser; `close` it when the tests are over. */
export async function startBrowser() {
  assert.ok(URL_ROOT && process.env.CHROMIUM, "run the browser tests with `cargo xtask test`");
  mkdirSync(ARTEFACTS, { recursive: true });
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
}

/**
 * Runs `body` with a fresh page that has loaded the site; fails on any noise but the `expected`.
 *
 * What fails is tried once more: a browser on a busy machine may be late for reasons of its own. `cargo xtask test`
 * counts the lines that say so, and its table shows how many there were.
 */
export async function withPage(browser, body, options = {}) {
  try {
    await attempt(browser, body, options);
  } catch (error) {
    const told = `${error.stack ?? error}`;
    const place = /[\w-]+\.test\.mjs:\d+/.exec(told)?.[0] ?? "in the harness";
    console.log(`second try, ${place}: ${told.slice(0, 4000)}`);
    await attempt(browser, body, options);
  }
}

/** One try of a test. */
async function attempt(browser, body, { url = URL_ROOT, expected = /^$/, wait = true, ...options }) {
  // What keeps the page at hand would load all of it a second time: only its own tests let it.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const noise = [];
  try {
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on("console", (line) => line.text() === BLOCKED || noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("requestfailed", (request) => {
      // A page that is left, or loaded again, gives up what it loads while nobody waits.
      const ahead = /compiler_(?!bg)\w+-/.test(request.url()) && request.failure()?.errorText === "net::ERR_ABORTED";
      if (!ahead) noise.push(`failed: ${request.url()}`);
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url.split("#")[0])) noise.push(`request elsewhere: ${request.url()}`);
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

/** Waits until the compiler has answered for what is in the editor, and the editor is there. */
export async function ready(page) {
  await page.locator("#status:not(.behind)", { hasText: "Ready" }).waitFor();
  await page.locator("#counts", { hasText: "ms" }).waitFor();
  if (!page.plain) await page.locator("#editor .cm-content").waitFor({ state: "attached" });
}

/** Replaces the text in the editor as a person would: in CodeMirror, or in the text area before it is there. */
export async function type(page, text) {
  if (await edited(page)) {
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+a");
    return paste(page.locator("#editor .cm-content"), text);
  }
  await page.locator("#input").fill(text);
}

/** Lets the compiler fail at the next input, in the worker's own scope, as a panic would come; other questions are answered. */
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

/** The text in the editor. */
export function value(page) {
  return page.evaluate(() => document.querySelector("#editor").value ?? document.querySelector("#input").value);
}

/** Whether CodeMirror has taken over. */
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

/** The lines of the printed IR that are elements now, without their numbers. */
export function printed(page) {
  return page.locator("#rows > div").evaluateAll((rows) =>
    rows.map((row) => [...row.childNodes].slice(1).map((node) => node.textContent).join("")));
}

/** Picks an example and waits for it. */
export async function pick(page, name) {
  await page.locator("#examples").selectOption({ label: name });
  await page.locator("#name", { hasText: name }).waitFor();
  await ready(page);
}

/** Keeps a picture of the page. */
export function picture(page, name) {
  return page.screenshot({ path: new URL(`${name}.png`, ARTEFACTS).pathname });
}

/** Waits for the answer to the last question. */
export async function settled(page) {
  await page.waitForTimeout(50);
  await ready(page);
}

/** What axe finds, in one line each. */
export async function axe(page) {
  // What is of the last version, until the answer is there, is pale.
  await page.waitForFunction(() => ![...document.querySelectorAll("#inspect.stale, #memory.stale")].some((pane) => pane.checkVisibility()));
  // Through the debugger: the page's own policy lets no foreign script in.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** How far the page can be moved sideways. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

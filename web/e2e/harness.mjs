// A real browser on the built page, for the tests beside this file.
//
// The addresses and the browser come from `cargo xtask test`, which builds and serves the site. Every line
// the page writes to the console, every request that fails or leaves the server, is a failure of the test.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

export const URL_ROOT = process.env.VITRINE_URL;
export const URL_BELOW = process.env.VITRINE_URL_BELOW;
const ARTEFACTS = new URL("artefacts/", import.meta.url);

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** Starts the browser; `close` it when the tests are over. */
export async function startBrowser() {
  assert.ok(URL_ROOT && process.env.CHROMIUM, "run the browser tests with `cargo xtask test`");
  mkdirSync(ARTEFACTS, { recursive: true });
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
}

/** Runs `body` with a fresh page that has loaded the site; fails on any noise but the `expected`. */
export async function withPage(browser, body, { url = URL_ROOT, expected = /^$/, wait = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const noise = [];
  try {
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on("console", (line) => noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("requestfailed", (request) => noise.push(`failed: ${request.url()}`));
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

/** Waits until the compiler has answered for what is in the editor. */
export async function ready(page) {
  await page.locator("#status", { hasText: "Ready" }).waitFor();
  await page.locator("#counts", { hasText: "ms" }).waitFor();
}

/** Replaces the text in the editor as a person would, and waits for the answer. */
export async function type(page, text) {
  await page.locator("#input").fill(text);
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

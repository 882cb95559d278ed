// The pictures of README.md, made anew:
//
//   VITRINE_URL=http://127.0.0.1:8017/ CHROMIUM=… node measure/pictures.mjs [NAME...]
//
// all or the named ones, from a built site (`cargo xtask serve --release`).

import { pick, ready, settled, startBrowser } from "../harness.mjs";

const FOLDER = new URL("../../../www/pictures/", import.meta.url).pathname;
const DESKTOP = { width: 1440, height: 900 };

const PICTURES = {
  "page-dark": { colorScheme: "dark", show: async () => {} },
  "columns-light": {
    colorScheme: "light",
    show: async (page) => {
      await pick(page, "lights.ir");
      await page.locator("#tab-columns").click();
      await page.locator("#columns-pointers").click();
      await page.locator("#columns-head b", { hasText: "qptr-lift" }).waitFor();
      await page.locator("[data-whole-pane=output]").click();
      await settled(page);
    },
  },
  "memory-dark": {
    colorScheme: "dark",
    show: async (page) => {
      await pick(page, "lights.ir");
      await page.locator("#tab-memory").click();
      await page.locator("#memory .ruler").first().waitFor();
      await page.locator("#memory .site button").first().click();
      await settled(page);
    },
  },
  // One statement is lit in the source, in the graph and in the text.
  "lines-light": {
    colorScheme: "light",
    show: async (page) => {
      await pick(page, "toon.frag");
      await settled(page);
      await page.locator("#tab-target").click();
      await page.locator("#language").selectOption("hlsl");
      await settled(page);
    },
    last: async (page) => {
      await page.locator("#rows .link", { hasText: /^shade$/ }).first().hover();
      await page.locator("#editor .cm-origin").first().waitFor();
    },
  },
  "phone-dark": {
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    show: async (page) => {
      await page.locator("nav button", { hasText: "Graph" }).click();
      await settled(page);
    },
  },
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PICTURES);
const browser = await startBrowser();
try {
  for (const name of names) {
    const { show, last, viewport = DESKTOP, ...options } = PICTURES[name];
    const context = await browser.newContext({ viewport, serviceWorkers: "block", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(240_000);
    await page.goto(process.env.VITRINE_URL);
    await ready(page);
    await show(page);
    await page.mouse.move(0, 0);
    // The shown time is then that of a step, not of the first compilation.
    for (const key of ["{", "}"]) {
      await page.keyboard.press(key);
      await settled(page);
    }
    // A pane of the previous version is dim until the answer arrives.
    await page.waitForFunction(() => ![...document.querySelectorAll("#inspect.stale, #memory.stale")].some((pane) => pane.checkVisibility()));
    await page.evaluate(() => document.activeElement.blur());
    await last?.(page);
    await page.screenshot({ path: `${FOLDER}${name}.png` });
    await context.close();
    console.log(name);
  }
} finally {
  await browser.close();
}

// For each lesson: the time to the first live figure, layout shift, and the longest task of the main thread while the lesson is read from
// top to bottom and its first task is answered; also with the processor slowed four times.
//
// Part of `cargo xtask bench page`. A figure is live when its script has run; the time is from the start of navigation, without a cache. The
// goals (issue of the course): 1.0 s, slowed 1.5 s; a shift of 0.02; 50 ms.

import { frames, startBrowser } from "../harness.mjs";
import { SLUGS } from "../lessons.mjs";
import { longest, traced } from "./trace.mjs";

const URL = process.env.VITRINE_URL;
const RATES = [1, 4];

async function read(page) {
  await page.goto(`${URL}learn/${page.slug}/`);
  await page.locator("body.runs").waitFor();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0; top < height; top += 900) {
    await page.mouse.wheel(0, 900);
    await frames(page);
  }
  const task = page.locator(".task").first();
  await task.locator("form button").first().click();
  await task.locator(".verdict :is(strong, ul)").first().waitFor();
}

async function lesson(browser, slug, rate) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  const page = Object.assign(await context.newPage(), { slug });
  page.setDefaultTimeout(60_000);
  await page.addInitScript(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => {
      if (!hadRecentInput) globalThis.shift += value;
    })).observe({ type: "layout-shift", buffered: true });
    new MutationObserver(() => {
      if (document.body?.classList.contains("runs")) globalThis.live ??= performance.now();
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ["class"] });
  });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  const { tasks, parts } = await traced(browser, page, () => read(page));
  const { live, shift } = await page.evaluate(() => ({ live: globalThis.live, shift: globalThis.shift }));
  await context.close();
  const ms = longest(tasks, "dur");
  return { live, shift, ms, processor: longest(tasks, "tdur"), parts: parts(tasks.find(({ dur }) => dur / 1000 === ms)) };
}

/** Prints a line for each lesson and rate. */
export async function lessons() {
  console.log("lessons: first live figure, layout shift, longest task on the clock, on the processor; what is in it");
  for (const slug of SLUGS) {
    for (const rate of RATES) {
      const browser = await startBrowser();
      const { live, shift, ms, processor, parts } = await lesson(browser, slug, rate);
      await browser.close();
      const numbers = `${live.toFixed(0).padStart(6)} ms  ${shift.toFixed(3)}  ${ms.toFixed(1).padStart(6)} ms  ${processor.toFixed(1).padStart(6)} ms`;
      console.log(`  ${slug.padEnd(24)} ${rate === 1 ? "     " : `1/${rate}  `}${numbers}  [${parts}]`);
    }
  }
}

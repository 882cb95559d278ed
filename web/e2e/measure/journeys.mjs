// The journeys of a user with the processor slowed four times: first picture, first result, step, fold, search, column.
//
// Part of `cargo xtask bench page`. Each journey is made a few times with a new page; the table has the median of its duration and
// its longest task on the main thread, on the clock and as work of the processor, which differ on a shared machine. The budget of a
// task is 100 ms on the slowed processor. Chromium slows the thread of the page, not its workers.

import { frames, pick, settled, startBrowser } from "../harness.mjs";
import { longest, traced } from "./trace.mjs";

const URL = process.env.VITRINE_URL;
const RATE = 4;
const TIMES = 3;
const BUDGET_MS = 100;
/** An example with loops, several functions' worth of steps, and text to search. */
const EXAMPLE = "lights.ir";

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.trunc(numbers.length / 2)];

/** The journeys after the first result, each from a page that is at rest. */
const STEPS = {
  step: async (page) => {
    await page.keyboard.press("[");
    await settled(page);
  },
  fold: async (page) => {
    await page.locator("#graph").focus();
    await page.keyboard.press("Z");
    await settled(page);
  },
  search: async (page) => {
    await page.locator("#output").focus();
    await page.keyboard.press("ControlOrMeta+f");
    await page.locator("#text-find").fill("load");
    await page.locator("#text-find-count", { hasText: /\d/ }).waitFor();
    await frames(page);
    await page.keyboard.press("Escape");
  },
  column: async (page) => {
    await page.locator("#tab-columns").click();
    await page.locator("#columns-rows [data-column]").first().waitFor();
    await settled(page);
  },
};

/** A visit on the slowed processor: milliseconds and longest task of each journey. */
async function visit() {
  const browser = await startBrowser();
  const found = {};
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const protocol = await context.newCDPSession(page);
    await protocol.send("Emulation.setCPUThrottlingRate", { rate: RATE });
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => {
      const counts = document.getElementById("counts");
      const look = () => { if (counts.textContent.includes("ms")) globalThis.firstResult ??= performance.now(); };
      new MutationObserver(look).observe(counts, { childList: true, characterData: true, subtree: true });
    }));
    const arrival = await traced(browser, page, async () => {
      await page.goto(URL);
      await settled(page);
    });
    const [firstPicture, result] = await page.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, globalThis.firstResult]);
    const start = Math.min(...arrival.tasks.map(({ ts }) => ts));
    const before = arrival.tasks.filter(({ ts }) => (ts - start) / 1000 <= firstPicture);
    const both = (tasks) => ({ task: longest(tasks, "dur"), work: longest(tasks, "tdur") });
    found["first picture"] = { ms: firstPicture, ...both(before) };
    found["first result"] = { ms: result, ...both(arrival.tasks) };
    await pick(page, EXAMPLE);
    await settled(page);
    await page.locator("h1").click();
    for (const [name, act] of Object.entries(STEPS)) {
      const { ms, tasks } = await traced(browser, page, () => act(page));
      found[name] = { ms, ...both(tasks) };
    }
  } finally {
    await browser.close();
  }
  return found;
}

/** Prints the table. */
export async function journeys() {
  const visits = [];
  for (let time = 0; time < TIMES; time += 1) visits.push(await visit());
  console.log(`journeys with the processor slowed ${RATE} times, the median of ${TIMES}`);
  console.log(`  ${"journey".padEnd(16)}${"duration".padStart(10)}${"longest task".padStart(16)}${"its work".padStart(14)}`);
  let over = 0;
  for (const name of Object.keys(visits[0])) {
    const [ms, task, work] = ["ms", "task", "work"].map((key) => median(visits.map((visit) => visit[name][key])));
    over += Number(task > BUDGET_MS);
    console.log(`  ${name.padEnd(16)}${`${ms.toFixed(0)} ms`.padStart(10)}${`${task.toFixed(1)} ms`.padStart(16)}${`${work.toFixed(1)} ms`.padStart(14)}${task > BUDGET_MS ? `  over ${BUDGET_MS} ms` : ""}`);
  }
  console.log(over === 0 ? `  no task is longer than ${BUDGET_MS} ms` : `  ${over} of them have a task longer than ${BUDGET_MS} ms`);
}

if (process.argv[1]?.endsWith("journeys.mjs")) await journeys();

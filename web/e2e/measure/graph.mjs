// First frame and panning of large graphs, in a real browser; prints measurements and has no limits.
//
//   VITRINE_URL=http://127.0.0.1:8000/ CHROMIUM=… node measure/graph.mjs
//
// "first frame" is from the text in the editor to the first frame with the picture: reading, passes, layout in the
// worker, transfer, drawing. "graph alone" is the same for a fold. Panning is one drag step a frame.

import { chromium } from "playwright-core";
import { settled } from "../harness.mjs";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
await page.goto(process.env.VITRINE_URL);
await page.locator("#counts", { hasText: "ms" }).waitFor();
await page.locator("#pipeline").fill("copy-prop");

function text(blocks) {
  const lines = ["func @0(%0: b1) graph {"];
  for (let at = 0; at < blocks; at += 1) {
    const to = (by) => `^${Math.min(at + by, blocks - 1)}`;
    const exit = at + 1 === blocks ? "return"
      : at % 8 === 0 ? `branch %0, ${to(1)}, ${to(2)}`
      : at % 8 === 1 ? `goto ${to(2)}`
      : at % 8 === 6 ? `branch %0, ^${at - 1}, ${to(1)}`
      : `goto ${to(1)}`;
    lines.push(`^${at}:`, `  %${2 * at + 1}: b32 = const ${at}`, `  %${2 * at + 2} = iadd %${2 * at + 1}, %${2 * at + 1}`, `  ${exit}`);
  }
  return `${lines.join("\n")}\n}\n`;
}

/** Runs `act` in the page and waits for the frame after the graph changed. */
const until = (act, argument) => page.evaluate(async ([act, argument]) => {
  const start = performance.now();
  const changed = new Promise((done) => {
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    });
    for (const id of ["scene", "overview", "map-blocks"]) {
      watch.observe(document.getElementById(id), { childList: true, attributes: true, attributeFilter: ["width", "height"] });
    }
  });
  new Function("argument", act)(argument);
  return changed;
}, [act, argument]);

/** Frame times in ms while the graph is dragged to and fro. */
const pan = () => page.evaluate(async () => {
  const pane = document.getElementById("graph");
  const { left, top } = pane.getBoundingClientRect();
  const send = (type, x, y) => pane.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, buttons: 1, pointerId: 1, clientX: left + x, clientY: top + y }));
  pane.setPointerCapture = () => {};
  send("pointerdown", 200, 300);
  const times = [];
  let last = performance.now();
  for (let frame = 0; frame < 120; frame += 1) {
    send("pointermove", 200 + 40 * Math.sin(frame / 5), 300 + (frame % 60 < 30 ? frame % 30 : 30 - (frame % 30)) * 12);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  send("pointerup", 200, 300);
  times.sort((a, b) => a - b);
  return { median: times[60], "95 %": times[114], worst: times[119] };
});

const round = (value) => (typeof value === "number" ? Math.round(value * 10) / 10 : value);
for (const blocks of [100, 1000, 5000]) {
  const input = text(blocks);
  const times = [];
  for (let run = 0; run < 3; run += 1) {
    times.push(await until("const area = document.getElementById('input'); area.value = argument; area.dispatchEvent(new Event('input'));", `${input}; ${run}\n`));
    await settled(page);
  }
  const compiler = await page.locator("#counts").textContent();
  const key = (key) => `document.dispatchEvent(new KeyboardEvent("keydown", { key: ${JSON.stringify(key)} }));`;
  const fold = await until(key("Z"));
  await settled(page);
  await until(key("Z"));
  await settled(page);
  await page.keyboard.press("0");
  await settled(page);
  const near = await pan();
  await page.locator("#fit").click();
  await settled(page);
  const far = await pan();
  console.log(JSON.stringify({
    blocks, "first frame": times.map(round), "graph alone": round(fold), counts: compiler, zoom: await page.locator("#zoom").textContent(),
    near: Object.values(near).map(round), far: Object.values(far).map(round), elements: await page.evaluate(() => document.querySelectorAll("*").length),
  }));
}
await browser.close();

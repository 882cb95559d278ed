import { startBrowser, withPage, pick, settled } from "./harness.mjs";
const b = await startBrowser();
await withPage(b, async (p) => {
  await pick(p, "particles.spvasm").catch(async (e) => console.log(await p.evaluate(() => [...document.querySelectorAll("#examples option")].map((o) => o.textContent))));
  await p.locator("#run").click();
  await p.waitForTimeout(1500);
  await p.screenshot({ path: "/tmp/a.png" });
  await p.locator("#debugger-debug").click();
  await p.waitForTimeout(800);
  for (let i = 0; i < 6; i++) await p.locator("#step-into").click();
  await p.waitForTimeout(500);
  await p.screenshot({ path: "/tmp/b.png" });
  console.log(await p.evaluate(() => [...document.querySelectorAll("#debugger *")].filter((x) => x.scrollWidth > x.clientWidth + 1 && getComputedStyle(x).overflowX !== "visible").map((x) => x.id + "." + x.className + x.tagName + x.scrollWidth + ">" + x.clientWidth)));
});
await b.close();

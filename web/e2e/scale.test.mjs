// One scale of sizes and spaces: every declared font size, gap, padding and margin of the page is one of the values that
// www/style/base.css lists; larger spaces keep room for other elements.

import assert from "node:assert/strict";
import test from "node:test";
import { pick, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

/** The declared lengths that are not of the scale, with their rules, and the number of lengths. */
const strange = (page) => page.evaluate(() => {
  const root = getComputedStyle(document.documentElement);
  const scale = (name) => root.getPropertyValue(name).trim().split(/\s+/).map(Number);
  const [sizes, spaces] = [scale("--sizes"), scale("--spaces")];
  const found = [];
  let count = 0;
  const lengths = (text) => [...text.matchAll(/(?<![\w.])(\d+(?:\.\d+)?)px/g)].map(([, number]) => Number(number)).filter((number) => number > 0);
  const visit = (rules) => {
    for (const rule of rules) {
      const { style } = rule;
      for (const name of style ? [...style] : []) {
        const isSize = name === "font-size";
        if (!isSize && !/^(row-gap|column-gap|(padding|margin)-(top|right|bottom|left))$/.test(name)) continue;
        for (const length of lengths(style.getPropertyValue(name))) {
          count += 1;
          if (!(isSize ? sizes : spaces).includes(length) && (isSize || length <= spaces.at(-1))) found.push(`${rule.selectorText} ${name} ${length}`);
        }
      }
      if (rule.cssRules) visit(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) visit(sheet.cssRules);
  return { found, count, sizes, spaces };
});

test("every size and space is of one small scale", () => withPage(browser, async (page) => {
  await page.waitForFunction(() => [...document.styleSheets].some(({ href }) => /later/.test(href ?? "")));
  const { found, count, sizes, spaces } = await strange(page);
  assert.ok(count > 400, `${count} lengths`);
  assert.ok(sizes.length <= 8 && spaces.length <= 10, "the scale is small");
  assert.deepEqual(found, []);
}));

test("the letters of the page, the editor, the graph and the run have the sizes of the scale", () => withPage(browser, async (page) => {
  await pick(page, "texture.spvasm");
  await page.locator("#run").click();
  await page.locator("#debugger-summary", { hasText: "instructions" }).waitFor();
  const sizes = await page.evaluate(() => {
    const scale = getComputedStyle(document.documentElement).getPropertyValue("--sizes").trim().split(/\s+/);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Map();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.data.trim() || !node.parentElement.checkVisibility()) continue;
      const size = getComputedStyle(node.parentElement).fontSize.replace("px", "");
      if (!scale.includes(size)) found.set(size, `${size}: ${node.parentElement.closest("[id]").id} ${node.data.slice(0, 20)}`);
    }
    return [...found.values()];
  });
  assert.deepEqual(sizes, []);
}));

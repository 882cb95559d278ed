// Wrong sources in GLSL and WGSL: the error of the front end is shown with the line that is wrong. The cases are those of the command
// line, `core/tests/wrong`; the wrong line has a comment `here`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { settled, startBrowser, type, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const cases = (language) => readFileSync(new URL(`../../core/tests/wrong/${language}.txt`, import.meta.url), "utf8")
  .split("---- ").slice(1).map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]);

/** The first error that is shown for a text. */
async function shown(page, text) {
  await type(page, text);
  await settled(page);
  const [first] = (await page.locator("#problems button[data-problem]").allInnerTexts()).filter((line) => /error/i.test(line));
  return first;
}

for (const language of ["glsl", "wgsl"]) {
  test(`${language}: each error is at its line`, () => withPage(browser, async (page) => {
    const all = cases(language);
    assert.ok(all.length >= 30, `${all.length} cases`);
    const misplaced = [];
    for (const [name, text] of all) {
      const line = 1 + text.split("\n").findIndex((each) => each.includes("here"));
      const found = await shown(page, text);
      if (!found?.startsWith(`${line}:`)) misplaced.push(`${name}, line ${line}: ${found}`);
    }
    assert.deepEqual(misplaced, []);
  }));
}

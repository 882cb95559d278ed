// Appearance: both themes, three widths, no overflow, no findings of axe. Pictures are saved in artefacts/.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, overflow, picture, ready, startBrowser, type, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 }, narrow: { width: 320, height: 568 } };

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: nothing overflows and axe finds nothing`, () => withPage(browser, async (page) => {
      const text = await value(page);
      const small = viewport.width < 760;
      const states = { good: text, damaged: `${text}\n???\n` };
      for (const [state, content] of Object.entries(states)) {
        if (small) await page.locator("nav button", { hasText: "Input" }).click();
        await type(page, content);
        await page.locator("#tally", { hasText: state === "good" ? "none" : /error/ }).waitFor({ state: "attached" });
        for (const pane of small ? ["Input", "Graph", "Text", "Problems"] : ["whole"]) {
          if (small) await page.locator("nav button", { hasText: pane }).click();
          if (!small) await page.locator("#rows .link").nth(1).hover();
          await picture(page, `${name}-${colorScheme}-${state}-${pane.toLowerCase()}`);
          assert.ok(await overflow(page) <= 0, `${state}, ${pane}`);
          assert.deepEqual(await axe(page), [], `${state}, ${pane}`);
        }
      }
    }, { viewport, colorScheme }));
  }
}

test("a narrow phone that shows the system's fonts fits a source with its times", () => withPage(browser, async (page) => {
  // `font-display: optional`: on a slow machine the own fonts come too late, and others are wider.
  await page.route(/woff2/, (route) => route.abort());
  await page.reload();
  await ready(page);
  assert.equal(await page.evaluate(() => document.fonts.check("12px 'Vitrine Text'")), false);
  await page.locator("nav button", { hasText: "Input" }).click();
  await type(page, "#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(gl_FragCoord.x > 9.0 ? 1.0 : 0.5); }\n");
  await page.locator("#counts", { hasText: "glslang" }).waitFor();
  for (const pane of ["Input", "Graph", "Text", "Problems"]) {
    await page.locator("nav button", { hasText: pane }).click();
    assert.ok(await overflow(page) <= 0, pane);
  }
  await picture(page, "narrow-source");
}, { viewport: SIZES.narrow, expected: /woff2|ERR_FAILED/ }));

test("no button covers another one, in every tab", () => withPage(browser, async (page) => {
  const overlaps = () => page.evaluate(() => {
    const seen = [...document.querySelectorAll("button, select")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth > 1)
      .map((one) => [one.id || one.title || one.textContent, one.getBoundingClientRect()]);
    const over = ([, a], [, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return seen.flatMap((a, at) => seen.slice(at + 1).filter((b) => over(a, b)).map(([b]) => `${a[0]} and ${b}`));
  });
  for (const tab of ["ir", "changes", "target", "memory", "columns"]) {
    await page.locator(`#tab-${tab}`).click();
    assert.deepEqual(await overlaps(), [], tab);
  }
}));

test("a chosen theme is stored, and overrides the system's", () => withPage(browser, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator("#theme").click(); // light
  assert.equal(await ground(), light);
  await page.keyboard.press("t"); // dark
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await ready(page);
  assert.equal(await ground(), dark);
  await becomes(() => page.locator("#theme").getAttribute("aria-label"), "Theme: dark");
}, { colorScheme: "light" }));

test("keys reach every pane, and the list of keys opens and closes", () => withPage(browser, async (page) => {
  await type(page, "???");
  await page.locator("#problems button").first().waitFor();
  const pane = () => page.evaluate(() => document.activeElement.closest("section")?.id);
  const seen = new Set();
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("F6");
    seen.add(await pane());
  }
  assert.deepEqual([...seen].sort(), ["pane-graph", "pane-input", "pane-output", "pane-problems", "timeline"]);
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await picture(page, "keys");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("dialog[open]").count(), 0);
}));

test("motion is reduced on request", () => withPage(browser, async (page) => {
  const duration = await page.evaluate(() => getComputedStyle(document.querySelector("button")).transitionDuration);
  assert.equal(duration, "0s");
}, { reducedMotion: "reduce" }));

test("text twice as large fits", () => withPage(browser, async (page) => {
  assert.ok(await overflow(page) <= 0);
}, { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }));

test("on a phone the rows below the panes take at most 18 % of the height, and open on request", () => withPage(browser, async (page) => {
  const below = () => page.evaluate(() => innerHeight - document.querySelector("main").getBoundingClientRect().bottom);
  assert.ok(await below() <= 844 * 0.18, `${await below()} px`);
  await becomes(() => page.locator("#pipeline").isVisible(), false);
  await page.locator("#more").click();
  await page.locator("#pipeline").waitFor();
  assert.ok(await page.locator("#reasons").isVisible() && await page.locator("#check").isVisible());
  assert.deepEqual(await axe(page), []);
}, { viewport: SIZES.phone }));

for (const colorScheme of ["light", "dark"]) {
  test(`one action is filled, commands have a border, tabs and pressed toggles an underline: ${colorScheme}`, () => withPage(browser, async (page) => {
    const looks = await page.locator("button").evaluateAll((buttons) => buttons.filter((button) => button.checkVisibility()).map((button) => {
      const { backgroundColor, borderTopColor, boxShadow } = getComputedStyle(button);
      const sees = (color) => !/^(transparent|rgba\(.*, 0\))$/.test(color);
      const own = backgroundColor !== getComputedStyle(button.parentElement).backgroundColor;
      return { id: button.id, filled: own && sees(backgroundColor) && !button.ariaPressed, border: sees(borderTopColor), line: boxShadow !== "none" };
    }));
    const of = (id) => looks.find((look) => look.id === id);
    assert.deepEqual(looks.filter(({ id, filled }) => id && filled).map(({ id }) => id), ["open"]);
    for (const id of ["share", "commands", "check", "run", "reset", "fold", "layout"]) assert.ok(of(id).border && !of(id).line, id);
    for (const id of ["tab-ir", "inline"]) assert.ok(of(id).line && !of(id).border, id);
    for (const id of ["tab-changes", "overlays"]) assert.ok(!of(id).line && !of(id).border, id);
    await page.locator("#open").focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    const ring = await page.locator("#open").evaluate((button) => [getComputedStyle(button).outlineColor, getComputedStyle(button).backgroundColor]);
    assert.notEqual(ring[0], ring[1], "the focus is visible on the filled button");
  }, { colorScheme }));
}

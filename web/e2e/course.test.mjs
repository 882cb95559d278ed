// The course: every lesson is complete without scripts, and live with them; questions and tasks are answered with the keyboard.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { URL_BELOW, URL_ROOT, axe, becomes, cached, overflow, picture, startBrowser } from "./harness.mjs";
import { SLUGS, course as courseIn, source, tasks, write } from "./lessons.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const course = (...options) => courseIn(browser, ...options);

for (const slug of SLUGS) {
  test(`${slug}: without scripts all text and figures are there`, () => course(`${slug}/`, async (page) => {
    const text = await page.locator("main").innerText();
    assert.ok(!text.includes("{{"), "no placeholder is left");
    for (const version of await page.locator(".version").all()) {
      assert.ok(await version.isVisible());
      assert.ok(await version.locator(":is(svg, .code span, .memory .ruler)").first().isVisible());
    }
    await becomes(() => page.locator(".live:visible").count(), 0);
    // A pass that renames values must not leave the text with old names.
    const programs = (await page.locator(":is(.flow, .code, .glsl)").allTextContents()).join("\n").split(/[^\w^%$]+/);
    const names = await page.locator("main code:is(.t-value, .t-block, .t-name)").allTextContents();
    const unknown = names.filter((name) => /^\S+$/.test(name) && !name.includes("->") && !programs.includes(name));
    assert.deepEqual(unknown.filter((name) => name !== "%5"), [], "names of the text are in a figure");
    for (const reveal of await page.locator(".reveal").all()) {
      await reveal.locator("summary").click();
      assert.ok((await reveal.innerText()).includes("(correct)"));
    }
    for (const solution of await page.locator(".solution").all()) {
      await solution.locator("summary").click();
      assert.ok(await solution.locator("code, pre").first().isVisible());
    }
  }, { javaScriptEnabled: false }));

  test(`${slug}: predictions and tasks with the keyboard`, () => course(`${slug}/`, async (page) => {
    for (const question of await page.locator(".predict").all()) {
      assert.ok(!await question.locator(".reveal").isVisible(), "the answer is hidden before a choice");
      await question.locator("button").focus();
      await page.keyboard.press("Enter");
      await question.locator(".verdict", { hasText: "Choose an answer first" }).waitFor();
      await question.locator("input").first().focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await question.locator(".verdict strong").waitFor();
      await becomes(() => question.locator(".option.right").count(), 1);
    }
    for (const { id, answer } of tasks(slug)) {
      const root = page.locator(`#${id}`);
      const field = root.locator("textarea, form input").first();
      const check = async () => {
        await root.locator("button[type=submit]").focus();
        await page.keyboard.press("Enter");
      };
      // The start program, or a wrong answer.
      if (await field.inputValue() === "") await field.fill("^0");
      await check();
      await root.locator(".verdict", { hasText: /Not solved yet|expected/ }).waitFor();
      const failed = await root.locator(".failed, .verdict").first().innerText();
      assert.ok(failed.length > 12, `${id}: the sentence helps: ${failed}`);
      if (await root.locator("textarea").count()) await write(root, answer);
      else await field.fill(answer);
      await check();
      await root.locator(".verdict", { hasText: "Solved." }).waitFor();
      await becomes(() => root.locator(".failed").count(), 0);
    }
    await page.goto(`${URL_ROOT}learn/`);
    const count = tasks(slug).length;
    await page.locator(`[data-slug=${slug}] .progress`, { hasText: `${count} of ${count} tasks solved` }).waitFor();
    // Answers go into a file, and come back from it.
    const saving = page.waitForEvent("download");
    await page.locator("#save-answers").click();
    const file = await (await saving).path();
    const saved = JSON.parse(readFileSync(file, "utf8"));
    assert.equal(saved.answers.filter((each) => each.lesson === slug && each.solved).length, count);
    await page.locator("#forget").click();
    await page.reload();
    await page.locator(`[data-slug=${slug}] .progress`, { hasText: `0 of ${count}` }).waitFor();
    await page.locator("#load-answers").setInputFiles({ name: "answers.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(saved)) });
    await page.locator(`[data-slug=${slug}] .progress`, { hasText: `${count} of ${count} tasks solved` }).waitFor();
    await page.locator("#load-answers").setInputFiles({ name: "answers.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.locator("#forgotten", { hasText: "cannot be loaded" }).waitFor();
    await page.locator("#forget").click();
    await page.reload();
    await page.locator(`[data-slug=${slug}] .progress`, { hasText: `0 of ${count}` }).waitFor();
  }));
}

for (const root of [URL_ROOT, URL_BELOW]) {
  test(`figures below ${new URL(root).pathname}: steps, changes, reset, the playground`, () => course("ssa/", async (page) => {
    const figure = page.locator("#variable");
    const height = async () => (await figure.boundingBox()).height;
    const before = await height();
    await figure.locator(".stages button").nth(1).click();
    await figure.locator(".version.shown .flow", { hasText: /goto \^3\(%(\w+_)?4\)/ }).waitFor();
    assert.equal(await height(), before, "the figure keeps its height");
    const link = await figure.locator(".open").getAttribute("href");
    await figure.locator("summary").click();
    const area = figure.locator("textarea");
    const original = await area.inputValue();
    await write(figure, original.replace("fsqrt", "fabs"));
    await figure.locator(".version.shown .flow", { hasText: "fabs" }).waitFor();
    await page.waitForFunction((link) => document.querySelector("#variable .open").getAttribute("href") !== link, link);
    await write(figure, original.replace("fsqrt", "fsq"));
    await figure.locator(".result.bad", { hasText: /^Line \d+/ }).waitFor();
    await figure.locator(".reset").click();
    await figure.locator(".version.shown .flow", { hasText: "fsqrt" }).waitFor();
    await figure.locator(".result:not(.bad)").waitFor();
    await figure.locator(".open").click();
    await page.locator("#columns-head b", { hasText: "vars-to-values" }).or(page.locator("#steps", { hasText: "vars-to-values" })).first().waitFor();
  // A narrow page, which does not show both versions at once.
  }, { root, viewport: { width: 900, height: 900 } }));
}

test("a block is chosen with the keyboard, and its facts are marked", () => course("dominance/", async (page) => {
  const figure = page.locator("#dominators");
  await figure.locator("[data-block='^3']").focus();
  await page.keyboard.press("Enter");
  await figure.locator(".found", { hasText: "^3 dominates ^3. Its dominance frontier: ^5." }).waitFor();
  await becomes(() => figure.locator(".box.marked").count(), 1);
  await becomes(() => figure.locator(".box.frontier").getAttribute("data-block"), "^5");
}));

test("a figure runs on other inputs, and a changed program runs, too", () => course("common-subexpressions/", async (page) => {
  const run = page.locator("#twice .run");
  assert.match(await run.locator("output").innerText(), /result = 24$/);
  await run.locator("input").fill("a = 5; b = 6");
  await page.keyboard.press("Enter");
  await run.locator("output", { hasText: "result = 60" }).waitFor();
  await run.locator("input").fill("c = 5");
  await page.keyboard.press("Enter");
  await run.locator("output", { hasText: "c" }).waitFor();
  await run.locator("input").fill("a = 5; b = 6");
  await page.locator("#twice summary").click();
  const area = page.locator("#twice textarea");
  await write(page.locator("#twice"), (await area.inputValue()).replace("iadd", "isub"));
  await run.locator("output", { hasText: "result = 0" }).waitFor();
}));

test("slides: one section at a time, with the arrow keys; notes are shown there only", () => course("common-subexpressions/", async (page) => {
  assert.ok(!await page.locator(".presenter").first().isVisible());
  await page.locator("a", { hasText: "Slides" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".slide-keys", { hasText: "1 of 6" }).waitFor();
  await becomes(() => page.locator(".slide:visible").count(), 1);
  await page.keyboard.press("ArrowRight");
  await page.locator("h2:visible", { hasText: "The same value twice" }).waitFor();
  assert.ok(await page.locator(".presenter").first().isVisible());
  assert.match(page.url(), /\?slides=2$/);
  await page.keyboard.press("ArrowLeft");
  await page.locator(".slide-keys", { hasText: "1 of 6" }).waitFor();
  for (let at = 0; at < 8; at++) await page.keyboard.press("PageDown");
  await page.locator(".slide-keys", { hasText: "6 of 6" }).waitFor();
  await page.locator("a", { hasText: "All of the lesson" }).click();
  await page.locator("h2", { hasText: "Memory" }).waitFor();
}));

test("print: answers are at the end", () => course("dominance/", async (page) => {
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const answers = page.locator(".printed");
  assert.ok(await answers.locator("h3").count() >= 4);
  assert.ok((await answers.innerText()).includes("(correct)"));
  await becomes(() => page.locator(".predict > details:visible, .task > details:visible").count(), 0);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await becomes(() => answers.count(), 0);
}));

test("the contents link to the section that was read last", () => course("dominance/", async (page) => {
  await page.locator("h2").nth(2).scrollIntoViewIfNeeded();
  await page.waitForFunction(() => localStorage.getItem("vitrine-place"));
  await page.goto(`${URL_ROOT}learn/`);
  await page.locator("#continue a").click();
  await page.waitForURL(/dominance\/#/);
}));

test("the old address of the lesson about quasi-pointers leads to the same section", () => course("", async (page) => {
  await page.goto(`${URL_ROOT}lessons/quasi-pointers.html#usage`);
  await page.waitForURL(`${URL_ROOT}learn/quasi-pointers/#usage`);
  await page.locator("h1", { hasText: "What is a quasi-pointer?" }).waitFor();
  assert.ok((await page.locator("main").textContent()).includes("usage 16.. * 32 {"));
}));

test("a page of one file: questions, kept answers, hashes of solutions, the judge of the class", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  const vitrine = (...args) => execFileSync(join(root, "target/debug/vitrine"), args, { cwd: root, encoding: "utf8" });
  const folder = mkdtempSync(join(tmpdir(), "vitrine-lesson-"));
  const file = join(folder, "dominance.html");
  vitrine("lesson", "www/learn/dominance/lesson.md", "-o", file, "--hide-solutions");
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const noise = [];
  try {
    const page = await context.newPage();
    page.on("console", (line) => noise.push(line.text()));
    page.on("pageerror", (error) => noise.push(error.message));
    page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("blob:") || noise.push(request.url()));
    await page.goto(`file://${file}`);
    await page.locator(".predict input").first().check();
    await page.locator(".predict button").first().click();
    await page.locator(".predict .verdict strong").first().waitFor();
    const [, right] = /^answer: (.*)$/m.exec(source("dominance", "tree.task"));
    const answer = async (text, verdict) => {
      await page.locator("#tree input").fill(text);
      await page.keyboard.press("Enter");
      await page.locator("#tree .verdict", { hasText: verdict }).waitFor();
    };
    await answer("^0->^9", "That is not the answer");
    await answer(right.split(" ").reverse().join("  "), "Correct");
    assert.ok(!(await page.content()).includes(right), "the page does not contain the answer");
    assert.ok(await overflow(page) <= 0);
    const saving = page.waitForEvent("download");
    await page.locator("#save-answers").click();
    const answers = join(folder, "ada.json");
    writeFileSync(answers, readFileSync(await (await saving).path()));
    assert.match(vitrine("judge", "www/learn/dominance/lesson.md", answers), /ada\.json.*solved.*1 of 3/);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
});

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${name}, ${colorScheme}: the course fits, nothing shifts, and axe finds nothing`, async () => {
      for (const path of ["", "teachers/", "open/", ...SLUGS.map((slug) => `${slug}/`)]) {
        await course(path, async (page) => {
          const shift = await page.evaluate(() => new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
              .observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(sum), 500);
          }));
          assert.ok(shift <= 0.02, `${path}: the page shifts by ${shift}`);
          await picture(page, `course-${path.replace("/", "") || "contents"}-${name}-${colorScheme}`);
          assert.ok(await overflow(page) <= 0, `${path}: the page is too wide`);
          assert.deepEqual(await axe(page), [], path);
        }, { viewport, colorScheme });
      }
    });
  }
}

test("the course is available without a network", async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(URL_ROOT);
    await cached(page);
    await context.setOffline(true);
    await page.goto(`${URL_ROOT}learn/`);
    await page.locator("a", { hasText: "Dominance" }).click();
    await page.locator("#tree input").fill("^0->^1");
    await page.keyboard.press("Enter");
    await page.locator("#tree .verdict", { hasText: "still missing: 4 of 5 edges" }).waitFor();
  } finally {
    await context.close();
  }
});

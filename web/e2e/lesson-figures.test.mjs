// Figures and tasks of lessons: runs step by step, maps of memory, the editor; lessons of the reader; the search.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, axe, becomes, overflow, startBrowser } from "./harness.mjs";
import { course as courseIn, source, write } from "./lessons.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const course = (...options) => courseIn(browser, ...options);

/** The value of a name in a panel of steps. */
const valueOf = (figure, name) => figure.locator(".values div", { has: figure.page().locator(`code:text-is("${name}")`) }).locator("dd");

test("a run goes forward and back, with buttons, keys and the slider, and nothing moves", () => course("cfg/", async (page) => {
  const figure = page.locator("#loop");
  const running = () => figure.locator(".box.running").getAttribute("data-block");
  const height = async () => (await figure.boundingBox()).height;
  const before = await height();
  assert.equal(await running(), "^0");
  await becomes(() => valueOf(figure, "%u_4").innerText(), "–");
  await figure.locator("[data-to=next]").focus();
  const words = figure.locator(".controls output");
  const visits = ["^0"];
  for (let at = 1; !(await words.innerText()).includes("has ended"); at++) {
    assert.ok(at < 100);
    await page.keyboard.press(at % 2 ? "Enter" : "ArrowRight");
    if (await figure.locator(".box.running").count() && visits.at(-1) !== await running()) visits.push(await running());
    assert.equal(await height(), before, "the figure keeps its height");
  }
  assert.deepEqual(visits, ["^0", "^1", "^2", "^1", "^2", "^1", "^2", "^1", "^2", "^1", "^3"]);
  await becomes(() => valueOf(figure, "%y_5").innerText(), "3");
  await page.keyboard.press("Home");
  assert.equal(await running(), "^0");
  await becomes(() => valueOf(figure, "%y_5").innerText(), "–");
  const slider = figure.locator("input[type=range]");
  const last = Number(await slider.getAttribute("max"));
  await slider.fill(String(last - 1));
  assert.equal(await running(), "^3");
  await figure.locator("[data-to=back]").click();
  assert.match(await words.innerText(), new RegExp(`Step ${last - 2} of ${last}`));
  await figure.locator("[data-to=first]").click();
  await figure.locator("[data-to=last]").click();
  assert.match(await words.innerText(), /the run has ended/);
}));

test("a line of the text is marked, too; other inputs and a changed program make other steps", () => course("cfg/", async (page) => {
  const figure = page.locator("#straight");
  const line = () => figure.locator(".code .running").innerText();
  assert.match(await line(), /deref\.var/);
  await figure.locator("[data-to=next]").click();
  assert.match(await line(), /load/);
  await figure.locator("[data-to=last]").click();
  await becomes(() => valueOf(figure, "%4").innerText(), "0.75");
  await figure.locator(".run input").fill("x = 3");
  await page.keyboard.press("Enter");
  await figure.locator(".run output", { hasText: "y = 2" }).waitFor();
  await figure.locator(".controls output", { hasText: "Step 0 of" }).waitFor();
  await figure.locator("[data-to=last]").click();
  await becomes(() => valueOf(figure, "%4").innerText(), "2.0");
  await figure.locator("summary").click();
  await write(figure, (await figure.locator("textarea").inputValue()).replace("fadd", "fsub"));
  await figure.locator(".run output", { hasText: "y = 1" }).waitFor();
  await figure.locator("[data-to=last]").click();
  await becomes(() => valueOf(figure, "%4").innerText(), "1.0");
  await figure.locator(".run input").fill("moon = 3");
  await page.keyboard.press("Enter");
  await figure.locator(".run output", { hasText: "moon" }).waitFor();
  assert.ok(await figure.locator(".stepper.stale").count(), "the old steps are marked as old");
}));

test("invocations: the active ones are filled, and each has its values", () => course("divergence/", async (page) => {
  const figure = page.locator("#ballot");
  const invocations = figure.locator(".invocations button");
  await becomes(() => invocations.count(), 8);
  const text = figure.locator(".code .running");
  for (let at = 0; at < 40 && !(await text.innerText()).includes("ballot_count %7"); at++) await figure.locator("[data-to=next]").click();
  await becomes(() => figure.locator(".invocations .on").count(), 3);
  await figure.locator("[data-to=next]").click();
  await becomes(() => valueOf(figure, "%here_8").innerText(), "3");
  await invocations.nth(5).click();
  await becomes(() => valueOf(figure, "%here_8").innerText(), "–", "invocation 5 was not there");
  await figure.locator("[data-to=last]").click();
  await becomes(() => valueOf(figure, "%14").innerText(), "8");
  await invocations.nth(0).click();
  await becomes(() => valueOf(figure, "%14").innerText(), "56");
}));

test("the steps of a program after a pass, on a page that shows one version at a time", () => course("ssa/", async (page) => {
  const figure = page.locator("#sum");
  await becomes(() => figure.locator(".version.shown").getAttribute("data-at"), "0");
  await figure.locator("[data-to=next]").click();
  await becomes(() => figure.locator(".version.shown").getAttribute("data-at"), "1");
  await becomes(() => figure.locator(".version.shown .running").count(), 1);
}, { viewport: { width: 390, height: 844 } }));

test("without scripts and in print a run is a table", async () => {
  await course("cfg/", async (page) => {
    const table = page.locator("#loop .stepper table");
    assert.ok(await table.isVisible());
    await becomes(() => table.locator("tbody tr").count(), 11);
    await becomes(() => page.locator("#loop .controls:visible, #loop .values:visible").count(), 0);
  }, { javaScriptEnabled: false });
  await course("divergence/", async (page) => {
    const table = page.locator("#ballot .stepper table");
    assert.ok(!await table.isVisible());
    await page.emulateMedia({ media: "print" });
    assert.ok(await table.isVisible());
    assert.match(await table.innerText(), /0–2/);
  });
});

test("a map of memory is there without scripts, and follows the program", async () => {
  await course("quasi-pointers/", async (page) => {
    const map = page.locator("#bytes .memory");
    assert.ok(await map.locator(".bar.never", { hasText: "pos" }).isVisible());
    await becomes(() => map.locator("li.used.read.write").count(), 1);
    await becomes(() => page.locator("#pair li.used.write").count(), 2, "one of two places");
  }, { javaScriptEnabled: false });
  await course("quasi-pointers/", async (page) => {
    const figure = page.locator("#bytes");
    await figure.locator("summary").click();
    const program = await figure.locator("textarea").inputValue();
    const other = program.replace("deref.field %4.1", "deref.field %4.0").replace("  store %5, %7\n", "")
      .replace("%6: b32 = load %5", "%8: b32x3 = load %5\n  %6: b32 = swizzle %8.x");
    await write(figure, other);
    await figure.locator(".memory li.used.read", { hasText: "pos" }).first().waitFor();
    await figure.locator(".memory .bar.never", { hasText: "radius" }).waitFor();
    await figure.locator(".reset").click();
    await figure.locator(".memory .bar.never", { hasText: "pos" }).waitFor();
  });
});

test("the editor of a task: same height, colors, diagnostics; Tab leaves it, Ctrl Enter checks", () => course("cfg/", async (page) => {
  const root = page.locator("#count");
  const box = async () => (await root.boundingBox()).height;
  const before = await box();
  await root.locator("textarea").focus();
  const editor = root.locator(".editor .cm-content");
  await editor.waitFor();
  assert.ok(Math.abs(await box() - before) <= 1, "the task keeps its height");
  assert.ok(await editor.evaluate((content) => content === document.activeElement), "the focus goes to the editor");
  await root.locator(".editor .t-block").first().waitFor();
  await root.locator(".editor .t-keyword", { hasText: "func" }).first().waitFor();
  await becomes(() => editor.getAttribute("aria-label"), "Your program");
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Tab");
  assert.ok(!await editor.evaluate((content) => content.contains(document.activeElement)), "Tab leaves the editor");
  await page.keyboard.press("Shift+Tab");
  const start = await root.locator("textarea").inputValue();
  await write(root, start.replace("return", "retrun"));
  await page.keyboard.press("ControlOrMeta+Enter");
  await root.locator(".verdict", { hasText: /Not solved yet|expected/ }).waitFor();
  await root.locator(".cm-lintRange").first().waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await becomes(() => root.locator("textarea").inputValue(), start, "undo");
  await write(root, source("cfg", /^solution: (.*)$/m.exec(source("cfg", /id=count .*file=(\S+)/.exec(source("cfg", "lesson.md"))[1]))[1]));
  await page.keyboard.press("ControlOrMeta+Enter");
  await root.locator(".verdict", { hasText: "Solved." }).waitFor();
  await root.locator(".reset").click();
  await becomes(() => root.locator("textarea").inputValue(), start);
  assert.ok((await editor.innerText()).includes("return"));
}));

/** A lesson in one file, with a run, a map of memory and a task. */
const LESSON = `---
title: Dead & gone
minutes: 5
summary: A lesson of a test.
---
## Unused

:::figure id=dead program=dead.ir pipeline="dce" at=0,1 captions="As written|After dce" view=ir,steps run="a = 3"
The value \`%1\` is unused.
:::

:::task id=kill title="A dead value" file=kill.task
:::

:::file kill.task
Write a function that \`dce\` makes smaller by exactly one instruction.
start: start.ir
check: valid; insts = 2
check: after dce: insts = 1
hint: Compute something, and do not use it.
solution: dead.ir
:::

:::file start.ir
func @f_0(%a_0: b32) -> b32 graph {
^0:
  %1 = iadd %a_0, %a_0
  return %1
}
:::
`;
const DEAD = "func @f_0(%a_0: b32) -> b32 graph {\n^0:\n  %1 = imul %a_0, %a_0\n  %2 = iadd %a_0, %a_0\n  return %2\n}\n";
const IN_ONE = `${LESSON}\n:::file dead.ir\n${DEAD}:::\n`;
const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** Drops files on the page. */
const drop = (page, files) => page.evaluate((files) => {
  const dataTransfer = new DataTransfer();
  for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}, files);

async function works(page) {
  await page.locator("h1", { hasText: "Dead & gone" }).waitFor();
  const figure = page.locator("#dead");
  await figure.locator(".version.shown .code", { hasText: "imul" }).waitFor();
  await figure.locator("[data-to=last]").click();
  await becomes(() => valueOf(figure, "%2").innerText(), "6");
  const task = page.locator("#kill");
  await task.locator("button[type=submit]").click();
  await task.locator(".verdict", { hasText: "Not solved yet" }).waitFor();
  await write(task, DEAD);
  await task.locator("button[type=submit]").click();
  await task.locator(".verdict", { hasText: "Solved." }).waitFor();
}

test("files that are dropped on the contents are a lesson, in this tab only", () => course("", async (page) => {
  await drop(page, [["lesson.md", LESSON], ["dead.ir", DEAD]]);
  await page.waitForURL(`${URL_ROOT}learn/open/`);
  await works(page);
  assert.ok(await overflow(page) <= 0);
  assert.deepEqual(await axe(page), []);
  await page.reload();
  await works(page);
  await page.locator("a", { hasText: "Slides" }).click();
  await page.locator(".slide-keys", { hasText: "1 of" }).waitFor();
  await page.goto(`${URL_ROOT}learn/open/`);
  await page.locator("#other-lesson").click();
  await page.locator("h1", { hasText: "A lesson of your own" }).waitFor();
  await becomes(() => page.locator("#dead").count(), 0);
}));

test("a small lesson is a link, and a large one is not", () => course("open/", async (page) => {
  await page.locator("#lesson-files").setInputFiles(file("dead.md", IN_ONE));
  await works(page);
  await page.locator("#copy-lesson").click();
  await page.locator("#opening-status", { hasText: "whole lesson" }).waitFor();
  const link = page.url();
  assert.match(link, /open\/#l[\w-]+$/);
  await course("open/", async (other) => {
    // The page loads itself again for another link.
    const loaded = other.waitForEvent("load");
    await other.goto(link);
    await loaded;
    await works(other);
  });
  // Words that do not compress.
  const noise = Array.from({ length: 4000 }, (_, at) => Math.abs(Math.sin(at) * 1e9).toString(36)).join(" ");
  await page.locator("#other-lesson").click();
  await page.locator("#lesson-files").setInputFiles(file("long.md", `${IN_ONE}\n${noise}\n`));
  await page.locator("h1", { hasText: "Dead & gone" }).waitFor();
  await page.locator("#copy-lesson").click();
  await page.locator("#opening-status", { hasText: /would have \d+ KB.*Send its file/ }).waitFor();
  assert.ok(!page.url().includes("#l"));
}));

test("a file that is chosen before the script runs is opened", () => course("", async (page) => {
  let release;
  const isReleased = new Promise((resolve) => { release = resolve; });
  await page.route("**/open-lesson*.js", async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(`${URL_ROOT}learn/open/`, { waitUntil: "commit" });
  await page.locator("#lesson-files").setInputFiles(file("dead.md", IN_ONE));
  release();
  await works(page);
}));

test("what is no lesson is refused with a reason", () => course("open/", async (page) => {
  const refused = async (files, words) => {
    await page.locator("#lesson-files").setInputFiles(files);
    await page.locator("#opening-status", { hasText: words }).waitFor();
  };
  await refused(file("a.ir", DEAD), "This is no lesson");
  await refused([file("a.md", IN_ONE), file("b.md", IN_ONE)], "This is no lesson");
  await refused(file("a.md", LESSON), /lesson\.md:8: error: .*dead\.ir/);
  await refused(file("a.md", "# A"), "no front matter");
  await refused({ name: "a.md", mimeType: "text/plain", buffer: Buffer.from([0xff, 0xfe, 0xfd]) }, "no text in UTF-8");
  await refused(file("a.md", `${IN_ONE}${"x".repeat(1 << 20)}`), "1024 KB");
  for (const hash of ["#l!!!", "#lAAAA", "#lq1YqSVWyUlBKzFWyUlJQykxVslJQSgYA"]) {
    await page.goto("about:blank");
    await page.goto(`${URL_ROOT}learn/open/${hash}`);
    await page.locator("#opening-status", { hasText: "The lesson of this link cannot be read" }).waitFor();
  }
  await drop(page, [["dead.md", IN_ONE.replace("insts = 2", "insts = 1").replace("after dce: insts = 1", "valid")]]);
  await page.locator("#opening-status", { hasText: /solved from the start[\s\S]*task “kill” fails/ }).waitFor();
  await drop(page, [["dead.md", IN_ONE.replace("return %2", "return %9")]]);
  await page.locator("#dead .result.bad", { hasText: /^Line \d+/ }).waitFor();
}));

test("the search of the reference is in the header of lessons", () => course("cfg/", async (page) => {
  await page.keyboard.press("/");
  const field = page.locator("#search input");
  assert.ok(await field.evaluate((field) => field === document.activeElement));
  await page.keyboard.type("dominance frontier");
  await page.locator("#results li", { hasText: "glossary" }).first().waitFor();
  await field.fill("dominance");
  await page.locator("#results li", { hasText: "lesson" }).first().click();
  await page.waitForURL(/learn\/dominance\//);
  await page.locator("#search input").fill("zzzz");
  await page.locator("#search", { hasText: "Nothing was found." }).waitFor();
}));

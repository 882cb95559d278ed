// Nothing is lost: the session survives a reload, a crash, a lesson and Back; several inputs are open at once; recent
// inputs are listed; the view has a history.

import assert from "node:assert/strict";
import test from "node:test";
import { URL_ROOT, axe, becomes, failNext, overflow, pick, picture, ready, settled, startBrowser, type, until, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const LESSON = "learn/quasi-pointers/";
const LOOP = "func @0(%0: b1) graph {\n^0:\n  goto ^1\n^1:\n  branch %0, ^2, ^3\n^2:\n  goto ^1\n^3:\n  return\n}\n";
const tiny = (number) => `func @0() -> u32 graph {\n^0:\n  %0: u32 = const ${number}\n  return %0\n}\n`;

/** Waits until the database has an input of this size, and the session that it belongs to; also its number of errors. */
const stored = (page, text, judged = false) => until(page, ([size, judged]) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("vitrine", 1);
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const change = opening.result.transaction(["sessions", "entries"]);
    const [sessions, entries] = ["sessions", "entries"].map((store) => change.objectStore(store).getAll());
    change.oncomplete = () => {
      opening.result.close();
      const entry = entries.result.find((entry) => entry.size === size && (!judged || entry.errors !== undefined));
      resolve(Boolean(entry) && sessions.result.some(({ ids }) => ids.includes(entry.id)));
    };
  };
}), [Buffer.byteLength(text), judged]);
const tabs = (page) => page.locator("#tabs [data-input-tab]").allTextContents();
const current = (page) => page.locator("#tabs [aria-pressed=true]").textContent();
/** Opens files: several of them in a tab each. */
async function give(page, files) {
  const given = Object.entries(files);
  await page.locator("#file").setInputFiles(
    given.map(([name, text]) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) })));
  if (given.length > 1) await page.locator("#several button[value=tabs]").click();
}

/** Everything of a view that a reload must not change. */
const look = (page) => page.evaluate(() => {
  const text = (id) => document.getElementById(id).textContent;
  const scene = document.getElementById("scene");
  return {
    name: text("name"), functions: document.getElementById("functions").value, pipeline: document.getElementById("pipeline").value,
    place: document.querySelector("#step .place").textContent, tab: document.body.dataset.tab, transform: scene.getAttribute("transform"),
    folded: [...scene.querySelectorAll(".box.folded")].length, pinned: scene.querySelectorAll(".box.pinned, .box .pin").length,
    chosen: scene.querySelectorAll(".box.chosen").length, rows: text("rows"),
  };
});

/** Opens a program with a loop, steps, folds the loop and moves the graph. */
async function explore(page) {
  await page.locator("#pipeline").fill("copy-prop, dce");
  await type(page, LOOP);
  await settled(page);
  await page.locator("#tab-changes").click();
  await page.locator("#steps button").nth(1).click();
  await settled(page);
  const header = await page.locator("#scene [data-loop]").first().getAttribute("data-loop");
  await page.locator(`#scene .box[data-id="${header}"]`).click({ position: { x: 3, y: 10 } });
  await page.locator("#scene .box.chosen").waitFor();
  await page.locator("#graph").focus();
  await page.keyboard.press("z");
  await page.locator("#scene .box.folded").waitFor();
  await page.keyboard.press("+");
  await settled(page);
}

test("a reload keeps text, pipeline, version, tab, camera, folds, choice, and the editor's history", () => withPage(browser, async (page) => {
  await explore(page);
  const before = await look(page);
  assert.equal(before.folded, 1);
  await page.reload();
  await settled(page);
  await page.locator("#scene .box.folded.chosen").waitFor();
  assert.deepEqual(await look(page), before);
  assert.equal(await value(page), LOOP);
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  assert.match(await value(page), /OpEntryPoint/, "the text before the edit");
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await page.waitForFunction((text) => document.querySelector("#editor").value === text, LOOP);
}));

test("columns, the memory tab and a maximized pane survive a reload", () => withPage(browser, async (page) => {
  await page.locator("#tab-columns").click();
  await page.locator("#columns-head b").first().waitFor();
  await page.locator("#columns-ends").click();
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  await page.locator("[data-whole-pane=output]").click();
  await page.reload();
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll("#columns-head b").length === 2);
  await becomes(() => page.locator("#pane-graph").isVisible(), false);
}));

test("a restored page shows its input at once, and nothing of the example", () => withPage(browser, async (page) => {
  await type(page, LOOP);
  await settled(page);
  let go;
  const late = new Promise((resolve) => (go = resolve));
  await page.route("**/compiler_bg-*.wasm", async (route) => { await late; await route.continue(); });
  await page.reload();
  await page.waitForFunction((text) => (document.querySelector("#editor").value ?? document.querySelector("#input").value) === text, LOOP);
  await page.locator("#input:visible, #editor:visible").first().waitFor();
  for (const part of ["#rows", "#steps"]) await becomes(() => page.locator(part).isVisible(), false, part);
  await picture(page, "restored-early");
  go();
  await ready(page);
  await page.locator("#rows", { hasText: "func @0(%0: b1)" }).waitFor();
}));

test("an untouched page stores nothing and opens with its example again", () => withPage(browser, async (page) => {
  await page.reload();
  await ready(page);
  assert.equal(await page.evaluate(() => localStorage.getItem("vitrine-session")), null);
}));

test("after a crash of the page another window has the session", () => withPage(browser, async (page) => {
  await type(page, LOOP);
  await stored(page, LOOP);
  const crashed = page.waitForEvent("crash");
  page.goto("chrome://crash").catch(() => "it does not load");
  await crashed;
  const other = await page.context().newPage();
  // The browser releases the lock of the lost window some time after the crash.
  await other.goto(`${URL_ROOT}sw.js`);
  await until(other, async () => (await navigator.locks.query()).held.length === 0);
  await other.goto(URL_ROOT);
  await ready(other);
  assert.equal(await value(other), LOOP);
}, { expected: /crash/ }));

test("a page that is left right after an edit has the edit when it is back", () => withPage(browser, async (page) => {
  for (const number of [3, 44, 555]) {
    await type(page, tiny(number));
    await page.reload();
    await ready(page);
    assert.equal(await value(page), tiny(number));
  }
}));

test("a crash of the compiler loses neither text nor folds nor the choice", () => withPage(browser, async (page) => {
  await explore(page);
  await failNext(page);
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" ");
  await page.locator("#notice", { hasText: "was restarted" }).waitFor();
  await page.keyboard.type(" ");
  await page.locator("#status:not(.pending)", { hasText: "Ready" }).waitFor();
  await settled(page);
  await page.locator("#scene .box.folded.chosen").waitFor();
  assert.equal(await value(page), `${LOOP}  `);
}));

for (const [name, script] of Object.entries({
  "with IndexedDB": () => {},
  "without IndexedDB": () => Object.defineProperty(self, "indexedDB", { get() { throw new DOMException("refused", "SecurityError"); } }),
})) {
  test(`a lesson and Back, ${name}`, () => withPage(browser, async (page) => {
    await page.addInitScript(script);
    await page.reload();
    await ready(page);
    await type(page, LOOP);
    await page.locator("#pipeline").fill("dce");
    await settled(page);
    await page.goto(URL_ROOT + LESSON);
    await page.goBack();
    await settled(page);
    assert.equal(await value(page), LOOP);
    await becomes(() => page.locator("#pipeline").inputValue(), "dce");
    await page.reload();
    await settled(page);
    assert.equal(await value(page), LOOP);
  // A page that is left cancels what it loads.
  }, { expected: /^failed: / }));
}

test("a browser that stores nothing is reported once, and the page works", () => withPage(browser, async (page) => {
  await page.addInitScript(() => {
    for (const name of ["indexedDB", "localStorage", "sessionStorage"]) {
      Object.defineProperty(self, name, { get() { throw new DOMException("refused", "SecurityError"); } });
    }
  });
  await page.reload();
  await ready(page);
  await type(page, LOOP);
  await page.locator("#notice", { hasText: "does not store" }).waitFor();
  await give(page, { "a.ir": tiny(1), "b.ir": tiny(2) });
  await page.locator("#name", { hasText: "b.ir" }).waitFor();
  await page.locator("#tabs [data-input-tab]").first().click();
  await page.waitForFunction((text) => document.querySelector("#editor").value === text, LOOP);
}));

test("a database that answers late stores what was entered meanwhile", () => withPage(browser, async (page) => {
  await type(page, tiny(1));
  await stored(page, tiny(1));
  await page.addInitScript(() => {
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...args) {
      const request = {};
      const begin = () => {
        const real = open.apply(this, args);
        Object.defineProperty(request, "result", { get: () => real.result });
        Object.defineProperty(request, "error", { get: () => real.error });
        for (const name of ["onsuccess", "onerror", "onupgradeneeded"]) real[name] = request[name];
      };
      self.answerNow = begin;
      return request;
    };
  });
  await page.reload();
  // The page does not wait longer for its session.
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-linked"));
  await settled(page);
  await type(page, LOOP);
  await page.waitForFunction((text) => sessionStorage.getItem("vitrine-kept")?.includes(JSON.stringify(text).slice(1, 20)), LOOP);
  await page.evaluate(() => self.answerNow());
  await page.waitForFunction(() => sessionStorage.getItem("vitrine-kept") === null);
  await page.locator("#recent:visible, #recent-here:visible").click();
  await page.locator("#recent-list[open]").waitFor();
  await becomes(() => page.locator("#recent-list li").count(), 2, "the input of the last visit, and this one");
}));

test("a second window begins with the example, and a closed one is continued", () => withPage(browser, async (page) => {
  const example = await value(page);
  await type(page, LOOP);
  await stored(page, LOOP);
  const other = await page.context().newPage();
  await other.goto(URL_ROOT);
  await ready(other);
  assert.equal(await value(other), example);
  await page.close();
  await other.close();
  const next = await browser.contexts().at(-1).newPage();
  await next.goto(URL_ROOT);
  await ready(next);
  assert.equal(await value(next), LOOP);
}));

test("a session of another version is left alone", () => withPage(browser, async (page) => {
  const example = await value(page);
  await type(page, LOOP);
  await stored(page, LOOP);
  const session = await page.evaluate(() => localStorage.getItem("vitrine-session"));
  await page.goto(URL_ROOT + LESSON);
  const change = (frame) => page.evaluate(([id, version]) => new Promise((resolve) => {
    const opening = indexedDB.open("vitrine", 1);
    opening.onsuccess = () => {
      const sessions = opening.result.transaction("sessions", "readwrite").objectStore("sessions");
      const reading = sessions.get(Number(id));
      reading.onsuccess = () => {
        const found = reading.result;
        const old = found.frame[0];
        if (version) sessions.put({ ...found, time: Date.now(), frame: Uint8Array.from(found.frame, (byte, at) => (at === 0 ? version : byte)) }, Number(id));
        sessions.transaction.oncomplete = () => {
          opening.result.close();
          resolve(old);
        };
      };
    };
  }), [session, frame]);
  await change(255);
  await page.goto(URL_ROOT);
  await ready(page);
  assert.equal(await value(page), example);
  await type(page, tiny(1));
  await stored(page, tiny(1));
  assert.equal(await change(0), 255, "it is not overwritten");
  // A page that is left cancels what it loads.
}, { expected: /^failed: / }));

test("a link opens beside the session, and a reload keeps edits of it", () => withPage(browser, async (page) => {
  await type(page, tiny(1));
  await settled(page);
  await page.locator("#share").click();
  await page.locator("#notice", { hasText: "Link copied" }).waitFor();
  const link = page.url().split("#")[1];
  await type(page, LOOP);
  await stored(page, LOOP);
  await page.goto("about:blank");
  await page.goto(`${URL_ROOT}#${link}`);
  await page.waitForFunction((text) => document.querySelector("#editor")?.value === text, tiny(1));
  assert.equal((await tabs(page)).length, 2);
  await type(page, tiny(2222));
  await stored(page, tiny(2222));
  await page.reload();
  await ready(page);
  assert.equal(await value(page), tiny(2222));
  assert.equal((await tabs(page)).length, 2, "the link is not opened again");
  await page.locator("#tabs [data-input-tab]").first().click();
  await page.waitForFunction((text) => document.querySelector("#editor").value === text, LOOP);
}, { permissions: ["clipboard-read", "clipboard-write"], expected: /about:blank/ }));

test("several dropped files open several tabs if the user chooses so, each with its own text, pipeline and view", () => withPage(browser, async (page) => {
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, [["a.ir", tiny(1)], ["b.ir", tiny(2)], ["c.ir", LOOP]]);
  await page.locator("#several button[value=tabs]").click();
  await page.locator("#name", { hasText: "c.ir" }).waitFor();
  await settled(page);
  assert.deepEqual(await tabs(page), ["a.ir", "b.ir", "c.ir"], "the untouched example is replaced");
  await page.locator("#pipeline").fill("dce");
  await page.locator("#tab-target").click();
  await settled(page);
  await page.locator("#tabs [data-input-tab]").first().click();
  await page.locator("#name", { hasText: "a.ir" }).waitFor();
  await settled(page);
  assert.equal(await value(page), tiny(1));
  assert.notEqual(await page.locator("#pipeline").inputValue(), "dce");
  await becomes(() => page.locator("#tab-ir").getAttribute("aria-pressed"), "true");
  await picture(page, "tabs");
  assert.deepEqual(await axe(page), []);
  await page.locator("#tabs [data-input-tab]").first().focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator("#name", { hasText: "c.ir" }).waitFor();
  await settled(page);
  await becomes(() => page.locator("#pipeline").inputValue(), "dce");
  await becomes(() => page.locator("#tab-target").getAttribute("aria-pressed"), "true");
  await page.locator("#tabs [data-input-tab]").nth(1).click({ button: "middle" });
  await page.locator("#notice", { hasText: "Closed b.ir" }).waitFor();
  assert.deepEqual(await tabs(page), ["a.ir", "c.ir"]);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.locator("#name", { hasText: "b.ir" }).waitFor();
  await settled(page);
  assert.equal(await value(page), tiny(2));
  assert.deepEqual(await tabs(page), ["a.ir", "b.ir", "c.ir"]);
  await page.reload();
  await settled(page);
  assert.deepEqual([await tabs(page), await current(page)], [["a.ir", "b.ir", "c.ir"], "b.ir"]);
  await page.locator("#tabs [data-input-tab]").nth(1).focus();
  await page.keyboard.press("Delete");
  await page.locator("#name", { hasText: "c.ir" }).waitFor();
  await page.locator("#tab-new").click();
  await page.waitForFunction(() => document.querySelector("#editor").value === "");
  assert.deepEqual(await tabs(page), ["a.ir", "c.ir", "untitled"]);
}));

test("each tab has the undo history of its own text", () => withPage(browser, async (page) => {
  await give(page, { "a.ir": tiny(1), "b.ir": tiny(2) });
  await page.locator("#name", { hasText: "b.ir" }).waitFor();
  await settled(page);
  await type(page, tiny(22));
  await page.locator("#tabs [data-input-tab]").first().click();
  await page.locator("#name", { hasText: "a.ir" }).waitFor();
  await settled(page);
  await type(page, tiny(11));
  await page.locator("#tabs [data-input-tab]").nth(1).click();
  await page.locator("#name", { hasText: "b.ir" }).waitFor();
  await settled(page);
  assert.equal(await value(page), tiny(22));
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await value(page), tiny(2));
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await value(page), tiny(2), "not the text of the other tab");
}));

test("on a phone the tabs are one row that scrolls", () => withPage(browser, async (page) => {
  await give(page, Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`shader-${at}.ir`, tiny(at)])));
  await page.locator("#name", { hasText: "shader-6.ir" }).waitFor();
  await settled(page);
  const box = await page.locator("#tabs").boundingBox();
  assert.ok(box.height < 56 && box.width <= 390, JSON.stringify(box));
  assert.ok(await overflow(page) <= 0);
  await picture(page, "tabs-phone");
  const last = await page.locator("#tabs [data-input-tab]").last().boundingBox();
  assert.ok(last.x >= 0 && last.x + last.width <= 391, "the current one is in view");
  assert.deepEqual(await axe(page), []);
}, { viewport: { width: 390, height: 844 } }));

for (const [name, viewport, colorScheme] of [["desktop", { width: 1440, height: 900 }, "light"], ["phone", { width: 390, height: 844 }, "dark"]]) {
  test(`recent inputs are searched, pinned, deleted, cleared and opened: ${name}`, () => withPage(browser, async (page) => {
    const names = () => page.locator("#recent-list .name").allTextContents();
    const show = async () => {
      await page.locator("#recent:visible, #recent-here:visible").click();
      await page.locator("#recent-list[open]").waitFor();
    };
    const wrong = "func @0() -> b32 graph {\n^0:\n  return %7\n}\n";
    await give(page, { "one.ir": tiny(1), "two.ir": tiny(2), "wrong.ir": wrong });
    await page.locator("#name", { hasText: "wrong.ir" }).waitFor();
    await page.locator("#tally", { hasText: "error" }).waitFor({ state: "attached" });
    await stored(page, wrong, true);
    await show();
    assert.deepEqual((await names()).sort(), ["one.ir", "two.ir", "wrong.ir"]);
    assert.match(await page.locator("#recent-list li", { hasText: "wrong.ir" }).textContent(), /\d+ B · .* · \d+ errors?/);
    await page.locator("#recent-list", { hasText: "never sent anywhere. The newest 100" }).waitFor();
    await picture(page, `recent-${name}`);
    assert.deepEqual(await axe(page), []);
    assert.ok(await overflow(page) <= 0);
    await page.locator("#recent-list input").fill("tw");
    assert.deepEqual(await names(), ["two.ir"]);
    await page.locator("#recent-list .pin").click();
    await page.locator("#recent-list .pin[aria-pressed=true]").waitFor();
    await page.locator("#recent-list input").fill("");
    assert.equal((await names())[0], "two.ir", "pinned ones come first");
    await page.locator("#recent-list li", { hasText: "one.ir" }).locator(".remove").click();
    await page.locator("#recent-list li", { hasText: "one.ir" }).waitFor({ state: "detached" });
    await page.locator("#recent-list .clear").click();
    await page.locator("#recent-list .clear", { hasText: "Delete 1 for good" }).click();
    await page.waitForFunction(() => document.querySelectorAll("#recent-list li").length === 1);
    assert.deepEqual(await names(), ["two.ir"]);
    await page.keyboard.press("Escape");
    // A closed tab is opened again with its text.
    await page.locator("#tabs [data-input-close]").nth(1).click();
    await page.locator("#notice", { hasText: "Closed two.ir" }).waitFor();
    await page.reload();
    await settled(page);
    await show();
    assert.equal((await names())[0], "two.ir", "what is pinned is still here");
    await page.locator("#recent-list input").press("Enter");
    await page.waitForFunction((text) => document.querySelector("#editor").value === text, tiny(2));
    assert.equal(await current(page), "two.ir");
  }, { viewport, colorScheme }));
}

test("the view has a history: steps, functions, tabs, folds; the pipeline has another one", () => withPage(browser, async (page) => {
  await pick(page, "functions.ir");
  const place = () => page.locator("#step .place").textContent();
  const pressed = () => page.locator("[aria-label='Text to show'] [aria-pressed=true]").textContent();
  const last = await place();
  await page.locator("#steps button").nth(1).click();
  await settled(page);
  const second = await place();
  await page.locator("#tab-target").click();
  await settled(page);
  const functions = await page.locator("#functions").inputValue();
  const options = await page.locator("#functions option").evaluateAll((options) => options.map((option) => option.value));
  await page.locator("#functions").selectOption(options.find((option) => option !== functions));
  await settled(page);
  await page.locator("h1").click();
  await page.keyboard.press("Alt+ArrowLeft");
  await settled(page);
  await becomes(() => page.locator("#functions").inputValue(), functions);
  await page.keyboard.press("Alt+ArrowLeft");
  await settled(page);
  assert.equal(await pressed(), "IR");
  await page.keyboard.press("Alt+ArrowLeft");
  await settled(page);
  assert.equal(await place(), last);
  await page.keyboard.press("Alt+ArrowRight");
  await page.keyboard.press("Alt+ArrowRight");
  await settled(page);
  assert.deepEqual([await place(), await pressed()], [second, "SPIR-V"]);
  const pipeline = await page.locator("#pipeline").inputValue();
  await page.locator("#pipeline").fill("dce");
  await page.locator("#pipeline").fill("dce, cse");
  await page.locator("#reset").click();
  await page.locator("#pipeline").focus();
  for (const wanted of ["dce, cse", "dce", pipeline]) {
    await page.keyboard.press("ControlOrMeta+z");
    await becomes(() => page.locator("#pipeline").inputValue(), wanted);
  }
  for (const wanted of ["dce", "dce, cse", pipeline]) {
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await becomes(() => page.locator("#pipeline").inputValue(), wanted);
  }
  await settled(page);
}));

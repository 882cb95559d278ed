// Programs of any compiler, compared: dropped together, run on the same inputs, shared by a link that proves the finding.

import assert from "node:assert/strict";
import test from "node:test";
import { axe, becomes, overflow, pick, picture, printed, ready, settled, share, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const options = { permissions: ["clipboard-read", "clipboard-write"] };
const COUNT = 46;
/** The dump from which on the programs are wrong. */
const WRONG = 30;
const PASSES = "vars-to-values, copy-prop, constant-fold, opt-range, algebraic{plain}, cse, licm, dead-cf, peephole-select, dce";

/** The versions of an example after each pass of our own pipeline, as IR text: from a worker of the page, as objects. */
function dumps(page, example, pipeline) {
  return page.evaluate(async ([example, pipeline]) => {
    const worker = new Worker(new URL(document.querySelector("[data-worker]").dataset.worker, location.href), { type: "module" });
    const answers = (wanted) => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.fault) reject(new Error(data.fault.message));
        else if (data[wanted]) resolve(data[wanted]);
      };
    });
    const loaded = answers("ready");
    worker.postMessage({});
    await loaded;
    const option = [...document.querySelectorAll("#examples option")].find(({ textContent }) => textContent === example);
    const input = new Uint8Array(await (await fetch(option.value)).arrayBuffer());
    worker.postMessage({ input });
    const out = [];
    for (let version = 0; ; version += 1) {
      const graph = { folds: [], opened_blocks: [], pins: [], inline: false };
      const opened = answers("opened");
      worker.postMessage({ open: { revision: version, pipeline, version, shown: "ir", target: "", graph } });
      const { steps, text, pipeline_diagnostics: wrong } = await opened;
      if (wrong.length > 0) throw new Error(wrong[0].message);
      out.push([version === 0 ? "input" : steps[version - 1].pass, new TextDecoder().decode(text.text)]);
      if (version >= steps.length) break;
    }
    worker.terminate();
    return out;
  }, [example, pipeline]);
}

/** 46 programs, of which those from `WRONG` on multiply instead of adding. */
async function series(page) {
  const versions = await dumps(page, "particles.spvasm", ["ingest", ...Array(5).fill(PASSES)].join(", "));
  assert.ok(versions.length >= COUNT, String(versions.length));
  return versions.slice(0, COUNT).map(([name, text], at) => {
    const wrong = text.replaceAll(" = fmul ", " = fadd ");
    assert.notEqual(wrong, text);
    return [`${String(at)}-${name}.ir`, at < WRONG ? text : wrong];
  });
}

/** Drops files on the page. */
function drop(page, files) {
  return page.evaluate((files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, files);
}

const marks = (page) => page.locator("#steps button").evaluateAll((chips) => chips.slice(1).map((chip) => chip.dataset.check));

async function check(page) {
  await page.locator("#check").click();
  await page.locator("#check-summary", { hasText: /programs after the first/ }).waitFor();
}

test("46 dropped programs get a verdict each, and a link opened elsewhere reproduces the first wrong one", () => withPage(browser, async (page) => {
  await drop(page, (await series(page)).reverse());
  await page.locator("#title-several", { hasText: "46 files" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await picture(page, "compare-question");
  await page.locator("#several button[value=compare]").click();
  await page.locator("#name", { hasText: "46 programs" }).waitFor();
  await settled(page);
  await becomes(() => page.locator("#steps button").count(), COUNT, "a step for each program after the first");
  assert.match(await page.locator("#name").textContent(), /^0-input\.ir and 45 more/, "numbers in names are ordered by value");
  await page.locator("#tab-changes").click();
  await page.locator("#steps button").nth(WRONG).click();
  await page.locator("#rows", { hasText: "fadd" }).waitFor();
  await settled(page);
  const changed = await page.locator("#rows > div:is(.added, .gone, .changed, .moved)").count();
  assert.ok(changed >= 1 && changed <= 4, `dumps are aligned: ${changed} changed lines`);
  await check(page);
  const found = await marks(page);
  assert.equal(found.indexOf("differs"), WRONG - 1);
  assert.ok(found.slice(0, WRONG - 1).every((mark) => ["same", "unchanged"].includes(mark)), String(found));
  assert.match(await page.locator("#check-summary").textContent(), /^Program 30, 30-.*, differs from its predecessor|^Program 30, 30-.*, differs from/);
  assert.match(await page.locator("#difference-facts").textContent(), /0x[0-9a-f]{8} \(.*0x[0-9a-f]{8} \(/);
  assert.ok(await page.locator("#bisect").isHidden());
  await page.locator("#check-go").click();
  await page.locator("#check-verdict", { hasText: "The shown program, 30: differs" }).waitFor();
  for (const size of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    assert.ok(await overflow(page) <= 0, `${size.width}`);
    await picture(page, `compare-${size.width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(await axe(page), []);
  await page.locator("#difference-columns").click();
  await page.locator("#tab-columns[aria-pressed=true]").waitFor();
  await settled(page);
  await picture(page, "compare-columns");
  const link = await share(page);
  assert.match(link, /#1s[\w-]+[0-9a-z]{4}$/);
  assert.ok(link.length < 8000, `${link.length} characters`);
  await withPage(browser, async (other) => {
    await other.locator("#name", { hasText: "46 programs" }).waitFor();
    await other.locator("#check-summary", { hasText: /This link was made with Vitrine .* Check looks for: 30-/ }).waitFor();
    await check(other);
    await other.locator("#check-proof", { hasText: /^Reproduced \(/ }).waitFor();
    assert.deepEqual(await marks(other), found);
    await picture(other, "compare-reproduced");
    assert.deepEqual(await axe(other), []);
  }, { url: link });
}, options));

test("a log is recognized by its content, and a check can be stopped", () => withPage(browser, async (page) => {
  const versions = (await series(page)).slice(0, 4);
  const log = versions.map(([name, text]) => `; IR before pass ${name}\n${text}`).join("") + `; IR after last pass\n${versions[3][1]}`;
  await page.locator("#file").setInputFiles({ name: "log.txt", mimeType: "text/plain", buffer: Buffer.from(log) });
  await page.locator("#name", { hasText: "log.txt · 5 programs" }).waitFor();
  await settled(page);
  await check(page);
  assert.deepEqual((await marks(page)).filter((mark) => !["same", "unchanged"].includes(mark)), []);
  assert.ok(await page.locator("#difference").isHidden());
  await page.locator("#check-runs").evaluate((field) => (field.value = "4096"));
  await page.locator("#check-again").click();
  await page.locator("#check-stop").click();
  await page.locator("#check-summary", { hasText: "Stopped after" }).waitFor();
  await page.locator("#tab-ir").click();
  await settled(page);
  assert.ok((await printed(page)).length > 10);
}));

test("the question is answered by keys, and Cancel opens nothing", () => withPage(browser, async (page) => {
  const before = await page.locator("#name").textContent();
  const files = [["a.ir", "func @0() graph {\n^0:\n  return\n}\n"], ["b.ir", "func @0() graph {\n^0:\n  return\n}\n"]];
  await drop(page, files);
  await page.locator("#several[open]").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.value), "compare");
  await page.keyboard.press("Escape");
  await page.locator("#several:not([open])").waitFor({ state: "attached" });
  await becomes(() => page.locator("#name").textContent(), before);
  await drop(page, files);
  await page.locator("#several[open]").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#name", { hasText: "2 programs" }).waitFor();
  await ready(page);
}));

test("an archive that cannot be read is reported", () => withPage(browser, async (page) => {
  await page.locator("#file").setInputFiles({ name: "a.zip", mimeType: "application/zip", buffer: Buffer.from("PK\x03\x04damaged") });
  await page.locator("#notice", { hasText: "A.zip: the archive is damaged" }).waitFor();
}));

test("an expectation that no longer holds is reported", () => withPage(browser, async (page) => {
  await drop(page, (await series(page)).slice(28, 32));
  await page.locator("#several button[value=compare]").click();
  await page.locator("#name", { hasText: "4 programs" }).waitFor();
  await settled(page);
  await check(page);
  const link = await share(page);
  await withPage(browser, async (other) => {
    await other.locator("#check-summary", { hasText: "Check looks for" }).waitFor();
    // Other inputs: the finding is another one.
    await other.locator("#check-seed").evaluate((field) => (field.value = "77"));
    await check(other);
    await other.locator("#check-proof.bad", { hasText: /^A different failure/ }).waitFor();
  }, { url: link });
}, options));

test("a link is offered as address, Markdown, frame, command line and QR code, with its length", () => withPage(browser, async (page) => {
  await pick(page, "particles.spvasm");
  await page.locator("#save").selectOption({ label: "Link as Markdown, QR code…" });
  await page.locator("#forms[open]").waitFor();
  const values = await page.locator("#forms input").evaluateAll((fields) => fields.map((field) => field.value));
  assert.equal(values.length, 4);
  assert.match(values[0], /#1m[\w-]+$/);
  assert.ok(values[1].startsWith("[particles.spvasm](") && values[1].endsWith(`${values[0]})`), values[1]);
  assert.match(values[2], /^<iframe src="[^"]+" title="particles\.spvasm"/);
  assert.equal(values[3], `vitrine open '${values[0]}'`);
  assert.match(await page.locator("#forms .fits").first().textContent(), /^\d+ characters: fits anywhere$/);
  await becomes(() => page.locator("#forms svg[role=img] path").count(), 1);
  await page.locator("#forms button", { hasText: "Copy" }).nth(1).click();
  await page.locator("#forms .fits", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), values[1]);
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    assert.ok(await overflow(page) <= 0, `${size.width}`);
    await picture(page, `forms-${size.width}`);
  }
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await page.locator("#forms:not([open])").waitFor({ state: "attached" });
}, options));

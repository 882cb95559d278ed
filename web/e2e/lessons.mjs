// Lessons for the browser tests: their sources, their pages, and the editor of their programs.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { URL_ROOT, becomes, paste } from "./harness.mjs";

const SOURCES = new URL("../../www/learn/", import.meta.url);
export const SLUGS = readdirSync(SOURCES).filter((name) => existsSync(new URL(`${name}/lesson.md`, SOURCES)));

/** A file of a lesson, beside it or inside of it. */
export function source(slug, name) {
  const lesson = readFileSync(new URL(`${slug}/lesson.md`, SOURCES), "utf8");
  if (name === "lesson.md") return lesson;
  const [, , inside] = lesson.split(new RegExp(`(^|\\n):::file ${name.replace(".", "\\.")}\\n`));
  return inside === undefined ? readFileSync(new URL(`${slug}/${name}`, SOURCES), "utf8") : inside.split("\n:::")[0];
}

/** A new page of the course; fails on any console line. */
export async function course(browser, path, body, { root = URL_ROOT, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const noise = [];
  try {
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on("console", (line) => noise.push(`console ${line.type()}: ${line.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("response", (response) => response.status() >= 400 && noise.push(`${response.status()}: ${response.url()}`));
    page.on("request", (request) => request.url().startsWith(root) || noise.push(`elsewhere: ${request.url()}`));
    await page.goto(`${root}learn/${path}`);
    await body(page);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
}

/** The tasks of a lesson: id, and an answer that the judge accepts. */
export function tasks(slug) {
  const blocks = [...source(slug, "lesson.md").matchAll(/^:::task id=(\S+) .*file=(\S+)$/gm)];
  return blocks.map(([, id, file]) => {
    const text = source(slug, file);
    const [, solution] = /^solution: (.*)$/m.exec(text) ?? [];
    return { id, answer: solution ? source(slug, solution) : /^answer: (.*)$/m.exec(text)[1] };
  });
}

/** Replaces the text of a program as a reader would: touching its text area loads the editor. */
export async function write(root, text) {
  if (!await root.locator(".editor").count()) await root.locator("textarea").first().focus();
  const editor = root.locator(".editor .cm-content");
  await editor.waitFor();
  await editor.focus();
  await editor.press("ControlOrMeta+a");
  await paste(editor, text);
  await becomes(() => root.locator("textarea").first().inputValue(), text);
}

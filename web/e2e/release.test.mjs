// Releases: the page offers to open a link in the release that made it if this site has it, and reports if not.
//
// The older release is the built site with another version in its programs, behind a server that adds it at `v/0.0.9/`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import test from "node:test";
import { URL_ROOT, becomes, cached, pick, ready, startBrowser, value, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const HERE = /\nversion = "([\d.]+)"/.exec(readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8"))[1];
const OLD = "0.0.9";
/** A link that release 0.0.9 made, and its program: core/tests/it/links.rs has the same. */
const LINK = "1mERDUJWaTHoMe4FymEzUyvrxoP9emRG9seil8OY6OcK2MEtfQRent6CWGP_TvEVw4NFOrtVR6ocxl8-eNZjX82XOJrqnDgkb7";
const PROGRAM = "func @0() -> b32 graph {\n^0:\n  %0: b32 = const 7\n  return %0\n}\n";

/** Serves the built site with an older release; `releases` are those of the list, or undefined without a list. */
async function withSite(releases, body) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, URL_ROOT);
    if (pathname === "/v/index.json" && releases) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ newest: releases.at(-1), releases }));
    }
    const inside = pathname.replace(`/v/${OLD}/`, "/").slice(1);
    const answer = await fetch(new URL(inside, URL_ROOT));
    let bytes = Buffer.from(await answer.arrayBuffer());
    if (pathname.startsWith(`/v/${OLD}/`) && pathname.endsWith(".wasm")) {
      // The same length: nothing else of the module changes.
      assert.equal(HERE.length, OLD.length);
      bytes = Buffer.from(bytes.toString("latin1").replaceAll(HERE, OLD), "latin1");
    }
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    return response.end(bytes);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    await body(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a link of another release is offered to it, and opens in both", () => withSite([OLD, HERE], async (url) => {
  await withPage(browser, async (page) => {
    assert.equal(await value(page), PROGRAM);
    const offer = page.locator("#release a", { hasText: `Open in ${OLD}, which made this link` });
    await offer.waitFor();
    assert.match(await page.locator("#release").textContent(), new RegExp(`This is Vitrine ${HERE}\\.`));
    const [older] = await Promise.all([page.waitForEvent("popup"), offer.click()]);
    await ready(older);
    assert.equal(older.url(), `${url}v/${OLD}/#${LINK}`);
    assert.equal(await value(older), PROGRAM);
    await becomes(() => older.locator("#release").count(), 0, "the release that made it offers nothing");
    // The older release makes the same link again: it names that release.
    await older.evaluate(() => history.replaceState(null, "", location.pathname));
    await older.locator("#share").click();
    await older.waitForFunction(() => location.hash.length > 1);
    assert.equal(older.url(), `${url}v/${OLD}/#${LINK}`);
    await older.close();
    await pick(page, "switch.ir");
    await page.locator("#release").waitFor({ state: "detached" });
  }, { url: `${url}#${LINK}` });
}));

test("a link of the newest release is offered to it by an older one", () => withSite([OLD, HERE], async (url) => {
  let link;
  await withPage(browser, async (page) => {
    await page.locator("#share").click();
    await page.waitForURL(/#1m/);
    link = page.url().split("#")[1];
  }, { url });
  await withPage(browser, async (older) => {
    const offer = older.locator("#release a", { hasText: `Open in ${HERE}` });
    await offer.waitFor();
    await becomes(() => offer.getAttribute("href"), `${url}v/${HERE}/#${link}`);
    await older.getByRole("button", { name: "Close the notice about the release" }).click();
    await older.locator("#release").waitFor({ state: "detached" });
    // The list is in the folder of all releases.
  }, { url: `${url}v/${OLD}/#${link}`, expected: /^request elsewhere: \S+\/v\/index\.json$/ });
}));

for (const [name, releases, expected] of [["is not listed", [HERE], /^$/], ["without a list", undefined, /404/]]) {
  test(`a release that this site does not have is named: ${name}`, () => withSite(releases, (url) => withPage(browser, async (page) => {
    await page.locator("#release", { hasText: `made with Vitrine ${OLD}, which this site does not have. It is open in ${HERE}` }).waitFor();
    await becomes(() => page.locator("#release a").count(), 0);
    assert.equal(await value(page), PROGRAM);
  }, { url: `${url}#${LINK}`, expected })));
}

test("without a network the newest release does not answer for another one", () => withSite([OLD, HERE], (url) => withPage(browser, async (page) => {
  await cached(page);
  await page.context().setOffline(true);
  await page.reload();
  await ready(page);
  await assert.rejects(page.goto(`${url}v/${OLD}/`), /ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(false);
}, { url, serviceWorkers: "allow", expected: /ERR_INTERNET_DISCONNECTED|^failed: / })));

// Without a network the page loads from its cache, at the root and below a path; a new version is announced.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { URL_BELOW, URL_ROOT, cached, pick, printed, ready, settled, startBrowser, withPage } from "./harness.mjs";

let browser;
test.before(async () => (browser = await startBrowser()));
test.after(() => browser?.close());

const options = { serviceWorkers: "allow", expected: /ERR_INTERNET_DISCONNECTED|^failed: / };

for (const [name, url] of [["at the root", URL_ROOT], ["below a path", URL_BELOW]]) {
  test(`${name} the page loads again without a network`, () => withPage(browser, async (page) => {
    await cached(page);
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    assert.ok((await printed(page)).length > 0);
    await pick(page, "switch.ir");
    await page.locator("#list").click();
    await page.locator("#passes-found li button").first().waitFor();
    const names = await page.evaluate(() => caches.keys());
    assert.equal(names.filter((each) => each.startsWith("vitrine-")).length, 1);
    await page.context().setOffline(false);
  }, { url, ...options }));
}

test("GLSL and WGSL are translated without a network after the first visit", () => withPage(browser, async (page) => {
  await cached(page);
  await page.context().setOffline(true);
  await page.reload();
  await ready(page);
  for (const name of ["toon.frag", "sort.wgsl"]) {
    await pick(page, name);
    await settled(page);
    await page.locator("#tally", { hasNotText: /error/ }).waitFor();
    await page.locator("#source-options [data-key=target]").waitFor();
    assert.ok((await printed(page)).some((line) => line.includes("func")), name);
  }
  await page.locator("#gallery-open").click();
  await page.waitForFunction(() => {
    const [first] = document.querySelectorAll("#gallery img");
    return first?.complete && first.naturalWidth > 0;
  });
  await page.context().setOffline(false);
}, options));

test("a new version is announced, takes over on request, and deletes the old cache", async () => {
  // The site behind a server that can deliver a newer service worker.
  let version = "";
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url.slice(1), URL_ROOT));
    const body = Buffer.from(await answer.arrayBuffer());
    const isServiceWorker = request.url.endsWith("/sw.js");
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(isServiceWorker ? body.toString().replace(/"vitrine-([0-9a-f]+)"/, `"vitrine-$1${version}"`) : body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/`;
  try {
    await withPage(browser, async (page) => {
      await cached(page);
      const [before] = await page.evaluate(() => caches.keys());
      version = "abc";
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
      await page.locator("#notice", { hasText: "A new version is available" }).waitFor();
      await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
      await ready(page);
      await cached(page);
      assert.deepEqual(await page.evaluate(() => caches.keys()), [`${before}abc`]);
    }, { url, ...options });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

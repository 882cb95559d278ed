// Keeps the page at hand without a network. Only files of this site, all of them listed below by `cargo xtask dist`.
//
// Names carry their content, so what is kept is right for ever; only pages keep their names: they are asked
// for first, and the kept one is shown where there is no answer. A new version waits until the person lets it take
// over: what an open page may still ask for stays until then.

const NAME = "vitrine-{{version}}";
const FILES = ["{{files}}"];
const PAGE = new URL("./", self.location).href;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll([PAGE, ...FILES])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("vitrine-") && name !== NAME);
    // Another copy of the site may live below another path of the same address: what is kept for it stays.
    const ours = await Promise.all(old.map(async (name) => (await (await caches.open(name)).match(PAGE)) && name));
    await Promise.all(ours.filter(Boolean).map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("message", ({ data }) => {
  if (data === "take over") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(PAGE)) return;
  const isPage = request.mode === "navigate";
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    const page = isPage ? await cache.match(PAGE, { ignoreVary: true }) : undefined;
    const kept = await cache.match(request, { ignoreVary: true, ignoreSearch: isPage }) ?? page;
    if (kept && !isPage) return kept;
    return fetch(request).catch((error) => {
      if (kept) return kept;
      throw error;
    });
  })());
});

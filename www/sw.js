// The service worker: the page works without a network. It caches files of this site only; `cargo xtask dist` lists them.
//
// A file name contains a hash of its content, so a cached file is always current. Pages have fixed names: they come from
// the network, and from the cache if there is no answer. A new version waits until the user accepts it, because an
// open page may still request files of its own version. Releases in `v/` have their own service workers: this one would
// answer for them with another release.

const NAME = "vitrine-{{version}}";
const FILES = ["{{files}}"];
// Large files that few visitors need: they are cached when they were used.
const LATER = ["{{later}}"];
const PAGE = new URL("./", self.location).href;
const RELEASES = `${PAGE}v/`;
// The reference has a thousand pages, which are not cached; the page is no answer for them.
const REFERENCE = `${PAGE}ref/`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll([PAGE, ...FILES])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("vitrine-") && name !== NAME);
    // A file of an older version with the same name has the same content.
    const cache = await caches.open(NAME);
    for (const file of LATER) {
      const found = await Promise.all(old.map(async (name) => (await caches.open(name)).match(file, { ignoreVary: true })));
      const kept = found.find(Boolean);
      if (kept) await cache.put(file, kept);
    }
    // Another copy of the site may be served under another path of this origin: its cache is kept.
    const ours = await Promise.all(old.map(async (name) => (await (await caches.open(name)).match(PAGE)) && name));
    await Promise.all(ours.filter(Boolean).map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

async function keepLater() {
  const cache = await caches.open(NAME);
  const isKept = await Promise.all(LATER.map((file) => cache.match(file, { ignoreVary: true })));
  await cache.addAll(LATER.filter((_, at) => !isKept[at]));
}

self.addEventListener("message", (event) => {
  const { data } = event;
  if (data === "take over") self.skipWaiting();
  // A page has used them, perhaps before this service worker answered its requests.
  if (data === "keep slang") event.waitUntil(keepLater());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(PAGE) || request.url.startsWith(RELEASES)) return;
  const isPage = request.mode === "navigate";
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    const page = isPage && !request.url.startsWith(REFERENCE) ? await cache.match(PAGE, { ignoreVary: true }) : undefined;
    const kept = await cache.match(request, { ignoreVary: true, ignoreSearch: isPage }) ?? page;
    if (kept && !isPage) return kept;
    return fetch(request).catch((error) => {
      if (kept) return kept;
      throw error;
    });
  })());
});

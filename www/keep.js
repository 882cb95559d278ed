// Keeps inputs and their views in the browser for the next visit. The page's side is web/src/keep.rs, which decides what is
// kept; www/recent.js lists it. Nothing is sent anywhere.
//
// IndexedDB has four stores: `sessions` (the open inputs of a window), `entries` (an input's name, size, view), `bytes` (its
// content), `pins` (entries that the user keeps). Where IndexedDB fails, as in some private windows, sessionStorage holds
// the same, so that a reload and a visit to another page lose nothing. A page that is left cannot wait for IndexedDB: what is
// not stored yet is also written to sessionStorage, and the next page of the window continues with it.
// Limits: without IndexedDB, 1 MB of each input; without locks (a page that is not secure), two windows share a session.

const FLAG = "vitrine-session";
const COPY = "vitrine-kept";
const REST = "vitrine-rest";
const STORES = ["sessions", "entries", "bytes", "pins"];
// The number of recent inputs that are kept, and of sessions of closed windows.
export const MOST = 100;
const MOST_SESSIONS = 8;
const MOST_COPIED = 1 << 20;
// A browser may answer late, for example on a slow disk, or never, while another window blocks an upgrade. Until it answers,
// the page works as if IndexedDB failed.
const PATIENCE_MS = 4000;

// A view in another page, `?embed`, keeps nothing, and shows nothing that the site keeps.
const isEmbedded = document.documentElement.dataset.embed !== undefined;
const area = storage("sessionStorage");
const local = storage("localStorage");
// Values that are not stored yet, or cannot be, by store and key.
const held = Object.fromEntries(STORES.map((store) => [store, new Map()]));
let session;
let release;
let refused = false;
let flushing;
let leaving = false;

function storage(name) {
  try {
    return isEmbedded ? undefined : self[name];
  } catch {
    return undefined;
  }
}

function opened() {
  return new Promise((resolve, reject) => {
    if (isEmbedded) throw new Error("an embedded view keeps nothing");
    const request = indexedDB.open("vitrine", 1);
    request.onupgradeneeded = () => STORES.forEach((store) => request.result.createObjectStore(store));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      // Another version of the page needs another form of the data.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
  });
}

const opening = Promise.resolve().then(opened).then(takeRest);
const late = new Promise((_, reject) => { setTimeout(reject, PATIENCE_MS, new Error("no answer")); });

// The database, or undefined: then `held` has everything, and sessionStorage a copy.
let base = Promise.race([opening, late]).catch(() => {
  unpack(COPY);
  return undefined;
});

// Continues with what the page before this one could not store, unless another window has continued its session since.
async function takeRest(found) {
  for (const rest of [unpacked(REST), unpacked(COPY)]) {
    const isNewest = async ([key, { time }]) => {
      const stored = await answer(found.transaction("sessions").objectStore("sessions").get(key));
      return !(stored?.time > time);
    };
    const newest = await Promise.all((rest.sessions ?? []).map(isNewest));
    if (newest.every(Boolean)) hold(rest);
  }
  return found;
}

const answer = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function read(store, key) {
  const db = await base;
  return !db || held[store].has(key) ? held[store].get(key) : answer(db.transaction(store).objectStore(store).get(key));
}

async function all(store) {
  const db = await base;
  const rows = new Map();
  if (db) {
    const from = db.transaction(store).objectStore(store);
    const [keys, values] = await Promise.all([answer(from.getAllKeys()), answer(from.getAll())]);
    keys.forEach((key, at) => rows.set(key, values[at]));
  }
  for (const [key, value] of held[store]) rows.set(key, value);
  for (const [key, value] of rows) if (value === undefined) rows.delete(key);
  return rows;
}

// Stores a value with the next batch; undefined deletes.
function write(store, key, value) {
  held[store].set(key, value);
  flushing ??= Promise.resolve().then(flush);
  return flushing;
}

let db;
opening.then((found) => {
  db = found;
  base = opening;
  // What the page before could not store, and everything if the answer is late.
  return flush();
}, () => {});

// All waiting values in one transaction. Synchronous if the database is open: a page that is being closed waits for nothing.
function flush() {
  flushing = undefined;
  return db ? commit() : base.then((found) => (found ? commit() : copy()));
}

function commit() {
  const batch = STORES.flatMap((store) => [...held[store]].map(([key, value]) => ({ store, key, value })));
  if (batch.length === 0) return Promise.resolve();
  const change = db.transaction(STORES, "readwrite", { durability: "relaxed" });
  for (const { store, key, value } of batch) {
    if (value === undefined) change.objectStore(store).delete(key);
    else change.objectStore(store).put(value, key);
  }
  change.commit?.();
  if (leaving) keepRest();
  return new Promise((resolve) => {
    change.oncomplete = () => {
      for (const { store, key, value } of batch) if (held[store].get(key) === value) held[store].delete(key);
      area?.removeItem(REST);
      area?.removeItem(COPY);
      resolve();
    };
    change.onabort = () => {
      fail(change.error);
      resolve();
    };
  });
}

// A copy of this window's session and of its inputs in sessionStorage.
function copy() {
  try {
    pack(COPY);
    if ([...held.bytes.values()].some((value) => value && !isSmall(value))) fail();
  } catch (error) {
    fail(error);
  }
}

const isSmall = (value) => !(value instanceof Uint8Array) || value.length <= MOST_COPIED;

function keepRest() {
  try {
    pack(REST);
  } catch {
    // Too large: IndexedDB has it if the browser finishes the transaction.
  }
}

// Writes all waiting values to sessionStorage, under a name.
function pack(name) {
  const rows = (store) => [...held[store]].filter(([, value]) => value !== undefined && isSmall(value));
  const stores = STORES.map((store) => [store, rows(store).map(([key, value]) => [key, freeze(value)])]);
  area.setItem(name, JSON.stringify(Object.fromEntries(stores)));
}

const unpack = (name) => hold(unpacked(name));

// The rows by store that were packed under a name.
function unpacked(name) {
  try {
    const packed = Object.entries(JSON.parse(area.getItem(name) ?? "{}"));
    return Object.fromEntries(packed.map(([store, rows]) => [store, rows.map(([key, value]) => [key, thaw(value)])]));
  } catch {
    // Damaged, or no storage at all.
    return {};
  }
}

// Takes rows that are not stored yet; this page's own values are newer.
function hold(rows) {
  for (const store of STORES) {
    for (const [key, value] of rows[store] ?? []) if (!held[store].has(key)) held[store].set(key, value);
  }
}

// Bytes as a string and back: characters are bytes.
function freeze(value) {
  if (value instanceof Uint8Array) return { bytes: Array.from(value, (byte) => String.fromCharCode(byte)).join("") };
  if (value?.frame) return { ...value, frame: freeze(value.frame) };
  return value?.kept ? { ...value, kept: freeze(value.kept) } : value;
}

function thaw(value) {
  if (typeof value?.bytes === "string") return Uint8Array.from(value.bytes, (char) => char.charCodeAt(0));
  if (value?.kept) return { ...value, kept: thaw(value.kept) };
  return value?.frame ? { ...value, frame: thaw(value.frame) } : value;
}

// One notice for each page: everything stays open, but does not survive closing.
function fail(error) {
  if (refused || isEmbedded) return;
  refused = true;
  const full = error?.name === "QuotaExceededError";
  dispatchEvent(new CustomEvent("vitrine-refused", {
    detail: full ? "The browser's storage is full" : "The browser does not store this input",
  }));
}

// One window for each session: another window begins with the example.
function lock(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks.request(`vitrine-${id}`, { ifAvailable: true }, (taken) => {
      resolve(taken !== null);
      return taken && new Promise((done) => { release = done; });
    }).catch(() => resolve(true));
  });
}

addEventListener("pagehide", () => {
  leaving = true;
  release?.();
});
addEventListener("pageshow", async ({ persisted }) => {
  leaving = false;
  // Another window has continued this session meanwhile.
  if (persisted && session && !await lock(session)) location.reload();
});

const fresh = () => Date.now() * 1000 + Math.trunc(Math.random() * 1000);

// The session of the last visit, if no window has it: its frame, its entries in order, the bytes of the current one.
async function last() {
  const id = Number(area?.getItem(FLAG) ?? local?.getItem(FLAG));
  if (id && await lock(id)) {
    session = id;
    const found = await read("sessions", id);
    if (found) {
      const entries = await Promise.all(found.ids.map((each) => read("entries", each)));
      const bytes = await read("bytes", found.ids[found.current]);
      entries.forEach(remember);
      if (entries.every(Boolean) && bytes) return { frame: found.frame, entries: entries.map(({ kept }) => kept), bytes };
    }
  }
  session = fresh();
  await lock(session);
  return undefined;
}

// The editor's own state by entry: history, selection, scroll position.
const editors = new Map();
function remember(entry) {
  if (entry?.editor) editors.set(entry.id, entry.editor);
}

self.kept = {
  editors,
  // Begins before the page's program runs.
  first: last().catch(() => undefined),
  seed: fresh(),
  // Another form of the data: what is stored stays for the version of the page that reads it.
  startOver() {
    session = fresh();
    lock(session);
  },
  saveSession(frame, ids, current) {
    for (const place of [area, local]) {
      try {
        place.setItem(FLAG, session);
      } catch {
        // Without the flag the next visit shows the example first.
      }
    }
    tidy();
    write("sessions", session, { frame, ids: [...ids], current, time: Date.now() });
  },
  saveEntry(id, name, size, errors, listed, picture, kept, bytes) {
    const editor = self.editorState?.(id) ?? editors.get(id);
    const entry = { id, name, size, errors, listed, picture, kept, editor, time: Date.now() };
    remember(entry);
    if (bytes) write("bytes", id, bytes);
    write("entries", id, entry);
  },
  async load(id) {
    const [entry, bytes] = await Promise.all([read("entries", id), read("bytes", id)]);
    remember(entry);
    return { kept: entry?.kept, bytes };
  },
  // For the list of recent inputs, newest first.
  async list() {
    const [entries, pins] = await Promise.all([all("entries"), all("pins")]);
    const listed = [...entries.values()].filter((entry) => entry.listed && entry.size > 0);
    return listed.map((entry) => ({ ...entry, pinned: pins.has(entry.id) })).sort((a, b) => b.pinned - a.pinned || b.time - a.time);
  },
  pin: (id, pinned) => write("pins", id, pinned || undefined),
  remove(id) {
    write("pins", id, undefined);
    write("bytes", id, undefined);
    return write("entries", id, undefined);
  },
};

// Deletes the oldest entries and sessions over the limits, once for each page.
let tidied = false;
async function tidy() {
  if (tidied) return;
  tidied = true;
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const sessions = [...await all("sessions")].sort(([, a], [, b]) => b.time - a.time);
  for (const [id] of sessions.slice(MOST_SESSIONS)) write("sessions", id, undefined);
  const open = new Set(sessions.slice(0, MOST_SESSIONS).flatMap(([, { ids }]) => ids));
  const [entries, pins] = await Promise.all([all("entries"), all("pins")]);
  const closed = [...entries.values()].filter(({ id }) => !open.has(id) && !pins.has(id)).sort((a, b) => b.time - a.time);
  closed.filter(({ listed }, at) => at >= MOST || !listed).forEach(({ id }) => self.kept.remove(id));
}

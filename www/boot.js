// Starts the page, and the service worker for use without a network. Agrees with web/src/view/status.rs.
import "./keep.js";
import init, * as page from "./page.js";
// The compiler loads at the same time as the page's program: web/src/worker takes this worker over. If this one
// fails, it starts another one and reports that one's error.
const first = new Worker(document.body.dataset.worker, { type: "module", name: "compiler" });
first.onerror = (event) => { event.preventDefault(); self.firstWorker = undefined; };
first.postMessage({ ahead: true });
self.firstWorker = first;
// Styles of what is hidden at first; before the other sheet, whose rules for print and small screens come last.
document.head.prepend(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "later.css" }));
// Called by web/src/view/editor.rs when there is something to edit. Its script runs in one task, and each step of its
// preparation in another one.
self.loadEditor = async () => {
  const pause = () => new Promise((done) => setTimeout(done));
  try {
    const { connect, create, prepare } = await import("./editor.js");
    connect(page);
    await pause();
    for (const _ of prepare(document.getElementById("input"))) await pause();
    setTimeout(page.arrived, 0, create);
  } catch (error) {
    // The text area remains.
    console.warn(error);
    page.arrived();
  }
};
// Called by web/src/view/tabs.rs.
self.showRecent = () => import("./recent.js").then(({ show }) => show(), () => {});
// Edits of the text area before the editor has loaded, for the editor's history.
self.typedBefore = [];
const started = self.prerendered.catch(() => {}).then(() => init());

// A module that is loaded when it is first needed; it calls functions of the page's program. Without a network nothing happens.
const then = (module, act = () => {}) => Promise.all([module, started]).then(([loaded]) => act(loaded), () => {});
// The command palette. Its key also works in the editor, before the editor's own keys.
const openPalette = () => then(import("./palette.js"), ({ toggle }) => toggle());
document.getElementById("commands").addEventListener("click", openPalette);
// The search in texts, likewise. The editor and the graph have their own; elsewhere the key is the browser's.
const openSearch = () => then(import("./find.js"), ({ open }) => open());
document.getElementById("text-find-open").addEventListener("click", openSearch);
const searchesText = ({ activeElement, body }) =>
  activeElement?.closest("#pane-output") || (activeElement === body && document.getElementById("output").checkVisibility());
addEventListener("keydown", (event) => {
  // On a Mac, Ctrl K and Ctrl F edit text.
  const isHeld = /Mac|iP/.test(navigator.platform) ? event.metaKey : event.ctrlKey;
  if (!isHeld || event.altKey || event.shiftKey) return;
  const key = event.key.toLowerCase();
  if (key === "k") openPalette();
  else if (key === "f" && document.body.dataset.tab !== "memory" && searchesText(document)) openSearch();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);

// The question how several files are opened, for web/src/view/open.rs.
self.askSeveral = (names) => then(import("./several.js"), ({ ask }) => ask(names));

// The release that made a link, for web/src/releases.rs.
self.offerRelease = (...link) => then(import("./release.js"), ({ offer }) => offer(...link));

// The forms of a link: an entry of the export menu. web/src/view/formats.rs resets the menu.
document.getElementById("save").addEventListener("change", ({ target }) => {
  if (target.value === "link") then(import("./forms.js"), ({ show }) => show());
}, true);

// The list of what a target cannot express, in place of its text, for web/src/refusals.rs.
self.showRefusals = (...refusals) => then(import("./refusals.js"), ({ show }) => show(...refusals));

// The report of a check.
document.getElementById("report").addEventListener("click", () => then(import("./report.js"), ({ show }) => show()));

// The marks of an overlay, for web/src/overlays.rs.
self.showOverlay = (...overlay) => then(import("./overlay.js"), ({ show }) => show(...overlay));

// The forms of a run, loaded when a run is first shown.
const run = document.getElementById("debugger");
new MutationObserver((_, observer) => {
  observer.disconnect();
  then(import("./inputs.js"));
  then(import("./gpu.js"));
}).observe(run, { attributeFilter: ["hidden"] });

// Breakpoints and watch expressions, for web/src/inputs.rs.
self.showStops = (...stops) => then(import("./stops.js"), ({ show }) => show(...stops));

// Has the service worker keep the files of Slang, for web/src/worker/sources.rs.
self.keepSlang = () => { navigator.serviceWorker?.ready.then(({ active }) => active.postMessage("keep slang")); };

// The gallery of examples.
document.getElementById("gallery-open").addEventListener("click", () => then(import("./gallery.js"), ({ show }) => show()));

// The options of a source, for web/src/view/source_options.rs.
self.showOptions = (options) => then(import("./options.js"), ({ show }) => show(options));

// A view in another page.
if (document.documentElement.dataset.embed !== undefined) then(import("./embed.js"));

// Hover cards, loaded with the first movement of the pointer over a view, or the first key; they get the events they missed in order.
const missed = [];
const loadCards = (event) => missed.push(event) === 1 && then(import("./card.js"), ({ begin }) => missed.forEach(begin));
for (const name of ["pointerover", "pointerdown"]) document.querySelector("main").addEventListener(name, loadCards, { once: true });
addEventListener("keydown", loadCards, { once: true });

async function registerServiceWorker() {
  const registration = await navigator.serviceWorker.register(document.body.dataset.serviceWorker);
  // The first service worker replaces none.
  const wait = () => navigator.serviceWorker.controller && dispatchEvent(new Event("vitrine-newer"));
  if (registration.waiting) wait();
  registration.addEventListener("updatefound", () => {
    const next = registration.installing;
    next?.addEventListener("statechange", () => next.state === "installed" && wait());
  });
  addEventListener("vitrine-reload", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    registration.waiting?.postMessage("take over");
  });
}

// After everything the user waits for. A page from an insecure origin has no service workers.
if (navigator.serviceWorker) addEventListener("load", () => setTimeout(() => registerServiceWorker().catch(() => {}), 3000));

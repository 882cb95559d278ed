// Starts the page, and the service worker for use without a network. Agrees with web/src/view/status.rs.
import init, { arrived } from "./page.js";
// The compiler loads at the same time as the page's program: web/src/worker takes this worker over. If this one
// fails, it starts another one and reports that one's error.
const first = new Worker(document.body.dataset.worker, { type: "module", name: "compiler" });
first.onerror = (event) => { event.preventDefault(); self.firstWorker = undefined; };
first.postMessage({ ahead: true });
self.firstWorker = first;
// Called by web/src/view/editor.rs when there is something to edit. Creating the editor is a separate task, because
// running its script takes as long.
self.loadEditor = () => import("./editor.js").then(
  ({ create }) => setTimeout(arrived, 0, create),
  () => arrived(),
);
// Edits of the text area before the editor has loaded, for the editor's history.
self.typedBefore = [];
init();

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

// Starts the page, and what keeps it at hand without a network. Kept in step with web/src/view/status.rs.
import init, { arrived } from "./page.js";
// The compiler loads beside the page's program and not after it: web/src/worker.rs takes this worker over, and starts
// another one, whose error it reports, if this one failed.
const first = new Worker(document.body.dataset.worker, { type: "module", name: "compiler" });
first.onerror = (event) => { event.preventDefault(); self.firstWorker = undefined; };
first.postMessage({ ahead: true });
self.firstWorker = first;
// Called by web/src/view/editor.rs when there is something to edit. Another task begins once the editor is there,
// because taking it in is as long as making one.
self.loadEditor = () => import("./editor.js").then(
  ({ create }) => setTimeout(arrived, 0, create),
  () => arrived(),
);
// Edits of the text area until then, for the editor's history.
self.typedBefore = [];
init();

async function keep() {
  const kept = await navigator.serviceWorker.register(document.body.dataset.keeper);
  // The first one has nothing to take over from.
  const wait = () => navigator.serviceWorker.controller && dispatchEvent(new Event("vitrine-newer"));
  if (kept.waiting) wait();
  kept.addEventListener("updatefound", () => {
    const next = kept.installing;
    next?.addEventListener("statechange", () => next.state === "installed" && wait());
  });
  addEventListener("vitrine-reload", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    kept.waiting?.postMessage("take over");
  });
}

// After everything the person waits for. A page that is not served safely has no such thing, and needs none.
if (navigator.serviceWorker) addEventListener("load", () => setTimeout(() => keep().catch(() => {}), 3000));

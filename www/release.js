// A link of another release: the page offers to open it in the release that made it, or reports that this site does not have it.
// Loaded with the first such link; web/src/releases.rs calls it. The list is also read by the worker of a report.
//
// `cargo xtask release` lists the releases of a site in `v/index.json`. Only the site of this page is asked. Refuses to leave
// this release by itself: the user decides, and both releases are named.

/** The longest name of a release that is shown: it comes from the link. */
const MOST_NAME = 40;

let bar;

/** The folder of the releases: below the page, or around it if the page is one of them. Scripts are in the folder of the page. */
export function folder(here) {
  const page = new URL("./", location.href);
  return new URL(page.pathname.endsWith(`/v/${here}/`) ? "../" : "v/", page);
}

/** The names of the releases; undefined if the list cannot be loaded. */
export async function releases(here) {
  try {
    const response = await fetch(new URL("index.json", folder(here)), { cache: "no-cache" });
    const { releases: names } = response.ok ? await response.json() : {};
    return Array.isArray(names) ? names : [];
  } catch {
    return undefined;
  }
}

function show(...content) {
  if (!bar) {
    bar = document.createElement("div");
    bar.id = "release";
    bar.setAttribute("role", "status");
    document.querySelector("footer").before(bar);
  }
  const close = Object.assign(document.createElement("button"), { className: "square", textContent: "✕", title: "Close" });
  close.setAttribute("aria-label", "Close the notice about the release");
  close.addEventListener("click", hide);
  bar.replaceChildren(...content, close);
}

function hide() {
  bar?.remove();
  bar = undefined;
}

/** Shows the offer for a link that was made by one release and is open in another; hides it if there is no such link. */
export async function offer(madeBy, here, link) {
  if (!madeBy) return hide();
  const name = madeBy.slice(0, MOST_NAME);
  show(`This link was made with Vitrine ${name}. Looking for that release…`);
  const offered = bar;
  const names = await releases(here);
  // Another input was opened in the meantime.
  if (bar !== offered) return;
  if (!names) return show(`This link was made with Vitrine ${name} and is open in ${here}: the list of releases cannot be loaded.`);
  if (!names.includes(madeBy)) return show(`This link was made with Vitrine ${name}, which this site does not have. It is open in ${here}.`);
  const address = new URL(`${madeBy}/`, folder(here));
  address.hash = link;
  const open = Object.assign(document.createElement("a"), { href: address, target: "_blank", rel: "noopener" });
  open.textContent = `Open in ${name}, which made this link`;
  show(`This is Vitrine ${here}.`, open);
}

// A view of the page inside another page: `?embed`. Loaded by www/boot.js; www/theme.js reads the options before the first
// paint, style/embed.css shows the view. www/embed.html documents the options.
//
// It adds a link that opens the same state in the whole page, and reports its height to the page around it:
// `{ type: "vitrine-height", height }`, in px. Refuses to read anything of that page, and messages from it.

const MOST_HEIGHT = 1200;
const LEAST_HEIGHT = 160;

const options = new URLSearchParams(location.search);
const view = document.documentElement.dataset.embed;
const element = (id) => document.getElementById(id);

const open = Object.assign(document.createElement("a"), { id: "embed-open", target: "_blank", rel: "noopener" });
open.textContent = "Open in Vitrine";
open.title = "Open this program in the whole page";
// The link of the address is the state; the options of the view are not.
const follow = () => { open.href = location.href.split("?")[0] + location.hash; };
addEventListener("hashchange", follow);
follow();
// A heading for those who do not see the frame around it.
const heading = Object.assign(document.createElement("h1"), { className: "sr", textContent: "A program in Vitrine" });
const aside = document.createElement("aside");
aside.append(heading, open);
document.body.append(aside);

/** The height at which the view needs no scroll bar. */
function wanted() {
  const bars = [...document.querySelectorAll("main .bar, #timeline, #columns-bar")];
  const around = bars.reduce((sum, bar) => sum + (bar.checkVisibility() ? bar.offsetHeight : 0), 0);
  if (view === "graph") {
    // Left, top, right and bottom of the graph at its actual size; it is made smaller if it is wider than the view.
    const box = element("scene").getBBox();
    const scale = Math.min(1, element("graph").clientWidth / Math.max(box.width, 1));
    return around + box.height * scale + 48;
  }
  const sheet = { input: ".cm-content", columns: "#columns-sheet" }[view] ?? "#sheet";
  return around + (document.querySelector(sheet)?.scrollHeight ?? 0) + 16;
}

let reported = 0;
function reportHeight() {
  const height = Math.round(Math.min(Math.max(wanted(), LEAST_HEIGHT), MOST_HEIGHT));
  if (height === reported || parent === self) return;
  reported = height;
  // The page around it may have any origin: the height is all that it gets.
  parent.postMessage({ type: "vitrine-height", height }, "*");
}

let began = false;
// Every answer of the compiler changes the counts.
function answered() {
  if (!element("status").classList.contains("pending") && !began && element("counts").textContent) {
    began = true;
    begin();
  }
  requestAnimationFrame(reportHeight);
}

/** Shows the chosen text, step and overlay. */
function begin() {
  if (["ir", "changes", "target", "columns"].includes(view)) element(`tab-${view}`).click();
  const at = Number(options.get("at"));
  if (options.has("at")) document.querySelectorAll("#steps button")[at]?.click();
  const overlay = options.get("overlay")?.toLowerCase();
  const menu = element("overlay");
  const chosen = [...menu.options].find(({ value, textContent }) => [value, textContent.toLowerCase()].includes(overlay));
  if (!chosen) return;
  menu.value = chosen.value;
  menu.dispatchEvent(new Event("change", { bubbles: true }));
}

const observer = new MutationObserver(answered);
observer.observe(element("counts"), { childList: true, characterData: true, subtree: true });
observer.observe(element("status"), { attributeFilter: ["class"] });
new ResizeObserver(() => requestAnimationFrame(reportHeight)).observe(document.body);
answered();

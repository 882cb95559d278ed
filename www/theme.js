// Runs before the first paint, so that neither a stored theme nor the panes shift. Agrees with web/src/view/theme.rs.
// A page opened with a link shows nothing until the compiler has read it, and one with a session (`www/keep.js`) until
// its input is there.
// The parts of the page that its script element names wait for the first picture: www/prerender.js shows them.
// A page with `?embed` is a view in another page (www/embed.js): it has neither a session nor settings of its own.
const { dataset } = document.documentElement;
Object.assign(dataset, document.currentScript.dataset);
const options = new URLSearchParams(location.search);
const isEmbedded = options.has("embed");
if (isEmbedded) {
  dataset.embed = /^(input|ir|changes|target|columns)$/.exec(options.get("view"))?.[0] ?? "graph";
  if (/^(light|dark)$/.test(options.get("theme"))) dataset.theme = dataset.embedTheme = options.get("theme");
  if (options.get("controls") === "scrub") dataset.scrub = "";
}
if (location.hash.length > 1) dataset.linked = "";
if (!isEmbedded) try {
  if (sessionStorage.getItem("vitrine-session") ?? localStorage.getItem("vitrine-session")) dataset.linked = "";
  const theme = localStorage.getItem("vitrine-theme");
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  // The layout of the panes, as web/src/view/layout.rs stores it.
  const [style, closed] = (localStorage.getItem("vitrine-layout") ?? "").split("|");
  for (const each of closed === undefined ? [] : style.split(";")) root.style.setProperty(...each.split(":"));
  root.dataset.closed = closed ?? "";
} catch {
  // A browser may refuse storage: then the system's theme is used.
}

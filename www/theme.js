// Runs before the first paint, so that neither a stored theme nor the panes shift. Agrees with web/src/view/theme.rs.
// A page opened with a link shows nothing until the compiler has read it, and one with a session (`www/keep.js`) until
// its input is there.
// The parts of the page that its script element names wait for the first picture: www/prerender.js shows them.
Object.assign(document.documentElement.dataset, document.currentScript.dataset);
if (location.hash.length > 1) document.documentElement.dataset.linked = "";
try {
  if (sessionStorage.getItem("vitrine-session") ?? localStorage.getItem("vitrine-session")) document.documentElement.dataset.linked = "";
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

// Runs before the first paint, so that neither a stored theme nor the panes shift. Agrees with web/src/view/theme.rs.
// A page opened with a link shows nothing until the compiler has read it.
if (location.hash.length > 1) document.documentElement.dataset.linked = "";
try {
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

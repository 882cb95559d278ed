// Before the first paint, so that a chosen theme never flashes. Kept in step with web/src/view/theme.rs.
try {
  const theme = localStorage.getItem("vitrine-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser may refuse storage: then the system's theme it is.
}

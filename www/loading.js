// Says why loading cannot succeed, or why it takes longer. A classic script of its own: it works where the page's program does not.
const LONG_MS = 1000;
const loading = document.getElementById("loading");
const statusLine = document.getElementById("status");
const needed = { WebAssembly: self.WebAssembly, "web workers": self.Worker };
const missing = Object.keys(needed).filter((name) => needed[name] === undefined);
if (missing.length > 0) {
  statusLine.textContent = "No compiler";
  loading.textContent = `This browser has no ${missing.join(" and no ")}, which the compiler needs: enable it, or use another browser.`;
  loading.hidden = false;
}
const late = missing.length > 0 ? undefined : setTimeout(() => {
  loading.textContent = "1.5 MB, on the first visit only";
  loading.className = "slow";
  loading.hidden = false;
}, LONG_MS);
// The compiler is there, or cannot be loaded.
new MutationObserver((_, observer) => {
  observer.disconnect();
  clearTimeout(late);
  if (loading.className === "slow") loading.hidden = true;
}).observe(statusLine, { childList: true });

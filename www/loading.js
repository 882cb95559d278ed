// Tells why loading cannot succeed. A classic script of its own: it works where the page's program does not.
const loading = document.getElementById("loading");
const needed = { WebAssembly: self.WebAssembly, "web workers": self.Worker };
const missing = Object.keys(needed).filter((name) => needed[name] === undefined);
if (missing.length > 0) {
  document.getElementById("status").textContent = "No compiler";
  loading.textContent = `This browser has no ${missing.join(" and no ")}, which the compiler needs: enable it, or use another browser.`;
  loading.hidden = false;
}

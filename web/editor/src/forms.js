// The forms of a link: address, Markdown, frame, command line, and a QR code; each with its length and where it fits.
//
// Loaded by www/boot.js when the menu asks for it. It copies the link by the page's own button, whose address is then in the
// address bar, so that nothing here knows how links are made. Refuses a QR code for more bytes than one holds.

import encodeQR from "qr";

const SVG = "http://www.w3.org/2000/svg";
/** The number of bytes that fit into the largest QR code with the least correction. */
const MOST_QR = 2953;

const element = (id) => document.getElementById(id);
const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** The services that accept a text of this length. */
function fits(length) {
  if (length <= 2000) return "fits anywhere";
  if (length <= 8191) return "fits GitHub, Slack and a prefilled issue form; too long for Discord";
  if (length <= 40000) return "fits GitHub and Slack; too long for Discord and a prefilled issue form";
  if (length <= 65536) return "fits GitHub; too long for chats";
  return "too long for GitHub and chats: save the file instead";
}

/** The view of a frame: the shown text, or the graph if the text is closed; www/embed.html lists all. */
function kindOfView() {
  const { tab } = document.body.dataset;
  const isShown = element("pane-output").checkVisibility() && !element("pane-graph").checkVisibility();
  return isShown && ["ir", "changes", "target", "columns"].includes(tab) ? tab : "graph";
}

/** The forms of an address, by name. */
function forms(address, name, finding) {
  const plain = (text) => text.replaceAll(/[[\]()`<>\\]/g, "\\$&");
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const title = finding ? `${name}: ${finding}` : name;
  const [page, link] = address.split("#");
  const view = `${page.split("?")[0]}?embed&view=${kindOfView()}&controls=scrub#${link}`;
  return [
    ["Address", address],
    ["Markdown", `[${plain(title)}](${address})`],
    ["HTML frame", `<iframe src="${escaped(view)}" title="${escaped(title)}" width="100%" height="600"></iframe>`],
    ["Command line", `vitrine open '${address}'`],
  ];
}

function code(address) {
  const made = document.createElementNS(SVG, "svg");
  const cells = encodeQR(address, "raw", { ecc: "low", border: 2 });
  const path = document.createElementNS(SVG, "path");
  const dark = (row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("");
  path.setAttribute("d", cells.map(dark).join(""));
  made.setAttribute("viewBox", `0 0 ${cells.length} ${cells.length}`);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", "QR code of the address");
  made.append(path);
  return made;
}

function draw(dialog, address) {
  // Only a named input has its name before its kind.
  const [first, kind] = element("name").textContent.split(" · ");
  const name = kind ? first : "shader";
  const finding = element("check-summary").classList.contains("bad") ? element("check-summary").textContent.split("\n")[0] : "";
  const rows = forms(address, name, finding).map(([label, text], at) => {
    const id = `form-${at}`;
    const copy = create("button", { textContent: "Copy", type: "button" });
    copy.setAttribute("aria-label", `Copy: ${label}`);
    const status = create("span", { className: "fits", textContent: `${text.length} characters: ${fits(text.length)}` });
    status.setAttribute("role", "status");
    copy.addEventListener("click", () => navigator.clipboard.writeText(text).then(
      () => { status.textContent = "Copied"; },
      () => { status.textContent = "The browser does not allow it: select the text and copy it"; },
    ));
    const field = create("input", { id, value: text, readOnly: true, spellcheck: false });
    return create("div", {}, create("label", { htmlFor: id, textContent: label }), field, copy, status);
  });
  const picture = address.length <= MOST_QR
    ? code(address)
    : create("p", { textContent: `A QR code holds ${MOST_QR} characters; this address has ${address.length}.` });
  dialog.querySelector("section").replaceChildren(...rows, picture);
}

/** Opens the dialog; Escape and its button close it. */
export async function show() {
  const notice = element("notice");
  notice.textContent = "";
  const copied = new Promise((done) => {
    const observer = new MutationObserver(() => {
      // The address bar has the link, whether or not the browser allowed to copy it.
      if (!location.hash || notice.textContent.startsWith("Making")) return;
      observer.disconnect();
      done();
    });
    // An answer comes later than the records of the change above.
    setTimeout(() => observer.observe(notice, { childList: true, characterData: true, subtree: true }));
  });
  element("share").click();
  await copied;
  let dialog = element("forms");
  if (!dialog) {
    const heading = create("h2", { id: "title-forms", textContent: "Link as" });
    const close = create("button", { className: "square", textContent: "✕", title: "Close (Esc)" });
    close.setAttribute("aria-label", "Close");
    dialog = create("dialog", { id: "forms" }, create("form", { method: "dialog" }, heading, close), create("section", {}));
    dialog.setAttribute("aria-labelledby", "title-forms");
    document.body.append(dialog);
  }
  draw(dialog, location.href);
  dialog.showModal();
}

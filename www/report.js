// The report of a check: Markdown for a tracker, an archive with all files, an Amber script, and issue forms.
//
// Loaded by www/boot.js with the first report. The worker www/reporter.js makes it from a link to the shown state, which the
// page's own button writes, of the page's program, and of the last verdict of the GPU. Nothing is sent until the user opens an issue form, whose
// address contains its text.

import { program_message } from "./page.js";
import { kept } from "./verdicts.js";

const GITHUB_LIMIT = 65536;
const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

let dialog;
let parts;
let worker;
let link;

/** The part of the address after `#`, once the page's button has written it. */
async function shared() {
  const notice = document.getElementById("notice");
  notice.textContent = "";
  const written = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (!location.hash || notice.textContent.startsWith("Making")) return;
      observer.disconnect();
      done();
    });
    // An answer comes later than the records of the change above.
    setTimeout(() => observer.observe(notice, { childList: true, characterData: true, subtree: true }));
  });
  document.getElementById("share").click();
  await written;
  return location.hash.slice(1);
}

function stop() {
  worker?.terminate();
  worker = undefined;
}

function save(bytes, name, type) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  create("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function copy(text, words) {
  navigator.clipboard.writeText(text).then(
    () => { parts.status.textContent = words; },
    () => { parts.status.textContent = "The browser does not allow it: select the text and copy it"; },
  );
}

function checkbox(label) {
  const box = create("input", { type: "checkbox" });
  box.addEventListener("change", make);
  return [box, create("label", {}, box, ` ${label}`)];
}

function build() {
  const close = create("button", { className: "square", textContent: "✕", title: "Close (Esc)" });
  close.setAttribute("aria-label", "Close");
  const heading = create("form", { method: "dialog" }, create("h2", { id: "title-report", textContent: "Report" }), close);
  const [anonymous, forAnonymous] = checkbox("Anonymize: remove names, strings and debug information");
  const [whole, forWhole] = checkbox("Do not reduce the program");
  const status = create("p", { id: "report-status" });
  status.setAttribute("role", "status");
  const text = create("textarea", { id: "report-text", readOnly: true, spellcheck: false, rows: 14 });
  text.setAttribute("aria-label", "Report as Markdown");
  const button = (id, label) => create("button", { id, type: "button", textContent: label });
  const [copies, saves, scripts] = [button("report-copy", "Copy Markdown"), button("report-zip", "Save report.zip"), button("report-amber", "Save Amber script")];
  const tracker = create("select", { id: "report-tracker" });
  tracker.setAttribute("aria-label", "Tracker");
  const form = create("a", { id: "report-form", target: "_blank", rel: "noopener noreferrer", textContent: "Open the issue form" });
  const hint = create("p", { id: "report-hint" });
  const results = create("div", { hidden: true }, text, create("div", { className: "group" }, copies, saves, scripts), create("div", { className: "group" }, tracker, form), hint);
  dialog = create("dialog", { id: "reports" }, heading, forAnonymous, forWhole, status, results);
  dialog.setAttribute("aria-labelledby", "title-report");
  dialog.addEventListener("close", stop);
  document.body.append(dialog);
  parts = { anonymous, whole, status, text, copies, saves, scripts, tracker, form, hint, results };
}

function choose({ title, markdown, forms }) {
  const { tracker, form, hint } = parts;
  const { url, text: content } = forms[tracker.selectedIndex] ?? {};
  form.href = url;
  form.onclick = () => content !== 0 && copy(markdown, "Copied: paste the report into the form");
  const fits = markdown.length <= GITHUB_LIMIT ? "" : " It is too long for an issue: attach the archive.";
  hint.textContent = content === 0
    ? "The form has the report. Opening it sends the report to the tracker."
    : `The form has ${content === 1 ? "a summary" : `the title only, “${title}”`}; the report is copied when it opens.${fits}`;
}

function display(report) {
  const { status, text, copies, saves, scripts, tracker, results } = parts;
  status.textContent = report.title;
  text.value = report.markdown;
  copies.onclick = () => copy(report.markdown, "Copied");
  saves.onclick = () => save(report.archive, "report.zip", "application/zip");
  scripts.onclick = () => save(report.amber, "finding.amber", "text/plain");
  scripts.disabled = !report.amber;
  scripts.title = report.amber_refused;
  tracker.replaceChildren(...report.forms.map((of) => create("option", { textContent: of.tracker })));
  tracker.onchange = () => choose(report);
  choose(report);
  results.hidden = false;
}

/** Makes the report; the one before is ended. */
function make() {
  stop();
  parts.results.hidden = true;
  parts.status.textContent = parts.whole.checked ? "Comparing…" : "Comparing, then reducing the program…";
  const refuse = (words) => { parts.status.textContent = `There is no report: ${words}`; };
  const program = program_message();
  if (typeof program === "string") return refuse(program);
  const mine = new Worker(new URL("./reporter.js", import.meta.url), { type: "module", name: "report" });
  worker = mine;
  mine.onerror = (event) => {
    event.preventDefault();
    refuse(event.message || "its script did not arrive");
  };
  mine.onmessage = ({ data }) => {
    stop();
    if (data.refused) refuse(data.refused);
    else display(data);
  };
  mine.postMessage({ program, link, anonymous: parts.anonymous.checked, whole: parts.whole.checked, gpu: kept() });
}

/** Opens the dialog and makes the report of the shown state; Escape and its button close it. */
export async function show() {
  if (!dialog) build();
  link = await shared();
  dialog.showModal();
  make();
}

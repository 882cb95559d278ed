// Lessons of the reader: dropped or chosen files, or a link that contains a small lesson. On the contents of the course it passes the
// files to `learn/open/`, where it makes the page, before the script of lessons makes that page live.
//
// Nothing is sent: the files stay in this tab (`sessionStorage`), and a link has the lesson after `#`. Refuses folders without a lesson,
// files that are no text, lessons of more than 1 MB, and links for lessons that would make them too long.

const KEY = "vitrine-opened";
const isHere = "open" in document.body.dataset;
const MOST_BYTES = 1 << 20;
/** Characters of a link that chats and mail programs still pass on. */
const MOST_LINK = 16_000;

const kb = (bytes) => `${Math.ceil(bytes / 1024)} KB`;
let status = document.getElementById("opening-status");
const report = (words) => status?.replaceChildren(words);

// Files
const read = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

async function inFolder(folder) {
  const reader = folder.createReader();
  const found = [];
  // A call returns a part of a large folder.
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found.filter(({ isFile }) => isFile);
    found.push(...some);
  }
}

async function dropped(entries) {
  const files = [];
  for (const entry of entries) {
    for (const each of entry.isDirectory ? await inFolder(entry) : [entry]) files.push(await read(each));
  }
  return { files, folder: entries.length === 1 && entries[0].isDirectory ? entries[0].name : undefined };
}

/** The lesson in some files: its name, its text, and the other files by name. */
async function lessonOf({ files, folder }) {
  const shown = files.filter(({ name }) => !name.startsWith("."));
  const texts = shown.filter(({ name }) => /\.md$/i.test(name));
  const main = shown.find(({ name }) => name === "lesson.md") ?? (texts.length === 1 ? texts[0] : undefined);
  if (!main) throw new Error("This is no lesson: open a folder with lesson.md, or one file whose name ends with .md.");
  const bytes = shown.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES) throw new Error(`These files have ${kb(bytes)}, and a lesson may have ${kb(MOST_BYTES)}.`);
  const text = async (file) => {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      throw new Error(`${file.name} is no text in UTF-8.`);
    }
  };
  const others = {};
  for (const file of shown) if (file !== main) others[file.name] = await text(file);
  const name = folder ?? main.name.replace(/\.md$/i, "");
  return { name: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"), text: await text(main), files: others };
}

/** Keeps a lesson for the next page of this tab; returns false if the browser refuses. */
function keep(lesson) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(lesson));
    return true;
  } catch {
    return false;
  }
}

async function openFiles(found) {
  report("Opening…");
  try {
    const lesson = await lessonOf(await found);
    const isEmpty = isHere && !document.body.dataset.slug;
    if (!keep(lesson) && !isEmpty) {
      throw new Error("The browser does not keep the files: open them on an empty page “A lesson of your own”.");
    }
    if (isEmpty) {
      // Without the link of another lesson.
      history.replaceState(null, "", location.pathname);
      await show(lesson);
    } else if (isHere) {
      location.replace(location.pathname);
    } else {
      location.href = "open/";
    }
  } catch (error) {
    report(error.message);
  }
}

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  // The entries are gone after the event.
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  // Files that are no entries of a file system have no folders.
  openFiles(entries.length ? dropped(entries) : Promise.resolve({ files: [...event.dataTransfer.files] }));
});
const input = document.getElementById("lesson-files");
const openChosen = () => openFiles(Promise.resolve({ files: [...input.files] }));
input?.addEventListener("change", openChosen);

// Links
const piped = (bytes, through) => new Blob([bytes]).stream().pipeThrough(through);

async function linkOf(lesson) {
  const packed = new Uint8Array(await new Response(piped(JSON.stringify(lesson), new CompressionStream("deflate-raw"))).arrayBuffer());
  const letters = packed.reduce((text, byte) => text + String.fromCharCode(byte), "");
  return `${location.origin}${location.pathname}#l${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

async function ofLink(hash) {
  const packed = Uint8Array.from(atob(hash.slice(2).replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const parts = [];
  let size = 0;
  // A short link may unpack to any size.
  const reader = piped(packed, new DecompressionStream("deflate-raw")).getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) break;
    size += part.length;
    if (size > 2 * MOST_BYTES) throw new Error("it is too large");
    parts.push(part);
  }
  const { name, text, files } = JSON.parse(await new Blob(parts).text());
  const isText = (value) => typeof value === "string";
  if (![name, text, ...Object.values(files)].every(isText)) throw new Error("it is incomplete");
  return { name, text, files };
}

async function copyLink(lesson) {
  const link = await linkOf(lesson);
  if (link.length > MOST_LINK) {
    return report(`As a link, this lesson would have ${kb(link.length)}, and a link may have ${kb(MOST_LINK)}. Send its file or folder instead.`);
  }
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    report("The link is copied. It contains the whole lesson.");
  } catch {
    report("The address of this page is the link now. It contains the whole lesson.");
  }
}

// The page
async function show(lesson) {
  const { default: init, lesson_page: make } = await import("./markdown.js");
  await init();
  let page;
  try {
    page = make(lesson.name, lesson.text, Object.keys(lesson.files), Object.values(lesson.files));
  } catch (why) {
    // A mistake in the lesson is a text with its line; anything else is an error.
    throw typeof why === "string" ? new Error(why) : why;
  }
  const [title, html] = page;
  const main = document.querySelector("main");
  main.innerHTML = html;
  document.title = `${title} – Vitrine`;
  document.body.dataset.slug = lesson.name;
  main.querySelector(".slides-link").href = `?slides${location.hash}`;
  const button = Object.assign(document.createElement("button"), { type: "button", id: "copy-lesson", textContent: "Copy a link to this lesson" });
  const other = Object.assign(document.createElement("button"), { type: "button", id: "other-lesson", textContent: "Open another one" });
  const line = Object.assign(document.createElement("p"), { className: "buttons" });
  line.append(button, other);
  status = Object.assign(document.createElement("p"), { id: "opening-status" });
  status.setAttribute("role", "status");
  main.querySelector(".facts").after(line, status);
  button.addEventListener("click", () => copyLink(lesson));
  other.addEventListener("click", () => {
    sessionStorage.removeItem(KEY);
    location.replace(location.pathname);
  });
  const { judged } = await import("./learn.js");
  const wrong = await mistakes(judged);
  if (wrong.length > 0) report(wrong.join("\n"));
}

/** Tasks that are solved from the start, or not by their solution: sentences for the author. */
async function mistakes(judged) {
  const found = [];
  for (const root of document.querySelectorAll(".task")) {
    const passes = async (answer) => (await judged(root, answer)).every(({ passed }) => passed);
    const start = root.querySelector("template.program[data-name=start]").content.textContent;
    const solution = root.querySelector(".solution :is(pre, code)")?.textContent;
    try {
      if (await passes(root.dataset.form === "program" ? start : "")) found.push(`The task “${root.id}” is solved from the start.`);
      if (!solution) found.push(`The task “${root.id}” has no solution.`);
      else if (!await passes(solution)) found.push(`The solution of the task “${root.id}” fails.`);
    } catch (error) {
      found.push(`The task “${root.id}” cannot be judged: ${error.message}`);
    }
  }
  return found;
}

async function begin() {
  try {
    if (location.hash.startsWith("#l")) {
      const lesson = await ofLink(location.hash).catch((why) => {
        throw new Error(`The lesson of this link cannot be read: ${why.message}.`);
      });
      // Slides have an address without the lesson.
      keep(lesson);
      return await show(lesson);
    }
    const kept = sessionStorage.getItem(KEY);
    if (kept) await show(JSON.parse(kept));
  } catch (error) {
    report(error.message);
  }
}

// A reader may have chosen a file before this script ran.
const isChosen = input?.files.length > 0;
if (isChosen) openChosen();
if (isHere) {
  if (!isChosen) begin();
  addEventListener("hashchange", () => location.hash.startsWith("#l") && location.reload());
}

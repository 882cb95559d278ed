// The course without its compiler: steps of figures, questions, slides, answers and progress. Also the script of the pages that
// `vitrine lesson` writes, which have no other file.
//
// Progress and answers are kept in this browser only. Nothing is sent.

const { slug } = document.body.dataset;
const isAlone = "alone" in document.body.dataset;

// Elements
export function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

// Progress: solved tasks, answers and the last section, by lesson. A browser may refuse storage: then it lasts as long as the page.
const KEYS = { solved: "vitrine-course", answers: "vitrine-answers", place: "vitrine-place" };
const kept = {};

export function recall(kind) {
  try {
    return JSON.parse(localStorage.getItem(KEYS[kind])) ?? {};
  } catch {
    return kept[kind] ?? {};
  }
}

function store(kind, value) {
  kept[kind] = value;
  try {
    localStorage.setItem(KEYS[kind], JSON.stringify(value));
  } catch {
    // It is kept above.
  }
}

export function remember(id) {
  const all = recall("solved");
  all[slug] = [...new Set([...(all[slug] ?? []), id])];
  store("solved", all);
}

export function keepAnswer(id, answer) {
  const all = recall("answers");
  all[slug] = { ...all[slug], [id]: answer };
  store("answers", all);
}

// Answers as a file for `vitrine judge`.
function saveAnswers() {
  const solved = recall("solved");
  const answers = Object.entries(recall("answers")).flatMap(([lesson, tasks]) => Object.entries(tasks).map(([task, answer]) => (
    { lesson, task, answer, solved: (solved[lesson] ?? []).includes(task) }
  )));
  const text = JSON.stringify({ format: "vitrine-answers", version: 1, answers, place: recall("place") }, null, 2);
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "answers.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  return answers.length;
}

function loadAnswers(text) {
  const { format, version, answers, place } = JSON.parse(text);
  if (format !== "vitrine-answers" || version !== 1 || !Array.isArray(answers)) throw new Error("not a file of answers");
  const [solved, given] = [recall("solved"), recall("answers")];
  for (const { lesson, task, answer, solved: isSolved } of answers) {
    if ([lesson, task, answer].some((each) => typeof each !== "string")) throw new Error("an answer is incomplete");
    given[lesson] = { ...given[lesson], [task]: answer };
    if (isSolved) solved[lesson] = [...new Set([...(solved[lesson] ?? []), task])];
  }
  store("solved", solved);
  store("answers", given);
  if (place) store("place", { ...recall("place"), ...place });
  return answers.length;
}

// Figures: one version at a time. A wide page also shows the one before it; as in www/lessons.css.
const WIDE = matchMedia("(min-width: 1000px)");

export class Steps {
  constructor(root) {
    this.root = root;
    this.versions = [...root.querySelectorAll(".version")];
    this.stages = [...root.querySelectorAll(".stages button")];
    this.stages.forEach((button, at) => button.addEventListener("click", () => this.show(at)));
    // The first step, beside the program before it.
    if (root.matches(".steps") && WIDE.matches) this.show(1);
    this.replay();
  }

  // Makes the recorded run live, if there is one.
  replay() {
    if (this.root.querySelector(".stepper template")) stepper(this);
  }

  show(at) {
    this.stages.forEach((button, of) => button.setAttribute("aria-pressed", String(of === at)));
    this.versions.forEach((version, of) => {
      version.classList.toggle("shown", of === at);
      version.classList.toggle("before", of === at - 1 && this.root.matches(".steps"));
    });
  }
}

// A run step by step, of the last version. The recording is a part of the page; core/src/view_model/figures/steps.rs describes it.
function stepper(figure) {
  const panel = figure.root.querySelector(".stepper");
  const [head, , ...rows] = panel.querySelector("template").content.textContent.split("\n");
  const first = Number(head.split("\t")[2]);
  const states = rows.map((row) => {
    const [line, block, active, ...computed] = row.split("\t");
    return { line, block, active: active.split(","), computed: computed.map((of) => /^(\d+):(\d+|\*):(.*)$/.exec(of).slice(1)) };
  });
  const isOf = (list, invocation) => list.includes("*") || list.includes(String(invocation));
  const [range, output] = panel.querySelectorAll(".controls :is(input, output)");
  const cells = [...panel.querySelectorAll(".values div")];
  const invocations = [...panel.querySelectorAll(".invocations button")];
  const version = figure.versions.at(-1);
  const text = version.querySelector(".code");
  let [at, chosen] = [0, 0];

  function draw() {
    const { line, block, active } = states[at];
    range.value = at;
    const words = line ? `${block} runs` : "the run has ended";
    output.replaceChildren(`Step ${at} of ${states.length - 1}: ${words}`);
    range.setAttribute("aria-valuetext", output.textContent);
    const known = [];
    for (const { computed } of states.slice(0, at + 1)) {
      for (const [value, invocation, words] of computed) if (isOf([invocation], chosen)) known[value] = words;
    }
    const now = states[at].computed.filter(([, invocation]) => isOf([invocation], chosen)).map(([value]) => Number(value));
    cells.forEach((cell, value) => {
      const place = cell.querySelector("dd");
      place.textContent = place.title = known[value] ?? "–";
      cell.classList.toggle("changed", now.includes(value));
    });
    invocations.forEach((button, invocation) => {
      button.classList.toggle("on", Boolean(line) && isOf(active, invocation));
      button.setAttribute("aria-pressed", String(invocation === chosen));
    });
    for (const box of version.querySelectorAll(".box")) box.classList.toggle("running", box.dataset.block === block);
    text?.querySelector(".running")?.classList.remove("running");
    const row = line ? text?.children[line - ("whole" in figure.root.dataset ? 0 : first)] : undefined;
    row?.classList.add("running");
    return row;
  }

  function show(to) {
    at = Math.min(Math.max(to, 0), states.length - 1);
    if (figure.stages.length > 0 && !version.checkVisibility({ visibilityProperty: true })) figure.show(figure.versions.length - 1);
    const row = draw();
    if (!row) return;
    // Only the text scrolls, not the page.
    const [inner, outer] = [row.getBoundingClientRect(), text.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) text.scrollTop += inner.top - outer.top - outer.height / 2;
  }

  const moves = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => states.length - 1 };
  for (const button of panel.querySelectorAll("[data-to]")) button.addEventListener("click", () => show(moves[button.dataset.to]()));
  range.addEventListener("input", () => show(Number(range.value)));
  panel.querySelector(".controls").addEventListener("keydown", (event) => {
    const move = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(moves[move]());
  });
  invocations.forEach((button, invocation) => button.addEventListener("click", () => {
    chosen = invocation;
    draw();
  }));
  draw();
}

// Questions: the answer is shown after the reader has committed to one.
function question(root) {
  const reveal = root.querySelector(".reveal");
  const verdict = root.querySelector(".verdict");
  root.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const options = [...root.querySelectorAll("input")];
    const at = options.findIndex((option) => option.checked);
    if (at < 0) return verdict.replaceChildren("Choose an answer first.");
    const reasons = [...reveal.querySelectorAll("li")];
    const isRight = (reason) => reason.dataset.right === "true";
    options.forEach((option, each) => {
      option.disabled = true;
      option.closest(".option").classList.toggle("right", isRight(reasons[each]));
      option.closest(".option").classList.toggle("wrong", each === at && !isRight(reasons[each]));
    });
    root.querySelector("button").disabled = true;
    verdict.replaceChildren(element("strong", "", isRight(reasons[at]) ? "Correct." : "Not quite."));
    // The reason of the chosen option, and that of the right one.
    const right = reasons.findIndex(isRight);
    for (const each of new Set([at, right])) verdict.append(element("p", "", ...[...reasons[each].childNodes].map((node) => node.cloneNode(true))));
  });
}

// Tasks of a page without a compiler: answers are kept, and compared with the hash of the solution if the page has one.
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// As `answer_hash` in web/lessons/src/hashes.rs.
async function hashOf(salt, answer) {
  const words = answer.replaceAll("->", " -> ").replaceAll(",", " ").split(/\s+/).filter(Boolean).join(" ").replaceAll(" -> ", "->");
  const text = `${salt}\n${words.split(" ").sort().join(" ")}`;
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function keptTask(root) {
  const field = root.querySelector("textarea, form input");
  const verdict = root.querySelector(".verdict");
  const original = field.value;
  const { salt, hash } = root.dataset;
  field.value = recall("answers")[slug]?.[root.id] ?? original;
  root.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    keepAnswer(root.id, field.value);
    verdict.replaceChildren("The answer is kept. Save your answers at the end of the page.");
    // The hash needs a page of the own disk, or of a server with TLS.
    if (!hash || !globalThis.crypto?.subtle) return;
    const isRight = await hashOf(salt, field.value) === hash;
    verdict.prepend(element("strong", "", isRight ? "Correct. " : "That is not the answer. "));
    if (!isRight) return;
    remember(root.id);
    root.classList.add("solved");
  });
  root.querySelector(".reset").addEventListener("click", () => {
    field.value = original;
    verdict.replaceChildren();
  });
}

// Slides: the introduction, and then a slide for each section; notes for the person who presents are below.
function slides(main) {
  // The title stays above all of them.
  const title = main.querySelector("h1");
  title.remove();
  const all = [element("section", "slide")];
  for (const node of [...main.childNodes]) {
    if (node.nodeName === "H2") all.push(element("section", "slide"));
    all.at(-1).append(node);
  }
  const place = element("span", "dim");
  place.setAttribute("role", "status");
  const button = (words, by) => {
    const made = element("button", "", words);
    made.type = "button";
    made.addEventListener("click", () => show(at + by));
    return made;
  };
  const [back, next] = [button("← Back", -1), button("Next →", 1)];
  const leave = element("a", "", "All of the lesson");
  leave.href = location.pathname;
  main.replaceChildren(title, ...all, element("nav", "slide-keys", back, next, place, leave));
  document.documentElement.classList.add("slides");
  main.querySelectorAll(".presenter").forEach((notes) => (notes.hidden = false));
  let at = 0;
  function show(to) {
    at = Math.min(Math.max(to, 0), all.length - 1);
    all.forEach((slide, of) => (slide.hidden = of !== at));
    back.disabled = at === 0;
    next.disabled = at === all.length - 1;
    place.replaceChildren(`${at + 1} of ${all.length}`);
    scrollTo(0, 0);
    history.replaceState(null, "", `?slides=${at + 1}`);
  }
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, textarea, select, .cm-editor, [role=radiogroup], .flow, .code, .stepper") || event.ctrlKey || event.altKey || event.metaKey) return;
    const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    show(at + by);
  });
  show((Number(new URLSearchParams(location.search).get("slides")) || 1) - 1);
}

// Print: answers and solutions are at the end.
function answersAtTheEnd(main) {
  const list = element("section", "printed", element("h2", "", "Answers"));
  for (const root of main.querySelectorAll(".predict, .task")) {
    const answer = root.querySelector(".reveal ul, .solution > :not(summary)");
    if (!answer) continue;
    const title = root.matches(".task") ? root.querySelector("h3").textContent : root.querySelector("p")?.textContent ?? "Predict";
    list.append(element("h3", "", title), answer.cloneNode(true));
  }
  if (list.children.length > 1) main.append(list);
}

const main = document.querySelector("main");
if (slug) {
  addEventListener("beforeprint", () => {
    main.querySelectorAll(".slide").forEach((slide) => (slide.hidden = false));
    answersAtTheEnd(main);
  });
  addEventListener("afterprint", () => main.querySelector(".printed")?.remove());
  if (new URLSearchParams(location.search).has("slides")) slides(main);
  // The section that is read, for the link in the contents.
  if (!isAlone) {
    const observer = new IntersectionObserver((entries) => {
      const seen = entries.find((entry) => entry.isIntersecting);
      if (seen) store("place", { last: slug, section: seen.target.id, title: document.querySelector("h1").textContent });
    }, { rootMargin: "0px 0px -60% 0px" });
    main.querySelectorAll("h2[id]").forEach((heading) => observer.observe(heading));
  }
}
main.querySelectorAll(".predict").forEach(question);
if (isAlone) {
  main.querySelectorAll(".figure").forEach((root) => new Steps(root));
  main.querySelectorAll(".task").forEach(keptTask);
}

// Contents
function showProgress() {
  const solved = recall("solved");
  for (const entry of document.querySelectorAll(".contents [data-slug]")) {
    const count = (solved[entry.dataset.slug] ?? []).length;
    entry.querySelector(".progress").textContent = `· ${count} of ${entry.dataset.tasks} tasks solved`;
    entry.classList.toggle("done", count > 0 && count >= Number(entry.dataset.tasks));
  }
  const { last, section, title } = recall("place");
  const line = document.querySelector("p#continue"); // A question of a lesson may have this name.
  if (!line) return;
  line.replaceChildren();
  if (!document.querySelector(`.contents [data-slug="${CSS.escape(last ?? "")}"]`)) return;
  const link = element("a", "", title);
  link.href = `${last}/#${section}`;
  line.append("Continue: ", link);
}

const status = (words) => document.getElementById("forgotten")?.replaceChildren(words);
showProgress();
document.getElementById("save-answers")?.addEventListener("click", () => status(`${saveAnswers()} answers are saved in answers.json.`));
document.getElementById("load-answers")?.addEventListener("change", async ({ target }) => {
  try {
    status(`${loadAnswers(await target.files[0].text())} answers are loaded.`);
  } catch (error) {
    status(`The file cannot be loaded: ${error.message}.`);
  }
  target.value = "";
  showProgress();
});
document.getElementById("forget")?.addEventListener("click", () => {
  for (const [kind, key] of Object.entries(KEYS)) {
    delete kept[kind];
    try {
      localStorage.removeItem(key);
    } catch {
      // Nothing was stored.
    }
  }
  showProgress();
  status("Your progress is forgotten.");
});

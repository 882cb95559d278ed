// Tasks of the page's main thread, from Chromium's own trace.

const URL = process.env.VITRINE_URL;
const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "blink"];
/** Events that only contain others. */
const HOLDERS = /RunTask|Receive|^v8\.(run|call)|^ThreadPool/;

/** Performs an action; returns its tasks on the main thread, and a function that names the longest parts of one. */
export async function traced(browser, page, act) {
  await browser.startTracing(page, { categories: CATEGORIES });
  const start = performance.now();
  await act();
  const ms = performance.now() - start;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  // The browser draws parts of its window as pages, in other processes.
  const frames = traceEvents.flatMap(({ name, args }) =>
    name === "TracingStartedInBrowser" ? args.data.frames : name === "FrameCommittedInBrowser" ? [args.data] : []);
  const ours = new Set(frames.filter(({ url }) => url.startsWith(URL)).map(({ processId }) => processId));
  const threads = traceEvents.filter(({ name, args, pid }) =>
    name === "thread_name" && args.name === "CrRendererMain" && ours.has(pid));
  const mains = new Set(threads.map(({ pid, tid }) => `${pid}.${tid}`));
  const events = traceEvents.filter(({ ph, pid, tid }) => ph === "X" && mains.has(`${pid}.${tid}`));
  const tasks = events.filter(({ name }) => /RunTask$/.test(name));
  const inside = (task) => events.filter((event) => event !== task && !HOLDERS.test(event.name)
    && event.ts >= task.ts && event.ts + event.dur <= task.ts + task.dur);
  const parts = (task) => inside(task).sort((a, b) => b.dur - a.dur).slice(0, 3)
    .map(({ name, dur }) => `${name} ${Math.round(dur / 1000)}`).join(", ");
  return { ms, tasks, parts };
}

/** The longest of the tasks, by its wall time (`dur`) or processor time (`tdur`), in ms. */
export const longest = (tasks, time) => tasks.reduce((most, task) => Math.max(most, (task[time] ?? 0) / 1000), 0);

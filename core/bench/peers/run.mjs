// Lays out the same graphs with other libraries: medians, ratios to this project, and failures.
//
//   node run.mjs graphs.jsonl
//
// Each library runs in its own thread, which is terminated if a graph exceeds the limit; times are wall times
// inside that thread, layout only. PEER_LIMIT is in seconds; PEERS and GRAPHS filter by name.

import { readFileSync } from "node:fs";
import v8 from "node:v8";
import { Worker } from "node:worker_threads";

const LIMIT = Number(process.env.PEER_LIMIT ?? 60) * 1000;
const ALL = ["iongraph", "dagre", "elk", "graphviz"];
const PEERS = process.env.PEERS ? process.env.PEERS.split(",") : ALL;
const only = new RegExp(process.env.GRAPHS ?? "");

const graphs = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
  .filter((graph) => only.test(graph.name));

/** A thread that lays out graphs with one library, one after the other. */
class Thread {
  constructor(peer) {
    this.peer = peer;
  }

  /** `{ ms }` or `{ failed }`. */
  draw(graph) {
    this.worker ??= new Worker(new URL("draw.mjs", import.meta.url), { workerData: this.peer });
    const { worker } = this;
    return new Promise((resolve) => {
      const end = (answer, dead) => {
        clearTimeout(timer);
        for (const name of ["message", "error", "exit"]) worker.removeAllListeners(name);
        if (dead) {
          worker.on("error", () => {});
          worker.terminate();
          this.worker = undefined;
        }
        resolve(answer);
      };
      const timer = setTimeout(() => end({ failed: `none in ${LIMIT / 1000} s` }, true), LIMIT);
      worker.on("message", (answer) => end(answer, answer.failed !== undefined));
      worker.on("error", (error) => end({ failed: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out of memory" : error.message }, true));
      worker.on("exit", () => end({ failed: "ended" }, true));
      worker.postMessage(graph);
    });
  }

  end() {
    return this.worker?.terminate();
  }
}

const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1];
const at = (times, part) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
const short = (ms) => (ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(3));
const row = (cells) => console.log(cells.map((cell, place) => (place ? cell.padStart(22) : cell.padEnd(20))).join(""));

console.log(`node ${process.version}, heap limit ${(v8.getHeapStatistics().heap_size_limit / 2 ** 20).toFixed(0)} MB, ${LIMIT / 1000} s a graph; ms, and times ours`);
row(["graph", "ours", ...PEERS]);
const threads = PEERS.map((peer) => new Thread(peer));
const failed_families = new Map(PEERS.map((peer) => [peer, new Map()]));
for (const graph of graphs.filter(({ kind }) => kind === "synthetic")) {
  const cells = [graph.name, short(graph.ours / 1000)];
  for (const thread of threads) {
    // A library that failed on a smaller graph of a family is skipped for larger ones.
    const family = graph.name.replace(/ \d+$/, "");
    const known = failed_families.get(thread.peer).get(family);
    const { ms, failed } = known ? { failed: "skipped" } : await thread.draw(graph);
    if (failed && !known) failed_families.get(thread.peer).set(family, failed);
    cells.push(failed ? failed.slice(0, 20) : `${short(ms)} (×${(ms / graph.ours * 1000).toFixed(0)})`);
  }
  row(cells);
}

const corpus = graphs.filter(({ kind }) => kind === "corpus");
if (corpus.length) {
  console.log(`\ncorpus: ${corpus.length} graphs, ${Math.max(...corpus.map(({ nodes }) => nodes.length))} blocks in the largest`);
  row(["", "drawn", "total ms", "median", "99 %", "largest"]);
  const summary = (name, times) => row([name, `${times.length} of ${corpus.length}`, short(times.reduce((a, b) => a + b, 0)),
    ...(times.length ? [median(times), at(times, 0.99), Math.max(...times)].map(short) : [])]);
  summary("ours", corpus.map(({ ours }) => ours / 1000));
  for (const thread of threads) {
    const times = [];
    const failures = new Map();
    let ours = 0;
    for (const graph of corpus) {
      const { ms, failed } = await thread.draw(graph);
      const why = failed?.replace(/\d+/g, "n");
      if (failed) failures.set(why, [...(failures.get(why) ?? []), graph.name]);
      else {
        times.push(ms);
        ours += graph.ours / 1000;
      }
    }
    summary(thread.peer, times);
    const sum = times.reduce((a, b) => a + b, 0);
    if (times.length) console.log(`  ×${(sum / ours).toFixed(1)} ours on the graphs it laid out`);
    for (const [why, names] of failures) {
      console.log(`  ${names.length} failed: ${why.slice(0, 90)}: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`);
    }
  }
}
await Promise.all(threads.map((thread) => thread.end()));

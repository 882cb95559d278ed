// Runs one layout library in one thread: each message is a graph, each answer `{ ms }` or `{ failed }`.
//
// Blocks have the same sizes as in this project; options select layers from top to bottom and orthogonal edges if the
// library supports them. Preparing the library's input is not timed.

import { parentPort, workerData } from "node:worker_threads";

/** By name: creates a function that prepares a graph and returns a function that lays it out. */
const PEERS = {
  async dagre() {
    const dagre = (await import("@dagrejs/dagre")).default;
    return ({ nodes, edges }) => () => {
      const graph = new dagre.graphlib.Graph({ multigraph: true });
      graph.setGraph({});
      graph.setDefaultEdgeLabel(() => ({}));
      nodes.forEach(([width, height], at) => graph.setNode(String(at), { width, height }));
      edges.forEach(([from, to], at) => graph.setEdge(String(from), String(to), {}, String(at)));
      dagre.layout(graph);
    };
  },

  async elk() {
    const { default: ELK } = await import("elkjs/lib/elk.bundled.js");
    const elk = new ELK();
    const layoutOptions = { "elk.algorithm": "layered", "elk.direction": "DOWN", "elk.edgeRouting": "ORTHOGONAL" };
    return ({ nodes, edges }) => () => elk.layout({
      id: "graph",
      layoutOptions,
      children: nodes.map(([width, height], at) => ({ id: `n${at}`, width, height })),
      edges: edges.map(([from, to], at) => ({ id: `e${at}`, sources: [`n${from}`], targets: [`n${to}`] })),
    });
  },

  async graphviz() {
    const { Graphviz } = await import("@hpcc-js/wasm-graphviz");
    const graphviz = await Graphviz.load();
    return ({ nodes, edges }) => {
      const boxes = nodes.map(([width, height], at) => `${at} [width=${width / 72},height=${height / 72}]`);
      const lines = edges.map(([from, to]) => `${from} -> ${to}`);
      const text = `digraph { node [shape=box,fixedsize=true,label=""]; splines=ortho; ${[...boxes, ...lines].join(";")} }`;
      return () => {
        if (!graphviz.layout(text, "plain", "dot")) throw new Error("nothing drawn");
      };
    };
  },

  async iongraph() {
    // The modules access the page while they load: a stub element that accepts every call.
    const nothing = new Proxy(() => nothing, {
      get: (_, name) => (name === Symbol.toPrimitive ? () => "" : nothing),
      set: () => true,
      apply: () => nothing,
    });
    globalThis.document = nothing;
    globalThis.window = nothing;
    const { Graph } = await import("iongraph-web");
    /** Their layout on our block sizes, without page elements; only the layout is timed. */
    class Sized extends Graph {
      renderBlock(block) {
        return { clientWidth: block.box[0], clientHeight: block.box[1] };
      }

      render() {}

      addEventListeners() {}

      layout() {
        const start = performance.now();
        const layout = super.layout();
        this.ms = performance.now() - start;
        return layout;
      }
    }
    return ({ nodes, edges }) => {
      const prepare = () => nodes.map((box, at) => {
        const outs = edges.filter(([from]) => from === at);
        const attributes = [];
        if (box[3]) attributes.push("loopheader");
        if (outs.some(([, , back]) => back)) attributes.push("backedge");
        return {
          ptr: at + 1, id: at, box, attributes, loopDepth: box[2], instructions: [],
          // Parallel edges are merged: the library does not support them.
          predecessors: [], successors: [...new Set(outs.map(([, to]) => to))],
        };
      });
      return () => {
        const blocks = prepare();
        for (const { id, successors } of blocks) for (const to of successors) blocks[to].predecessors.push(id);
        const viewport = { appendChild() {}, getBoundingClientRect: () => ({ width: 1440, height: 900 }) };
        const quiet = console.error;
        console.error = () => {};
        try {
          return new Sized(viewport, { name: "", mir: { blocks }, lir: { blocks: [] } }).ms;
        } finally {
          console.error = quiet;
        }
      };
    };
  },
};

const ready = PEERS[workerData]();

parentPort.on("message", async (graph) => {
  try {
    const draw = (await ready)(graph);
    const times = [];
    // Three runs if they are fast; the median counts.
    do {
      const start = performance.now();
      const own = await draw();
      times.push(typeof own === "number" ? own : performance.now() - start);
    } while (times.length < 3 && times[0] < 300);
    parentPort.postMessage({ ms: times.sort((a, b) => a - b)[times.length >> 1] });
  } catch (error) {
    parentPort.postMessage({ failed: String(error?.message ?? error).split("\n")[0] });
  }
});

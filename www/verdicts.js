// The last verdict of the GPU, from www/gpu.js to www/report.js, which are loaded at different times. It stays in the page.

let last;

/** Keeps a verdict: a `GpuResult` of wasm/protocol; none removes it. */
export const keep = (result) => { last = result; };

/** The last verdict; undefined if there is none. */
export const kept = () => last;

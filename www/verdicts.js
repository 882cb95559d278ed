// The last verdict of the GPU, from www/gpu.js to www/report.js, which are loaded at different times. It stays in the page.

let last = [];

/** Keeps the texts of a verdict; none removes it. */
export const keep = (texts = []) => { last = texts; };

/** The texts of the last verdict; none if there is none. */
export const kept = () => last;

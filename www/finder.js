// The worker of the search in texts (www/find.js): finds all matches of an expression, line by line.
//
// A worker, because an expression may take any time: the page stays responsive, and ends the worker if it must. A message is
// { text }, the UTF-8 bytes or the string to search from now on, or { id, source, flags }, a search. The answer to a search is
// { id, found }: three numbers a match, its line from 0, its start and its end in UTF-16 units of the line.

/** Lines between two looks at newer messages. */
const SLICE = 4000;

let lines = [];
let latest;

const { port1, port2 } = new MessageChannel();
const pause = () => new Promise((resolve) => {
  port1.onmessage = resolve;
  port2.postMessage(0);
});

self.onmessage = async ({ data }) => {
  if (data.text !== undefined) {
    lines = (typeof data.text === "string" ? data.text : new TextDecoder().decode(data.text)).split("\n");
    return;
  }
  latest = data.id;
  const expression = new RegExp(data.source, data.flags);
  const found = [];
  for (let line = 0; line < lines.length; line += 1) {
    if (line % SLICE === SLICE - 1) {
      await pause();
      if (latest !== data.id) return;
    }
    expression.lastIndex = 0;
    for (let match = expression.exec(lines[line]); match; match = expression.exec(lines[line])) {
      // An empty match is none, and would be found again.
      if (match[0].length > 0) found.push(line, match.index, match.index + match[0].length);
      else expression.lastIndex += 1;
    }
  }
  const numbers = Uint32Array.from(found);
  self.postMessage({ id: data.id, found: numbers }, [numbers.buffer]);
};

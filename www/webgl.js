// Runs a fragment or a vertex shader on the GPU of the machine, by WebGL2, and reads back what it computed.
//
// A worker of its own, because a program may hang: www/gpu.js ends it at its deadline. The program, its resources and the
// order of the results are those of `GpuJob` in wasm/protocol. Row 0 of a framebuffer is row 0 of the picture: the vertex
// shader of the job draws it so (view_model/debugger/gpu/vertex_es.rs), and nothing is flipped here. Refuses to judge: the
// debugger compares the results.

/** Bytes of a component, and of a pixel that is read back. */
const [WORD, PIXEL] = [4, 16];
/** The values of outputs that no fragment writes, as in view_model::debugger::gpu. */
const UNWRITTEN = { f: -(2 ** 100), i: -1985229329, u: 2309737967 };
const FACES = 6;

let gl;
/** The reason of a lost context; undefined while there is one. */
let lost;

self.onmessage = ({ data: job }) => {
  const started = performance.now();
  const answer = { adapter: "", error: "", messages: [], ms: 0, data: new Uint8Array() };
  try {
    open(answer);
    answer.data = job.stage === "vertex" ? capture(job, answer) : draw(job, answer);
  } catch (error) {
    answer.error = gl?.isContextLost() ? `The context of WebGL2 was lost${lost ? `: ${lost}` : ""}.` : error.message ?? String(error);
  }
  answer.ms = performance.now() - started;
  self.postMessage(answer, [answer.data.buffer]);
};

/** Opens a context, and names its renderer. */
function open(answer) {
  const canvas = new OffscreenCanvas(1, 1);
  canvas.addEventListener("webglcontextlost", ({ statusMessage }) => { lost = statusMessage; });
  gl = canvas.getContext("webgl2", { antialias: false, depth: false, powerPreference: "high-performance" });
  if (!gl) throw new Error("This browser found no device for WebGL2.");
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  answer.adapter = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER) || "unnamed renderer";
}

/** A shader; the messages of the browser about it become those of the answer. */
function compiled(kind, text, answer) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  const isGood = gl.getShaderParameter(shader, gl.COMPILE_STATUS);
  if (gl.isContextLost()) throw new Error("");
  answer.messages.push(...messagesOf(gl.getShaderInfoLog(shader) ?? ""));
  if (!isGood) throw new Error("The browser refuses the text.");
  return shader;
}

/** The lines of an info log: `ERROR: 0:12: 'x' : undeclared identifier`. */
function messagesOf(log) {
  const lines = log.replaceAll("\0", "").split("\n").filter((line) => line.trim());
  return lines.map((whole) => {
    const [, kind, line, text] = /^(ERROR|WARNING): \d+:(\d+): (.*)$/.exec(whole) ?? [];
    return { kind: (kind ?? "message").toLowerCase(), line: Number(line ?? 0), column: 0, text: text ?? whole };
  });
}

function linked(vertex, fragment, answer, captures = []) {
  const program = gl.createProgram();
  gl.attachShader(program, vertex);
  gl.attachShader(program, fragment);
  if (captures.length > 0) gl.transformFeedbackVaryings(program, captures, gl.INTERLEAVED_ATTRIBS);
  gl.linkProgram(program);
  if (gl.isContextLost()) throw new Error("");
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    answer.messages.push(...messagesOf(gl.getProgramInfoLog(program) ?? ""));
    throw new Error("The browser does not link the text.");
  }
  gl.useProgram(program);
  return program;
}

/** Gives a program its uniform blocks and textures. */
function bind(program, job) {
  job.buffers.forEach(({ name, bytes }, unit) => {
    const index = gl.getUniformBlockIndex(program, name);
    // The browser removes blocks that it finds unused.
    if (index === gl.INVALID_INDEX) return;
    const size = gl.getActiveUniformBlockParameter(program, index, gl.UNIFORM_BLOCK_DATA_SIZE);
    const data = new Uint8Array(Math.max(size, bytes.length));
    data.set(bytes);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, unit, gl.createBuffer());
    gl.bufferData(gl.UNIFORM_BUFFER, data, gl.STATIC_DRAW);
    gl.uniformBlockBinding(program, index, unit);
  });
  job.textures.forEach((of, unit) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    texture(of, unit, job.samplers[of.sampler]);
    gl.uniform1i(gl.getUniformLocation(program, of.name), unit);
  });
}

const TARGETS = { "2d": "TEXTURE_2D", "3d": "TEXTURE_3D", cube: "TEXTURE_CUBE_MAP", "2d-array": "TEXTURE_2D_ARRAY" };
/** The internal format, the format and the type of texels. */
const FORMATS = {
  float: ["RGBA32F", "RGBA", "FLOAT"], half: ["RGBA16F", "RGBA", "FLOAT"], sint: ["RGBA32I", "RGBA_INTEGER", "INT"],
  uint: ["RGBA32UI", "RGBA_INTEGER", "UNSIGNED_INT"], depth: ["DEPTH_COMPONENT32F", "DEPTH_COMPONENT", "FLOAT"],
};
const ARRAYS = { FLOAT: Float32Array, INT: Int32Array, UNSIGNED_INT: Uint32Array };

/** Fills a texture, level by level, in the current unit. */
function texture({ view, size: [width, height, deep], levels, texel, sample, filters, bytes }, unit, sampler) {
  const target = gl[TARGETS[view]];
  // Without the extension, filtered texels are halves.
  const isHalf = sample === "float" && filters && !gl.getExtension("OES_texture_float_linear");
  const [internal, format, type] = FORMATS[isHalf ? "half" : sample];
  gl.bindTexture(target, gl.createTexture());
  const isFlat = view === "2d" || view === "cube";
  if (isFlat) gl.texStorage2D(target, levels, gl[internal], width, height);
  else gl.texStorage3D(target, levels, gl[internal], width, height, deep);
  const texels = new ARRAYS[type](bytes.slice().buffer);
  let at = 0;
  for (let level = 0; level < levels; level += 1) {
    const [w, h] = [width, height].map((axis) => Math.max(1, axis >> level));
    const d = view === "3d" ? Math.max(1, deep >> level) : deep;
    const count = (w * h * texel) / WORD;
    const upload = (face, layers) => {
      const part = texels.subarray(at, at + count * layers);
      if (isFlat) gl.texSubImage2D(face, level, 0, 0, w, h, gl[format], gl[type], part);
      else gl.texSubImage3D(face, level, 0, 0, 0, w, h, layers, gl[format], gl[type], part);
      at += count * layers;
    };
    if (view === "cube") for (let face = 0; face < FACES; face += 1) upload(gl.TEXTURE_CUBE_MAP_POSITIVE_X + face, 1);
    else upload(target, isFlat ? 1 : d);
  }
  gl.bindSampler(unit, samplerOf(sampler, sample));
}

const WRAPS = { repeat: "REPEAT", "mirror-repeat": "MIRRORED_REPEAT", "clamp-to-edge": "CLAMP_TO_EDGE" };

function samplerOf(state, sample) {
  const sampler = gl.createSampler();
  const set = (name, value) => gl.samplerParameteri(sampler, gl[name], gl[value]);
  // Integers are not filtered.
  const isPlain = !state || sample === "sint" || sample === "uint";
  const filter = (name) => (isPlain ? "NEAREST" : state[name].toUpperCase());
  set("TEXTURE_MAG_FILTER", filter("magFilter"));
  set("TEXTURE_MIN_FILTER", `${filter("minFilter")}_MIPMAP_${filter("mipmapFilter")}`);
  if (!state) return sampler;
  ["S", "T", "R"].forEach((axis, at) => set(`TEXTURE_WRAP_${axis}`, WRAPS[state[`addressMode${"UVW"[at]}`]]));
  gl.samplerParameterf(sampler, gl.TEXTURE_MIN_LOD, state.lodMinClamp);
  gl.samplerParameterf(sampler, gl.TEXTURE_MAX_LOD, state.lodMaxClamp);
  if (state.comparison) {
    set("TEXTURE_COMPARE_MODE", "COMPARE_REF_TO_TEXTURE");
    const names = { "less-equal": "LEQUAL", "greater-equal": "GEQUAL", "not-equal": "NOTEQUAL" };
    set("TEXTURE_COMPARE_FUNC", names[state.comparison] ?? state.comparison.toUpperCase());
  }
  return sampler;
}

/** An attribute of a draw. */
function attribute({ location, kind, components }, bytes, divisor) {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(location);
  if (kind === "f") gl.vertexAttribPointer(location, components, gl.FLOAT, false, 0, 0);
  else gl.vertexAttribIPointer(location, components, kind === "i" ? gl.INT : gl.UNSIGNED_INT, 0, 0);
  gl.vertexAttribDivisor(location, divisor);
}

/** Ends with an error if the device reports one. */
function check() {
  const error = gl.getError();
  if (gl.isContextLost()) throw new Error("");
  if (error === gl.NO_ERROR) return;
  const names = ["INVALID_ENUM", "INVALID_VALUE", "INVALID_OPERATION", "OUT_OF_MEMORY", "INVALID_FRAMEBUFFER_OPERATION"];
  throw new Error(`WebGL2 reports ${names.find((name) => gl[name] === error) ?? error}.`);
}

/** The formats of outputs: of the texture, of reading, of its numbers. */
const OUTPUTS = { f: ["RGBA32F", "RGBA", "FLOAT"], i: ["RGBA32I", "RGBA_INTEGER", "INT"], u: ["RGBA32UI", "RGBA_INTEGER", "UNSIGNED_INT"] };

function draw(job, answer) {
  if (!gl.getExtension("EXT_color_buffer_float")) throw new Error("The device cannot draw floats: WebGL2 lacks `EXT_color_buffer_float` here.");
  const [width, height] = job.size;
  const fragment = compiled(gl.FRAGMENT_SHADER, job.code, answer);
  const program = linked(compiled(gl.VERTEX_SHADER, job.vertex, answer), fragment, answer);
  bind(program, job);
  const most = Math.max(-1, ...job.outputs.map(({ location }) => location)) + 1;
  if (most > gl.getParameter(gl.MAX_DRAW_BUFFERS)) throw new Error(`The device draws into ${gl.getParameter(gl.MAX_DRAW_BUFFERS)} outputs, and the program has ${most}.`);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  const attach = (point, format) => {
    const target = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + gl.getParameter(gl.MAX_COMBINED_TEXTURE_IMAGE_UNITS) - 1);
    gl.bindTexture(gl.TEXTURE_2D, target);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl[format], width, height);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl[point], gl.TEXTURE_2D, target, 0);
    return target;
  };
  for (const { location, kind } of job.outputs) attach(`COLOR_ATTACHMENT${location}`, OUTPUTS[kind][0]);
  if (most === 0) attach("COLOR_ATTACHMENT0", "RGBA8");
  const depth = job.depth ? attach("DEPTH_ATTACHMENT", "DEPTH_COMPONENT32F") : undefined;
  const buffers = Array.from({ length: most }, (_, at) => (job.outputs.some(({ location }) => location === at) ? gl.COLOR_ATTACHMENT0 + at : gl.NONE));
  gl.drawBuffers(most === 0 ? [gl.NONE] : buffers);
  clear(job);
  gl.viewport(0, 0, width, height);
  for (const of of job.flats) attribute(of, of.bytes, 1);
  // One triangle over all pixels, or two for each pixel.
  if (job.per_pixel) gl.drawArraysInstanced(gl.TRIANGLES, 0, 6, width * height);
  else gl.drawArrays(gl.TRIANGLES, 0, 3);
  check();
  const parts = job.outputs.map((of) => readOutput(of, job.size));
  if (depth) parts.push(readDepth(depth, job, answer));
  check();
  return joined(parts);
}

function clear(job) {
  const clears = { f: [gl.clearBufferfv, Float32Array], i: [gl.clearBufferiv, Int32Array], u: [gl.clearBufferuiv, Uint32Array] };
  for (const { location, kind } of job.outputs) {
    const [act, numbers] = clears[kind];
    act.call(gl, gl.COLOR, location, new numbers(4).fill(UNWRITTEN[kind]));
  }
  if (!job.depth) return;
  gl.clearBufferfv(gl.DEPTH, 0, new Float32Array([0]));
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.ALWAYS);
}

/** The components of an output, pixel by pixel. */
function readOutput({ location, kind, components }, [width, height]) {
  const [, format, type] = OUTPUTS[kind];
  const all = new ARRAYS[type](width * height * 4);
  gl.readBuffer(gl.COLOR_ATTACHMENT0 + location);
  gl.readPixels(0, 0, width, height, gl[format], gl[type], all);
  const bytes = new Uint8Array(all.buffer);
  if (components === 4) return bytes;
  const kept = new Uint8Array(width * height * components * WORD);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    kept.set(bytes.subarray(pixel * PIXEL, pixel * PIXEL + components * WORD), pixel * components * WORD);
  }
  return kept;
}

const COVER = `#version 300 es
void main() { gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`;
const COPY = `#version 300 es
precision highp float;
uniform highp sampler2D depth;
out vec4 color;
void main() { color = texelFetch(depth, ivec2(gl_FragCoord.xy), 0); }`;

/** The depth of every pixel. WebGL2 reads no depths, so that a second draw copies them into a color. */
function readDepth(depth, { size: [width, height] }, answer) {
  const program = linked(compiled(gl.VERTEX_SHADER, COVER, answer), compiled(gl.FRAGMENT_SHADER, COPY, answer), answer);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.disable(gl.DEPTH_TEST);
  gl.activeTexture(gl.TEXTURE0);
  const target = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, target);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, width, height);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, target, 0);
  gl.bindTexture(gl.TEXTURE_2D, depth);
  gl.bindSampler(0, samplerOf());
  gl.uniform1i(gl.getUniformLocation(program, "depth"), 0);
  for (let location = 0; location < gl.getParameter(gl.MAX_VERTEX_ATTRIBS); location += 1) gl.disableVertexAttribArray(location);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  return readOutput({ location: 0, kind: "f", components: 1 }, [width, height]);
}

const NOTHING = `#version 300 es
precision highp float;
void main() {}`;

/** The captured outputs of a vertex shader, vertex by vertex, instance by instance. */
function capture(job, answer) {
  const [vertices, instances] = job.vertices;
  const vertex = compiled(gl.VERTEX_SHADER, job.code, answer);
  const program = linked(vertex, compiled(gl.FRAGMENT_SHADER, NOTHING, answer), answer, job.captures);
  bind(program, job);
  const size = vertices * job.vertex_bytes;
  const results = gl.createBuffer();
  gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, results);
  gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, size * instances, gl.STREAM_READ);
  gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, gl.createTransformFeedback());
  gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, results);
  gl.enable(gl.RASTERIZER_DISCARD);
  const parts = [];
  // An attribute depends on vertex and instance, so every instance has a draw of its own, which has all instances.
  for (let instance = 0; instance < instances; instance += 1) {
    for (const of of job.flats) {
      const bytes = of.components * WORD * vertices;
      attribute(of, of.bytes.slice(instance * bytes, (instance + 1) * bytes), 0);
    }
    // A buffer that is bound for other uses, too, cannot be captured into.
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArraysInstanced(gl.POINTS, 0, vertices, instances);
    gl.endTransformFeedback();
    check();
    const part = new Uint8Array(size);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, instance * size, part);
    parts.push(part);
  }
  check();
  return joined(parts);
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

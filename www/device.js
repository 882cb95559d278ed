// Runs a program on the GPU of the machine, by WebGPU, and reads back what it computed.
//
// A worker of its own, because a program may hang: www/gpu.js ends it at its deadline. The program, its resources and the
// order of the results are those of `GpuJob` in wasm/protocol. Bindings are given explicitly: an automatic layout leaves
// out what the compiler of the browser finds unused. Refuses to judge: the debugger compares the results.

const WORKGROUP = { fragment: "FRAGMENT", compute: "COMPUTE" };
/** Bytes of a pixel of an output, and of a row of a copy from a texture, which is padded to this. */
const [PIXEL, ROW] = [16, 256];
/** The values of outputs that no fragment writes, as in view_model::debugger::gpu. */
const UNWRITTEN = { f: -(2 ** 100), i: -1985229329, u: 2309737967 };
const TARGETS = { f: "rgba32float", i: "rgba32sint", u: "rgba32uint" };

self.onmessage = async ({ data: job }) => {
  const started = performance.now();
  const answer = { adapter: "", error: "", messages: [], ms: 0, data: new Uint8Array() };
  try {
    await run(job, answer);
  } catch (error) {
    answer.error ||= error.message ?? String(error);
  }
  answer.ms = performance.now() - started;
  self.postMessage(answer, [answer.data.buffer]);
};

async function run(job, answer) {
  const device = await open(job, answer);
  const lost = device.lost.then(({ message }) => { throw new Error(`The device was lost: ${message || "without a reason"}`); });
  // A device that is destroyed at the end is lost, too.
  lost.catch(() => {});
  for (const filter of ["validation", "out-of-memory", "internal"]) device.pushErrorScope(filter);
  const code = await compiled(device, job.code, answer);
  const bound = bind(device, job);
  const reads = job.stage === "compute" ? dispatch(device, job, code, bound) : await draw(device, job, code, bound, answer);
  await Promise.race([device.queue.onSubmittedWorkDone(), lost]);
  for (let scopes = 0; scopes < 3; scopes += 1) {
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
  }
  answer.data = await Promise.race([joined(reads), lost]);
  device.destroy();
}

/** The device, with the features and limits that the program needs and the adapter has. */
async function open(job, answer) {
  if (!navigator.gpu) throw new Error("This browser has no WebGPU.");
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("This browser found no adapter for WebGPU.");
  const { vendor, architecture, device: name, description } = adapter.info ?? {};
  answer.adapter = [vendor, architecture, name, description].filter(Boolean).join(" ") || "unnamed adapter";
  const missing = job.features.filter((feature) => !adapter.features.has(feature));
  if (missing.length > 0) throw new Error(`The adapter does not have what the program needs: ${missing.join(", ")}.`);
  const wanted = ["float32-filterable"].filter((feature) => adapter.features.has(feature));
  // A pixel of eight outputs of four words.
  const most = ["maxColorAttachmentBytesPerSample", "maxStorageBuffersPerShaderStage", "maxStorageBufferBindingSize", "maxBufferSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ", "maxComputeWorkgroupStorageSize", "maxInterStageShaderVariables", "maxSampledTexturesPerShaderStage", "maxUniformBufferBindingSize"];
  const limits = Object.fromEntries(most.filter((limit) => adapter.limits[limit] !== undefined).map((limit) => [limit, adapter.limits[limit]]));
  return adapter.requestDevice({ requiredFeatures: [...job.features, ...wanted], requiredLimits: limits });
}

/** A module, and what the browser says about its text. */
async function compiled(device, code, answer) {
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  answer.messages.push(...messages.map(({ type, lineNum, linePos, message }) => ({ kind: type, line: lineNum, column: linePos, text: message })));
  if (messages.some(({ type }) => type === "error")) throw new Error("The browser refuses the text.");
  return module;
}

/** The layouts and groups of all resources, and the resources that the program may write. */
function bind(device, job) {
  const visibility = GPUShaderStage[WORKGROUP[job.stage]];
  const groups = new Map();
  const add = ({ group, binding }, layout, resource) => {
    if (!groups.has(group)) groups.set(group, { layout: [], entries: [] });
    groups.get(group).layout.push({ binding, visibility, ...layout });
    groups.get(group).entries.push({ binding, resource });
  };
  const written = [];
  for (const of of job.buffers) {
    // The size of a copy is a multiple of four bytes.
    const size = Math.max(16, (of.bytes.length + 3) & ~3);
    const usage = of.kind === "uniform" ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
    const padded = new Uint8Array(size);
    padded.set(of.bytes);
    device.queue.writeBuffer(buffer, 0, padded);
    add(of, { buffer: { type: { uniform: "uniform", read: "read-only-storage", write: "storage" }[of.kind] } }, { buffer });
    if (of.kind === "write") written.push({ buffer, size, take: of.bytes.length });
  }
  for (const of of job.textures) bindTexture(device, of, add, written);
  for (const of of job.samplers) {
    const { group, binding, comparison, filters, ...how } = of;
    const type = comparison ? "comparison" : filters ? "filtering" : "non-filtering";
    add(of, { sampler: { type } }, device.createSampler({ ...how, ...(comparison && { compare: comparison }) }));
  }
  const count = Math.max(-1, ...groups.keys()) + 1;
  const layouts = Array.from({ length: count }, (_, at) => device.createBindGroupLayout({ entries: groups.get(at)?.layout ?? [] }));
  const made = layouts.map((layout, at) => device.createBindGroup({ layout, entries: groups.get(at)?.entries ?? [] }));
  return { layout: device.createPipelineLayout({ bindGroupLayouts: layouts }), groups: made, written };
}

function bindTexture(device, of, add, written) {
  const isStorage = of.access !== "";
  const canFilter = device.features.has("float32-filterable");
  // Without the feature, filtered texels are halves.
  const isHalf = !isStorage && of.filters && !canFilter;
  const format = isHalf ? "rgba16float" : of.format;
  const usage = isStorage ? GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC : GPUTextureUsage.TEXTURE_BINDING;
  const [width, height, depthOrArrayLayers] = of.size;
  const texture = device.createTexture({
    size: { width, height, depthOrArrayLayers }, mipLevelCount: of.levels, dimension: of.dimension, format, usage: usage | GPUTextureUsage.COPY_DST,
  });
  let offset = 0;
  for (let mipLevel = 0; mipLevel < of.levels; mipLevel += 1) {
    const [w, h] = [width, height].map((axis) => Math.max(1, axis >> mipLevel));
    const deep = of.dimension === "3d" ? Math.max(1, depthOrArrayLayers >> mipLevel) : depthOrArrayLayers;
    const bytes = w * h * deep * of.texel;
    const level = of.bytes.subarray(offset, offset + bytes);
    const texels = isHalf ? halves(level) : level;
    const bytesPerRow = w * (isHalf ? 8 : of.texel);
    device.queue.writeTexture({ texture, mipLevel }, texels, { bytesPerRow, rowsPerImage: h }, { width: w, height: h, depthOrArrayLayers: deep });
    offset += bytes;
  }
  const viewDimension = of.view;
  const layout = isStorage
    ? { storageTexture: { access: of.access, format, viewDimension } }
    : { texture: { sampleType: of.sample === "float" && !of.filters ? "unfilterable-float" : of.sample, viewDimension } };
  add(of, layout, texture.createView({ dimension: viewDimension }));
  if (isStorage && of.access !== "read-only") written.push({ texture, of });
}

/** Floats as halves, rounded to nearest even. */
function halves(bytes) {
  const floats = new Float32Array(bytes.slice().buffer);
  const words = new Uint32Array(floats.buffer);
  return Uint16Array.from(words, (word, at) => {
    const sign = (word >>> 16) & 0x8000;
    const size = Math.abs(floats[at]);
    if (Number.isNaN(size)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size < 2 ** -14) return sign | even(size * 2 ** 24);
    const exponent = ((word >>> 23) & 0xff) - 112;
    return sign | (exponent << 10) + even((word & 0x7fffff) / 8192);
  });
}

function even(number) {
  const below = Math.floor(number);
  const rest = number - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

function dispatch(device, job, module, { layout, groups, written }) {
  const pipeline = device.createComputePipeline({ layout, compute: { module, entryPoint: job.entry } });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  groups.forEach((group, at) => pass.setBindGroup(at, group));
  pass.dispatchWorkgroups(...job.groups);
  pass.end();
  return submitted(device, encoder, written);
}

async function draw(device, job, module, { layout, groups, written }, answer) {
  const vertex = await compiled(device, job.vertex, answer);
  const [width, height] = job.size;
  const most = Math.max(-1, ...job.outputs.map(({ location }) => location)) + 1;
  const outputAt = (location) => job.outputs.find((of) => of.location === location);
  const formats = Array.from({ length: most }, (_, location) => outputAt(location) && TARGETS[outputAt(location).kind]);
  const target = (format) => device.createTexture({ size: { width, height }, format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
  // A pass draws into something.
  const isBare = most === 0 && !job.depth;
  const textures = (isBare ? ["rgba8unorm"] : formats).map((format) => format && target(format));
  const depth = job.depth ? target("depth32float") : undefined;
  const pipeline = device.createRenderPipeline({
    layout,
    vertex: { module: vertex, entryPoint: "main" },
    fragment: { module, entryPoint: job.entry, targets: isBare ? [{ format: "rgba8unorm", writeMask: 0 }] : formats.map((format) => (format ? { format } : null)) },
    ...(depth && { depthStencil: { format: "depth32float", depthWriteEnabled: true, depthCompare: "always" } }),
  });
  const encoder = device.createCommandEncoder();
  const colorAttachments = textures.map((texture, location) => {
    if (!texture) return null;
    const unwritten = UNWRITTEN[outputAt(location)?.kind] ?? 0;
    return { view: texture.createView(), loadOp: "clear", storeOp: "store", clearValue: { r: unwritten, g: unwritten, b: unwritten, a: unwritten } };
  });
  const pass = encoder.beginRenderPass({
    colorAttachments,
    ...(depth && { depthStencilAttachment: { view: depth.createView(), depthLoadOp: "clear", depthStoreOp: "store", depthClearValue: 0 } }),
  });
  pass.setPipeline(pipeline);
  groups.forEach((group, at) => pass.setBindGroup(at, group));
  // One triangle over all pixels, or two for each pixel.
  if (job.per_pixel) pass.draw(6, width * height);
  else pass.draw(3);
  pass.end();
  const read = (texture, texel) => ({ texture, of: { size: [width, height, 1], levels: 1, texel } });
  const results = job.outputs.map(({ location }) => read(textures[location], PIXEL));
  if (depth) results.push(read(depth, 4));
  return submitted(device, encoder, [...results, ...written]);
}

/** Submits, with copies of what is read back: pairs of a mapped buffer and the function that takes its bytes. */
function submitted(device, encoder, written) {
  const reads = written.map((of) => (of.texture ? copyTexture(device, encoder, of) : copyBuffer(device, encoder, of)));
  device.queue.submit([encoder.finish()]);
  return reads;
}

const readable = (device, size) => device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });

function copyBuffer(device, encoder, { buffer, size, take }) {
  const copy = readable(device, size);
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  return { copy, bytes: (all) => all.slice(0, take) };
}

function copyTexture(device, encoder, { texture, of }) {
  const parts = [];
  let size = 0;
  for (let mipLevel = 0; mipLevel < of.levels; mipLevel += 1) {
    const [w, h] = of.size.map((axis) => Math.max(1, axis >> mipLevel));
    const deep = of.dimension === "3d" ? Math.max(1, of.size[2] >> mipLevel) : of.size[2];
    const bytesPerRow = Math.ceil((w * of.texel) / ROW) * ROW;
    parts.push({ offset: size, row: w * of.texel, bytesPerRow, rows: h * deep, copy: [{ texture, mipLevel }, { bytesPerRow, rowsPerImage: h }, { width: w, height: h, depthOrArrayLayers: deep }] });
    size += bytesPerRow * h * deep;
  }
  const copy = readable(device, size);
  for (const { offset, copy: [from, how, extent] } of parts) encoder.copyTextureToBuffer(from, { buffer: copy, offset, ...how }, extent);
  const bytes = (all) => {
    const made = new Uint8Array(parts.reduce((sum, { row, rows }) => sum + row * rows, 0));
    let at = 0;
    for (const { offset, row, bytesPerRow, rows } of parts) {
      for (let line = 0; line < rows; line += 1, at += row) made.set(all.subarray(offset + line * bytesPerRow, offset + line * bytesPerRow + row), at);
    }
    return made;
  };
  return { copy, bytes };
}

async function joined(reads) {
  const parts = [];
  for (const { copy, bytes } of reads) {
    await copy.mapAsync(GPUMapMode.READ);
    parts.push(bytes(new Uint8Array(copy.getMappedRange())));
    copy.unmap();
  }
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

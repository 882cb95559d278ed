// The examples of the gallery: groups of files with their pictures and sentences. Written by core/tests/it/gallery.rs.
export const GROUPS = [
  ["Control flow", [
    ["examples/loop.ir", "gallery/loop.ir.svg", "The light that reaches a point: one loop over up to eight spotlights."],
    ["examples/do-while.spvasm", "gallery/do-while.spvasm.svg", "Collatz: a loop that tests at its end."],
    ["examples/switch.ir", "gallery/switch.ir.svg", "A color by index, twice: as a tree, whose arms do not fall through, and as the graph that it came from."],
    ["examples/early-returns.spvasm", "gallery/early-returns.spvasm.svg", "A function with five returns, one of them inside a loop: structurizing merges them."],
    ["examples/irreducible.ir", "gallery/irreducible.ir.svg", "A loop with two entries."],
    ["examples/discard.spvasm", "gallery/discard.spvasm.svg", "Holes in a leaf: a fragment that is discarded, and a branch whose condition is constant."],
  ]],
  ["Data", [
    ["examples/variables.spvasm", "gallery/variables.spvasm.svg", "Unoptimized output of a front end: every value in a variable, constants repeated."],
    ["examples/functions.ir", "gallery/functions.ir.svg", "Three functions."],
    ["examples/particles.spvasm", "gallery/particles.spvasm.svg", "Particles in a storage buffer: an array of structures, read and written field by field."],
    ["examples/lights.ir", "gallery/lights.ir.svg", "Lights in a buffer, summed in a loop."],
    ["examples/matrix.spvasm", "gallery/matrix.spvasm.svg", "A vertex transformed to clip space: a matrix is a list of columns, and a product is a sequence of multiply-adds."],
    ["examples/structured-buffer.ir", "gallery/structured-buffer.ir.svg", "Adds to records[i].data[j].parts[k].m[r].z in an array of buffers (try `ingest, split-buffer-paths`)."],
    ["examples/texture.spvasm", "gallery/texture.spvasm.png", "A texture, sampled twice: with an implicit level of detail, and with an explicit one."],
  ]],
  ["Groups", [
    ["examples/barrier.spvasm", "gallery/barrier.spvasm.svg", "The sum of 64 numbers by a workgroup: after each barrier, half of the invocations are idle."],
    ["examples/subgroup.spvasm", "gallery/subgroup.spvasm.svg", "Communication between the invocations of a subgroup: a vote, a sum, and one invocation that writes for all."],
  ]],
  ["Comparison", [
    ["examples/hoisted-load.spvasm", "gallery/hoisted-load.spvasm.svg", "Adds one to a word of a buffer in each of three iterations."],
    ["examples/hoisted-load-wrong.spvasm", "gallery/hoisted-load-wrong.spvasm.svg", "Stores the same word in every iteration: an incorrect version of hoisted-load.spvasm, as spirv-opt 2023.1 writes it."],
  ]],
  ["Direct3D", [
    ["examples/glow.asm", "gallery/glow.asm.svg", "A glow along a line: a loop with a limit that is left early, Direct3D 9 assembly."],
    ["examples/skinning.asm", "gallery/skinning.asm.svg", "A vertex between two bones: matrices by relative address, Direct3D 9 assembly."],
    ["examples/bump.asm", "gallery/bump.asm.svg", "A bump map in pairs of instructions that run side by side, Direct3D 8 assembly."],
  ]],
  ["WGSL", [
    ["shaders/life.wgsl", "gallery/life.wgsl.png", "The Game of Life on a torus: each invocation counts the neighbors of its cell."],
    ["shaders/reduction.wgsl", "gallery/reduction.wgsl.svg", "A sum in shared memory: half of the invocations stop in each round, between barriers."],
    ["shaders/sparks.wgsl", "gallery/sparks.wgsl.png", "Particles that fall, bounce off the ground and start again when they are too old."],
    ["shaders/tone.wgsl", "gallery/tone.wgsl.png", "Tone mapping: a color of any brightness becomes one that a screen can show."],
    ["shaders/exits.wgsl", "gallery/exits.wgsl.svg", "A nest of exits: two loops, a switch, a return from the middle, and a break of the outer loop by a flag."],
    ["shaders/mandelbrot.wgsl", "gallery/mandelbrot.wgsl.png", "The Mandelbrot set: the number of iterations before a point escapes is its color."],
    ["shaders/sort.wgsl", "gallery/sort.wgsl.png", "A bitonic sort in shared memory: every comparison of a stage is one invocation."],
    ["shaders/histogram.wgsl", "gallery/histogram.wgsl.png", "A histogram: invocations add to the same counters by atomic operations."],
  ]],
  ["GLSL", [
    ["shaders/sphere.frag", "gallery/sphere.frag.png", "A ray marcher: rays advance by the distance to the nearest surface until they are close enough."],
    ["shaders/letter.frag", "gallery/letter.frag.png", "Text by signed distances: the letter V, with an edge as soft as a pixel at any size."],
    ["shaders/waves.glsl", "gallery/waves.glsl.png", "Shadertoy code: the page adds its uniforms and the `main` that calls it."],
    ["shaders/toon.frag", "gallery/toon.frag.png", "WebGL 1: an old dialect with `varying` and `gl_FragColor`, whose uniforms have no block."],
    ["shaders/morph.vert", "gallery/morph.vert.svg", "A vertex shader of GLSL ES 3.00: two poses are mixed, then transformed and lit."],
    ["shaders/prefix.comp", "gallery/prefix.comp.png", "Prefix sums in shared memory: after each step a value holds the sum of twice as many."],
    ["shaders/blur.comp", "gallery/blur.comp.png", "A blur of a row: a workgroup loads its values and their neighbors once, and each invocation reads nine."],
    ["shaders/negative-zero.comp", "gallery/negative-zero.comp.png", "A miscompile in waiting: x + 0.0 is not x, because -0.0 + 0.0 is 0.0."],
  ]],
  ["HLSL and Slang", [
    ["shaders/rings.hlsl", "gallery/rings.hlsl.png", "Rings of light: a pixel shader of HLSL, with a constant buffer, a loop and a condition for each ring."],
    ["shaders/transpose.hlsl", "gallery/transpose.hlsl.png", "A compute shader of HLSL: a group reads a tile of a matrix row by row into shared memory, and writes it column by column."],
    ["shaders/shapes.slang", "gallery/shapes.slang.png", "Generics of Slang: one ray marcher for every type with a distance."],
  ]],
];

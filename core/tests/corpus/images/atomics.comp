#version 460
// Every atomic operation on texels.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, r32i) uniform iimage2D levels;
layout(std430, set = 0, binding = 2) buffer Seen { uint seen[]; };
void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    uint a = imageAtomicAdd(counts, at, 3u) + imageAtomicMax(counts, at, 9u) + imageAtomicOr(counts, at, 4u) + imageAtomicExchange(counts, at, 1u);
    int b = imageAtomicMin(levels, at, -2) + imageAtomicAnd(levels, at, 7) + imageAtomicXor(levels, at, 5) + imageAtomicCompSwap(levels, at, 3, 8);
    seen[at.x] = a + uint(b);
}

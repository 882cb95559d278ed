#version 460
// Values of the last iteration used after the loop.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint last = 0u, before = 0u, k = 0u;
    for (; k < 12u; k++) { before = last; last = words[k]; if (last == 9u + (i & 1u)) break; }
    result[i] = last * 10000u + before * 100u + k;
}

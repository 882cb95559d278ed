#version 460
// Break and continue in one loop body, at several depths of selection.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint k = 0u; k < 16u; k++) {
        uint x = words[k] + i;
        if (x % 3u == 0u) continue;
        if (x > 7u) { if ((x & 1u) == 0u) break; sum += 100u; }
        sum += x;
    }
    result[i] = sum;
}

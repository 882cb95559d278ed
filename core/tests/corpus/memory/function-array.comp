#version 460
// A function-local array with dynamic indices.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint table[8];
    for (uint k = 0u; k < 8u; k++) table[k] = words[k] * (k + 1u);
    table[words[i] & 7u] += 100u;
    result[i] = table[(i + words[i]) & 7u];
}

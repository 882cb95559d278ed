#version 460
// A loop in the continue construct of another one.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint next(uint a) { uint n = a; do { n++; } while (n % 2u == 1u); return n; }

void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i], sum = 0u;
    for (uint a = 0u; a < 6u; a = next(a)) sum = sum * 3u + a + x;
    result[i] = sum;
}

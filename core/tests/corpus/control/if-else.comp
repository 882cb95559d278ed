#version 460
// A selection with both arms, and one with a single arm.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i];
    if (x > 4u) { x = x * 2u; } else { x = x + 100u; }
    if ((x & 1u) == 1u) x ^= 0xffu;
    result[i] = x;
}

#version 460
// A loop that tests at the bottom: the body runs at least once.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i], n = 0u;
    do { n += x & 1u; x >>= 1; } while (x != 0u);
    result[i] = n;
}

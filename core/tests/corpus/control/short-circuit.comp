#version 460
// Conditions with && and || whose right side has an effect.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
bool bump(inout uint n) { n++; return n < 2u; }

void main() {
    uint i = gl_LocalInvocationIndex;
    uint n = 0u;
    bool both = words[i] > 2u && bump(n);
    bool any = words[i] > 6u || bump(n);
    result[i] = n + (both ? 10u : 0u) + (any ? 100u : 0u);
}

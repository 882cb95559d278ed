#version 460
// A function with many returns, called at several places.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint classify(uint x) {
    if (x == 0u) return 0u;
    for (uint d = 2u; d * d <= x; d++) if (x % d == 0u) return d;
    if (x > 6u) return 90u;
    return 50u + x;
}

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = classify(words[i]) * 100u + classify(words[i + 8u]) + classify(i);
}

#version 460
// A selection whose arms both return, so that its merge block is unreachable.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint pick(uint x) {
    if (x > 4u) { return x * 3u; } else { return x + 40u; }
}

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = pick(words[i]) + 1u;
}

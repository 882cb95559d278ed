#version 460
// Arms that no input takes, and unused values.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i];
    uint unused = x * 17u + 5u;
    if (x < x) x = 1u / unused;
    const bool never = false;
    if (never) { x = 0u; for (uint k = 0u; k < 3u; k++) x += k; }
    while (never) x++;
    result[i] = x;
}

#version 460
// Loops in the arms of a switch, one of which returns.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint acc = words[i];
    switch (i % 3u) {
    case 0u: while (acc < 500u) acc = acc * 2u + 1u; break;
    case 1u: for (uint k = 0u; k < 20u; k++) { acc += k; if (acc > 60u) { result[i] = acc + 9000u; return; } } break;
    case 2u: do acc--; while (acc > 2u && acc < 100u); break;
    }
    result[i] = acc;
}

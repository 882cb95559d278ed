#version 460
// Cases that fall through to the next one, with the default in the middle.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint y = 0u;
    switch (words[i] & 7u) {
    case 0u: y += 1u;
    case 1u: y += 10u; break;
    default: y += 100u;
    case 3u: y += 1000u;
    case 4u: y += 10000u; break;
    case 5u: if (i > 2u) break; y = 5u;
    case 6u: y += 100000u;
    }
    result[i] = y;
}

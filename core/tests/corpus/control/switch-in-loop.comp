#version 460
// A switch whose arms continue and break the enclosing loop.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint acc = 0u;
    bool stop = false;
    for (uint k = i; k < 16u && !stop; k++) {
        switch (words[k] % 5u) {
        case 0u: acc += 1u; continue;
        case 1u: acc += 20u; break;
        case 3u: stop = true; break;
        default: acc = acc * 3u + k;
        }
        acc ^= 1u;
    }
    result[i] = acc;
}

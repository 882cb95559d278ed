#version 460
// Returns from inside two loops and a switch.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint find(uint x) {
    for (uint a = 0u; a < 4u; a++) {
        for (uint b = 0u; b < 4u; b++) {
            switch (a * 4u + b) {
            case 3u: if (x < 3u) return 1u; break;
            case 9u: if (x < 6u) return 2u; continue;
            case 14u: return 3u;
            }
        }
    }
    return 4u;
}

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = find(words[i]);
}

#version 460
// An inner loop that exits the outer one by a flag and an early return.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = 7u;
    for (uint a = 0u; a < 8u; a++) {
        bool found = false;
        for (uint b = 0u; b < 8u; b++) {
            if (words[a] * words[b] == 20u + i) { result[i] = a * 8u + b; return; }
            if (words[a] + words[b] == 17u) { found = true; break; }
        }
        if (found) { result[i] = 1000u + a; break; }
    }
}

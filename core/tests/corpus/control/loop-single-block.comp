#version 460
// A loop whose header, body and continue target are one block.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i] | 1u;
    do x += x; while (x < 1000u);
    result[i] = x;
}

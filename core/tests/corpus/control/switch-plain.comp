#version 460
// A switch with a default and cases that share an arm.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint y;
    switch (words[i]) {
    case 1u: y = 11u; break;
    case 2u: case 3u: case 5u: y = 22u; break;
    case 9u: y = 33u; break;
    default: y = words[i] * 7u; break;
    }
    result[i] = y;
}

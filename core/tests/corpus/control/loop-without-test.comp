#version 460
// A loop without a condition, whose only exit is a break in the middle.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i];
    for (;;) {
        x = x * 5u + 3u;
        if (x > 5000u) break;
        if ((x & 7u) == 2u) x++;
    }
    result[i] = x;
}

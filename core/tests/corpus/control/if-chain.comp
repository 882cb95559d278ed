#version 460
// A chain of else-ifs, each with an assignment.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i], y;
    if (x == 1u) y = 10u;
    else if (x < 4u) y = 20u;
    else if (x < 8u) y = x * x;
    else y = ~x;
    result[i] = y;
}

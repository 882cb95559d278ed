#version 460
// A loop that tests at the top and whose trip count is data.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i] * 27u + 1u, steps = 0u;
    while (x != 1u && steps < 200u) { x = (x & 1u) == 0u ? x / 2u : 3u * x + 1u; steps++; }
    result[i] = steps;
}

#version 460
// A runtime array of structures and its length.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
struct Item { uint count; vec2 at; };
layout(std430, set = 0, binding = 2) buffer Items { uint head; Item items[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint n = uint(items.length());
    for (uint k = i; k < min(n, 4u); k += 2u) { items[k].count += words[i]; items[k].at = vec2(k, n); }
    result[i] = n;
}

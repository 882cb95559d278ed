#version 460
// A private structure of two arrays, each with dynamic indices, never accessed together.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
struct Parts { uint first[4]; uint second[8]; uint rest; };
Parts parts;

void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = 0u; k < 8u; k++) { parts.first[k & 3u] = words[k]; parts.second[k] = words[k + 8u]; }
    parts.rest = i;
    parts.second[words[i] & 7u] = 70u;
    result[i] = parts.first[words[i] & 3u] * 100u + parts.second[i] + parts.rest;
}

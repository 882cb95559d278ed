#version 460
// Stores to parts of vectors, in order and out of order.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) buffer Store { uvec4 store[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uvec4 v = uvec4(words[i]);
    v.zx = v.xy + uvec2(1u, 2u);
    v.w = v.z * 3u;
    v[i & 3u] = 50u;
    store[i].yw = v.wx;
    result[i] = v.x + v.y * 10u + v.z * 100u + v.w * 1000u;
}

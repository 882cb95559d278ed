#version 460
// Every padding rule of std140 in one uniform block.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
struct Inner { vec3 inner; vec2 list[2]; };
layout(std140, set = 0, binding = 2) uniform Block { float a; vec3 b; float c[4]; Inner d; mat2 e; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float sum = a + b.x + c[i & 3u] + d.inner.z + d.list[1].y + e[1][0];
    result[i] = floatBitsToUint(sum) >> 20u;
}

#version 460
// Push constants of several types, an array among them.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint base; float scale; bool enabled; uvec2 offsets[4]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = base + offsets[i & 3u].x + (floatBitsToUint(scale) >> 20) + (enabled ? 1u : 0u);
}

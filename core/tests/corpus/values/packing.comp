#version 460
// Packing and unpacking of normalized and half floats.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 a = unpackUnorm4x8(words[i] * 0x01020304u) + unpackSnorm4x8(words[i + 1u] * 0x0f0e0d0cu);
    vec2 b = unpackHalf2x16(words[i] << 10) + unpackUnorm2x16(words[i] << 9) + unpackSnorm2x16(words[i] << 11);
    double d = packDouble2x32(uvec2(0u, 0x3ff00000u + words[i]));
    result[i] = packUnorm4x8(a * 0.5) ^ packSnorm4x8(a * 0.25) ^ packHalf2x16(b * 0.5) ^ packUnorm2x16(b) ^ packSnorm2x16(b) ^ unpackDouble2x32(d).y;
}

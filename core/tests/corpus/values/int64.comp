#version 460
// 64-bit integers: arithmetic, shifts, relations, conversions.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint64_t a = uint64_t(words[i]) << 33 | words[i + 1u];
    int64_t s = int64_t(a) * -3l + 5l;
    uint64_t r = a * 7ul + a / 3ul + a % 5ul + uint64_t(s >> 2) + (a ^ 0xfffffffffful) + uint64_t(abs(s)) + uint64_t(max(s, 4l));
    result[i] = uint(r) + uint(r >> 32) + uint(a < r) + uint(s <= 0l);
}

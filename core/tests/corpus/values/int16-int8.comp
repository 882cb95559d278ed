#version 460
// 16- and 8-bit integers in buffers, with wrapping arithmetic.
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) buffer Small { int16_t small[8]; uint8_t tiny[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    int16_t a = small[i] * 3s - int16_t(words[i]);
    uint8_t b = tiny[i] + uint8_t(words[i] * 100u);
    i8vec2 p = i8vec2(int8_t(a), int8_t(b)) * int8_t(5);
    u16vec2 q = u16vec2(uint16_t(b), uint16_t(a)) >> uint16_t(2);
    small[i] = a;
    tiny[i] = b;
    result[i] = uint(a & 0xffs) + uint(b) * 3u + uint(p.x + p.y) + uint(q.x) + uint(q.y);
}

#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// Constants of 16 bits: fractions, negative and subnormal numbers, an infinity, integers, vectors.
// Right: GLSL ES 3.10, which has no literals of 16 bits, converts literals of 32 bits.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Numbers { vec4 a; ivec2 b; } n;
void main() {
    f16vec2 v = f16vec2(n.a.xy) * f16vec2(1.5hf, -0.3330078125hf) + f16vec2(6e-8hf, 65504.0hf);
    float16_t top = float16_t(n.a.z) > 0.0hf ? 1.0hf / 0.0hf : -2.0hf;
    int16_t i = int16_t(n.b.x) * 1234s + -7s;
    n.a = vec4(v, float(top), 0.0);
    n.b = ivec2(int(i), int(uint16_t(n.b.y) ^ 0xff00us));
}

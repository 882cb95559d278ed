#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Infinities and a NaN of 16 bits in vectors of each length. Right: WGSL, which has no such constants, converts them from bits.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Numbers { vec4 a; vec4 b; vec4 c; vec4 d; } n;
void main() {
    float16_t top = 1.0hf / 0.0hf;
    n.a.x = float(n.a.y > 0.0 ? top : 2.0hf);
    n.b.xy = vec2(n.b.z > 0.0 ? f16vec2(-top, 3.0hf) : f16vec2(n.b.zw));
    n.c.xyz = vec3(n.c.x > 0.0 ? f16vec3(1.5hf, top, -top) : f16vec3(n.c.xyz));
    n.d = vec4(n.d.x > 0.0 ? f16vec4(1.0hf, -2.0hf, top, 0.25hf) : f16vec4(n.d));
}

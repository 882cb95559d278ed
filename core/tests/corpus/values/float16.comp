#version 460
// 16-bit floats: arithmetic, vectors, storage and conversion.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) buffer Halves { float16_t halves[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float16_t a = halves[i] + float16_t(words[i]) * 0.5hf;
    f16vec4 v = f16vec4(a, a + 1.0hf, a * 2.0hf, -a);
    halves[i] = dot(v, v.wzyx) * 0.01hf + sqrt(abs(a)) + max(a, 1.0hf);
    result[i] = uint(float(v.y)) + uint(v.z > 2.0hf) + uint(packFloat2x16(v.xy));
}

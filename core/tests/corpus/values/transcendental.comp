#version 460
// Functions of GLSL.std.450 on angles, powers and logarithms.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Values { float precise_values[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float a = float(words[i]) * 0.1 + 0.05;
    float r = sin(a) + cos(a) + tan(a) + asin(a * 0.5) + acos(a * 0.5) + atan(a) + atan(a, 2.0) + sinh(a) + cosh(a) + tanh(a)
        + asinh(a) + acosh(1.0 + a) + atanh(a * 0.5) + pow(a, 1.5) + exp(a) + log(a) + exp2(a) + log2(a) + sqrt(a) + inversesqrt(a)
        + radians(a) + degrees(a);
    result[i] = r > 0.0 ? 1u : 2u;
    precise_values[i] = r;
}

#version 460
// Arithmetic and relations of 32-bit floats, and the NaN rules of GLSL.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    float a = float(words[i]) * 0.75 - 2.0, b = float(words[i + 8u]) + 0.5;
    float r = a + b * a - a / b + mod(a, b) + (-a) + abs(a) + sign(a) + floor(a) + ceil(a) + trunc(a) + round(a) + roundEven(a) + fract(a);
    r += min(a, b) + max(a, b) + clamp(a, -1.0, 1.0) + mix(a, b, 0.25) + step(a, b) + smoothstep(-3.0, 3.0, a) + fma(a, b, 0.125);
    bool o = a < b || a <= -b || a > 2.0 * b || a >= b || a == b || a != b;
    result[i] = uint(int(r * 4.0)) + uint(o) + uint(isnan(a)) + uint(isinf(b)) + floatBitsToUint(a * 0.0 + 1.0);
}

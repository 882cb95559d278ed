#version 460
// Built-in functions with results in structures: frexp, ldexp, modf.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int e;
    float whole;
    float f = frexp(float(words[i]) * 0.3, e) + modf(float(words[i]) * 0.7, whole);
    result[i] = uint(e + 10) * 100u + uint(whole) + uint(ldexp(f, 3) * 4.0);
}

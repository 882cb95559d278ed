#version 460
// Arithmetic of 64-bit floats and vectors of them.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Wide { double wide[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    double a = double(words[i]) * 0.1lf + 1.0lf;
    dvec2 v = dvec2(a, 2.0lf) * a - dvec2(0.5lf);
    double e = sqrt(a) + floor(a) + fma(a, a, a) + min(a, 2.0lf) + abs(-a) + dot(v, v);
    wide[i] = e + mix(a, e, 0.5lf) + (dmat2(a) * v).x;
    result[i] = a < e ? 1u : 0u;
}

#version 460
// Expressions that must not be contracted or reassociated.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Sums { float invariant_sum[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    precise float a = float(words[i]) * 0.1, b = a * a + a;
    float c = a * a + a;
    invariant_sum[i] = (a + b) + c - (b + c);
    result[i] = uint(b == c || abs(b - c) < 0.001);
}

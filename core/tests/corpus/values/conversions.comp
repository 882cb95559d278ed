#version 460
// Conversions between every pair of number types, and bit casts.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
uint u32(int x) { return uint(x); }

void main() {
    uint i = gl_LocalInvocationIndex;
    int s = int(words[i] & 0xffu) - 5;
    float f = float(s) * 1.5;
    uint u = uint(max(f, 0.0)) + uint(int(f)) + floatBitsToUint(f) + uint(floatBitsToInt(f)) + uint(bool(s)) + uint(float(u32(s)) > 4.0e9);
    double d = double(f) + double(s) + double(words[i] & 0xffu);
    result[i] = u + uint(int(d)) + uint(abs(float(d)) * 2.0) + uint(intBitsToFloat(s & 0xff) > 0.0) + uint(uintBitsToFloat(0x3f800000u));
}

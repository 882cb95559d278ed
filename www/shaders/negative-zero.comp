// A miscompile in waiting: x + 0.0 is not x, because -0.0 + 0.0 is 0.0. A rule that forgets it changes the sign of 1 / x.
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { float data[8]; };

void main() {
    uint index = gl_LocalInvocationIndex;
    float x = index % 2u == 0u ? -0.0 : data[index];
    float sum = x + 0.0;
    bool is_negative = (floatBitsToUint(sum) & 0x80000000u) != 0u;
    data[index] = is_negative ? -1.0 : 1.0;
}

#version 450
// The length of an array and the size of the workgroup are computed from specialization constants, and a loop goes over the
// array.
// Right: HLSL and Metal have neither, so the constants have their defaults, and the text says so: 4 elements, and 0 + 1 + 2 + 3.
layout(constant_id = 3) const int N = 2;
layout(constant_id = 5) const uint SIZE = 2;
layout(local_size_x_id = 5) in;
layout(std430, binding = 0) buffer B { int r[]; };

void main() {
    int t[N * 2];
    for (int i = 0; i < N * 2; i++) {
        t[i] = i;
    }
    int sum = 0;
    for (int i = 0; i < N * 2; i++) {
        sum += t[i];
    }
    r[gl_LocalInvocationID.x] = sum;
}

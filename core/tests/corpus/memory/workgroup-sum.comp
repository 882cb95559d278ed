#version 460
// A sum over a workgroup through shared memory and barriers.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
shared uint partial[8];

void main() {
    uint i = gl_LocalInvocationIndex;
    partial[i] = words[i] + words[i + 8u];
    barrier();
    for (uint half_size = 4u; half_size > 0u; half_size >>= 1) {
        if (i < half_size) partial[i] += partial[i + half_size];
        barrier();
    }
    result[i] = partial[0] * 10u + i;
}

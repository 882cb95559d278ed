// Prefix sums in shared memory: after each step a value holds the sum of twice as many.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[32]; };

shared uint sums[32];

void main() {
    uint index = gl_LocalInvocationIndex;
    sums[index] = data[index];
    barrier();
    for (uint step = 1u; step < 32u; step *= 2u) {
        uint before = index >= step ? sums[index - step] : 0u;
        barrier();
        sums[index] += before;
        barrier();
    }
    data[index] = sums[index];
}

#version 460
// Every atomic operation on signed and unsigned integers in buffers and shared memory.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
shared uint total;
shared int low, low_high;

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) { total = 0u; low = 1000; }
    barrier();
    atomicAdd(total, words[i]);
    atomicMin(low, int(words[i]));
    atomicMax(result[8], words[i]);
    atomicMax(low_high, int(i));
    atomicMin(result[9], words[i]);
    atomicAnd(result[10], ~words[i]);
    atomicOr(result[11], words[i]);
    atomicXor(result[12], words[i]);
    if (i == 0u) { atomicExchange(result[13], 77u); atomicCompSwap(result[14], 0u, 5u); }
    barrier();
    result[i] = total + uint(low) + uint(low_high);
}

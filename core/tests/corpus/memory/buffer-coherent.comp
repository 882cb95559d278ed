#version 460
// Coherent, volatile and restrict buffers, and memory barriers of every kind.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) coherent buffer Shared { uint shared_buffer[]; };
layout(std430, set = 0, binding = 3) volatile restrict readonly buffer Once { uint once[]; };
shared uint shared_state[8];

void main() {
    uint i = gl_LocalInvocationIndex;
    shared_state[i] = i;
    shared_buffer[i] = words[i];
    memoryBarrierShared();
    memoryBarrierBuffer();
    groupMemoryBarrier();
    memoryBarrier();
    memoryBarrierImage();
    barrier();
    result[i] = shared_buffer[i] + once[0];
}

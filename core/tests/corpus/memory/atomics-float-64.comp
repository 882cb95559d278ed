#version 460
// Atomic addition of floats and 64-bit integers.
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 0, binding = 2) buffer Sums { float sum; uint64_t big; };

void main() {
    uint i = gl_LocalInvocationIndex;
    atomicAdd(sum, 0.5);
    atomicAdd(big, uint64_t(words[i]) << 32);
    result[i] = 1u;
}

#version 460
// Shared memory with an explicit layout, accessed as two types.
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
shared Wide { uint all; } wide;
shared Narrow { uint8_t bytes_of[4]; } narrow;

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 4u) narrow.bytes_of[i] = uint8_t(words[i]);
    barrier();
    result[i] = wide.all + i;
}

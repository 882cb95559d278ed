#version 460
// Shuffles by index, by mask and by distance.
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint n = gl_SubgroupInvocationID;
    result[i] = subgroupShuffle(words[i], n ^ 1u) + subgroupShuffleXor(words[i], 1u) * 10u;
    uint up = subgroupShuffleUp(words[i], 1u), down = subgroupShuffleDown(words[i], 1u);
    result[i + 8u] = (n > 0u ? up : 0u) + (n < 1u ? down : 0u);
}

#version 460
// Partitioned operations: one reduction for each distinct value.
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec4 same = subgroupPartitionNV(words[i] & 3u);
    result[i] = subgroupPartitionedAddNV(words[i], same) + subgroupPartitionedInclusiveAddNV(1u, same);
}

#version 460
// Elect, barriers and votes of a subgroup.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    bool odd = (words[i] & 1u) == 1u;
    uint r = uint(subgroupAll(words[i] < 10u)) + 2u * uint(subgroupAny(odd)) + 4u * uint(subgroupAllEqual(words[0]));
    if (subgroupElect()) result[8] = r;
    subgroupBarrier();
    subgroupMemoryBarrier();
    subgroupMemoryBarrierBuffer();
    subgroupMemoryBarrierShared();
    result[i] = r + uint(gl_SubgroupInvocationID < gl_SubgroupSize) + uint(gl_SubgroupID < gl_NumSubgroups);
}

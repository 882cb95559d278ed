#version 460
// Clustered reductions and exchanges inside a quad.
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i];
    result[i] = subgroupClusteredAdd(x, 4u) + subgroupClusteredMax(x, 2u) * 10u + subgroupQuadSwapHorizontal(x)
        + subgroupQuadSwapVertical(x) + subgroupQuadSwapDiagonal(x) + subgroupQuadBroadcast(x, 2u);
}

#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// The five masks of a subgroup.
// Right: those without a word for them compute them from the number of the invocation.
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B { uint r[]; };

void main() {
    uint i = gl_LocalInvocationIndex * 5u;
    r[i] = gl_SubgroupEqMask.x;
    r[i + 1u] = gl_SubgroupLtMask.x;
    r[i + 2u] = gl_SubgroupLeMask.x;
    r[i + 3u] = gl_SubgroupGtMask.x;
    r[i + 4u] = gl_SubgroupGeMask.x;
}

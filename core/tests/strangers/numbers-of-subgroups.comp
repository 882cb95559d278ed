// The number of a subgroup, and how many there are in a workgroup.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };
void main() {
  o[gl_LocalInvocationIndex] = gl_SubgroupID * 100u + gl_NumSubgroups * 10u + gl_SubgroupInvocationID;
}

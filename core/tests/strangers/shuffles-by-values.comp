// The distance of a relative shuffle differs between the invocations.
#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };

void main() {
  uint i = gl_LocalInvocationIndex;
  uint a = subgroupShuffleXor(i * 7u, i & 1u);
  uint b = subgroupShuffleUp(i * 5u, min(i, 1u));
  values[i] = a + b * 100u + subgroupBroadcast(i, values[8] & 3u) * 10000u;
}

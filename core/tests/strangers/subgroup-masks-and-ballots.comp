#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
// Masks of invocations and operations on ballots. Right: languages without them compute both from the index of the invocation.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer B { uint a[8]; uint b[8]; uint c[8]; uint d[8]; };
void main() {
  uint i = gl_SubgroupInvocationID & 7u;
  uvec4 some = subgroupBallot((i & 1u) == 0u);
  a[i] = bitCount((some & gl_SubgroupLtMask).x) + bitCount((some & gl_SubgroupGeMask).x) * 16u;
  b[i] = subgroupBallotFindLSB(some) + 16u * uint(subgroupInverseBallot(some));
  c[i] = subgroupBallotInclusiveBitCount(some) + 16u * subgroupBallotExclusiveBitCount(some);
  d[i] = uint(subgroupBallotBitExtract(some, 2u)) + gl_SubgroupEqMask.x;
}

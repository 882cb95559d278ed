#version 460
// Ballots, their bits, and broadcasts.
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uvec4 b = subgroupBallot(words[i] > 3u);
    uint r = subgroupBallotBitCount(b) + subgroupBallotInclusiveBitCount(b) * 10u + subgroupBallotExclusiveBitCount(b) * 100u;
    r += subgroupBroadcastFirst(words[i]) + subgroupBroadcast(words[i], 0u) + uint(subgroupInverseBallot(b)) + uint(subgroupBallotBitExtract(b, 1u));
    r += subgroupBallotFindLSB(b) + subgroupBallotFindMSB(b) + uint(any(equal(gl_SubgroupEqMask, gl_SubgroupGeMask)));
    result[i] = r;
}

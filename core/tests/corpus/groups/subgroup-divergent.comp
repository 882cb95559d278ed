#version 460
// Subgroup operations where the invocations have taken different paths.
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint r = 0u;
    for (uint k = 0u; k < 4u; k++) {
        if (words[i] % 4u == k) { r += subgroupAdd(1u) * (k + 1u); continue; }
        if (k > words[i]) { r += subgroupBallotBitCount(subgroupBallot(true)); break; }
    }
    result[i] = r;
}

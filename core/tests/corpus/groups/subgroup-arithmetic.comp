#version 460
// Reductions and scans of a subgroup, of integers, floats and booleans.
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = words[i];
    uint r = subgroupAdd(x) + subgroupMul(x & 1u) + subgroupMin(x) + subgroupMax(x) + subgroupAnd(x) + subgroupOr(x) + subgroupXor(x);
    r += subgroupInclusiveAdd(x) + subgroupExclusiveAdd(x) + subgroupInclusiveMax(x) + subgroupExclusiveOr(x);
    r += uint(subgroupMin(int(x) - 4)) + uint(subgroupMax(int(x) - 4));
    r += uint(subgroupAdd(float(x))) + uint(subgroupMin(float(x))) + uint(subgroupMax(float(x))) + uint(subgroupMul(1.0));
    r += uint(subgroupAnd(x > 1u)) + uint(subgroupOr(x > 1u)) + uint(subgroupXor(x > 1u));
    result[i] = r;
}

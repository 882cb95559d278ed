#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
// Operations between invocations on integers of 8, 16 and 64 bits, scalars and vectors.
// Right: GLSL also requires the extensions of the types.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer Numbers { ivec4 r[]; } n;
void main() {
    uint at = gl_LocalInvocationIndex;
    int8_t a = subgroupMax(int8_t(n.r[at].x));
    i16vec2 b = subgroupBroadcastFirst(i16vec2(n.r[at].xy));
    uint64_t c = subgroupXor(uint64_t(uint(n.r[at].z)) << 8);
    bool same = subgroupAllEqual(uint16_t(n.r[at].w));
    int16_t d = subgroupShuffleXor(int16_t(n.r[at].y), 1u);
    n.r[at] = ivec4(int(a) + int(b.y), int(c >> 4), same ? 1 : 0, int(d));
}

#version 460
// Loops and selections with hints: unroll, do not unroll, flatten, branch.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; k++) sum += words[k];
    [[dont_unroll]] for (uint k = 4u; k < 8u; k++) sum += words[k] * i;
    [[flatten]] if (sum > 40u) sum -= 3u;
    [[branch]] if (sum > 90u) sum /= 2u;
    [[dont_flatten]] switch (sum & 3u) { case 1u: sum++; break; case 2u: sum += 5u; break; }
    result[i] = sum;
}

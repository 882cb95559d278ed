#version 460
// Three counted loops, each bounded by the one around it.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint a = 0u; a < 5u; a++)
        for (uint b = a; b < 5u; b++)
            for (uint c = b; c < 5u; c++) sum += a * b + c * words[i];
    result[i] = sum;
}

#version 460
// Bit fields, counting bits and finding them.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint a = words[i] * 2654435761u;
    int s = int(a);
    result[i] = bitfieldExtract(a, 4, 9) + uint(bitfieldExtract(s, 3, 7)) + bitfieldInsert(a, words[i], 8, 5)
        + bitfieldReverse(a) + uint(bitCount(a)) + uint(findLSB(a)) + uint(findMSB(a)) + uint(findMSB(s));
}

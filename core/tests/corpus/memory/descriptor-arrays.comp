#version 460
// Arrays of buffers, indexed by constants, by uniform and by non-uniform values.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(std430, set = 1, binding = 0) readonly buffer Block { uint value[8]; } blocks[4];

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = blocks[1].value[i] + blocks[words[0] & 3u].value[0] + blocks[nonuniformEXT(words[i] & 3u)].value[1];
}

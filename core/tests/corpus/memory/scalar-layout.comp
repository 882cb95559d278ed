#version 460
// A buffer in scalar layout: a vec3 at an offset that is no multiple of 16.
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
struct Item { uint id; vec3 position; };
layout(scalar, set = 0, binding = 2) buffer Items { Item packed_items[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    packed_items[i].position.yz += vec2(words[i], 1.0);
    result[i] = packed_items[i].id;
}

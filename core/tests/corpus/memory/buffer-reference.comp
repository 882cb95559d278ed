#version 460
// A linked list through physical storage buffer pointers.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint value; Node next; };
layout(push_constant) uniform Push { uint64_t head; };

void main() {
    uint i = gl_LocalInvocationIndex;
    Node node = Node(head);
    uint sum = 0u;
    for (uint k = 0u; k < 4u && uint64_t(node) != 0ul; k++) { sum += node.value; node.value = k; node = node.next; }
    result[i] = sum;
}

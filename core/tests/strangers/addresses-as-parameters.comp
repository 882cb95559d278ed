// A function has addresses of buffers as parameters, one of them to write to; a node has addresses of nodes.
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430) buffer Node { uint value; uint rest; Node both[2]; Node next; };
layout(push_constant) uniform Push { Node first; };

void follow(inout Node at, Node other) {
  at.value = other.value + 1u;
  at = at.both[other.rest & 1u];
}

void main() {
  Node at = first.next;
  follow(at, first);
  at.rest = 5u;
}

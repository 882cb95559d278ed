#version 460
// Nested structures, copied whole and member by member.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
struct Inner { uvec2 pair; float weight; };
struct Outer { uint head; Inner inner; uint tail[2]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    Outer a = Outer(words[i], Inner(uvec2(words[i + 1u], 7u), 1.5), uint[](1u, 2u));
    Outer b = a;
    b.inner.pair.y += b.head;
    b.tail[i & 1u] = 40u;
    Inner c = b.inner;
    c.weight *= 2.0;
    result[i] = b.inner.pair.y * 1000u + b.tail[0] + b.tail[1] + uint(c.weight) + (a == b ? 0u : 5u);
}

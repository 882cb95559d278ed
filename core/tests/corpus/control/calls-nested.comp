#version 460
// Calls of calls with in, out and inout parameters.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };
void inner(in uint x, out uint y) { y = x * x; x = 0u; }
void middle(inout uint x, out uint y) { inner(x + 1u, y); x = y - x; }
void outer(inout uint x, out uint y) { middle(x, y); uint z; inner(y & 15u, z); y += z; }

void main() {
    uint i = gl_LocalInvocationIndex;
    uint a = words[i], b;
    outer(a, b);
    result[i] = a * 1000u + b;
}

// An array whose length is a specialization constant begins with zeros.
#version 460
#extension GL_EXT_null_initializer : require
layout(local_size_x = 2) in;
layout(constant_id = 0) const uint count = 3u;
struct Pair { float a; float b; };
layout(set = 0, binding = 0, std430) buffer Out { float values[]; };

void main() {
  Pair pairs[count] = {};
  uint i = gl_LocalInvocationIndex;
  pairs[i].b += 2.0;
  values[i] = pairs[i].a + pairs[i].b + pairs[2].b;
}

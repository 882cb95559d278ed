// Memory of the workgroup begins with zeros.
#version 460
#extension GL_EXT_null_initializer : require
layout(local_size_x = 4) in;
shared uint sum = {};
shared vec2 pair = {};
layout(set = 0, binding = 0) buffer Out { uint values[4]; };

void main() {
  barrier();
  atomicAdd(sum, gl_LocalInvocationIndex);
  barrier();
  values[gl_LocalInvocationIndex] = sum + uint(pair.x);
}

#version 450
// Barriers of shared memory alone, each followed by one of execution. Right: WGSL has barriers of both, which are stronger.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer B { uint r[4]; };
shared uint s[4];
void main() {
  uint i = gl_LocalInvocationIndex;
  s[i] = i * 3u;
  memoryBarrierShared();
  barrier();
  r[i] = s[3u - i];
}

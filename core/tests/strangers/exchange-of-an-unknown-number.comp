// An exchange replaces a number that nothing was stored to: memory has a known number afterwards.
#version 450
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer Out { uint values[2]; };
shared uint sum;

void main() {
  if (gl_LocalInvocationIndex == 0u) {
    atomicExchange(sum, 3u);
  }
  barrier();
  atomicXor(sum, 5u);
  barrier();
  values[gl_LocalInvocationIndex] = sum;
}

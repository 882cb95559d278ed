// A variable of the module that every invocation has the same value of decides about a barrier.
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Out { uint values[4]; uint limit; };
float kept = 0.0;

void main() {
  for (int i = 0; i < 2; i++) {
    if (kept > 4.0) {
      break;
    }
    kept += 1.0;
    barrier();
  }
  values[gl_LocalInvocationIndex] = uint(kept);
}

// A number that is known only at run time chooses a buffer to write.
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Out { uint values[4]; } outs[3];
layout(set = 0, binding = 1) uniform In { uvec4 choice; };

void main() {
  uint i = gl_LocalInvocationIndex;
  outs[choice.x % 3u].values[i] = i * 3u + choice.y;
}

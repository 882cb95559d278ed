#version 460
// A comparison with a shift: `a < 2 >> b` begins a list of templates in WGSL. Members with the names of components.
// Right: these values, accepted by every compiler.
layout(local_size_x = 4) in;
struct S { int xy; ivec4 o[2]; };
layout(set = 0, binding = 0, std140) uniform U { ivec4 limits; S s; };
layout(set = 0, binding = 1, std430) buffer Results { int r[]; };
void main() {
  int id = int(gl_GlobalInvocationID.x);
  int found = 0;
  if (limits.x < (64 >> (id & 3))) found = 1;
  ivec4 all = ivec4(ivec3(s.xy), id) + s.o[id & 1];
  r[id] = found + all.x + all.y + all.z + all.w;
}

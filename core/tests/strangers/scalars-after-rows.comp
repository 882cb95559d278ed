#version 460
// Scalars that follow an array and a matrix in a structure of a uniform block: the last row is not full.
// Right: their places, in a text that the compiler of HLSL accepts: nothing may begin in the last row of an array there.
layout(local_size_x = 1) in;
struct Light { float ranges[3]; float power; mat3 turn; float angle; };
layout(set = 0, binding = 0, std140) uniform Lights { Light lights[2]; float last; };
layout(set = 0, binding = 1, std430) buffer Results { float r[]; };
void main() {
  r[0] = lights[1].power;
  r[1] = lights[1].angle;
  r[2] = lights[0].ranges[2];
  r[3] = lights[0].turn[2].z;
  r[4] = last;
}

// Rows of two numbers at multiples of 8 bytes in a uniform block, chosen when the program runs: where arrays of the language
// have elements of 16 bytes, a row may begin in the middle of one or end in the next.
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
struct Stage { uint color; uint pad; float rows[2][2]; float scale; float offset; };
layout(scalar, set = 0, binding = 0) uniform Stages { Stage stages[8]; };
layout(scalar, set = 0, binding = 1) uniform Table { float first; float pairs[5][2]; vec2 more[3]; };
layout(set = 0, binding = 2) buffer Out { vec4 o[]; };
void main() {
  uint i = gl_LocalInvocationIndex;
  Stage s = stages[i >> 1];
  o[i] = vec4(stages[i / 2].rows[i & 1][0], stages[i / 2].rows[i & 1][i % 2u], pairs[i % 5u][1] + first,
              more[i % 3u].y + s.scale);
}

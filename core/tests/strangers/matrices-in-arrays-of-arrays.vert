#version 460
// Matrices in arrays of arrays, of both orders, in a uniform block.
// Right: the element, the column and the component that the program names.
layout(set = 0, binding = 0, std140, row_major) uniform R { mat2 r[2][4]; mat3x2 s[3][2]; };
layout(set = 0, binding = 1, std140) uniform C { mat2 c[2][4]; mat3x2 d[3][2]; };
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
  a = vec4(r[1][3][1].y, s[2][1][2].x, r[1][2][0].y, s[1][1][1].y);
  b = vec4(c[1][3][1].y, d[2][1][2].x, c[1][2][0].y, d[1][1][1].y);
  gl_Position = vec4(0.0);
}

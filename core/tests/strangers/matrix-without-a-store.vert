// A matrix that nothing is stored to has an unknown value; the product with it is not used.
#version 450
layout(location = 0) in vec3 at;
layout(location = 0) out vec2 shade;

void main() {
  mat3x2 unknown;
  mat3x2 known = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
  vec2 product = unknown * at;
  shade = at.x > 1.0e30 ? product : known * at;
  gl_Position = vec4(at, 1.0);
}

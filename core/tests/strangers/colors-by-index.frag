// Colors are chosen by a number that is known only at run time, and so is a component of one.
#version 450
layout(location = 0) flat in ivec2 which;
layout(location = 0) out vec4 colors[3];
layout(location = 3) out vec4 other;

void main() {
  other = vec4(0.25);
  other[which.y & 3] += 1.0;
  for (int i = 0; i < 3; i++) {
    colors[i] = vec4(i, which.x, 0.0, 1.0);
  }
}

// Uniform blocks in an array of arrays.
#version 450
layout(set = 0, binding = 4) uniform Colors { vec4 a; vec4 b; } colors[2][2];
layout(location = 0) out vec4 color;

void main() {
  color = colors[1][0].a + colors[0][1].b;
}

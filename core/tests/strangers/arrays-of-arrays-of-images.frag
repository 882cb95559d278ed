// Arrays of arrays of images, by numbers that are known only at run time.
#version 450
layout(set = 0, binding = 0) uniform sampler2D images[2][2];
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(0.0);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      color += texture(images[i][j], at) * float(i + 1);
    }
  }
}

// A number that is known only at run time chooses one of some components.
#version 450
layout(location = 0) in vec4 v;
layout(location = 1) flat in int which;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(v.yx[which & 1], v.wzy[which & 1], vec2(v.x, 2.0)[which & 1], 1.0);
}

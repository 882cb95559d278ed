// The elements of an array are read, replaced, and written back: the values are those from before.
#version 450
layout(location = 0) flat in int which;
layout(location = 0) out vec4 color;

void main() {
  vec2 list[4];
  list[0] = vec2(1.0, which);
  list[1] = vec2(2.0, 3.0);
  list[2] = vec2(4.0, which);
  list[3] = vec2(5.0, 6.0);
  vec2 a = list[0], b = list[1], c = list[2], d = list[3];
  list[0] = vec2(0.0);
  list[1] = vec2(0.0);
  list[2] = vec2(0.0);
  list[3] = vec2(0.0);
  color.xy = list[which & 3];
  list[0] = a;
  list[1] = b;
  list[2] = c;
  list[3] = d;
  color.zw = list[which & 3];
}

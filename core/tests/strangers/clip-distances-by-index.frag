// A number that is known only at run time chooses a clip distance.
#version 450
in float gl_ClipDistance[4];
layout(location = 0) flat in int which;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(gl_ClipDistance[which & 3], gl_ClipDistance[1], 0.0, 1.0);
}

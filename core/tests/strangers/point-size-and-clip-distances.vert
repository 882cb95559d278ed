#version 450
// Points of size 1 and two distances to planes. Right: WGSL has points of size 1 only, so that the store is left out, and distances by an
// extension; GLSL ES has distances by an extension, too.
layout(location = 0) in vec4 p;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
  gl_Position = p;
  gl_PointSize = 1.0;
  gl_ClipDistance[0] = p.x;
  gl_ClipDistance[1] = 1.0 - p.y;
}

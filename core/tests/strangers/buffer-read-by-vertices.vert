#version 450
// A storage buffer without `readonly` that a vertex shader only reads. Right: WGSL, in whose vertex shaders no memory is written, declares it as
// read only.
layout(set = 0, binding = 0, std430) buffer B { vec4 at[]; } b;
layout(location = 0) out vec4 color;
void main() {
  gl_Position = b.at[gl_VertexIndex];
  color = b.at[gl_VertexIndex].wzyx;
}

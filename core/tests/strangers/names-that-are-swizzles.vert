#version 460
// Inputs, outputs and members with the names of components.
// Right: `xy` is the variable, and what follows it selects from it.
layout(location = 0) in uvec2 xy;
layout(location = 1) in ivec3 xx;
layout(set = 0, binding = 0, std140) uniform B { uvec4 yx; vec4 x; } w;
layout(location = 0) out vec4 zw;
layout(location = 1) flat out uvec4 o;
void main() {
  o = uvec4(xy.y, xy.x, w.yx.y, w.yx.zx.x) + uvec4(xx.zy, xx.x, xx.y);
  zw = vec4(w.x.yx, w.x.w, 1.0);
  gl_Position = vec4(xy.yx, xx.xz);
}

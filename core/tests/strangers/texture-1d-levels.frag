#version 450
// Lookups in a texture of one dimension with a bias, gradients, and an offset at level 0. Right: WGSL, which has none of them, computes the
// level and the coordinate.
layout(set = 0, binding = 0) uniform sampler1D s;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 o;
void main() {
  o = texture(s, at.x, 1.5) + textureGrad(s, at.y, at.z, at.w) + textureLodOffset(s, at.x, 0.0, 2);
}

#version 450
// A block of varyings with a structure, arrays and own interpolation of members, at a location that is not 0, read with an index
// known at run time. Right: each member keeps its interpolation; WGSL, HLSL and Metal have an input for each number or vector.
struct Inner { vec2 at; float weights[2]; };
layout(location = 2) in Blk {
  noperspective vec3 normal;
  centroid vec2 edge;
  Inner inner;
  flat ivec2 id;
  layout(location = 9) flat uint last;
} v;
layout(location = 0) out vec4 color;
void main() {
  float w = v.inner.weights[v.id.x & 1];
  color = vec4(v.normal.xy * w, v.edge.x + v.inner.at.y, float(v.id.y) + float(v.last));
}

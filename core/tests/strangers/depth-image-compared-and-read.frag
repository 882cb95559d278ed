#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Images that are compared and also sampled at a level, gathered and fetched without a comparison, in layers and cubes. Right: WGSL and Metal declare
// them as images of depths.
layout(set = 0, binding = 0) uniform texture2DArray layers;
layout(set = 0, binding = 1) uniform textureCube cube;
layout(set = 0, binding = 2) uniform sampler plain;
layout(set = 0, binding = 3) uniform samplerShadow compares;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 o;
void main() {
  o.x = texture(sampler2DArrayShadow(layers, compares), at) + texture(samplerCubeShadow(cube, compares), at);
  o.y = textureLod(sampler2DArray(layers, plain), at.xyz, 1.0).x + textureLod(samplerCube(cube, plain), at.xyz, 0.0).x;
  o.z = textureGather(sampler2DArray(layers, plain), at.xyz, 0).y;
  o.w = texelFetch(layers, ivec3(at.xyz), 0).x;
}

#version 450
// Functions that get images with a sampler, also by way of another function. Right: languages without such parameters have
// none of these functions.
layout(set = 0, binding = 0) uniform sampler2D t;
layout(set = 0, binding = 1) uniform samplerCube c;
layout(location = 0) in vec3 uv;
layout(location = 0) out vec4 o;
vec4 look(sampler2D s, vec2 p) { return texture(s, p) * 0.5; }
vec4 twice(sampler2D s, vec2 p) { return look(s, p) + look(s, p.yx) + vec4(textureSize(s, 0), 0.0, 0.0); }
vec4 around(samplerCube s) { return texture(s, uv); }
void main() { o = twice(t, uv.xy) + around(c); }

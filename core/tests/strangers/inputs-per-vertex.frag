// Inputs with the value of each vertex: the arrays have one location each. Right in GLSL; the others refuse them.
#version 460
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) pervertexEXT in vec2 first[3];
layout(location = 1) pervertexEXT in vec2 second[3];
layout(location = 0) out vec4 color;

void main() {
  color = vec4(first[0] * gl_BaryCoordEXT.x + first[2] * gl_BaryCoordEXT.z, second[1]);
}

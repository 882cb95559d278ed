#version 460
// Barycentric coordinates and values of the three vertices.
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) pervertexEXT in vec4 corner[3];
layout(location = 0) out vec4 color;
void main() {
    color = corner[0] * gl_BaryCoordEXT.x + corner[1] * gl_BaryCoordEXT.y + corner[2] * gl_BaryCoordNoPerspEXT.z;
}

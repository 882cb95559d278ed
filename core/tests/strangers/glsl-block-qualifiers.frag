#version 460
// The members of an interface block with qualifiers of their own, and an array and a matrix among them.
// Right: GLSL has a block with the qualifiers; GLSL ES 3.10 one variable for each member.
layout(location = 2) in Surface {
    flat uvec2 id;
    centroid vec3 normal;
    mat2 turn;
    smooth vec2 at[2];
    flat int layer;
} surface;
layout(location = 0) out vec4 o;
void main() {
    vec2 p = surface.turn * surface.at[surface.layer & 1];
    o = vec4(p, surface.normal.z + float(surface.id.x & 255u), float(surface.layer));
}

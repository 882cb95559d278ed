#version 460
// A tessellation evaluation shader over triangles.
layout(triangles, fractional_odd_spacing, cw) in;
layout(location = 0) in vec3 bent[];
layout(location = 1) patch in vec4 middle;
layout(location = 0) out vec3 normal;
void main() {
    vec4 flat_point = vec4(0.0);
    for (int k = 0; k < 3; k++) flat_point += gl_in[k].gl_Position * gl_TessCoord[k];
    normal = bent[0] * gl_TessCoord.x + bent[1] * gl_TessCoord.y + bent[2] * gl_TessCoord.z;
    gl_Position = mix(flat_point, middle, 0.1 * gl_TessLevelInner[0]);
}

#version 460
// A vertex shader that loads its vertices from buffers and has a table of corners.
layout(std430, set = 0, binding = 0) readonly buffer Points { vec4 points[]; };
layout(location = 0) out Surface { vec2 uv; flat int layer; } surface;
const vec2 corners[4] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1));
void main() {
    int corner = gl_VertexIndex % 4;
    vec4 point = points[gl_VertexIndex / 4];
    gl_Position = vec4(point.xy + corners[corner] * point.w, point.z, 1.0);
    surface.uv = corners[corner] * 0.5 + 0.5;
    surface.layer = gl_BaseInstance + gl_DrawID;
}

#version 460
// Inputs at the centroid, at a sample and at an offset; flat and perspective-free ones.
layout(location = 0) in vec4 smooth_value;
layout(location = 1) flat in int index;
layout(location = 2) noperspective in vec2 screen;
layout(location = 3) centroid in float middle;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 ids;
void main() {
    color = interpolateAtCentroid(smooth_value) + interpolateAtOffset(smooth_value, vec2(0.25, -0.25)) * middle;
    color.xy += screen + gl_PointCoord + (gl_FrontFacing ? vec2(1.0) : vec2(0.0));
    ids = uvec2(uint(index), uint(gl_PrimitiveID) + uint(gl_Layer));
    gl_FragDepth = color.w * 0.5;
}

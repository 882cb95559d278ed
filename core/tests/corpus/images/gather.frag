#version 460
// Gathers of each component, with constant and with several offsets.
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform usamplerCube cube;
layout(location = 0) in vec3 at;
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { ivec2 by; };
void main() {
    const ivec2 offsets[4] = ivec2[](ivec2(0), ivec2(1, 0), ivec2(0, 1), ivec2(-1));
    color = textureGather(plane, at.xy, 2) + textureGatherOffset(plane, at.xy, by) + textureGatherOffsets(plane, at.xy, offsets, 1)
        + vec4(textureGather(cube, at, 3));
}

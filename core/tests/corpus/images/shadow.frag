#version 460
// Depth comparisons of every kind.
layout(set = 0, binding = 0) uniform sampler2DShadow plane;
layout(set = 0, binding = 1) uniform samplerCubeShadow cube;
layout(set = 0, binding = 2) uniform sampler2DArrayShadow sheets;
layout(location = 0) in vec4 at;
layout(location = 0) out float lit;
void main() {
    lit = texture(plane, at.xyz) + texture(cube, at) + texture(sheets, at) + textureLod(plane, at.xyz, 0.0)
        + textureProj(plane, at) + textureProjLod(plane, at, 1.0) + dot(textureGather(plane, at.xy, at.z), vec4(0.25))
        + textureGrad(plane, at.xyz, vec2(0.1), vec2(0.2));
}

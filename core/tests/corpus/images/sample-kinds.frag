#version 460
// Samplers of every dimension, with implicit level of detail, bias, offset and projection.
layout(set = 0, binding = 0) uniform sampler1D line;
layout(set = 0, binding = 1) uniform sampler2D plane;
layout(set = 0, binding = 2) uniform sampler3D volume;
layout(set = 0, binding = 3) uniform samplerCube cube;
layout(set = 0, binding = 4) uniform sampler2DArray sheets;
layout(set = 0, binding = 5) uniform samplerCubeArray cubes;
layout(set = 0, binding = 6) uniform isampler2D whole;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 color;
void main() {
    color = texture(line, at.x) + texture(plane, at.xy, 0.5) + texture(volume, at.xyz) + texture(cube, at.xyz) + texture(sheets, at.xyz)
        + texture(cubes, at) + vec4(texture(whole, at.xy)) + textureOffset(plane, at.xy, ivec2(1, -2)) + textureProj(plane, at.xyz)
        + textureProjOffset(plane, at, ivec2(2, 3), 0.25);
}

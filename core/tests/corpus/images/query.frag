#version 460
// Sizes, levels, samples and the level of detail that would be used.
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform sampler2DMSArray many;
layout(set = 0, binding = 2, rgba16f) uniform imageCube sides;
layout(set = 0, binding = 3) uniform samplerBuffer texels;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main() {
    ivec3 a = textureSize(many);
    color = vec4(textureSize(plane, textureQueryLevels(plane) - 1), textureQueryLod(plane, at)) + vec4(a, textureSamples(many))
        + vec4(imageSize(sides), textureSize(texels), 0.0);
}

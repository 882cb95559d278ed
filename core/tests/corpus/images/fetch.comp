#version 460
// Fetches of texels from images of every kind.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform sampler2DMS many;
layout(set = 0, binding = 2) uniform usamplerBuffer texels;
layout(set = 0, binding = 3) uniform isampler2DArray sheets;
layout(std430, set = 0, binding = 4) buffer Colors { vec4 colors[]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    colors[i] = texelFetch(plane, ivec2(i, 1), 0) + texelFetch(many, ivec2(i), 2) + vec4(texelFetch(texels, i)) + vec4(texelFetch(sheets, ivec3(i, 0, 1), 0))
        + texelFetchOffset(plane, ivec2(2), 1, ivec2(1, -1));
}

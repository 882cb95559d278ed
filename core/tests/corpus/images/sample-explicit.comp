#version 460
// Explicit level of detail and gradients, with separate image and sampler.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform texture2D pictures[2];
layout(set = 0, binding = 1) uniform sampler filters[2];
layout(set = 0, binding = 2) uniform texture3D volume;
layout(std430, set = 0, binding = 3) buffer Colors { vec4 colors[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(i) * 0.25;
    colors[i] = textureLod(sampler2D(pictures[0], filters[0]), at, 1.0)
        + textureGrad(sampler2D(pictures[1], filters[0]), at, vec2(0.1, 0.0), vec2(0.0, 0.1))
        + textureLodOffset(sampler2D(pictures[i & 1u], filters[1]), at, 0.0, ivec2(-1, 1))
        + textureGradOffset(sampler3D(volume, filters[0]), vec3(at, 0.5), vec3(0.1), vec3(0.2), ivec3(1))
        + textureProjLod(sampler2D(pictures[0], filters[1]), vec3(at, 2.0), 0.0) + textureProjGrad(sampler2D(pictures[0], filters[1]), vec3(at, 2.0), at, at);
}

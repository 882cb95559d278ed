#version 460
// Storage images: loads, stores and formats, one without a format.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, rgba32f) uniform image2D source;
layout(set = 0, binding = 1, r32ui) uniform uimage3D counts;
layout(set = 0, binding = 2) writeonly uniform image2DArray target;
layout(set = 0, binding = 3, rgba8_snorm) uniform imageBuffer texels;
layout(set = 0, binding = 4, rg16i) readonly uniform iimage1D line;
void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    vec4 x = imageLoad(source, at) * 2.0 + imageLoad(texels, at.x) + vec4(imageLoad(line, at.x));
    imageStore(counts, ivec3(at, 1), uvec4(x) + imageLoad(counts, ivec3(at, 0)));
    imageStore(target, ivec3(at, 2), x.wzyx);
    imageStore(texels, at.x, vec4(0.5));
}
